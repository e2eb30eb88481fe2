//! Birth, image, scheduling, limits and end of processes.

use super::super::kind::ArgKind::*;
use super::super::kind::{HandRow, Ret, row};
use crate::syscall::flags as f;
use crate::syscall::structs as s;
use crate::syscall::text::special::{arch_prctl, clone, clone3, prctl, ptrace};

/// Processes and threads.
pub static ROWS: &[HandRow] = &[
    row("clone", &[Rest(clone)], Ret::Signed).ops(&[super::fixed(2, 4), super::fixed(3, 4)]),
    row("clone3", &[Rest(clone3)], Ret::Signed).ops(&[super::len_arg(0, 1, 88)]),
    row("fork", &[], Ret::Signed),
    row("vfork", &[], Ret::Signed),
    row("execve", &[Path, Argv, Envp], Ret::Signed),
    row("execveat", &[DirFd, Path, Argv, Envp, Flags(&f::open::AT_EXEC)], Ret::Signed),
    row("exit", &[Int], Ret::Never),
    row("exit_group", &[Int], Ret::Never),
    row(
        "wait4",
        &[Int, StructPositive(&s::WAIT_STATUS), Flags(&f::task::WAIT), StructPositive(&s::RUSAGE)],
        Ret::Signed,
    ),
    row(
        "waitid",
        &[Enum(&f::task::WAITID), Int, StructOut(&s::SIGINFO), Flags(&f::task::WAIT), StructOut(&s::RUSAGE)],
        Ret::Signed,
    ),
    row("set_tid_address", &[Ptr], Ret::Signed),
    row("set_robust_list", &[Ptr, Ulong], Ret::Signed),
    row("rseq", &[Ptr, Hex32, Hex32, Hex32], Ret::Signed),
    row("prctl", &[Rest(prctl)], Ret::Prctl).ops(&[super::fixed(1, 16)]),
    row("arch_prctl", &[Rest(arch_prctl)], Ret::Signed).ops(&[super::fixed(1, 8)]),
    row("ptrace", &[Rest(ptrace)], Ret::Signed),
    row("personality", &[Hex32], Ret::HexFlags(&f::task::PERSONALITY)),
    row("getrlimit", &[Enum(&f::task::RLIMIT), StructOut(&s::RLIMIT)], Ret::Signed),
    row("setrlimit", &[Enum(&f::task::RLIMIT), Struct(&s::RLIMIT)], Ret::Signed),
    row("prlimit64", &[Int, Enum(&f::task::RLIMIT), StructEnter(&s::RLIMIT), StructOut(&s::RLIMIT)], Ret::Signed),
    row("getrusage", &[Enum(&f::task::RUSAGE), StructOut(&s::RUSAGE)], Ret::Signed),
    row("times", &[StructOut(&s::TMS)], Ret::Signed),
    row("getpriority", &[Enum(&f::task::PRIORITY), Int], Ret::Signed),
    row("setpriority", &[Enum(&f::task::PRIORITY), Int, Int], Ret::Signed),
    row("sched_yield", &[], Ret::Signed),
    row("sched_setparam", &[Int, IntIn], Ret::Signed),
    row("sched_getparam", &[Int, IntOut], Ret::Signed),
    row("sched_setscheduler", &[Int, Flags(&f::task::SCHED_POLICY), IntIn], Ret::Signed),
    row("sched_getscheduler", &[Int], Ret::Enum(&f::task::SCHED_POLICY)),
    row("sched_get_priority_max", &[Flags(&f::task::SCHED_POLICY)], Ret::Signed),
    row("sched_get_priority_min", &[Flags(&f::task::SCHED_POLICY)], Ret::Signed),
    row("sched_rr_get_interval", &[Int, StructOut(&s::TIMESPEC)], Ret::Signed),
    row("sched_setaffinity", &[Int, Uint, CpuSet(1)], Ret::Signed),
    row("sched_getaffinity", &[Int, Uint, CpuSetOut], Ret::Signed),
    row("sched_setattr", &[Int, Struct(&s::SCHED_ATTR), Hex32], Ret::Signed),
    row("sched_getattr", &[Int, StructOut(&s::SCHED_ATTR), Uint, Hex32], Ret::Signed),
    row("getcpu", &[UintOut, UintOut, Ptr], Ret::Signed),
    row("unshare", &[Flags(&f::task::UNSHARE)], Ret::Signed),
    row("setns", &[Fd, Flags(&f::task::SETNS)], Ret::Signed),
    row("pidfd_open", &[Int, Flags(&f::task::PIDFD_OPEN)], Ret::Fd),
    row("process_mrelease", &[Fd, Hex32], Ret::Signed),
    row("kcmp", &[Int, Int, Enum(&f::task::KCMP), Hex, Hex], Ret::Signed),
    row("process_vm_readv", &[Int, Ptr, Ulong, Ptr, Ulong, Ulong], Ret::Signed),
    row("process_vm_writev", &[Int, Ptr, Ulong, Ptr, Ulong, Ulong], Ret::Signed),
    row("seccomp", &[Enum(&f::admin::SECCOMP), Hex32, Ptr], Ret::Signed),
    row("perf_event_open", &[Struct(&s::PERF_EVENT_ATTR), Int, Int, Fd, Flags(&f::bpf::PERF_OPEN)], Ret::Fd),
];
