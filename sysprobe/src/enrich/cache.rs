//! Processes seen so far, ready to be written: a trace may name one of them a million times.
//!
//! An entry begins with the kernel's fork event (a child has its parent's program, user and cgroup) or with a read of
//! `/proc`, and follows exec events, whose names and command lines are the ones of that moment. `/proc` is asked once
//! after each such change: it may already show a later program, so it never replaces what an event said. Both tables
//! are bounded; the least recently used leave. A pid given to a new process starts a new entry with its fork event.

use std::num::NonZeroUsize;
use std::sync::Arc;

use lru::LruCache;

use super::process::{MAX_CMDLINE_BYTES, ProcessInfo, ProcessReader, cmdline_text, text};
use crate::event::{Tgid, Tid};

/// Processes kept. An entry takes about 1 KB, 8 KB with the longest command lines.
const MAX_PROCESSES: NonZeroUsize = NonZeroUsize::new(4096).unwrap();
/// Threads kept, each with its own ready JSON.
const MAX_THREADS: NonZeroUsize = NonZeroUsize::new(8192).unwrap();

/// What an exec event says.
#[derive(Clone, Copy, Debug)]
pub struct ExecFacts<'a> {
    /// The new name, NUL-padded.
    pub comm: &'a [u8],
    /// The command line, NUL-separated.
    pub cmdline: &'a [u8],
    /// More of it followed.
    pub cut: bool,
}

struct Process {
    info: ProcessInfo,
    /// `/proc` was asked since the last event.
    asked: bool,
    /// Goes up with each change, so that threads see that their JSON is old.
    version: u64,
}

struct Thread {
    tgid: Tgid,
    /// `None` until it is known.
    comm: Option<Arc<str>>,
    /// The JSON, and the process's version it was made of.
    json: Option<(u64, Arc<str>)>,
}

/// The processes of one host. Not shared: one thread owns it.
pub struct ProcessCache {
    reader: ProcessReader,
    processes: LruCache<Tgid, Process>,
    threads: LruCache<Tid, Thread>,
    version: u64,
}

impl ProcessCache {
    /// An empty cache over `reader`.
    pub fn new(reader: ProcessReader) -> Self {
        let (processes, threads) = (LruCache::new(MAX_PROCESSES), LruCache::new(MAX_THREADS));
        Self { reader, processes, threads, version: 0 }
    }

    /// A thread and its process as the `process` object of a record. Cheap when seen before.
    pub fn json(&mut self, tgid: Tgid, tid: Tid) -> Arc<str> {
        let version = self.process(tgid).version;
        if let Some(Thread { json: Some((made, json)), tgid: of, .. }) = self.threads.get(&tid)
            && *made == version
            && *of == tgid
        {
            return Arc::clone(json);
        }
        let info = self.info(tgid, tid);
        // Strings and numbers only: this cannot fail.
        let json: Arc<str> = serde_json::to_string(&info).unwrap_or_else(|_| "null".to_owned()).into();
        if let Some(thread) = self.threads.get_mut(&tid) {
            thread.json = Some((version, Arc::clone(&json)));
        }
        json
    }

    /// A thread and its process.
    pub fn info(&mut self, tgid: Tgid, tid: Tid) -> ProcessInfo {
        let mut info = self.process(tgid).info.clone();
        info.tid = tid.0;
        if self.threads.get(&tid).is_none_or(|thread| thread.tgid != tgid) {
            self.threads.put(tid, Thread { tgid, comm: None, json: None });
        }
        if tid.0 != tgid.0 {
            let known = self.threads.get(&tid).and_then(|thread| thread.comm.clone());
            let comm = known.or_else(|| self.reader.thread_name(tgid.0, tid.0));
            if let Some(thread) = self.threads.get_mut(&tid) {
                thread.comm.clone_from(&comm);
            }
            info.comm = comm;
        }
        info
    }

    /// A followed thread had a child: a thread of the same process, or a new one.
    pub fn forked(&mut self, tgid: Tgid, tid: Tid, parent: Tgid, ns_tgid: Option<u32>, comm: &[u8]) {
        let comm = name(comm);
        self.threads.put(tid, Thread { tgid, comm: Some(Arc::clone(&comm)), json: None });
        if tgid == parent {
            return;
        }
        let inherited = self.process(parent).info.clone();
        let info = ProcessInfo {
            pid: tgid.0,
            tid: tgid.0,
            start_ns: None,
            ppid: Some(parent.0),
            ns_pid: ns_tgid,
            comm: Some(comm),
            ..inherited
        };
        self.version += 1;
        self.processes.put(tgid, Process { info, asked: false, version: self.version });
    }

    /// A process runs a new program. The threads it had are gone.
    pub fn executed(&mut self, tgid: Tgid, exec: &ExecFacts<'_>) {
        self.version += 1;
        let version = self.version;
        let mut info = match self.processes.pop(&tgid) {
            Some(process) => process.info,
            None => ProcessInfo { pid: tgid.0, tid: tgid.0, ..ProcessInfo::default() },
        };
        info.comm = Some(name(exec.comm));
        info.cmdline = if exec.cut { cut_cmdline(exec.cmdline) } else { cmdline_text(exec.cmdline) };
        info.exe = None;
        self.processes.put(tgid, Process { info, asked: false, version });
    }

    /// A thread took another name (`prctl(PR_SET_NAME)`, a write to its `comm`): it is read anew when next needed.
    pub fn renamed(&mut self, tgid: Tgid, tid: Tid) {
        if tid.0 != tgid.0 {
            self.threads.pop(&tid);
            return;
        }
        let comm = self.reader.thread_name(tgid.0, tid.0);
        self.version += 1;
        let version = self.version;
        if let Some(process) = self.processes.get_mut(&tgid)
            && comm.is_some()
        {
            process.info.comm = comm;
            process.version = version;
        }
    }

    /// A process's entry, made by asking `/proc` if need be.
    fn process(&mut self, tgid: Tgid) -> &Process {
        let version = self.version + 1;
        let reader = &self.reader;
        let process = self.processes.get_or_insert_mut(tgid, || {
            let info = ProcessInfo { pid: tgid.0, tid: tgid.0, ..ProcessInfo::default() };
            Process { info, asked: false, version }
        });
        if !process.asked {
            process.asked = true;
            process.version = version;
            self.version = version;
            complete(&mut process.info, reader.read(tgid.0));
        }
        process
    }
}

/// Adds what `/proc` shows to what events said.
fn complete(known: &mut ProcessInfo, read: ProcessInfo) {
    // The program of `/proc` is this one only if the name is: it may have been replaced since.
    let same_program = known.comm.is_none() || known.comm == read.comm;
    known.start_ns = read.start_ns.or(known.start_ns);
    known.ppid = read.ppid.or(known.ppid);
    known.uid = read.uid.or(known.uid);
    known.ns_pid = read.ns_pid.or(known.ns_pid);
    known.cgroup = read.cgroup.or(known.cgroup.take());
    known.container = read.container.or(known.container.take());
    known.job = read.job.or(known.job.take());
    if same_program {
        known.exe = known.exe.take().or(read.exe);
        known.cmdline = known.cmdline.take().or(read.cmdline);
    }
    known.comm = known.comm.take().or(read.comm);
}

/// A NUL-padded name.
fn name(comm: &[u8]) -> Arc<str> {
    text(comm.split(|&b| b == 0).next().unwrap_or(&[]))
}

/// A command line that the kernel side cut: it ends in `…`, whatever its length.
fn cut_cmdline(bytes: &[u8]) -> Option<Arc<str>> {
    let kept = bytes.get(..MAX_CMDLINE_BYTES).unwrap_or(bytes);
    cmdline_text(kept).map(|line| format!("{line}…").into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::memory::MemoryHost;

    fn stat(pid: u32, comm: &str) -> String {
        format!("{pid} ({comm}) S 1 {}500 0\n", "0 ".repeat(17))
    }

    fn cache(host: MemoryHost) -> ProcessCache {
        ProcessCache::new(ProcessReader::new(Arc::new(host), true))
    }

    fn shell() -> MemoryHost {
        MemoryHost::new([
            ("/proc/10/stat", stat(10, "sh").as_str()),
            ("/proc/10/status", "Uid:\t1000\t1000\t1000\t1000\n"),
            ("/proc/10/cgroup", "0::/user.slice\n"),
            ("/proc/10/exe", "->/bin/sh"),
            ("/proc/10/cmdline", "sh\0-c\0ls\0"),
            ("/proc/10/task/11/comm", "helper\n"),
        ])
    }

    #[test]
    fn a_child_that_is_gone_has_what_it_inherited_and_what_its_exec_said() {
        let mut cache = cache(shell());
        cache.forked(Tgid(20), Tid(20), Tgid(10), Some(5), b"sh\0\0");
        let child = cache.info(Tgid(20), Tid(20));
        assert_eq!((child.ppid, child.uid, child.ns_pid, child.start_ns), (Some(10), Some(1000), Some(5), None));
        assert_eq!(child.cmdline.as_deref(), Some("sh -c ls"));
        cache.executed(Tgid(20), &ExecFacts { comm: b"ls\0\0", cmdline: b"ls\0-l\0", cut: false });
        let child = cache.info(Tgid(20), Tid(20));
        assert_eq!((child.comm.as_deref(), child.cmdline.as_deref()), (Some("ls"), Some("ls -l")));
        assert_eq!((child.exe, child.cgroup.as_deref()), (None, Some("/user.slice")));
    }

    #[test]
    fn the_json_is_made_once_and_again_after_a_change() {
        let mut cache = cache(shell());
        let first = cache.json(Tgid(10), Tid(10));
        assert!(Arc::ptr_eq(&first, &cache.json(Tgid(10), Tid(10))));
        cache.executed(Tgid(10), &ExecFacts { comm: b"cat", cmdline: b"cat\0", cut: true });
        let second = cache.json(Tgid(10), Tid(10));
        let info: ProcessInfo = serde_json::from_str(&second).unwrap();
        assert_eq!((info.comm.as_deref(), info.cmdline.as_deref()), (Some("cat"), Some("cat…")));
        assert_eq!(info.exe, None, "/proc still shows the program before it");
        assert_eq!(info.start_ns, Some(5_000_000_000));
    }

    #[test]
    fn threads_have_their_own_names() {
        let mut cache = cache(shell());
        assert_eq!(cache.info(Tgid(10), Tid(11)).comm.as_deref(), Some("helper"));
        cache.forked(Tgid(10), Tid(12), Tgid(10), None, b"pool\0");
        let thread = cache.info(Tgid(10), Tid(12));
        assert_eq!((thread.pid, thread.tid, thread.comm.as_deref()), (10, 12, Some("pool")));
        assert_eq!(cache.info(Tgid(10), Tid(10)).comm.as_deref(), Some("sh"));
        cache.renamed(Tgid(10), Tid(11));
        assert_eq!(cache.info(Tgid(10), Tid(11)).comm.as_deref(), Some("helper"));
    }

    #[test]
    fn both_tables_stay_bounded() {
        let mut cache = cache(MemoryHost::default());
        for pid in 1..20_000 {
            cache.json(Tgid(pid), Tid(pid));
        }
        assert_eq!((cache.processes.len(), cache.threads.len()), (MAX_PROCESSES.get(), MAX_THREADS.get()));
        let nobody: ProcessInfo = serde_json::from_str(&cache.json(Tgid(7), Tid(7))).unwrap();
        assert_eq!(nobody, ProcessInfo { pid: 7, tid: 7, ..ProcessInfo::default() });
    }
}
