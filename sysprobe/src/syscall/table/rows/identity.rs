//! Who a process is: ids, groups, capabilities, sessions.

use super::super::kind::ArgKind::*;
use super::super::kind::{HandRow, Ret, row};
use crate::syscall::structs as s;

/// Ids, groups and sessions.
pub static ROWS: &[HandRow] = &[
    row("getpid", &[], Ret::Signed),
    row("getppid", &[], Ret::Signed),
    row("gettid", &[], Ret::Signed),
    row("getuid", &[], Ret::Signed),
    row("geteuid", &[], Ret::Signed),
    row("getgid", &[], Ret::Signed),
    row("getegid", &[], Ret::Signed),
    row("getresuid", &[UintOut, UintOut, UintOut], Ret::Signed),
    row("getresgid", &[UintOut, UintOut, UintOut], Ret::Signed),
    row("setuid", &[Id], Ret::Signed),
    row("setgid", &[Id], Ret::Signed),
    row("setreuid", &[Id, Id], Ret::Signed),
    row("setregid", &[Id, Id], Ret::Signed),
    row("setresuid", &[Id, Id, Id], Ret::Signed),
    row("setresgid", &[Id, Id, Id], Ret::Signed),
    row("setfsuid", &[Id], Ret::Signed),
    row("setfsgid", &[Id], Ret::Signed),
    row("getgroups", &[Int, IdsOut], Ret::Signed),
    row("setgroups", &[Int, IdsIn(0)], Ret::Signed),
    row("getpgid", &[Int], Ret::Signed),
    row("setpgid", &[Int, Int], Ret::Signed),
    row("getpgrp", &[], Ret::Signed),
    row("getsid", &[Int], Ret::Signed),
    row("setsid", &[], Ret::Signed),
    row("capget", &[Struct(&s::CAP_HEADER), StructOut(&s::CAP_DATA)], Ret::Signed),
    row("capset", &[Struct(&s::CAP_HEADER), Struct(&s::CAP_DATA)], Ret::Signed),
];
