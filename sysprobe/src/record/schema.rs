//! The record types. Their documentation is the schema's, so it speaks to readers of records.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::close_wait::CloseWaitRecord;
use super::episode::{Episode, StallRecord};
use super::exit::ExitRecord;
use super::oom::OomKillRecord;
use crate::enrich::ProcessInfo;

/// The version that every record carries as `v`.
pub const SCHEMA_VERSION: u32 = 1;

/// One record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Record {
    /// The schema's version: 1.
    pub v: u32,
    /// When, in UTC with nanoseconds (RFC 3339). Of a system call: when it ended, or for one in progress, when it was looked at.
    #[cfg_attr(test, schemars(extend("format" = "date-time")))]
    pub ts: String,
    /// The host's name.
    pub host: String,
    /// `type`, and the fields of that type.
    #[serde(flatten)]
    pub body: Body,
}

/// The types of records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Body {
    /// A system call that ended, or that has not for a while.
    Syscall(SyscallRecord),
    /// All calls of one name in a trace, summed.
    SyscallSummary(SyscallSummaryRecord),
    /// A task in uninterruptible sleep (D) beyond the threshold.
    Stall(Box<StallRecord>),
    /// A process that the kernel killed for want of memory.
    OomKill(Box<OomKillRecord>),
    /// Connections that their peers have closed and their owner does not.
    CloseWaitLeak(Box<CloseWaitRecord>),
    /// A process that ended abnormally.
    Exit(Box<ExitRecord>),
    /// Events that were lost.
    Loss(LossRecord),
    /// The end of a run: what was seen, delivered, left out and lost.
    Summary(SummaryRecord),
}

impl Body {
    /// Whom an episode is about, and what all episodes have; `None` for what is no episode.
    pub fn episode(&self) -> Option<(&ProcessInfo, &Episode)> {
        match self {
            Self::Stall(record) => Some((&record.process, &record.episode)),
            Self::OomKill(record) => Some((&record.process, &record.episode)),
            Self::CloseWaitLeak(record) => Some((&record.process, &record.episode)),
            Self::Exit(record) => Some((&record.process, &record.episode)),
            Self::Syscall(_) | Self::SyscallSummary(_) | Self::Loss(_) | Self::Summary(_) => None,
        }
    }
}

/// Where a call's time went, in ns. Running, runnable, blocked and sleeping add up to the duration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Wait {
    /// On a CPU.
    pub running_ns: u64,
    /// Ready, waiting for a CPU.
    pub runnable_ns: u64,
    /// In uninterruptible sleep (D).
    pub blocked_ns: u64,
    /// In interruptible sleep.
    pub sleeping_ns: u64,
    /// What it waited for, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
}

/// A system call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SyscallRecord {
    /// Who called.
    pub process: ProcessInfo,
    /// The call's name.
    pub name: String,
    /// The arguments as shown on the terminal.
    pub args: Vec<String>,
    /// The result: -1 to -4095 are errors. Null while the call is in progress, and when its thread ended inside it.
    pub ret: Option<i64>,
    /// The error's name; null if there is none.
    pub errno: Option<String>,
    /// From entry to `ts`, in ns.
    pub duration_ns: u64,
    /// The duration, split.
    pub wait: Wait,
    /// The call has not returned.
    pub in_progress: bool,
}

/// All calls of one name in a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SyscallSummaryRecord {
    /// The call's name.
    pub name: String,
    /// How often it ended.
    pub calls: u64,
    /// Of those, with an error.
    pub errors: u64,
    /// The durations' sum, in ns.
    pub duration_ns: u64,
    /// That sum, split.
    pub wait: Wait,
    /// The median duration, in ns.
    pub p50_ns: u64,
    /// The duration that 1 % of the calls exceed, in ns.
    pub p99_ns: u64,
    /// The longest, in ns.
    pub max_ns: u64,
}

/// Events that were lost since the last such record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LossRecord {
    /// Where: a counter's name, such as `calls_lost`.
    pub site: String,
    /// The probe whose events they were, if one alone.
    pub probe: Option<String>,
    /// How many.
    pub lost: u64,
}

/// The end of a run. Always: seen = delivered + filtered + aggregated + lost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SummaryRecord {
    /// How long the run took, in ns.
    pub duration_ns: u64,
    /// Events that happened where sysprobe looked.
    pub seen: u64,
    /// Of those, handed to the output.
    pub delivered: u64,
    /// Of those, left out as the user asked.
    pub filtered: u64,
    /// Of those, summed in the kernel.
    pub aggregated: u64,
    /// Of those, lost.
    pub lost: u64,
    /// The kernel side's counters, by name.
    pub counters: BTreeMap<String, u64>,
    /// What each output made of what it was handed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sinks: Vec<SinkSummary>,
    /// What the probes cost the host; only with `--stats`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub probes: Vec<ProbeCost>,
    /// The traced command's exit code, if there was a command.
    pub exit_code: Option<i32>,
}

/// One output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SinkSummary {
    /// Which.
    pub name: String,
    /// Records written.
    pub written: u64,
    /// Records dropped because it could not keep up.
    pub dropped: u64,
}

/// What one probe cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ProbeCost {
    /// Which.
    pub name: String,
    /// How often its program ran.
    pub runs: u64,
    /// How long in all, in ns.
    pub run_ns: u64,
}
