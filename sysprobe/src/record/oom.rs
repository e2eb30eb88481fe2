//! OOM kills as records. The documentation of these types is the schema's.

use serde::{Deserialize, Serialize};

use super::episode::Episode;
use crate::enrich::ProcessInfo;
use crate::explain::oom::{Dominant, Scope};

/// A process that the kernel killed for want of memory. An instant: there is one record, of phase `close`; where the kernel's log
/// lags behind, an `open` one within 100 ms tells what is known, and the `close` one of the same `id` the rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OomKillRecord {
    /// Who was killed.
    pub process: ProcessInfo,
    /// What every episode has. The kernel stack is that of the trigger.
    #[serde(flatten)]
    pub episode: Episode,
    /// What only an OOM kill has.
    pub oom: OomFacts,
}

/// What only an OOM kill has. Sizes are in bytes; what is not known is null.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OomFacts {
    /// Whose memory ran out.
    pub scope: Scope,
    /// The cgroup whose limit was met.
    pub memcg: Option<String>,
    /// Its limit.
    pub limit_bytes: Option<u64>,
    /// What was used of it.
    pub usage_bytes: Option<u64>,
    /// Whose allocation found no memory; that alone does not make it the cause.
    pub trigger: Option<OomTrigger>,
    /// Who was killed.
    pub victim: Option<OomVictim>,
    /// What fills the memory.
    pub dominant: Option<Dominant>,
    /// The processes that held the most, largest first.
    pub candidates: Vec<OomCandidate>,
    /// The processes that grew the most, fastest first, of those that the limit is on.
    pub growth: Vec<OomGrowth>,
    /// Whether the victim is not to blame.
    pub innocent: Option<bool>,
    /// Why.
    pub why: String,
    /// What else misleads or matters.
    pub notes: Vec<String>,
    /// The whole cgroup was killed (`memory.oom.group`).
    pub group: bool,
    /// The kernel's log told of it too.
    pub logged: bool,
}

/// Whose allocation found no memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OomTrigger {
    /// The process; of a kill that only the log tells of, the thread.
    pub pid: Option<u32>,
    /// The thread.
    pub tid: Option<u32>,
    /// The thread's name.
    pub comm: String,
    /// What it wanted memory for, as far as its kernel stack tells.
    pub wanted: Option<String>,
    /// The allocation's order: 2^order pages; -1 for a manual kill.
    pub order: Option<i32>,
    /// The allocation's flags as the log prints them.
    pub gfp: Option<String>,
}

/// Who was killed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OomVictim {
    /// The process.
    pub pid: u32,
    /// Its name.
    pub comm: String,
    /// Its address space: no memory, often huge.
    pub total_vm_bytes: Option<u64>,
    /// Its resident anonymous memory.
    pub anon_rss_bytes: Option<u64>,
    /// Its resident file pages.
    pub file_rss_bytes: Option<u64>,
    /// Its resident shared memory.
    pub shmem_rss_bytes: Option<u64>,
    /// Its memory in swap.
    pub swap_bytes: Option<u64>,
    /// Its page tables.
    pub pgtables_bytes: Option<u64>,
    /// The adjustment of its score, -1000 to 1000.
    pub oom_score_adj: Option<i32>,
}

/// A process that could have been chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OomCandidate {
    /// The process.
    pub pid: u32,
    /// Its name.
    pub comm: String,
    /// Its resident memory.
    pub rss_bytes: u64,
    /// Its memory in swap.
    pub swap_bytes: u64,
    /// The adjustment of its score.
    pub oom_score_adj: Option<i32>,
}

/// How a process grew before the kill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OomGrowth {
    /// The process.
    pub pid: u32,
    /// Its name.
    pub comm: String,
    /// What it held, resident and in swap, when the time began; 0 for one that was born in it.
    pub from_bytes: u64,
    /// What it held at the kill.
    pub to_bytes: u64,
    /// The time, in ns.
    pub over_ns: u64,
}
