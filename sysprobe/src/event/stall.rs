//! Waits in uninterruptible sleep (D): a task as one look found it, and the end of a long wait.

use sysprobe_common::event::{
    FLAG_KTHREAD, LockRaw, STATE_FROZEN, STATE_WAKEKILL, TaskWaitRaw, is_blocked, lock_flags,
};

use super::{Tgid, Tid};

/// The kind of lock that is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockKind {
    /// A mutex.
    Mutex,
    /// A reader-writer semaphore, wanted for reading.
    RwsemRead,
    /// A reader-writer semaphore, wanted for writing.
    RwsemWrite,
    /// A per-CPU reader-writer semaphore: nobody's name stands in it.
    PercpuRwsem,
    /// A counting semaphore.
    Semaphore,
    /// A real-time mutex.
    RtMutex,
}

impl LockKind {
    fn of(flags: u32) -> Self {
        if flags & lock_flags::PERCPU != 0 {
            Self::PercpuRwsem
        } else if flags & lock_flags::RT != 0 {
            Self::RtMutex
        } else if flags & lock_flags::MUTEX != 0 {
            Self::Mutex
        } else if flags & lock_flags::WRITE != 0 {
            Self::RwsemWrite
        } else if flags & lock_flags::READ != 0 {
            Self::RwsemRead
        } else {
            Self::Semaphore
        }
    }

    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mutex => "mutex",
            Self::RwsemRead => "reader-writer semaphore (to read)",
            Self::RwsemWrite => "reader-writer semaphore (to write)",
            Self::PercpuRwsem => "per-CPU reader-writer semaphore",
            Self::Semaphore => "semaphore",
            Self::RtMutex => "real-time mutex",
        }
    }
}

/// A lock that a task waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lock {
    /// Its kernel address.
    pub address: u64,
    /// Its kind.
    pub kind: LockKind,
    /// The thread whose name stands in it, and its process.
    pub owner: Option<(Tid, Tgid)>,
    /// Readers hold it; `owner` is one of them at most, and may have let go.
    pub by_readers: bool,
    /// `owner` only held it last.
    pub last_holder: bool,
    /// It keeps writers off a frozen file system: that one's device, major and minor.
    pub frozen: Option<(u32, u32)>,
}

impl Lock {
    /// The lock of a record, if there is one.
    pub(crate) fn of(raw: &LockRaw) -> Option<Self> {
        (raw.address != 0).then(|| Self {
            address: raw.address,
            kind: LockKind::of(raw.flags),
            owner: (raw.owner_tid != 0).then_some((Tid(raw.owner_tid), Tgid(raw.owner_tgid))),
            by_readers: raw.by_readers != 0,
            last_holder: raw.flags & lock_flags::LAST_HOLDER != 0,
            // `MAJOR` and `MINOR` (include/linux/kdev_t.h).
            frozen: (raw.frozen_dev != 0).then_some((raw.frozen_dev >> 20, raw.frozen_dev & 0xf_ffff)),
        })
    }
}

/// What a task does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskState(pub u32);

impl TaskState {
    /// It is in uninterruptible sleep for something, or frozen; an idle kernel thread is not.
    pub fn is_blocked(self) -> bool {
        is_blocked(self.0)
    }

    /// A fatal signal ends the sleep.
    pub fn is_killable(self) -> bool {
        self.0 & STATE_WAKEKILL != 0
    }

    /// It is in the cgroup freezer.
    pub fn is_frozen(self) -> bool {
        self.0 & STATE_FROZEN != 0
    }

    /// The letter as ps shows it.
    pub fn letter(self) -> char {
        match self.0 {
            0 => 'R',
            state if is_blocked(state) => 'D',
            state if state & 0x1 != 0 => 'S',
            state if state & 0x4 != 0 => 'T',
            state if state & 0x8 != 0 => 't',
            state if state & 0x20 != 0 => 'Z',
            state if state & 0x2 != 0 => 'I',
            _ => 'X',
        }
    }
}

/// The call that a task is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallNow {
    /// Its number, in the 64-bit table unless `compat`.
    pub nr: u32,
    /// It came by the 32-bit table.
    pub compat: bool,
    /// The arguments.
    pub args: [u64; 6],
}

/// A task as one look found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskWait {
    /// The thread.
    pub tid: Tid,
    /// Its process.
    pub tgid: Tgid,
    /// Its parent process.
    pub ppid: Tgid,
    /// Its name, NUL-padded.
    pub comm: [u8; 16],
    /// It is a kernel thread.
    pub kthread: bool,
    /// When the thread was born, CLOCK_BOOTTIME ns.
    pub start_ns: u64,
    /// What it does.
    pub state: TaskState,
    /// When it went to sleep, CLOCK_MONOTONIC ns; `None` if nobody watched then, or it is not in D.
    pub since_ns: Option<u64>,
    /// When it was looked at.
    pub seen_ns: u64,
    /// Context switches so far.
    pub switches: u64,
    /// The call it is in.
    pub call: Option<CallNow>,
    /// The lock it waits for.
    pub lock: Option<Lock>,
    /// Kernel return addresses, innermost first.
    pub kernel: Vec<u64>,
    /// User return addresses, innermost first; empty if they were not taken.
    pub user: Vec<u64>,
}

impl TaskWait {
    /// Decodes one record of the task iterator; `None` for one that is too short.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.get(..size_of::<TaskWaitRaw>())?;
        // SAFETY: there are as many bytes as the record has, it holds only integers, and it is read unaligned.
        let raw = unsafe { bytes.as_ptr().cast::<TaskWaitRaw>().read_unaligned() };
        let nr = u32::try_from(raw.nr).ok();
        Some(Self {
            tid: Tid(raw.tid),
            tgid: Tgid(raw.tgid),
            ppid: Tgid(raw.ppid),
            comm: raw.comm,
            kthread: raw.flags & FLAG_KTHREAD != 0,
            start_ns: raw.start_ns,
            state: TaskState(raw.state),
            since_ns: (raw.since_ns != 0).then_some(raw.since_ns),
            seen_ns: raw.seen_ns,
            switches: raw.switches,
            call: nr.map(|nr| CallNow { nr, compat: raw.compat != 0, args: raw.args }),
            lock: Lock::of(&raw.lock),
            kernel: first(&raw.kernel, raw.kernel_len),
            user: first(&raw.user, raw.user_len),
        })
    }
}

/// A wait in D beyond the threshold that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StallEnd {
    /// The thread.
    pub tid: Tid,
    /// Its process.
    pub tgid: Tgid,
    /// Its name, NUL-padded.
    pub comm: [u8; 16],
    /// It is a kernel thread.
    pub kthread: bool,
    /// What it did.
    pub state: TaskState,
    /// When it went to sleep, CLOCK_MONOTONIC ns.
    pub since_ns: u64,
    /// When it was woken.
    pub woken_ns: u64,
    /// The lock it waited for.
    pub lock: Option<Lock>,
    /// The thread that was running where it was woken, and its process; `None` for an idle CPU.
    pub waker: Option<(Tid, Tgid)>,
    /// That thread's name, NUL-padded.
    pub waker_comm: [u8; 16],
    /// Kernel return addresses, innermost first.
    pub kernel: Vec<u64>,
    /// User return addresses, innermost first.
    pub user: Vec<u64>,
}

/// The frames of a stack that are there.
pub(crate) fn first(frames: &[u64], len: u32) -> Vec<u64> {
    frames.iter().copied().take(len as usize).filter(|address| *address != 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_record_is_refused_and_lengths_are_not_trusted() {
        assert_eq!(TaskWait::decode(&vec![0; size_of::<TaskWaitRaw>() - 1]), None);
        let task = TaskWait::decode(&vec![0xff; size_of::<TaskWaitRaw>()]).unwrap();
        assert!(task.kernel.len() <= sysprobe_common::limits::KERNEL_FRAMES && task.call.is_none());
    }

    #[test]
    fn states_read_as_ps_shows_them() {
        for (state, letter) in [(0, 'R'), (1, 'S'), (2, 'D'), (0x102, 'D'), (0x402, 'I'), (0x8000, 'D'), (4, 'T')] {
            assert_eq!(TaskState(state).letter(), letter, "{state:#x}");
        }
    }
}
