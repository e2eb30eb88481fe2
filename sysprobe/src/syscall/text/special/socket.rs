//! `socket` and `socketpair`: the protocol's name depends on the domain.

use crate::syscall::flags::net;
use crate::syscall::flags::protocol::write_protocol;
use crate::syscall::table::ArgKind;
use crate::syscall::text::ArgWriter;

/// `socket`: domain, type, protocol.
pub fn socket(w: &mut ArgWriter<'_>, first: usize) {
    w.value(first, &net::DOMAIN);
    w.flags(first + 1, &net::SOCK);
    w.begin();
    let (domain, protocol) = (w.arg(first), w.arg(first + 2));
    write_protocol(w.out, domain, protocol);
}

/// `socketpair`: the same, and the two descriptors.
pub fn socketpair(w: &mut ArgWriter<'_>, first: usize) {
    socket(w, first);
    w.next(first + 3, ArgKind::FdPair);
}
