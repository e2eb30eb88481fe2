//! What sysprobe may do: no more than it needs once its probes are attached, and a clear word where that is too little.

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

use rustix::process::Signal;

use crate::harness::{Running, eventually, needs_root, run, skip, sysprobe, trace};
use crate::watch::watch;

/// CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE, CAP_SYSLOG, CAP_PERFMON, CAP_BPF (include/uapi/linux/capability.h).
const NEEDED: u64 = 1 << 2 | 1 << 19 | 1 << 34 | 1 << 38 | 1 << 39;
/// Their names for setpriv(1).
const NAMES: &str = "+dac_read_search,+sys_ptrace,+syslog,+perfmon,+bpf";
/// `nobody`, or whoever it is: nothing special.
const ORDINARY: u32 = 65534;

/// A line of a thread's status, as the number it holds.
fn capabilities(status: &str, set: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(set)?.strip_prefix(':'));
    u64::from_str_radix(line.unwrap_or_else(|| panic!("no {set} in {status}")).trim(), 16).unwrap()
}

/// The status of every thread of a process.
fn threads(pid: u32) -> Vec<String> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    threads.filter_map(|thread| fs::read_to_string(thread.ok()?.path().join("status")).ok()).collect()
}

/// Whether no thread holds or could get back more than is needed.
fn is_reduced(pid: u32) -> bool {
    threads(pid).iter().all(|status| {
        ["CapEff", "CapPrm", "CapBnd"].iter().all(|set| capabilities(status, set) & !NEEDED == 0)
            && capabilities(status, "CapInh") == 0
            && capabilities(status, "CapEff") == NEEDED
    })
}

#[test]
fn watch_keeps_only_the_capabilities_it_needs() {
    needs_root!();
    let mut watcher = Running::start(&mut watch(&[]));
    watcher.said("watching for");
    assert!(is_reduced(watcher.pid()), "{:?}", threads(watcher.pid()));
    watcher.signal(Signal::INT);
    assert_eq!(watcher.ended().code(), 0);
}

#[test]
fn a_traced_command_keeps_its_rights_and_sysprobe_does_not() {
    needs_root!();
    let own = fs::read_to_string("/proc/self/status").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (status, go) = (folder.path().join("status"), folder.path().join("go"));
    let script = format!(
        "cat /proc/self/status >'{0}.new'; mv '{0}.new' '{0}'; while [ ! -e '{1}' ]; do sleep 0.05; done",
        status.display(),
        go.display()
    );
    let tracer = Running::start(trace(&["-e", "execve", "--", "/bin/sh", "-c", &script]).env("PATH", "/usr/bin:/bin"));
    eventually("the command says what it may do", || status.exists());
    let status = fs::read_to_string(&status).unwrap();
    for set in ["CapEff", "CapPrm", "CapBnd", "CapInh"] {
        assert_eq!(capabilities(&status, set), capabilities(&own, set), "{set}");
    }
    eventually("every thread of sysprobe gave up the rest", || is_reduced(tracer.pid()));
    fs::write(&go, "").unwrap();
    let done = tracer.ended();
    assert_eq!((done.code(), done.books().lost), (0, 0), "{}", done.stderr);
}

/// A copy of the binary that anyone may run: the way to the one under test may be closed to others.
fn for_anyone() -> (tempfile::TempDir, PathBuf) {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let copy = folder.path().join("sysprobe");
    fs::copy(sysprobe().get_program(), &copy).unwrap();
    fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).unwrap();
    (folder, copy)
}

#[test]
fn without_privilege_one_line_says_what_is_missing() {
    needs_root!();
    let (_folder, program) = for_anyone();
    for args in [&["watch", "--for", "1s"][..], &["trace", "--", "/bin/true"]] {
        let done = run(Command::new(&program).args(args).uid(ORDINARY).gid(ORDINARY));
        assert_eq!((done.code(), done.stdout.as_str()), (3, ""), "{args:?}: {}", done.stderr);
        assert_eq!(done.stderr.lines().count(), 1, "{}", done.stderr);
        for part in ["CAP_BPF", "CAP_PERFMON", "sudo"] {
            assert!(done.stderr.contains(part), "{}", done.stderr);
        }
    }
}

#[test]
fn five_capabilities_are_enough() {
    needs_root!();
    let setpriv = "/usr/bin/setpriv";
    if !fs::exists(setpriv).unwrap() {
        skip!("no setpriv");
    }
    let (_folder, program) = for_anyone();
    let with_five = |args: &[&str]| {
        let ids = [format!("--reuid={ORDINARY}"), format!("--regid={ORDINARY}")];
        let sets = [format!("--inh-caps=-all,{NAMES}"), format!("--ambient-caps=-all,{NAMES}")];
        let mut command = Command::new(setpriv);
        command.args(ids).arg("--clear-groups").args(sets).arg(&program).args(args).current_dir("/");
        command
    };
    let done = run(&mut with_five(&["watch", "--for", "1s"]));
    assert_eq!(done.code(), 0, "{}", done.stderr);
    assert!(!done.stderr.contains("without"), "{}", done.stderr);
    let done = run(&mut with_five(&["trace", "-e", "execve", "--", "/bin/true"]));
    assert_eq!((done.code(), done.books().shown), (0, 1), "{}", done.stderr);
    // The kernel stack of a call that does not return needs no more than that either.
    let done =
        run(&mut with_five(&["trace", "-e", "nanosleep,clock_nanosleep", "--stuck", "200ms", "--", "/bin/sleep", "1"]));
    assert!(done.stderr.contains("nanosleep <"), "{}", done.stderr);
}
