//! Waits in uninterruptible sleep (D): the rows kept while they last, what a look at a task shows, and their ends.

use super::EventHeader;
use crate::limits::{KERNEL_FRAMES, USER_FRAMES};

/// `TASK_UNINTERRUPTIBLE` (include/linux/sched.h), the same on every kernel since 2.6.
pub const STATE_UNINTERRUPTIBLE: u32 = 0x2;
/// `TASK_WAKEKILL`: a fatal signal ends the wait (`TASK_KILLABLE`).
pub const STATE_WAKEKILL: u32 = 0x100;
/// `TASK_NOLOAD`: an idle kernel thread, not a wait for anything.
pub const STATE_NOLOAD: u32 = 0x400;
/// `TASK_FROZEN`: in the cgroup freezer (6.1 and later; before that it is plain uninterruptible sleep).
pub const STATE_FROZEN: u32 = 0x8000;
/// `PF_KTHREAD` (include/linux/sched.h).
pub const FLAG_KTHREAD: u32 = 0x0020_0000;

/// Whether a task in `state` is blocked: in uninterruptible sleep for something, or frozen.
#[inline(always)]
pub const fn is_blocked(state: u32) -> bool {
    (state & STATE_UNINTERRUPTIBLE != 0 && state & STATE_NOLOAD == 0) || state & STATE_FROZEN != 0
}

/// The `flags` of `lock:contention_begin` (include/trace/events/lock.h).
pub mod lock_flags {
    /// A spinning lock: nobody sleeps for it.
    pub const SPIN: u32 = 1;
    /// Wanted for reading.
    pub const READ: u32 = 2;
    /// Wanted for writing.
    pub const WRITE: u32 = 4;
    /// A real-time mutex.
    pub const RT: u32 = 8;
    /// A per-CPU reader-writer semaphore.
    pub const PERCPU: u32 = 16;
    /// A mutex.
    pub const MUTEX: u32 = 32;
    /// Not from the tracepoint: the task's own `blocker` field named the lock.
    pub const BY_BLOCKER: u32 = 1 << 30;
    /// Not from the tracepoint: the kernel remembers only who held it last (`semaphore.last_holder`).
    pub const LAST_HOLDER: u32 = 1 << 31;
}

/// A row of the `BLOCKED` map: a thread in D, by thread id.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct BlockedRaw {
    /// CLOCK_MONOTONIC when it went to sleep.
    pub since_ns: u64,
    /// `task_struct.__state`.
    pub state: u32,
    /// Frames in `user`; 0 where they were not taken.
    pub user_len: u32,
    /// User frames, innermost first.
    pub user: [u64; USER_FRAMES],
}

/// A row of the `CONTENDED` map: the lock a thread waits for, by thread id.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContendedRaw {
    /// The lock's kernel address.
    pub lock: u64,
    /// [`lock_flags`].
    pub flags: u32,
    /// Zero.
    pub pad: u32,
}

/// What is known of the lock a task waits for.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LockRaw {
    /// The lock's kernel address; 0: none.
    pub address: u64,
    /// [`lock_flags`].
    pub flags: u32,
    /// The holder's thread id; 0: not known.
    pub owner_tid: u32,
    /// The holder's process id.
    pub owner_tgid: u32,
    /// 1: the owner word says that readers hold it; the holder is the last that took it, if one is named.
    pub by_readers: u32,
    /// The `dev_t` of the file system that is frozen by this lock (its major number above 20 bits of minor); 0: none.
    pub frozen_dev: u32,
    /// Zero.
    pub pad: u32,
}

/// A task as one look at it found it. Written by the task iterator.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TaskWaitRaw {
    /// CLOCK_MONOTONIC when it went to sleep; 0: before anybody watched, or it is not in D.
    pub since_ns: u64,
    /// CLOCK_MONOTONIC of the look.
    pub seen_ns: u64,
    /// CLOCK_BOOTTIME when the thread was born.
    pub start_ns: u64,
    /// Context switches so far: unchanged between two looks means that it slept in between.
    pub switches: u64,
    /// The lock it waits for.
    pub lock: LockRaw,
    /// The system call's arguments, if `nr` is one.
    pub args: [u64; 6],
    /// The system call it is in; -1: none, or not known.
    pub nr: i64,
    /// The thread.
    pub tid: u32,
    /// Its process.
    pub tgid: u32,
    /// Its parent process.
    pub ppid: u32,
    /// `task_struct.__state`.
    pub state: u32,
    /// `task_struct.flags` (`PF_*`).
    pub flags: u32,
    /// 1: the call came by the 32-bit table.
    pub compat: u32,
    /// Frames in `kernel`.
    pub kernel_len: u32,
    /// Frames in `user`.
    pub user_len: u32,
    /// The name, NUL-padded.
    pub comm: [u8; 16],
    /// Kernel frames, innermost first.
    pub kernel: [u64; KERNEL_FRAMES],
    /// User frames, innermost first.
    pub user: [u64; USER_FRAMES],
}

/// A wait in D that lasted longer than the threshold ended. `header.tid` slept; `header.ts_ns` is when it was woken.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct StallEndRaw {
    /// Kind `STALL_END`.
    pub header: EventHeader,
    /// CLOCK_MONOTONIC when it went to sleep.
    pub since_ns: u64,
    /// The lock it waited for.
    pub lock: LockRaw,
    /// `task_struct.__state` while it slept.
    pub state: u32,
    /// `task_struct.flags` (`PF_*`).
    pub task_flags: u32,
    /// The thread that was running where it was woken; 0: an idle CPU. With an interrupt's end it is a bystander.
    pub waker_tid: u32,
    /// Its process.
    pub waker_tgid: u32,
    /// Frames in `kernel`.
    pub kernel_len: u32,
    /// Frames in `user`.
    pub user_len: u32,
    /// The sleeper's name, NUL-padded.
    pub comm: [u8; 16],
    /// The waker's name, NUL-padded.
    pub waker_comm: [u8; 16],
    /// Kernel frames while it slept, innermost first.
    pub kernel: [u64; KERNEL_FRAMES],
    /// User frames, innermost first.
    pub user: [u64; USER_FRAMES],
}

const _: () = assert!(size_of::<BlockedRaw>() == 16 + 8 * USER_FRAMES);
const _: () = assert!(size_of::<ContendedRaw>() == 16);
const _: () = assert!(size_of::<LockRaw>() == 32);
const _: () = assert!(size_of::<TaskWaitRaw>() == 32 + 32 + 48 + 8 + 32 + 16 + 8 * (KERNEL_FRAMES + USER_FRAMES));
const _: () = assert!(size_of::<StallEndRaw>() == 24 + 8 + 32 + 24 + 32 + 8 * (KERNEL_FRAMES + USER_FRAMES));
