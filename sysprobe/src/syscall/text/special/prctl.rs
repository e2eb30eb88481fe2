//! `prctl` and `arch_prctl`: how many arguments each option takes, and what they are.

use crate::syscall::flags::number::write_hex;
use crate::syscall::flags::prctl as names;
use crate::syscall::flags::task::{ARCH_PRCTL, CAPABILITY_NUMBER};
use crate::syscall::table::ArgKind;
use crate::syscall::text::ArgWriter;
use crate::syscall::text::arrays::long;
use crate::syscall::text::quote::write_quoted;

/// Bytes of a thread's name, its NUL included (`TASK_COMM_LEN`).
const COMM_BYTES: usize = 16;

/// `prctl`: from the option on.
pub fn prctl(w: &mut ArgWriter<'_>, first: usize) {
    w.value(first, &names::OPTION);
    let arg = first + 1;
    match w.arg(first) as i32 {
        libc::PR_GET_DUMPABLE
        | libc::PR_GET_KEEPCAPS
        | libc::PR_GET_SECCOMP
        | libc::PR_GET_TIMERSLACK
        | libc::PR_GET_TIMING
        | libc::PR_GET_SECUREBITS
        | libc::PR_TASK_PERF_EVENTS_DISABLE
        | libc::PR_TASK_PERF_EVENTS_ENABLE => {}
        libc::PR_SET_NAME => comm(w, arg, false),
        libc::PR_GET_NAME => comm(w, arg, true),
        libc::PR_SET_PDEATHSIG => w.next(arg, ArgKind::Signal),
        libc::PR_GET_PDEATHSIG => {
            w.begin();
            w.output(arg, |w, capture| {
                let signal = capture.bytes.get(..4).and_then(|b| b.try_into().ok()).map_or(0, i32::from_ne_bytes);
                w.text("[");
                crate::syscall::signals::write_signal(w.out, signal);
                w.text("]");
            });
        }
        libc::PR_SET_DUMPABLE => w.value(arg, &names::DUMPABLE),
        libc::PR_SET_SECUREBITS => w.flags(arg, &names::SECUREBITS),
        libc::PR_SET_PTRACER => w.value(arg, &names::PTRACER),
        libc::PR_SET_KEEPCAPS | libc::PR_SET_CHILD_SUBREAPER | libc::PR_SET_TIMERSLACK => w.next(arg, ArgKind::Ulong),
        libc::PR_GET_CHILD_SUBREAPER => w.next(arg, ArgKind::IntOut),
        libc::PR_CAPBSET_READ | libc::PR_CAPBSET_DROP => w.value(arg, &CAPABILITY_NUMBER),
        libc::PR_CAP_AMBIENT => {
            w.value(arg, &names::CAP_AMBIENT);
            w.value(arg + 1, &CAPABILITY_NUMBER);
            rest(w, arg + 2);
        }
        libc::PR_SET_SECCOMP => {
            w.value(arg, &names::SECCOMP_MODE);
            w.next(arg + 1, ArgKind::Ptr);
        }
        libc::PR_SET_NO_NEW_PRIVS | libc::PR_SET_THP_DISABLE => {
            w.next(arg, ArgKind::Ulong);
            rest(w, arg + 1);
        }
        libc::PR_SET_MM => {
            w.value(arg, &names::MM);
            rest(w, arg + 1);
        }
        libc::PR_SET_VMA => {
            w.value(arg, &names::VMA);
            w.next(arg + 1, ArgKind::Ptr);
            w.next(arg + 2, ArgKind::Ulong);
            w.next(arg + 3, ArgKind::Ptr);
        }
        _ => rest(w, arg),
    }
}

fn rest(w: &mut ArgWriter<'_>, from: usize) {
    for arg in from..5 {
        w.next(arg, ArgKind::Hex);
    }
}

fn comm(w: &mut ArgWriter<'_>, arg: usize, out: bool) {
    w.begin();
    let show = |w: &mut ArgWriter<'_>, bytes: &[u8]| {
        let bytes = bytes.get(..COMM_BYTES).unwrap_or(bytes);
        let end = bytes.iter().position(|byte| *byte == 0);
        // The kernel takes one byte less than the buffer; a longer name is cut.
        let name = bytes.get(..end.unwrap_or(COMM_BYTES - 1)).unwrap_or(bytes);
        write_quoted(w.out, name, COMM_BYTES, end.is_none());
    };
    if out {
        w.output(arg, |w, capture| show(w, capture.bytes));
    } else {
        w.input(arg, |w, capture| show(w, capture.bytes));
    }
}

/// Appends the result of `prctl` where it is more than a number: `1 (SUID_DUMP_USER)`. False: it is not.
pub(in crate::syscall::text) fn write_prctl_result(out: &mut Vec<u8>, option: i32, ret: i64) -> bool {
    let set = match option {
        libc::PR_GET_DUMPABLE => &names::DUMPABLE,
        libc::PR_GET_SECCOMP => &names::SECCOMP_MODE,
        _ => return false,
    };
    crate::syscall::flags::number::write_int(out, ret);
    if let Some(name) = set.name(ret as u64) {
        out.extend_from_slice(b" (");
        out.extend_from_slice(name.as_bytes());
        out.push(b')');
    }
    true
}

/// `arch_prctl`: from the code on.
pub fn arch_prctl(w: &mut ArgWriter<'_>, first: usize) {
    const ARCH_GET_FS: u64 = 0x1003;
    const ARCH_GET_GS: u64 = 0x1004;
    w.value(first, &ARCH_PRCTL);
    w.begin();
    match w.arg(first) {
        ARCH_GET_FS | ARCH_GET_GS => w.output(first + 1, |w, capture| {
            w.text("[");
            write_hex(w.out, long(capture.bytes, 0).unwrap_or(0));
            w.text("]");
        }),
        _ => {
            let value = w.arg(first + 1);
            write_hex(w.out, value);
        }
    }
}
