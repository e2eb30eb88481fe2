//! The state kept for each followed thread (a row of the `TASKS` map, keyed by thread id).

use crate::event::FileKeyRaw;
use crate::limits::ENTRY_BYTES;

/// Not in a system call (for [`TaskStateRaw::nr`]).
pub const NO_CALL: u32 = u32::MAX;

/// Nothing is reported before this thread's first `execve` (it is our own child, not yet the command).
pub const TASK_BEFORE_EXEC: u32 = 1;
/// The current call began before we attached: its duration counts from the attach.
pub const TASK_CALL_BEFORE_ATTACH: u32 = 1 << 1;
/// The current call came by the 32-bit table (`TS_COMPAT`).
pub const TASK_COMPAT: u32 = 1 << 2;
/// The entry captures of ops n (bit 8 + n) were cut or unreadable: read again at the end.
pub const TASK_RETRY_SHIFT: u32 = 8;

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
    /// Time split of the current call so far; running is what is left.
    pub runnable_ns: u64,
    /// See `runnable_ns`.
    pub blocked_ns: u64,
    /// See `runnable_ns`.
    pub sleeping_ns: u64,
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
    /// The file last described, to skip the lookup in a loop over one descriptor.
    pub last_file: FileKeyRaw,
    /// Captures of the current call's entry, as they go into the record.
    pub entry: [u8; ENTRY_BYTES],
}

impl TaskStateRaw {
    /// A thread not in a call.
    pub const fn new(tgid: u32, flags: u32) -> Self {
        Self {
            start_ns: 0,
            args: [0; 6],
            runnable_ns: 0,
            blocked_ns: 0,
            sleeping_ns: 0,
            off_ns: 0,
            off_state: ON_CPU,
            nr: NO_CALL,
            tgid,
            flags,
            envc: 0,
            entry_len: 0,
            last_file: FileKeyRaw { object: 0, version: 0 },
            entry: [0; ENTRY_BYTES],
        }
    }
}

const _: () = assert!(size_of::<TaskStateRaw>() == 128 + ENTRY_BYTES);
const _: () = assert!(core::mem::offset_of!(TaskStateRaw, entry) == 128);
