//! `--stuck`: calls that have not returned for too long, found by a sweep over the followed threads.

use std::collections::HashMap;
use std::fs;
use std::time::{Duration, Instant};

use sysprobe_common::event::{capture, status};
use sysprobe_common::limits::MAX_WANTED;
use sysprobe_common::plan::{NO_ARG, PHASE_ENTER};
use sysprobe_common::task::{BLOCKED, NO_CALL, RUNNABLE, SLEEPING, TASK_CALL_BEFORE_ATTACH, TASK_COMPAT, TaskStateRaw};

use super::attach::state_in;
use super::label::monotonic_ns;
use super::output::{Output, OutputError};
use crate::enrich::KernelSymbols;
use crate::event::{Abi, CallEnd, Captures, Syscall, Tgid, Tid, WaitSplit};
use crate::host::HostRoot;
use crate::probe::{TaskTable, TaskWaits};

/// How often threads are looked at.
const SWEEP: Duration = Duration::from_millis(100);

/// Kernel stacks of threads, by the task iterator: /proc/PID/stack wants CAP_SYS_ADMIN, which is given up.
pub struct Stacks {
    waits: TaskWaits,
    symbols: KernelSymbols,
    host: HostRoot,
}

impl Stacks {
    /// Stacks by an attached iterator.
    pub fn new(waits: TaskWaits) -> Self {
        Self { waits, symbols: KernelSymbols::default(), host: HostRoot::live() }
    }

    /// The function names of each thread's stack, innermost first. What cannot be had is left out.
    fn of(&mut self, tids: &[Tid]) -> HashMap<Tid, Vec<String>> {
        let found = self.waits.look(tids).unwrap_or_default().tasks;
        let wanted = found.into_iter().filter(|task| tids.contains(&task.tid));
        wanted
            .map(|task| {
                let frames = self.symbols.frames(&self.host, &task.kernel);
                (task.tid, frames.into_iter().map(|frame| frame.name).collect())
            })
            .collect()
    }
}

/// Finds and reports stuck calls, each once.
pub struct StuckWatch {
    over_ns: u64,
    stacks: Option<Stacks>,
    swept: Instant,
    /// Start of the call last reported of each thread.
    reported: HashMap<Tid, u64>,
}

impl StuckWatch {
    /// Reports calls that have not returned for `over`.
    pub fn new(over: Duration, stacks: Option<Stacks>) -> Self {
        let over_ns = u64::try_from(over.as_nanos()).unwrap_or(u64::MAX);
        Self { over_ns, stacks, swept: Instant::now(), reported: HashMap::new() }
    }

    /// Looks at every followed thread, if it is time.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn sweep(&mut self, tasks: &TaskTable, output: &mut Output) -> Result<(), OutputError> {
        if self.swept.elapsed() < SWEEP {
            return Ok(());
        }
        self.swept = Instant::now();
        let now = monotonic_ns();
        let mut still = HashMap::new();
        let mut due = Vec::new();
        for tid in tasks.tids() {
            let Some(state) = tasks.get(tid) else { continue };
            if state.nr == NO_CALL || now.saturating_sub(state.start_ns) < self.over_ns {
                continue;
            }
            if self.reported.get(&tid) != Some(&state.start_ns) {
                due.push((tid, state));
            }
            still.insert(tid, state.start_ns);
        }
        self.reported = still;
        // All in few looks: each walks every task of the host.
        for some in due.chunks(MAX_WANTED as usize) {
            let tids: Vec<Tid> = some.iter().map(|(tid, _)| *tid).collect();
            let mut stacks = self.stacks.as_mut().map(|stacks| stacks.of(&tids)).unwrap_or_default();
            for (tid, state) in some {
                report(*tid, state, now, &stacks.remove(tid).unwrap_or_default(), output)?;
            }
        }
        Ok(())
    }
}

fn report(tid: Tid, state: &TaskStateRaw, now: u64, frames: &[String], output: &mut Output) -> Result<(), OutputError> {
    // It does not take the thread's memory lock: it can be read while that is in D.
    let stat = fs::read_to_string(format!("/proc/{}/task/{}/stat", state.tgid, tid.0)).unwrap_or_default();
    let tail = captures(state);
    output.stuck(&call(tid, state, now, &tail), state_in(&stat), frames)
}

/// The captures of a call's entry, laid out as its record would have them.
fn captures(state: &TaskStateRaw) -> Vec<u8> {
    let mut tail = Vec::new();
    for (arg, key) in state.file_args.iter().zip(&state.files).filter(|(arg, _)| **arg != NO_ARG) {
        tail.extend([*arg, capture::FILE, status::WHOLE, PHASE_ENTER, 16, 0, 0, 0]);
        tail.extend(key.object.to_ne_bytes());
        tail.extend(key.version.to_ne_bytes());
    }
    tail.extend(state.entry.get(..state.entry_len as usize).unwrap_or_default());
    tail
}

fn call<'a>(tid: Tid, state: &TaskStateRaw, now: u64, tail: &'a [u8]) -> Syscall<'a> {
    let duration_ns = now.saturating_sub(state.start_ns);
    let mut waited = state.waited_ns;
    if let Some(current) = waited.get_mut(state.off_state as usize) {
        *current = current.saturating_add(now.saturating_sub(state.off_ns));
    }
    let part = |what: u32| waited.get(what as usize).copied().unwrap_or(0).min(duration_ns);
    let (runnable_ns, blocked_ns, sleeping_ns) = (part(RUNNABLE), part(BLOCKED), part(SLEEPING));
    Syscall {
        tid,
        tgid: Tgid(state.tgid),
        abi: if state.flags & TASK_COMPAT != 0 { Abi::I386 } else { Abi::X86_64 },
        nr: state.nr,
        args: state.args,
        start_ns: state.start_ns,
        duration_ns,
        wait: WaitSplit {
            running_ns: duration_ns.saturating_sub(runnable_ns + blocked_ns + sleeping_ns),
            runnable_ns,
            blocked_ns,
            sleeping_ns,
        },
        end: CallEnd::InProgress,
        began_before_attach: state.flags & TASK_CALL_BEFORE_ATTACH != 0,
        captures: Captures::new(tail),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_that_goes_on_counts() {
        let mut state = TaskStateRaw::new(7, 0);
        (state.start_ns, state.off_ns, state.off_state) = (1_000, 1_500, BLOCKED);
        let wait = call(Tid(8), &state, 11_500, &[]).wait;
        assert_eq!((wait.blocked_ns, wait.running_ns), (10_000, 500));
    }
}
