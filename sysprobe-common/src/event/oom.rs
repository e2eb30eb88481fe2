//! OOM kills, and what each process holds: the record of a kill, and the rows of the walk over all processes.

use super::EventHeader;
use crate::limits::{CGROUP_LEVELS, CGROUP_NAME_BYTES, KERNEL_FRAMES};

/// A number that is not known.
pub const UNKNOWN: u64 = u64::MAX;
/// An `oom_score_adj` that is not known.
pub const UNKNOWN_ADJ: i64 = i64::MIN;

/// Pages of a process by kind, as its `mm_struct` counts them. Each count lags by up to some tens of pages a CPU.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MmPagesRaw {
    /// Resident file pages; [`UNKNOWN`] like the others where there is no `mm_struct` left to ask.
    pub file: u64,
    /// Resident anonymous pages.
    pub anon: u64,
    /// Pages in swap.
    pub swap: u64,
    /// Resident shared memory pages.
    pub shmem: u64,
}

/// The kernel chose a process to kill for want of memory. `header.tid` is the victim, in whose place its process dies.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct OomKillRaw {
    /// Kind `OOM_KILL`. `header.tgid` 0: this kernel names the victim by its number only.
    pub header: EventHeader,
    /// CLOCK_BOOTTIME now.
    pub boot_ns: u64,
    /// CLOCK_BOOTTIME when the victim's process was born; [`UNKNOWN`].
    pub start_ns: u64,
    /// Its address space in pages; [`UNKNOWN`].
    pub total_vm_pages: u64,
    /// Its page tables; [`UNKNOWN`].
    pub pgtables_bytes: u64,
    /// Its memory.
    pub pages: MmPagesRaw,
    /// Its user id; [`UNKNOWN`].
    pub uid: u64,
    /// Its `oom_score_adj`, -1000 to 1000; [`UNKNOWN_ADJ`].
    pub oom_score_adj: i64,
    /// The thread whose allocation found no memory.
    pub trigger_tid: u32,
    /// Its process.
    pub trigger_tgid: u32,
    /// Frames in `kernel`.
    pub kernel_len: u32,
    /// Levels in `cgroup_ids` and `cgroup_names`.
    pub cgroup_levels: u32,
    /// The victim's name, NUL-padded.
    pub comm: [u8; 16],
    /// The trigger's name, NUL-padded.
    pub trigger_comm: [u8; 16],
    /// The trigger's kernel stack, innermost first: what it asked memory for, and whose limit it met.
    pub kernel: [u64; KERNEL_FRAMES],
    /// The victim's memory cgroup and its parents, innermost first, the root left out: kernfs ids.
    pub cgroup_ids: [u64; CGROUP_LEVELS],
    /// Their names, NUL-terminated.
    pub cgroup_names: [[u8; CGROUP_NAME_BYTES]; CGROUP_LEVELS],
}

/// A process and its memory, as one walk found it. Written by the task iterator.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ProcessMemoryRaw {
    /// CLOCK_BOOTTIME when it was born.
    pub start_ns: u64,
    /// Its memory.
    pub pages: MmPagesRaw,
    /// The kernfs id of its memory cgroup; [`UNKNOWN`].
    pub cgroup_id: u64,
    /// The process.
    pub tgid: u32,
    /// Its `oom_score_adj`.
    pub oom_score_adj: i32,
    /// Its name, NUL-padded.
    pub comm: [u8; 16],
}

const _: () = assert!(size_of::<MmPagesRaw>() == 32);
const _: () = assert!(
    size_of::<OomKillRaw>()
        == 24 + 32 + 32 + 16 + 16 + 32 + 8 * KERNEL_FRAMES + (8 + CGROUP_NAME_BYTES) * CGROUP_LEVELS
);
const _: () = assert!(size_of::<ProcessMemoryRaw>() == 8 + 32 + 8 + 8 + 16);
