//! Starts sysprobe and whatever a test needs beside it, and waits for them, never without a limit.

use std::fmt::Write as _;
use std::io::Read;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// For anything that ends by itself. Emulated guests are up to 20 times slower than a real machine.
pub const LIMIT: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(5);

/// The name of the test around it: the function that `inside`, a closure, was written in.
pub fn test_name<T>(_inside: T) -> &'static str {
    let path = std::any::type_name::<T>().trim_end_matches("::{{closure}}");
    path.split_once("::").map_or(path, |(_, name)| name)
}

/// Says what this machine lacks for the test around it, and leaves it.
macro_rules! skip {
    ($($why:tt)*) => {{
        println!("SKIP {}: {}", $crate::harness::test_name(|| ()), format_args!($($why)*));
        return;
    }};
}
pub(crate) use skip;

/// Leaves a test that is not run as root.
macro_rules! needs_root {
    () => {
        if !rustix::process::geteuid().is_root() {
            $crate::harness::skip!("not root");
        }
    };
}
pub(crate) use needs_root;

/// `sysprobe trace` with these flags; add `--` and a command, or nothing.
pub fn trace(flags: &[&str]) -> Command {
    let mut command = sysprobe();
    command.arg("trace").args(flags);
    command
}

/// The binary under test.
pub fn sysprobe() -> Command {
    Command::new(std::env::var_os("SYSPROBE_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_sysprobe").into()))
}

/// How a program ended and what it said.
pub struct Ended {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    /// The exit code; 128 and the number for a signal.
    pub fn code(&self) -> i32 {
        self.status.code().or_else(|| self.status.signal().map(|signal| 128 + signal)).unwrap()
    }

    /// The line in which sysprobe balances its books, as (calls, shown, summed, filtered, lost).
    pub fn books(&self) -> Books {
        let line = self.stderr.lines().rfind(|line| line.starts_with("sysprobe: ") && line.contains(" calls = "));
        let line = line.unwrap_or_else(|| panic!("no summary in:\n{}", self.stderr));
        assert!(!line.contains("not accounted for"), "{line}");
        let (calls, rest) = line.trim_start_matches("sysprobe: ").split_once(" calls = ").unwrap();
        let part = |what: &str| {
            let parts = rest.split(';').next().unwrap().split(" + ");
            parts.filter_map(|part| part.strip_suffix(what)?.trim().parse().ok()).next().unwrap_or(0)
        };
        Books {
            seen: calls.parse().unwrap(),
            shown: part("shown"),
            summed: part("summed"),
            filtered: part("filtered"),
            lost: part("lost"),
        }
    }
}

/// A trace's books.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Books {
    pub seen: u64,
    pub shown: u64,
    pub summed: u64,
    pub filtered: u64,
    pub lost: u64,
}

/// A started program. Dropped, it is killed with whatever it started in its process group.
pub struct Running {
    child: Child,
    what: String,
    stdout: Pipe,
    stderr: Pipe,
}

impl Running {
    /// Starts `command` in a process group of its own, its output kept.
    pub fn start(command: &mut Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let what = format!("{command:?}");
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{what}: {error}"));
        let (stdout, stderr) = (Pipe::drain(child.stdout.take()), Pipe::drain(child.stderr.take()));
        Self { child, what, stdout, stderr }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it has said so far on standard error.
    fn stderr(&self) -> String {
        self.stderr.text()
    }

    /// What it has said so far on standard output.
    pub fn stdout(&self) -> String {
        self.stdout.text()
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Waits until it has said `text`.
    pub fn said(&mut self, text: &str) {
        let start = Instant::now();
        loop {
            // Asked before looking: what it said last is seen then.
            let over = self.child.try_wait().unwrap().is_some() || start.elapsed() > LIMIT;
            if self.stdout().contains(text) || self.stderr().contains(text) {
                return;
            }
            assert!(!over, "{}", self.report(text));
            thread::sleep(PAUSE);
        }
    }

    /// Waits for its end.
    pub fn ended(mut self) -> Ended {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return Ended { status, stdout: self.stdout.finish(), stderr: self.stderr.finish() };
            }
            assert!(start.elapsed() < LIMIT, "{}", self.report("its end"));
            thread::sleep(PAUSE);
        }
    }

    fn report(&self, awaited: &str) -> String {
        let mut out = format!("waited in vain for {awaited:?} of {}\n", self.what);
        for (name, text) in [("stdout", self.stdout()), ("stderr", self.stderr())] {
            let _ = writeln!(out, "--- {name}\n{text}");
        }
        out
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        // The group is ours until its leader is waited for; after that its number may be another's.
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
            let _ = self.child.wait();
        }
    }
}

/// Runs a command to its end.
pub fn run(command: &mut Command) -> Ended {
    Running::start(command).ended()
}

/// Waits until `condition` holds.
pub fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < LIMIT, "waited in vain until {what}");
        thread::sleep(PAUSE);
    }
}

/// What comes out of a pipe, gathered by a thread so that the writer never waits.
struct Pipe {
    gathered: Arc<Mutex<Vec<u8>>>,
    thread: Option<JoinHandle<()>>,
}

impl Pipe {
    fn drain(pipe: Option<impl Read + Send + 'static>) -> Self {
        let gathered = Arc::new(Mutex::new(Vec::new()));
        let (mut pipe, all) = (pipe.unwrap(), gathered.clone());
        let thread = thread::spawn(move || {
            let mut buffer = [0; 65_536];
            while let Ok(read @ 1..) = pipe.read(&mut buffer) {
                all.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&buffer[..read]);
            }
        });
        Self { gathered, thread: Some(thread) }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.gathered.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }

    /// Everything, once the last writer is gone.
    fn finish(&mut self) -> String {
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
        self.text()
    }
}
