//! `sysprobe explain PID`: one process looked at twice, its stuck threads explained, the others summed up. No event is waited
//! for: the task iterator alone shows stacks, calls and locks.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use super::kernel;
use super::scene::SceneReader;
use super::source::waits::{ask_for_others, read};
use crate::analyze::fact::{Scene, SceneTask};
use crate::analyze::{Analyzer as _, Fact, Finding, Stalls, doing, is_held_up};
use crate::cli::{Failure, RUNTIME};
use crate::event::{TaskWait, Tid};
use crate::explain::printable::printable;
use crate::host::{HostFs, HostRoot, read_text};
use crate::probe::catalog::Form;
use crate::record::WallClock;
use crate::sink::{Feed, Ndjson, Sink};

/// Between the looks: what sleeps through it is stuck, what does not is only slow.
const BETWEEN: Duration = Duration::from_millis(500);
/// Threads looked at.
const MAX_THREADS: usize = sysprobe_common::limits::MAX_WANTED as usize;
/// Different activities shown.
const MAX_ROWS: usize = 16;
/// Threads named of an activity.
const NAMED: usize = 6;

/// Explains why a process is stuck or slow now.
///
/// # Errors
/// [`Failure`] for what the user can mend; other errors are failures while running.
pub fn explain(pid: u32, json: bool) -> anyhow::Result<ExitCode> {
    let fs = Arc::new(HostRoot::live());
    let threads = threads_of(fs.as_ref(), pid);
    if threads.is_empty() {
        return Err(Failure::usage(format!("no process {pid}; `ps -e` lists them")));
    }
    let mut kernel = kernel::load(u64::MAX, &[], |row| row.form == Form::Iterator)?;
    let mut waits = kernel.take_waits()?;
    let mut scenes = SceneReader::new(fs.clone());
    let of_process = |tasks: Vec<TaskWait>| tasks.into_iter().filter(|t| threads.contains(&t.tid)).collect::<Vec<_>>();
    let before = of_process(read(&mut waits, &threads).tasks);
    let times = Times::of(fs.as_ref(), pid, &threads);
    std::thread::sleep(BETWEEN);
    let spent = Times::of(fs.as_ref(), pid, &threads).since(&times);
    let look = read(&mut waits, &threads);
    let mut scene = Scene { at_ns: crate::trace::label::monotonic_ns(), cut: look.cut, ..Scene::default() };
    for task in look.tasks {
        let ours = threads.contains(&task.tid);
        let same = |b: &&TaskWait| (b.tid, b.start_ns, b.switches) == (task.tid, task.start_ns, task.switches);
        let first_seen = before.iter().find(same).map(|b| b.seen_ns);
        let since_ns = first_seen.unwrap_or(task.seen_ns);
        let task = scenes.task(task, since_ns, first_seen.is_some());
        let stuck = ours && first_seen.is_some() && is_held_up(&task);
        if stuck { scene.stuck.push(task) } else { scene.others.push(task) }
    }
    ask_for_others(&mut scenes, &mut waits, &mut scene);
    let others: Vec<SceneTask> = scene.others.iter().filter(|t| threads.contains(&t.wait.tid)).cloned().collect();
    let mut findings: Vec<Finding> = Vec::new();
    Stalls::default().take(&Fact::Stuck(scene), &mut findings);
    if findings.is_empty() && others.is_empty() {
        let message =
            format!("the kernel showed no thread of {pid}: it ended meanwhile, or this host hides it from eBPF");
        return Err(Failure { code: RUNTIME, message }.into());
    }
    let clock = WallClock::now();
    if json {
        let host = read_text(fs.as_ref(), "/proc/sys/kernel/hostname").unwrap_or_default();
        Ndjson::new(io::stdout(), &host, clock).write(&findings)?;
        if findings.is_empty() {
            eprintln!("sysprobe: no thread of {pid} is stuck");
        }
    } else {
        Feed::new(anstream::stdout(), clock, jiff::tz::TimeZone::system()).write(&findings)?;
        write_others(&mut anstream::stdout(), pid, findings.is_empty(), &others, &spent)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The threads of the process that `pid` is one of.
fn threads_of(fs: &dyn HostFs, pid: u32) -> Vec<Tid> {
    let names = fs.list(&format!("/proc/{pid}/task")).unwrap_or_default();
    let mut threads: Vec<Tid> = names.iter().filter_map(|name| name.parse().ok().map(Tid)).collect();
    threads.sort_unstable();
    threads.truncate(MAX_THREADS);
    threads
}

/// Time of all threads since they were born: /proc/PID/schedstat (Documentation/scheduler/sched-stats.rst).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Times {
    on_cpu_ns: u64,
    runnable_ns: u64,
}

impl Times {
    fn of(fs: &dyn HostFs, pid: u32, threads: &[Tid]) -> Self {
        threads.iter().fold(Self::default(), |sum, tid| {
            let text = read_text(fs, &format!("/proc/{pid}/task/{}/schedstat", tid.0)).unwrap_or_default();
            let mut numbers = text.split_ascii_whitespace().map_while(|n| n.parse::<u64>().ok());
            Self {
                on_cpu_ns: sum.on_cpu_ns.saturating_add(numbers.next().unwrap_or(0)),
                runnable_ns: sum.runnable_ns.saturating_add(numbers.next().unwrap_or(0)),
            }
        })
    }

    /// What was added; a thread that ended meanwhile takes its time with it.
    fn since(self, before: &Self) -> Self {
        Self {
            on_cpu_ns: self.on_cpu_ns.saturating_sub(before.on_cpu_ns),
            runnable_ns: self.runnable_ns.saturating_sub(before.runnable_ns),
        }
    }
}

/// What the threads do that are not stuck, and what the process's time went to meanwhile.
fn write_others(
    out: &mut impl Write,
    pid: u32,
    none_stuck: bool,
    others: &[SceneTask],
    spent: &Times,
) -> io::Result<()> {
    let comm = others.iter().find(|t| t.wait.tid.0 == pid).or(others.first());
    let comm = comm.and_then(|t| t.process.comm.as_deref()).unwrap_or("?");
    if none_stuck {
        writeln!(out, "{}[{pid}] is not stuck: no thread was held up for {}", printable(comm), millis(BETWEEN))?;
    }
    // Threads in the same call do the same, whatever its arguments.
    let mut activities: BTreeMap<String, (String, Vec<u32>)> = BTreeMap::new();
    for task in others {
        let words = doing(task);
        let call = words.split_once('(').map_or_else(|| words.clone(), |(call, _)| format!("{call}(..)"));
        activities.entry(call).or_insert((words, Vec::new())).1.push(task.wait.tid.0);
    }
    let mut rows: Vec<(String, Vec<u32>)> = activities
        .into_iter()
        .map(|(call, (words, tids))| (if tids.len() == 1 { words } else { call }, tids))
        .collect();
    rows.sort_by_key(|(_, tids)| std::cmp::Reverse(tids.len()));
    for (doing, tids) in rows.iter().take(MAX_ROWS) {
        let names: Vec<String> = tids.iter().take(NAMED).map(u32::to_string).collect();
        let rest = if tids.len() > NAMED { ", .." } else { "" };
        let count = if tids.len() == 1 { "1 thread".to_owned() } else { format!("{} threads", tids.len()) };
        writeln!(out, "        {count:<11} {} ({}{rest})", printable(doing), names.join(", "))?;
    }
    if rows.len() > MAX_ROWS {
        writeln!(out, "        and {} other activities", rows.len() - MAX_ROWS)?;
    }
    let share = |ns: u64| ns as f64 / BETWEEN.as_nanos() as f64 * 100.0;
    let (cpu, wait) = (share(spent.on_cpu_ns), share(spent.runnable_ns));
    let within = millis(BETWEEN);
    writeln!(out, "        {:<11} in {within}: {cpu:.0} % of a CPU used, {wait:.0} % spent waiting for one", "time")
}

fn millis(duration: Duration) -> String {
    format!("{} ms", duration.as_millis())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::memory::MemoryHost;

    #[test]
    fn times_add_up_over_threads_and_survive_their_ends() {
        let host = MemoryHost::new([
            ("/proc/7/task/7/schedstat", "100 20 3\n"),
            ("/proc/7/task/8/schedstat", "18446744073709551615 1 1\n"),
            ("/proc/7/task/9/schedstat", "hostile"),
        ]);
        let sum = Times::of(&host, 7, &[Tid(7), Tid(8), Tid(9), Tid(10)]);
        assert_eq!(sum, Times { on_cpu_ns: u64::MAX, runnable_ns: 21 });
        assert_eq!(Times::default().since(&sum), Times::default());
    }
}
