//! TCP connections in CLOSE_WAIT: the rows that the state probe keeps. There is no record: user space looks them up.

use crate::limits::USER_FRAMES;

/// What tells a connection from all others. Ports in host order; addresses as on the wire, an IPv4 one in the first 4 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ConnectionRaw {
    /// The network namespace's inode number.
    pub net: u32,
    /// Local port.
    pub local_port: u16,
    /// Peer's port.
    pub peer_port: u16,
    /// Local address.
    pub local: [u8; 16],
    /// Peer's address.
    pub peer: [u8; 16],
}

/// A row of the `CLOSE_WAITS` map: a connection whose peer has closed it, by [`ConnectionRaw`].
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CloseWaitRaw {
    /// CLOCK_MONOTONIC when the peer's end arrived.
    pub since_ns: u64,
    /// The `sock`'s kernel address, a key of the `OPENED` map.
    pub sock: u64,
}

/// A row of the `OPENED` map: who connected a socket, by the `sock`'s kernel address.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct OpenedRaw {
    /// CLOCK_MONOTONIC when it was connected.
    pub at_ns: u64,
    /// The process that connected it.
    pub tgid: u32,
    /// Frames in `user`.
    pub user_len: u32,
    /// User frames, innermost first.
    pub user: [u64; USER_FRAMES],
}

const _: () = assert!(size_of::<ConnectionRaw>() == 40);
const _: () = assert!(size_of::<CloseWaitRaw>() == 16);
const _: () = assert!(size_of::<OpenedRaw>() == 16 + 8 * USER_FRAMES);
