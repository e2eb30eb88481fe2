//! What analyzers are told: events from the kernel, and what was read about them while it was safe to read.

use core::net::SocketAddr;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::enrich::{MemoryLimit, ProcessInfo};
use crate::event::{OomKill, ProcessExit, ProcessMemory, StallEnd, TaskWait, Tid};
use crate::explain::frame::Frame;
use crate::explain::oom::Report;

/// One fact.
#[derive(Clone, Debug)]
pub enum Fact {
    /// A look at the tasks that are stuck now.
    Stuck(Scene),
    /// A long wait ended.
    WaitEnded(Box<EndedWait>),
    /// Tasks whose wait is over, but whose end was not seen.
    WaitsGone {
        /// CLOCK_MONOTONIC ns.
        at_ns: u64,
        /// The threads, each with the start of its wait.
        waits: Vec<(Tid, u64)>,
    },
    /// A process ended abnormally.
    Exited(Box<Exited>),
    /// The kernel kills a process for want of memory.
    OomKilled(Box<OomKilled>),
    /// The kernel's log tells of an OOM kill.
    OomReported {
        /// CLOCK_MONOTONIC ns when it was read.
        at_ns: u64,
        /// What it says.
        report: Box<Report>,
    },
    /// What every process holds now.
    Memory(MemorySample),
    /// A look at the connections in CLOSE_WAIT.
    CloseWaits(Box<CloseWaitLook>),
    /// Events were lost.
    Lost {
        /// CLOCK_MONOTONIC ns.
        at_ns: u64,
        /// The counter's name.
        site: &'static str,
        /// How many since the last such fact.
        lost: u64,
    },
    /// Time passed.
    Tick {
        /// CLOCK_MONOTONIC ns.
        at_ns: u64,
    },
}

impl Fact {
    /// When, CLOCK_MONOTONIC ns.
    pub fn at_ns(&self) -> u64 {
        match self {
            Self::Stuck(scene) => scene.at_ns,
            Self::WaitEnded(wait) => wait.end.woken_ns,
            Self::CloseWaits(look) => look.at_ns,
            Self::Exited(exited) => exited.exit.ended_ns,
            Self::OomKilled(killed) => killed.kill.at_ns,
            Self::Memory(sample) => sample.at_ns,
            Self::OomReported { at_ns, .. }
            | Self::WaitsGone { at_ns, .. }
            | Self::Lost { at_ns, .. }
            | Self::Tick { at_ns } => *at_ns,
        }
    }
}

/// A call in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallText {
    /// Its name.
    pub name: String,
    /// With its arguments, as `trace` shows them.
    pub text: String,
    /// The file behind its descriptor argument.
    pub file: Option<FileAt>,
}

/// Where a file lies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileAt {
    /// The path as /proc shows it.
    pub path: String,
    /// The key of its mount in [`Places::mounts`].
    pub mount: Option<u32>,
    /// The block device that the file itself is.
    pub device: Option<String>,
}

/// A task with what was read about it.
#[derive(Clone, Debug)]
pub struct SceneTask {
    /// As the kernel showed it.
    pub wait: TaskWait,
    /// When its wait began, CLOCK_MONOTONIC ns: exactly, or when it was first seen in it (`began_before`).
    pub since_ns: u64,
    /// Nobody saw the wait begin.
    pub began_before: bool,
    /// Who it is. The command line of a stuck task is not read.
    pub process: ProcessInfo,
    /// A kernel worker's own description (`kworker/u8:1+loop0`), where it says more than the name.
    pub title: Option<String>,
    /// Its kernel stack.
    pub frames: Vec<Frame>,
    /// The call it is in.
    pub call: Option<CallText>,
}

/// A look: everything stuck, who holds what it waits for, and the places involved.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// CLOCK_MONOTONIC ns.
    pub at_ns: u64,
    /// Tasks stuck beyond the threshold.
    pub stuck: Vec<SceneTask>,
    /// Other tasks that matter: in D for less long, lock holders, daemons, children, workers.
    pub others: Vec<SceneTask>,
    /// Mounts, devices and servers.
    pub places: Arc<Places>,
    /// There were more stuck tasks than could be looked at.
    pub cut: bool,
}

impl Scene {
    /// A task of the scene.
    pub fn task(&self, tid: Tid) -> Option<&SceneTask> {
        self.stuck.iter().chain(&self.others).find(|t| t.wait.tid == tid)
    }

    /// Every task of the scene.
    pub fn tasks(&self) -> impl Iterator<Item = &SceneTask> {
        self.stuck.iter().chain(&self.others)
    }
}

/// A wait that ended, with what could be read about it.
#[derive(Clone, Debug)]
pub struct EndedWait {
    /// As the kernel showed it.
    pub end: StallEnd,
    /// Who it was.
    pub process: ProcessInfo,
    /// Its kernel stack while it slept.
    pub frames: Vec<Frame>,
}

/// A process that ended, with what could still be read about it and about who killed it.
#[derive(Clone, Debug)]
pub struct Exited {
    /// As the kernel told it.
    pub exit: ProcessExit,
    /// Who it was.
    pub process: ProcessInfo,
    /// The sender of the signal, if it was still there.
    pub sender: Option<ProcessInfo>,
}

/// An OOM kill, with what could be read about the victim before it was gone.
#[derive(Clone, Debug)]
pub struct OomKilled {
    /// As the kernel told it.
    pub kill: OomKill,
    /// Who the victim is.
    pub process: ProcessInfo,
    /// The stack of the thread whose allocation found no memory.
    pub frames: Vec<Frame>,
    /// The memory limits on the victim, innermost first.
    pub limits: Vec<MemoryLimit>,
}

/// What every process held at one time.
#[derive(Clone, Debug, Default)]
pub struct MemorySample {
    /// CLOCK_MONOTONIC ns.
    pub at_ns: u64,
    /// The same moment, CLOCK_BOOTTIME ns: births are told by that clock.
    pub boot_ns: u64,
    /// The processes.
    pub processes: Vec<ProcessMemory>,
    /// There were more.
    pub cut: bool,
}

/// A look at the connections that their peers have closed and their owners have not.
#[derive(Clone, Debug, Default)]
pub struct CloseWaitLook {
    /// CLOCK_MONOTONIC ns.
    pub at_ns: u64,
    /// The connections. Holders were looked for only once some were old enough to be suspect.
    pub sockets: Vec<CloseWaitSocket>,
    /// Their holders by process id.
    pub holders: BTreeMap<u32, SocketHolder>,
    /// There were more connections or descriptors than are looked at.
    pub cut: bool,
    /// Network namespaces that could not be looked into.
    pub namespaces_unseen: u32,
}

/// A connection in CLOSE_WAIT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloseWaitSocket {
    /// Its network namespace's inode number.
    pub net: u32,
    /// Its own address.
    pub local: SocketAddr,
    /// Its peer's.
    pub peer: SocketAddr,
    /// CLOCK_MONOTONIC ns when the peer's end arrived, or when it was first seen.
    pub since_ns: u64,
    /// `since_ns` is when the end arrived.
    pub exact: bool,
    /// Bytes received and not read, and one more while the end is not read.
    pub unread: u32,
    /// It came in to a listening socket.
    pub accepted: bool,
    /// Nobody has accepted it yet: the holders are those of the listening socket.
    pub waiting: bool,
    /// Processes and descriptors, lowest process first.
    pub holders: Vec<(u32, i32)>,
}

/// A process that holds sockets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SocketHolder {
    /// Who it is.
    pub process: ProcessInfo,
    /// Descriptors it has open.
    pub open_fds: Option<u64>,
    /// How many it may have open.
    pub fd_limit: Option<u64>,
}

/// Mounts, block devices and FUSE connections that a scene touches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Mounts by the key that file positions carry.
    pub mounts: BTreeMap<u32, MountAt>,
    /// Block devices by name (`loop0`, `sda1`, `dm-0`).
    pub devices: BTreeMap<String, DeviceAt>,
    /// FUSE connections by number (the minor of the mount's device).
    pub fuse: BTreeMap<u32, FuseAt>,
    /// Children by parent process, of processes that wait for a vfork child.
    pub children: BTreeMap<u32, Vec<Tid>>,
}

/// A mount.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MountAt {
    /// `major:minor` of the file system's device, which every mount of it shares.
    pub number: String,
    /// Where it is mounted.
    pub at: String,
    /// The file system's type (`ext4`, `fuse.sshfs`, `nfs4`).
    pub kind: String,
    /// What is mounted: a device's path, `server:/path`.
    pub source: String,
    /// The block device below it, by name.
    pub device: Option<String>,
    /// The FUSE connection.
    pub fuse: Option<u32>,
    /// The server of a network file system: its address where the options tell it.
    pub server: Option<String>,
}

/// A block device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceAt {
    /// `major:minor`.
    pub number: String,
    /// Reads and writes in flight now; `None` if the kernel does not tell.
    pub in_flight: Option<(u64, u64)>,
    /// The file behind a loop device.
    pub backing: Option<FileAt>,
    /// The devices that a device-mapper or md device lies on.
    pub members: Vec<String>,
    /// The whole disk that a partition is of.
    pub disk: Option<String>,
    /// A device-mapper or md device is suspended.
    pub suspended: bool,
    /// A name people know: the dm name, the disk's model.
    pub label: Option<String>,
}

/// A FUSE connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FuseAt {
    /// Requests that wait for an answer now.
    pub waiting: Option<u64>,
    /// Threads of the processes that have the connection open.
    pub daemons: Vec<Tid>,
    /// Several connections are served on this host and the kernel does not tell which daemon serves which.
    pub guessed: bool,
}
