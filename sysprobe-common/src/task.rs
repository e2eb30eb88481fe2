//! The state kept for each followed thread (a row of the `TASKS` map, keyed by thread id).

use crate::event::FileKeyRaw;
use crate::limits::ENTRY_BYTES;
use crate::plan::NO_ARG;

/// Not in a system call (for [`TaskStateRaw::nr`]).
pub const NO_CALL: u32 = u32::MAX;

/// Nothing is reported before this thread's first `execve` (it is our own child, not yet the command).
pub const TASK_BEFORE_EXEC: u32 = 1;
/// The current call began before we attached: its duration counts from the attach.
pub const TASK_CALL_BEFORE_ATTACH: u32 = 1 << 1;
/// The current call came by the 32-bit table (`TS_COMPAT`).
pub const TASK_COMPAT: u32 = 1 << 2;
/// Bit 8 + n: op n was cut or unreadable at entry; read again at the end.
pub const TASK_RETRY_SHIFT: u32 = 8;
/// Bit 16 + n: what op n could read at entry is in [`TaskStateRaw::entry`].
pub const TASK_PARTIAL_SHIFT: u32 = 16;
/// File identities kept of one call's arguments.
pub const CALL_FILES: usize = 2;

/// On a CPU.
pub const ON_CPU: u32 = 0;
/// Waiting for a CPU.
pub const RUNNABLE: u32 = 1;
/// Uninterruptible sleep (D).
pub const BLOCKED: u32 = 2;
/// Interruptible sleep.
pub const SLEEPING: u32 = 3;

/// One followed thread.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TaskStateRaw {
    /// CLOCK_MONOTONIC at the current call's entry.
    pub start_ns: u64,
    /// The current call's arguments.
    pub args: [u64; 6],
    /// The current call's time so far by `off_state`, in ns; [`ON_CPU`]'s is not kept: it is what is left.
    pub waited_ns: [u64; 4],
    /// CLOCK_MONOTONIC when `off_state` began, while it is not [`ON_CPU`].
    pub off_ns: u64,
    /// [`ON_CPU`], [`RUNNABLE`], [`BLOCKED`] or [`SLEEPING`].
    pub off_state: u32,
    /// The current call, or [`NO_CALL`].
    pub nr: u32,
    /// The process.
    pub tgid: u32,
    /// `TASK_*` bits.
    pub flags: u32,
    /// Environment strings of the image just executed.
    pub envc: u32,
    /// Bytes used of `entry`, a multiple of 8.
    pub entry_len: u32,
    /// Identities of the current call's fd arguments.
    pub files: [FileKeyRaw; CALL_FILES],
    /// Which arguments `files` are of; `plan::NO_ARG`: none.
    pub file_args: [u8; CALL_FILES],
    /// Zero.
    pub pad: [u8; 6],
    /// Captures of the current call's entry, as they go into the record.
    pub entry: [u8; ENTRY_BYTES],
}

impl TaskStateRaw {
    /// A thread not in a call.
    pub const fn new(tgid: u32, flags: u32) -> Self {
        Self {
            start_ns: 0,
            args: [0; 6],
            waited_ns: [0; 4],
            off_ns: 0,
            off_state: ON_CPU,
            nr: NO_CALL,
            tgid,
            flags,
            envc: 0,
            entry_len: 0,
            files: [FileKeyRaw { object: 0, version: 0 }; CALL_FILES],
            file_args: [NO_ARG; CALL_FILES],
            pad: [0; 6],
            entry: [0; ENTRY_BYTES],
        }
    }
}

const _: () = assert!(size_of::<TaskStateRaw>() == 160 + ENTRY_BYTES);
const _: () = assert!(core::mem::offset_of!(TaskStateRaw, entry) == 160);
