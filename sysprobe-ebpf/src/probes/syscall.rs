//! `sys_enter` and `sys_exit`: the calls of followed threads.

use aya_ebpf::helpers::generated::bpf_probe_read_kernel;
use sysprobe_common::event::{
    EventHeader, SYSCALL_BEFORE_ATTACH, SYSCALL_COMPAT, SYSCALL_UNFINISHED, SyscallRaw, capture, kind,
};
use sysprobe_common::fields::Field;
use sysprobe_common::limits::{ENTRY_BYTES, MAX_CALLS, MAX_OPS};
use sysprobe_common::loss::Counter;
use sysprobe_common::plan::{
    CallPlan, NO_ARG, PHASE_ENTER, PHASE_EXIT, PLAN_EXEC, PLAN_READS_AT_ENTRY, PLAN_RETURNS_FD, PLAN_ROW_FOREIGN,
    PLAN_WANTED,
};
use sysprobe_common::stats::bucket_of;
use sysprobe_common::task::{
    BLOCKED, CALL_FILES, NO_CALL, ON_CPU, RUNNABLE, SLEEPING, TASK_BEFORE_EXEC, TASK_CALL_BEFORE_ATTACH, TASK_COMPAT,
    TASK_PARTIAL_SHIFT, TASK_RETRY_SHIFT, TaskStateRaw,
};

use crate::capture as captures;
use crate::emit::{self, Record, now_ns};
use crate::fields::{Typed, current_task, current_tid, get};
use crate::maps::{CALL_PLANS, CALL_STATS, SCRATCH, TASKS};
use crate::probes::{Args, twins};
use crate::verifier::opaque;
use crate::{file, settings};

/// The 32-bit table is used for this call (arch/x86/include/asm/thread_info.h).
const TS_COMPAT: u32 = 2;
/// Bytes of the call's fixed part.
const FIXED: usize = size_of::<SyscallRaw>();
/// Bytes of the longest command line taken of a new image.
const CMDLINE_BYTES: u64 = 2048;

/// Offsets in `struct pt_regs` (arch/x86/include/asm/ptrace.h; ABI, the same on every x86-64 kernel) of the arguments'
/// registers by the 64-bit convention, and by the 32-bit one: ebx, ecx, edx, esi, edi, ebp.
const REGS_64: [u64; 6] = [112, 104, 96, 56, 72, 64];
const REGS_32: [u64; 6] = [40, 88, 96, 104, 112, 32];

twins!(sys_enter, sys_enter_raw, "sys_enter", try_sys_enter, "A system call begins.");
twins!(sys_exit, sys_exit_raw, "sys_exit", try_sys_exit, "A system call ends.");

/// The running thread's row, if it is followed.
#[inline(always)]
fn followed<'a>() -> Option<&'a mut TaskStateRaw> {
    let state = TASKS.get_ptr_mut(current_tid())?;
    // SAFETY: rows are preallocated; wakers touch only the time split, word by word.
    Some(unsafe { &mut *state })
}

/// The row of a call's plan; calls outside the table share the last.
#[inline(always)]
fn row_of(nr: u32, compat: bool) -> u32 {
    if compat || nr >= MAX_CALLS { PLAN_ROW_FOREIGN } else { nr }
}

/// Arguments: `pt_regs *regs, long id`.
#[inline(always)]
fn try_sys_enter(args: Args) -> Option<()> {
    let state = followed()?;
    state.nr = NO_CALL;
    let nr = args.get::<1>() as u32;
    let compat = Typed::current().get::<u32>(Field::TaskThreadInfoStatus).unwrap_or(0) & TS_COMPAT != 0;
    let row = row_of(nr, compat);
    let plan = CALL_PLANS.get(row)?;
    if state.flags & TASK_BEFORE_EXEC != 0 {
        if plan.flags & PLAN_EXEC == 0 {
            return None;
        }
        state.flags &= !TASK_BEFORE_EXEC;
    }
    if plan.flags & PLAN_WANTED == 0 {
        return None;
    }
    state.flags = if compat { TASK_COMPAT } else { 0 };
    for part in &mut state.waited_ns {
        // SAFETY: a word of our own; volatile, since four plain ones become a call that clears byte by byte.
        unsafe { core::ptr::write_volatile(part, 0) };
    }
    state.off_state = ON_CPU;
    if !settings::aggregate() {
        note_arguments(args.structure::<0>(), compat, state)?;
        state.entry_len = 0;
        state.file_args = [NO_ARG; CALL_FILES];
        if plan.fd_args != 0 {
            note_files(state, plan.fd_args);
        }
        if plan.flags & PLAN_READS_AT_ENTRY != 0 {
            note_entry(state, plan, row);
        }
    }
    state.start_ns = now_ns();
    state.nr = nr;
    Some(())
}

/// Keeps the call's arguments, from the registers at `regs`.
#[inline(always)]
fn note_arguments(regs: Typed, compat: bool, state: &mut TaskStateRaw) -> Option<()> {
    let offsets = if compat { REGS_32 } else { REGS_64 };
    for (arg, offset) in state.args.iter_mut().zip(offsets) {
        *arg = regs.word(offset)?;
    }
    Some(())
}

/// Keeps the identities of the call's first two fd arguments.
#[inline(never)]
fn note_files(state: &mut TaskStateRaw, fd_args: u8) {
    for arg in 0..6u8 {
        if fd_args >> arg & 1 == 0 {
            continue;
        }
        let Some(key) = file::identify(state.args[arg as usize] as i32) else { continue };
        let slot = usize::from(state.file_args[0] != NO_ARG);
        if state.file_args[slot] != NO_ARG {
            return;
        }
        state.files[slot] = key;
        state.file_args[slot] = arg;
    }
}

/// Runs the plan's entry ops and keeps what they captured.
#[inline(never)]
fn note_entry(state: &mut TaskStateRaw, plan: &CallPlan, row: u32) {
    let Some(mut record) = Record::new(&SCRATCH, FIXED) else { return };
    // SAFETY: the size given to Record::new is SyscallRaw's.
    unsafe { record.fixed::<SyscallRaw>() }.args = state.args;
    for index in 0..MAX_OPS as u32 {
        if index >= u32::from(plan.op_count) {
            break;
        }
        if plan.ops[index as usize].phase != PHASE_ENTER {
            continue;
        }
        let outcome = captures::capture_op(row.into(), index.into(), 0, 1);
        if outcome != captures::WHOLE {
            state.flags |= 1 << (TASK_RETRY_SHIFT + index);
        }
        let captured = record.len() - FIXED as u64;
        if captured > ENTRY_BYTES as u64 {
            // More than entry can keep: this op again at the end.
            record.set_len(FIXED as u64 + u64::from(state.entry_len));
            state.flags |= 1 << (TASK_RETRY_SHIFT + index);
        } else if captured > u64::from(state.entry_len) {
            state.flags |= 1 << (TASK_PARTIAL_SHIFT + index);
            state.entry_len = captured as u32;
        }
    }
    if state.entry_len > 0 {
        let from = record.at(FIXED as u64);
        // SAFETY: at most ENTRY_BYTES, and the scratch row is larger.
        unsafe { bpf_probe_read_kernel(state.entry.as_mut_ptr().cast(), entry_len(state), from.cast()) };
    }
}

/// Arguments: `pt_regs *regs, long ret`.
#[inline(always)]
fn try_sys_exit(args: Args) -> Option<()> {
    let state = followed()?;
    let nr = state.nr;
    if nr == NO_CALL {
        return None;
    }
    state.nr = NO_CALL;
    let ret = args.get::<1>() as i64;
    let now = now_ns();
    let duration = now - state.start_ns;
    emit::count(Counter::CallsSeen);
    let failed = (-4095..0).contains(&ret);
    if settings::failed_only() && !failed || duration < settings::slower_ns() {
        emit::count(Counter::CallsFiltered);
        return None;
    }
    if settings::aggregate() {
        sum(state, nr, duration, failed);
        return None;
    }
    report(state, nr, ret, now, 0);
    Some(())
}

/// Adds a call to its row of `CALL_STATS`.
#[inline(always)]
fn sum(state: &TaskStateRaw, nr: u32, duration: u64, failed: bool) {
    let Some(stats) = CALL_STATS.get_ptr_mut(row_of(nr, state.flags & TASK_COMPAT != 0)) else { return };
    // SAFETY: this CPU's own row, and programs are not preempted.
    let stats = unsafe { &mut *stats };
    stats.calls += 1;
    stats.errors += u64::from(failed);
    stats.total_ns += duration;
    stats.runnable_ns += state.waited_ns[RUNNABLE as usize];
    stats.blocked_ns += state.waited_ns[BLOCKED as usize];
    stats.sleeping_ns += state.waited_ns[SLEEPING as usize];
    if duration > stats.max_ns {
        stats.max_ns = duration;
    }
    if let Some(bucket) = stats.histogram.get_mut(bucket_of(duration)) {
        // Beyond 4,294,967,295 calls in one bucket its percentiles are off; wrapped round they would be nonsense.
        *bucket = bucket.saturating_add(1);
    }
}

/// Reports the call that a thread dies in.
#[inline(always)]
pub fn report_unfinished(state: &mut TaskStateRaw) {
    let nr = state.nr;
    state.nr = NO_CALL;
    if nr == NO_CALL || settings::aggregate() || settings::failed_only() {
        return;
    }
    emit::count(Counter::CallsSeen);
    report(state, nr, 0, now_ns(), SYSCALL_UNFINISHED);
}

#[inline(always)]
fn report(state: &mut TaskStateRaw, nr: u32, ret: i64, now: u64, how: u16) {
    let Some(mut record) = Record::new(&SCRATCH, FIXED) else { return };
    let compat = state.flags & TASK_COMPAT != 0;
    keep_entry(&record, state);
    // SAFETY: the size given to Record::new is SyscallRaw's.
    let args = unsafe { &mut record.fixed::<SyscallRaw>().args };
    for (to, from) in args.iter_mut().zip(&state.args) {
        // SAFETY: a word of our own; volatile, since six plain ones become a call that copies byte by byte.
        unsafe { core::ptr::write_volatile(to, *from) };
    }
    if how & SYSCALL_UNFINISHED == 0 {
        finish(state, row_of(nr, compat), ret);
    }
    let len = record.len() as u32;
    let flags = how
        | if compat { SYSCALL_COMPAT } else { 0 }
        | if state.flags & TASK_CALL_BEFORE_ATTACH != 0 { SYSCALL_BEFORE_ATTACH } else { 0 };
    // SAFETY: as above.
    let raw = unsafe { record.fixed::<SyscallRaw>() };
    raw.header = EventHeader { kind: kind::SYSCALL, flags, len, ts_ns: now, tid: current_tid(), tgid: state.tgid };
    raw.start_ns = state.start_ns;
    raw.ret = ret;
    raw.runnable_ns = state.waited_ns[RUNNABLE as usize];
    raw.blocked_ns = state.waited_ns[BLOCKED as usize];
    raw.sleeping_ns = state.waited_ns[SLEEPING as usize];
    raw.nr = nr;
    raw.pad = 0;
    if !emit::send_bulk(record) {
        emit::count(Counter::CallsLost);
    }
}

/// Appends what was captured at entry.
#[inline(always)]
fn keep_entry(record: &Record, state: &TaskStateRaw) {
    for slot in 0..CALL_FILES {
        let arg = state.file_args[slot];
        if arg != NO_ARG {
            captures::push_file(record, arg, 0, state.files[slot], PHASE_ENTER);
        }
    }
    if state.entry_len > 0 {
        // SAFETY: at most ENTRY_BYTES bytes behind a masked position.
        unsafe { bpf_probe_read_kernel(record.tail().cast(), entry_len(state), state.entry.as_ptr().cast()) };
        record.grow(state.entry_len.into());
    }
}

/// The bytes kept from the call's entry.
#[inline(always)]
fn entry_len(state: &TaskStateRaw) -> u32 {
    // VERIFIER: the mask shows that the upper half is zero, so the register that is compared goes to the helper as it is.
    let len = opaque(state.entry_len.into()) & 0xffff;
    if len > ENTRY_BYTES as u64 { ENTRY_BYTES as u32 } else { len as u32 }
}

/// Runs the plan's ops for the call's end, and those that entry could not do.
#[inline(never)]
fn finish(state: &TaskStateRaw, row: u32, ret: i64) {
    let Some(record) = Record::resume(&SCRATCH) else { return };
    let Some(plan) = CALL_PLANS.get(row) else { return };
    if plan.flags & PLAN_EXEC != 0 && ret == 0 {
        // The caller's memory is gone with its pointers: say what the new image was given.
        captures::push_count(&record, 2, u64::from(state.envc), PHASE_EXIT);
        if let Some((start, bytes)) = command_line() {
            captures::push_command_line(1, start, bytes, CMDLINE_BYTES);
        }
        return;
    }
    for index in 0..MAX_OPS as u32 {
        if index >= u32::from(plan.op_count) {
            break;
        }
        let asked = &plan.ops[index as usize];
        if asked.phase == PHASE_ENTER && state.flags >> (TASK_RETRY_SHIFT + index) & 1 == 0 {
            continue;
        }
        if captures::capture_op(row.into(), index.into(), ret, 0) == captures::UNREADABLE
            && state.flags >> (TASK_PARTIAL_SHIFT + index) & 1 == 0
        {
            captures::push_unreadable(&record, asked.arg, asked.phase);
        }
    }
    if plan.flags & PLAN_RETURNS_FD != 0
        && ret >= 0
        && let Some(key) = file::identify(ret as i32)
    {
        captures::push_file(&record, capture::ARG_RET, 0, key, PHASE_EXIT);
    }
}

/// Where the running image's command line is, and its length.
#[inline(always)]
pub fn command_line() -> Option<(u64, u64)> {
    let mm: u64 = get(current_task(), Field::TaskMm)?;
    let start: u64 = get(mm, Field::MmArgStart)?;
    let end: u64 = get(mm, Field::MmArgEnd)?;
    Some((start, end.saturating_sub(start)))
}
