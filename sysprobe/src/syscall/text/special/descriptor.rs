//! Files and memory: open's mode, fcntl's argument, mremap's fifth, vectors' offsets.

use crate::syscall::flags::number::{write_int, write_octal, write_uint};
use crate::syscall::flags::{fd, memory, open, write_flags, write_value};
use crate::syscall::structs::{FLOCK, FLOCK_OWNED, OWNER};
use crate::syscall::table::ArgKind;
use crate::syscall::text::ArgWriter;

/// `open`, `openat`: flags, and the mode where one is looked at.
pub fn open_flags(w: &mut ArgWriter<'_>, first: usize) {
    w.flags(first, &open::OPEN);
    let flags = w.arg(first) as i32;
    if flags & libc::O_CREAT != 0 || flags & libc::O_TMPFILE == libc::O_TMPFILE {
        w.next(first + 1, ArgKind::Mode);
    }
}

/// `mknod`: the file's mode, and the device number of a device.
pub fn mknod(w: &mut ArgWriter<'_>, first: usize) {
    w.next(first, ArgKind::FileMode);
    if matches!(w.arg(first) as u32 & libc::S_IFMT, libc::S_IFCHR | libc::S_IFBLK) {
        w.next(first + 1, ArgKind::Dev);
    }
}

/// `mremap`: flags, and the new address where one is looked at.
pub fn mremap(w: &mut ArgWriter<'_>, first: usize) {
    w.flags(first, &memory::MREMAP);
    if w.arg(first) & (libc::MREMAP_FIXED | libc::MREMAP_DONTUNMAP) as u64 != 0 {
        w.next(first + 1, ArgKind::Ptr);
    }
}

/// `preadv`, `pwritev`: the offset, which the kernel takes in two registers and x86-64 puts in one.
pub fn vector_offset(w: &mut ArgWriter<'_>, first: usize) {
    w.next(first, ArgKind::Long);
}

/// `preadv2`, `pwritev2`: the offset and flags.
pub fn vector_offset_flags(w: &mut ArgWriter<'_>, first: usize) {
    w.next(first, ArgKind::Long);
    w.flags(first + 2, &fd::RWF);
}

/// `fcntl`: the command, and what it takes.
pub fn fcntl(w: &mut ArgWriter<'_>, first: usize) {
    w.value(first, &fd::FCNTL);
    let arg = first + 1;
    match w.arg(first) as i32 {
        libc::F_GETFD | libc::F_GETFL | libc::F_GETOWN | libc::F_GETLEASE | libc::F_GETPIPE_SZ | libc::F_GET_SEALS => {}
        F_GETSIG => {}
        libc::F_SETFD => w.flags(arg, &fd::FD_FLAGS),
        libc::F_SETFL => w.flags(arg, &open::OPEN),
        libc::F_DUPFD | libc::F_DUPFD_CLOEXEC | libc::F_SETOWN | libc::F_SETPIPE_SZ => w.next(arg, ArgKind::Int),
        F_SETSIG => w.next(arg, ArgKind::Signal),
        libc::F_SETLEASE => w.value(arg, &fd::LEASE),
        libc::F_NOTIFY => w.flags(arg, &fd::NOTIFY),
        libc::F_ADD_SEALS => w.flags(arg, &fd::SEALS),
        libc::F_SETLK | libc::F_SETLKW | libc::F_OFD_SETLK | libc::F_OFD_SETLKW => w.next(arg, ArgKind::Struct(&FLOCK)),
        libc::F_GETLK | libc::F_OFD_GETLK => w.next(arg, ArgKind::StructOut(&FLOCK_OWNED)),
        F_SETOWN_EX => w.next(arg, ArgKind::Struct(&OWNER)),
        F_GETOWN_EX => w.next(arg, ArgKind::StructOut(&OWNER)),
        _ => w.next(arg, ArgKind::Hex),
    }
}

/// What libc lacks (include/uapi/asm-generic/fcntl.h).
const F_SETSIG: i32 = 10;
const F_GETSIG: i32 = 11;
const F_SETOWN_EX: i32 = 15;
const F_GETOWN_EX: i32 = 16;

/// Appends the result of `fcntl`: `0x1 (flags FD_CLOEXEC)`. False: the result reads like any number.
pub(in crate::syscall::text) fn write_fcntl_result(out: &mut Vec<u8>, command: i32, ret: i64) -> bool {
    let (lead, set) = match command {
        libc::F_GETFD => ("flags ", &fd::FD_FLAGS),
        libc::F_GETFL => ("flags ", &open::OPEN),
        libc::F_GET_SEALS => ("seals ", &fd::SEALS),
        libc::F_GETLEASE => ("", &fd::LEASE),
        _ => return false,
    };
    let value = ret as u64;
    if ret == 0 && command == libc::F_GETFD {
        out.push(b'0');
        return true;
    }
    crate::syscall::flags::number::write_hex(out, value);
    out.extend_from_slice(b" (");
    out.extend_from_slice(lead.as_bytes());
    match command {
        libc::F_GETLEASE => write_value(out, set, value),
        _ => write_flags(out, set, value),
    }
    out.push(b')');
    true
}

/// Appends the result of `umask`: octal, or `0`.
pub(in crate::syscall::text) fn write_octal_result(out: &mut Vec<u8>, ret: i64) {
    match ret {
        0 => write_uint(out, 0),
        1.. => write_octal(out, ret as u64),
        _ => write_int(out, ret),
    }
}
