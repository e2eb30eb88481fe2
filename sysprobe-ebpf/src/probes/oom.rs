//! `mark_victim`: the kernel picks a process to kill for want of memory.
//!
//! Runs in the thread whose allocation failed, while the victim still has its memory: what is read here is all that is
//! left when the victim is gone before anybody looks. The stack tells whose limit it was also where the log is silent.

use aya_ebpf::EbpfContext as _;
use aya_ebpf::helpers::bpf_get_current_pid_tgid;
use aya_ebpf::helpers::generated::{bpf_get_current_comm, bpf_get_stack, bpf_ktime_get_boot_ns};
use sysprobe_common::event::{OomKillRaw, UNKNOWN, UNKNOWN_ADJ, kind};
use sysprobe_common::fields::Field;
use sysprobe_common::limits::KERNEL_FRAMES;
use sysprobe_common::loss::Counter;

use crate::emit;
use crate::fields::{current_task, get};
use crate::maps::OOM_SCRATCH;
use crate::memory;
use crate::probes::Args;
use crate::settings;

/// A process is to be killed.
#[aya_ebpf::macros::btf_tracepoint(function = "mark_victim")]
pub fn mark_victim(context: aya_ebpf::programs::BtfTracePointContext) -> i32 {
    let _ = try_mark_victim(Args::typed(&context), context.as_ptr());
    0
}

/// A process is to be killed.
#[aya_ebpf::macros::raw_tracepoint(tracepoint = "mark_victim")]
pub fn mark_victim_raw(context: aya_ebpf::programs::RawTracePointContext) -> i32 {
    let _ = try_mark_victim(Args::raw(&context), context.as_ptr());
    0
}

/// Arguments: `task_struct *task, uid_t uid`; on older kernels `int pid`.
#[inline(always)]
fn try_mark_victim(args: Args, context: *mut core::ffi::c_void) -> Option<()> {
    emit::count(Counter::OomKillsSeen);
    let record = OOM_SCRATCH.get_ptr_mut(0)?;
    // SAFETY: this CPU's own row; programs are not preempted.
    let record: &mut OomKillRaw = unsafe { &mut *record };
    record.header = emit::header(kind::OOM_KILL, size_of::<OomKillRaw>());
    // SAFETY: no arguments, no failure.
    record.boot_ns = unsafe { bpf_ktime_get_boot_ns() };
    let current = bpf_get_current_pid_tgid();
    record.trigger_tid = current as u32;
    record.trigger_tgid = (current >> 32) as u32;
    // SAFETY: the array's own size is given.
    unsafe { bpf_get_current_comm(record.trigger_comm.as_mut_ptr().cast(), 16) };
    let task = if settings::victim_by_pid() {
        let pid = args.get::<0>() as u32;
        record.header.tid = pid;
        // By its number alone only the running thread can be found here.
        if pid == current as u32 { current_task() } else { 0 }
    } else {
        let task = args.get::<0>();
        record.header.tid = get(task, Field::TaskPid)?;
        task
    };
    victim(record, task);
    record.kernel_len = 0;
    // SAFETY: the array's own size is given.
    let got = unsafe { bpf_get_stack(context, record.kernel.as_mut_ptr().cast(), (KERNEL_FRAMES * 8) as u32, 0) };
    if got > 0 {
        record.kernel_len = got as u32 / 8;
    }
    if !emit::send_critical_fixed(record) {
        emit::count(Counter::OomKillsLost);
    }
    Some(())
}

/// What there is to know of the victim; `task` 0: nothing.
#[inline(always)]
fn victim(record: &mut OomKillRaw, task: u64) {
    let leader: u64 = get(task, Field::TaskGroupLeader).unwrap_or(task);
    let mm: u64 = get(task, Field::TaskMm).unwrap_or(0);
    let signal: u64 = get(task, Field::TaskSignal).unwrap_or(0);
    let cred: u64 = get(task, Field::TaskCred).unwrap_or(0);
    record.header.tgid = get(task, Field::TaskTgid).unwrap_or(0);
    record.start_ns = get(leader, Field::TaskStartBoottime).unwrap_or(UNKNOWN);
    record.comm = get(task, Field::TaskComm).unwrap_or([0; 16]);
    record.total_vm_pages = get(mm, Field::MmTotalVm).unwrap_or(UNKNOWN);
    record.pgtables_bytes = get(mm, Field::MmPgtables).unwrap_or(UNKNOWN);
    record.pages = memory::pages(mm);
    record.uid = get::<u32>(cred, Field::CredUid).map_or(UNKNOWN, u64::from);
    record.oom_score_adj = get::<i16>(signal, Field::SignalOomScoreAdj).map_or(UNKNOWN_ADJ, i64::from);
    record.cgroup_levels = match memory::cgroup(task) {
        Some(node) => memory::cgroup_path(node, &mut record.cgroup_ids, &mut record.cgroup_names),
        None => 0,
    };
}
