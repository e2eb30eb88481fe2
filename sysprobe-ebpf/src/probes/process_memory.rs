//! A task iterator over processes: what each holds, taken from the kernel's own counters without a look into /proc.
//!
//! Runs only when user space reads it. Nothing is locked and nobody waits, also where a process's memory is in use by a
//! task that is stuck.

use aya_ebpf::helpers::generated::bpf_seq_write;
use sysprobe_common::event::{ProcessMemoryRaw, UNKNOWN};
use sysprobe_common::fields::Field;

use super::task_waits::IterContext;
use crate::fields::get;
use crate::maps::PROCESS_SCRATCH;
use crate::memory;

/// One task of the walk; a null one ends it.
#[unsafe(no_mangle)]
#[unsafe(link_section = "iter/task")]
fn process_memory(context: *const IterContext) -> i32 {
    let _ = try_process_memory(context);
    0
}

#[inline(always)]
fn try_process_memory(context: *const IterContext) -> Option<()> {
    // SAFETY: the kernel gives a whole context; the verifier checks each load.
    let (meta, task) = unsafe { ((*context).meta, (*context).task) };
    if task.is_null() {
        return None;
    }
    let task = task as u64;
    let tgid: u32 = get(task, Field::TaskTgid)?;
    // The threads of a process share its memory; kernel threads have none.
    if get::<u32>(task, Field::TaskPid)? != tgid {
        return None;
    }
    let mm: u64 = get(task, Field::TaskMm).filter(|mm| *mm != 0)?;
    let row = PROCESS_SCRATCH.get_ptr_mut(0)?;
    // SAFETY: this CPU's own row; one reader walks at a time and is not preempted inside a program.
    let row: &mut ProcessMemoryRaw = unsafe { &mut *row };
    row.tgid = tgid;
    row.start_ns = get(task, Field::TaskStartBoottime).unwrap_or(0);
    row.pages = memory::pages(mm);
    row.comm = get(task, Field::TaskComm).unwrap_or([0; 16]);
    let signal: u64 = get(task, Field::TaskSignal).unwrap_or(0);
    row.oom_score_adj = get::<i16>(signal, Field::SignalOomScoreAdj).map_or(0, i32::from);
    row.cgroup_id = memory::cgroup(task).and_then(|node| get(node, Field::KernfsId)).unwrap_or(UNKNOWN);
    // SAFETY: the record's own size is given; `seq` is the iterator's own file.
    unsafe { bpf_seq_write((*meta).seq, core::ptr::from_ref(row).cast(), size_of::<ProcessMemoryRaw>() as u32) };
    Some(())
}
