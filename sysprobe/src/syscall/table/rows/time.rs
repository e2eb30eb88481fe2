//! Clocks, timers, sleeps.

use super::super::kind::ArgKind::*;
use super::super::kind::{HandRow, Ret, row};
use crate::syscall::flags as f;
use crate::syscall::structs as s;

/// Clocks, timers, sleeps.
pub static ROWS: &[HandRow] = &[
    row("nanosleep", &[StructEnter(&s::TIMESPEC), StructInterrupted(&s::TIMESPEC)], Ret::Signed),
    row(
        "clock_nanosleep",
        &[Enum(&f::time::CLOCK), Flags(&f::time::TIMER), StructEnter(&s::TIMESPEC), StructInterrupted(&s::TIMESPEC)],
        Ret::Signed,
    ),
    row("clock_gettime", &[Enum(&f::time::CLOCK), StructOut(&s::TIMESPEC)], Ret::Signed),
    row("clock_getres", &[Enum(&f::time::CLOCK), StructOut(&s::TIMESPEC)], Ret::Signed),
    row("clock_settime", &[Enum(&f::time::CLOCK), Struct(&s::TIMESPEC)], Ret::Signed),
    row("gettimeofday", &[StructOut(&s::TIMEVAL), StructOut(&s::TIMEZONE)], Ret::Signed),
    row("settimeofday", &[Struct(&s::TIMEVAL), Struct(&s::TIMEZONE)], Ret::Signed),
    row("time", &[LongOut], Ret::Signed),
    row("alarm", &[Uint], Ret::Signed),
    row("getitimer", &[Enum(&f::time::ITIMER), StructOut(&s::ITIMERVAL)], Ret::Signed),
    row("setitimer", &[Enum(&f::time::ITIMER), StructEnter(&s::ITIMERVAL), StructOut(&s::ITIMERVAL)], Ret::Signed),
    row("timer_create", &[Enum(&f::time::CLOCK), Struct(&s::SIGEVENT), IntOut], Ret::Signed),
    row(
        "timer_settime",
        &[Int, Flags(&f::time::TIMER), StructEnter(&s::ITIMERSPEC), StructOut(&s::ITIMERSPEC)],
        Ret::Signed,
    ),
    row("timer_gettime", &[Int, StructOut(&s::ITIMERSPEC)], Ret::Signed),
    row("timer_getoverrun", &[Int], Ret::Signed),
    row("timer_delete", &[Int], Ret::Signed),
    row("timerfd_create", &[Enum(&f::time::CLOCK), Flags(&f::time::TIMERFD)], Ret::Fd),
    row(
        "timerfd_settime",
        &[Fd, Flags(&f::time::TIMERFD_SET), StructEnter(&s::ITIMERSPEC), StructOut(&s::ITIMERSPEC)],
        Ret::Signed,
    ),
    row("timerfd_gettime", &[Fd, StructOut(&s::ITIMERSPEC)], Ret::Signed),
];
