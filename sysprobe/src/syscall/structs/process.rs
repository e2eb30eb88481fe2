//! Processes: births, limits, usage, scheduling, capabilities, ends.
//!
//! Layouts: include/uapi/linux/sched.h, sched/types.h, resource.h, utsname.h, sysinfo.h, capability.h, include/linux/socket.h.

use super::StructSpec;
use super::fields::{Fields, signed, unsigned, until_nul, write_quoted};
use super::time::TIMEVAL;
use crate::syscall::flags::number::{write_hex, write_int, write_uint};
use crate::syscall::flags::{ptrace, task, write_value};
use crate::syscall::signals::write_signal;

/// `struct clone_args` of `clone3`. Fields that mean nothing without their flag are left out.
pub static CLONE_ARGS: StructSpec = StructSpec { size: 88, write: clone_args };
/// `struct rlimit`.
pub static RLIMIT: StructSpec = StructSpec { size: 16, write: rlimit };
/// `struct rusage`: the times.
pub static RUSAGE: StructSpec = StructSpec { size: 144, write: rusage };
/// `struct sched_param`: `[5]`.
pub static SCHED_PARAM: StructSpec = StructSpec { size: 4, write: sched_param };
/// `struct sched_attr`.
pub static SCHED_ATTR: StructSpec = StructSpec { size: 56, write: sched_attr };
/// `struct utsname`: the system's and the host's name.
pub static UTSNAME: StructSpec = StructSpec { size: 390, write: utsname };
/// `struct sysinfo`.
pub static SYSINFO: StructSpec = StructSpec { size: 112, write: sysinfo };
/// `struct __user_cap_header_struct`.
pub static CAP_HEADER: StructSpec = StructSpec { size: 8, write: cap_header };
/// Two `struct __user_cap_data_struct`, as version 3 has them; one (12 bytes) as version 1 does.
pub static CAP_DATA: StructSpec = StructSpec { size: 24, write: cap_data };
/// `struct ucred`.
pub static UCRED: StructSpec = StructSpec { size: 12, write: ucred };
/// What `wait4` says of a child: `[{WIFEXITED(s) && WEXITSTATUS(s) == 0}]`.
pub static WAIT_STATUS: StructSpec = StructSpec { size: 4, write: wait_status };

fn clone_args(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    let flags = fields.peek(0, 8).unwrap_or(0);
    let has = |flag: i32| flags & flag as u32 as u64 != 0;
    fields.flags("flags", 0, 8, &task::CLONE3);
    if has(libc::CLONE_PIDFD) {
        fields.pointer("pidfd", 8);
    }
    if has(libc::CLONE_CHILD_SETTID) || has(libc::CLONE_CHILD_CLEARTID) {
        fields.pointer("child_tid", 16);
    }
    if has(libc::CLONE_PARENT_SETTID) {
        fields.pointer("parent_tid", 24);
    }
    fields.with("exit_signal", 32, 8, |out, signo| match i32::try_from(signo) {
        Ok(signo) => write_signal(out, signo),
        Err(_) => write_uint(out, signo),
    });
    fields.pointer("stack", 40);
    fields.hex("stack_size", 48, 8);
    if has(libc::CLONE_SETTLS) {
        fields.pointer("tls", 56);
    }
    // Later versions of the structure: shown only when used.
    if fields.peek(64, 8).unwrap_or(0) != 0 || fields.peek(72, 8).unwrap_or(0) != 0 {
        fields.pointer("set_tid", 64);
        fields.uint("set_tid_size", 72, 8);
    }
    if flags & CLONE_INTO_CGROUP != 0 || fields.peek(80, 8).unwrap_or(0) != 0 {
        fields.uint("cgroup", 80, 8);
    }
    fields.close();
}

/// include/uapi/linux/sched.h; libc's constant is too narrow for it.
const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

fn rlimit(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.with("rlim_cur", 0, 8, write_limit);
    fields.with("rlim_max", 8, 8, write_limit);
    fields.close();
}

/// Whole multiples of 1024 above 1024 itself read better as such.
fn write_limit(out: &mut Vec<u8>, limit: u64) {
    match limit {
        u64::MAX => out.extend_from_slice(b"RLIM64_INFINITY"),
        1025.. if limit.is_multiple_of(1024) => {
            write_uint(out, limit / 1024);
            out.extend_from_slice(b"*1024");
        }
        _ => write_uint(out, limit),
    }
}

fn rusage(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.nested("ru_utime", 0, 16, TIMEVAL.write);
    fields.nested("ru_stime", 16, 16, TIMEVAL.write);
    fields.close_abbreviated();
}

fn sched_param(out: &mut Vec<u8>, bytes: &[u8]) {
    match bytes.get(..4) {
        Some(bytes) => {
            out.push(b'[');
            write_int(out, signed(bytes));
            out.push(b']');
        }
        None => out.extend_from_slice(b"[...]"),
    }
}

fn sched_attr(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    let size = fields.peek(0, 4).unwrap_or(0);
    fields.uint("size", 0, 4);
    fields.value("sched_policy", 4, 4, &task::SCHED_POLICY);
    fields.flags("sched_flags", 8, 8, &task::SCHED_ATTR);
    fields.int("sched_nice", 16, 4);
    fields.uint("sched_priority", 20, 4);
    for (at, name) in (24..).step_by(8).zip(["sched_runtime", "sched_deadline", "sched_period"]) {
        fields.uint(name, at, 8);
    }
    if size >= 56 {
        fields.uint("sched_util_min", 48, 4);
        fields.uint("sched_util_max", 52, 4);
    }
    fields.close();
}

fn utsname(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.with_bytes("sysname", 0, 65, |out, bytes| write_quoted(out, until_nul(bytes)));
    fields.with_bytes("nodename", 65, 65, |out, bytes| write_quoted(out, until_nul(bytes)));
    fields.close_abbreviated();
}

fn sysinfo(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.uint("uptime", 0, 8);
    fields.with_bytes("loads", 8, 24, |out, bytes| {
        for (at, load) in bytes.chunks(8).enumerate() {
            out.extend_from_slice(if at == 0 { b"[" } else { b", " });
            write_uint(out, unsigned(load));
        }
        out.push(b']');
    });
    let memory = ["totalram", "freeram", "sharedram", "bufferram", "totalswap", "freeswap"];
    for (at, name) in (32..).step_by(8).zip(memory) {
        fields.uint(name, at, 8);
    }
    fields.uint("procs", 80, 2);
    fields.uint("totalhigh", 88, 8);
    fields.uint("freehigh", 96, 8);
    fields.uint("mem_unit", 104, 4);
    fields.close();
}

fn cap_header(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.value("version", 0, 4, &task::CAP_VERSION);
    fields.int("pid", 4, 4);
    fields.close();
}

fn cap_data(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    for (at, name) in [(0, "effective"), (4, "permitted"), (8, "inheritable")] {
        // The upper halves follow in a second structure.
        let high = fields.peek(at + 12, 4).unwrap_or(0);
        fields.with(name, at, 4, |out, low| write_capabilities(out, high << 32 | low));
    }
    fields.close();
}

/// Appends a set of capabilities: `1<<CAP_CHOWN|1<<CAP_SYS_ADMIN`, `0`. As in the structure and in strace, the halves stand
/// for themselves: bits of the upper one without a name are shown as that word has them.
pub fn write_capabilities(out: &mut Vec<u8>, set: u64) {
    let (low, high) = (set & 0xffff_ffff, set >> 32);
    if low != 0 || high == 0 {
        write_capability_word(out, low, 0);
    }
    if high != 0 {
        if low != 0 {
            out.push(b'|');
        }
        write_capability_word(out, high, 32);
    }
}

fn write_capability_word(out: &mut Vec<u8>, word: u64, base: u64) {
    let start = out.len();
    let mut rest = word;
    for bit in 0..32 {
        if word >> bit & 1 == 0 {
            continue;
        }
        let Some(name) = task::CAPABILITY_NUMBER.name(base + bit) else { continue };
        if out.len() > start {
            out.push(b'|');
        }
        out.extend_from_slice(b"1<<");
        out.extend_from_slice(name.as_bytes());
        rest &= !(1 << bit);
    }
    if out.len() == start {
        write_hex(out, rest);
        if rest != 0 {
            out.extend_from_slice(b" /* CAP_??? */");
        }
    } else if rest != 0 {
        out.push(b'|');
        write_hex(out, rest);
    }
}

fn ucred(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.int("pid", 0, 4);
    fields.id("uid", 4);
    fields.id("gid", 8);
    fields.close();
}

fn wait_status(out: &mut Vec<u8>, bytes: &[u8]) {
    out.push(b'[');
    match bytes.get(..4).map(unsigned) {
        Some(status) => write_wait_status(out, status as i32),
        None => out.extend_from_slice(b"..."),
    }
    out.push(b']');
}

/// Appends a wait status without its brackets, with the tracing event in the upper half, if any.
fn write_wait_status(out: &mut Vec<u8>, status: i32) {
    let event = status as u32 >> 16;
    let low = status & 0xffff;
    // What the text below accounts for; bits beyond it are shown as they are.
    let mut rest = 0;
    if low & 0x7f == 0 {
        out.extend_from_slice(b"{WIFEXITED(s) && WEXITSTATUS(s) == ");
        write_int(out, i64::from(low >> 8));
        out.push(b'}');
        rest = low & 0x80;
    } else if low == 0xffff {
        out.extend_from_slice(b"{WIFCONTINUED(s)}");
    } else if low & 0xff == 0x7f {
        out.extend_from_slice(b"{WIFSTOPPED(s) && WSTOPSIG(s) == ");
        // 0x80: a stop at a system call under PTRACE_O_TRACESYSGOOD.
        let signal = low >> 8;
        let trap = signal == libc::SIGTRAP | 0x80;
        write_signal(out, if trap { libc::SIGTRAP } else { signal });
        out.extend_from_slice(if trap { b" | 0x80}" } else { b"}" });
    } else if low >> 8 == 0 {
        out.extend_from_slice(b"{WIFSIGNALED(s) && WTERMSIG(s) == ");
        write_signal(out, low & 0x7f);
        out.extend_from_slice(if low & 0x80 != 0 { b" && WCOREDUMP(s)}" } else { b"}" });
    } else {
        write_hex(out, u64::from(status as u32));
        return;
    }
    if event != 0 {
        out.push(b'|');
        write_value(out, &ptrace::EVENT, u64::from(event));
        out.extend_from_slice(b"<<16");
    }
    if rest != 0 {
        out.push(b'|');
        write_hex(out, rest as u64);
    }
}
