//! Calls on the address space.

use super::super::kind::ArgKind::*;
use super::super::kind::{HandRow, Ret, row};
use crate::syscall::flags as f;
use crate::syscall::text::special::mremap;

/// Calls on the address space.
pub static ROWS: &[HandRow] = &[
    row("mmap", &[Ptr, Ulong, Flags(&f::memory::PROT), Flags(&f::memory::MAP), Fd, Hex], Ret::Hex),
    row("mprotect", &[Ptr, Ulong, Flags(&f::memory::PROT)], Ret::Signed),
    row("pkey_mprotect", &[Ptr, Ulong, Flags(&f::memory::PROT), Int], Ret::Signed),
    row("pkey_alloc", &[Hex, Flags(&f::memory::PKEY)], Ret::Signed),
    row("pkey_free", &[Int], Ret::Signed),
    row("munmap", &[Ptr, Ulong], Ret::Signed),
    row("mremap", &[Ptr, Ulong, Ulong, Rest(mremap)], Ret::Hex),
    row("brk", &[Ptr], Ret::Hex),
    row("madvise", &[Ptr, Ulong, Enum(&f::memory::MADVISE)], Ret::Signed),
    row("process_madvise", &[Fd, IovecIn(2), Ulong, Enum(&f::memory::MADVISE), Hex32], Ret::Signed),
    row("msync", &[Ptr, Ulong, Flags(&f::memory::MSYNC)], Ret::Signed),
    row("mincore", &[Ptr, Ulong, Ptr], Ret::Signed),
    row("mlock", &[Ptr, Ulong], Ret::Signed),
    row("mlock2", &[Ptr, Ulong, Flags(&f::memory::MLOCK2)], Ret::Signed),
    row("munlock", &[Ptr, Ulong], Ret::Signed),
    row("mlockall", &[Flags(&f::memory::MLOCKALL)], Ret::Signed),
    row("munlockall", &[], Ret::Signed),
    row("mseal", &[Ptr, Ulong, Hex], Ret::Signed),
    row("remap_file_pages", &[Ptr, Ulong, Flags(&f::memory::PROT), Ulong, Flags(&f::memory::MAP)], Ret::Signed),
    row("get_mempolicy", &[IntOut, Ptr, Ulong, Ptr, Flags(&f::memory::MEMPOLICY_GET)], Ret::Signed),
    row("set_mempolicy", &[Flags(&f::memory::MEMPOLICY_MODE), Ptr, Ulong], Ret::Signed),
    row("mbind", &[Ptr, Ulong, Flags(&f::memory::MEMPOLICY_MODE), Ptr, Ulong, Flags(&f::memory::MBIND)], Ret::Signed),
    row("membarrier", &[Enum(&f::memory::MEMBARRIER), Hex32], Ret::HexFlags(&f::memory::MEMBARRIER)),
    row("shmget", &[Enum(&f::ipc::PRIVATE_KEY), Ulong, Flags(&f::ipc::SHM_GET)], Ret::Signed),
    row("shmat", &[Int, Ptr, Flags(&f::ipc::SHM_AT)], Ret::Hex),
    row("shmdt", &[Ptr], Ret::Signed),
    row("shmctl", &[Int, Enum(&f::ipc::SHMCTL), Ptr], Ret::Signed),
];
