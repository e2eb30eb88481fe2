//! `watch` on real stalls: found while they last and when they end, with what is behind them.

use std::fs;
use std::process::Command;

use rustix::process::Signal;
use serde_json::Value;

use crate::frozen::FrozenFs;
use crate::harness::{Ended, Running, eventually, needs_root, skip, sysprobe};
use crate::workload::workload;

pub fn watch(flags: &[&str]) -> Command {
    let mut command = sysprobe();
    command.arg("watch").args(flags);
    command
}

pub fn state_of(pid: u32) -> String {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().and_then(|rest| rest.split(' ').next()).unwrap_or_default().to_owned()
}

pub fn records(text: &str) -> Vec<Value> {
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// The records of stalls of one process.
pub fn stalls(text: &str, pid: u32) -> Vec<Value> {
    let of = |record: &Value| record["type"] == "stall" && record["process"]["pid"] == pid;
    records(text).into_iter().filter(of).collect()
}

/// Waits until there is a record of `pid` in this phase.
pub fn reported(watcher: &Running, pid: u32, phase: &str) {
    eventually(&format!("{phase} of {pid}"), || stalls(&watcher.stdout(), pid).iter().any(|r| r["phase"] == phase));
}

pub fn stopped(watcher: Running) -> Ended {
    watcher.signal(Signal::INT);
    let done = watcher.ended();
    assert_eq!(done.code(), 0, "{}", done.stderr);
    let summary = records(&done.stdout).pop().unwrap();
    assert_eq!((&summary["type"], &summary["lost"]), (&"summary".into(), &0.into()), "{summary}");
    done
}

pub fn chain_of(record: &Value) -> String {
    let links = record["cause"]["chain"].as_array().unwrap();
    links.iter().map(|link| format!("{}: {}\n", link["kind"], link["summary"])).collect()
}

#[test]
fn a_vfork_wait_is_found_while_it_lasts_and_followed_to_the_child() {
    needs_root!();
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    let mut watcher = Running::start(&mut watch(&["--json", "--stall-over", "300ms"]));
    watcher.said("watching for");
    let target = Running::start(&mut workload("waiting_for_a_vfork_child", go.to_str().unwrap()));
    let pid = target.pid();
    reported(&watcher, pid, "open");
    assert_eq!(state_of(pid), "D", "told of while it is stuck");
    fs::write(&go, "").unwrap();
    assert_eq!(target.ended().code(), 3);
    reported(&watcher, pid, "close");
    let done = stopped(watcher);

    let found = stalls(&done.stdout, pid);
    let open = &found[0];
    assert_eq!((&open["cause"]["class"], &open["cause"]["confidence"]), (&"vfork".into(), &"high".into()), "{open}");
    assert_eq!((&open["stall"]["killable"], &open["stall"]["began_before"]), (&true.into(), &false.into()));
    assert!(open["stall"]["call"].as_str().unwrap().starts_with("clone("), "{open}");
    let chain = chain_of(open);
    assert!(chain.contains("its vfork child") && chain.contains("it sleeps in clock_nanosleep("), "{chain}");
    assert!(open["evidence"]["kernel_stack"].as_array().unwrap().len() > 3, "{open}");
    let close = found.last().unwrap();
    assert_eq!((&close["id"], &close["phase"]), (&open["id"], &"close".into()));
    assert!(
        close["duration_ns"].as_u64() >= Some(300_000_000)
            && close["duration_ns"].as_u64() > open["duration_ns"].as_u64()
    );
}

#[test]
fn the_summary_says_what_the_probes_saw_and_what_they_cost() {
    needs_root!();
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    let mut watcher = Running::start(&mut watch(&["--json", "--stats"]));
    watcher.said("watching for");
    let target = Running::start(&mut workload("waiting_for_a_vfork_child", go.to_str().unwrap()));
    eventually("it waits", || state_of(target.pid()) == "D");
    fs::write(&go, "").unwrap();
    target.ended();
    let summary = records(&stopped(watcher).stdout).pop().unwrap();
    assert!(summary["counters"]["waits_seen"].as_u64() >= Some(1), "{summary}");
    let costs = summary["probes"].as_array().unwrap();
    let blocks = costs.iter().find(|cost| cost["name"].as_str().unwrap().starts_with("task_blocks")).unwrap();
    assert!(blocks["runs"].as_u64() >= Some(1) && blocks["run_ns"].as_u64() > Some(0), "{blocks}");
}

#[test]
fn a_task_stuck_before_the_start_is_found() {
    needs_root!();
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    let target = Running::start(&mut workload("waiting_for_a_vfork_child", go.to_str().unwrap()));
    let pid = target.pid();
    eventually("it is stuck", || state_of(pid) == "D");
    let watcher = Running::start(&mut watch(&["--json", "--stall-over", "300ms", "--pid", &pid.to_string()]));
    reported(&watcher, pid, "open");
    assert_eq!(state_of(pid), "D");
    fs::write(&go, "").unwrap();
    assert_eq!(target.ended().code(), 3);
    reported(&watcher, pid, "close");
    let done = stopped(watcher);
    let open = &stalls(&done.stdout, pid)[0];
    assert_eq!((&open["stall"]["began_before"], &open["cause"]["class"]), (&true.into(), &"vfork".into()), "{open}");
}

#[test]
fn tasks_on_a_frozen_file_system_share_one_root() {
    needs_root!();
    let mut fs = match FrozenFs::mount() {
        Ok(fs) => fs,
        Err(why) => skip!("{why}"),
    };
    let mut watcher = Running::start(&mut watch(&["--json", "--stall-over", "300ms"]));
    watcher.said("watching for");
    let mut words = Running::start(&mut watch(&["--stall-over", "300ms"]));
    words.said("watching for");
    fs.freeze();
    let targets: Vec<Running> = (0..3)
        .map(|index| Running::start(&mut workload("make_file", fs.at().join(index.to_string()).to_str().unwrap())))
        .collect();
    let pids: Vec<u32> = targets.iter().map(Running::pid).collect();
    for pid in &pids {
        reported(&watcher, *pid, "open");
    }
    words.said("a frozen file system to be thawed");
    fs.thaw();
    for target in targets {
        assert_eq!(target.ended().code(), 4);
    }
    for pid in &pids {
        reported(&watcher, *pid, "close");
    }
    words.said("ENDED");
    words.signal(Signal::INT);
    let words = words.ended();
    assert!(words.stdout.contains("kill -9     does not end this wait"), "{}", words.stdout);
    let done = stopped(watcher);
    let opens: Vec<Value> = pids.iter().map(|pid| stalls(&done.stdout, *pid).remove(0)).collect();
    for open in &opens {
        assert_eq!((&open["cause"]["class"], &open["stall"]["killable"]), (&"freeze".into(), &false.into()), "{open}");
        assert_eq!(open["stall"]["root"], opens[0]["stall"]["root"], "one root");
        assert!(open["stall"]["call"].as_str().unwrap().starts_with("open"), "{open}");
    }
}

#[test]
fn flags_that_cannot_be_are_refused_with_the_way_out() {
    for (flags, says) in [
        (&["--stall-over", "1us"][..], "--stall-over takes 1ms or more"),
        (&["--cgroup", "x"], "--cgroup takes a path as /proc/PID/cgroup shows it"),
        (&["--only", "nonsense"], "possible values"),
    ] {
        let done = crate::harness::run(&mut watch(flags));
        assert_eq!(done.code(), 2, "{}", done.stderr);
        assert!(done.stderr.contains(says), "{}", done.stderr);
    }
}
