//! Parity with strace: the same program under both, call by call and thread by thread.
//!
//! Names, arguments' text, results, errors, signals and ends must be the same text once what differs from run to run is taken
//! away (`alike`). Where sysprobe deliberately says more than strace, the rule for it stands in `alike` with its reason.

mod alike;
pub mod calls;

mod programs;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

use crate::harness::{run, trace};
use crate::line::{Line, calls, parse, with_threads};
use crate::workload::on_workload;
use alike::Alike;

/// Differences printed of one thread.
const MOST_SHOWN: usize = 60;
const STRACE: &str = "/usr/bin/strace";

/// Leaves a test on a machine without strace.
macro_rules! needs_strace {
    () => {
        crate::harness::needs_root!();
        if !std::path::Path::new(crate::parity::STRACE).exists() {
            crate::harness::skip!("no strace");
        }
    };
}
pub(crate) use needs_strace;

/// What threads did: by their place in the tree of births (`0` is the first, `0.2` its second child), lines in order.
type Threads = BTreeMap<String, Vec<String>>;

/// Runs `words` under both tracers, in an empty folder of the same name, and compares.
fn same_of_command(words: &[&str]) {
    same(&|tracer| {
        let mut tracer = tracer;
        tracer.arg("--").args(words);
        tracer
    });
}

/// Runs a workload under both and compares; its argument is the folder.
fn same_of_workload(name: &str) {
    same(&|tracer| {
        let folder = tracer.get_current_dir().unwrap().to_str().unwrap().to_owned();
        on_workload(tracer, name, &folder)
    });
}

fn same(with_program: &dyn Fn(Command) -> Command) {
    let folder = tempfile::tempdir().unwrap();
    let work = folder.path().join("work");
    let prepared = |mut tracer: Command| {
        let _ = fs::remove_dir_all(&work);
        fs::create_dir(&work).unwrap();
        tracer.current_dir(&work).env_clear().env("PATH", "/usr/bin:/bin").env("LC_ALL", "C");
        // SAFETY: one async-signal-safe call. Programs then find their heap where they found it before.
        unsafe { tracer.pre_exec(|| Ok(_ = libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong))) };
        with_program(tracer)
    };
    let theirs = under_strace(folder.path().join("strace"), &prepared);
    let ours = under_sysprobe(folder.path().join("sysprobe"), &prepared);
    let names = |threads: &Threads| threads.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&ours), names(&theirs), "other threads");
    let differences: Vec<String> = ours.iter().filter_map(|(at, ours)| difference(at, ours, &theirs[at])).collect();
    assert!(differences.is_empty(), "- strace, + sysprobe\n{}", differences.join("\n"));
}

fn under_sysprobe(file: PathBuf, prepared: &dyn Fn(Command) -> Command) -> Threads {
    // The tracer's environment is emptied with the program's.
    let done = run(&mut prepared(trace(&["-o", file.to_str().unwrap()])));
    assert_eq!(done.books().lost, 0, "{}", done.stderr);
    let mut threads: BTreeMap<u32, Vec<Line>> = BTreeMap::new();
    for (tid, line) in with_threads(&fs::read_to_string(&file).unwrap()) {
        threads.entry(tid).or_default().push(line);
    }
    by_birth(&threads)
}

fn under_strace(folder: PathBuf, prepared: &dyn Fn(Command) -> Command) -> Threads {
    fs::create_dir(&folder).unwrap();
    let mut strace = Command::new(STRACE);
    // One file a thread: no call is torn in two by another thread's line.
    strace.args(["-ff", "-yy", "-tt", "-o"]).arg(folder.join("t"));
    let done = run(&mut prepared(strace));
    let mut threads = BTreeMap::new();
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let tid = path.extension().and_then(OsStr::to_str).and_then(|tid| tid.parse().ok()).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        // A call that its thread died in: `= ?` says so already.
        let lines = text.lines().map(|line| line.replace(" <unfinished ...>", ""));
        threads.insert(tid, lines.map(|line| parse(&line).unwrap_or_else(|| panic!("strace: {line}"))).collect());
    }
    assert!(!threads.is_empty(), "{}", done.stderr);
    by_birth(&threads)
}

/// The thread that a call made.
fn born(name: &str, result: &str) -> Option<u32> {
    matches!(name, "clone" | "clone3" | "fork" | "vfork").then(|| result.parse().ok())?
}

fn by_birth(threads: &BTreeMap<u32, Vec<Line>>) -> Threads {
    let children_of = |lines: &[Line]| -> Vec<u32> {
        let lines: Vec<_> = lines.iter().map(|line| (0, line.clone())).collect();
        let born = calls(&lines).filter_map(|(_, call)| born(&call.name, &call.result));
        born.filter(|child| threads.contains_key(child)).collect()
    };
    let all_born: Vec<u32> = threads.values().flat_map(|lines| children_of(lines)).collect();
    let first = *threads.keys().find(|tid| !all_born.contains(tid)).unwrap();
    let mut places = BTreeMap::from([(first, "0".to_owned())]);
    let mut left = vec![first];
    while let Some(tid) = left.pop() {
        for (nth, child) in children_of(&threads[&tid]).into_iter().enumerate() {
            places.insert(child, format!("{}.{nth}", places[&tid]));
            left.push(child);
        }
    }
    assert_eq!(places.len(), threads.len(), "threads that nobody made");
    let mut alike = Alike::new(&places);
    places.iter().map(|(tid, place)| (place.clone(), alike.thread(&threads[tid]))).collect()
}

/// What differs of a thread, as a diff of lines; `None` if nothing does.
fn difference(place: &str, ours: &[String], theirs: &[String]) -> Option<String> {
    // Line by line as far as both go on together; a line that only one has is found again within a few lines.
    let (mut a, mut b) = (0, 0);
    let mut out = Vec::new();
    while a < theirs.len() || b < ours.len() {
        if a < theirs.len() && b < ours.len() && theirs[a] == ours[b] {
            (a, b) = (a + 1, b + 1);
            continue;
        }
        let meet = (1..40).flat_map(|sum| (0..=sum).map(move |skip| (skip, sum - skip)));
        let (skip_a, skip_b) = meet
            .filter(|(i, j)| a + i < theirs.len() && b + j < ours.len())
            .find(|(i, j)| theirs[a + i] == ours[b + j])
            .unwrap_or((1, 1));
        out.extend(theirs.iter().skip(a).take(skip_a).map(|line| format!("- {line}")));
        out.extend(ours.iter().skip(b).take(skip_b).map(|line| format!("+ {line}")));
        (a, b) = (a + skip_a, b + skip_b);
    }
    let more = out.len().saturating_sub(MOST_SHOWN);
    out.truncate(MOST_SHOWN);
    (!out.is_empty()).then(|| format!("thread {place}, {more} more lines differ\n{}", out.join("\n")))
}
