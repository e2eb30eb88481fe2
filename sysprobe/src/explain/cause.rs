//! What an explanation is made of: the class, the words, the confidence, the chain and the evidence.
//!
//! These types are shared by the explainer of pasted text and by the live analyzers. They serialise as schema v1
//! has them (`cause`, `evidence`); nothing here decides anything.

use std::borrow::Cow;

use serde::{Deserialize, Serialize, Serializer};

/// How far a verdict can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// A hint: the frames fit, other causes fit too.
    Low,
    /// The deciding frame is named, but something between it and the wait is not known.
    Medium,
    /// The deciding frame is the one that waits.
    High,
}

impl Confidence {
    /// The word used in records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

macro_rules! classes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// What an uninterruptible task waits for: the taxonomy of stalls, one name a class.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Class {
            $($(#[$doc])* $variant,)*
        }

        impl Class {
            /// Every class, in the order of the taxonomy.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name as records and people write it.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

classes! {
    /// A block request of its own, or a buffer or page read, to complete.
    BlockIo = "block-io",
    /// A place in a device's queue: tag, freeze, write-back throttling.
    BlockQueue = "block-queue",
    /// A block server outside this kernel (nbd, ublk, DRBD's peer).
    BlockVirtual = "block-virtual",
    /// Error recovery, reset or timeout of a storage device.
    DeviceErrorHandling = "device-error-handling",
    /// A RAID array.
    Md = "md",
    /// A device-mapper target.
    Dm = "dm",
    /// A suspended device-mapper device.
    DmSuspend = "dm-suspend",
    /// bcache.
    Bcache = "bcache",
    /// A journal or log commit, or space in it.
    FsJournal = "fs-journal",
    /// A lock inside a file system.
    FsLock = "fs-lock",
    /// A frozen file system to thaw, or writers to leave so that it can freeze.
    Freeze = "freeze",
    /// Dirty data to reach the disk.
    WritebackWait = "writeback-wait",
    /// Permission to dirty more pages.
    WritebackThrottle = "writeback-throttle",
    /// A page or buffer lock.
    PageLock = "page-lock",
    /// A page to come back from swap.
    SwapIn = "swap-in",
    /// Memory: reclaim, mempool, compaction.
    Reclaim = "reclaim",
    /// The penalty sleep above `memory.high`.
    MemcgThrottle = "memcg-throttle",
    /// An NFS server, or recovery of the client's state.
    Nfs = "nfs",
    /// An SMB server.
    Smb = "smb",
    /// A Ceph cluster.
    Ceph = "ceph",
    /// A FUSE daemon.
    Fuse = "fuse",
    /// The server of another network file system.
    NetworkFsOther = "network-fs-other",
    /// A ZFS transaction group, I/O or lock.
    Zfs = "zfs",
    /// A kernel lock outside the file system classes.
    LockContention = "lock-contention",
    /// An RCU or SRCU grace period or barrier.
    Rcu = "rcu",
    /// A work item to finish.
    WorkqueueFlush = "workqueue-flush",
    /// Module loading, async probing, a modprobe helper.
    Module = "module",
    /// A vfork child to exec or exit.
    Vfork = "vfork",
    /// Other threads before a core dump, or the dump's writer or reader.
    Coredump = "coredump",
    /// io_uring requests or workers at exit.
    IoUring = "io_uring",
    /// The cgroup freezer or system suspend.
    Freezer = "freezer",
    /// Dying tasks or references of a cgroup.
    CgroupTeardown = "cgroup-teardown",
    /// A GPU driver's fence, lock or work.
    GpuDriver = "gpu-driver",
    /// Another driver.
    DeviceDriver = "device-driver",
    /// A suspend or resume to finish.
    PowerManagement = "power-management",
    /// The OOM handling of a memory cgroup.
    MemcgOomWait = "memcg-oom-wait",
    /// A user-space pager.
    Userfaultfd = "userfaultfd",
    /// A terminal's output or lock.
    Tty = "tty",
    /// Nothing: a kernel thread that idles in D by design.
    KthreadIdle = "kthread-idle",
    /// None of these with evidence.
    Unknown = "unknown",
}

impl Serialize for Class {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// One step of the way from the waiter to the root.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Link {
    /// What the step is about: `wait`, `lock`, `holder`, `device`, `filesystem`, `server`, `work`, `deadlock`, `log` ..
    pub kind: Cow<'static, str>,
    /// The step in words.
    pub summary: String,
    /// The thread it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// The block device, GPU or interface it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// The lock it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock: Option<String>,
    /// The server at the other end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer: Option<String>,
    /// For how long it has been so, nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_ns: Option<u64>,
}

impl Link {
    /// A link that has only words yet.
    pub fn new(kind: &'static str, summary: impl Into<String>) -> Self {
        Self { kind: kind.into(), summary: summary.into(), ..Self::default() }
    }
}

/// Why: the class, the sentence, how sure, and the way to the root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// The class of the innermost wait.
    pub class: Class,
    /// One line in words.
    pub summary: String,
    /// How far to trust it.
    pub confidence: Confidence,
    /// From the waiter to the root.
    pub chain: Vec<Link>,
}

/// What a verdict rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Evidence {
    /// Kernel frames without offsets, innermost first; scheduler frames included.
    pub kernel_stack: Vec<String>,
    /// User frames, innermost first.
    pub user_stack: Vec<String>,
    /// Events lost meanwhile that could have changed the verdict; 0 for pasted text.
    pub lost_events: u64,
    /// The frame that decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deciding_frame: Option<String>,
    /// Frames the unwinder itself doubts (`?`), in the order printed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreliable: Vec<String>,
    /// Lines of the log that support the verdict, made printable.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log_lines: Vec<String>,
}
