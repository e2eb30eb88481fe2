//! `watch` on a disk that does not answer: whatever a task is stuck in, the chain ends at the daemon that owes the answer.

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use serde_json::Value;

use crate::harness::{Running, eventually, needs_root, skip};
use crate::hung_disk::HungDisk;
use crate::watch::{chain_of, reported, stalls, state_of, stopped, watch};
use crate::workload::workload;

/// Makes a file of a few pages, of which none stays in memory.
fn cold_file(path: &Path) {
    let file = File::create_new(path).unwrap();
    file.write_all_at(&[7; 64 * 1024], 0).unwrap();
    file.sync_all().unwrap();
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
}

fn start(name: &str, path: &Path) -> Running {
    Running::start(&mut workload(name, path.to_str().unwrap()))
}

/// States of all threads of a process.
fn thread_states(pid: u32) -> Vec<String> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let states = threads.flatten().map(|thread| {
        let stat = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        stat.rsplit(") ").next().and_then(|rest| rest.split(' ').next()).unwrap_or_default().to_owned()
    });
    states.collect()
}

/// The latest record of `pid` that says who is to blame.
fn blamed(records: &[Value], daemon: u32) -> Option<&Value> {
    let blames = |r: &&Value| {
        let links = r["cause"]["chain"].as_array().unwrap();
        links.iter().any(|link| link["kind"] == "daemon" && link["pid"] == daemon)
    };
    records.iter().rfind(blames)
}

#[test]
fn whatever_waits_for_a_hung_disk_is_followed_to_the_daemon_that_does_not_answer() {
    needs_root!();
    let disk = match HungDisk::mount() {
        Ok(disk) => disk,
        Err(why) => skip!("{why}"),
    };
    let at = disk.at();
    let files = ["read", "sync", "part"].map(|name| at.join(name));
    for file in &files {
        cold_file(file);
    }
    fs::create_dir(at.join("folder")).unwrap();
    rustix::fs::syncfs(File::open(&at).unwrap()).unwrap();
    let mut watcher = Running::start(&mut watch(&["--json", "--stall-over", "300ms"]));
    watcher.said("watching for");
    let mut words = Running::start(&mut watch(&["--stall-over", "300ms"]));
    words.said("watching for");

    disk.hold();
    let [read, sync, part] = &files;
    let holder = start("write_part", part);
    eventually("the first writer is stuck, with the lock", || state_of(holder.pid()) == "D");
    let targets = [
        (holder, 13),
        (start("write_part", part), 13),
        (start("read_file", read), 10),
        (start("sync_file", sync), 11),
        (start("sync_folder", &at.join("folder/new")), 12),
    ];
    for (target, _) in &targets {
        let (pid, daemon) = (target.pid(), disk.daemon());
        eventually(&format!("{pid} is followed to {daemon}"), || {
            let states = thread_states(watcher.pid());
            assert!(
                states.iter().all(|state| state != "D"),
                "the watcher must not hang with what it watches: {states:?}"
            );
            blamed(&stalls(&watcher.stdout(), pid), daemon).is_some()
        });
    }
    words.said("serves it");
    disk.let_go();
    for (target, code) in targets {
        let pid = target.pid();
        assert_eq!(target.ended().code(), code);
        reported(&watcher, pid, "close");
    }
    let done = stopped(watcher);

    let all: Vec<Value> = done.stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let journal: Vec<Value> = all
        .iter()
        .filter(|r| r["process"]["comm"].as_str().is_some_and(|c| c == format!("jbd2/{}-8", disk.device())))
        .cloned()
        .collect();
    let thread = blamed(&journal, disk.daemon()).expect("the journal's thread is stuck too");
    assert_eq!(thread["stall"]["kernel_thread"], true, "{thread}");
    let of_us = |r: &&Value| r["cause"]["chain"].to_string().contains(disk.device()) && r["phase"] == "open";
    for record in all.iter().filter(of_us) {
        assert!(record["cause"]["summary"].as_str().unwrap().starts_with("the FUSE daemon "), "{record}");
        assert_eq!(record["stall"]["root"], thread["stall"]["root"], "one root: {}", chain_of(record));
    }
}

#[test]
fn the_second_writer_is_followed_over_the_lock_that_the_first_holds() {
    needs_root!();
    let disk = match HungDisk::mount() {
        Ok(disk) => disk,
        Err(why) => skip!("{why}"),
    };
    let file = disk.at().join("part");
    cold_file(&file);
    let mut watcher = Running::start(&mut watch(&["--json", "--stall-over", "300ms"]));
    watcher.said("watching for");
    disk.hold();
    let first = start("write_part", &file);
    eventually("the first is stuck", || state_of(first.pid()) == "D");
    let second = start("write_part", &file);
    reported(&watcher, second.pid(), "open");
    disk.let_go();
    let (holder, waiter) = (first.pid(), second.pid());
    assert_eq!((first.ended().code(), second.ended().code()), (13, 13));
    reported(&watcher, waiter, "close");
    let done = stopped(watcher);
    let open = &stalls(&done.stdout, waiter)[0];
    let links = open["cause"]["chain"].as_array().unwrap();
    let held_by = links.iter().find(|link| link["kind"] == "holder").unwrap_or_else(|| panic!("{}", chain_of(open)));
    assert_eq!(held_by["pid"], holder);
    assert!(held_by["summary"].as_str().unwrap().starts_with("reader-writer semaphore (to write) 0x"), "{held_by}");
    let device = links.iter().find(|link| link["kind"] == "device").unwrap();
    assert_eq!(device["device"], disk.device());
}
