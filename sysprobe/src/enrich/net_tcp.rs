//! TCP sockets of another network namespace, by `/proc/PID/net/tcp` and `tcp6` (proc_pid_net(5)) of a process in it.
//!
//! Slower than asking for a listing, which lists only what is wanted; but that takes a thread inside the namespace, and with
//! it CAP_SYS_ADMIN, which sysprobe gives up.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::sock_diag::{DiagSocket, Listing};
use crate::host::HostFs;

/// Bytes read of one table: about 400,000 sockets.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// States of include/net/tcp_states.h.
const CLOSE_WAIT: &str = "08";
const LISTEN: &str = "0A";

/// Lists the sockets in CLOSE_WAIT and the listening ones.
///
/// # Errors
/// When the IPv4 table cannot be read; without IPv6 there is no other.
pub fn list(fs: &dyn HostFs, pid: u32) -> io::Result<Listing> {
    let mut listing = Listing::default();
    let mut take = |bytes: &[u8]| {
        listing.cut |= bytes.len() as u64 == MAX_BYTES;
        for line in String::from_utf8_lossy(bytes).lines() {
            let Some((state, socket)) = parse(line) else { continue };
            match state {
                CLOSE_WAIT => listing.close_wait.push(socket),
                LISTEN => listing.listening.push(socket),
                _ => {}
            }
        }
    };
    take(&fs.read(&format!("/proc/{pid}/net/tcp"), MAX_BYTES)?);
    if let Ok(bytes) = fs.read(&format!("/proc/{pid}/net/tcp6"), MAX_BYTES) {
        take(&bytes);
    }
    Ok(listing)
}

/// `sl: LOCAL PEER STATE TX:RX TIMER RETRANSMITS UID TIMEOUT INODE ..`
fn parse(line: &str) -> Option<(&str, DiagSocket)> {
    let mut words = line.split_ascii_whitespace();
    let local = address(words.nth(1)?)?;
    let peer = address(words.next()?)?;
    let state = words.next().filter(|state| matches!(*state, CLOSE_WAIT | LISTEN))?;
    let (_, unread) = words.next()?.split_once(':')?;
    let unread = u32::from_str_radix(unread, 16).ok()?;
    let inode = words.nth(4)?.parse().ok()?;
    Some((state, DiagSocket { local, peer, inode, cookie: None, unread }))
}

/// An address in hexadecimal, in words of the host's byte order, and a port.
fn address(text: &str) -> Option<SocketAddr> {
    let (ip, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let word = |at: usize| u32::from_str_radix(ip.get(at..at + 8)?, 16).ok().map(u32::to_ne_bytes);
    let ip = match ip.len() {
        8 => IpAddr::V4(Ipv4Addr::from(word(0)?)),
        32 => {
            let mut bytes = [0; 16];
            for (at, to) in bytes.chunks_exact_mut(4).enumerate() {
                to.copy_from_slice(&word(at * 8)?);
            }
            IpAddr::V6(Ipv6Addr::from(bytes))
        }
        _ => return None,
    };
    Some(SocketAddr::new(ip, port))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::host::memory::MemoryHost;

    const TCP: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n   \
        0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 7001 1 0 100 0 0 10 0\n   \
        1: 0100007F:1F90 0900000A:D431 08 00000000:00000001 00:00000000 00000000     0        0 7002 1 0 20 4 30 10 -1\n   \
        2: 0100007F:1F90 0900000A:D432 01 00000000:00000000 00:00000000 00000000     0        0 7003 1 0 20 4 30 10 -1\n";
    const TCP6: &str = "  sl\n   0: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00000900000A:D433 08 \
        00000000:00000000 00:00000000 00000000     0        0 7004 1 0 20 4 30 10 -1\n";

    #[test]
    fn sockets_are_read_from_both_tables() {
        let host = MemoryHost::new([("/proc/7/net/tcp", TCP), ("/proc/7/net/tcp6", TCP6)]);
        let listing = list(&host, 7).unwrap();
        assert_eq!((listing.listening.len(), listing.listening[0].inode, listing.cut), (1, 7001, false));
        let shown = |s: &DiagSocket| (s.local.to_string(), s.peer.to_string(), s.inode, s.unread);
        assert_eq!(
            listing.close_wait.iter().map(shown).collect::<Vec<_>>(),
            [
                ("127.0.0.1:8080".to_owned(), "10.0.0.9:54321".to_owned(), 7002, 1),
                ("[::ffff:127.0.0.1]:8080".to_owned(), "[::ffff:10.0.0.9]:54323".to_owned(), 7004, 0),
            ]
        );
        assert!(list(&host, 8).is_err());
    }

    proptest! {
        #[test]
        fn any_line_is_survived(line in "[0-9A-F: äx]{0,120}") {
            let _ = parse(&line);
            let _ = address(&line);
        }
    }
}
