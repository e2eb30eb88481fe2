//! Waiting for descriptors and for each other: poll, select, epoll, futex, event descriptors.

use super::super::kind::ArgKind::*;
use super::super::kind::{HandRow, Ret, row};
use crate::syscall::flags as f;
use crate::syscall::structs as s;
use crate::syscall::text::special::{epoll_ctl, futex, pselect6, select};

/// Waiting.
pub static ROWS: &[HandRow] = &[
    row("poll", &[Pollfds(1), Uint, Int], Ret::Poll),
    row("ppoll", &[Pollfds(1), Uint, StructEnter(&s::TIMESPEC), SigSet(&s::SIGSET), Ulong], Ret::Poll),
    row("select", &[Int, Rest(select)], Ret::Select).ops(&[
        super::enter(1, 128),
        super::enter(2, 128),
        super::fixed(1, 128),
        super::fixed(2, 128),
    ]),
    row("pselect6", &[Int, Rest(pselect6)], Ret::Select).ops(&[
        super::enter(1, 128),
        super::enter(4, 16),
        super::fixed(1, 128),
        super::fixed(4, 16),
    ]),
    row("epoll_create", &[Int], Ret::Fd),
    row("epoll_create1", &[Flags(&f::poll::EPOLL_CREATE)], Ret::Fd),
    row("epoll_ctl", &[Fd, Rest(epoll_ctl)], Ret::Signed).ops(&[super::fixed(3, 12)]).fds(1 << 2),
    row("epoll_wait", &[Fd, ArrayOut(&s::EPOLL_EVENT), Int, Int], Ret::Signed),
    row("epoll_pwait", &[Fd, ArrayOut(&s::EPOLL_EVENT), Int, Int, SigSet(&s::SIGSET), Ulong], Ret::Signed),
    row(
        "epoll_pwait2",
        &[Fd, ArrayOut(&s::EPOLL_EVENT), Int, Struct(&s::TIMESPEC), SigSet(&s::SIGSET), Ulong],
        Ret::Signed,
    ),
    row("futex", &[Ptr, Rest(futex)], Ret::Signed).ops(&[super::fixed(3, 16)]),
    row("futex_waitv", &[Ptr, Uint, Hex32, Struct(&s::TIMESPEC), Enum(&f::time::CLOCK)], Ret::Signed),
    row("eventfd", &[Uint], Ret::Fd),
    row("eventfd2", &[Uint, Flags(&f::poll::EVENTFD)], Ret::Fd),
    row("get_robust_list", &[Int, Ptr, Ptr], Ret::Signed),
];
