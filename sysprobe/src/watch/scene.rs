//! Puts a scene together: what the kernel showed of tasks, with names, processes, calls, and the places they wait at.
//!
//! Everything comes from files that no stuck task can hold up: no command line, no environment, no memory map of a
//! process is read, and nothing mounted is touched.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use lru::LruCache;

use super::places::PlaceReader;
use crate::analyze::fact::{CallText, Exited, OomKilled, Places, SceneTask};
use crate::enrich::{KernelSymbols, ProcessInfo, ProcessReader, cgroup_facts, memory_limits};
use crate::event::{
    Abi, CallEnd, Captures, OomKill, ProcessExit, SignalSent, Syscall, TaskWait, Tgid, Tid, WaitSplit, padded_text,
};
use crate::explain::frame::Frame;
use crate::host::{HostFs, read_text};
use crate::syscall::files::FileNames;
use crate::syscall::table::{self, ArgKind};
use crate::syscall::text::{ClockAnchor, LineWriter, TextSettings};

/// Processes remembered while their tasks are stuck.
const MAX_PROCESSES: NonZeroUsize = NonZeroUsize::new(4096).unwrap();

/// A clock tick (USER_HZ is 100 on x86).
const TICK_NS: u64 = 10_000_000;

/// Reads what scenes are made of.
pub struct SceneReader {
    fs: Arc<dyn HostFs>,
    symbols: KernelSymbols,
    processes: ProcessReader,
    /// By thread and its birth.
    known: LruCache<(Tid, u64), ProcessInfo>,
    lines: LineWriter,
    no_names: FileNames,
    places: PlaceReader,
}

impl SceneReader {
    /// A reader of one host.
    pub fn new(fs: Arc<dyn HostFs>) -> Self {
        let anchor = ClockAnchor { monotonic_ns: 0, unix_ns: 0 };
        Self {
            symbols: KernelSymbols::read(fs.as_ref()),
            processes: ProcessReader::new(fs.clone(), true),
            known: LruCache::new(MAX_PROCESSES),
            lines: LineWriter::new(TextSettings::default(), anchor, jiff::tz::TimeZone::UTC),
            no_names: FileNames::new(),
            places: PlaceReader::new(fs.clone()),
            fs,
        }
    }

    /// Whether the kernel shows its functions' addresses: without them there are no stacks.
    pub fn knows_symbols(&self) -> bool {
        self.symbols.is_known()
    }

    /// The functions of a kernel stack.
    pub fn frames(&mut self, addresses: &[u64]) -> Vec<Frame> {
        self.symbols.frames(self.fs.as_ref(), addresses)
    }

    /// Who a thread is. Its process's memory is not touched.
    pub fn process(&mut self, tgid: Tgid, tid: Tid, start_ns: u64, comm: &[u8; 16]) -> ProcessInfo {
        if let Some(known) = self.known.get(&(tid, start_ns)) {
            return known.clone();
        }
        let mut info = self.processes.read_outside(tgid.0);
        info.tid = tid.0;
        info.comm = Some(padded_text(comm).into());
        self.known.put((tid, start_ns), info.clone());
        info
    }

    /// A process that ended, and who killed it. Of a zombie, `/proc` still shows a little; its cgroup only on version 2.
    pub fn exited(&mut self, exit: ProcessExit) -> Exited {
        let mut process = self.processes.read_outside(exit.tgid.0);
        // /proc tells starts to a clock tick.
        let same = process.start_ns.is_some_and(|start| exit.start_ns.abs_diff(start) < TICK_NS);
        if !same {
            process = ProcessInfo { start_ns: Some(exit.start_ns / TICK_NS * TICK_NS), ..ProcessInfo::default() };
        }
        process.pid = exit.tgid.0;
        process.tid = exit.tgid.0;
        process.comm = Some(padded_text(&exit.comm).into());
        process.uid = process.uid.or(Some(exit.uid));
        process.ppid = Some(exit.ppid.0);
        process.cgroup = process.cgroup.filter(|path| path.as_ref() != "/");
        let sender = exit.sent.map(|sent| (sent, self.processes.read_outside(sent.tgid.0)));
        let still_it =
            |(sent, info): &(SignalSent, ProcessInfo)| info.comm.as_deref() == Some(&padded_text(&sent.comm));
        let sender = sender.filter(still_it).map(|(_, info)| info);
        Exited { exit, process, sender }
    }

    /// A process that is being killed for want of memory, with what the kernel told where it is gone already.
    pub fn oom_killed(&mut self, kill: OomKill) -> OomKilled {
        let tgid = kill.tgid.map_or(kill.tid.0, |tgid| tgid.0);
        let mut process = self.processes.read_outside(tgid);
        let same = |start: u64| kill.start_ns.is_none_or(|told| told.abs_diff(start) < TICK_NS);
        if !process.start_ns.is_some_and(same) {
            let start_ns = kill.start_ns.map(|start| start / TICK_NS * TICK_NS);
            process = ProcessInfo { pid: tgid, start_ns, ..ProcessInfo::default() };
        }
        process.tid = kill.tid.0;
        process.comm = Some(padded_text(&kill.comm)).filter(|comm| !comm.is_empty()).map(Into::into).or(process.comm);
        process.uid = process.uid.or(kill.uid);
        // Of a process that is ending, /proc shows the root.
        let path = kill.cgroup_path().or(process.cgroup.as_deref().map(str::to_owned));
        if let Some(path) = kill.cgroup_path() {
            let facts = cgroup_facts(&format!("1:memory:{path}\n"));
            process.cgroup = process.cgroup.filter(|path| path.as_ref() != "/").or(facts.path.map(Into::into));
            process.container = process.container.or(facts.container.map(Into::into));
            process.job = process.job.or(facts.job.map(Into::into));
        }
        let limits = path.map_or(Vec::new(), |path| memory_limits(self.fs.as_ref(), &path));
        let frames = self.symbols.frames_known(&kill.kernel);
        OomKilled { kill, process, frames, limits }
    }

    /// A task with what can be read about it.
    pub fn task(&mut self, wait: TaskWait, since_ns: u64, began_before: bool) -> SceneTask {
        let process = self.process(wait.tgid, wait.tid, wait.start_ns, &wait.comm);
        let title = wait.kthread.then(|| self.worker_title(wait.tid)).flatten();
        SceneTask {
            since_ns,
            began_before,
            process,
            title: title.filter(|t| *t != padded_text(&wait.comm)),
            frames: self.frames(&wait.kernel),
            call: self.call(&wait),
            wait,
        }
    }

    /// The places that tasks wait at.
    pub fn places(&mut self, tasks: &[&SceneTask]) -> Places {
        self.places.read(tasks)
    }

    /// A kernel worker's name with what it works on, as `ps` shows it.
    fn worker_title(&self, tid: Tid) -> Option<String> {
        read_text(self.fs.as_ref(), &format!("/proc/{}/comm", tid.0)).filter(|t| !t.is_empty())
    }

    fn call(&mut self, wait: &TaskWait) -> Option<CallText> {
        let now = wait.call.filter(|_| !wait.kthread)?;
        let abi = if now.compat { Abi::I386 } else { Abi::X86_64 };
        let name = table::name(abi, now.nr)?.to_owned();
        if now.compat {
            return Some(CallText { text: format!("{name}(..)"), name, file: None });
        }
        let call = Syscall {
            tid: wait.tid,
            tgid: wait.tgid,
            abi,
            nr: now.nr,
            args: now.args,
            start_ns: 0,
            duration_ns: 0,
            wait: WaitSplit::default(),
            end: CallEnd::InProgress,
            began_before_attach: true,
            captures: Captures::new(&[]),
        };
        let kinds = table::row(now.nr).map(|row| row.args.as_slice()).unwrap_or_default();
        let mut args: BTreeMap<usize, String> = BTreeMap::new();
        self.lines.write_args(&call, &self.no_names, &mut |index, text| {
            args.insert(index, String::from_utf8_lossy(text).into_owned());
        });
        let mut file = None;
        for (index, kind) in kinds.iter().enumerate() {
            let is_fd = matches!(kind, ArgKind::Fd | ArgKind::DirFd);
            let fd = now.args.get(index).map(|fd| *fd as i32).filter(|fd| is_fd && *fd >= 0);
            let Some(at) = fd.and_then(|fd| self.places.file(wait.tgid, fd)) else { continue };
            if let Some(text) = args.get_mut(&index) {
                *text = format!("{text}<{}>", at.path);
            }
            file.get_or_insert(at);
        }
        let args: Vec<String> = args.into_values().collect();
        Some(CallText { text: format!("{name}({})", args.join(", ")), name, file })
    }
}
