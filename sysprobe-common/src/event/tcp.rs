//! TCP connections in CLOSE_WAIT: the keys of the rows that the state probe keeps. There is no record: user space looks them up.

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

const _: () = assert!(size_of::<ConnectionRaw>() == 40);
