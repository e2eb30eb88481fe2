//! `inet_sock_set_state` for `watch`: since when a connection is in CLOSE_WAIT.
//!
//! Most changes come with a packet, in nobody's context: who holds a connection is found from user space.

use sysprobe_common::event::ConnectionRaw;
use sysprobe_common::fields::Field;

use crate::emit::now_ns;
use crate::fields::get;
use crate::maps::{CLOSE_WAITS, NETS};
use crate::probes::{Args, twins};

/// A state of include/net/tcp_states.h.
const CLOSE_WAIT: u32 = 8;
const AF_INET6: u16 = 10;
/// SCTP gives its states the same numbers.
const IPPROTO_TCP: u16 = 6;

twins!(tcp_state, tcp_state_raw, "inet_sock_set_state", try_tcp_state, "A connection changes its state.");

/// Arguments: `const struct sock *sk, const int oldstate, const int newstate`.
#[inline(always)]
fn try_tcp_state(args: Args) -> Option<()> {
    let (old, new) = (args.get::<1>() as u32, args.get::<2>() as u32);
    if new != CLOSE_WAIT && old != CLOSE_WAIT {
        return None;
    }
    let sock = args.get::<0>();
    // A bit field before 5.6; every kernel with BTF tracepoints that is supported has the word.
    if get::<u16>(sock, Field::SockProtocol)? != IPPROTO_TCP {
        return None;
    }
    let connection = connection(sock)?;
    if new != CLOSE_WAIT {
        let _ = CLOSE_WAITS.remove(connection);
        return Some(());
    }
    // An LRU map takes any row.
    let _ = CLOSE_WAITS.insert(connection, now_ns(), 0);
    match NETS.get_ptr_mut(connection.net) {
        // SAFETY: rows are preallocated; a lost count is one among others that change.
        Some(count) => unsafe { *count += 1 },
        None => {
            let _ = NETS.insert(connection.net, 1, 0);
        }
    }
    Some(())
}

/// A connection's name. The port is the one of the `inet_sock`: that of the `sock` is gone when it ends.
#[inline(always)]
fn connection(sock: u64) -> Option<ConnectionRaw> {
    let net: u64 = get(sock, Field::SockNet)?;
    let mut connection = ConnectionRaw {
        net: get(net, Field::NetInum)?,
        local_port: get::<u16>(sock, Field::InetSport)?.swap_bytes(),
        peer_port: get::<u16>(sock, Field::SockDport)?.swap_bytes(),
        ..ConnectionRaw::default()
    };
    if get::<u16>(sock, Field::SockFamily)? == AF_INET6 {
        connection.local = get(sock, Field::SockV6RcvSaddr)?;
        connection.peer = get(sock, Field::SockV6Daddr)?;
    } else {
        let local: [u8; 4] = get(sock, Field::SockRcvSaddr)?;
        let peer: [u8; 4] = get(sock, Field::SockDaddr)?;
        connection.local[..4].copy_from_slice(&local);
        connection.peer[..4].copy_from_slice(&peer);
    }
    Some(connection)
}
