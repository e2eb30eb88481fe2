//! One system call of a followed thread.

use super::{Captures, Tgid, Tid};

/// Which table a call's number belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Abi {
    /// The 64-bit table.
    X86_64,
    /// The 32-bit table (`int 0x80`, or a 32-bit process).
    I386,
    /// The x32 table: 64-bit numbers with bit 30 set, taken off here.
    X32,
}

/// How a call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallEnd {
    /// It returned this value; -1 to -4095 are errors (-512 and around: restarts that user space never sees).
    Returned(i64),
    /// The thread ended inside it.
    Unfinished,
    /// It has not returned yet.
    InProgress,
}

/// Where a call's time went, in ns. The four add up to the duration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitSplit {
    /// On a CPU.
    pub running_ns: u64,
    /// Ready, waiting for a CPU.
    pub runnable_ns: u64,
    /// In uninterruptible sleep (D).
    pub blocked_ns: u64,
    /// In interruptible sleep.
    pub sleeping_ns: u64,
}

/// One system call.
#[derive(Clone, Copy, Debug)]
pub struct Syscall<'a> {
    /// Who called.
    pub tid: Tid,
    /// Its process.
    pub tgid: Tgid,
    /// Which table `nr` is of.
    pub abi: Abi,
    /// The call's number.
    pub nr: u32,
    /// The argument registers, all six.
    pub args: [u64; 6],
    /// CLOCK_MONOTONIC at entry, in ns.
    pub start_ns: u64,
    /// From entry to end (or to now), in ns.
    pub duration_ns: u64,
    /// The duration, split.
    pub wait: WaitSplit,
    /// The result, if there is one.
    pub end: CallEnd,
    /// The call began before sysprobe attached: the duration is a lower bound.
    pub began_before_attach: bool,
    /// What was captured of the arguments.
    pub captures: Captures<'a>,
}
