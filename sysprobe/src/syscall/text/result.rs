//! A call's result, with what strace says beside it.

use crate::event::{Capture, Syscall};
use crate::syscall::errno;
use crate::syscall::files::FileNames;
use crate::syscall::flags::number::{write_hex, write_int};
use crate::syscall::flags::write_flags;
use crate::syscall::signals;
use crate::syscall::table::{Ret, Row};

use super::special::{write_fcntl_result, write_octal_result, write_prctl_result};

/// Appends the result of a call that returned: `3</etc/hosts>`, `-1 ENOENT (No such file or directory)`,
/// `? ERESTARTSYS (To be restarted if SA_RESTART is set)`.
pub fn write_result(out: &mut Vec<u8>, row: Option<&Row>, call: &Syscall<'_>, names: &FileNames, ret: i64) {
    if (-4095..0).contains(&ret) {
        return write_error(out, -ret);
    }
    match row.map_or(Ret::Signed, |row| row.ret) {
        Ret::Fd => names.write_fd(out, ret as i32, call.captures.file(Capture::RET)),
        Ret::Hex => write_hex(out, ret as u64),
        Ret::Octal => write_octal_result(out, ret),
        Ret::Enum(set) => {
            write_int(out, ret);
            out.extend_from_slice(b" (");
            write_flags(out, set, ret as u64);
            out.push(b')');
        }
        Ret::HexFlags(set) => {
            write_hex(out, ret as u64);
            // A zero without a name is the plain success of a command that asks for no flags.
            if ret != 0 || set.name(0).is_some() {
                out.extend_from_slice(b" (");
                write_flags(out, set, ret as u64);
                out.push(b')');
            }
        }
        Ret::Signal => {
            write_int(out, ret);
            annotate(out, signals::name(ret as i32));
        }
        Ret::Fcntl => {
            let command = call.args.get(1).copied().unwrap_or(0) as i32;
            if matches!(command, libc::F_DUPFD | libc::F_DUPFD_CLOEXEC) {
                names.write_fd(out, ret as i32, call.captures.file(Capture::RET));
            } else if !write_fcntl_result(out, command, ret) {
                write_int(out, ret);
            }
        }
        Ret::Prctl => {
            let option = call.args.first().copied().unwrap_or(0) as i32;
            if !write_prctl_result(out, option, ret) {
                write_int(out, ret);
            }
        }
        Ret::Signed | Ret::Poll | Ret::Select | Ret::Never => write_int(out, ret),
    }
}

/// `-1 ENOENT (No such file or directory)`; the kernel's own restart codes, which user space never sees, as `? ERESTARTSYS (..)`.
fn write_error(out: &mut Vec<u8>, errno: i64) {
    let Some((name, text)) = errno::name(errno).zip(errno::text(errno)) else {
        out.extend_from_slice(b"-1 (errno ");
        write_int(out, errno);
        out.push(b')');
        return;
    };
    out.extend_from_slice(if errno >= 512 { b"? " } else { b"-1 " });
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b" (");
    out.extend_from_slice(text.as_bytes());
    out.push(b')');
}

fn annotate(out: &mut Vec<u8>, name: Option<&'static str>) {
    if let Some(name) = name {
        out.extend_from_slice(b" (");
        out.extend_from_slice(name.as_bytes());
        out.push(b')');
    }
}
