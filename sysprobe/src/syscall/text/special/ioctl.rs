//! `ioctl`: the request, and what the common ones take.

use crate::syscall::flags::ioctl::write_request;
use crate::syscall::structs::{TERMIOS, WINSIZE};
use crate::syscall::table::ArgKind;
use crate::syscall::text::ArgWriter;

/// `FICLONE` (include/uapi/linux/fs.h): its argument is the descriptor to share blocks with.
const FICLONE: libc::Ioctl = 0x4004_9409;

/// `ioctl`: from the request on.
pub fn ioctl(w: &mut ArgWriter<'_>, first: usize) {
    w.begin();
    let request = w.arg(first);
    write_request(w.out, request);
    let arg = first + 1;
    match request as u32 as libc::Ioctl {
        libc::FIOCLEX | libc::FIONCLEX => {}
        libc::TCGETS => w.next(arg, ArgKind::StructOut(&TERMIOS)),
        libc::TCSETS | libc::TCSETSW | libc::TCSETSF => w.next(arg, ArgKind::Struct(&TERMIOS)),
        libc::TIOCGWINSZ => w.next(arg, ArgKind::StructOut(&WINSIZE)),
        libc::TIOCSWINSZ => w.next(arg, ArgKind::Struct(&WINSIZE)),
        libc::FIONBIO | libc::FIOASYNC | libc::TIOCSPGRP => w.next(arg, ArgKind::IntIn),
        libc::FIONREAD | libc::TIOCOUTQ | libc::TIOCGPGRP | libc::TIOCGSID | libc::TIOCGPTN => {
            w.next(arg, ArgKind::IntOut)
        }
        libc::TCFLSH => flush(w, arg),
        libc::TIOCSCTTY | FICLONE => w.next(arg, ArgKind::Int),
        _ => w.next(arg, ArgKind::Hex),
    }
}

/// Which queue `TCFLSH` throws away.
fn flush(w: &mut ArgWriter<'_>, arg: usize) {
    w.begin();
    match w.arg(arg) as i32 {
        libc::TCIFLUSH => w.text("TCIFLUSH"),
        libc::TCOFLUSH => w.text("TCOFLUSH"),
        libc::TCIOFLUSH => w.text("TCIOFLUSH"),
        _ => w.argument(arg, &ArgKind::Hex),
    }
}
