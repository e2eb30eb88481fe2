//! How threads are named in lines: their id, and the id inside their own pid namespace where that differs.

use std::collections::HashMap;
use std::fs;

use crate::event::{Tgid, Tid};

/// Threads remembered with a second number; beyond it a thread shows only the first.
const MAX_LABELS: usize = 65_536;

/// Second numbers of followed threads.
#[derive(Debug, Default)]
pub struct Labels {
    inner: HashMap<Tid, u32>,
    /// How many threads are followed now, as far as events told.
    live: usize,
}

impl Labels {
    /// A running thread that is followed from now on.
    pub fn add(&mut self, tid: Tid, tgid: Tgid) {
        let inner =
            fs::read_to_string(format!("/proc/{}/task/{}/status", tgid.0, tid.0)).ok().and_then(|s| innermost(&s));
        self.born(tid, inner);
    }

    /// A thread that was born with this id in its own pid namespace.
    pub fn born(&mut self, tid: Tid, inner: Option<u32>) {
        self.live += 1;
        if let Some(inner) = inner.filter(|inner| *inner != tid.0)
            && self.inner.len() < MAX_LABELS
        {
            self.inner.insert(tid, inner);
        }
    }

    /// A thread that ended.
    pub fn ended(&mut self, tid: Tid) {
        self.live = self.live.saturating_sub(1);
        self.inner.remove(&tid);
    }

    /// The thread's id in its own pid namespace, where it differs.
    pub fn inner(&self, tid: Tid) -> Option<u32> {
        if self.inner.is_empty() { None } else { self.inner.get(&tid).copied() }
    }

    /// How many threads are followed now.
    pub fn live(&self) -> usize {
        self.live
    }
}

/// The innermost pid of a status file's `NSpid` line (proc_pid_status(5)).
fn innermost(status: &str) -> Option<u32> {
    status.lines().find_map(|line| line.strip_prefix("NSpid:"))?.split_ascii_whitespace().next_back()?.parse().ok()
}

/// CLOCK_MONOTONIC now, in ns: the clock of all events.
pub fn monotonic_ns() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a valid pointer; CLOCK_MONOTONIC always exists.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_pid_is_the_last() {
        assert_eq!(innermost("Name:\tx\nNSpid:\t4242\t17\t3\n"), Some(3));
        assert_eq!(innermost("Name:\tx\n"), None);
    }
}
