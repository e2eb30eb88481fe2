//! One process, read from `/proc`.
//!
//! The order matters: the state is read first, and the command line only of a task that is not in uninterruptible
//! sleep, for reading it takes the task's mmap lock, which a stuck task may hold (`exe`, `status` and `cgroup` do not).
//! A process that is gone, or that may not be looked into, gives a record with those facts null.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::container::cgroup_facts;
use crate::host::HostFs;

/// Bytes kept of a command line.
pub(super) const MAX_CMDLINE_BYTES: usize = 4096;
/// Bytes read of `stat`, `status` and `cgroup`; `status` is the longest, about 1.5 KB.
const MAX_PROC_BYTES: u64 = 64 * 1024;
/// Length of a clock tick in `stat`: USER_HZ is 100 on x86.
const TICK_NS: u64 = 10_000_000;

/// Who did it. What is not known is null.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ProcessInfo {
    /// The process (thread group) id in the initial pid namespace.
    pub pid: u32,
    /// The thread id in the initial pid namespace.
    pub tid: u32,
    /// When the process started, in ns since boot, to the 10 ms that the kernel tells; with `pid` its identity.
    pub start_ns: Option<u64>,
    /// The thread's name.
    pub comm: Option<Arc<str>>,
    /// The program's path; ` (deleted)` follows if it is gone.
    pub exe: Option<Arc<str>>,
    /// The command line, arguments separated by spaces, at most 4 KiB.
    pub cmdline: Option<Arc<str>>,
    /// The parent process.
    pub ppid: Option<u32>,
    /// The effective user id.
    pub uid: Option<u32>,
    /// The cgroup's path.
    pub cgroup: Option<Arc<str>>,
    /// The container, as `RUNTIME://ID`.
    pub container: Option<Arc<str>>,
    /// The process id in the process's own pid namespace.
    pub ns_pid: Option<u32>,
    /// The scheduler's job, Kubernetes pod or systemd service: `slurm:JOB.STEP`, `pod:UID`, `unit:NAME`.
    pub job: Option<Arc<str>>,
}

/// What `stat` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stat<'a> {
    pub(super) comm: &'a [u8],
    pub(super) state: u8,
    pub(super) ppid: u32,
    pub(super) start_ns: u64,
}

/// Reads processes of one host.
#[derive(Clone)]
pub struct ProcessReader {
    fs: Arc<dyn HostFs>,
    /// `/proc` shows other numbers than the kernel's events when this process lives in a pid namespace of its own.
    numbers_match: bool,
}

impl ProcessReader {
    /// A reader over a host's `/proc`. `initial_pid_namespace`: its numbers are the ones the kernel's events carry;
    /// otherwise nothing is read, for it would be another process's.
    pub fn new(fs: Arc<dyn HostFs>, initial_pid_namespace: bool) -> Self {
        Self { fs, numbers_match: initial_pid_namespace }
    }

    /// What is known of a process now. All but the numbers is null if it is gone.
    pub fn read(&self, pid: u32) -> ProcessInfo {
        self.read_with(pid, true)
    }

    /// The same, less the command line: for processes of which any thread may be stuck, for it takes the memory's lock.
    pub fn read_outside(&self, pid: u32) -> ProcessInfo {
        self.read_with(pid, false)
    }

    fn read_with(&self, pid: u32, command_line: bool) -> ProcessInfo {
        let mut info = ProcessInfo { pid, tid: pid, ..ProcessInfo::default() };
        if !self.numbers_match {
            return info;
        }
        let Some(stat_text) = self.file(pid, "stat") else { return info };
        let Some(stat) = parse_stat(&stat_text) else { return info };
        info.start_ns = Some(stat.start_ns);
        info.comm = Some(text(stat.comm));
        info.ppid = Some(stat.ppid);
        if let Some(status) = self.file(pid, "status") {
            let status = String::from_utf8_lossy(&status);
            let value = |key: &str| status.lines().find_map(|l| l.strip_prefix(key)?.strip_prefix(':'));
            info.uid = value("Uid").and_then(|v| v.split_whitespace().nth(1)?.parse().ok());
            info.ns_pid = value("NSpid").and_then(|v| v.split_whitespace().last()?.parse().ok());
        }
        if let Some(cgroup) = self.file(pid, "cgroup") {
            let facts = cgroup_facts(&String::from_utf8_lossy(&cgroup));
            info.cgroup = facts.path.map(Arc::from);
            info.container = facts.container.map(Arc::from);
            info.job = facts.job.map(Arc::from);
        }
        let exe = self.fs.read_link(&format!("/proc/{pid}/exe"));
        info.exe = exe.ok().map(|path| text(path.as_os_str().as_encoded_bytes()));
        if command_line && stat.state != b'D' {
            let bytes = self.fs.read(&format!("/proc/{pid}/cmdline"), MAX_CMDLINE_BYTES as u64 + 1);
            info.cmdline = bytes.ok().and_then(|b| cmdline_text(&b));
        }
        // The number may have been given to another process between the reads.
        match self.file(pid, "stat").as_deref().and_then(parse_stat) {
            Some(again) if again.start_ns == stat.start_ns => info,
            _ => ProcessInfo { pid, tid: pid, ..ProcessInfo::default() },
        }
    }

    /// A thread's name.
    pub fn thread_name(&self, pid: u32, tid: u32) -> Option<Arc<str>> {
        if !self.numbers_match {
            return None;
        }
        let bytes = self.file(pid, &format!("task/{tid}/comm"))?;
        Some(text(bytes.strip_suffix(b"\n").unwrap_or(&bytes)))
    }

    fn file(&self, pid: u32, name: &str) -> Option<Vec<u8>> {
        self.fs.read(&format!("/proc/{pid}/{name}"), MAX_PROC_BYTES).ok()
    }
}

/// Reads `/proc/PID/stat` (proc_pid_stat(5)). The name may hold anything, also `) R 1`, so the last bracket ends it.
pub(super) fn parse_stat(text: &[u8]) -> Option<Stat<'_>> {
    let open = text.iter().position(|&b| b == b'(')?;
    let close = text.iter().rposition(|&b| b == b')')?;
    let comm = text.get(open + 1..close)?;
    let mut rest = text.get(close + 1..)?.split(|&b| b == b' ').filter(|word| !word.is_empty());
    let state = *rest.next()?.first()?;
    let mut number = |skip: usize| std::str::from_utf8(rest.nth(skip)?).ok()?.trim().parse::<u64>().ok();
    let ppid = u32::try_from(number(0)?).ok()?;
    // Fields 5 to 21 lie between the parent (4) and the start time (22).
    let start_ns = number(17)?.checked_mul(TICK_NS)?;
    Some(Stat { comm, state, ppid, start_ns })
}

/// Arguments separated by NUL, as one line; `None` for a kernel thread or a process without one.
pub(super) fn cmdline_text(bytes: &[u8]) -> Option<Arc<str>> {
    let cut = bytes.len() > MAX_CMDLINE_BYTES;
    let kept = bytes.get(..MAX_CMDLINE_BYTES).unwrap_or(bytes);
    let end = kept.iter().rposition(|&b| b != 0)? + 1;
    let spaced: Vec<u8> = kept.iter().take(end).map(|&b| if b == 0 { b' ' } else { b }).collect();
    let mut line = text(&spaced).to_string();
    if cut {
        line.push('…');
    }
    Some(line.into())
}

/// Bytes as text: what is not UTF-8 is written `\xNN`.
pub(super) fn text(bytes: &[u8]) -> Arc<str> {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|b| format!("\\x{b:02x}")));
    }
    out.into()
}

/// Processes listed of a host.
const MAX_PROCESSES: usize = 65_536;

/// The processes of a host, lowest number first.
pub fn processes(fs: &dyn HostFs) -> Vec<u32> {
    let names = fs.list("/proc").unwrap_or_default();
    let mut pids: Vec<u32> = names.iter().filter_map(|name| name.parse().ok()).collect();
    pids.sort_unstable();
    pids.truncate(MAX_PROCESSES);
    pids
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::host::memory::MemoryHost;

    /// A `stat` line; the start time is field 22.
    fn stat(comm: &str, state: char) -> String {
        let between = "0 ".repeat(17);
        format!("42 ({comm}) {state} 7 {between}1234 0 0\n")
    }

    fn host(state: char) -> MemoryHost {
        MemoryHost::new([
            ("/proc/42/stat", stat("we) R 1 (ird", state).as_str()),
            ("/proc/42/status", "Name:\tx\nUid:\t1000\t1001\t1000\t1000\nNSpid:\t42\t3\n"),
            ("/proc/42/cgroup", "0::/system.slice/nginx.service\n"),
            ("/proc/42/exe", "->/usr/bin/nginx (deleted)"),
            ("/proc/42/cmdline", "nginx\0-g\0daemon off;\0"),
            ("/proc/42/task/43/comm", "worker\n"),
        ])
    }

    #[test]
    fn every_fact_is_read() {
        let reader = ProcessReader::new(Arc::new(host('S')), true);
        let info = reader.read(42);
        let expected = ProcessInfo {
            pid: 42,
            tid: 42,
            start_ns: Some(12_340_000_000),
            comm: Some("we) R 1 (ird".into()),
            exe: Some("/usr/bin/nginx (deleted)".into()),
            cmdline: Some("nginx -g daemon off;".into()),
            ppid: Some(7),
            uid: Some(1001),
            cgroup: Some("/system.slice/nginx.service".into()),
            container: None,
            ns_pid: Some(3),
            job: Some("unit:nginx.service".into()),
        };
        assert_eq!(info, expected);
        assert_eq!(reader.thread_name(42, 43).as_deref(), Some("worker"));
    }

    #[test]
    fn the_command_line_of_a_stuck_task_is_never_read() {
        let info = ProcessReader::new(Arc::new(host('D')), true).read(42);
        assert_eq!((info.cmdline, info.uid), (None, Some(1001)));
    }

    #[test]
    fn a_process_that_is_gone_or_foreign_is_all_null() {
        let nobody = ProcessInfo { pid: 9, tid: 9, ..ProcessInfo::default() };
        assert_eq!(ProcessReader::new(Arc::new(host('S')), true).read(9), nobody);
        let foreign = ProcessInfo { pid: 42, tid: 42, ..ProcessInfo::default() };
        assert_eq!(ProcessReader::new(Arc::new(host('S')), false).read(42), foreign);
    }

    #[test]
    fn long_and_strange_command_lines_are_bounded_and_readable() {
        assert_eq!(cmdline_text(b"\0\0"), None);
        assert_eq!(cmdline_text(b"a\0\xff\0").as_deref(), Some("a \\xff"));
        let long = cmdline_text(&[b'x'; 9000]).unwrap();
        assert!(long.ends_with('…') && long.len() == MAX_CMDLINE_BYTES + '…'.len_utf8());
    }

    #[test]
    fn this_process_reads_itself() {
        let info = ProcessReader::new(Arc::new(crate::host::HostRoot::live()), true).read(std::process::id());
        assert!(info.exe.is_some() && info.cmdline.is_some() && info.start_ns > Some(0), "{info:?}");
    }

    proptest! {
        #[test]
        fn any_stat_is_survived(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse_stat(&bytes);
            let _ = cmdline_text(&bytes);
        }
    }
}
