//! `-e`: which calls are traced, by name and class, negated or not.
//!
//! Forms: `openat,read`, `trace=openat`, `%file`, `!futex`, `all`, `none`. Several expressions add up; negated ones take away.
//! Class membership is strace's (`-e trace=%file`). The result feeds the kernel's plans, so filtered calls cost no record.

mod class;

use std::fmt;

use sysprobe_common::limits::MAX_CALLS;

use super::table;
use crate::event::Abi;

/// The calls that are traced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallFilter {
    wanted: Vec<bool>,
    /// Numbers without a name are traced too.
    unknown: bool,
}

/// Why an expression is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilterError {
    /// No call has this name; these come near.
    UnknownCall(String, Vec<&'static str>),
    /// No class has this name.
    UnknownClass(String),
    /// The expression has a qualifier other than `trace=`.
    Qualifier(String),
    /// Nothing between commas, or no name at all.
    Empty,
}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownCall(name, near) => {
                write!(f, "no system call is named '{name}'")?;
                match near.as_slice() {
                    [] => Ok(()),
                    near => write!(f, "; did you mean {}?", near.join(" or ")),
                }
            }
            Self::UnknownClass(name) => {
                write!(f, "no class of calls is named '{name}'; there are {}", class::NAMES.join(", "))
            }
            Self::Qualifier(name) => write!(f, "'{name}=' is not supported; -e takes names and classes of calls"),
            Self::Empty => f.write_str("an empty name; -e takes names and classes of calls, such as openat,%net"),
        }
    }
}

impl std::error::Error for FilterError {}

impl CallFilter {
    /// All calls.
    pub fn all() -> Self {
        Self { wanted: vec![true; MAX_CALLS as usize], unknown: true }
    }

    /// The calls that `expressions` (the values of `-e`) leave in. No expression: all.
    pub fn parse<S: AsRef<str>>(expressions: &[S]) -> Result<Self, FilterError> {
        let sets = expressions.iter().map(|text| Set::parse(text.as_ref())).collect::<Result<Vec<_>, _>>()?;
        let mut filter = if sets.iter().any(|set| !set.negated) {
            Self { wanted: vec![false; MAX_CALLS as usize], unknown: false }
        } else {
            Self::all()
        };
        for set in sets.iter().filter(|set| !set.negated) {
            filter.unknown |= set.everything;
            filter.mark(set, true);
        }
        for set in sets.iter().filter(|set| set.negated) {
            filter.unknown &= !set.everything;
            filter.mark(set, false);
        }
        Ok(filter)
    }

    /// Whether call `nr` of the x86-64 table is traced.
    pub fn wants(&self, nr: u32) -> bool {
        self.wanted.get(nr as usize).copied().unwrap_or(self.unknown)
    }

    /// Whether call `nr` of the i386 table is traced: as the x86-64 call of the same name is.
    pub fn wants_i386(&self, nr: u32) -> bool {
        match table::name(Abi::I386, nr).and_then(table::by_name) {
            Some(row) => self.wants(row.nr),
            None => self.unknown,
        }
    }

    /// Whether call `nr` of the table that `abi` names is traced.
    pub fn wants_call(&self, abi: Abi, nr: u32) -> bool {
        match abi {
            Abi::I386 => self.wants_i386(nr),
            Abi::X86_64 | Abi::X32 => self.wants(nr),
        }
    }

    /// Whether any call outside the x86-64 table is traced. The kernel tells those apart by no number: it reports all or none.
    pub fn wants_foreign(&self) -> bool {
        self.unknown || (0..MAX_CALLS).any(|nr| self.wants_i386(nr))
    }

    /// Whether nothing is filtered out.
    pub fn is_all(&self) -> bool {
        self.unknown && self.wanted.iter().all(|wanted| *wanted)
    }

    fn mark(&mut self, set: &Set, value: bool) {
        if set.everything {
            self.wanted.fill(value);
        }
        for nr in &set.numbers {
            if let Some(slot) = self.wanted.get_mut(*nr as usize) {
                *slot = value;
            }
        }
    }
}

/// One expression.
struct Set {
    negated: bool,
    everything: bool,
    numbers: Vec<u32>,
}

impl Set {
    fn parse(text: &str) -> Result<Self, FilterError> {
        let mut text = text.trim();
        if let Some((qualifier, rest)) = text.split_once('=') {
            if !matches!(qualifier, "trace" | "t") {
                return Err(FilterError::Qualifier(qualifier.to_owned()));
            }
            text = rest;
        }
        let (negated, text) = match text.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let mut set = Self { negated, everything: false, numbers: Vec::new() };
        for item in text.split(',') {
            set.item(item.trim())?;
        }
        Ok(set)
    }

    fn item(&mut self, item: &str) -> Result<(), FilterError> {
        if let Some(class) = item.strip_prefix('%') {
            let members = class::members(class).ok_or_else(|| FilterError::UnknownClass(item.to_owned()))?;
            self.numbers.extend(members.filter_map(table::by_name).map(|row| row.nr));
            return Ok(());
        }
        // `?name`: no error if there is no such call, as strace has it.
        let (optional, name) = match item.strip_prefix('?') {
            Some(rest) => (true, rest),
            None => (false, item),
        };
        match name {
            "" => return Err(FilterError::Empty),
            "all" => self.everything = true,
            "none" if self.negated => self.everything = true,
            "none" => {}
            _ => match table::by_name(name) {
                Some(row) => self.numbers.push(row.nr),
                None if optional => {}
                None => return Err(FilterError::UnknownCall(name.to_owned(), near(name))),
            },
        }
        Ok(())
    }
}

/// At most three call names near `name`: by edit distance, and those that hold it (`pread` → `pread64`).
fn near(name: &str) -> Vec<&'static str> {
    let mut names: Vec<(usize, &'static str)> = table::rows()
        .map(|row| {
            let distance = strsim::damerau_levenshtein(name, row.name);
            let held = name.len() >= 4 && row.name.contains(name);
            (if held { distance.min(1) } else { distance }, row.name)
        })
        .filter(|(distance, candidate)| *distance <= 2 && *distance < candidate.len().min(name.len()))
        .collect();
    names.sort();
    names.into_iter().take(3).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(expressions: &[&str]) -> Vec<&'static str> {
        let filter = CallFilter::parse(expressions).unwrap();
        table::rows().filter(|row| filter.wants(row.nr)).map(|row| row.name).collect()
    }

    #[test]
    fn names_classes_and_negations_add_up() {
        assert_eq!(wanted(&["openat,read"]), ["read", "openat"]);
        assert_eq!(wanted(&["trace=openat", "close"]), ["close", "openat"]);
        assert_eq!(wanted(&["read,?nosuchcall"]), ["read"]);
        assert!(wanted(&["none"]).is_empty());
        let quiet = wanted(&["!futex,%memory"]);
        assert!(!quiet.contains(&"futex") && !quiet.contains(&"mmap") && quiet.contains(&"read"));
        let net = wanted(&["%net", "!recvfrom"]);
        assert!(net.contains(&"connect") && !net.contains(&"recvfrom") && !net.contains(&"read"));
    }

    #[test]
    fn classes_are_straces() {
        let has = |class: &str, name: &str| wanted(&[class]).contains(&name);
        for (class, inside, outside) in [
            ("%file", "openat", "read"),
            ("%desc", "read", "open_by_name"),
            ("%network", "sendfile", "read"),
            ("%net", "accept4", "openat"),
            ("%process", "wait4", "getpid"),
            ("%memory", "brk", "read"),
            ("%signal", "rt_sigaction", "read"),
        ] {
            assert!(has(class, inside) && !has(class, outside), "{class}");
        }
        for class in class::NAMES {
            for name in class::members(class.trim_start_matches('%')).unwrap() {
                assert!(table::by_name(name).is_some(), "{class}: no call named {name}");
            }
        }
    }

    #[test]
    fn wrong_expressions_say_what_is_wrong_and_what_is_near() {
        let error = |text: &str| CallFilter::parse(&[text]).unwrap_err().to_string();
        assert_eq!(error("opennat"), "no system call is named 'opennat'; did you mean openat or openat2?");
        assert!(error("pread").contains("pread64"));
        assert_eq!(error("xyzzy_nothing"), "no system call is named 'xyzzy_nothing'");
        assert!(error("%files").contains("%file"));
        assert!(error("signal=SIGINT").contains("'signal='"));
        assert!(error("").contains("empty"));
        assert!(error("read,,write").contains("empty"));
    }

    #[test]
    fn calls_without_a_name_follow_what_is_said_of_all() {
        assert!(CallFilter::parse::<&str>(&[]).unwrap().wants(500));
        assert!(CallFilter::all().is_all());
        assert!(CallFilter::parse(&["!read"]).unwrap().wants(u32::MAX));
        assert!(!CallFilter::parse(&["read"]).unwrap().wants(500));
        assert!(CallFilter::parse(&["read"]).unwrap().wants_i386(3));
        assert!(!CallFilter::parse(&["read"]).unwrap().wants_i386(4));
    }

    #[test]
    fn calls_by_other_tables_follow_their_names() {
        let filter = CallFilter::parse(&["read"]).unwrap();
        assert!(filter.wants_foreign());
        assert!(filter.wants_call(Abi::I386, 3) && filter.wants_call(Abi::X32, 0) && filter.wants_call(Abi::X86_64, 0));
        assert!(!filter.wants_call(Abi::I386, 4) && !filter.wants_call(Abi::X86_64, 600));
        assert!(!CallFilter::parse(&["none"]).unwrap().wants_foreign());
    }
}
