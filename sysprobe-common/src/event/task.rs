//! Births, execs and ends of followed threads.

use super::EventHeader;

/// A followed thread had a child, now followed too. `header.tid` is the child, `header.tgid` its process.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct TaskForkRaw {
    /// Kind `TASK_FORK`.
    pub header: EventHeader,
    /// The thread that called fork, vfork or clone.
    pub parent_tid: u32,
    /// Its process.
    pub parent_tgid: u32,
    /// The child's thread id in its own pid namespace (0: not known).
    pub ns_tid: u32,
    /// The child's process id in its own pid namespace (0: not known).
    pub ns_tgid: u32,
    /// The child's `comm`, NUL-padded.
    pub comm: [u8; 16],
}

/// A followed process runs a new program. The payload after the fixed part: the command line, NUL-separated, possibly cut.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TaskExecRaw {
    /// Kind `TASK_EXEC`. `header.tid` is the thread after the exec (the leader).
    pub header: EventHeader,
    /// The thread that called `execve`; differs from `header.tid` when it was not the leader.
    pub old_tid: u32,
    /// Number of arguments.
    pub argc: u32,
    /// Number of environment strings.
    pub envc: u32,
    /// Bytes of the command line, cut or not.
    pub cmdline_bytes: u32,
    /// The new `comm`, NUL-padded.
    pub comm: [u8; 16],
    /// `bprm->filename`, NUL-padded, cut at 255 bytes.
    pub filename: [u8; 256],
}

/// A followed thread ended.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct TaskExitRaw {
    /// Kind `TASK_EXIT`.
    pub header: EventHeader,
    /// As `wait(2)` gives it: exit status << 8, or the signal, with 0x80 for a core dump.
    pub exit_code: u32,
    /// 1: the last thread of its process.
    pub group_dead: u32,
    /// `comm` at the end, NUL-padded.
    pub comm: [u8; 16],
}

const _: () = assert!(size_of::<TaskForkRaw>() == 24 + 16 + 16);
const _: () = assert!(size_of::<TaskExecRaw>() == 24 + 16 + 16 + 256);
const _: () = assert!(size_of::<TaskExitRaw>() == 24 + 8 + 16);
