//! What a file descriptor stands for: sent once a file, referred to by key from the calls.

use super::EventHeader;

/// Identity of an open file as far as its description goes: same key, same description.
///
/// For a path: the dentry, and its name's hash and length with the deleted bit. For a socket: the `sock`, and its addresses folded.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FileKeyRaw {
    /// A kernel address, used only as a name.
    pub object: u64,
    /// What distinguishes reuse of that address.
    pub version: u64,
}

/// How a [`FileRaw`] is described.
pub mod file_kind {
    /// Path components follow, innermost first, each NUL-terminated; `mode` tells the type.
    pub const PATH: u32 = 1;
    /// A [`super::SocketRaw`] follows, then the path of a unix socket if bound (an abstract name begins with NUL).
    pub const SOCKET: u32 = 2;
    /// A file of no mounted tree (pipe, anonymous inode, memfd): its dentry name follows, `magic` tells which.
    pub const ANONYMOUS: u32 = 3;
}

/// A description. The payload follows, up to the header's `len`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct FileRaw {
    /// Kind `FILE`.
    pub header: EventHeader,
    /// What this describes.
    pub key: FileKeyRaw,
    /// Inode number.
    pub inode: u64,
    /// `s_magic` of the file system.
    pub magic: u64,
    /// One of [`file_kind`].
    pub kind: u32,
    /// `i_mode`.
    pub mode: u32,
    /// `i_rdev` of a device node, in the kernel's encoding (major << 20 | minor).
    pub rdev: u32,
    /// 1: unlinked. 2: the path is cut at the root end (too deep).
    pub flags: u32,
}

impl FileRaw {
    /// In `flags`: unlinked.
    pub const DELETED: u32 = 1;
    /// In `flags`: the path is cut at the root end.
    pub const CUT: u32 = 2;
}

/// A socket's addresses. Ports in host order; addresses as on the wire; an IPv4 address fills the first 4 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct SocketRaw {
    /// `AF_*`.
    pub family: u16,
    /// `SOCK_*`.
    pub sock_type: u16,
    /// `IPPROTO_*`, or the netlink protocol.
    pub protocol: u16,
    /// `skc_state` (TCP states of include/net/tcp_states.h).
    pub state: u16,
    /// Local port.
    pub local_port: u16,
    /// Peer's port, 0 if not connected.
    pub peer_port: u16,
    /// Zero.
    pub pad: u32,
    /// Local address.
    pub local: [u8; 16],
    /// Peer's address.
    pub peer: [u8; 16],
}

const _: () = assert!(size_of::<FileKeyRaw>() == 16);
const _: () = assert!(size_of::<FileRaw>() == 24 + 16 + 16 + 16);
const _: () = assert!(size_of::<SocketRaw>() == 16 + 32);
