//! `signal_deliver`: signals that reach followed threads.

use aya_ebpf::helpers::bpf_get_current_pid_tgid;
use sysprobe_common::event::{SignalRaw, kind};
use sysprobe_common::loss::Counter;
use sysprobe_common::task::TASK_BEFORE_EXEC;

use crate::emit;
use crate::fields::read;
use crate::maps::TASKS;
use crate::probes::{Args, twins};

/// `SIGKILL`: its victim's end says it.
const SIGKILL: i32 = 9;

twins!(signal_deliver, signal_deliver_raw, "signal_deliver", try_signal_deliver, "A signal reaches a thread.");

/// Arguments: `int sig, kernel_siginfo *info, k_sigaction *ka`.
#[inline(always)]
fn try_signal_deliver(args: Args) -> Option<()> {
    let tid = bpf_get_current_pid_tgid() as u32;
    // SAFETY: rows are preallocated; only this thread changes its flags.
    let state = unsafe { TASKS.get(tid) }?;
    let signo = args.get::<0>() as i32;
    if signo == SIGKILL || state.flags & TASK_BEFORE_EXEC != 0 {
        return None;
    }
    emit::count(Counter::SignalsSeen);
    let info = args.get::<1>();
    // siginfo_t's layout is fixed by the ABI: signo, errno, code, padding, then the union.
    let [_, errno, code] = read::<[i32; 3]>(info).unwrap_or([0; 3]);
    let record = SignalRaw {
        header: emit::header(kind::SIGNAL, size_of::<SignalRaw>()),
        signo,
        errno,
        code,
        pad: 0,
        fields: read(info + 16).unwrap_or([0; 32]),
    };
    if !emit::send_critical_fixed(&record) {
        emit::count(Counter::SignalsLost);
    }
    Some(())
}
