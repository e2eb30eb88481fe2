//! `watch` on lock convoys: the holder is named, with what it does itself.

use std::fs::{self, File};
use std::process::Command;

use rustix::process::Signal;
use serde_json::Value;
use sysprobe::demo::frozen_fs::{run, unmount};
use tempfile::TempDir;

use crate::frozen::FrozenFs;
use crate::harness::{Running, eventually, needs_root, skip};
use crate::stuck::MAKERS;
use crate::watch::{chain_of, reported, stalls, stopped, watch};
use crate::workload::workload;

/// A small file system in memory, gone when dropped.
struct Memory(TempDir);

impl Memory {
    fn mount() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        run(Command::new("mount").args(["-t", "tmpfs", "-o", "size=600m", "sysprobe-test"]).arg(folder.path()))?;
        Ok(Self(folder))
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        unmount(self.0.path());
    }
}

#[test]
fn a_holder_that_runs_is_named_as_running() {
    needs_root!();
    let memory = match Memory::mount() {
        Ok(memory) => memory,
        Err(why) => skip!("{why}"),
    };
    let file = memory.0.path().join("file");
    File::create(&file).unwrap();
    let mut watcher = Running::start(&mut watch(&["--json", "--stall-over", "20ms"]));
    watcher.said("watching for");
    let path = file.to_str().unwrap();
    let writers = [0; 2].map(|_| Running::start(&mut workload("write_much", path)));
    let pids = writers.each_ref().map(Running::pid);
    let named = |record: &Value, holder: u32| {
        let links = record["cause"]["chain"].as_array().unwrap();
        let of = |kind: &str| links.iter().find(|link| link["kind"] == kind && link["pid"] == holder).cloned();
        of("holder").is_some() && of("task").is_some_and(|t| t["summary"].as_str().unwrap().contains("it runs"))
    };
    eventually("one waits for the other, which runs", || {
        let text = watcher.stdout();
        stalls(&text, pids[0]).iter().any(|r| named(r, pids[1]))
            || stalls(&text, pids[1]).iter().any(|r| named(r, pids[0]))
    });
    for writer in writers {
        writer.signal(Signal::KILL);
        assert_eq!(writer.ended().code(), 128 + 9);
    }
    stopped(watcher);
}

#[test]
fn a_holder_that_sleeps_is_named_with_the_call_it_sleeps_in() {
    needs_root!();
    let memory = match Memory::mount() {
        Ok(memory) => memory,
        Err(why) => skip!("{why}"),
    };
    let file = memory.0.path().join("file");
    File::create(&file).unwrap();
    let path = file.to_str().unwrap();
    let mut watcher = Running::start(&mut watch(&["--json", "--stall-over", "300ms"]));
    watcher.said("watching for");
    let holder = Running::start(&mut workload("write_what_never_comes", path));
    eventually("the holder is in its write", || {
        let call = fs::read_to_string(format!("/proc/{}/syscall", holder.pid())).unwrap_or_default();
        call.starts_with(&format!("{} ", libc::SYS_pwrite64))
    });
    let waiter = Running::start(&mut workload("write_part", path));
    reported(&watcher, waiter.pid(), "open");
    holder.signal(Signal::KILL);
    let (holder, pid) = (holder.pid(), waiter.pid());
    assert_eq!(waiter.ended().code(), 13);
    reported(&watcher, pid, "close");
    let done = stopped(watcher);
    let chain = chain_of(&stalls(&done.stdout, pid)[0]);
    assert!(chain.contains(&format!("[{holder}]: it sleeps in pwrite64(")), "{chain}");
    assert_eq!(stalls(&done.stdout, pid)[0]["cause"]["confidence"], "high");
}

#[test]
fn five_hundred_threads_stuck_on_one_root_are_all_found_and_shown_as_one_group() {
    needs_root!();
    let mut fs = match FrozenFs::mount() {
        Ok(fs) => fs,
        Err(why) => skip!("{why}"),
    };
    let mut watcher = Running::start(&mut watch(&["--json", "--stall-over", "300ms"]));
    watcher.said("watching for");
    let mut words = Running::start(&mut watch(&["--stall-over", "300ms"]));
    words.said("watching for");
    let folder = fs.at().join("folder");
    fs::create_dir(&folder).unwrap();
    fs.freeze();
    let target = Running::start(&mut workload("make_files", folder.to_str().unwrap()));
    let pid = target.pid();
    let opened = |text: &str| stalls(text, pid).iter().filter(|r| r["phase"] == "open").count();
    eventually("all are found", || opened(&watcher.stdout()) >= MAKERS);
    words.said(&format!("(thread of {pid})"));
    words.said("likewise");
    fs.thaw();
    assert_eq!(target.ended().code(), 14);
    let closed = |text: &str| stalls(text, pid).iter().filter(|r| r["phase"] == "close").count();
    eventually("all ends are told", || closed(&watcher.stdout()) >= MAKERS);
    words.signal(Signal::INT);
    let words = words.ended();
    let blocks = words.stdout.lines().filter(|line| line.contains("STALL") && line.contains(&pid.to_string())).count();
    assert!(blocks < 20, "{blocks} blocks for one root:\n{}", words.stdout);
    let done = stopped(watcher);
    assert_eq!((opened(&done.stdout), closed(&done.stdout)), (MAKERS, MAKERS), "each once");
    let records = stalls(&done.stdout, pid);
    for record in &records {
        assert_eq!(record["stall"]["root"], records[0]["stall"]["root"], "{}", chain_of(record));
        assert_eq!(record["cause"]["class"], "freeze");
        let words = format!("{} (ext4, ", fs.at().display());
        assert!(chain_of(record).contains(&words), "{}", chain_of(record));
    }
}
