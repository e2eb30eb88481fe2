//! The host: names, random numbers, modules, bpf, sandboxes.

use super::super::kind::ArgKind::*;
use super::super::kind::{HandRow, Ret, row};
use super::flags as f;
use super::structs as s;

/// The host and its sandboxes.
pub static ROWS: &[HandRow] = &[
    row("uname", &[StructOut(&s::UTSNAME)], Ret::Signed),
    row("sysinfo", &[StructOut(&s::SYSINFO)], Ret::Signed),
    row("sethostname", &[BufIn(1), Ulong], Ret::Signed),
    row("setdomainname", &[BufIn(1), Ulong], Ret::Signed),
    row("getrandom", &[BytesOut, Ulong, Flags(&f::GETRANDOM_FLAGS)], Ret::Signed),
    row("syslog", &[Enum(&f::SYSLOG_ACTIONS), Ptr, Int], Ret::Signed),
    row("init_module", &[Ptr, Ulong, Str], Ret::Signed),
    row("finit_module", &[Fd, Str, Flags(&f::FINIT_MODULE_FLAGS)], Ret::Signed),
    row("delete_module", &[Str, Flags(&f::DELETE_MODULE_FLAGS)], Ret::Signed),
    row("bpf", &[Enum(&f::BPF_COMMANDS), Ptr, Uint], Ret::Signed),
    row("landlock_create_ruleset", &[Ptr, Ulong, Flags(&f::LANDLOCK_CREATE_FLAGS)], Ret::Signed),
    row("landlock_add_rule", &[Fd, Enum(&f::LANDLOCK_RULE_TYPES), Ptr, Hex32], Ret::Signed),
    row("landlock_restrict_self", &[Fd, Hex32], Ret::Signed),
    row("restart_syscall", &[], Ret::Signed),
    row("vhangup", &[], Ret::Signed),
    row("ioperm", &[Hex, Hex, Int], Ret::Signed),
    row("iopl", &[Int], Ret::Signed),
    row("ioprio_get", &[Enum(&f::IOPRIO_WHO), Int], Ret::Signed),
    row("ioprio_set", &[Enum(&f::IOPRIO_WHO), Int, Hex32], Ret::Signed),
    row("keyctl", &[Enum(&f::KEYCTL_OPERATIONS), Hex, Hex, Hex, Hex], Ret::Signed),
    row("fanotify_init", &[Flags(&f::FANOTIFY_INIT_FLAGS), Flags(&f::OPEN)], Ret::Fd),
    row("fanotify_mark", &[Fd, Flags(&f::FANOTIFY_MARK_FLAGS), Flags(&f::FANOTIFY_EVENTS), DirFd, Path], Ret::Signed),
    row("semget", &[Hex32, Int, Hex32], Ret::Signed),
    row("msgget", &[Hex32, Hex32], Ret::Signed),
    row("mq_unlink", &[Str], Ret::Signed),
];
