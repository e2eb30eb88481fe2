//! The typed model of kernel events: what the rest of the crate sees, never raw bytes.
//!
//! Events borrow from the ring's bytes where they can; a consumer that keeps one copies what it needs.

mod capture;
mod exit;
mod oom;
mod stall;
mod syscall;
mod task;

pub use capture::{Capture, CaptureKind, CaptureStatus, Captures, Phase};
pub use exit::{Ending, ProcessExit, SignalSent};
pub use oom::{CgroupLevel, MemorySplit, OomKill, ProcessMemory};
pub(crate) use stall::first;
pub use stall::{CallNow, Lock, LockKind, StallEnd, TaskState, TaskWait};
pub use syscall::{Abi, CallEnd, Syscall, WaitSplit};
pub use task::{Event, FileDescription, SignalDelivered, TaskExec, TaskExit, TaskFork};

/// A thread id in the initial pid namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tid(pub u32);

/// A NUL-padded name of the kernel's, up to its first NUL.
pub fn padded_text(name: &[u8]) -> String {
    String::from_utf8_lossy(name.split(|b| *b == 0).next().unwrap_or_default()).into_owned()
}

/// A process id (thread group id) in the initial pid namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tgid(pub u32);
