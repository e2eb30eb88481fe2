//! Signals: actions, sets, stacks, and what is known of one that was delivered.
//!
//! Layouts: include/uapi/asm/signal.h (the kernel's `sigaction`: handler, flags, restorer, mask) and asm-generic/siginfo.h.

use super::StructSpec;
use super::fields::{Fields, unsigned};
use super::time::write_ticks;
use crate::syscall::errno;
use crate::syscall::flags::number::{write_hex, write_int, write_pointer, write_uint};
use crate::syscall::flags::{FlagSet, signal, write_value};
use crate::syscall::signals::{write_signal, write_sigset};

/// The kernel's `struct sigaction`.
pub static SIGACTION: StructSpec = StructSpec { size: 32, write: sigaction };
/// `sigset_t`: `[CHLD INT]`.
pub static SIGSET: StructSpec = StructSpec { size: 8, write: sigset };
/// `siginfo_t`.
pub static SIGINFO: StructSpec = StructSpec { size: 128, write: siginfo };
/// `stack_t` of `sigaltstack`.
pub static STACK: StructSpec = StructSpec { size: 24, write: stack };
/// `struct sigevent`.
pub static SIGEVENT: StructSpec = StructSpec { size: 64, write: sigevent };

fn sigaction(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.with("sa_handler", 0, 8, |out, handler| match handler {
        0 => out.extend_from_slice(b"SIG_DFL"),
        1 => out.extend_from_slice(b"SIG_IGN"),
        u64::MAX => out.extend_from_slice(b"SIG_ERR"),
        handler => write_hex(out, handler),
    });
    let flags = fields.peek(8, 8).unwrap_or(0);
    fields.with("sa_mask", 24, 8, write_sigset);
    fields.flags("sa_flags", 8, 8, &signal::SA);
    if flags & SA_RESTORER != 0 {
        fields.pointer("sa_restorer", 16);
    }
    fields.close();
}

/// The C library's return from a handler is given (asm/signal.h; libc does not export it).
const SA_RESTORER: u64 = 0x0400_0000;

fn sigset(out: &mut Vec<u8>, bytes: &[u8]) {
    match bytes.get(..8) {
        Some(bytes) => write_sigset(out, unsigned(bytes)),
        None => out.extend_from_slice(b"[...]"),
    }
}

fn stack(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.pointer("ss_sp", 0);
    fields.flags("ss_flags", 8, 4, &signal::SS);
    fields.uint("ss_size", 16, 8);
    fields.close();
}

fn sigevent(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    let notify = fields.peek(12, 4).unwrap_or(0) as i32;
    if fields.peek(0, 8) != Some(0) {
        fields.with("sigev_value", 0, 8, |out, value| {
            out.extend_from_slice(b"{sival_int=");
            write_int(out, i64::from(value as u32 as i32));
            out.extend_from_slice(b", sival_ptr=");
            write_pointer(out, value);
            out.push(b'}');
        });
    }
    if matches!(notify, libc::SIGEV_SIGNAL | libc::SIGEV_THREAD_ID) {
        fields.with("sigev_signo", 8, 4, |out, signo| write_signal(out, signo as u32 as i32));
    } else {
        fields.uint("sigev_signo", 8, 4);
    }
    fields.value("sigev_notify", 12, 4, &signal::SIGEV);
    if notify == libc::SIGEV_THREAD_ID {
        fields.int("sigev_notify_thread_id", 16, 4);
    } else if notify == libc::SIGEV_THREAD {
        fields.pointer("sigev_notify_function", 16);
        fields.pointer("sigev_notify_attributes", 24);
    }
    fields.close();
}

fn siginfo(out: &mut Vec<u8>, bytes: &[u8]) {
    let word = |at: usize| bytes.get(at..at + 4).map(|bytes| unsigned(bytes) as u32 as i32);
    match (word(0), word(4), word(8)) {
        (Some(signo), Some(errno), Some(code)) => {
            write_siginfo(out, signo, errno, code, bytes.get(16..).unwrap_or(&[]));
        }
        _ => out.extend_from_slice(b"{...}"),
    }
}

/// Appends what is known of a signal. `union` is `siginfo_t` from its 16th byte, as `SignalRaw::fields` has it.
pub fn write_siginfo(out: &mut Vec<u8>, signo: i32, errno: i32, code: i32, union: &[u8]) {
    if signo == 0 {
        out.extend_from_slice(b"{}");
        return;
    }
    let mut fields = Fields::open(out, union);
    fields.bare(0, 0, |out, _| {
        out.extend_from_slice(b"si_signo=");
        write_signal(out, signo);
        out.extend_from_slice(b", si_code=");
        write_code(out, signo, code);
        if errno != 0 {
            out.extend_from_slice(b", si_errno=");
            match errno::name(i64::from(errno)) {
                Some(name) => out.extend_from_slice(name.as_bytes()),
                None => write_uint(out, u64::from(errno as u32)),
            }
        }
    });
    if code <= 0 {
        from_user(&mut fields, code);
    } else {
        from_kernel(&mut fields, signo, code);
    }
    fields.close();
}

/// The sets of `si_code` that only their signal has.
fn codes(signo: i32) -> Option<&'static FlagSet> {
    Some(match signo {
        libc::SIGILL => &signal::SI_ILL,
        libc::SIGFPE => &signal::SI_FPE,
        libc::SIGSEGV => &signal::SI_SEGV,
        libc::SIGBUS => &signal::SI_BUS,
        libc::SIGTRAP => &signal::SI_TRAP,
        libc::SIGCHLD => &signal::SI_CHLD,
        libc::SIGIO => &signal::SI_POLL,
        libc::SIGSYS => &signal::SI_SYS,
        _ => return None,
    })
}

/// The name of an `si_code` that only this signal has (`SEGV_MAPERR`).
pub fn code_name(signo: i32, code: i32) -> Option<&'static str> {
    codes(signo)?.name(u64::from(code as u32))
}

fn write_code(out: &mut Vec<u8>, signo: i32, code: i32) {
    match code_name(signo, code) {
        Some(name) => out.extend_from_slice(name.as_bytes()),
        None => write_value(out, &signal::SI, u64::from(code as u32)),
    }
}

fn sender(fields: &mut Fields<'_, '_>) {
    fields.int("si_pid", 0, 4);
    fields.id("si_uid", 4);
}

fn payload(fields: &mut Fields<'_, '_>) {
    fields.int("si_int", 8, 4);
    fields.pointer("si_ptr", 8);
}

fn from_user(fields: &mut Fields<'_, '_>, code: i32) {
    match code {
        libc::SI_USER | libc::SI_TKILL => sender(fields),
        libc::SI_TIMER => {
            fields.hex("si_timerid", 0, 4);
            fields.int("si_overrun", 4, 4);
            payload(fields);
        }
        libc::SI_SIGIO => {
            fields.int("si_band", 0, 8);
            fields.int("si_fd", 8, 4);
        }
        _ => {
            sender(fields);
            if fields.peek(8, 8).unwrap_or(0) != 0 {
                payload(fields);
            }
        }
    }
}

fn from_kernel(fields: &mut Fields<'_, '_>, signo: i32, code: i32) {
    match signo {
        libc::SIGCHLD => {
            sender(fields);
            fields.with("si_status", 8, 4, |out, status| {
                let status = status as u32 as i32;
                // A dead process has an exit code or the signal that killed it; a stopped one the signal that did.
                if code == libc::CLD_EXITED || !(1..=64).contains(&status) {
                    write_int(out, i64::from(status));
                } else {
                    write_signal(out, status);
                }
            });
            fields.with("si_utime", 16, 8, write_ticks);
            fields.with("si_stime", 24, 8, write_ticks);
        }
        libc::SIGILL | libc::SIGFPE | libc::SIGSEGV | libc::SIGBUS | libc::SIGTRAP => {
            fields.pointer("si_addr", 0);
            match (signo, code) {
                (libc::SIGSEGV, SEGV_BNDERR) => {
                    fields.pointer("si_lower", 16);
                    fields.pointer("si_upper", 24);
                }
                (libc::SIGSEGV, SEGV_PKUERR) => fields.uint("si_pkey", 16, 4),
                (libc::SIGBUS, libc::BUS_MCEERR_AR | libc::BUS_MCEERR_AO) => fields.hex("si_addr_lsb", 8, 2),
                _ => {}
            }
        }
        libc::SIGIO => {
            fields.int("si_band", 0, 8);
            fields.int("si_fd", 8, 4);
        }
        libc::SIGSYS => {
            fields.pointer("si_call_addr", 0);
            fields.with("si_syscall", 8, 4, write_uint);
            fields.with("si_arch", 12, 4, |out, arch| match arch {
                0xc000_003e => out.extend_from_slice(b"AUDIT_ARCH_X86_64"),
                0x4000_0003 => out.extend_from_slice(b"AUDIT_ARCH_I386"),
                arch => {
                    write_hex(out, arch);
                    out.extend_from_slice(b" /* AUDIT_ARCH_??? */");
                }
            });
        }
        _ => {
            if fields.peek(0, 8).unwrap_or(0) != 0 {
                sender(fields);
            }
            if fields.peek(8, 8).unwrap_or(0) != 0 {
                payload(fields);
            }
        }
    }
}

/// include/uapi/asm-generic/siginfo.h; libc does not export these two.
const SEGV_BNDERR: i32 = 3;
const SEGV_PKUERR: i32 = 4;
