//! From a call's row to what the kernel captures of it.
//!
//! Paths and in/out values are read at the call's entry, for they may change before its end; all else at its end, when it
//! costs nothing to keep. Owns no call's facts (see `table`).

use sysprobe_common::limits::{CAPTURE_BYTES, MAX_CALLS, MAX_OPS};
use sysprobe_common::plan::{
    CallPlan, CaptureOp, NO_ARG, PHASE_ENTER, PHASE_EXIT, PLAN_EXEC, PLAN_READS_AT_ENTRY, PLAN_RETURNS_FD,
    PLAN_ROW_FOREIGN, PLAN_WANTED, op,
};

use super::filter::CallFilter;
use super::structs::StructSpec;
use super::table::{self, ArgKind, Ret, Row};

/// Elements of an array captured: one more than strace shows by default.
const ARRAY_ELEMENTS: u16 = 33;
/// Bytes of a socket address (`struct sockaddr_storage`).
const SOCKADDR_BYTES: u16 = 128;

/// The plan of call `nr`, with strings and buffers captured up to `string_limit` bytes and one more, so that a cut is seen.
/// A number without a row gets a plan without captures.
pub fn plan_for(nr: u32, string_limit: usize) -> CallPlan {
    table::row(nr).map_or(CallPlan { arg_count: 6, ..CallPlan::default() }, |row| row_plan(row, string_limit))
}

/// The plans of all numbers, those `filter` wants marked so.
pub fn plans(filter: &CallFilter, string_limit: usize) -> Vec<CallPlan> {
    (0..MAX_CALLS)
        .map(|nr| {
            let mut plan = plan_for(nr, string_limit);
            if filter.wants(nr) || nr == PLAN_ROW_FOREIGN && filter.wants_foreign() {
                plan.flags |= PLAN_WANTED;
            }
            plan
        })
        .collect()
}

fn row_plan(row: &Row, string_limit: usize) -> CallPlan {
    let mut builder = Builder { plan: CallPlan { arg_count: row.arg_count, ..CallPlan::default() } };
    let limit = (string_limit.min(CAPTURE_BYTES - 2)) as u16;
    builder.plan.fd_args = row.fd_args;
    for (arg, kind) in row.args.iter().enumerate() {
        builder.argument(arg as u8, kind, limit);
    }
    for op in row.ops {
        builder.push(*op);
    }
    if matches!(row.ret, Ret::Fd | Ret::Fcntl) {
        builder.plan.flags |= PLAN_RETURNS_FD;
    }
    if row.args.iter().any(|kind| matches!(kind, ArgKind::Argv)) {
        builder.plan.flags |= PLAN_EXEC;
    }
    builder.plan
}

struct Builder {
    plan: CallPlan,
}

impl Builder {
    /// Adds a capture. Rows never ask for more than fit (tested); what did not fit would be shown as an address.
    fn push(&mut self, op: CaptureOp) {
        if let Some(slot) = self.plan.ops.get_mut(usize::from(self.plan.op_count)) {
            *slot = op;
            self.plan.op_count += 1;
            if op.phase == PHASE_ENTER {
                self.plan.flags |= PLAN_READS_AT_ENTRY;
            }
        }
    }

    fn add(&mut self, kind: u8, arg: u8, phase: u8, len_arg: u8, max_len: u16, elem_size: u16) {
        self.push(CaptureOp { kind, arg, phase, len_arg, max_len: max_len.min(CAPTURE_BYTES as u16), elem_size });
    }

    fn fixed(&mut self, arg: u8, phase: u8, len: u16) {
        self.add(op::FIXED, arg, phase, NO_ARG, len, 0);
    }

    fn elements(&mut self, arg: u8, spec: &StructSpec, len_arg: Option<u8>, count: u16) {
        let kind = if len_arg.is_some() { op::LEN_ARG } else { op::LEN_RET };
        let max_len = spec.size.saturating_mul(count);
        self.add(kind, arg, PHASE_EXIT, len_arg.unwrap_or(NO_ARG), max_len, spec.size);
    }

    fn argument(&mut self, arg: u8, kind: &ArgKind, limit: u16) {
        // A string read needs room for its NUL, and one byte more to show that it was cut.
        let string = limit + 2;
        let buffer = limit + 1;
        let most = CAPTURE_BYTES as u16;
        match *kind {
            ArgKind::Fd | ArgKind::DirFd => self.plan.fd_args |= 1 << arg,
            ArgKind::Path => self.add(op::STRING, arg, PHASE_ENTER, NO_ARG, most, 0),
            ArgKind::Str => self.add(op::STRING, arg, PHASE_EXIT, NO_ARG, string, 0),
            ArgKind::PathOut | ArgKind::Dirents => self.add(op::LEN_RET, arg, PHASE_EXIT, NO_ARG, most, 1),
            ArgKind::BufIn(len) => self.add(op::LEN_ARG, arg, PHASE_EXIT, len, buffer, 1),
            ArgKind::BufOut | ArgKind::SizedOut(_) | ArgKind::BytesOut => {
                self.add(op::LEN_RET, arg, PHASE_EXIT, NO_ARG, buffer, 1)
            }
            ArgKind::StructEnter(spec) => self.fixed(arg, PHASE_ENTER, spec.size),
            ArgKind::Struct(spec)
            | ArgKind::StructOut(spec)
            | ArgKind::StructInterrupted(spec)
            | ArgKind::StructPositive(spec)
            | ArgKind::SigSet(spec) => self.fixed(arg, PHASE_EXIT, spec.size),
            ArgKind::Array(spec, len) => self.elements(arg, spec, Some(len), ARRAY_ELEMENTS),
            ArgKind::ArrayFixed(spec, count) => self.fixed(arg, PHASE_EXIT, spec.size.saturating_mul(count.into())),
            ArgKind::ArrayOut(spec) => self.elements(arg, spec, None, ARRAY_ELEMENTS),
            ArgKind::IovecIn(len) => self.add(op::IOVEC, arg, PHASE_EXIT, len, buffer, 0),
            ArgKind::IovecOut(len) => self.add(op::IOVEC, arg, PHASE_EXIT, len, buffer, 1),
            ArgKind::MsgIn => self.add(op::MSGHDR, arg, PHASE_EXIT, NO_ARG, buffer, 0),
            ArgKind::MsgOut => self.add(op::MSGHDR, arg, PHASE_EXIT, NO_ARG, buffer, 1),
            ArgKind::Argv => self.add(op::STRINGS, arg, PHASE_EXIT, NO_ARG, string, 0),
            ArgKind::Envp => self.add(op::COUNT, arg, PHASE_EXIT, NO_ARG, 0, 0),
            ArgKind::Pollfds(len) => self.add(op::LEN_ARG, arg, PHASE_EXIT, len, most, 8),
            ArgKind::SockaddrIn(len) => self.add(op::LEN_ARG, arg, PHASE_EXIT, len, SOCKADDR_BYTES, 1),
            ArgKind::SockaddrOut(len) => self.add(op::LEN_POINTER, arg, PHASE_EXIT, len, SOCKADDR_BYTES, 1),
            ArgKind::SocklenInOut => {
                self.fixed(arg, PHASE_ENTER, 4);
                self.fixed(arg, PHASE_EXIT, 4);
            }
            ArgKind::FdPair => self.add(op::FD_PAIR, arg, PHASE_EXIT, NO_ARG, 8, 4),
            ArgKind::IntIn | ArgKind::IntOut | ArgKind::UintOut => self.fixed(arg, PHASE_EXIT, 4),
            ArgKind::LongOut => self.fixed(arg, PHASE_EXIT, 8),
            ArgKind::OffsetInOut => {
                self.fixed(arg, PHASE_ENTER, 8);
                self.fixed(arg, PHASE_EXIT, 8);
            }
            ArgKind::CpuSet(len) => self.add(op::LEN_ARG, arg, PHASE_EXIT, len, 128, 1),
            ArgKind::CpuSetOut => self.add(op::LEN_RET, arg, PHASE_EXIT, NO_ARG, 128, 1),
            ArgKind::IdsIn(len) => self.add(op::LEN_ARG, arg, PHASE_EXIT, len, 4 * ARRAY_ELEMENTS, 4),
            ArgKind::IdsOut => self.add(op::LEN_RET, arg, PHASE_EXIT, NO_ARG, 4 * ARRAY_ELEMENTS, 4),
            ArgKind::Int
            | ArgKind::Uint
            | ArgKind::Long
            | ArgKind::Ulong
            | ArgKind::Hex
            | ArgKind::Hex32
            | ArgKind::Ptr
            | ArgKind::Mode
            | ArgKind::FileMode
            | ArgKind::Dev
            | ArgKind::Id
            | ArgKind::Signal
            | ArgKind::Flags(_)
            | ArgKind::Enum(_)
            | ArgKind::Rest(_) => {}
        }
    }
}

/// Ops a row asks for, fitting or not.
#[cfg(test)]
fn ops_wanted(row: &Row) -> usize {
    let implied: usize = row
        .args
        .iter()
        .map(|kind| {
            let mut builder = Builder { plan: CallPlan::default() };
            builder.argument(0, kind, 32);
            usize::from(builder.plan.op_count)
        })
        .sum();
    implied + row.ops.len()
}

const _: () = assert!(MAX_OPS <= u8::MAX as usize && CAPTURE_BYTES <= u16::MAX as usize);

#[cfg(test)]
mod tests {
    use super::*;
    use sysprobe_common::event::CaptureRaw;
    use sysprobe_common::limits::{ENTRY_BYTES, ENTRY_STRING_BYTES};

    #[test]
    fn no_row_asks_for_more_than_the_kernel_keeps() {
        for row in table::rows() {
            assert!(ops_wanted(row) <= MAX_OPS, "{} wants {} captures", row.name, ops_wanted(row));
            for limit in [0, 32, 10_000_000] {
                let plan = plan_for(row.nr, limit);
                let entry: usize = plan.ops[..usize::from(plan.op_count)]
                    .iter()
                    .filter(|op| op.phase == PHASE_ENTER)
                    .map(|op| {
                        let most = if op.kind == op::STRING { ENTRY_STRING_BYTES } else { usize::MAX };
                        size_of::<CaptureRaw>() + usize::from(op.max_len).min(most).next_multiple_of(8)
                    })
                    .sum();
                assert_eq!(plan.flags & PLAN_READS_AT_ENTRY != 0, entry > 0, "{}", row.name);
                assert!(entry <= ENTRY_BYTES, "{} keeps {entry} bytes from its entry", row.name);
                for op in &plan.ops[..usize::from(plan.op_count)] {
                    assert!(op.arg < 6 && usize::from(op.max_len) <= CAPTURE_BYTES, "{}: {op:?}", row.name);
                    assert!(op.len_arg < 6 || op.len_arg == NO_ARG, "{}: {op:?}", row.name);
                }
            }
        }
    }

    #[test]
    fn plans_say_what_each_kind_of_call_needs() {
        let plan = |name: &str| plan_for(table::by_name(name).unwrap().nr, 32);
        let openat = plan("openat");
        assert_eq!((openat.fd_args, openat.op_count, openat.arg_count), (1, 1, 4));
        assert_eq!((openat.ops[0].kind, openat.ops[0].arg, openat.ops[0].phase), (op::STRING, 1, PHASE_ENTER));
        assert_eq!(openat.flags, PLAN_RETURNS_FD | PLAN_READS_AT_ENTRY);
        let read = plan("read");
        assert_eq!((read.ops[0].kind, read.ops[0].max_len), (op::LEN_RET, 33));
        assert_eq!(plan("execve").flags, PLAN_EXEC | PLAN_READS_AT_ENTRY);
        assert_eq!(read.flags, 0);
        assert_eq!(plan("accept4").op_count, 3);
        assert_eq!(plan("copy_file_range").fd_args, 0b101);
        assert_eq!(plan("mmap").fd_args, 1 << 4);
    }

    #[test]
    fn only_calls_the_filter_wants_are_marked() {
        let filter = CallFilter::parse(&["openat,read"]).unwrap();
        let wanted: Vec<u32> =
            (0..).zip(plans(&filter, 32)).filter(|(_, plan)| plan.flags & PLAN_WANTED != 0).map(|(nr, _)| nr).collect();
        assert_eq!(wanted, [0, 257, PLAN_ROW_FOREIGN]);
        let all = plans(&CallFilter::all(), 32);
        assert_eq!(all.len(), MAX_CALLS as usize);
        assert!(all.iter().all(|plan| plan.flags & PLAN_WANTED != 0));
    }
}
