//! Frozen globals: set by the user side before loading, constants to the verifier, which then drops dead branches.

/// 1: only calls that failed are reported.
#[unsafe(no_mangle)]
static FAILED_ONLY: u32 = 0;
/// Calls shorter than this many ns are left out.
#[unsafe(no_mangle)]
static SLOWER_NS: u64 = 0;
/// 1: calls are summed in `CALL_STATS` instead of reported.
#[unsafe(no_mangle)]
static AGGREGATE: u32 = 0;
/// Waits in D of at least this many ns are reported when they end.
#[unsafe(no_mangle)]
static STALL_OVER_NS: u64 = u64::MAX;
/// 1: `mm_struct.rss_stat` is an array of `percpu_counter`; 0: of plain numbers, as before 6.2.
#[unsafe(no_mangle)]
static RSS_PERCPU: u32 = 0;
/// 1: `oom:mark_victim` passes the victim's number; 0: its `task_struct`, as since 6.9.
#[unsafe(no_mangle)]
static VICTIM_BY_PID: u32 = 0;
/// 1: the running task comes with its type (`bpf_get_current_task_btf`, 5.11), so that its fields are plain loads.
#[unsafe(no_mangle)]
static TYPED_TASK: u32 = 0;

macro_rules! frozen {
    ($name:ident) => {
        // SAFETY: a static is always readable; volatile keeps the compiler from assuming the value written above.
        unsafe { core::ptr::read_volatile(&raw const $name) }
    };
}

/// See [`FAILED_ONLY`].
#[inline(always)]
pub fn failed_only() -> bool {
    frozen!(FAILED_ONLY) != 0
}

/// See [`SLOWER_NS`].
#[inline(always)]
pub fn slower_ns() -> u64 {
    frozen!(SLOWER_NS)
}

/// See [`AGGREGATE`].
#[inline(always)]
pub fn aggregate() -> bool {
    frozen!(AGGREGATE) != 0
}

/// See [`STALL_OVER_NS`].
#[inline(always)]
pub fn stall_over_ns() -> u64 {
    frozen!(STALL_OVER_NS)
}

/// See [`RSS_PERCPU`].
#[inline(always)]
pub fn rss_percpu() -> bool {
    frozen!(RSS_PERCPU) != 0
}

/// See [`VICTIM_BY_PID`].
#[inline(always)]
pub fn victim_by_pid() -> bool {
    frozen!(VICTIM_BY_PID) != 0
}

/// See [`TYPED_TASK`].
#[inline(always)]
pub fn typed_task() -> bool {
    frozen!(TYPED_TASK) != 0
}
