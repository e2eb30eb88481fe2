//! `getsockopt` and `setsockopt`: level, option, and the value by the option's type.

use crate::event::{CaptureStatus, Phase};
use crate::syscall::flags::number::write_int;
use crate::syscall::flags::sockopt::{LEVEL, write_option};
use crate::syscall::structs::LINGER;
use crate::syscall::structs::UCRED;
use crate::syscall::table::ArgKind;
use crate::syscall::text::ArgWriter;
use crate::syscall::text::quote::write_quoted;

/// `setsockopt`: from the level on.
pub fn setsockopt(w: &mut ArgWriter<'_>, first: usize) {
    names(w, first, true);
    let (value, len) = (first + 2, first + 3);
    w.begin();
    let bytes = w.arg(len) as i32;
    if w.fullest(value).is_some() {
        w.input(value, |w, capture| w.option_value(first, capture.bytes, capture.status, bytes));
    } else {
        w.pointer(value);
    }
    w.next(len, ArgKind::Int);
}

/// `getsockopt`: from the level on.
pub fn getsockopt(w: &mut ArgWriter<'_>, first: usize) {
    names(w, first, false);
    let (value, len) = (first + 2, first + 3);
    w.begin();
    let filled = w.int_at(len, Phase::Exit).unwrap_or(0);
    w.output(value, |w, capture| w.option_value(first, capture.bytes, capture.status, filled));
    w.begin();
    w.socklen(len);
}

fn names(w: &mut ArgWriter<'_>, first: usize, set: bool) {
    w.value(first, &LEVEL);
    w.begin();
    let (level, option) = (w.arg(first), w.arg(first + 1));
    write_option(w.out, level, option, set);
}

impl ArgWriter<'_> {
    fn option_value(&mut self, first: usize, bytes: &[u8], status: CaptureStatus, len: i32) {
        let (level, option) = (self.arg(first) as i32, self.arg(first + 1) as i32);
        match (level, option) {
            (libc::SOL_SOCKET, libc::SO_LINGER) if len >= 8 => (LINGER.write)(self.out, bytes),
            (libc::SOL_SOCKET, libc::SO_PEERCRED) if len >= 12 => (UCRED.write)(self.out, bytes),
            _ if len == 4 => self.bracketed_int(bytes),
            _ if len <= 0 => write_int(self.out, 0),
            _ => write_quoted(self.out, bytes, self.string_limit, status == CaptureStatus::Cut),
        }
    }
}
