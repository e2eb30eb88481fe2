//! The host: names, random numbers, modules, bpf, sandboxes.

use super::super::kind::ArgKind::*;
use super::super::kind::{HandRow, Ret, row};
use crate::syscall::flags as f;
use crate::syscall::structs as s;

/// The host and its sandboxes.
pub static ROWS: &[HandRow] = &[
    row("uname", &[StructOut(&s::UTSNAME)], Ret::Signed),
    row("sysinfo", &[StructOut(&s::SYSINFO)], Ret::Signed),
    row("sethostname", &[BufIn(1), Ulong], Ret::Signed),
    row("setdomainname", &[BufIn(1), Ulong], Ret::Signed),
    row("getrandom", &[BytesOut, Ulong, Flags(&f::admin::GETRANDOM)], Ret::Signed),
    row("syslog", &[Enum(&f::admin::SYSLOG), Ptr, Int], Ret::Signed),
    row("init_module", &[Ptr, Ulong, Str], Ret::Signed),
    row("finit_module", &[Fd, Str, Flags(&f::admin::INIT_MODULE)], Ret::Signed),
    row("delete_module", &[Str, Flags(&f::admin::DELETE_MODULE)], Ret::Signed),
    row("bpf", &[Enum(&f::bpf::BPF), Ptr, Uint], Ret::Signed),
    row("landlock_create_ruleset", &[Ptr, Ulong, Flags(&f::admin::LANDLOCK_CREATE)], Ret::Signed),
    row("landlock_add_rule", &[Fd, Enum(&f::admin::LANDLOCK_RULE), Ptr, Hex32], Ret::Signed),
    row("landlock_restrict_self", &[Fd, Hex32], Ret::Signed),
    row("restart_syscall", &[], Ret::Signed),
    row("vhangup", &[], Ret::Signed),
    row("ioperm", &[Hex, Hex, Int], Ret::Signed),
    row("iopl", &[Int], Ret::Signed),
    row("ioprio_get", &[Enum(&f::task::IOPRIO_WHO), Int], Ret::Signed),
    row("ioprio_set", &[Enum(&f::task::IOPRIO_WHO), Int, Hex32], Ret::Signed),
    row("keyctl", &[Enum(&f::admin::KEYCTL), Hex, Hex, Hex, Hex], Ret::Signed),
    row("fanotify_init", &[Flags(&f::poll::FANOTIFY_INIT), Flags(&f::open::OPEN)], Ret::Fd),
    row(
        "fanotify_mark",
        &[Fd, Flags(&f::poll::FANOTIFY_MARK), Flags(&f::poll::FANOTIFY_EVENTS), DirFd, Path],
        Ret::Signed,
    ),
    row("semget", &[Enum(&f::ipc::PRIVATE_KEY), Int, Flags(&f::ipc::IPC_GET)], Ret::Signed),
    row("msgget", &[Enum(&f::ipc::PRIVATE_KEY), Flags(&f::ipc::IPC_GET)], Ret::Signed),
    row("mq_unlink", &[Str], Ret::Signed),
];
