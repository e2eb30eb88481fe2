//! Opening, locking, mounting and listing files.
//!
//! Layouts: include/uapi/linux/openat2.h, asm-generic/fcntl.h, linux/mount.h, linux/fs.h (`file_handle`), include/linux/dirent.h.

use super::StructSpec;
use super::fields::{Fields, unsigned};
use crate::syscall::flags::number::{write_hex_digits, write_octal, write_uint};
use crate::syscall::flags::{fd, mount, open, write_value};

/// `struct open_how` of `openat2`.
pub static OPEN_HOW: StructSpec = StructSpec { size: 24, write: open_how };
/// `struct flock` given to `F_SETLK`: without the owner, which the kernel does not read.
pub static FLOCK: StructSpec = StructSpec { size: 32, write: flock };
/// `struct flock` filled in by `F_GETLK`: with the owner.
pub static FLOCK_OWNED: StructSpec = StructSpec { size: 32, write: flock_owned };
/// `struct f_owner_ex`.
pub static OWNER: StructSpec = StructSpec { size: 8, write: owner };
/// `struct mount_attr`.
pub static MOUNT_ATTR: StructSpec = StructSpec { size: 32, write: mount_attr };
/// `struct file_handle`, its bytes included as far as they were captured.
pub static FILE_HANDLE: StructSpec = StructSpec { size: 136, write: file_handle };

fn open_how(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    let flags = fields.peek(0, 8).unwrap_or(0);
    fields.flags("flags", 0, 8, &open::OPEN);
    // O_CREAT, or the one bit that tells O_TMPFILE from O_DIRECTORY; a mode without them is an error worth seeing.
    if flags & (libc::O_CREAT as u64 | 0x40_0000) != 0 || fields.peek(8, 8) != Some(0) {
        fields.with("mode", 8, 8, write_octal);
    }
    fields.flags("resolve", 16, 8, &open::RESOLVE);
    fields.close();
}

fn flock(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    lock(&mut fields);
    fields.close();
}

fn flock_owned(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    lock(&mut fields);
    fields.int("l_pid", 24, 4);
    fields.close();
}

fn lock(fields: &mut Fields<'_, '_>) {
    fields.value("l_type", 0, 2, &fd::LOCK_TYPE);
    fields.value("l_whence", 2, 2, &open::WHENCE);
    fields.int("l_start", 8, 8);
    fields.int("l_len", 16, 8);
}

fn owner(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.value("type", 0, 4, &fd::OWNER);
    fields.int("pid", 4, 4);
    fields.close();
}

fn mount_attr(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.flags("attr_set", 0, 8, &mount::MOUNT_ATTR);
    fields.flags("attr_clr", 8, 8, &mount::MOUNT_ATTR);
    fields.with("propagation", 16, 8, |out, value| match value {
        0 => out.extend_from_slice(b"0 /* MS_??? */"),
        value => write_value(out, &mount::PROPAGATION, value),
    });
    fields.uint("userns_fd", 24, 8);
    fields.close();
}

fn file_handle(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    let len = fields.peek(0, 4).unwrap_or(0).min(128) as usize;
    fields.uint("handle_bytes", 0, 4);
    fields.int("handle_type", 4, 4);
    fields.with_bytes("f_handle", 8, len, |out, bytes| {
        out.push(b'"');
        for byte in bytes {
            out.extend_from_slice(b"\\x");
            write_hex_digits(out, u64::from(*byte), 2);
        }
        out.push(b'"');
    });
    fields.close();
}

/// How many entries `getdents64` put into a buffer of which the first bytes are here. `total` is the call's result in bytes:
/// entries beyond the captured bytes are counted at the size of those seen, so the number is exact only if all is here.
/// Returns the count, and whether it is exact.
pub fn count_dirents64(bytes: &[u8], total: usize) -> (usize, bool) {
    let shown = bytes.get(..total).unwrap_or(bytes);
    let (mut at, mut count) = (0, 0);
    while at < shown.len() {
        // d_ino and d_off come before d_reclen; an entry is never shorter than its head.
        let Some(len) = shown.get(at + 16..at + 18).map(|bytes| unsigned(bytes) as usize) else { break };
        if len < 19 {
            return (count, false);
        }
        at += len;
        count += 1;
    }
    if at >= total {
        return (count, true);
    }
    ((count * total + at / 2).checked_div(at).unwrap_or(0), false)
}

/// Appends what strace shows of a directory buffer: ` /* 5 entries */`.
pub fn write_dirents64(out: &mut Vec<u8>, bytes: &[u8], total: usize) {
    let (count, exact) = count_dirents64(bytes, total);
    out.extend_from_slice(if exact { b" /* " } else { b" /* about " });
    write_uint(out, count as u64);
    out.extend_from_slice(b" entries */");
}
