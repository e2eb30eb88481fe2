//! `sched_switch` and `sched_waking` for `watch`: every wait in uninterruptible sleep (D), from its start to its end.
//!
//! A start leaves a row in `BLOCKED`, nothing more, unless there is time for a user stack: only the sleeper itself can
//! show one, and only now (from outside it takes the mmap lock, which a stuck task may hold). An end takes the row
//! away and is reported if the wait was long; the sleeper's kernel stack still stands then.

use aya_ebpf::EbpfContext as _;
use aya_ebpf::bindings::BPF_F_USER_STACK;
use aya_ebpf::helpers::generated::{bpf_get_current_comm, bpf_get_stack, bpf_get_task_stack};
use sysprobe_common::event::{FLAG_KTHREAD, StallEndRaw, is_blocked, kind};
use sysprobe_common::fields::Field;
use sysprobe_common::limits::{KERNEL_FRAMES, USER_FRAMES};
use sysprobe_common::loss::Counter;

use super::lock;
use crate::emit::{self, now_ns};
use crate::fields::{current_tid, get};
use crate::maps::{BLOCKED, BLOCKED_SCRATCH, STALL_SCRATCH, USER_STACK_TAKEN};
use crate::probes::Args;
use crate::settings;

/// A CPU takes at most one user stack in so many ns: at about 1 µs each that is 1 % of its time.
const USER_STACK_EVERY_NS: u64 = 100_000;

/// A thread goes to sleep.
#[aya_ebpf::macros::btf_tracepoint(function = "sched_switch")]
pub fn task_blocks(context: aya_ebpf::programs::BtfTracePointContext) -> i32 {
    let _ = try_task_blocks(Args::typed(&context), context.as_ptr());
    0
}

/// A thread goes to sleep.
#[aya_ebpf::macros::raw_tracepoint(tracepoint = "sched_switch")]
pub fn task_blocks_raw(context: aya_ebpf::programs::RawTracePointContext) -> i32 {
    let _ = try_task_blocks(Args::raw(&context), context.as_ptr());
    0
}

/// A thread is being woken. Its stack can be had, since the kernel vouches for the argument.
#[aya_ebpf::macros::btf_tracepoint(function = "sched_waking")]
pub fn task_unblocks(context: aya_ebpf::programs::BtfTracePointContext) -> i32 {
    let _ = try_task_unblocks::<true>(Args::typed(&context));
    0
}

/// A thread is being woken. Its stack cannot be had: the argument is but a number here.
#[aya_ebpf::macros::raw_tracepoint(tracepoint = "sched_waking")]
pub fn task_unblocks_raw(context: aya_ebpf::programs::RawTracePointContext) -> i32 {
    let _ = try_task_unblocks::<false>(Args::raw(&context));
    0
}

/// Arguments: `bool preempt, task_struct *prev, task_struct *next, ...`.
#[expect(clippy::needless_borrows_for_generic_args, reason = "a row by value would not fit on the stack")]
#[inline(always)]
fn try_task_blocks(args: Args, context: *mut core::ffi::c_void) -> Option<()> {
    let prev = args.structure::<1>();
    // Older kernels have a long here; the bits looked at are in its first word.
    let state: u32 = prev.get(Field::TaskState)?;
    if !is_blocked(state) || args.get::<0>() as u8 != 0 {
        return None;
    }
    // The tracepoint fires before the switch: the current thread is `prev`.
    let tid = current_tid();
    let now = now_ns();
    let row = BLOCKED_SCRATCH.get_ptr_mut(0)?;
    // SAFETY: this CPU's own row; interrupts are off in the scheduler.
    let row = unsafe { &mut *row };
    row.since_ns = now;
    row.state = state;
    row.user_len = 0;
    let flags: u32 = prev.get(Field::TaskFlags).unwrap_or(FLAG_KTHREAD);
    if flags & FLAG_KTHREAD == 0 && may_take_user_stack(now) {
        // SAFETY: the array's own size is given.
        let got = unsafe {
            bpf_get_stack(context, row.user.as_mut_ptr().cast(), (USER_FRAMES * 8) as u32, u64::from(BPF_F_USER_STACK))
        };
        if got > 0 {
            row.user_len = got as u32 / 8;
        }
    }
    emit::count(Counter::WaitsSeen);
    if BLOCKED.insert(tid, &*row, 0).is_err() {
        emit::count(Counter::WaitsUntimed);
    }
    Some(())
}

/// Whether this CPU has not taken a user stack for a while.
#[inline(always)]
fn may_take_user_stack(now: u64) -> bool {
    let Some(taken) = USER_STACK_TAKEN.get_ptr_mut(0) else { return false };
    // SAFETY: this CPU's own row; interrupts are off in the scheduler.
    unsafe {
        if now.wrapping_sub(*taken) < USER_STACK_EVERY_NS {
            return false;
        }
        *taken = now;
    }
    true
}

/// Arguments: `task_struct *p`.
#[inline(always)]
fn try_task_unblocks<const STACK: bool>(args: Args) -> Option<()> {
    let task = args.structure::<0>();
    let state: u32 = task.get(Field::TaskState)?;
    if !is_blocked(state) {
        return None;
    }
    let tid: u32 = task.get(Field::TaskPid)?;
    // SAFETY: rows are preallocated; this one is used up before it is removed.
    let row = unsafe { BLOCKED.get(tid) }?;
    let now = now_ns();
    if now.saturating_sub(row.since_ns) >= settings::stall_over_ns() {
        emit::count(Counter::StallEndsSeen);
        let end = STALL_SCRATCH.get_ptr_mut(0)?;
        // SAFETY: this CPU's own row; wake-ups run with interrupts off.
        let end: &mut StallEndRaw = unsafe { &mut *end };
        end.header = emit::header(kind::STALL_END, size_of::<StallEndRaw>());
        end.waker_tid = end.header.tid;
        end.waker_tgid = end.header.tgid;
        end.header.tid = tid;
        end.header.tgid = task.get(Field::TaskTgid).unwrap_or(0);
        end.since_ns = row.since_ns;
        end.state = row.state;
        end.task_flags = task.get(Field::TaskFlags).unwrap_or(0);
        end.comm = get(task.address(), Field::TaskComm).unwrap_or([0; 16]);
        // SAFETY: the array's own size is given.
        unsafe { bpf_get_current_comm(end.waker_comm.as_mut_ptr().cast(), 16) };
        end.lock = lock::of(tid, task.address());
        end.kernel_len = 0;
        if STACK {
            // SAFETY: the array's own size is given; `task` is the tracepoint's argument.
            let got = unsafe {
                bpf_get_task_stack(
                    task.address() as *mut _,
                    end.kernel.as_mut_ptr().cast(),
                    (KERNEL_FRAMES * 8) as u32,
                    0,
                )
            };
            if got > 0 {
                end.kernel_len = got as u32 / 8;
            }
        }
        end.user_len = row.user_len;
        end.user = row.user;
        if !emit::send_critical_fixed(end) {
            emit::count(Counter::StallEndsLost);
        }
    }
    let _ = BLOCKED.remove(tid);
    Some(())
}
