//! Signals.

use super::super::kind::ArgKind::*;
use super::super::kind::{HandRow, Ret, row};
use crate::syscall::flags as f;
use crate::syscall::structs as s;

/// Signals.
pub static ROWS: &[HandRow] = &[
    row("rt_sigaction", &[Signal, StructEnter(&s::SIGACTION), StructOut(&s::SIGACTION), Ulong], Ret::Signed),
    row("rt_sigprocmask", &[Enum(&f::signal::HOW), StructEnter(&s::SIGSET), StructOut(&s::SIGSET), Ulong], Ret::Signed),
    row("rt_sigpending", &[StructOut(&s::SIGSET), Ulong], Ret::Signed),
    row("rt_sigsuspend", &[SigSet(&s::SIGSET), Ulong], Ret::Signed),
    row(
        "rt_sigtimedwait",
        &[SigSet(&s::SIGSET), StructPositive(&s::SIGINFO), Struct(&s::TIMESPEC), Ulong],
        Ret::Signal,
    ),
    row("rt_sigqueueinfo", &[Int, Signal, Struct(&s::SIGINFO)], Ret::Signed),
    row("rt_tgsigqueueinfo", &[Int, Int, Signal, Struct(&s::SIGINFO)], Ret::Signed),
    row("rt_sigreturn", &[], Ret::Signed),
    row("sigaltstack", &[StructEnter(&s::STACK), StructOut(&s::STACK)], Ret::Signed),
    row("signalfd", &[Fd, SigSet(&s::SIGSET), Ulong], Ret::Fd),
    row("signalfd4", &[Fd, SigSet(&s::SIGSET), Ulong, Flags(&f::signal::SIGNALFD)], Ret::Fd),
    row("kill", &[Int, Signal], Ret::Signed),
    row("tkill", &[Int, Signal], Ret::Signed),
    row("tgkill", &[Int, Int, Signal], Ret::Signed),
    row("pidfd_send_signal", &[Fd, Signal, Struct(&s::SIGINFO), Hex32], Ret::Signed),
    row("pause", &[], Ret::Signed),
];
