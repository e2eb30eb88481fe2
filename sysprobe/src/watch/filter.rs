//! Which findings are told of: by kind, process and cgroup.

use crate::enrich::ProcessInfo;
use crate::record::Body;

/// A kind of trouble, as `--only` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Kind {
    /// Tasks in uninterruptible sleep (D)
    Stall,
    /// Processes that the kernel kills for want of memory
    Oom,
    /// Processes that are killed or crash; with --pid also those that fail
    Exit,
    /// Connections that their peers have closed and their owners do not
    CloseWait,
}

impl Kind {
    /// The name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stall => "stall",
            Self::Oom => "oom",
            Self::Exit => "exit",
            Self::CloseWait => "close-wait",
        }
    }

    /// The kind that a record is of.
    pub fn of(body: &Body) -> Option<Self> {
        match body {
            Body::Stall(_) => Some(Self::Stall),
            Body::OomKill(_) => Some(Self::Oom),
            Body::CloseWaitLeak(_) => Some(Self::CloseWait),
            Body::Exit(_) => Some(Self::Exit),
            Body::Syscall(_) | Body::SyscallSummary(_) | Body::Loss(_) | Body::Summary(_) => None,
        }
    }
}

/// What is told of.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// These kinds; empty: all.
    pub only: Vec<Kind>,
    /// These processes; empty: all.
    pub pids: Vec<u32>,
    /// This cgroup and those below it.
    pub cgroup: Option<String>,
}

impl Filter {
    /// Whether this kind is told of.
    pub fn wants_kind(&self, kind: Kind) -> bool {
        self.only.is_empty() || self.only.contains(&kind)
    }

    /// Whether a record is told of. What is of no kind (loss) always is.
    pub fn wants(&self, body: &Body) -> bool {
        let Some(kind) = Kind::of(body) else { return true };
        let process = body.episode().map(|(process, _)| process);
        self.wants_kind(kind)
            && (self.pids.is_empty()
                || process.is_some_and(|p| self.pids.contains(&p.pid) || self.pids.contains(&p.tid)))
            && self.cgroup.as_ref().is_none_or(|at| process.is_some_and(|p| is_below(p, at)))
    }
}

fn is_below(process: &ProcessInfo, at: &str) -> bool {
    let at = at.trim_end_matches('/');
    let rest = process.cgroup.as_deref().and_then(|path| path.strip_prefix(at));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cgroup_holds_what_is_below_it_and_not_its_namesakes() {
        let of = |path: &str| ProcessInfo { cgroup: Some(path.into()), ..ProcessInfo::default() };
        assert!(is_below(&of("/a/b"), "/a") && is_below(&of("/a"), "/a/") && is_below(&of("/x"), "/"));
        assert!(!is_below(&of("/ab"), "/a") && !is_below(&ProcessInfo::default(), "/"));
    }
}
