//! Abnormal ends of processes as records. The documentation of these types is the schema's.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::episode::Episode;
use crate::enrich::ProcessInfo;

/// A process that ended abnormally: killed by a signal, or, where it was followed with `--pid`, with an exit code that is not 0.
/// An instant: there is one record, of phase `close`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExitRecord {
    /// Who ended.
    pub process: ProcessInfo,
    /// What every episode has.
    #[serde(flatten)]
    pub episode: Episode,
    /// What only an end has.
    pub exit: ExitFacts,
}

/// What only an end has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExitFacts {
    /// The exit code; null where a signal killed it.
    pub code: Option<u8>,
    /// The name of the signal that killed it.
    pub signal: Option<String>,
    /// A core was dumped.
    pub core_dumped: bool,
    /// The kernel sent the signal, not a process; null where nobody saw it being sent.
    pub sent_by_kernel: Option<bool>,
    /// The process that sent the signal; of a signal from the kernel the process that was running then, which may be a bystander.
    pub sender: Option<ExitSender>,
    /// The fault that the signal stands for.
    pub fault: Option<Fault>,
    /// From the signal to the end, in ns.
    pub dying_ns: Option<u64>,
    /// From a first `SIGTERM` to the signal that killed it, in ns.
    pub asked_before_ns: Option<u64>,
    /// How long the process lived, in ns.
    pub lived_ns: u64,
    /// The most memory it had resident.
    pub max_rss_bytes: Option<u64>,
    /// The `id` of the `oom_kill` that this is the end of.
    pub oom_kill: Option<String>,
}

/// Who sent a signal, as it was then. The cgroup and what it tells are null if the sender was gone when they were read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExitSender {
    /// The process.
    pub pid: u32,
    /// Its name.
    pub comm: String,
    /// Its real user id.
    pub uid: u32,
    /// Its parent.
    pub ppid: u32,
    /// Its parent's name.
    pub parent_comm: String,
    /// Its cgroup's path.
    pub cgroup: Option<Arc<str>>,
    /// Its container, as `RUNTIME://ID`.
    pub container: Option<Arc<str>>,
    /// Its job, pod or unit, as in `process`.
    pub job: Option<Arc<str>>,
}

/// A fault of the processor or a refusal of the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Fault {
    /// The name of `si_code`, such as `SEGV_MAPERR`.
    pub code: String,
    /// The address, in hexadecimal.
    pub address: String,
}
