//! What the kernel side captures of each system call: a plan a call, filled by the user side's call table.
//!
//! The kernel knows no call by name; it reads `CALL_PLANS[nr]` and does what the row says.

use crate::limits::MAX_OPS;

/// The call is traced (`-e` leaves it in).
pub const PLAN_WANTED: u32 = 1;
/// A successful end replaces the caller's memory (`execve`): take the command line from the new image.
pub const PLAN_EXEC: u32 = 1 << 1;
/// The call's result is a new file descriptor.
pub const PLAN_RETURNS_FD: u32 = 1 << 2;
/// One op at least is of [`PHASE_ENTER`].
pub const PLAN_READS_AT_ENTRY: u32 = 1 << 3;

/// The row of calls outside the table (32-bit, x32, unknown numbers): no captures.
pub const PLAN_ROW_FOREIGN: u32 = crate::limits::MAX_CALLS - 1;

/// No argument (for [`CaptureOp::len_arg`]).
pub const NO_ARG: u8 = 0xff;

/// Read at the call's entry.
pub const PHASE_ENTER: u8 = 0;
/// Read at the call's end.
pub const PHASE_EXIT: u8 = 1;

/// How an op finds its bytes. The pointer is `args[arg]`; nothing is captured of a null pointer.
pub mod op {
    /// A NUL-terminated string, at most `max_len` bytes.
    pub const STRING: u8 = 1;
    /// `max_len` bytes.
    pub const FIXED: u8 = 2;
    /// `args[len_arg] * elem_size` bytes, at most `max_len`.
    pub const LEN_ARG: u8 = 3;
    /// `ret * elem_size` bytes if `ret > 0`, at most `max_len` (end only).
    pub const LEN_RET: u8 = 4;
    /// As many bytes as the `u32` at `args[len_arg]` says, at most `max_len` (`socklen_t *`).
    pub const LEN_POINTER: u8 = 5;
    /// An `iovec` array of `args[len_arg]` elements; of each at most `max_len` bytes. `elem_size` 1: fill limited by `ret`.
    pub const IOVEC: u8 = 6;
    /// A `msghdr`: the header, its name, its iovecs (of each at most `max_len` bytes). `elem_size` 1: fill limited by `ret`.
    pub const MSGHDR: u8 = 7;
    /// A null-terminated array of string pointers, of each string at most `max_len` bytes.
    pub const STRINGS: u8 = 8;
    /// A null-terminated array of pointers: only their number.
    pub const COUNT: u8 = 9;
    /// Two file descriptors written by the kernel (`pipe`, `socketpair`): the numbers and both identities.
    pub const FD_PAIR: u8 = 10;
}

/// One capture.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CaptureOp {
    /// One of [`op`].
    pub kind: u8,
    /// Which argument holds the pointer (0 to 5).
    pub arg: u8,
    /// [`PHASE_ENTER`] or [`PHASE_EXIT`].
    pub phase: u8,
    /// Which argument holds the length, or [`NO_ARG`].
    pub len_arg: u8,
    /// Bytes at most.
    pub max_len: u16,
    /// Bytes an element; see [`op`].
    pub elem_size: u16,
}

/// One call's plan.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallPlan {
    /// `PLAN_*` bits.
    pub flags: u32,
    /// Bit n set: argument n is a file descriptor whose identity is wanted.
    pub fd_args: u8,
    /// Ops in use.
    pub op_count: u8,
    /// Arguments the call takes.
    pub arg_count: u8,
    /// Zero.
    pub pad: u8,
    /// The ops, the first `op_count` in use.
    pub ops: [CaptureOp; MAX_OPS],
}

const _: () = assert!(size_of::<CaptureOp>() == 8);
const _: () = assert!(size_of::<CallPlan>() == 8 + 8 * MAX_OPS);
