//! `stat`, `statx`, `statfs`: what a file and its file system are.
//!
//! Layouts: include/uapi/asm/stat.h, include/uapi/linux/stat.h, include/uapi/asm-generic/statfs.h.

use super::StructSpec;
use super::fields::{Fields, unsigned};
use crate::syscall::flags::number::{write_hex, write_uint};
use crate::syscall::flags::{magic, mount, open, write_mode};

/// `struct stat`: mode and size, or the device's number.
pub static STAT: StructSpec = StructSpec { size: 144, write: stat };

/// `struct statx`: mask, attributes, mode, size.
pub static STATX: StructSpec = StructSpec { size: 256, write: statx };

/// `struct statfs`: all of it.
pub static STATFS: StructSpec = StructSpec { size: 120, write: statfs };

fn stat(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    let kind = fields.peek(24, 4).unwrap_or(0) as u32 & libc::S_IFMT;
    fields.with("st_mode", 24, 4, |out, mode| write_mode(out, mode as u32));
    if matches!(kind, libc::S_IFCHR | libc::S_IFBLK) {
        fields.with("st_rdev", 40, 8, write_device);
    } else {
        fields.int("st_size", 48, 8);
    }
    fields.close_abbreviated();
}

/// Appends a device number as the calls take it: `makedev(0x88, 0x3)`.
pub fn write_device(out: &mut Vec<u8>, device: u64) {
    let major = (device >> 8 & 0xfff) | (device >> 32 & 0xffff_f000);
    let minor = (device & 0xff) | (device >> 12 & 0xffff_ff00);
    out.extend_from_slice(b"makedev(");
    write_hex(out, major);
    out.extend_from_slice(b", ");
    write_hex(out, minor);
    out.push(b')');
}

fn statx(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.flags("stx_mask", 0, 4, &open::STATX_MASK);
    fields.flags("stx_attributes", 8, 8, &open::STATX_ATTR);
    fields.with("stx_mode", 28, 2, |out, mode| write_mode(out, mode as u32));
    fields.uint("stx_size", 40, 8);
    fields.close_abbreviated();
}

/// include/linux/statfs.h: `f_flags` is filled in.
const ST_VALID: u64 = 0x20;

fn statfs(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.value("f_type", 0, 8, &magic::FILE_SYSTEM);
    let counts = ["f_bsize", "f_blocks", "f_bfree", "f_bavail", "f_files", "f_ffree"];
    for (at, name) in (8..).step_by(8).zip(counts) {
        fields.uint(name, at, 8);
    }
    fields.with_bytes("f_fsid", 56, 8, |out, bytes| {
        out.extend_from_slice(b"{val=[");
        for (at, half) in bytes.chunks(4).enumerate() {
            if at > 0 {
                out.extend_from_slice(b", ");
            }
            write_hex(out, unsigned(half));
        }
        out.extend_from_slice(b"]}");
    });
    fields.with("f_namelen", 64, 8, write_uint);
    fields.uint("f_frsize", 72, 8);
    // Old kernels do not fill it in; those that do say so.
    if fields.peek(80, 8).is_none_or(|flags| flags & ST_VALID != 0) {
        fields.flags("f_flags", 80, 8, &mount::STATFS);
    }
    fields.close();
}
