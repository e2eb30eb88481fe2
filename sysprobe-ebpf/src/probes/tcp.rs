//! `inet_sock_set_state` for `watch`: since when a connection is in CLOSE_WAIT, and by which code it was connected.
//!
//! A connect changes the state in the connecting task, whose stack is taken then, at a bounded rate. Most other changes
//! come with a packet, in nobody's context.

use aya_ebpf::EbpfContext as _;
use aya_ebpf::bindings::BPF_F_USER_STACK;
use aya_ebpf::helpers::bpf_get_current_pid_tgid;
use aya_ebpf::helpers::generated::bpf_get_stack;
use sysprobe_common::event::{CloseWaitRaw, ConnectionRaw};
use sysprobe_common::fields::Field;
use sysprobe_common::limits::USER_FRAMES;

use super::blocked::may_take_user_stack;
use crate::emit::now_ns;
use crate::fields::get;
use crate::maps::{CLOSE_WAITS, CONNECT_STACK_TAKEN, NETS, OPENED, OPENED_SCRATCH};
use crate::probes::Args;

/// States of include/net/tcp_states.h.
const SYN_SENT: u32 = 2;
const CLOSE: u32 = 7;
const CLOSE_WAIT: u32 = 8;
const AF_INET6: u16 = 10;
/// SCTP gives its states the same numbers.
const IPPROTO_TCP: u16 = 6;

/// A connection changes its state.
#[aya_ebpf::macros::btf_tracepoint(function = "inet_sock_set_state")]
pub fn tcp_state(context: aya_ebpf::programs::BtfTracePointContext) -> i32 {
    let _ = try_tcp_state(Args::of(&context), context.as_ptr());
    0
}

/// A connection changes its state.
#[aya_ebpf::macros::raw_tracepoint(tracepoint = "inet_sock_set_state")]
pub fn tcp_state_raw(context: aya_ebpf::programs::RawTracePointContext) -> i32 {
    let _ = try_tcp_state(Args::of(&context), context.as_ptr());
    0
}

/// Arguments: `const struct sock *sk, const int oldstate, const int newstate`.
#[inline(always)]
fn try_tcp_state(args: Args, context: *mut core::ffi::c_void) -> Option<()> {
    let (old, new) = (args.get::<1>() as u32, args.get::<2>() as u32);
    if new != SYN_SENT && new != CLOSE_WAIT && new != CLOSE && old != CLOSE_WAIT {
        return None;
    }
    let sock = args.get::<0>();
    // A bit field before 5.6; every kernel with BTF tracepoints that is supported has the word.
    if get::<u16>(sock, Field::SockProtocol)? != IPPROTO_TCP {
        return None;
    }
    if new == SYN_SENT {
        return connects(sock, context);
    }
    if new == CLOSE_WAIT {
        let connection = connection(sock)?;
        let row = CloseWaitRaw { since_ns: now_ns(), sock };
        // An LRU map takes any row.
        let _ = CLOSE_WAITS.insert(connection, row, 0);
        match NETS.get_ptr_mut(connection.net) {
            // SAFETY: rows are preallocated; a lost count is one among others that change.
            Some(count) => unsafe { *count += 1 },
            None => {
                let _ = NETS.insert(connection.net, 1, 0);
            }
        }
        return Some(());
    }
    if old == CLOSE_WAIT {
        let _ = CLOSE_WAITS.remove(connection(sock)?);
    }
    if new == CLOSE {
        let _ = OPENED.remove(sock);
    }
    Some(())
}

/// Remembers who connects, and from where in its code.
#[expect(clippy::needless_borrows_for_generic_args, reason = "a row by value would not fit on the stack")]
#[inline(always)]
fn connects(sock: u64, context: *mut core::ffi::c_void) -> Option<()> {
    let now = now_ns();
    if !may_take_user_stack(&CONNECT_STACK_TAKEN, now) {
        return None;
    }
    let row = OPENED_SCRATCH.get_ptr_mut(0)?;
    // SAFETY: this CPU's own row; a connect runs with bottom halves off.
    let row = unsafe { &mut *row };
    row.at_ns = now;
    row.tgid = (bpf_get_current_pid_tgid() >> 32) as u32;
    // SAFETY: the array's own size is given.
    let got = unsafe {
        bpf_get_stack(context, row.user.as_mut_ptr().cast(), (USER_FRAMES * 8) as u32, u64::from(BPF_F_USER_STACK))
    };
    row.user_len = if got > 0 { got as u32 / 8 } else { 0 };
    let _ = OPENED.insert(sock, &*row, 0);
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
