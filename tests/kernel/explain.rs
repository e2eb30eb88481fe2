//! `explain PID`: a process looked at once.

use std::fs;
use std::process::Command;

use crate::frozen::FrozenFs;
use crate::harness::{Running, eventually, needs_root, run, skip, sysprobe};
use crate::watch::{chain_of, stalls, state_of};
use crate::workload::workload;

fn explain(arguments: &[&str]) -> Command {
    let mut command = sysprobe();
    command.arg("explain").args(arguments);
    command
}

#[test]
fn a_stuck_process_is_explained_at_once() {
    needs_root!();
    let mut fs = match FrozenFs::mount() {
        Ok(fs) => fs,
        Err(why) => skip!("{why}"),
    };
    fs.freeze();
    let target = Running::start(&mut workload("make_file", fs.at().join("file").to_str().unwrap()));
    let pid = target.pid();
    eventually("it is stuck", || state_of(pid) == "D");
    let words = run(&mut explain(&[&pid.to_string()]));
    assert_eq!(words.code(), 0, "{}", words.stderr);
    assert!(words.stdout.contains("STALL") && words.stdout.contains("is frozen"), "{}", words.stdout);
    let records = run(&mut explain(&[&pid.to_string(), "--json"]));
    let found = stalls(&records.stdout, pid);
    assert_eq!(found.len(), 1, "{}", records.stdout);
    assert_eq!(found[0]["cause"]["class"], "freeze", "{}", chain_of(&found[0]));
    fs.thaw();
    assert_eq!(target.ended().code(), 4);
}

#[test]
fn a_process_that_is_not_stuck_is_said_to_be_so_with_what_its_threads_do() {
    needs_root!();
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    let target = Running::start(&mut workload("waiting_threads", go.to_str().unwrap()));
    let pid = target.pid();
    let threads = || fs::read_dir(format!("/proc/{pid}/task")).map_or(0, Iterator::count);
    eventually("all threads are there", || threads() == 3);
    let words = run(&mut explain(&[&pid.to_string()]));
    assert_eq!(words.code(), 0, "{}", words.stderr);
    for part in ["is not stuck", "it sleeps in read(", "it sleeps in clock_nanosleep(", "% of a CPU used"] {
        assert!(words.stdout.contains(part), "{part}: {}", words.stdout);
    }
    fs::write(&go, "").unwrap();
    assert_eq!(target.ended().code(), 5);
    let gone = run(&mut explain(&[&pid.to_string()]));
    assert_eq!(gone.code(), 2, "{}", gone.stdout);
    assert!(gone.stderr.contains(&format!("no process {pid}")), "{}", gone.stderr);
}
