//! `sched_switch` and `sched_waking`: where the time of a followed thread's call goes.

use sysprobe_common::fields::Field;
use sysprobe_common::task::{BLOCKED, NO_CALL, ON_CPU, RUNNABLE, SLEEPING, TaskStateRaw};

use crate::emit::now_ns;
use crate::fields::current_tid;
use crate::maps::TASKS;
use crate::probes::{Args, twins};
use crate::verifier::opaque;

/// `TASK_UNINTERRUPTIBLE` (include/linux/sched.h).
const TASK_UNINTERRUPTIBLE: u32 = 2;

twins!(sched_switch, sched_switch_raw, "sched_switch", try_sched_switch, "A CPU changes threads.");
twins!(sched_waking, sched_waking_raw, "sched_waking", try_sched_waking, "A thread is being woken.");

/// Arguments: `bool preempt, task_struct *prev, task_struct *next, ...`.
#[inline(always)]
fn try_sched_switch(args: Args) -> Option<()> {
    // The tracepoint fires before the switch: the current thread is `prev`.
    if let Some(prev) = in_call(current_tid()) {
        let preempted = args.get::<0>() as u8 != 0;
        // Older kernels have a long here; the bits looked at are in its first word.
        let state: u32 = args.structure::<1>().get(Field::TaskState).unwrap_or(0);
        prev.off_state = if preempted || state == 0 {
            RUNNABLE
        } else if state & TASK_UNINTERRUPTIBLE != 0 {
            BLOCKED
        } else {
            // Interruptible, stopped, traced: no wait for a device or a lock.
            SLEEPING
        };
        prev.off_ns = now_ns();
    }
    let next_tid: u32 = args.structure::<2>().get(Field::TaskPid)?;
    let next = in_call(next_tid)?;
    if next.off_state != ON_CPU {
        account(next, now_ns());
        next.off_state = ON_CPU;
    }
    Some(())
}

/// Arguments: `task_struct *p`.
#[inline(always)]
fn try_sched_waking(args: Args) -> Option<()> {
    let tid: u32 = args.structure::<0>().get(Field::TaskPid)?;
    let state = in_call(tid)?;
    if state.off_state == BLOCKED || state.off_state == SLEEPING {
        let now = now_ns();
        account(state, now);
        state.off_state = RUNNABLE;
        state.off_ns = now;
    }
    Some(())
}

/// A followed thread that is inside a system call.
#[inline(always)]
fn in_call<'a>(tid: u32) -> Option<&'a mut TaskStateRaw> {
    if tid == 0 {
        return None;
    }
    let state = TASKS.get_ptr_mut(tid)?;
    // SAFETY: rows are preallocated; the thread's own probes and its waker's may both write, word by word.
    let state = unsafe { &mut *state };
    (state.nr != NO_CALL).then_some(state)
}

/// Adds the time since `off_ns` to what the thread was doing.
#[inline(always)]
fn account(state: &mut TaskStateRaw, now: u64) {
    // VERIFIER: the mask proves the bound.
    let what = opaque(state.off_state.into()) & 3;
    state.waited_ns[what as usize] += now - state.off_ns;
}
