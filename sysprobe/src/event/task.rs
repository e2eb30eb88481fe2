//! Births, execs, ends and signals of followed threads, and what files are.

use sysprobe_common::event::{FileRaw, SignalRaw};

use super::{OomKill, ProcessExit, StallEnd, Syscall, Tgid, Tid};

/// Anything the kernel side says.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// A call ended.
    Syscall(Syscall<'a>),
    /// What a file identity stands for.
    File(FileDescription<'a>),
    /// A child was born.
    Fork(TaskFork),
    /// A new program runs.
    Exec(TaskExec<'a>),
    /// A thread ended.
    Exit(TaskExit),
    /// A signal was delivered.
    Signal(SignalDelivered),
    /// A long wait in D ended.
    StallEnd(Box<StallEnd>),
    /// A process ended abnormally.
    ProcessExit(Box<ProcessExit>),
    /// A process is killed for want of memory.
    OomKill(Box<OomKill>),
}

/// What a file identity stands for.
#[derive(Clone, Copy, Debug)]
pub struct FileDescription<'a> {
    /// The fixed part.
    pub raw: FileRaw,
    /// Path components, a socket, or a name; see `file_kind`.
    pub payload: &'a [u8],
}

/// A child of a followed thread.
#[derive(Clone, Copy, Debug)]
pub struct TaskFork {
    /// CLOCK_MONOTONIC, ns.
    pub ts_ns: u64,
    /// The child.
    pub tid: Tid,
    /// The child's process.
    pub tgid: Tgid,
    /// Who called fork, vfork or clone.
    pub parent_tid: Tid,
    /// Its process.
    pub parent_tgid: Tgid,
    /// The child's id in its own pid namespace, if known.
    pub ns_tid: Option<u32>,
    /// The child's name, NUL-padded.
    pub comm: [u8; 16],
}

/// A followed process runs a new program.
#[derive(Clone, Copy, Debug)]
pub struct TaskExec<'a> {
    /// CLOCK_MONOTONIC, ns.
    pub ts_ns: u64,
    /// The thread after the exec (the process's leader).
    pub tid: Tid,
    /// The process.
    pub tgid: Tgid,
    /// The thread that called.
    pub old_tid: Tid,
    /// The new name, NUL-padded.
    pub comm: [u8; 16],
    /// The command line, NUL-separated.
    pub cmdline: &'a [u8],
    /// More of it followed.
    pub cmdline_cut: bool,
}

/// A followed thread ended.
#[derive(Clone, Copy, Debug)]
pub struct TaskExit {
    /// CLOCK_MONOTONIC, ns.
    pub ts_ns: u64,
    /// The thread.
    pub tid: Tid,
    /// Its process.
    pub tgid: Tgid,
    /// As wait(2) gives it.
    pub wait_status: u32,
    /// No thread of the process is left.
    pub last_of_process: bool,
    /// Its name at the end, NUL-padded.
    pub comm: [u8; 16],
}

/// A signal reached a followed thread.
#[derive(Clone, Copy, Debug)]
pub struct SignalDelivered {
    /// The signal, and the union of its siginfo.
    pub raw: SignalRaw,
    /// Who received it.
    pub tid: Tid,
    /// Its process.
    pub tgid: Tgid,
}
