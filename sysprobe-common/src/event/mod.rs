//! Records as they lie in the rings: integers and byte arrays, every one headed by [`EventHeader`].

mod exit;
mod file;
mod oom;
mod signal;
mod stall;
mod syscall;
mod task;
mod tcp;

pub use exit::{ProcessExitRaw, SignalSentRaw, sent_flags};
pub use file::{FileKeyRaw, FileRaw, SocketRaw, file_kind};
pub use oom::{MmPagesRaw, OomKillRaw, ProcessMemoryRaw, UNKNOWN, UNKNOWN_ADJ};
pub use signal::SignalRaw;
pub use stall::{
    BlockedRaw, ContendedRaw, FLAG_KTHREAD, LockRaw, STATE_FROZEN, STATE_WAKEKILL, StallEndRaw, TaskWaitRaw,
    is_blocked, lock_flags,
};
pub use syscall::{CaptureRaw, SYSCALL_BEFORE_ATTACH, SYSCALL_COMPAT, SYSCALL_UNFINISHED, SyscallRaw, capture, status};
pub use task::{TaskExecRaw, TaskExitRaw, TaskForkRaw};
pub use tcp::ConnectionRaw;

/// What a record is.
pub mod kind {
    /// [`super::SyscallRaw`]: a call ended (bulk ring).
    pub const SYSCALL: u16 = 1;
    /// [`super::FileRaw`]: what a file identity stands for (bulk ring).
    pub const FILE: u16 = 2;
    /// [`super::TaskForkRaw`]: a followed thread had a child (critical ring).
    pub const TASK_FORK: u16 = 3;
    /// [`super::TaskExecRaw`]: a followed process runs a new program (critical ring).
    pub const TASK_EXEC: u16 = 4;
    /// [`super::TaskExitRaw`]: a followed thread ended (critical ring).
    pub const TASK_EXIT: u16 = 5;
    /// [`super::SignalRaw`]: a signal was delivered to a followed thread (critical ring).
    pub const SIGNAL: u16 = 6;
    /// [`super::StallEndRaw`]: a long wait in D ended (critical ring).
    pub const STALL_END: u16 = 7;
    /// [`super::ProcessExitRaw`]: a process ended abnormally (critical ring).
    pub const PROCESS_EXIT: u16 = 8;
    /// [`super::OomKillRaw`]: a process is killed for want of memory (critical ring).
    pub const OOM_KILL: u16 = 9;
}

/// The head of every record.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct EventHeader {
    /// One of [`kind`].
    pub kind: u16,
    /// Bits of the record's own kind.
    pub flags: u16,
    /// Bytes of the whole record, this head included.
    pub len: u32,
    /// CLOCK_MONOTONIC when it happened (for a call: when it ended).
    pub ts_ns: u64,
    /// The thread it is about, in the initial pid namespace.
    pub tid: u32,
    /// Its process.
    pub tgid: u32,
}

const _: () = assert!(size_of::<EventHeader>() == 24);
