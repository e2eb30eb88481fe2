//! Abnormal ends of processes, with the signal that was seen being sent.

use sysprobe_common::event::{ProcessExitRaw, SignalSentRaw, sent_flags};

use super::{Tgid, Tid};

/// The bytes of a page on x86-64.
const PAGE_BYTES: u64 = 4096;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By a signal.
    Killed {
        /// The signal's number.
        signo: i32,
        /// A core was dumped.
        core_dumped: bool,
    },
    /// By itself, with this exit code.
    Exited(u8),
}

/// A deadly signal as it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignalSent {
    /// CLOCK_MONOTONIC ns.
    pub sent_ns: u64,
    /// CLOCK_MONOTONIC ns of the first `SIGTERM`, if there was one.
    pub asked_ns: Option<u64>,
    /// `si_code`.
    pub code: i32,
    /// `si_addr`, where the kernel reports a fault.
    pub address: u64,
    /// The kernel sent it; then the process named here was running, but need not have caused it.
    pub by_kernel: bool,
    /// The process named here was itself ending.
    pub sender_ending: bool,
    /// The process that was running: the sender.
    pub tgid: Tgid,
    /// Its thread.
    pub tid: Tid,
    /// Its real user id.
    pub uid: u32,
    /// Its name, NUL-padded.
    pub comm: [u8; 16],
    /// Its parent.
    pub parent: Tgid,
    /// Its parent's name, NUL-padded.
    pub parent_comm: [u8; 16],
}

/// A process that ended abnormally.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessExit {
    /// The process.
    pub tgid: Tgid,
    /// When it was born, CLOCK_BOOTTIME ns.
    pub start_ns: u64,
    /// When it ended, CLOCK_MONOTONIC ns.
    pub ended_ns: u64,
    /// How long it lived.
    pub lived_ns: u64,
    /// The most memory it had resident.
    pub max_rss_bytes: Option<u64>,
    /// How it ended.
    pub ending: Ending,
    /// Its real user id.
    pub uid: u32,
    /// Its parent.
    pub ppid: Tgid,
    /// Its leader's name, NUL-padded.
    pub comm: [u8; 16],
    /// The signal that killed it; `None` if nobody saw it being sent.
    pub sent: Option<SignalSent>,
}

impl ProcessExit {
    /// The event of a record.
    pub(crate) fn of(raw: &ProcessExitRaw) -> Self {
        let signo = (raw.wait_status & 0x7f) as i32;
        let ending = if signo == 0 {
            Ending::Exited((raw.wait_status >> 8) as u8)
        } else {
            Ending::Killed { signo, core_dumped: raw.wait_status & 0x80 != 0 }
        };
        Self {
            tgid: Tgid(raw.header.tgid),
            start_ns: raw.start_ns,
            ended_ns: raw.header.ts_ns,
            lived_ns: raw.lived_ns,
            max_rss_bytes: Some(raw.max_rss_pages.saturating_mul(PAGE_BYTES)).filter(|bytes| *bytes != 0),
            ending,
            uid: raw.uid,
            ppid: Tgid(raw.ppid),
            comm: raw.comm,
            sent: (raw.sent.signo != 0 && raw.sent.signo == signo).then(|| SignalSent::of(&raw.sent)),
        }
    }
}

impl SignalSent {
    fn of(raw: &SignalSentRaw) -> Self {
        Self {
            sent_ns: raw.sent_ns,
            asked_ns: (raw.asked_ns != 0).then_some(raw.asked_ns),
            code: raw.code,
            address: raw.address,
            by_kernel: raw.flags & sent_flags::BY_KERNEL != 0,
            sender_ending: raw.flags & sent_flags::SENDER_ENDING != 0,
            tgid: Tgid(raw.tgid),
            tid: Tid(raw.tid),
            uid: raw.uid,
            comm: raw.comm,
            parent: Tgid(raw.parent_tgid),
            parent_comm: raw.parent_comm,
        }
    }
}
