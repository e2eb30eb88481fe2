//! Every map of the object, with who writes and who reads it.

use aya_ebpf::macros::map;
use aya_ebpf::maps::{Array, HashMap, LruHashMap, PerCpuArray, RingBuf};
use sysprobe_common::event::{
    BlockedRaw, ConnectionRaw, ContendedRaw, FileKeyRaw, OomKillRaw, ProcessMemoryRaw, SignalSentRaw, StallEndRaw,
    TaskWaitRaw,
};
use sysprobe_common::limits::{
    BULK_RING_BYTES, CRITICAL_RING_BYTES, MAX_BLOCKED, MAX_CALLS, MAX_CLOSE_WAITS, MAX_CONTENDED, MAX_FOLLOWED,
    MAX_NETS, MAX_SEEN_FILES, MAX_SIGNALLED, MAX_TASKS, MAX_WANTED,
};
use sysprobe_common::loss::Counter;
use sysprobe_common::plan::CallPlan;
use sysprobe_common::stats::CallStats;
use sysprobe_common::task::TaskStateRaw;

/// A record under construction.
#[repr(C)]
pub struct Scratch {
    /// Bytes of the record so far.
    pub len: u64,
    /// Bytes of an iovec array's elements still to be shown.
    pub remaining: u64,
    /// The file identity last looked for on this CPU (only of [`FILE_SCRATCH`]).
    pub key: FileKeyRaw,
    /// The record.
    pub bytes: [u8; SCRATCH_BYTES],
}

/// Bytes of a scratch record: positions are masked with [`SCRATCH_MASK`], and one write beyond that is at most
/// `0x1fff` bytes and a capture's head.
pub const SCRATCH_BYTES: usize = 24 * 1024 + 64;
/// Keeps a position inside the scratch record for the verifier.
pub const SCRATCH_MASK: u64 = 0x3fff;

/// Rare events. User side drains.
#[map]
pub static CRITICAL: RingBuf = RingBuf::with_byte_size(CRITICAL_RING_BYTES, 0);

/// System calls and file descriptions. User side drains.
#[map]
pub static BULK: RingBuf = RingBuf::with_byte_size(BULK_RING_BYTES, 0);

/// Followed threads by thread id. The user side adds those of `--pid`, fork adds children, exit removes.
#[map]
pub static TASKS: HashMap<u32, TaskStateRaw> = HashMap::with_max_entries(MAX_TASKS, 0);

/// What to capture, by call number. User side fills before attach.
#[map]
pub static CALL_PLANS: Array<CallPlan> = Array::with_max_entries(MAX_CALLS, 0);

/// Sums by call number (`-c`). The user side shrinks it to one row when not asked for.
#[map]
pub static CALL_STATS: PerCpuArray<CallStats> = PerCpuArray::with_max_entries(MAX_CALLS, 0);

/// File identities whose description was sent.
#[map]
pub static SEEN_FILES: LruHashMap<FileKeyRaw, u8> = LruHashMap::with_max_entries(MAX_SEEN_FILES, 0);

/// Events seen, left out and lost, by [`Counter`].
#[map]
pub static COUNTERS: PerCpuArray<u64> = PerCpuArray::with_max_entries(Counter::COUNT, 0);

/// Where a call's or a task's record is put together. Programs run with preemption off and only process-context
/// probes use it, so two never meet on one CPU.
#[map]
pub static SCRATCH: PerCpuArray<Scratch> = PerCpuArray::with_max_entries(1, 0);

/// Where a file description is put together, while [`SCRATCH`] holds a call.
#[map]
pub static FILE_SCRATCH: PerCpuArray<Scratch> = PerCpuArray::with_max_entries(1, 0);

/// Threads in D by thread id: sleep adds, the wake-up removes. User side walks it for old rows.
#[map]
pub static BLOCKED: HashMap<u32, BlockedRaw> = HashMap::with_max_entries(MAX_BLOCKED, 0);

/// What each waiter for a sleeping lock waits for, by thread id.
#[map]
pub static CONTENDED: HashMap<u32, ContendedRaw> = HashMap::with_max_entries(MAX_CONTENDED, 0);

/// Threads that the next look shows whatever they do, by thread id. User side writes.
#[map]
pub static WANTED: HashMap<u32, u8> = HashMap::with_max_entries(MAX_WANTED, 0);

/// Where a row of [`BLOCKED`] is put together. Only `sched_switch` uses it, with interrupts off.
#[map]
pub static BLOCKED_SCRATCH: PerCpuArray<BlockedRaw> = PerCpuArray::with_max_entries(1, 0);

/// When this CPU last took a user stack in `sched_switch`, CLOCK_MONOTONIC ns.
#[map]
pub static USER_STACK_TAKEN: PerCpuArray<u64> = PerCpuArray::with_max_entries(1, 0);

/// Where the end of a stall is put together. Only `sched_waking` uses it.
#[map]
pub static STALL_SCRATCH: PerCpuArray<StallEndRaw> = PerCpuArray::with_max_entries(1, 0);

/// Where the task iterator puts a task together. One reader at a time.
#[map]
pub static LOOK_SCRATCH: PerCpuArray<TaskWaitRaw> = PerCpuArray::with_max_entries(1, 0);

/// The last deadly signal that each process was sent, by process id.
#[map]
pub static SIGNALLED: LruHashMap<u32, SignalSentRaw> = LruHashMap::with_max_entries(MAX_SIGNALLED, 0);

/// Processes of which a failure is told, not only a death by signal, by process id. User side writes.
#[map]
pub static FOLLOWED: HashMap<u32, u8> = HashMap::with_max_entries(MAX_FOLLOWED, 0);

/// Where an OOM kill is put together. The kernel kills one at a time, under a lock.
#[map]
pub static OOM_SCRATCH: PerCpuArray<OomKillRaw> = PerCpuArray::with_max_entries(1, 0);

/// Where the walk over all processes puts one together. One reader at a time.
#[map]
pub static PROCESS_SCRATCH: PerCpuArray<ProcessMemoryRaw> = PerCpuArray::with_max_entries(1, 0);

/// Since when connections are in CLOSE_WAIT, CLOCK_MONOTONIC ns. User side looks up.
#[map]
pub static CLOSE_WAITS: LruHashMap<ConnectionRaw, u64> = LruHashMap::with_max_entries(MAX_CLOSE_WAITS, 0);

/// How many connections came into CLOSE_WAIT, by network namespace. User side looks whether it changed.
#[map]
pub static NETS: LruHashMap<u32, u64> = LruHashMap::with_max_entries(MAX_NETS, 0);
