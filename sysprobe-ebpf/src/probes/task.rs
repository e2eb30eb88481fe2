//! `sched_process_fork`, `_exec` and `_exit`: births, new programs and ends of followed threads.

use aya_ebpf::helpers::bpf_get_current_pid_tgid;
use aya_ebpf::helpers::generated::{bpf_probe_read_kernel_str, bpf_probe_read_user};
use sysprobe_common::event::{TaskExecRaw, TaskExitRaw, TaskForkRaw, kind};
use sysprobe_common::fields::Field;
use sysprobe_common::loss::Counter;
use sysprobe_common::task::{NO_CALL, TASK_BEFORE_EXEC, TaskStateRaw};

use super::syscall::{command_line, report_unfinished};
use crate::emit::{self, Record};
use crate::fields::{address, get, has, read};
use crate::maps::{SCRATCH, TASKS};
use crate::probes::{Args, twins};
use crate::verifier::opaque;

/// Bytes of a command line sent with an exec.
const CMDLINE_BYTES: u64 = 1024;

twins!(sched_process_fork, sched_process_fork_raw, "sched_process_fork", try_fork, "A thread or process is born.");
twins!(sched_process_exec, sched_process_exec_raw, "sched_process_exec", try_exec, "A process runs a new program.");
twins!(sched_process_exit, sched_process_exit_raw, "sched_process_exit", try_exit, "A thread ends.");

/// Arguments: `task_struct *parent, task_struct *child`.
#[inline(always)]
fn try_fork(args: Args) -> Option<()> {
    let parent = bpf_get_current_pid_tgid();
    // SAFETY: rows are preallocated; only this thread changes its flags.
    let parent_state = unsafe { TASKS.get(parent as u32) }?;
    if parent_state.flags & TASK_BEFORE_EXEC != 0 {
        return None;
    }
    let child = args.get::<1>();
    let tid: u32 = get(child, Field::TaskPid)?;
    let tgid: u32 = get(child, Field::TaskTgid)?;
    emit::count(Counter::TasksSeen);
    if !follow(tid, tgid) {
        emit::count(Counter::TasksUnfollowed);
    }
    let mut header = emit::header(kind::TASK_FORK, size_of::<TaskForkRaw>());
    header.tid = tid;
    header.tgid = tgid;
    let record = TaskForkRaw {
        header,
        parent_tid: parent as u32,
        parent_tgid: (parent >> 32) as u32,
        ns_tid: namespaced(child).unwrap_or(0),
        ns_tgid: get::<u64>(child, Field::TaskGroupLeader).and_then(namespaced).unwrap_or(0),
        comm: get(child, Field::TaskComm).unwrap_or([0; 16]),
    };
    if !emit::send_critical_fixed(&record) {
        emit::count(Counter::TasksLost);
    }
    Some(())
}

/// Adds a row for a thread.
#[expect(clippy::needless_borrows_for_generic_args, reason = "a row by value would not fit on the stack")]
#[inline(always)]
fn follow(tid: u32, tgid: u32) -> bool {
    // VERIFIER: a whole row does not fit on the stack, so it is made in the scratch buffer.
    let Some(row) = SCRATCH.get_ptr_mut(0) else { return false };
    // SAFETY: a field of the row.
    let row = unsafe { &raw mut (*row).bytes }.cast::<TaskStateRaw>();
    // SAFETY: the scratch row is 8-aligned and larger than TaskStateRaw; `entry` needs no value while `entry_len` is 0.
    unsafe {
        (*row).start_ns = 0;
        (*row).nr = NO_CALL;
        (*row).tgid = tgid;
        (*row).flags = 0;
        (*row).off_state = 0;
        (*row).off_ns = 0;
        (*row).envc = 0;
        (*row).entry_len = 0;
        TASKS.insert(tid, &*row, 0).is_ok()
    }
}

/// A thread's id in its own pid namespace.
#[inline(always)]
fn namespaced(task: u64) -> Option<u32> {
    let pid: u64 = get(task, Field::TaskThreadPid)?;
    let level: u32 = get(pid, Field::PidLevel)?;
    if !has(Field::PidNumbers) || !has(Field::UpidNr) {
        return None;
    }
    // struct upid: an int and a pointer; 16 bytes.
    read(address(address(pid, Field::PidNumbers) + u64::from(level & 31) * 16, Field::UpidNr))
}

/// Arguments: `task_struct *p, pid_t old_pid, linux_binprm *bprm`.
#[expect(clippy::needless_borrows_for_generic_args, reason = "a row by value would not fit on the stack")]
#[inline(always)]
fn try_exec(args: Args) -> Option<()> {
    let id = bpf_get_current_pid_tgid();
    let tid = id as u32;
    let old_tid = args.get::<1>() as u32;
    let bprm = args.get::<2>();
    if old_tid != tid {
        // Not the leader called: it took the leader's id. Its row moves along.
        if let Some(old) = TASKS.get_ptr_mut(old_tid) {
            // SAFETY: rows are preallocated; the thread itself is here, so nobody else uses its row.
            let _ = TASKS.insert(tid, unsafe { &*old }, 0);
            let _ = TASKS.remove(old_tid);
        }
    }
    let state = TASKS.get_ptr_mut(tid)?;
    let envc: i32 = get(bprm, Field::BprmEnvc).unwrap_or(0);
    // SAFETY: as above.
    unsafe { (*state).envc = envc as u32 };
    emit::count(Counter::TasksSeen);
    let mut record = Record::new(&SCRATCH, size_of::<TaskExecRaw>())?;
    let (start, bytes) = command_line().unwrap_or((0, 0));
    {
        // SAFETY: the size given to Record::new is TaskExecRaw's.
        let raw = unsafe { record.fixed::<TaskExecRaw>() };
        raw.header = emit::header(kind::TASK_EXEC, 0);
        raw.old_tid = old_tid;
        raw.argc = get::<i32>(bprm, Field::BprmArgc).unwrap_or(0) as u32;
        raw.envc = envc as u32;
        raw.cmdline_bytes = bytes as u32;
        raw.comm = get(crate::fields::current_task(), Field::TaskComm).unwrap_or([0; 16]);
        raw.filename[0] = 0;
        if let Some(name) = get::<u64>(bprm, Field::BprmFilename) {
            // SAFETY: the array's own size is given.
            unsafe { bpf_probe_read_kernel_str(raw.filename.as_mut_ptr().cast(), 256, name as *const _) };
        }
    }
    let take = if bytes > CMDLINE_BYTES { CMDLINE_BYTES } else { bytes };
    let size = opaque(take) & 0x7ff;
    // SAFETY: at most 0x7ff bytes behind a masked position.
    if unsafe { bpf_probe_read_user(record.tail().cast(), size as u32, start as *const _) } == 0 {
        record.grow(take);
    }
    let len = record.len() as u32;
    // SAFETY: as above.
    unsafe { record.fixed::<TaskExecRaw>() }.header.len = len;
    if !emit::send_critical(record) {
        emit::count(Counter::TasksLost);
    }
    Some(())
}

/// Arguments: `task_struct *p, ...`; the running thread.
#[inline(always)]
fn try_exit(args: Args) -> Option<()> {
    let tid = bpf_get_current_pid_tgid() as u32;
    let state = TASKS.get_ptr_mut(tid)?;
    // SAFETY: rows are preallocated; the thread itself is here.
    let state = unsafe { &mut *state };
    let silent = state.flags & TASK_BEFORE_EXEC != 0;
    if !silent {
        report_unfinished(state);
        emit::count(Counter::TasksSeen);
        let task = args.get::<0>();
        let signal: u64 = get(task, Field::TaskSignal).unwrap_or(0);
        let record = TaskExitRaw {
            header: emit::header(kind::TASK_EXIT, size_of::<TaskExitRaw>()),
            exit_code: get::<i32>(task, Field::TaskExitCode).unwrap_or(0) as u32,
            group_dead: u32::from(get::<i32>(signal, Field::SignalLive) == Some(0)),
            comm: get(task, Field::TaskComm).unwrap_or([0; 16]),
        };
        if !emit::send_critical_fixed(&record) {
            emit::count(Counter::TasksLost);
        }
    }
    let _ = TASKS.remove(tid);
    Some(())
}
