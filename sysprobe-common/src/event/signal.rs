//! A signal delivered to a followed thread.

use super::EventHeader;

/// A delivered signal. `header.tid` received it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct SignalRaw {
    /// Kind `SIGNAL`.
    pub header: EventHeader,
    /// The signal's number.
    pub signo: i32,
    /// `si_errno`.
    pub errno: i32,
    /// `si_code`.
    pub code: i32,
    /// Zero.
    pub pad: u32,
    /// The union of `siginfo_t` from its 16th byte (`si_pid`, `si_uid`, `si_status` or `si_addr`, sigaction(2)).
    pub fields: [u8; 32],
}

const _: () = assert!(size_of::<SignalRaw>() == 24 + 16 + 32);
