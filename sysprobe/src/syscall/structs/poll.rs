//! Waiting for descriptors: epoll events, poll entries, `select` sets.
//!
//! Layouts: include/uapi/linux/eventpoll.h (packed on x86-64), asm-generic/poll.h, linux/posix_types.h.

use super::StructSpec;
use super::fields::{Fields, unsigned};
use crate::syscall::flags::number::{write_int, write_uint};
use crate::syscall::flags::poll;

/// `struct epoll_event`.
pub static EPOLL_EVENT: StructSpec = StructSpec { size: 12, write: epoll_event };
/// `struct epoll_params` of `EPIOCSPARAMS`.
pub static EPOLL_PARAMS: StructSpec = StructSpec { size: 8, write: epoll_params };
/// `struct pollfd` as given: descriptor and events.
pub static POLLFD: StructSpec = StructSpec { size: 8, write: pollfd };

fn epoll_event(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.flags("events", 0, 4, &poll::EPOLL_EVENTS);
    fields.with("data", 4, 8, |out, data| {
        out.extend_from_slice(b"{u32=");
        write_uint(out, data & 0xffff_ffff);
        out.extend_from_slice(b", u64=");
        write_uint(out, data);
        out.push(b'}');
    });
    fields.close();
}

fn epoll_params(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.uint("busy_poll_usecs", 0, 4);
    fields.uint("busy_poll_budget", 4, 2);
    fields.uint("prefer_busy_poll", 6, 1);
    fields.close();
}

fn pollfd(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.int("fd", 0, 4);
    // A negative descriptor makes the kernel pass the entry over.
    if fields.peek(0, 4).is_some_and(|fd| fd as u32 as i32 >= 0) {
        fields.flags("events", 4, 2, &poll::POLL);
    }
    fields.close();
}

/// Appends the members of a `select` set of which the first `nfds` bits count: `[3 5]`. `...` follows if bytes are missing.
pub fn write_fd_set(out: &mut Vec<u8>, bytes: &[u8], nfds: u64) {
    out.push(b'[');
    let mut first = true;
    let words = usize::try_from(nfds.div_ceil(64)).unwrap_or(usize::MAX);
    for (word, bits) in bytes.chunks_exact(8).take(words).map(unsigned).enumerate() {
        let mut rest = bits;
        while rest != 0 {
            let fd = word as u64 * 64 + u64::from(rest.trailing_zeros());
            rest &= rest - 1;
            if fd >= nfds {
                break;
            }
            if !first {
                out.push(b' ');
            }
            first = false;
            write_int(out, fd as i64);
        }
    }
    if bytes.len() / 8 < words {
        out.extend_from_slice(if first { b"..." } else { b" ..." });
    }
    out.push(b']');
}
