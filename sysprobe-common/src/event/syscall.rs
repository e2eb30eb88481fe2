//! A system call of a followed thread, with what was captured of its arguments.
//!
//! The fixed part is followed by captures, each a [`CaptureRaw`] and its payload, padded to 8 bytes, up to the header's `len`.

use super::EventHeader;

/// The thread ended inside the call: `ret` means nothing.
pub const SYSCALL_UNFINISHED: u16 = 1;
/// The call began before sysprobe attached: `start_ns` is when it did.
pub const SYSCALL_BEFORE_ATTACH: u16 = 1 << 1;
/// The call came by the 32-bit table: `nr` is an i386 number.
pub const SYSCALL_COMPAT: u16 = 1 << 2;

/// The fixed part of a call's record. `header.ts_ns` is its end.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct SyscallRaw {
    /// Kind `SYSCALL`.
    pub header: EventHeader,
    /// CLOCK_MONOTONIC at entry.
    pub start_ns: u64,
    /// The result; -1 to -4095 are errors.
    pub ret: i64,
    /// Of the duration, waiting for a CPU.
    pub runnable_ns: u64,
    /// Of the duration, in uninterruptible sleep (D).
    pub blocked_ns: u64,
    /// Of the duration, in interruptible sleep.
    pub sleeping_ns: u64,
    /// The arguments as the registers held them.
    pub args: [u64; 6],
    /// The call's number.
    pub nr: u32,
    /// Zero.
    pub pad: u32,
}

/// What a capture's payload is.
pub mod capture {
    /// The bytes an op asked for (`STRING`: without the NUL).
    pub const DATA: u8 = 1;
    /// A [`super::super::FileKeyRaw`]: the file behind fd argument `arg`, the result ([`ARG_RET`]), or element `elem` of a pair.
    pub const FILE: u8 = 2;
    /// Bytes of element `elem` of an iovec or string array.
    pub const ELEMENT: u8 = 3;
    /// The `sockaddr` a `msghdr` points to.
    pub const NAME: u8 = 4;
    /// The `iovec` array a `msghdr` points to, as captured (at most `MAX_IOVECS`).
    pub const IOVECS: u8 = 5;
    /// A `u64`: how many pointers an array holds before its null.
    pub const COUNT: u8 = 6;
    /// The new image's command line, NUL-separated (`execve` that succeeded).
    pub const CMDLINE: u8 = 7;

    /// In `arg`: the call's result.
    pub const ARG_RET: u8 = 6;
}

/// How a capture went.
pub mod status {
    /// All of it.
    pub const WHOLE: u8 = 0;
    /// The first bytes; more followed.
    pub const CUT: u8 = 1;
    /// The pointer could not be read; no payload.
    pub const UNREADABLE: u8 = 2;
}

/// The head of one capture; the payload follows, padded to 8 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct CaptureRaw {
    /// The argument (0 to 5) or [`capture::ARG_RET`].
    pub arg: u8,
    /// One of [`capture`].
    pub kind: u8,
    /// One of [`status`].
    pub status: u8,
    /// `plan::PHASE_ENTER` or `plan::PHASE_EXIT`.
    pub phase: u8,
    /// Bytes of payload, padding left out.
    pub len: u16,
    /// Which element of an array.
    pub elem: u16,
}

const _: () = assert!(size_of::<SyscallRaw>() == 24 + 40 + 48 + 8);
const _: () = assert!(core::mem::offset_of!(SyscallRaw, args) == 64);
const _: () = assert!(size_of::<CaptureRaw>() == 8);
