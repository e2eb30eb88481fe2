//! The maps that user space reads and writes while the probes run: followed threads, counters, sums.

use aya::Pod;
use aya::maps::{HashMap, MapError, PerCpuArray};
use sysprobe_common::limits::MAX_CALLS;
use sysprobe_common::loss::Counter;
use sysprobe_common::stats::{BUCKETS, CallStats, bucket_middle_ns};
use sysprobe_common::task::TaskStateRaw;

use super::kernel::Owned;
use crate::event::Tid;

/// [`TaskStateRaw`] as a map value.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct TaskValue(TaskStateRaw);
// SAFETY: integers only; the size is asserted in sysprobe-common.
unsafe impl Pod for TaskValue {}

/// [`CallStats`] as a map value.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct StatsValue(CallStats);
// SAFETY: integers only, no padding.
unsafe impl Pod for StatsValue {}

/// Followed threads.
pub struct TaskTable {
    map: HashMap<Owned, u32, TaskValue>,
}

impl TaskTable {
    pub(super) fn new(map: HashMap<Owned, u32, TaskValue>) -> Self {
        Self { map }
    }

    /// Follows a thread, unless it is followed already.
    ///
    /// # Errors
    /// When the table is full.
    pub fn follow(&mut self, tid: Tid, state: TaskStateRaw) -> Result<(), MapError> {
        /// `BPF_NOEXIST` (include/uapi/linux/bpf.h).
        const NO_EXIST: u64 = 1;
        match self.map.insert(tid.0, TaskValue(state), NO_EXIST) {
            Err(MapError::SyscallError(error)) if error.io_error.raw_os_error() == Some(libc::EEXIST) => Ok(()),
            other => other,
        }
    }

    /// Leaves a thread alone from now on.
    pub fn forget(&mut self, tid: Tid) {
        // Gone already is as good.
        let _ = self.map.remove(&tid.0);
    }

    /// A thread's row now.
    pub fn get(&self, tid: Tid) -> Option<TaskStateRaw> {
        self.map.get(&tid.0, 0).ok().map(|v| v.0)
    }

    /// Every followed thread.
    pub fn tids(&self) -> impl Iterator<Item = Tid> {
        self.map.keys().filter_map(|k| k.ok().map(Tid))
    }
}

/// Events seen, left out and lost.
pub struct Counters {
    map: PerCpuArray<Owned, u64>,
}

impl Counters {
    pub(super) fn new(map: PerCpuArray<Owned, u64>) -> Self {
        Self { map }
    }

    /// A counter summed over CPUs; 0 if it cannot be read.
    pub fn get(&self, counter: Counter) -> u64 {
        self.map.get(&(counter as u32), 0).map_or(0, |values| values.iter().sum())
    }
}

/// One call's sums over all CPUs.
#[derive(Clone, Debug, Default)]
pub struct CallSum {
    /// The call's number; `plan::PLAN_ROW_FOREIGN` for all outside the table.
    pub nr: u32,
    /// Calls that ended.
    pub calls: u64,
    /// Of those, failed.
    pub errors: u64,
    /// Sum of durations in ns, and its parts that were not running.
    pub total_ns: u64,
    /// Waiting for a CPU, in ns.
    pub runnable_ns: u64,
    /// In D, in ns.
    pub blocked_ns: u64,
    /// Sleeping, in ns.
    pub sleeping_ns: u64,
    /// The longest in ns.
    pub max_ns: u64,
    histogram: Vec<u64>,
}

impl CallSum {
    /// The duration in ns that `pct` percent of the calls do not exceed, to 1/8 (`stats::SUB_BUCKETS`).
    pub fn percentile_ns(&self, pct: u64) -> u64 {
        let rank = (self.calls * pct).div_ceil(100).max(1);
        let mut passed = 0;
        for (bucket, count) in self.histogram.iter().enumerate() {
            passed += count;
            if passed >= rank {
                return bucket_middle_ns(bucket).min(self.max_ns);
            }
        }
        self.max_ns
    }
}

/// The sums of `-c`.
pub struct CallSums {
    map: PerCpuArray<Owned, StatsValue>,
}

impl CallSums {
    pub(super) fn new(map: PerCpuArray<Owned, StatsValue>) -> Self {
        Self { map }
    }

    /// Every call that was made at least once.
    pub fn read(&self) -> Vec<CallSum> {
        (0..MAX_CALLS.min(self.map.len())).filter_map(|nr| self.one(nr)).collect()
    }

    /// Calls summed in all.
    pub fn calls(&self) -> u64 {
        self.read().iter().map(|sum| sum.calls).sum()
    }

    fn one(&self, nr: u32) -> Option<CallSum> {
        let mut sum = CallSum {
            nr,
            calls: 0,
            errors: 0,
            total_ns: 0,
            runnable_ns: 0,
            blocked_ns: 0,
            sleeping_ns: 0,
            max_ns: 0,
            histogram: vec![0; BUCKETS],
        };
        for StatsValue(cpu) in self.map.get(&nr, 0).ok()?.iter() {
            sum.calls += cpu.calls;
            sum.errors += cpu.errors;
            sum.total_ns += cpu.total_ns;
            sum.runnable_ns += cpu.runnable_ns;
            sum.blocked_ns += cpu.blocked_ns;
            sum.sleeping_ns += cpu.sleeping_ns;
            sum.max_ns = sum.max_ns.max(cpu.max_ns);
            for (all, one) in sum.histogram.iter_mut().zip(cpu.histogram) {
                *all += u64::from(one);
            }
        }
        (sum.calls > 0).then_some(sum)
    }
}
