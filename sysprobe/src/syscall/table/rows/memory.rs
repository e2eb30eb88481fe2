//! Calls on the address space.

use super::super::kind::ArgKind::*;
use super::super::kind::{HandRow, Ret, row};
use super::flags as f;
use crate::syscall::text::special::mremap;

/// Calls on the address space.
pub static ROWS: &[HandRow] = &[
    row("mmap", &[Ptr, Ulong, Flags(&f::PROT), Flags(&f::MAP), Fd, Hex], Ret::Hex),
    row("mprotect", &[Ptr, Ulong, Flags(&f::PROT)], Ret::Signed),
    row("pkey_mprotect", &[Ptr, Ulong, Flags(&f::PROT), Int], Ret::Signed),
    row("pkey_alloc", &[Hex, Flags(&f::PKEY)], Ret::Signed),
    row("pkey_free", &[Int], Ret::Signed),
    row("munmap", &[Ptr, Ulong], Ret::Signed),
    row("mremap", &[Ptr, Ulong, Ulong, Rest(mremap)], Ret::Hex),
    row("brk", &[Ptr], Ret::Hex),
    row("madvise", &[Ptr, Ulong, Enum(&f::MADVISE)], Ret::Signed),
    row("process_madvise", &[Fd, IovecIn(2), Ulong, Enum(&f::MADVISE), Hex32], Ret::Signed),
    row("msync", &[Ptr, Ulong, Flags(&f::MSYNC)], Ret::Signed),
    row("mincore", &[Ptr, Ulong, Ptr], Ret::Signed),
    row("mlock", &[Ptr, Ulong], Ret::Signed),
    row("mlock2", &[Ptr, Ulong, Flags(&f::MLOCK2)], Ret::Signed),
    row("munlock", &[Ptr, Ulong], Ret::Signed),
    row("mlockall", &[Flags(&f::MLOCKALL)], Ret::Signed),
    row("munlockall", &[], Ret::Signed),
    row("mseal", &[Ptr, Ulong, Hex], Ret::Signed),
    row("remap_file_pages", &[Ptr, Ulong, Flags(&f::PROT), Ulong, Flags(&f::MAP)], Ret::Signed),
    row("get_mempolicy", &[IntOut, Ptr, Ulong, Ptr, Flags(&f::MEMPOLICY_GET)], Ret::Signed),
    row("set_mempolicy", &[Enum(&f::MEMPOLICY_MODE), Ptr, Ulong], Ret::Signed),
    row("mbind", &[Ptr, Ulong, Enum(&f::MEMPOLICY_MODE), Ptr, Ulong, Flags(&f::MBIND)], Ret::Signed),
    row("membarrier", &[Enum(&f::MEMBARRIER), Hex32], Ret::Signed),
    row("shmget", &[Rest(crate::syscall::text::special::shmget)], Ret::Signed),
    row("shmat", &[Int, Ptr, Flags(&f::SHMAT_FLAGS)], Ret::Hex),
    row("shmdt", &[Ptr], Ret::Signed),
    row("shmctl", &[Int, Enum(&f::IPC_COMMANDS), Ptr], Ret::Signed),
];
