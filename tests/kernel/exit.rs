//! `watch` on real deaths: who killed whom, with what, and what ordinary ends leave untold.

use std::fs;
use std::path::Path;

use rustix::process::Signal;
use serde_json::Value;

use crate::harness::{Ended, Running, eventually, needs_root, skip};
use crate::watch::{records, stopped, watch};
use crate::workload::workload;

/// A watcher of deaths that is ready.
fn watcher() -> Running {
    let mut watcher = Running::start(&mut watch(&["--json", "--only", "exit"]));
    watcher.said("watching for");
    watcher
}

/// The records of ends that `wanted` picks.
fn ends(text: &str, wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
    records(text).into_iter().filter(|r| r["type"] == "exit" && wanted(&r["process"])).collect()
}

/// Waits until the end of `pid` is told of.
fn end_of(watcher: &Running, pid: u32) -> Value {
    eventually(&format!("the end of {pid}"), || !ends(&watcher.stdout(), |p| p["pid"] == pid).is_empty());
    ends(&watcher.stdout(), |p| p["pid"] == pid).remove(0)
}

#[test]
fn a_killed_process_names_its_killer_and_an_ordinary_end_is_not_told_of() {
    needs_root!();
    let watcher = watcher();
    let ordinary = Running::start(&mut workload("marks", "1"));
    let ordinary_pid = ordinary.pid();
    assert_eq!(ordinary.ended().code(), 7);
    let target = Running::start(&mut workload("pause", ""));
    let pid = target.pid();
    target.signal(Signal::KILL);
    assert_eq!(target.ended().code(), 128 + 9);
    let end = end_of(&watcher, pid);
    assert_eq!((&end["phase"], &end["exit"]["signal"]), (&"close".into(), &"SIGKILL".into()), "{end}");
    assert_eq!((&end["cause"]["class"], &end["cause"]["confidence"]), (&"killed".into(), &"high".into()), "{end}");
    let sender = &end["exit"]["sender"];
    assert_eq!((&sender["pid"], &sender["uid"]), (&std::process::id().into(), &0.into()), "{end}");
    assert!(end["process"]["ppid"] == std::process::id() && end["exit"]["lived_ns"].as_u64() > Some(0), "{end}");
    assert!(end["exit"]["max_rss_bytes"].as_u64() > Some(4096), "{end}");
    let done = stopped(watcher);
    assert!(ends(&done.stdout, |p| p["pid"] == ordinary_pid).is_empty(), "{}", done.stdout);
}

#[test]
fn a_kill_after_a_request_to_end_tells_of_the_request() {
    needs_root!();
    let folder = tempfile::tempdir().unwrap();
    let ready = folder.path().join("ready");
    let watcher = watcher();
    let target = Running::start(&mut workload("deaf", ready.to_str().unwrap()));
    eventually("it is deaf", || ready.exists());
    let pid = target.pid();
    target.signal(Signal::TERM);
    // The second signal must not be one with the first.
    eventually("the first signal was handled", || {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        status.lines().filter(|l| l.starts_with("SigPnd") || l.starts_with("ShdPnd")).all(|l| l.ends_with("0000"))
    });
    target.signal(Signal::KILL);
    target.ended();
    let end = end_of(&watcher, pid);
    assert!(end["exit"]["asked_before_ns"].as_u64() > Some(0), "{end}");
    assert_eq!(end["cause"]["chain"][0]["kind"], "asked");
    stopped(watcher);
}

#[test]
fn faults_are_told_with_their_address_and_core() {
    needs_root!();
    let folder = tempfile::tempdir().unwrap();
    let watcher = watcher();
    let fault = |argument: &str| -> (u32, Ended) {
        let target = Running::start(&mut workload("segfault", argument));
        (target.pid(), target.ended())
    };
    let (without, done) = fault("");
    assert_eq!(done.code(), 128 + 11);
    let end = end_of(&watcher, without);
    assert_eq!(end["exit"]["fault"], serde_json::json!({"code": "SEGV_MAPERR", "address": "0x10"}), "{end}");
    assert_eq!((&end["exit"]["core_dumped"], &end["exit"]["sent_by_kernel"]), (&false.into(), &true.into()), "{end}");
    let (with, done) = fault(folder.path().to_str().unwrap());
    let dumped = std::os::unix::process::ExitStatusExt::core_dumped(&done.status);
    assert_eq!(end_of(&watcher, with)["exit"]["core_dumped"], dumped);
    let pattern = fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap();
    assert!(dumped || pattern.starts_with(['|', '/']), "core_pattern {pattern} dumps into the folder it is in");

    let aborted = Running::start(&mut workload("abort", ""));
    let pid = aborted.pid();
    aborted.ended();
    let end = end_of(&watcher, pid);
    assert_eq!((&end["cause"]["class"], &end["exit"]["signal"]), (&"self".into(), &"SIGABRT".into()), "{end}");
    stopped(watcher);
}

#[test]
fn a_terminals_end_is_told_with_who_closed_it() {
    needs_root!();
    let watcher = watcher();
    let mut words = Running::start(&mut watch(&["--only", "exit"]));
    words.said("watching for");
    let target = Running::start(&mut workload("lose_terminal", ""));
    let pid = target.pid();
    assert_eq!(target.ended().code(), 0);
    let of_child = |p: &Value| p["ppid"] == pid;
    eventually("the child's end", || !ends(&watcher.stdout(), of_child).is_empty());
    let end = ends(&watcher.stdout(), of_child).remove(0);
    assert_eq!((&end["cause"]["class"], &end["exit"]["signal"]), (&"terminal".into(), &"SIGHUP".into()), "{end}");
    assert_eq!((&end["exit"]["sent_by_kernel"], &end["exit"]["sender"]["pid"]), (&true.into(), &pid.into()), "{end}");
    words.said(&format!(
        "killed by SIGHUP at its terminal's end, closed by {}",
        end["exit"]["sender"]["comm"].as_str().unwrap()
    ));
    words.signal(Signal::INT);
    words.ended();
    stopped(watcher);
}

#[test]
fn the_exit_code_of_a_process_that_is_asked_for_is_told() {
    needs_root!();
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    let target = Running::start(&mut workload("waiting_threads", go.to_str().unwrap()));
    let pid = target.pid();
    let mut watcher = Running::start(&mut watch(&["--json", "--pid", &pid.to_string()]));
    watcher.said("watching for");
    fs::write(&go, "").unwrap();
    assert_eq!(target.ended().code(), 5);
    let end = end_of(&watcher, pid);
    assert_eq!((&end["exit"]["code"], &end["exit"]["signal"]), (&5.into(), &Value::Null), "{end}");
    assert_eq!(end["cause"]["class"], "failed");
    stopped(watcher);
}

#[test]
fn a_thousand_deaths_at_once_are_all_told_of() {
    needs_root!();
    let watcher = watcher();
    let target = Running::start(&mut workload("mass_death", "1000"));
    let pid = target.pid();
    assert_eq!(target.ended().code(), 0);
    let of_children = |p: &Value| p["ppid"] == pid;
    eventually("all are told of", || ends(&watcher.stdout(), of_children).len() == 1000);
    let done = stopped(watcher);
    let told = ends(&done.stdout, of_children);
    assert!(told.iter().all(|end| end["exit"]["sender"]["pid"] == pid), "each by its parent");
    assert_eq!(told.len(), 1000);
}

#[test]
fn a_number_that_is_given_again_is_another_process() {
    needs_root!();
    if !Path::new("/proc/sys/kernel/ns_last_pid").exists() {
        skip!("this kernel does not let a process choose its children's numbers (CONFIG_CHECKPOINT_RESTORE)");
    }
    let watcher = watcher();
    let target = Running::start(&mut workload("reborn", ""));
    let pid = target.pid();
    if target.ended().code() != 0 {
        skip!("no number was given again");
    }
    let of_children = |p: &Value| p["ppid"] == pid;
    let aborted = |ends: &[Value]| ends.iter().find(|end| end["exit"]["signal"] == "SIGABRT").cloned();
    eventually("the second one's end", || aborted(&ends(&watcher.stdout(), of_children)).is_some());
    let done = stopped(watcher);
    let told = ends(&done.stdout, of_children);
    let second = aborted(&told).unwrap();
    let same = |end: &&Value| end["process"]["pid"] == second["process"]["pid"] && end["exit"]["signal"] == "SIGKILL";
    let first = told.iter().find(same).unwrap();
    assert_eq!((&first["cause"]["class"], &second["cause"]["class"]), (&"killed".into(), &"self".into()));
    assert!(first["id"] != second["id"], "{first} {second}");
}
