//! Sockets.

use super::super::kind::ArgKind::*;
use super::super::kind::{HandRow, Ret, row};
use crate::syscall::flags as f;
use crate::syscall::text::special::{getsockopt, setsockopt, socket, socketpair};

/// Sockets.
pub static ROWS: &[HandRow] = &[
    row("socket", &[Rest(socket)], Ret::Fd),
    row("socketpair", &[Rest(socketpair)], Ret::Signed).ops(&[super::fd_pair(3)]),
    row("connect", &[Fd, SockaddrIn(2), Int], Ret::Signed),
    row("bind", &[Fd, SockaddrIn(2), Int], Ret::Signed),
    row("listen", &[Fd, Int], Ret::Signed),
    row("accept", &[Fd, SockaddrOut(2), SocklenInOut], Ret::Fd),
    row("accept4", &[Fd, SockaddrOut(2), SocklenInOut, Flags(&f::net::ACCEPT)], Ret::Fd),
    row("getsockname", &[Fd, SockaddrOut(2), SocklenInOut], Ret::Signed),
    row("getpeername", &[Fd, SockaddrOut(2), SocklenInOut], Ret::Signed),
    row("sendto", &[Fd, BufIn(2), Ulong, Flags(&f::net::MSG), SockaddrIn(5), Uint], Ret::Signed),
    row("recvfrom", &[Fd, BufOut, Ulong, Flags(&f::net::MSG), SockaddrOut(5), SocklenInOut], Ret::Signed),
    row("sendmsg", &[Fd, MsgIn, Flags(&f::net::MSG)], Ret::Signed),
    row("recvmsg", &[Fd, MsgOut, Flags(&f::net::MSG)], Ret::Signed).ops(&[super::enter(1, 16)]),
    row("sendmmsg", &[Fd, Ptr, Uint, Flags(&f::net::MSG)], Ret::Signed),
    row("recvmmsg", &[Fd, Ptr, Uint, Flags(&f::net::MSG), Ptr], Ret::Signed),
    row("shutdown", &[Fd, Enum(&f::net::SHUT)], Ret::Signed),
    row("setsockopt", &[Fd, Rest(setsockopt)], Ret::Signed).ops(&[super::len_arg(3, 4, 64)]),
    row("getsockopt", &[Fd, Rest(getsockopt)], Ret::Signed).ops(&[
        super::enter(4, 4),
        super::len_pointer(3, 4, 64),
        super::fixed(4, 4),
    ]),
];
