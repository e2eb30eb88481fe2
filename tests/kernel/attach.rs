//! `trace --pid`: a running process with all its threads, and the calls they are in.

use std::fs;

use rustix::process::Signal;

use crate::harness::{Running, eventually, needs_root, trace};
use crate::line::{calls, with_threads};
use crate::workload::workload;

/// The calls that the threads of `pid` are in, as numbers; a running one has none.
fn current_calls(pid: u32) -> Vec<String> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let texts = tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("syscall")).ok());
    texts.map(|text| text.split(' ').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn all_threads_are_followed_and_a_call_in_progress_is_shown_when_it_ends() {
    needs_root!();
    let folder = tempfile::tempdir().unwrap();
    let (file, go) = (folder.path().join("lines"), folder.path().join("go"));
    let target = Running::start(&mut workload("waiting_threads", go.to_str().unwrap()));
    let pid = target.pid();
    eventually("a thread of three reads", || {
        let current = current_calls(pid);
        current.len() == 3 && current.iter().any(|nr| *nr == libc::SYS_read.to_string())
    });
    let mut tracer = Running::start(&mut trace(&["--pid", &pid.to_string(), "-o", file.to_str().unwrap()]));
    tracer.said("attached to 3 threads of 1 process");
    fs::write(&go, "").unwrap();
    assert_eq!(target.ended().code(), 5);
    let done = tracer.ended();
    assert_eq!((done.code(), done.books().lost), (0, 0), "{}", done.stderr);

    let lines = with_threads(&fs::read_to_string(&file).unwrap());
    let of = |tid: u32| calls(&lines).filter(move |(each, _)| *each == tid).map(|(_, call)| call);
    let who_marked = |index: u32| {
        let path = format!("\"/mark/{index}\"");
        let mut hits = calls(&lines).filter(|(_, call)| call.args.first() == Some(&path));
        let (tid, _) = hits.next().unwrap_or_else(|| panic!("no {path}"));
        assert_eq!(hits.count(), 0, "{path} twice");
        tid
    };
    assert_eq!(who_marked(0), pid);
    let reader: Vec<_> = of(who_marked(1)).collect();
    assert_eq!((reader[0].name.as_str(), reader[0].result.as_str()), ("read", "1"));
    assert!(reader[0].args[1] == "\"x\"" && reader[0].took.contains("+>"), "began before: {reader:?}");
    assert!(of(who_marked(2)).any(|call| call.name == "clock_nanosleep"));
}

#[test]
fn an_interrupt_leaves_the_process_alone_and_balances_the_books() {
    needs_root!();
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    let target = Running::start(&mut workload("waiting_threads", go.to_str().unwrap()));
    let mut tracer = Running::start(&mut trace(&["--pid", &target.pid().to_string()]));
    tracer.said("clock_nanosleep(");
    tracer.signal(Signal::INT);
    let done = tracer.ended();
    assert_eq!((done.code(), done.books().lost), (0, 0), "{}", done.stderr);
    fs::write(&go, "").unwrap();
    assert_eq!(target.ended().code(), 5);
}
