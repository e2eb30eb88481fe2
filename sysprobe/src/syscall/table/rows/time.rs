//! Clocks, timers, sleeps.

use super::super::kind::ArgKind::*;
use super::super::kind::{HandRow, Ret, row};
use super::flags as f;
use super::structs as s;

/// Clocks, timers, sleeps.
pub static ROWS: &[HandRow] = &[
    row("nanosleep", &[StructEnter(&s::TIMESPEC), StructInterrupted(&s::TIMESPEC)], Ret::Signed),
    row(
        "clock_nanosleep",
        &[Enum(&f::CLOCKS), Flags(&f::TIMER_FLAGS), StructEnter(&s::TIMESPEC), StructInterrupted(&s::TIMESPEC)],
        Ret::Signed,
    ),
    row("clock_gettime", &[Enum(&f::CLOCKS), StructOut(&s::TIMESPEC)], Ret::Signed),
    row("clock_getres", &[Enum(&f::CLOCKS), StructOut(&s::TIMESPEC)], Ret::Signed),
    row("clock_settime", &[Enum(&f::CLOCKS), Struct(&s::TIMESPEC)], Ret::Signed),
    row("gettimeofday", &[StructOut(&s::TIMEVAL), StructOut(&s::TIMEZONE)], Ret::Signed),
    row("settimeofday", &[Struct(&s::TIMEVAL), Struct(&s::TIMEZONE)], Ret::Signed),
    row("time", &[LongOut], Ret::Signed),
    row("alarm", &[Uint], Ret::Signed),
    row("getitimer", &[Enum(&f::ITIMERS), StructOut(&s::ITIMERVAL)], Ret::Signed),
    row("setitimer", &[Enum(&f::ITIMERS), StructEnter(&s::ITIMERVAL), StructOut(&s::ITIMERVAL)], Ret::Signed),
    row("timer_create", &[Enum(&f::CLOCKS), Struct(&s::SIGEVENT), IntOut], Ret::Signed),
    row(
        "timer_settime",
        &[Int, Flags(&f::TIMER_FLAGS), StructEnter(&s::ITIMERSPEC), StructOut(&s::ITIMERSPEC)],
        Ret::Signed,
    ),
    row("timer_gettime", &[Int, StructOut(&s::ITIMERSPEC)], Ret::Signed),
    row("timer_getoverrun", &[Int], Ret::Signed),
    row("timer_delete", &[Int], Ret::Signed),
    row("timerfd_create", &[Enum(&f::CLOCKS), Flags(&f::TIMERFD_CREATE_FLAGS)], Ret::Fd),
    row(
        "timerfd_settime",
        &[Fd, Flags(&f::TIMERFD_SETTIME_FLAGS), StructEnter(&s::ITIMERSPEC), StructOut(&s::ITIMERSPEC)],
        Ret::Signed,
    ),
    row("timerfd_gettime", &[Fd, StructOut(&s::ITIMERSPEC)], Ret::Signed),
];
