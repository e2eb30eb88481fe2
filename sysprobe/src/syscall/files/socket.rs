//! A socket's description to text: `TCP 127.0.0.1:80→127.0.0.1:4242`, `UNIX [42] "/run/x"`, `NETLINK ROUTE [42]`.
//!
//! Forms: connected `local→peer`; listening `local listening`; bound `local`; otherwise the inode, `TCP [42]`.

use std::io::Write;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use sysprobe_common::event::SocketRaw;

use super::describe::BRACKETS;
use crate::syscall::flags::net::DOMAIN;
use crate::syscall::flags::number::write_uint;
use crate::syscall::flags::protocol::NETLINK;
use crate::syscall::flags::write_value;
use crate::syscall::text::write_escaped;

/// `TCP_LISTEN` (include/net/tcp_states.h).
const LISTEN: u16 = 10;

/// Appends the text of the socket in `payload` (a [`SocketRaw`], then a unix socket's name).
pub(super) fn describe(text: &mut Vec<u8>, inode: u64, payload: &[u8]) {
    let Some((socket, name)) = parse(payload) else {
        super::describe::numbered(text, b"socket", inode);
        return;
    };
    match i32::from(socket.family) {
        libc::AF_INET | libc::AF_INET6 => inet(text, &socket, inode),
        libc::AF_UNIX => unix(text, &socket, inode, name),
        libc::AF_NETLINK => {
            text.extend_from_slice(b"NETLINK ");
            match NETLINK.name(u64::from(socket.protocol)) {
                Some(name) => text.extend_from_slice(name.trim_start_matches("NETLINK_").as_bytes()),
                None => write_uint(text, u64::from(socket.protocol)),
            }
            bracketed(text, inode);
        }
        family => {
            write_value(text, &DOMAIN, family as u64);
            bracketed(text, inode);
        }
    }
}

fn inet(text: &mut Vec<u8>, socket: &SocketRaw, inode: u64) {
    let v6 = i32::from(socket.family) == libc::AF_INET6;
    let raw = i32::from(socket.sock_type) == libc::SOCK_RAW;
    let name = match i32::from(socket.protocol) {
        _ if raw => "RAW",
        libc::IPPROTO_TCP => "TCP",
        libc::IPPROTO_UDP => "UDP",
        libc::IPPROTO_UDPLITE => "UDPLITE",
        libc::IPPROTO_ICMP => "PING",
        libc::IPPROTO_ICMPV6 => "PING",
        libc::IPPROTO_SCTP => "SCTP",
        libc::IPPROTO_MPTCP => "MPTCP",
        libc::IPPROTO_DCCP => "DCCP",
        _ => "INET",
    };
    text.extend_from_slice(name.as_bytes());
    if v6 {
        text.extend_from_slice(b"v6");
    }
    // A raw socket's "port" is its protocol.
    let (local_port, peer_port) = if raw { (0, 0) } else { (socket.local_port, socket.peer_port) };
    let local = address(v6, &socket.local, local_port);
    let peer = address(v6, &socket.peer, peer_port);
    let connected = peer_port != 0 || raw && !peer.ip().is_unspecified();
    if !connected && local_port == 0 && local.ip().is_unspecified() {
        bracketed(text, inode);
        return;
    }
    // Writing to a Vec does not fail.
    let _ = write!(text, " {local}");
    if connected {
        let _ = write!(text, "→{peer}");
    } else if socket.state == LISTEN {
        text.extend_from_slice(b" listening");
    }
}

fn address(v6: bool, bytes: &[u8; 16], port: u16) -> SocketAddr {
    let [a, b, c, d, ..] = *bytes;
    if v6 { (Ipv6Addr::from(*bytes), port).into() } else { (Ipv4Addr::new(a, b, c, d), port).into() }
}

/// `UNIX [42]`, with its path, or its abstract name led by `@`.
fn unix(text: &mut Vec<u8>, socket: &SocketRaw, inode: u64, name: &[u8]) {
    text.extend_from_slice(b"UNIX");
    bracketed(text, inode);
    let (lead, name): (&[u8], _) = match name {
        [0, rest @ ..] => (b" \"@", rest),
        _ => (b" \"", name.split(|byte| *byte == 0).next().unwrap_or_default()),
    };
    if !name.is_empty() {
        text.extend_from_slice(lead);
        write_escaped(text, name, BRACKETS);
        text.push(b'"');
    }
    if socket.state == LISTEN {
        text.extend_from_slice(b" listening");
    }
}

fn bracketed(text: &mut Vec<u8>, inode: u64) {
    text.extend_from_slice(b" [");
    write_uint(text, inode);
    text.push(b']');
}

fn parse(payload: &[u8]) -> Option<(SocketRaw, &[u8])> {
    let (fixed, name) = payload.split_at_checked(size_of::<SocketRaw>())?;
    let half = |at: usize| Some(u16::from_ne_bytes(fixed.get(at..at + 2)?.try_into().ok()?));
    let address = |at: usize| <[u8; 16]>::try_from(fixed.get(at..at + 16)?).ok();
    let socket = SocketRaw {
        family: half(0)?,
        sock_type: half(2)?,
        protocol: half(4)?,
        state: half(6)?,
        local_port: half(8)?,
        peer_port: half(10)?,
        pad: 0,
        local: address(16)?,
        peer: address(32)?,
    };
    Some((socket, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(socket: SocketRaw, name: &[u8]) -> String {
        let mut payload = Vec::new();
        for half in
            [socket.family, socket.sock_type, socket.protocol, socket.state, socket.local_port, socket.peer_port, 0, 0]
        {
            payload.extend(half.to_ne_bytes());
        }
        payload.extend(socket.local);
        payload.extend(socket.peer);
        payload.extend(name);
        let mut out = Vec::new();
        describe(&mut out, 42, &payload);
        String::from_utf8(out).unwrap()
    }

    fn loopback() -> [u8; 16] {
        let mut address = [0; 16];
        address[..4].copy_from_slice(&[127, 0, 0, 1]);
        address
    }

    #[test]
    fn internet_sockets_show_both_ends() {
        let tcp = SocketRaw { family: 2, sock_type: 1, protocol: 6, ..SocketRaw::default() };
        assert_eq!(text(tcp, b""), "TCP [42]");
        let bound = SocketRaw { local: loopback(), local_port: 80, ..tcp };
        assert_eq!(text(bound, b""), "TCP 127.0.0.1:80");
        assert_eq!(text(SocketRaw { state: LISTEN, ..bound }, b""), "TCP 127.0.0.1:80 listening");
        let connected = SocketRaw { peer: loopback(), peer_port: 4242, ..bound };
        assert_eq!(text(connected, b""), "TCP 127.0.0.1:80→127.0.0.1:4242");
        let mut six = [0; 16];
        six[15] = 1;
        let udp6 =
            SocketRaw { family: 10, sock_type: 2, protocol: 17, local: six, local_port: 53, ..SocketRaw::default() };
        assert_eq!(text(udp6, b""), "UDPv6 [::1]:53");
    }

    #[test]
    fn unix_sockets_show_inode_and_name() {
        let unix = SocketRaw { family: 1, sock_type: 1, ..SocketRaw::default() };
        assert_eq!(text(unix, b""), "UNIX [42]");
        assert_eq!(text(unix, b"/run/x\0"), r#"UNIX [42] "/run/x""#);
        assert_eq!(text(SocketRaw { state: LISTEN, ..unix }, b"\0na\x07me"), r#"UNIX [42] "@na\7me" listening"#);
    }

    #[test]
    fn other_families_are_named() {
        let netlink = SocketRaw { family: 16, ..SocketRaw::default() };
        assert_eq!(text(netlink, b""), "NETLINK ROUTE [42]");
        assert_eq!(text(SocketRaw { family: 17, ..SocketRaw::default() }, b""), "AF_PACKET [42]");
        let mut out = Vec::new();
        describe(&mut out, 42, b"short");
        assert_eq!(out, b"socket:[42]");
    }
}
