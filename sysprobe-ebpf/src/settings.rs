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
