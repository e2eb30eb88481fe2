//! From a stuck task to the root of its trouble, link by link: lock holder, journal thread, device, what lies below it,
//! the daemon or server that should answer.
//!
//! Each step is taken only on evidence in the scene. A step that had to be guessed says so and lowers the confidence;
//! where none can be taken the chain ends, and what the last frames say is the root.

use crate::analyze::fact::{DeviceAt, MountAt, Scene, SceneTask};
use crate::event::{Lock, Tid};
use crate::explain::advice;
use crate::explain::cause::{Cause, Class, Confidence, Link};
use crate::explain::classify::{Verdict, classify};

/// Links followed at most; real chains have up to six.
const MAX_STEPS: usize = 24;

/// A chain followed to its end.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The cause with every link.
    pub cause: Cause,
    /// What stalls with this root have in common.
    pub root: String,
    /// Nobody in it can go on.
    pub deadlock: bool,
    /// What to do about the root.
    pub advice: String,
}

/// Where a step leads.
enum Next {
    Task(Tid),
    Device(String),
    Mount(u32),
    End,
}

/// The walk so far.
struct Walk<'a> {
    scene: &'a Scene,
    links: Vec<Link>,
    root: String,
    summary: String,
    confidence: Confidence,
    advice: String,
    deadlock: bool,
    tasks: Vec<Tid>,
    devices: Vec<String>,
}

/// Follows one stuck task.
pub fn follow(scene: &Scene, task: &SceneTask) -> Chain {
    let verdict = classify(&task.frames, &[]);
    let mut wait = Link::new("wait", verdict.summary());
    wait.lock = verdict.lock.map(str::to_owned);
    wait.since_ns = Some(scene.at_ns.saturating_sub(task.since_ns));
    let deciding = verdict.deciding.as_ref().map_or("", |f| f.name.as_str());
    let mut walk = Walk {
        scene,
        links: vec![wait],
        root: format!("{} {deciding}", verdict.class.as_str()),
        summary: verdict.summary(),
        confidence: sureness(task, &verdict),
        advice: verdict.advice().to_owned(),
        deadlock: false,
        tasks: vec![task.wait.tid],
        devices: Vec::new(),
    };
    let mut next = walk.behind_task(task, &verdict);
    for _ in 0..MAX_STEPS {
        next = match next {
            Next::Task(tid) => walk.enter_task(tid),
            Next::Device(name) => walk.enter_device(&name),
            Next::Mount(id) => walk.enter_mount(id),
            Next::End => break,
        };
    }
    let Walk { links, root, summary, confidence, advice, deadlock, .. } = walk;
    Chain { cause: Cause { class: verdict.class, summary, confidence, chain: links }, root, deadlock, advice }
}

impl Walk<'_> {
    /// What a task in D waits for.
    fn behind_task(&mut self, task: &SceneTask, verdict: &Verdict) -> Next {
        if let Some(lock) = &task.wait.lock
            && let Some(next) = self.over_lock(task, lock)
        {
            return next;
        }
        match verdict.class {
            Class::Vfork => self.over_vfork(task),
            Class::FsJournal => self.over_journal(task),
            Class::Freeze => self.frozen(task),
            class if waits_for_a_server(class) => self.over_server(task),
            class if waits_for_a_device(class) => self.over_device(task),
            _ => Next::End,
        }
    }

    fn over_lock(&mut self, task: &SceneTask, lock: &Lock) -> Option<Next> {
        let waiters = self.scene.tasks().filter(|t| t.wait.lock.is_some_and(|l| l.address == lock.address)).count();
        let others = if waiters > 1 { format!(", {waiters} tasks wait for it") } else { String::new() };
        let name = format!("{} {:#x}", lock.kind.as_str(), lock.address);
        let Some((owner, _)) = lock.owner.filter(|(tid, _)| *tid != task.wait.tid) else {
            let why = if lock.by_readers {
                "readers hold it, the lock does not name them"
            } else {
                "the lock names no holder"
            };
            let mut link = Link::new("lock", format!("{name}: {why}{others}"));
            link.lock = Some(format!("{:#x}", lock.address));
            self.links.push(link);
            self.root = format!("lock {:#x}", lock.address);
            if self.links.len() > 2 {
                // Its own wait is known; what holds up the last of several is not.
                self.confidence = self.confidence.min(Confidence::Medium);
            }
            // The file system's own state may still tell more than the lock.
            return None;
        };
        let who = self.title(owner);
        let words = if lock.last_holder {
            format!("{name}: {who} was the last to take it{others}")
        } else if lock.by_readers {
            format!("{name}: held for reading, {who} was the last to take it{others}")
        } else {
            format!("{name} is held by {who}{others}")
        };
        if lock.last_holder || lock.by_readers {
            self.confidence = self.confidence.min(Confidence::Medium);
        }
        let mut link = Link::new("holder", words);
        link.pid = Some(owner.0);
        link.lock = Some(format!("{:#x}", lock.address));
        self.links.push(link);
        Some(Next::Task(owner))
    }

    fn enter_task(&mut self, tid: Tid) -> Next {
        if self.tasks.contains(&tid) {
            let cycle = self.tasks.iter().skip_while(|t| **t != tid).count();
            let words = format!("a cycle of {cycle} tasks back to {}: none of them can go on", self.title(tid));
            self.links.push(Link::new("deadlock", words.clone()));
            self.deadlock = true;
            self.summary = format!("deadlock: {words}");
            let lowest = self.tasks.iter().skip_while(|t| **t != tid).min().map_or(0, |t| t.0);
            self.root = format!("deadlock {lowest}");
            "one of the tasks must be killed, or the host rebooted".clone_into(&mut self.advice);
            return Next::End;
        }
        self.tasks.push(tid);
        self.root = format!("task {}", tid.0);
        let title = self.title(tid);
        let Some(task) = self.scene.task(tid) else {
            self.summary = format!("{title}, of which no more is known");
            self.confidence = self.confidence.min(Confidence::Medium);
            return Next::End;
        };
        if !is_held_up(task) {
            let doing = doing(task);
            self.summary = format!("{title} is not stuck itself: {doing}");
            let mut link = Link::new("task", format!("{title}: {doing}"));
            link.pid = Some(tid.0);
            self.links.push(link);
            self.advice = format!("look at {}: what it does decides ({doing})", tid.0);
            return Next::End;
        }
        let verdict = classify(&task.frames, &[]);
        let waits = verdict.summary();
        let call = task.call.as_ref().map_or(String::new(), |c| format!(" in {}", c.text));
        let mut link = Link::new("task", format!("{title} itself {waits}{call}"));
        link.pid = Some(tid.0);
        link.since_ns = task.wait.state.is_blocked().then(|| self.scene.at_ns.saturating_sub(task.since_ns));
        self.links.push(link);
        self.summary = format!("{title} {waits}");
        self.confidence = self.confidence.min(sureness(task, &verdict));
        verdict.advice().clone_into(&mut self.advice);
        self.behind_task(task, &verdict)
    }

    fn over_vfork(&mut self, task: &SceneTask) -> Next {
        let children = self.scene.places.children.get(&task.wait.tgid.0).map_or(&[][..], Vec::as_slice);
        // The child that runs in the parent's memory still has the parent's program; after exec the wait is over.
        let [child] = children else { return Next::End };
        let mut link =
            Link::new("child", format!("its vfork child {} neither runs a program nor ends", self.title(*child)));
        link.pid = Some(child.0);
        self.links.push(link);
        Next::Task(*child)
    }

    fn over_journal(&mut self, task: &SceneTask) -> Next {
        let device = self.device_of(task).map(|(name, _)| name);
        let is_thread = |t: &&SceneTask| {
            let comm = t.process.comm.as_deref().unwrap_or("");
            t.wait.kthread
                && comm
                    .strip_prefix("jbd2/")
                    .is_some_and(|rest| device.as_ref().is_none_or(|d| rest.starts_with(d.as_str())))
        };
        let mut threads = self.scene.tasks().filter(is_thread);
        match (threads.next(), threads.next()) {
            (Some(thread), None) if thread.wait.tid != task.wait.tid => {
                let tid = thread.wait.tid;
                let mut link = Link::new("work", format!("the journal is committed by {}", self.title(tid)));
                link.pid = Some(tid.0);
                self.links.push(link);
                Next::Task(tid)
            }
            _ => self.over_device(task),
        }
    }

    fn over_device(&mut self, task: &SceneTask) -> Next {
        match self.device_of(task) {
            Some((name, sure)) => {
                self.confidence = self.confidence.min(sure);
                Next::Device(name)
            }
            None => Next::End,
        }
    }

    fn over_server(&mut self, task: &SceneTask) -> Next {
        if let Some(id) = mount_of(task) {
            return Next::Mount(id);
        }
        // A loop device's worker waits for the file behind the device.
        if let Some((name, _)) = self.device_of(task)
            && let Some(id) = self.scene.places.devices.get(&name).and_then(|d| d.backing.as_ref()?.mount)
        {
            return Next::Mount(id);
        }
        // One connection only that owes answers: it is the one.
        let mut owing = self.scene.places.fuse.iter().filter(|(_, c)| c.waiting.is_some_and(|n| n > 0));
        match (owing.next(), owing.next()) {
            (Some((number, _)), None) => {
                let number = *number;
                self.confidence = self.confidence.min(Confidence::Medium);
                self.at_fuse(number, None)
            }
            _ => Next::End,
        }
    }

    fn enter_device(&mut self, name: &str) -> Next {
        if self.devices.iter().any(|d| d == name) {
            return Next::End;
        }
        self.devices.push(name.to_owned());
        let Some(device) = self.scene.places.devices.get(name) else { return Next::End };
        let label = device.label.as_deref().map_or(String::new(), |l| format!(" ({l})"));
        let flight = match device.in_flight {
            Some((0, 0)) => "nothing in flight".to_owned(),
            Some((reads, writes)) => format!("{reads} reads and {writes} writes in flight"),
            None => "how much is in flight is not told".to_owned(),
        };
        let suspended = if device.suspended { ", suspended" } else { "" };
        let mut link = Link::new("device", format!("{name}{label}: {flight}{suspended}"));
        link.device = Some(name.to_owned());
        self.links.push(link);
        self.root = format!("device {name}");
        self.summary = if device.suspended {
            format!("the device {name}{label} is suspended")
        } else {
            format!("the device {name}{label} does not answer, or slowly: {flight}")
        };
        self.advice = if device.suspended {
            format!("`dmsetup resume {}` ends it", device.label.as_deref().unwrap_or(name))
        } else {
            advice::for_class(Class::BlockIo).to_owned()
        };
        self.below(name, device)
    }

    /// What a device lies on.
    fn below(&mut self, name: &str, device: &DeviceAt) -> Next {
        if device.suspended {
            return Next::End;
        }
        if let Some(backing) = &device.backing {
            let mount = backing.mount.and_then(|id| self.scene.places.mounts.get(&id));
            let on = mount.map_or(String::new(), |m| format!(" on the {} mount {}", m.kind, m.at));
            let mut link = Link::new("device", format!("{name} is backed by {}{on}", backing.path));
            link.device = Some(name.to_owned());
            self.links.push(link);
            return backing.mount.map_or(Next::End, Next::Mount);
        }
        let busy = |d: &&String| {
            let flight = self.scene.places.devices.get(*d).and_then(|d| d.in_flight);
            flight.is_some_and(|(reads, writes)| reads + writes > 0)
        };
        let mut members = device.members.iter().filter(busy);
        match (members.next(), members.next()) {
            (Some(only), None) => Next::Device(only.clone()),
            _ if device.members.len() == 1 => device.members.first().map_or(Next::End, |d| Next::Device(d.clone())),
            _ => device.disk.clone().map_or(Next::End, Next::Device),
        }
    }

    fn enter_mount(&mut self, id: u32) -> Next {
        let Some(mount) = self.scene.places.mounts.get(&id) else { return Next::End };
        if let Some(number) = mount.fuse {
            return self.at_fuse(number, Some(mount));
        }
        if let Some(server) = &mount.server {
            let words = format!("{} is served by {server} ({}, {})", mount.at, mount.kind, mount.source);
            let mut link = Link::new("server", words);
            link.peer = Some(server.clone());
            self.links.push(link);
            self.root = format!("server {server}");
            self.summary = format!("the {} server {server} does not answer for {}", mount.kind, mount.at);
            let class = if mount.kind.starts_with("nfs") { Class::Nfs } else { Class::NetworkFsOther };
            advice::for_class(class).clone_into(&mut self.advice);
            return Next::End;
        }
        mount.device.clone().map_or(Next::End, Next::Device)
    }

    fn at_fuse(&mut self, number: u32, mount: Option<&MountAt>) -> Next {
        let at = mount.map_or_else(|| format!("FUSE connection {number}"), |m| format!("FUSE mount {}", m.at));
        let connection = self.scene.places.fuse.get(&number).cloned().unwrap_or_default();
        let owes = match connection.waiting {
            Some(1) => "1 request waits for an answer".to_owned(),
            Some(n) => format!("{n} requests wait for an answer"),
            None => "how many requests wait is not told".to_owned(),
        };
        self.links.push(Link::new("server", format!("{at}: {owes}")));
        self.root = format!("fuse {number}");
        let end = mount.map_or_else(
            || format!("writing 1 to /sys/fs/fuse/connections/{number}/abort"),
            |m| format!("`fusermount -uz {}`, or writing 1 to /sys/fs/fuse/connections/{number}/abort,", m.at),
        );
        let [daemon, ..] = connection.daemons.as_slice() else {
            self.summary = format!("{at} has no daemon that could answer");
            self.advice = format!("{end} makes the waiters fail");
            return Next::End;
        };
        if connection.guessed {
            let names: Vec<String> = connection.daemons.iter().map(|d| self.title(*d)).collect();
            self.summary = format!("the daemon of {at} does not answer: one of {}", names.join(", "));
            self.links.push(Link::new("daemon", format!("one of {} serves it", names.join(", "))));
            self.confidence = self.confidence.min(Confidence::Medium);
            self.advice = format!("look at these daemons; {end} makes the waiters fail");
            return Next::End;
        }
        let title = self.title(*daemon);
        let task = self.scene.task(*daemon);
        if task.is_some_and(|t| t.wait.state.is_blocked()) {
            let mut link = Link::new("daemon", format!("{title} serves it and is stuck itself"));
            link.pid = Some(daemon.0);
            self.links.push(link);
            return Next::Task(*daemon);
        }
        let doing = task.map_or_else(|| "what it does is not known".to_owned(), doing);
        self.summary = format!("the FUSE daemon {title} does not answer: {doing}");
        let mut link = Link::new("daemon", format!("{title} serves it: {doing}"));
        link.pid = Some(daemon.0);
        self.links.push(link);
        self.advice = format!("look at {}; {end} makes the waiters fail", daemon.0);
        Next::End
    }

    fn frozen(&mut self, task: &SceneTask) -> Next {
        let places = &self.scene.places;
        let number = task.wait.lock.and_then(|lock| lock.frozen).map(|(major, minor)| format!("{major}:{minor}"));
        let by_lock = number.and_then(|number| places.mounts.values().find(|mount| mount.number == number));
        let Some(mount) = by_lock.or_else(|| places.mounts.get(&mount_of(task)?)) else { return Next::End };
        self.links.push(Link::new("filesystem", format!("{} ({}, {}) is frozen", mount.at, mount.kind, mount.source)));
        self.root = format!("frozen {}", mount.source);
        self.summary = format!("the file system at {} is frozen", mount.at);
        self.advice = format!("`fsfreeze --unfreeze {}` once its snapshot is done", mount.at);
        Next::End
    }

    /// The block device that a task's wait is about, and how sure that is.
    fn device_of(&self, task: &SceneTask) -> Option<(String, Confidence)> {
        let places = &self.scene.places;
        let file = task.call.as_ref().and_then(|c| c.file.as_ref());
        if let Some(device) = file.and_then(|f| f.device.clone()) {
            return Some((device, Confidence::High));
        }
        if let Some(device) = file.and_then(|f| places.mounts.get(&f.mount?)?.device.clone()) {
            return Some((device, Confidence::High));
        }
        if task.wait.kthread {
            let names = [task.title.as_deref(), task.process.comm.as_deref()];
            let known = |device: &&String| {
                names.iter().flatten().any(|name| works_for(name, device, places.devices.get(*device)))
            };
            if let Some(device) = places.devices.keys().filter(known).max_by_key(|d| d.len()) {
                return Some((device.clone(), Confidence::High));
            }
        }
        // The only lowest device with anything in flight is a fair guess, no more.
        let busy = |(_, d): &(&String, &DeviceAt)| d.in_flight.is_some_and(|(reads, writes)| reads + writes > 0);
        let mut busy = places.devices.iter().filter(busy).map(|(name, _)| name);
        match (busy.next(), busy.next()) {
            (Some(only), None) => Some((only.clone(), Confidence::Low)),
            _ => None,
        }
    }

    fn title(&self, tid: Tid) -> String {
        self.scene.task(tid).map_or_else(|| format!("task {}", tid.0), title)
    }
}

/// `comm[tid]`, with the process's name and number where the thread is not its leader.
pub fn title(task: &SceneTask) -> String {
    let comm = task.title.as_deref().or(task.process.comm.as_deref()).unwrap_or("?");
    let (tid, pid) = (task.wait.tid.0, task.wait.tgid.0);
    if tid == pid { format!("{comm}[{tid}]") } else { format!("{comm}[{tid}] of process {pid}") }
}

/// Whether a kernel thread of this name works for a device.
fn works_for(name: &str, device: &str, at: Option<&DeviceAt>) -> bool {
    let starts = [format!("jbd2/{device}-"), format!("xfs-log/{device}")].iter().any(|s| name.starts_with(s.as_str()));
    let number = at.is_some_and(|d| name.ends_with(&format!("flush-{}", d.number)));
    let work = name.rsplit_once(['+', '-']).map_or(name, |(_, work)| work);
    starts || number || name == format!("xfsaild/{device}") || work == device
}

/// What a task that is not in D does.
pub fn doing(task: &SceneTask) -> String {
    let state = match task.wait.state.letter() {
        'R' => "it runs or waits for a CPU",
        'S' => "it sleeps",
        'T' => "it is stopped",
        't' => "it is stopped by a tracer",
        'Z' => "it has ended and nobody waited for it",
        _ => "it idles",
    };
    match &task.call {
        Some(call) if task.wait.state.letter() != 'R' => format!("{state} in {}", call.text),
        _ => state.to_owned(),
    }
}

fn mount_of(task: &SceneTask) -> Option<u32> {
    task.call.as_ref()?.file.as_ref()?.mount
}

/// How sure it is what a task waits for: as sure as its stack, unless the lock itself names who holds it.
fn sureness(task: &SceneTask, verdict: &Verdict) -> Confidence {
    let named = task.wait.lock.is_some_and(|lock| {
        lock.owner.is_some_and(|(tid, _)| tid != task.wait.tid) && !lock.by_readers && !lock.last_holder
    });
    if named { Confidence::High } else { verdict.confidence }
}

/// Whether somebody else must act before a task can go on: it is in D, or waits for a server in a way that signals end (S).
pub fn is_held_up(task: &SceneTask) -> bool {
    let asks_a_server = || waits_for_a_server(classify(&task.frames, &[]).class);
    task.wait.state.is_blocked() || (task.wait.state.letter() == 'S' && asks_a_server())
}

/// Classes whose wait ends when a daemon or a server answers.
fn waits_for_a_server(class: Class) -> bool {
    matches!(class, Class::Fuse | Class::Nfs | Class::Smb | Class::Ceph | Class::NetworkFsOther)
}

/// Classes whose wait ends when a block device answers.
fn waits_for_a_device(class: Class) -> bool {
    matches!(
        class,
        Class::BlockIo
            | Class::BlockQueue
            | Class::Md
            | Class::Dm
            | Class::DmSuspend
            | Class::PageLock
            | Class::WritebackWait
            | Class::WritebackThrottle
            | Class::FsLock
            | Class::SwapIn
    )
}
