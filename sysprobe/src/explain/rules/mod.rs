//! The classifier's knowledge as data: what each kernel function waits for.
//!
//! A rule names functions and a class, and may ask for the kind of wait inside and for a caller outside. Tables are
//! grouped by subsystem; within a table the more particular rule stands first. `classify` walks a stack from the
//! innermost frame outwards and takes the first rule that holds, so a rule here must be true of the function itself,
//! never of one report: no process names, no addresses, no offsets. Sources are the kernel's own files, 3.10 to 7.x.

mod block;
mod device;
mod family;
mod filesystem;
mod journal;
mod kernel;
mod lock;
mod lock_file;
mod memory;
mod network_fs;
mod wait;

use super::cause::{Class, Confidence};
use super::frame::Frame;

pub use family::{FAMILIES, Family};
pub use wait::{PRIMITIVES, SCHEDULER, WaitKinds};

/// All rules, the order in which they are tried at one frame.
pub const TABLES: &[&[Rule]] = &[
    memory::RULES,
    block::RULES,
    journal::RULES,
    filesystem::RULES,
    network_fs::RULES,
    lock::RULES,
    lock_file::RULES,
    kernel::RULES,
    device::RULES,
];

/// One fact: a task that waits in one of `frames` waits for `what`.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The class it means.
    pub class: Class,
    /// Functions, one of which is the frame looked at. `*` stands for any text; `@mod` is a module.
    pub frames: &'static [&'static str],
    /// What is waited for, to be read behind "waits for".
    pub what: &'static str,
    /// The kinds of wait that may lie inside.
    pub wait: WaitKinds,
    /// Functions, one of which must be further out; empty when it does not matter.
    pub under: &'static [&'static str],
    /// How many frames further out `under` is looked for.
    pub within: usize,
    /// How sure the rule is when its frame is the one that waits.
    pub sure: Confidence,
    /// The wait ends when the task is killed.
    pub killable: bool,
    /// The lock's name, for rules about locks.
    pub lock: Option<&'static str>,
}

/// A rule that holds whatever the wait and the callers are.
pub const fn rule(class: Class, frames: &'static [&'static str], what: &'static str) -> Rule {
    Rule {
        class,
        frames,
        what,
        wait: WaitKinds::ANY,
        under: &[],
        within: usize::MAX,
        sure: Confidence::High,
        killable: false,
        lock: None,
    }
}

/// A rule about a lock taken in one of `frames`.
pub const fn lock(class: Class, frames: &'static [&'static str], what: &'static str, name: &'static str) -> Rule {
    let mut rule = rule(class, frames, what);
    rule.wait = WaitKinds::LOCK;
    rule.lock = Some(name);
    rule
}

impl Rule {
    /// Only with one of these kinds of wait inside.
    pub const fn wait(mut self, wait: WaitKinds) -> Self {
        self.wait = wait;
        self
    }

    /// Only with one of these functions further out.
    pub const fn under(mut self, under: &'static [&'static str]) -> Self {
        self.under = under;
        self
    }

    /// `under` must be so near.
    pub const fn within(mut self, frames: usize) -> Self {
        self.within = frames;
        self
    }

    /// Other causes are possible.
    pub const fn medium(mut self) -> Self {
        self.sure = Confidence::Medium;
        self
    }

    /// Hardly more than a hint.
    pub const fn low(mut self) -> Self {
        self.sure = Confidence::Low;
        self
    }

    /// A fatal signal ends the wait.
    pub const fn killable(mut self) -> Self {
        self.killable = true;
        self
    }

    /// Whether the rule holds at `frames[at]` for this kind of wait.
    pub fn holds(&self, frames: &[Frame], at: usize, kinds: WaitKinds) -> bool {
        let Some(frame) = frames.get(at) else { return false };
        self.wait.meets(kinds)
            && self.frames.iter().any(|p| matches(p, frame))
            && (self.under.is_empty()
                || frames
                    .iter()
                    .skip(at + 1)
                    .take(self.within)
                    .any(|outer| self.under.iter().any(|pattern| matches(pattern, outer))))
    }
}

/// Whether a pattern (`name`, `start*`, `*end`, `a*b`, `@module`) fits a frame.
pub fn matches(pattern: &str, frame: &Frame) -> bool {
    if let Some(module) = pattern.strip_prefix('@') {
        return frame.module.as_deref().is_some_and(|m| glob(module, m));
    }
    glob(pattern, &frame.name)
}

/// `*` stands for any text, as often as it occurs.
fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let Some(mut part) = parts.next() else { return rest.is_empty() };
    for next in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or("");
        part = next;
    }
    rest.ends_with(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_at_either_end_and_by_module() {
        let frame = Frame::new("nfs_wait_on_request", Some("nfs")).expect("a frame");
        for good in ["nfs_wait_on_request", "nfs_*", "*_request", "*wait*", "nfs_*_on_*", "n*request", "@nfs", "@nf*"] {
            assert!(matches(good, &frame), "{good}");
        }
        for bad in ["nfs_wait", "nfsd_*", "*_wait", "*nfsd*", "n*x*request", "@nfsv4"] {
            assert!(!matches(bad, &frame), "{bad}");
        }
    }

    #[test]
    fn no_rule_is_empty_or_matches_everything() {
        for rule in TABLES.iter().flat_map(|table| table.iter()) {
            assert!(!rule.frames.is_empty() && !rule.what.is_empty());
            for pattern in rule.frames.iter().chain(rule.under) {
                assert!(pattern.trim_matches(['*', '@']).len() >= 2, "{pattern:?} is too wide");
                assert!(!pattern.contains('+') && !pattern.contains('.'), "{pattern:?} is no function's name");
            }
        }
    }
}
