//! Follows running processes: all their threads, and the calls they are in right now.

use std::fs;

use sysprobe_common::task::{BLOCKED, NO_CALL, ON_CPU, SLEEPING, TASK_CALL_BEFORE_ATTACH, TaskStateRaw};

use super::output::Output;
use crate::cli::Failure;
use crate::event::{Tgid, Tid};
use crate::probe::TaskTable;
use crate::syscall::filter::CallFilter;

/// `PF_KTHREAD` (include/linux/sched.h).
const PF_KTHREAD: u64 = 0x0020_0000;
/// Inode of the initial pid namespace (`PROC_PID_INIT_INO`, include/linux/proc_ns.h).
const INIT_PID_NAMESPACE: &str = "pid:[4026531836]";

/// What was attached to.
pub struct Attached {
    /// Threads.
    pub threads: usize,
    /// Processes.
    pub processes: usize,
}

/// Refuses what cannot be followed.
///
/// # Errors
/// [`Failure`] that names the pid.
pub fn check(pids: &[u32]) -> anyhow::Result<()> {
    if fs::read_link("/proc/self/ns/pid").is_ok_and(|ns| ns.to_str() != Some(INIT_PID_NAMESPACE)) {
        return Err(Failure::host(
            "sysprobe runs in a pid namespace of its own, where pids are not the kernel's; run it on the host, or in a container with --pid=host",
        ));
    }
    for &pid in pids {
        let stat = match fs::read_to_string(format!("/proc/{pid}/stat")) {
            Ok(stat) => stat,
            Err(_) => return Err(Failure::usage(format!("no process {pid}; `ps -e` lists them"))),
        };
        if stat_field(&stat, 9).is_some_and(|flags| flags & PF_KTHREAD != 0) {
            return Err(Failure::usage(format!(
                "{pid} ({}) is a kernel thread: it makes no system calls",
                name_in(&stat)
            )));
        }
        if let Some(leader) = leader_of(pid)
            && leader != pid
        {
            return Err(Failure::usage(format!("{pid} is a thread of process {leader}; give --pid {leader}")));
        }
        if pid == std::process::id() {
            return Err(Failure::usage("a trace of itself would never end"));
        }
    }
    Ok(())
}

/// Follows every thread of every process. A thread born meanwhile is followed by its parent's fork, or by the next round.
///
/// # Errors
/// [`Failure`] when no process is left.
pub fn attach(
    pids: &[u32],
    filter: &CallFilter,
    tasks: &mut TaskTable,
    output: &mut Output,
) -> anyhow::Result<Attached> {
    let mut attached = Attached { threads: 0, processes: 0 };
    for &pid in pids {
        let mut known = std::collections::HashSet::new();
        loop {
            let fresh: Vec<u32> = threads(pid).filter(|tid| known.insert(*tid)).collect();
            if fresh.is_empty() {
                break;
            }
            for tid in fresh {
                follow(pid, tid, filter, tasks)?;
                output.labels().add(Tid(tid), Tgid(pid));
            }
        }
        attached.threads += known.len();
        if known.is_empty() {
            eprintln!("sysprobe: process {pid} ended before it could be followed");
        } else {
            attached.processes += 1;
        }
    }
    if attached.processes == 0 {
        return Err(Failure { code: crate::cli::RUNTIME, message: "every process named has ended".into() }.into());
    }
    Ok(attached)
}

fn threads(pid: u32) -> impl Iterator<Item = u32> {
    let entries = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten();
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

fn follow(pid: u32, tid: u32, filter: &CallFilter, tasks: &mut TaskTable) -> anyhow::Result<()> {
    let mut state = TaskStateRaw::new(pid, 0);
    current_call(pid, tid, filter, &mut state);
    tasks.follow(Tid(tid), state).map_err(|error| {
        Failure::host(format!(
            "cannot follow thread {tid} of {pid}: {error}; at most {} threads are followed at once",
            sysprobe_common::limits::MAX_TASKS
        ))
    })?;
    if !is_there(pid, tid) {
        // It ended in between, and its exit may have come before its row.
        tasks.forget(Tid(tid));
    }
    Ok(())
}

/// Whether a thread still exists.
pub fn is_there(pid: u32, tid: u32) -> bool {
    fs::exists(format!("/proc/{pid}/task/{tid}")).unwrap_or(false)
}

/// The call that a thread is in: it began before us, so its time counts from now.
fn current_call(pid: u32, tid: u32, filter: &CallFilter, state: &mut TaskStateRaw) {
    let Ok(text) = fs::read_to_string(format!("/proc/{pid}/task/{tid}/syscall")) else { return };
    // "nr arg0 .. arg5 sp pc"; "-1 sp pc" or "running" outside a call (Documentation/filesystems/proc.rst).
    let mut words = text.split_ascii_whitespace();
    let Some(nr) = words.next().and_then(|w| w.parse::<u32>().ok()) else { return };
    if !filter.wants(nr) {
        return;
    }
    for arg in &mut state.args {
        let word = words.next().and_then(|w| w.strip_prefix("0x")).and_then(|w| u64::from_str_radix(w, 16).ok());
        let Some(word) = word else { return };
        *arg = word;
    }
    state.nr = nr;
    state.flags = TASK_CALL_BEFORE_ATTACH;
    state.start_ns = super::label::monotonic_ns();
    state.off_ns = state.start_ns;
    let stat = fs::read_to_string(format!("/proc/{pid}/task/{tid}/stat")).unwrap_or_default();
    state.off_state = match state_in(&stat) {
        Some('D') => BLOCKED,
        Some('S') => SLEEPING,
        _ => ON_CPU,
    };
    debug_assert!(state.nr != NO_CALL);
}

/// The state letter of a stat line.
pub fn state_in(stat: &str) -> Option<char> {
    after_name(stat)?.chars().next()
}

fn name_in(stat: &str) -> String {
    let name = stat.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')')).map_or("?", |(name, _)| name);
    name.chars().filter(|c| !c.is_control()).collect()
}

/// Field `n` (counted from 1, as in proc_pid_stat(5)) of a stat line, beyond the name.
fn stat_field(stat: &str, n: usize) -> Option<u64> {
    after_name(stat)?.split_ascii_whitespace().nth(n.checked_sub(3)?)?.parse().ok()
}

/// What follows the name: it may hold spaces and parentheses itself.
fn after_name(stat: &str) -> Option<&str> {
    stat.rsplit_once(") ").map(|(_, rest)| rest)
}

fn leader_of(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("Tgid:"))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stat_line_is_read_past_any_name() {
        let stat = "7 (a) b) c (x) S 1 7 7 0 -1 4194560 1 2 3";
        assert_eq!(state_in(stat), Some('S'));
        assert_eq!(stat_field(stat, 4), Some(1));
        assert_eq!(stat_field(stat, 9), Some(4_194_560));
        assert_eq!(name_in(stat), "a) b) c (x");
        assert_eq!(state_in("garbage"), None);
    }
}
