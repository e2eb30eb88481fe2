//! `demo`: real faults with their verdicts, and nothing of it left, however it ends.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::harness::{Running, eventually, needs_root, run, sysprobe};
use crate::watch::state_of;

/// One at a time: a demo removes what another one left.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn demo(what: &str) -> Command {
    let mut command = sysprobe();
    command.args(["demo", what]);
    command
}

/// The process that makes the faults of a running demo.
fn hands_of(demo: &Running) -> u32 {
    let pid = demo.pid();
    let children = || fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    eventually("the hands are there", || !children().is_empty());
    children().split(' ').next().unwrap().parse().unwrap()
}

/// Running processes that faults of these hands happen to.
fn actors_of(hands: u32) -> Vec<u32> {
    let wanted = format!("--director\0{hands}\0");
    let pids = fs::read_dir("/proc").unwrap().flatten().filter_map(|e| e.file_name().to_str()?.parse().ok());
    let ours = |pid: &u32| fs::read_to_string(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line.contains(&wanted));
    pids.filter(ours).collect()
}

/// What is still there of what these hands made.
fn left(hands: u32) -> Vec<String> {
    let name = format!("sysprobe-demo-{hands}");
    let mut found: Vec<String> = actors_of(hands).iter().map(|pid| format!("process {pid}")).collect();
    let folders = ["/run", "/tmp", "/sys/fs/cgroup", "/sys/fs/cgroup/memory"].map(|at| Path::new(at).join(&name));
    found.extend(folders.iter().filter(|folder| folder.exists()).map(|folder| folder.display().to_string()));
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    found.extend(mounts.lines().filter(|line| line.contains(&format!("/{name}/"))).map(str::to_owned));
    let devices = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let backing = devices.filter_map(|d| fs::read_to_string(d.path().join("loop/backing_file")).ok());
    found.extend(backing.filter(|file| file.contains(&format!("/{name}/"))));
    found
}

/// Starts a stall and waits until a process is stuck in it.
fn stuck() -> (Running, u32) {
    let demo = Running::start(&mut demo("stall"));
    let hands = hands_of(&demo);
    eventually("its process is stuck", || actors_of(hands).iter().any(|pid| state_of(*pid) == "D"));
    (demo, hands)
}

#[test]
fn every_fault_is_explained_and_nothing_is_left() {
    needs_root!();
    let _alone = alone();
    let mut running = Running::start(&mut demo("all"));
    let hands = hands_of(&running);
    running.said("1 of 3: ");
    let done = running.ended();
    assert_eq!(done.code(), 0, "{}{}", done.stdout, done.stderr);
    let said = |part: &str| assert!(done.stdout.contains(part), "{part}: {}", done.stdout);
    for part in
        ["STALL  demo-", "root cause", "kill -9     ", "ENDED  demo-", "Everything that the demo made is undone"]
    {
        said(part);
    }
    if !done.stdout.contains("This host can't: no memory cgroup") {
        for part in
            ["OOM    demo-cache[", "grew        demo-leak[", "innocent    yes: demo-leak[", "which was not to blame"]
        {
            said(part);
        }
    }
    for part in ["LEAK   demo-server[", "ends were read by demo-server["] {
        said(part);
    }
    assert_eq!(left(hands), Vec::<String>::new());
}

#[test]
fn an_interrupted_demo_leaves_nothing() {
    needs_root!();
    let _alone = alone();
    for signal in [Signal::INT, Signal::TERM] {
        let (demo, hands) = stuck();
        // As a terminal does: to the whole process group.
        kill_process_group(Pid::from_raw(demo.pid() as i32).unwrap(), signal).unwrap();
        let done = demo.ended();
        assert_eq!(done.code(), 0, "{}", done.stderr);
        assert_eq!(left(hands), Vec::<String>::new());
    }
    let mut running = Running::start(&mut demo("oom"));
    let hands = hands_of(&running);
    running.said("was it to blame?");
    running.signal(Signal::INT);
    let done = running.ended();
    assert_eq!(done.code(), 0, "{}", done.stderr);
    assert!(!done.stdout.contains("OOM    "), "{}", done.stdout);
    assert_eq!(left(hands), Vec::<String>::new());
}

#[test]
fn a_killed_demo_is_undone_by_its_hands() {
    needs_root!();
    let _alone = alone();
    let (demo, hands) = stuck();
    demo.signal(Signal::KILL);
    assert_eq!(demo.ended().code(), 128 + 9);
    eventually("nothing is left", || left(hands).is_empty());
}

#[test]
fn what_is_left_when_all_of_a_demo_is_killed_the_next_one_removes() {
    needs_root!();
    let _alone = alone();
    let (demo_before, hands) = stuck();
    kill_process_group(Pid::from_raw(demo_before.pid() as i32).unwrap(), Signal::KILL).unwrap();
    assert_eq!(demo_before.ended().code(), 128 + 9);
    assert_ne!(left(hands), Vec::<String>::new(), "else the test shows nothing");
    let next = run(&mut demo("close-wait"));
    assert_eq!(next.code(), 0, "{}{}", next.stdout, next.stderr);
    assert!(next.stdout.contains(&format!("sysprobe-demo-{hands} ")), "{}", next.stdout);
    assert!(next.stdout.contains("A demo that was killed had left"), "{}", next.stdout);
    eventually("nothing is left", || left(hands).is_empty());
}
