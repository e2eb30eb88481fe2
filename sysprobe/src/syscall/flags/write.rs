//! Writes a value by a set: `O_WRONLY|O_CREAT`, `SEEK_SET`, `0x80 /* O_??? */`.
//!
//! This runs for nearly every traced call, so it walks short tables, stops when no bit is left, and allocates nothing.

use super::number::{write_hex, write_octal, write_uint};
use super::set::{FlagSet, Tail, find};
use crate::syscall::signals;

/// Appends `value` as flags: names joined by `|`, unnamed bits as `|0x8000000`, or as `0x80 /* O_??? */` if nothing has a
/// name; zero by its name, or `0`.
pub fn write_flags(out: &mut Vec<u8>, set: &FlagSet, value: u64) {
    let mut rest = set.cut(value);
    let start = out.len();
    if let Some(field) = set.head {
        let part = rest & field.mask;
        match find(field.names, part) {
            Some(name) => {
                out.extend_from_slice(name.as_bytes());
                rest &= !field.mask;
            }
            None if field.unknown.is_empty() || part == 0 => {}
            None => {
                write_unknown(out, field.unknown, part);
                rest &= !field.mask;
            }
        }
    }
    if rest == 0 {
        if matches!(set.tail, Tail::Mode) {
            out.extend_from_slice(b"000");
        } else if out.len() == start {
            out.extend_from_slice(set.zero.unwrap_or("0").as_bytes());
        }
        return;
    }
    let tail = match set.tail {
        Tail::None => 0,
        Tail::ExitSignal => rest & 0xff,
        Tail::Mode => rest & 0o777,
        Tail::Number(mask) | Tail::Shifted { mask, .. } => rest & mask,
    };
    rest &= !tail;
    for flag in set.names {
        if rest == 0 {
            break;
        }
        if flag.value != 0 && rest & flag.value == flag.value {
            separate(out, start);
            out.extend_from_slice(flag.name.as_bytes());
            rest &= !flag.value;
        }
    }
    if rest != 0 {
        if out.len() == start {
            write_unknown(out, set.unknown, rest);
        } else {
            out.push(b'|');
            write_hex(out, rest);
        }
    }
    match set.tail {
        Tail::Mode => {
            separate(out, start);
            write_octal(out, tail);
        }
        Tail::Number(_) => {
            separate(out, start);
            write_uint(out, tail);
        }
        Tail::ExitSignal if tail != 0 => {
            separate(out, start);
            signals::write_signal(out, tail as i32);
        }
        Tail::Shifted { shift, name, .. } if tail != 0 => {
            separate(out, start);
            write_uint(out, tail >> shift);
            out.extend_from_slice(b"<<");
            out.extend_from_slice(name.as_bytes());
        }
        Tail::None | Tail::ExitSignal | Tail::Shifted { .. } => {}
    }
}

/// Appends `value` as one of an enumeration: its name, or `0x2a /* SEEK_??? */`.
pub fn write_value(out: &mut Vec<u8>, set: &FlagSet, value: u64) {
    match set.name(value) {
        Some(name) => out.extend_from_slice(name.as_bytes()),
        None => write_unknown(out, set.unknown, set.cut(value)),
    }
}

/// Appends a file mode with its type: `S_IFREG|0644`, `S_IFDIR|S_ISVTX|0777`, `0600` if there is no type.
pub fn write_mode(out: &mut Vec<u8>, mode: u32) {
    let kind = match mode & libc::S_IFMT {
        libc::S_IFREG => "S_IFREG|",
        libc::S_IFDIR => "S_IFDIR|",
        libc::S_IFCHR => "S_IFCHR|",
        libc::S_IFBLK => "S_IFBLK|",
        libc::S_IFLNK => "S_IFLNK|",
        libc::S_IFIFO => "S_IFIFO|",
        libc::S_IFSOCK => "S_IFSOCK|",
        _ => "",
    };
    out.extend_from_slice(kind.as_bytes());
    let mut rest = mode;
    if !kind.is_empty() {
        rest &= !libc::S_IFMT;
    }
    for (bit, name) in [(libc::S_ISUID, "S_ISUID|"), (libc::S_ISGID, "S_ISGID|"), (libc::S_ISVTX, "S_ISVTX|")] {
        if rest & bit != 0 {
            out.extend_from_slice(name.as_bytes());
            rest &= !bit;
        }
    }
    write_octal(out, u64::from(rest));
}

fn separate(out: &mut Vec<u8>, start: usize) {
    if out.len() > start {
        out.push(b'|');
    }
}

fn write_unknown(out: &mut Vec<u8>, unknown: &str, value: u64) {
    write_hex(out, value);
    if !unknown.is_empty() {
        out.extend_from_slice(b" /* ");
        out.extend_from_slice(unknown.as_bytes());
        out.extend_from_slice(b" */");
    }
}
