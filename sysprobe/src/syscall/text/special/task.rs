//! `clone`, `clone3` and `ptrace`: which registers count depends on flags and requests.

use crate::event::CaptureStatus;
use crate::syscall::flags::number::{write_hex, write_int, write_pointer};
use crate::syscall::flags::{ptrace as requests, task, write_flags};
use crate::syscall::structs::CLONE_ARGS;
use crate::syscall::table::ArgKind;
use crate::syscall::text::ArgWriter;
use crate::syscall::text::arrays::long;

/// Flags whose argument is the parent's copy of the child's id, or its pidfd.
const PARENT_WORD: u64 = (libc::CLONE_PARENT_SETTID | libc::CLONE_PIDFD) as u64;
/// Flags whose argument is an address in the child.
const CHILD_WORD: u64 = (libc::CLONE_CHILD_SETTID | libc::CLONE_CHILD_CLEARTID) as u64;

/// `clone(flags, stack, parent_tid, child_tid, tls)`, in strace's order and with its names.
pub fn clone(w: &mut ArgWriter<'_>, first: usize) {
    let (flags, stack) = (w.arg(first), w.arg(first + 1));
    w.begin();
    w.text("child_stack=");
    write_pointer(w.out, stack);
    w.begin();
    w.text("flags=");
    write_flags(w.out, &task::CLONE, flags);
    if flags & PARENT_WORD != 0 {
        w.begin();
        w.text("parent_tid=");
        w.argument(first + 2, &ArgKind::IntOut);
    }
    if flags & libc::CLONE_SETTLS as u64 != 0 {
        let tls = w.arg(first + 4);
        w.begin();
        w.text("tls=");
        write_hex(w.out, tls);
    }
    if flags & CHILD_WORD != 0 {
        let child = w.arg(first + 3);
        w.begin();
        w.text("child_tidptr=");
        write_hex(w.out, child);
    }
}

/// `clone3`: its structure, what the kernel wrote where it points, and its size.
pub fn clone3(w: &mut ArgWriter<'_>, first: usize) {
    w.begin();
    w.structure(first, &CLONE_ARGS);
    let flags = match w.fullest(first) {
        Some(capture) if capture.status != CaptureStatus::Unreadable => long(capture.bytes, 0).unwrap_or(0),
        _ => 0,
    };
    // The kernel puts the child's id, which is the result, where `parent_tid` points.
    let child = w.ret().filter(|ret| *ret > 0 && flags & libc::CLONE_PARENT_SETTID as u64 != 0);
    if let Some(child) = child {
        w.text(" => {parent_tid=[");
        write_int(w.out, child);
        w.text("]}");
    }
    w.next(first + 1, ArgKind::Ulong);
}

// include/uapi/linux/ptrace.h; libc's constants have another type for each C library.
const PTRACE_TRACEME: u32 = 0;
const PTRACE_CONT: u32 = 7;
const PTRACE_SINGLESTEP: u32 = 9;
const PTRACE_DETACH: u32 = 17;
const PTRACE_SYSCALL: u32 = 24;
const PTRACE_SETOPTIONS: u32 = 0x4200;
const PTRACE_SEIZE: u32 = 0x4206;

/// `ptrace`: request, process, and two words read by none but the request.
pub fn ptrace(w: &mut ArgWriter<'_>, first: usize) {
    w.value(first, &requests::REQUEST);
    if w.arg(first) as u32 == PTRACE_TRACEME {
        return;
    }
    w.next(first + 1, ArgKind::Int);
    w.next(first + 2, ArgKind::Ptr);
    match w.arg(first) as u32 {
        PTRACE_SETOPTIONS | PTRACE_SEIZE => w.flags(first + 3, &requests::OPTIONS),
        PTRACE_CONT | PTRACE_SYSCALL | PTRACE_SINGLESTEP | PTRACE_DETACH => {
            w.next(first + 3, ArgKind::Signal);
        }
        _ => w.next(first + 3, ArgKind::Ptr),
    }
}
