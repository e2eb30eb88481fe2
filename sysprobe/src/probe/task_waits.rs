//! The threads in D now: the table that the scheduler's probes keep, and one look at all of them by the task iterator.

use std::io;

use anyhow::Context as _;
use aya::Pod;
use aya::maps::HashMap;
use sysprobe_common::event::{BlockedRaw, TaskWaitRaw};
use sysprobe_common::limits::MAX_WANTED;

use super::iterator::TaskIterator;
use super::kernel::Owned;
use crate::event::{TaskWait, Tid};

/// Tasks shown by one look at most: beyond it the look says that it was cut.
const MAX_TASKS: usize = 8192;

/// [`BlockedRaw`] as a map value.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct BlockedValue(BlockedRaw);
// SAFETY: integers only; the size is asserted in sysprobe-common.
unsafe impl Pod for BlockedValue {}

/// What one look found.
#[derive(Debug, Default)]
pub struct Look {
    /// Tasks in D, and those asked for.
    pub tasks: Vec<TaskWait>,
    /// There were more.
    pub cut: bool,
}

/// The waits in D.
pub struct TaskWaits {
    blocked: HashMap<Owned, u32, BlockedValue>,
    wanted: HashMap<Owned, u32, u8>,
    iterator: TaskIterator,
}

impl TaskWaits {
    pub(super) fn new(
        blocked: HashMap<Owned, u32, BlockedValue>,
        wanted: HashMap<Owned, u32, u8>,
        iterator: TaskIterator,
    ) -> Self {
        Self { blocked, wanted, iterator }
    }

    /// The waits that began at or before `before_ns` (CLOCK_MONOTONIC), each with its start.
    pub fn older_than(&self, before_ns: u64) -> Vec<(Tid, u64)> {
        let rows = self.blocked.keys().filter_map(Result::ok).filter_map(|tid| {
            let since_ns = self.blocked.get(&tid, 0).ok()?.0.since_ns;
            (since_ns <= before_ns).then_some((Tid(tid), since_ns))
        });
        // A walk over a table that changes may see a row twice.
        let mut waits: Vec<_> = rows.take(2 * MAX_TASKS).collect();
        waits.sort_unstable();
        waits.dedup();
        waits
    }

    /// Takes a row away whose thread is not in D any more: its end was missed.
    pub fn forget(&mut self, tid: Tid) {
        // Gone already is as good.
        let _ = self.blocked.remove(&tid.0);
    }

    /// Looks at every task in D and at those of `also`, at most [`MAX_WANTED`] of them.
    ///
    /// # Errors
    /// When the iterator cannot be read.
    pub fn look(&mut self, also: &[Tid]) -> anyhow::Result<Look> {
        for tid in also.iter().take(MAX_WANTED as usize) {
            self.wanted.insert(tid.0, 1, 0).context("cannot ask for a task")?;
        }
        let look = self.walk();
        for tid in also.iter().take(MAX_WANTED as usize) {
            // Asked for twice, it is gone already.
            let _ = self.wanted.remove(&tid.0);
        }
        look.context("cannot read the task iterator")
    }

    fn walk(&self) -> io::Result<Look> {
        let mut look = Look::default();
        look.cut = self.iterator.walk(size_of::<TaskWaitRaw>(), |record| {
            look.tasks.extend(TaskWait::decode(record));
            look.tasks.len() < MAX_TASKS
        })?;
        Ok(look)
    }
}
