//! Every system call of x86-64 and i386: number, name, arguments, result.
//!
//! Names and C types come from the kernel's own headers and formats (`x86_64.tbl`, `i386.tbl`: one call a line); the calls programs
//! make most have hand-made rows (`rows`). Numbers beyond the table are no error: they have no row and are shown by number.

mod kind;
mod rows;
mod signature;

use std::collections::HashMap;
use std::sync::LazyLock;

pub use kind::{ArgKind, HandRow, RestFn, Ret};
use sysprobe_common::limits::MAX_CALLS;
use sysprobe_common::plan::CaptureOp;

use crate::event::Abi;

/// One call of the x86-64 table.
pub struct Row {
    /// Its number.
    pub nr: u32,
    /// Its name, as in `asm/unistd_64.h`.
    pub name: &'static str,
    /// Its arguments, at most six.
    pub args: Vec<ArgKind>,
    /// How many arguments the kernel takes (`args` may be shorter: a last `Rest` stands for several).
    pub arg_count: u8,
    /// Its result.
    pub ret: Ret,
    /// Captures beyond those the arguments imply.
    pub ops: &'static [CaptureOp],
    /// Bit n set: argument n is a descriptor, beyond those the arguments imply.
    pub fd_args: u8,
    /// The arguments' C types and names, as the kernel declares them.
    pub signature: &'static str,
}

/// The call with this number in the x86-64 table.
pub fn row(nr: u32) -> Option<&'static Row> {
    TABLE.rows.get(nr as usize)?.as_ref()
}

/// The call with this name in the x86-64 table.
pub fn by_name(name: &str) -> Option<&'static Row> {
    row(*TABLE.numbers.get(name)?)
}

/// All calls of the x86-64 table, by number.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    TABLE.rows.iter().flatten()
}

/// A call's name by its table and number.
pub fn name(abi: Abi, nr: u32) -> Option<&'static str> {
    match abi {
        Abi::X86_64 | Abi::X32 => row(nr).map(|row| row.name),
        Abi::I386 => I386.get(nr as usize).copied().flatten(),
    }
}

struct Table {
    rows: Vec<Option<Row>>,
    numbers: HashMap<&'static str, u32>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let hand: HashMap<&str, &HandRow> = rows::all().map(|row| (row.name, row)).collect();
    let mut table = Table { rows: (0..MAX_CALLS).map(|_| None).collect(), numbers: HashMap::new() };
    for (nr, name, signature) in lines(include_str!("x86_64.tbl")) {
        let (generic, ret) = signature::kinds(signature);
        let arg_count = generic.len() as u8;
        let row = match hand.get(name) {
            Some(hand) => Row {
                nr,
                name,
                args: hand.args.to_vec(),
                arg_count,
                ret: hand.ret,
                ops: hand.ops,
                fd_args: hand.fd_args,
                signature,
            },
            None => Row { nr, name, args: generic, arg_count, ret, ops: &[], fd_args: 0, signature },
        };
        if let Some(slot) = table.rows.get_mut(nr as usize) {
            *slot = Some(row);
            table.numbers.insert(name, nr);
        }
    }
    table
});

static I386: LazyLock<Vec<Option<&'static str>>> = LazyLock::new(|| {
    let mut names = vec![None; MAX_CALLS as usize];
    for (nr, name, _) in lines(include_str!("i386.tbl")) {
        if let Some(slot) = names.get_mut(nr as usize) {
            *slot = Some(name);
        }
    }
    names
});

/// `nr name the rest`, a line each.
fn lines(text: &'static str) -> impl Iterator<Item = (u32, &'static str, &'static str)> {
    text.lines().filter_map(|line| {
        let (nr, rest) = line.split_once(' ')?;
        let (name, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        Some((nr.parse().ok()?, name, rest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syscall::flags::Tail;

    #[test]
    fn every_hand_made_row_names_a_call_and_fits_its_signature() {
        let mut seen = std::collections::HashSet::new();
        for hand in rows::all() {
            let row = by_name(hand.name).unwrap_or_else(|| panic!("{} is no call", hand.name));
            assert!(seen.insert(hand.name), "{} has two rows", hand.name);
            // A last `Rest` stands for several; `membarrier` takes a third argument only with a flag.
            let open_ended = matches!(hand.args.last(), Some(ArgKind::Rest(_))) || hand.name == "membarrier";
            let count = usize::from(row.arg_count);
            let fits = if open_ended { hand.args.len() <= count } else { hand.args.len() == count };
            assert!(fits, "{}: {} kinds for {} ({})", hand.name, hand.args.len(), row.arg_count, row.signature);
        }
        assert!(seen.len() >= 120);
    }

    #[test]
    fn every_call_of_this_machines_header_has_its_name() {
        for (path, abi) in [("unistd_64.h", Abi::X86_64), ("unistd_32.h", Abi::I386)] {
            let Ok(header) = std::fs::read_to_string(format!("/usr/include/x86_64-linux-gnu/asm/{path}")) else {
                eprintln!("skip: no {path} on this machine");
                continue;
            };
            for line in header.lines().filter_map(|line| line.strip_prefix("#define __NR_")) {
                let (call, nr) = line.split_once(' ').unwrap();
                assert_eq!(name(abi, nr.trim().parse().unwrap()), Some(call), "{path}");
            }
        }
    }

    #[test]
    fn enumerations_are_plain_sets() {
        for row in rows() {
            for set in row.args.iter().filter_map(|kind| if let ArgKind::Enum(set) = kind { Some(set) } else { None }) {
                assert!(set.head.is_none() && matches!(set.tail, Tail::None), "{}: {set:?}", row.name);
            }
        }
    }

    #[test]
    fn numbers_beyond_the_table_have_no_name() {
        for nr in [337, 400, 511, 512, u32::MAX] {
            assert_eq!(name(Abi::X86_64, nr), None);
        }
        assert_eq!(name(Abi::I386, u32::MAX), None);
    }
}
