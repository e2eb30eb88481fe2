//! `signal_generate` and `sched_process_exit` for `watch`: which processes end abnormally, and who sent what killed them.
//!
//! A deadly signal leaves a row by the process it was sent to; the process's end takes it along. A process that handles
//! the signal leaves its row to the next one, or to age: nothing is decided when a signal is sent.

use aya_ebpf::helpers::bpf_get_current_pid_tgid;
use aya_ebpf::helpers::generated::{bpf_get_current_uid_gid, bpf_ktime_get_boot_ns};
use sysprobe_common::event::{ProcessExitRaw, SignalSentRaw, kind, sent_flags};
use sysprobe_common::fields::Field;
use sysprobe_common::loss::Counter;

use crate::emit::{self, now_ns};
use crate::fields::{current_task, get, read};
use crate::maps::{FOLLOWED, SIGNALLED};
use crate::probes::{Args, twins};

const SIGHUP: i32 = 1;
const SIGKILL: i32 = 9;
const SIGPIPE: u32 = 13;
const SIGTERM: i32 = 15;

/// Signals that end a process unless it handles them, by bit, less those that are an ordinary end (`SIGPIPE`) or that
/// processes send themselves by timer (`SIGALRM`, `SIGVTALRM`, `SIGPROF`, `SIGPOLL`).
const DEADLY: u64 = bits(&[SIGHUP, 2, 3, 4, 5, 6, 7, 8, SIGKILL, 10, 11, 12, SIGTERM, 16, 24, 25, 30, 31]);

/// `SEND_SIG_PRIV`, instead of a `siginfo`: the kernel sends (include/linux/sched/signal.h). 0: the running thread does.
const SENT_BY_KERNEL: u64 = 1;
/// No address of the kernel's own memory is below it.
const LEAST_ADDRESS: u64 = 4096;
/// `PF_EXITING` (include/linux/sched.h).
const FLAG_EXITING: u32 = 0x4;
/// `SIGNAL_GROUP_EXIT` (include/linux/sched/signal.h).
const GROUP_EXIT: u32 = 0x4;
/// `TRACE_SIGNAL_DELIVERED` and `TRACE_SIGNAL_LOSE_INFO` (include/trace/events/signal.h); the others went nowhere.
const RESULT_DELIVERED: u32 = 0;
const RESULT_LOSE_INFO: u32 = 4;

const fn bits(signals: &[i32]) -> u64 {
    let (mut mask, mut at) = (0, 0);
    while at < signals.len() {
        mask |= 1 << signals[at];
        at += 1;
    }
    mask
}

twins!(signal_generate, signal_generate_raw, "signal_generate", try_signal_generate, "A signal is sent.");
twins!(process_exit, process_exit_raw, "sched_process_exit", try_process_exit, "A thread ends.");

/// Arguments: `int sig, kernel_siginfo *info, task_struct *task, int group, int result`.
#[inline(always)]
fn try_signal_generate(args: Args) -> Option<()> {
    let signo = args.get::<0>() as u32;
    if signo > 31 || (DEADLY >> signo) & 1 == 0 {
        return None;
    }
    let result = args.get::<4>() as u32;
    if result != RESULT_DELIVERED && result != RESULT_LOSE_INFO {
        return None;
    }
    let task = args.get::<2>();
    let target: u32 = get(task, Field::TaskTgid)?;
    let leader: u64 = get(task, Field::TaskGroupLeader)?;
    let mut row = SignalSentRaw {
        sent_ns: now_ns(),
        target_start_ns: get(leader, Field::TaskStartBoottime).unwrap_or(0),
        signo: signo as i32,
        ..SignalSentRaw::default()
    };
    if row.signo == SIGTERM {
        row.asked_ns = row.sent_ns;
    }
    // SAFETY: rows are preallocated; what another CPU writes meanwhile is a signal sent at the same time.
    if let Some(before) = unsafe { SIGNALLED.get(target) }
        && before.target_start_ns == row.target_start_ns
    {
        if before.signo == SIGKILL {
            // It is dying of the first one.
            return None;
        }
        if before.asked_ns != 0 {
            row.asked_ns = before.asked_ns;
        }
    }
    let info = args.get::<1>();
    if info == SENT_BY_KERNEL {
        row.flags = sent_flags::BY_KERNEL;
    } else if info >= LEAST_ADDRESS {
        // siginfo_t's layout is fixed by the ABI: signo, errno, code, padding, then the union, whose first word is si_addr.
        row.code = read::<[i32; 3]>(info)?[2];
        // SI_USER, SI_QUEUE and SI_TKILL come from the running thread; timers and the like from nobody that could be named.
        if !matches!(row.code, 0 | -1 | -6) {
            row.flags = sent_flags::BY_KERNEL;
            row.address = read(info + 16).unwrap_or(0);
        }
    }
    let id = bpf_get_current_pid_tgid();
    let current = current_task();
    row.tid = id as u32;
    row.tgid = (id >> 32) as u32;
    // SAFETY: no arguments, no failure.
    row.uid = unsafe { bpf_get_current_uid_gid() } as u32;
    row.comm = get(current, Field::TaskComm).unwrap_or([0; 16]);
    if get::<u32>(current, Field::TaskFlags).unwrap_or(0) & FLAG_EXITING != 0 {
        row.flags |= sent_flags::SENDER_ENDING;
    }
    let parent: u64 = get(current, Field::TaskRealParent).unwrap_or(0);
    row.parent_tgid = get(parent, Field::TaskTgid).unwrap_or(0);
    row.parent_comm = get(parent, Field::TaskComm).unwrap_or([0; 16]);
    // An LRU map takes any row.
    let _ = SIGNALLED.insert(target, row, 0);
    Some(())
}

/// Arguments: `task_struct *p, ...`; the running thread.
#[inline(always)]
fn try_process_exit(args: Args) -> Option<()> {
    let task = args.get::<0>();
    let signal: u64 = get(task, Field::TaskSignal)?;
    if get::<i32>(signal, Field::SignalLive)? != 0 {
        return None;
    }
    let leader: u64 = get(task, Field::TaskGroupLeader)?;
    let by_group = get::<u32>(signal, Field::SignalFlags).unwrap_or(0) & GROUP_EXIT != 0;
    let status = if by_group {
        get::<i32>(signal, Field::SignalGroupExitCode)?
    } else {
        get::<i32>(leader, Field::TaskExitCode)?
    } as u32;
    let tgid = (bpf_get_current_pid_tgid() >> 32) as u32;
    // SAFETY: rows are preallocated; the process is at its end, so nobody signals it any more.
    let sent = unsafe { SIGNALLED.get(tgid) };
    let killer = status & 0x7f;
    // What is an ordinary end to most is told of those that were asked for.
    let told = match killer {
        0 if status == 0 => false,
        // SAFETY: rows are preallocated; only presence is looked at.
        0 | SIGPIPE => unsafe { FOLLOWED.get(tgid) }.is_some(),
        _ => true,
    };
    if told {
        emit::count(Counter::ExitsSeen);
        let start_ns: u64 = get(leader, Field::TaskStartBoottime).unwrap_or(0);
        let parent: u64 = get(leader, Field::TaskRealParent).unwrap_or(0);
        let mut record = ProcessExitRaw {
            header: emit::header(kind::PROCESS_EXIT, size_of::<ProcessExitRaw>()),
            start_ns,
            // SAFETY: no arguments, no failure.
            lived_ns: unsafe { bpf_ktime_get_boot_ns() }.saturating_sub(start_ns),
            max_rss_pages: get(signal, Field::SignalMaxRss).unwrap_or(0),
            wait_status: status,
            // SAFETY: as above.
            uid: unsafe { bpf_get_current_uid_gid() } as u32,
            ppid: get(parent, Field::TaskTgid).unwrap_or(0),
            pad: 0,
            comm: get(leader, Field::TaskComm).unwrap_or([0; 16]),
            sent: SignalSentRaw::default(),
        };
        if let Some(sent) = sent
            && sent.signo as u32 == killer
            && sent.target_start_ns == start_ns
        {
            record.sent = *sent;
        }
        if !emit::send_critical_fixed(&record) {
            emit::count(Counter::ExitsLost);
        }
    }
    if sent.is_some() {
        let _ = SIGNALLED.remove(tgid);
    }
    Some(())
}
