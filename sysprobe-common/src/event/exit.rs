//! Abnormal ends of processes, and the deadly signals that are remembered to explain them.

use super::EventHeader;

/// The `flags` of a [`SignalSentRaw`].
pub mod sent_flags {
    /// The kernel sent it, not the thread that was running.
    pub const BY_KERNEL: u32 = 1;
    /// The thread that was running was itself ending (a parent's death, a session leader's end).
    pub const SENDER_ENDING: u32 = 1 << 1;
}

/// A row of the `SIGNALLED` map: the last deadly signal that a process was sent, by process id.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SignalSentRaw {
    /// CLOCK_MONOTONIC when it was sent.
    pub sent_ns: u64,
    /// CLOCK_MONOTONIC when it was first asked to end by `SIGTERM`; 0: it was not.
    pub asked_ns: u64,
    /// CLOCK_BOOTTIME when the process sent to was born: process ids are reused.
    pub target_start_ns: u64,
    /// `si_addr` of a fault that the kernel reports.
    pub address: u64,
    /// The signal's number.
    pub signo: i32,
    /// `si_code`.
    pub code: i32,
    /// [`sent_flags`].
    pub flags: u32,
    /// The process that was running: the sender, or with `BY_KERNEL` the one on whose account the kernel acted, or a bystander.
    pub tgid: u32,
    /// Its thread.
    pub tid: u32,
    /// Its real user id.
    pub uid: u32,
    /// Its parent process.
    pub parent_tgid: u32,
    /// Zero.
    pub pad: u32,
    /// Its name, NUL-padded.
    pub comm: [u8; 16],
    /// Its parent's name, NUL-padded.
    pub parent_comm: [u8; 16],
}

/// The last thread of a process that ended abnormally is gone. `header.tgid` is the process.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ProcessExitRaw {
    /// Kind `PROCESS_EXIT`.
    pub header: EventHeader,
    /// CLOCK_BOOTTIME when the process was born.
    pub start_ns: u64,
    /// How long it lived.
    pub lived_ns: u64,
    /// The most memory it had resident, in pages; 0: not known.
    pub max_rss_pages: u64,
    /// As `wait(2)` gives it: exit status << 8, or the signal, with 0x80 for a core dump.
    pub wait_status: u32,
    /// Its real user id.
    pub uid: u32,
    /// Its parent process.
    pub ppid: u32,
    /// Zero.
    pub pad: u32,
    /// Its leader's name, NUL-padded.
    pub comm: [u8; 16],
    /// The signal that killed it; `signo` 0: nobody saw it being sent.
    pub sent: SignalSentRaw,
}

const _: () = assert!(size_of::<SignalSentRaw>() == 32 + 32 + 32);
const _: () = assert!(size_of::<ProcessExitRaw>() == 24 + 24 + 16 + 16 + 96);
