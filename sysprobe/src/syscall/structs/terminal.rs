//! Terminals: settings and window size.
//!
//! Layouts: include/uapi/asm-generic/termbits.h, termios.h.

use super::StructSpec;
use super::fields::Fields;
use crate::syscall::flags::{FlagSet, terminal, write_flags};

/// `struct termios` (the kernel's, 36 bytes): the four words of flags.
pub static TERMIOS: StructSpec = StructSpec { size: 36, write: termios };
/// `struct winsize`.
pub static WINSIZE: StructSpec = StructSpec { size: 8, write: winsize };

fn termios(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.flags("c_iflag", 0, 4, &terminal::INPUT);
    fields.with("c_oflag", 4, 4, write_output);
    fields.with("c_cflag", 8, 4, write_control);
    fields.flags("c_lflag", 12, 4, &terminal::LOCAL);
    fields.close_abbreviated();
}

fn write_output(out: &mut Vec<u8>, flags: u64) {
    let delays: [(u64, &FlagSet); 6] = [
        (0x100, &terminal::DELAY_NL),
        (0x600, &terminal::DELAY_CR),
        (0x1800, &terminal::DELAY_TAB),
        (0x2000, &terminal::DELAY_BS),
        (0x4000, &terminal::DELAY_VT),
        (0x8000, &terminal::DELAY_FF),
    ];
    for (at, (mask, set)) in delays.iter().enumerate() {
        if at > 0 {
            out.push(b'|');
        }
        out.extend_from_slice(set.name(flags & mask).unwrap_or("?").as_bytes());
    }
    write_rest(out, &terminal::OUTPUT, flags & !0xff00);
}

fn write_control(out: &mut Vec<u8>, flags: u64) {
    const SPEED: u64 = 0x100f;
    out.extend_from_slice(terminal::SPEED.name(flags & SPEED).unwrap_or("?").as_bytes());
    let input = flags >> 16 & SPEED;
    if input != 0 {
        out.push(b'|');
        out.extend_from_slice(terminal::SPEED.name(input).unwrap_or("?").as_bytes());
        out.extend_from_slice(b"<<IBSHIFT");
    }
    out.extend_from_slice(match flags >> 4 & 3 {
        0 => b"|CS5",
        1 => b"|CS6",
        2 => b"|CS7",
        _ => b"|CS8",
    });
    write_rest(out, &terminal::CONTROL, flags & !(SPEED | SPEED << 16 | 0x30));
}

fn write_rest(out: &mut Vec<u8>, set: &FlagSet, flags: u64) {
    if flags != 0 {
        out.push(b'|');
        write_flags(out, set, flags);
    }
}

fn winsize(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    for (at, name) in (0..).step_by(2).zip(["ws_row", "ws_col", "ws_xpixel", "ws_ypixel"]) {
        fields.uint(name, at, 2);
    }
    fields.close();
}
