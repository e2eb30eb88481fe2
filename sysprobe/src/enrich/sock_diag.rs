//! TCP sockets as the kernel lists them (sock_diag(7)), of the network namespace that the calling thread is in.

use std::io;
use std::net::SocketAddr;

use netlink_packet_core::{NLM_F_DUMP, NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload};
use netlink_packet_sock_diag::SockDiagMessage;
use netlink_packet_sock_diag::constants::{AF_INET, AF_INET6, IPPROTO_TCP, TCP_LISTEN};
use netlink_packet_sock_diag::inet::{ExtensionFlags, InetRequest, InetResponseHeader, SocketId, StateFlags};
use netlink_sys::Socket;
use netlink_sys::protocols::NETLINK_SOCK_DIAG;

/// Bytes asked for at once: the kernel fills at most 32 KiB.
const BUFFER_BYTES: usize = 64 * 1024;
/// Sockets taken of one namespace.
const MAX_SOCKETS: usize = 65_536;

/// A TCP socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiagSocket {
    /// Its own address.
    pub local: SocketAddr,
    /// Its peer's.
    pub peer: SocketAddr,
    /// The inode of its descriptors; 0: it has none, as a connection that nobody has accepted yet.
    pub inode: u32,
    /// The kernel's number for it, never given twice; not every listing tells it.
    pub cookie: Option<u64>,
    /// Bytes received that nobody has read, and one more while the peer's end has not been read (`Recv-Q` of ss(8)).
    pub unread: u32,
}

/// What there is.
#[derive(Debug, Default)]
pub struct Listing {
    /// Sockets in CLOSE_WAIT.
    pub close_wait: Vec<DiagSocket>,
    /// Listening sockets.
    pub listening: Vec<DiagSocket>,
    /// There are more.
    pub cut: bool,
}

/// Lists the sockets in CLOSE_WAIT and the listening ones.
///
/// # Errors
/// When the kernel does not list them.
pub fn list() -> io::Result<Listing> {
    let mut listing = Listing::default();
    for (family, id) in [(AF_INET, SocketId::new_v4()), (AF_INET6, SocketId::new_v6())] {
        list_family(family, id, &mut listing)?;
    }
    Ok(listing)
}

fn list_family(family: u8, socket_id: SocketId, listing: &mut Listing) -> io::Result<()> {
    let mut socket = Socket::new(NETLINK_SOCK_DIAG)?;
    socket.bind_auto()?;
    socket.connect(&netlink_sys::SocketAddr::new(0, 0))?;
    let mut header = NetlinkHeader::default();
    header.flags = NLM_F_REQUEST | NLM_F_DUMP;
    let request = InetRequest {
        family,
        protocol: IPPROTO_TCP,
        extensions: ExtensionFlags::empty(),
        states: StateFlags::CLOSE_WAIT | StateFlags::LISTEN,
        socket_id,
    };
    let mut message = NetlinkMessage::new(header, SockDiagMessage::InetRequest(request).into());
    message.finalize();
    let mut bytes = vec![0; message.buffer_len()];
    message.serialize(&mut bytes);
    socket.send(&bytes, 0)?;
    let mut buffer = Vec::with_capacity(BUFFER_BYTES);
    loop {
        buffer.clear();
        socket.recv(&mut buffer, 0)?;
        if !take(&buffer, listing)? {
            return Ok(());
        }
        if listing.close_wait.len() + listing.listening.len() >= MAX_SOCKETS {
            listing.cut = true;
            return Ok(());
        }
    }
}

/// Takes the messages of one answer; `false` after the last.
fn take(answer: &[u8], listing: &mut Listing) -> io::Result<bool> {
    let mut at = 0;
    while let Some(rest) = answer.get(at..).filter(|rest| !rest.is_empty()) {
        let message = NetlinkMessage::<SockDiagMessage>::deserialize(rest)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
        match message.payload {
            NetlinkPayload::InnerMessage(SockDiagMessage::InetResponse(response)) => {
                let socket = socket(&response.header);
                let list =
                    if response.header.state == TCP_LISTEN { &mut listing.listening } else { &mut listing.close_wait };
                list.push(socket);
            }
            NetlinkPayload::Done(_) => return Ok(false),
            NetlinkPayload::Error(error) => return Err(error.to_io()),
            _ => {}
        }
        // Messages are padded to 4 bytes.
        let length = usize::try_from(message.header.length).unwrap_or(0).next_multiple_of(4);
        if length == 0 {
            break;
        }
        at = at.saturating_add(length);
    }
    Ok(true)
}

fn socket(header: &InetResponseHeader) -> DiagSocket {
    let id = &header.socket_id;
    DiagSocket {
        local: SocketAddr::new(id.source_address, id.source_port),
        peer: SocketAddr::new(id.destination_address, id.destination_port),
        inode: header.inode,
        cookie: Some(u64::from_ne_bytes(id.cookie)),
        unread: header.recv_queue,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsRawFd as _;
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::*;

    fn inode_of(fd: i32) -> u32 {
        let link = std::fs::read_link(format!("/proc/self/fd/{fd}")).unwrap();
        link.to_str().unwrap().trim_start_matches("socket:[").trim_end_matches(']').parse().unwrap()
    }

    fn find(inode: u32) -> Option<DiagSocket> {
        list().unwrap().close_wait.into_iter().find(|socket| socket.inode == inode)
    }

    fn found(inode: u32) -> DiagSocket {
        let start = Instant::now();
        loop {
            match find(inode) {
                Some(socket) => return socket,
                None => assert!(start.elapsed() < Duration::from_secs(20), "not in CLOSE_WAIT"),
            }
        }
    }

    /// The kernel counts the peer's end as a byte of the queue until it is read.
    #[test]
    fn an_end_that_was_not_read_is_one_unread_byte() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(server) = TcpListener::bind(address) else { continue };
            let client = TcpStream::connect(server.local_addr().unwrap()).unwrap();
            let (mut accepted, peer) = server.accept().unwrap();
            drop(client);
            let inode = inode_of(accepted.as_raw_fd());
            let socket = found(inode);
            assert_eq!((socket.unread, socket.peer, socket.local), (1, peer, server.local_addr().unwrap()));
            assert_eq!(accepted.read(&mut [0; 8]).unwrap(), 0);
            assert_eq!(found(inode).unread, 0);
            drop(accepted);
            assert_eq!(find(inode), None);
        }
    }

    proptest! {
        #[test]
        fn any_answer_is_survived(bytes in prop::collection::vec(any::<u8>(), 0..300), length in 0u32..80) {
            let mut bytes = bytes;
            if bytes.len() >= 6 {
                bytes[..4].copy_from_slice(&length.to_ne_bytes());
                bytes[4..6].copy_from_slice(&20u16.to_ne_bytes());
            }
            let _ = take(&bytes, &mut Listing::default());
        }
    }
}
