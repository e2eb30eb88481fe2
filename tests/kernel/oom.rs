//! `watch` on real OOM kills in a memory cgroup: who was killed, whose limit it was, and whether the victim was to blame.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use crate::harness::{Running, eventually, needs_root, skip};
use crate::memory_cgroup::{MemoryCgroup, Tmpfs};
use crate::watch::{records, stopped, watch};

const MIB: u64 = 1 << 20;

/// A small cgroup, or the test's end.
macro_rules! cgroup {
    ($name:literal, $mib:literal) => {
        match MemoryCgroup::new($name, $mib) {
            Ok(cgroup) => cgroup,
            Err(why) => skip!("{why}"),
        }
    };
}

fn watcher() -> Running {
    let mut watcher = Running::start(&mut watch(&["--json", "--only", "oom"]));
    watcher.said("watching for");
    watcher
}

/// The records of kills in this cgroup, whole ones only.
fn kills(text: &str, cgroup: &MemoryCgroup) -> Vec<Value> {
    let of = |record: &Value| {
        record["type"] == "oom_kill" && record["phase"] == "close" && record["oom"]["memcg"] == cgroup.path()
    };
    records(text).into_iter().filter(of).collect()
}

/// Waits for the kill of `pid`.
fn kill_of(watcher: &Running, cgroup: &MemoryCgroup, pid: u32) -> Value {
    let of_it = || kills(&watcher.stdout(), cgroup).into_iter().find(|record| record["process"]["pid"] == pid);
    eventually(&format!("the kill of {pid}"), || of_it().is_some());
    of_it().unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[test]
fn a_process_that_outgrows_its_limit_is_told_of_with_all_there_is_to_know() {
    needs_root!();
    let cgroup = cgroup!("alone", 24);
    let watcher = watcher();
    let mut words = Running::start(&mut watch(&["--only", "oom"]));
    words.said("watching for");
    let target = Running::start(&mut cgroup.workload("take", "64 1 0"));
    let pid = target.pid();
    assert_eq!(target.ended().code(), 128 + 9);
    let kill = kill_of(&watcher, &cgroup, pid);
    let (oom, cause) = (&kill["oom"], &kill["cause"]);
    assert_eq!((&oom["scope"], &oom["limit_bytes"]), (&"memcg".into(), &(24 * MIB).into()), "{kill}");
    assert!(oom["usage_bytes"].as_u64() > Some(20 * MIB), "{kill}");
    assert_eq!((&oom["trigger"]["pid"], &oom["victim"]["pid"]), (&pid.into(), &pid.into()), "{kill}");
    assert!(text(&oom["trigger"]["wanted"]).contains("anonymous memory"), "{kill}");
    assert!(oom["victim"]["anon_rss_bytes"].as_u64() > Some(20 * MIB), "{kill}");
    assert_eq!((&oom["dominant"], &oom["innocent"]), (&"anon".into(), &false.into()), "{kill}");
    assert_eq!((&oom["victim"]["oom_score_adj"], &oom["group"]), (&0.into(), &false.into()), "{kill}");
    assert_eq!((&cause["class"], &kill["process"]["cgroup"]), (&"oom-memcg".into(), &cgroup.path().into()));
    let stack = kill["evidence"]["kernel_stack"].as_array().unwrap();
    assert!(stack.iter().any(|frame| frame == "mem_cgroup_out_of_memory"), "{kill}");
    words.said("killed: the limit of cgroup /sysprobe-alone");
    words.said("innocent    no: ");
    stopped(watcher);
}

#[test]
fn a_big_quiet_process_killed_for_a_small_one_that_grows_is_innocent() {
    needs_root!();
    let cgroup = cgroup!("innocent", 64);
    let watcher = watcher();
    let quiet = Running::start(&mut cgroup.workload("take", "40 0 500"));
    let pid = quiet.pid();
    eventually("it holds its memory", || cgroup.used() > 40 << 20);
    // Growth is told from samples, so the quiet one must have been quiet for some.
    let since = Instant::now();
    eventually("it was quiet for a while", || since.elapsed() > Duration::from_secs(4));
    let grower = Running::start(&mut cgroup.workload("take", "40 20 0"));
    let culprit = grower.pid();
    assert_eq!(quiet.ended().code(), 128 + 9);
    let kill = kill_of(&watcher, &cgroup, pid);
    let oom = &kill["oom"];
    assert_eq!(oom["innocent"], true, "{kill}");
    assert!(text(&oom["why"]).contains(&format!("[{culprit}] grew by")), "{kill}");
    assert!(text(&oom["why"]).contains("oom_score_adj of 500"), "{kill}");
    assert_eq!((&oom["trigger"]["pid"], &oom["growth"][0]["pid"]), (&culprit.into(), &culprit.into()), "{kill}");
    assert_eq!(oom["candidates"][0]["pid"], pid, "it held the most: {kill}");
    // After many kills in a row the log lists no processes; what they held is then from a sample.
    assert_ne!(kill["cause"]["confidence"], "low", "{kill}");
    drop(grower);
    stopped(watcher);
}

#[test]
fn files_on_a_tmpfs_are_named_as_what_fills_the_limit() {
    needs_root!();
    let cgroup = cgroup!("tmpfs", 32);
    let tmpfs = match Tmpfs::mount() {
        Ok(tmpfs) => tmpfs,
        Err(why) => skip!("{why}"),
    };
    let watcher = watcher();
    let file = tmpfs.path().join("file");
    let target = Running::start(&mut cgroup.workload("fill_file", &format!("{} 64", file.display())));
    let pid = target.pid();
    assert_eq!(target.ended().code(), 128 + 9);
    let kill = kill_of(&watcher, &cgroup, pid);
    let oom = &kill["oom"];
    assert_eq!((&oom["dominant"], &oom["innocent"]), (&"shmem".into(), &true.into()), "{kill}");
    assert!(text(&oom["trigger"]["wanted"]).contains("tmpfs"), "{kill}");
    assert!(text(&kill["advice"]).contains("tmpfs"), "{kill}");
    stopped(watcher);
}

#[test]
fn every_kill_of_a_burst_is_told_of_once() {
    needs_root!();
    const CHILDREN: usize = 6;
    let cgroup = cgroup!("burst", 16);
    let watcher = watcher();
    let target = Running::start(&mut cgroup.workload("many", &format!("{CHILDREN} 64")));
    // The parent has next to nothing, so every child is killed before it is.
    assert_eq!(target.ended().code(), 0);
    eventually("all are told of", || kills(&watcher.stdout(), &cgroup).len() >= CHILDREN);
    let done = stopped(watcher);
    let mut victims: Vec<u64> =
        kills(&done.stdout, &cgroup).iter().filter_map(|kill| kill["process"]["pid"].as_u64()).collect();
    victims.sort_unstable();
    victims.dedup();
    assert_eq!((victims.len(), kills(&done.stdout, &cgroup).len()), (CHILDREN, CHILDREN), "{}", done.stdout);
}

#[test]
fn the_thread_that_asked_is_told_from_its_process() {
    needs_root!();
    let cgroup = cgroup!("thread", 24);
    let watcher = watcher();
    let target = Running::start(&mut cgroup.workload("take_in_thread", "64 0 0"));
    let pid = target.pid();
    assert_eq!(target.ended().code(), 128 + 9);
    let kill = kill_of(&watcher, &cgroup, pid);
    let trigger = &kill["oom"]["trigger"];
    assert_eq!((&trigger["comm"], &trigger["pid"]), (&"taker".into(), &pid.into()), "{kill}");
    assert_ne!(trigger["tid"], pid, "{kill}");
    assert_eq!(kill["oom"]["notes"], Value::Array(Vec::new()), "its own thread is no bystander: {kill}");
    stopped(watcher);
}

#[test]
fn the_victims_end_names_the_kill() {
    needs_root!();
    let cgroup = cgroup!("end", 24);
    let mut watcher = Running::start(&mut watch(&["--json", "--only", "oom,exit"]));
    watcher.said("watching for");
    let target = Running::start(&mut cgroup.workload("take", "64 0 0"));
    let pid = target.pid();
    assert_eq!(target.ended().code(), 128 + 9);
    let kill = kill_of(&watcher, &cgroup, pid);
    let end_of_it =
        || records(&watcher.stdout()).into_iter().find(|r| r["type"] == "exit" && r["process"]["pid"] == pid);
    eventually("its end is told of", || end_of_it().is_some());
    let end = end_of_it().unwrap();
    assert_eq!((&end["exit"]["oom_kill"], &end["cause"]["class"]), (&kill["id"], &"oom".into()), "{end}");
    stopped(watcher);
}

#[test]
fn a_victim_that_is_gone_before_anybody_looks_is_told_of_with_its_memory() {
    needs_root!();
    let cgroup = cgroup!("gone", 24);
    let watcher = watcher();
    // Stopped, it cannot look before the victim is reaped and its number free.
    watcher.signal(Signal::STOP);
    let target = Running::start(&mut cgroup.workload("take", "64 0 0"));
    let pid = target.pid();
    assert_eq!(target.ended().code(), 128 + 9);
    watcher.signal(Signal::CONT);
    let kill = kill_of(&watcher, &cgroup, pid);
    assert_eq!((&kill["process"]["exe"], &kill["process"]["uid"]), (&Value::Null, &0.into()), "{kill}");
    assert_eq!(kill["process"]["cgroup"], cgroup.path(), "{kill}");
    assert!(kill["process"]["start_ns"].as_u64() > Some(0), "{kill}");
    assert!(kill["oom"]["victim"]["anon_rss_bytes"].as_u64() > Some(20 * MIB), "{kill}");
    assert!(kill["oom"]["victim"]["pgtables_bytes"].as_u64() > Some(0), "only the probe tells it: {kill}");
    stopped(watcher);
}
