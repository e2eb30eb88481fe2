//! Stacks in every form people paste, one `TaskStack` a task.
//!
//! `frames` reads one line's frames, `tasks` reads the lines that introduce a task, `assemble` puts them together as
//! lines arrive and decides where one task ends. Nothing here judges what a task waits for.

mod assemble;
mod frames;
mod tasks;

pub use assemble::{Assembler, Mode};
pub use frames::{FrameLine, is_outermost, parse_frames};
pub use tasks::{Blocker, Header, LockKind, parse_blocker, parse_header};

use super::frame::Frame;

/// How a task came to be listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// The kernel's hung-task check reported it.
    HungTask,
    /// A header with a state named it (sysrq-w, sysrq-t, crash, ps, `/proc/PID/status`).
    Listed,
    /// Frames with no header.
    #[default]
    Bare,
}

/// One task and its kernel stack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskStack {
    /// How it came to be listed.
    pub origin: Origin,
    /// The command name.
    pub comm: Option<String>,
    /// The thread id.
    pub tid: Option<u32>,
    /// The process id, where the report prints it.
    pub tgid: Option<u32>,
    /// The parent's id.
    pub ppid: Option<u32>,
    /// The state letter.
    pub state: Option<char>,
    /// For how long it has been blocked at least, seconds.
    pub blocked_for_s: Option<u64>,
    /// The work item a kworker runs: the queue and the function.
    pub workqueue: Option<String>,
    /// The kernel release the report names.
    pub kernel: Option<String>,
    /// Frames the unwinder vouches for, innermost first.
    pub frames: Vec<Frame>,
    /// Frames marked `?`: return addresses found on the stack, maybe stale.
    pub unreliable: Vec<Frame>,
    /// User frames, innermost first.
    pub user: Vec<String>,
    /// Who the kernel says holds the lock this task wants.
    pub blocker: Option<Blocker>,
    /// The stamp of its first line, as printed.
    pub time: Option<String>,
    /// The host of its first line.
    pub host: Option<String>,
    /// The number of its first line, from 1.
    pub line: u64,
}

impl TaskStack {
    /// Whether any frame was read.
    pub fn has_frames(&self) -> bool {
        !self.frames.is_empty() || !self.unreliable.is_empty()
    }

    /// `comm[tid]` with what is known; for messages, not yet safe for a terminal.
    pub fn title(&self) -> String {
        match (self.comm.as_deref(), self.tid) {
            (Some(comm), Some(tid)) => format!("{comm}[{tid}]"),
            (Some(comm), None) => comm.to_owned(),
            (None, Some(tid)) => format!("task {tid}"),
            (None, None) => "a task".to_owned(),
        }
    }
}
