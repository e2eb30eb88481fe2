//! The task iterator: shows every task that is in D now, and those asked for by id, whatever they do.
//!
//! Runs only when user space reads it, in the reader's own context. A task's stack, its lock and its registers are
//! read while it may go on: the reader sees by `since_ns` and `switches` whether it is still the same wait.

use aya_ebpf::helpers::generated::{bpf_get_task_stack, bpf_seq_write};
use sysprobe_common::event::{TaskWaitRaw, is_blocked};
use sysprobe_common::fields::Field;
use sysprobe_common::limits::KERNEL_FRAMES;

use super::lock;
use crate::emit::now_ns;
use crate::fields::{get, read};
use crate::maps::{BLOCKED, LOOK_SCRATCH, WANTED};

/// `THREAD_SIZE` on x86-64 without KASAN (arch/x86/include/asm/page_64_types.h).
const STACK_BYTES: u64 = 16 * 1024;
/// `struct pt_regs` at the top of a thread's stack (arch/x86/include/asm/ptrace.h).
const REGS_BYTES: u64 = 168;
/// Room that kernels with FRED leave above it (`TOP_OF_KERNEL_STACK_PADDING`).
const FRED_PADDING: u64 = 16;
/// `__USER_CS` and `__USER32_CS`: what a frame from user space has in `cs`.
const USER_CS: u64 = 0x33;
const USER32_CS: u64 = 0x23;

/// The part of `struct pt_regs` that says which call a thread is in.
#[repr(C)]
#[derive(Clone, Copy)]
struct Regs {
    r15_to_bx: [u64; 6],
    r11: u64,
    r10: u64,
    r9: u64,
    r8: u64,
    ax: u64,
    cx: u64,
    dx: u64,
    si: u64,
    di: u64,
    orig_ax: u64,
    ip: u64,
    cs: u64,
}

/// `struct bpf_iter_meta` as far as it is read.
#[repr(C)]
pub(super) struct IterMeta {
    pub(super) seq: *mut aya_ebpf::bindings::seq_file,
}

/// `struct bpf_iter__task`.
#[repr(C)]
pub(super) struct IterContext {
    pub(super) meta: *const IterMeta,
    pub(super) task: *mut aya_ebpf::bindings::task_struct,
}

/// One task of the walk; a null one ends it.
#[unsafe(no_mangle)]
#[unsafe(link_section = "iter/task")]
fn task_waits(context: *const IterContext) -> i32 {
    let _ = try_task_waits(context);
    0
}

#[inline(always)]
fn try_task_waits(context: *const IterContext) -> Option<()> {
    // SAFETY: the kernel gives a whole context; the verifier checks each load.
    let (meta, task) = unsafe { ((*context).meta, (*context).task) };
    if task.is_null() {
        return None;
    }
    let address = task as u64;
    let state: u32 = get(address, Field::TaskState)?;
    let tid: u32 = get(address, Field::TaskPid)?;
    // SAFETY: rows are preallocated; only their presence is looked at.
    if !is_blocked(state) && unsafe { WANTED.get(tid) }.is_none() {
        return None;
    }
    let look = LOOK_SCRATCH.get_ptr_mut(0)?;
    // SAFETY: this CPU's own row; one reader walks at a time and is not preempted inside a program.
    let look: &mut TaskWaitRaw = unsafe { &mut *look };
    look.seen_ns = now_ns();
    look.tid = tid;
    look.tgid = get(address, Field::TaskTgid).unwrap_or(0);
    look.state = state;
    look.flags = get(address, Field::TaskFlags).unwrap_or(0);
    look.start_ns = get(address, Field::TaskStartBoottime).unwrap_or(0);
    let voluntary: u64 = get(address, Field::TaskSwitchesVoluntary).unwrap_or(0);
    let involuntary: u64 = get(address, Field::TaskSwitchesInvoluntary).unwrap_or(0);
    look.switches = voluntary.wrapping_add(involuntary);
    let parent: u64 = get(address, Field::TaskRealParent).unwrap_or(0);
    look.ppid = get(parent, Field::TaskTgid).unwrap_or(0);
    look.comm = get(address, Field::TaskComm).unwrap_or([0; 16]);
    look.lock = lock::of(tid, address);
    set_call(look, address);
    look.since_ns = 0;
    look.user_len = 0;
    // SAFETY: rows are preallocated; a row that changes meanwhile is another wait's, as `since_ns` then shows.
    if let Some(row) = unsafe { BLOCKED.get(tid) } {
        look.since_ns = row.since_ns;
        look.user_len = row.user_len;
        look.user = row.user;
    }
    look.kernel_len = 0;
    // SAFETY: the array's own size is given; `task` is the iterator's argument.
    let got = unsafe { bpf_get_task_stack(task, look.kernel.as_mut_ptr().cast(), (KERNEL_FRAMES * 8) as u32, 0) };
    if got > 0 {
        look.kernel_len = got as u32 / 8;
    }
    // SAFETY: the record's own size is given; `seq` is the iterator's own file.
    unsafe { bpf_seq_write((*meta).seq, core::ptr::from_ref(look).cast(), size_of::<TaskWaitRaw>() as u32) };
    Some(())
}

/// The system call that the registers at the top of the thread's stack tell of.
#[inline(always)]
fn set_call(look: &mut TaskWaitRaw, task: u64) {
    look.nr = -1;
    look.compat = 0;
    let Some(stack) = get::<u64>(task, Field::TaskStack) else { return };
    let top = stack + STACK_BYTES - REGS_BYTES;
    let from_user = |regs: &Regs| regs.cs == USER_CS || regs.cs == USER32_CS;
    let regs = match read::<Regs>(top) {
        Some(regs) if from_user(&regs) => regs,
        _ => match read::<Regs>(top - FRED_PADDING) {
            Some(regs) if from_user(&regs) => regs,
            _ => return,
        },
    };
    look.nr = regs.orig_ax as i64;
    look.compat = u32::from(regs.cs == USER32_CS);
    look.args = [regs.di, regs.si, regs.dx, regs.r10, regs.r8, regs.r9];
}
