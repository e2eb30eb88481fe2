//! `watch` on real CLOSE_WAIT leaks, and on servers that are only slow.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{Running, eventually, needs_root, skip};
use crate::leaking::{Habit, Server};
use crate::watch::{records, stopped, watch};
use crate::workload::workload;

/// A server at work, and the folder by which it is told what to do.
struct Leak {
    folder: TempDir,
    server: Running,
}

impl Leak {
    fn start(habit: Habit, listen: &str, reach: &str, connections: usize) -> Self {
        Self::start_as("server", habit, listen, reach, connections)
    }

    fn start_as(name: &str, habit: Habit, listen: &str, reach: &str, connections: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let how = Server { habit, listen, reach, connections, folder: folder.path() };
        let server = Running::start(&mut workload(name, &how.argument()));
        Self { folder, server }
    }

    fn pid(&self) -> u32 {
        self.server.pid()
    }

    fn port(&self) -> String {
        let path = self.folder.path().join("port");
        eventually("it listens", || fs::read_to_string(&path).is_ok_and(|port| !port.is_empty()));
        fs::read_to_string(path).unwrap()
    }

    /// Waits until its clients are gone.
    fn done(&self) {
        eventually("its clients are gone", || self.folder.path().join("done").exists());
    }

    /// Has it close everything.
    fn close(&self) {
        fs::write(self.folder.path().join("close"), "").unwrap();
    }

    fn end(self) {
        self.close();
        fs::write(self.folder.path().join("end"), "").unwrap();
        assert_eq!(self.server.ended().code(), 0);
    }
}

/// A watcher of leaks that is ready: five of half a second that become more, or one of `any_over`.
fn watcher(any_over: &str) -> Running {
    let flags = ["--close-wait-count", "5", "--close-wait-over", "500ms", "--close-wait-any-over", any_over];
    let mut watcher = Running::start(watch(&["--json", "--only", "close-wait"]).args(flags));
    watcher.said("watching for");
    watcher
}

/// What was told of a process, in one phase.
fn told(watcher: &Running, pid: u32, phase: &str) -> Vec<Value> {
    let of = |r: &Value| r["type"] == "close_wait_leak" && r["process"]["pid"] == pid && r["phase"] == phase;
    records(&watcher.stdout()).into_iter().filter(of).collect()
}

/// The first record of a process in this phase.
fn first(watcher: &Running, pid: u32, phase: &str) -> Value {
    eventually(&format!("{phase} of {pid}"), || !told(watcher, pid, phase).is_empty());
    told(watcher, pid, phase).remove(0)
}

#[test]
fn a_leak_is_told_of_while_it_grows_and_when_it_is_over_and_a_slow_server_is_not() {
    needs_root!();
    let watcher = watcher("10m");
    let slow = Leak::start(Habit::Healthy, "127.0.0.1:0", "127.0.0.1", 60);
    let leak = Leak::start(Habit::Keep, "127.0.0.1:0", "127.0.0.1", 40);
    let open = first(&watcher, leak.pid(), "open");
    let sockets = &open["sockets"];
    assert_eq!(
        (&sockets["local"], &sockets["accepted"]),
        (&format!("127.0.0.1:{}", leak.port()).into(), &true.into()),
        "{open}"
    );
    assert_eq!((&open["cause"]["class"], &sockets["unread_eof"]), (&"not-read".into(), &true.into()), "{open}");
    assert_eq!(
        (&sockets["peers"][0]["addr"], &sockets["began_before"]),
        (&"127.0.0.1".into(), &false.into()),
        "{open}"
    );
    assert!(sockets["count"].as_u64() >= Some(5) && sockets["oldest_ns"].as_u64() >= Some(500_000_000), "{open}");
    assert!(sockets["per_minute"].as_f64() > Some(0.0) && sockets["fd_limit_in_s"].as_u64().is_some(), "{open}");
    assert_eq!(sockets["fd_limit"], 180, "{open}");
    let links: Vec<String> = sockets["fds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fd| {
            let path = format!("/proc/{}/fd/{fd}", leak.pid());
            fs::read_link(path).unwrap().display().to_string()
        })
        .collect();
    assert!(!links.is_empty() && links.iter().all(|link| link.starts_with("socket:[")), "{links:?}");
    leak.done();
    leak.close();
    let close = first(&watcher, leak.pid(), "close");
    assert_eq!((&close["id"], &close["sockets"]["count"]), (&open["id"], &0.into()));
    // The last look may have been before the last client.
    assert!((35..=40).contains(&close["sockets"]["most"].as_u64().unwrap()), "{close}");
    slow.done();
    let (leaking, healthy) = (leak.pid(), slow.pid());
    leak.end();
    slow.end();
    let done = stopped(watcher);
    let of = |pid: u32| records(&done.stdout).into_iter().filter(|r| r["process"]["pid"] == pid).count();
    assert!(of(leaking) >= 2 && of(healthy) == 0, "{}", done.stdout);
}

#[test]
fn ends_that_were_read_are_told_from_those_that_were_not() {
    needs_root!();
    let watcher = watcher("10m");
    let mut words =
        Running::start(&mut watch(&["--only", "close-wait", "--close-wait-count", "5", "--close-wait-over", "500ms"]));
    words.said("watching for");
    // Over IPv4 and IPv6, and over IPv4 to a socket of IPv6, with one thread and with many.
    let servers = [
        (Habit::Read, "[::1]:0", "::1", "[::1]"),
        (Habit::Read, "[::]:0", "127.0.0.1", "127.0.0.1"),
        (Habit::Threads, "127.0.0.1:0", "127.0.0.1", "127.0.0.1"),
    ];
    for (habit, listen, reach, shown) in servers {
        let leak = Leak::start(habit, listen, reach, 30);
        let open = first(&watcher, leak.pid(), "open");
        let sockets = &open["sockets"];
        assert_eq!((&open["cause"]["class"], &sockets["unread_eof"]), (&"not-closed".into(), &false.into()), "{open}");
        assert_eq!(
            (&sockets["local"], &sockets["began_before"]),
            (&format!("{shown}:{}", leak.port()).into(), &false.into()),
            "{open}"
        );
        words.said(&format!("[{}] has read the end of", leak.pid()));
        let pid = leak.pid();
        leak.end();
        first(&watcher, pid, "close");
    }
    stopped(watcher);
}

#[test]
fn every_holder_is_named_and_a_leak_from_before_the_start_is_found() {
    needs_root!();
    let leak = Leak::start(Habit::Fork, "127.0.0.1:0", "127.0.0.1", 3);
    leak.done();
    let watcher = watcher("1s");
    let open = first(&watcher, leak.pid(), "open");
    let sockets = &open["sockets"];
    assert_eq!((&sockets["count"], &sockets["began_before"]), (&3.into(), &true.into()), "{open}");
    let holders = sockets["holders"].as_array().unwrap();
    assert_eq!(holders.len(), 2, "{open}");
    for holder in holders {
        assert_eq!((&holder["count"], holder["fds"].as_array().unwrap().len()), (&3.into(), 3), "{open}");
    }
    leak.end();
    stopped(watcher);
}

#[test]
fn connections_that_nobody_accepts_are_the_listeners() {
    needs_root!();
    let watcher = watcher("10m");
    let leak = Leak::start(Habit::Ignore, "127.0.0.1:0", "127.0.0.1", 30);
    let open = first(&watcher, leak.pid(), "open");
    assert_eq!(
        (&open["cause"]["class"], &open["sockets"]["waiting"]),
        (&"not-accepted".into(), &open["sockets"]["count"]),
        "{open}"
    );
    leak.end();
    stopped(watcher);
}

#[test]
fn other_network_namespaces_are_looked_into() {
    needs_root!();
    let watcher = watcher("10m");
    let leak = Leak::start_as("server_in_a_namespace", Habit::Keep, "127.0.0.1:0", "127.0.0.1", 30);
    if !eventually_or_ended(&leak) {
        skip!("no network namespace of its own");
    }
    let open = first(&watcher, leak.pid(), "open");
    assert_eq!(open["sockets"]["began_before"], false, "{open}");
    leak.end();
    stopped(watcher);
}

/// Waits until the server listens; `false` if it ended instead.
fn eventually_or_ended(leak: &Leak) -> bool {
    let path = leak.folder.path().join("port");
    let stat = format!("/proc/{}/stat", leak.pid());
    let ended = || fs::read_to_string(&stat).is_ok_and(|stat| stat.contains(") Z "));
    eventually("it listens or ended", || path.exists() || ended());
    path.exists()
}

#[test]
fn twenty_thousand_connections_are_counted_to_the_last() {
    needs_root!();
    const SERVERS: usize = 3;
    const EACH: usize = 7_000;
    let start = || Leak::start_as("server_in_a_namespace", Habit::Keep, "127.0.0.1:0", "127.0.0.1", EACH);
    let leaks: Vec<Leak> = (0..SERVERS).map(|_| start()).collect();
    if !leaks.iter().all(eventually_or_ended) {
        skip!("no network namespace of its own");
    }
    leaks.iter().for_each(Leak::done);
    let watcher = watcher("1s");
    let mut opens = Vec::new();
    for leak in &leaks {
        let open = first(&watcher, leak.pid(), "open");
        let sockets = &open["sockets"];
        assert_eq!((&sockets["count"], &sockets["incomplete"]), (&EACH.into(), &false.into()), "{open}");
        assert!(
            sockets["fds"].as_array().unwrap().len() == 64 && sockets["open_fds"].as_u64() > Some(14_000),
            "{open}"
        );
        opens.push((leak.pid(), open["id"].clone()));
    }
    leaks.into_iter().for_each(Leak::end);
    for (pid, id) in opens {
        assert_eq!(first(&watcher, pid, "close")["id"], id);
    }
    stopped(watcher);
}
