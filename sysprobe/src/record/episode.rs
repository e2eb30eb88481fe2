//! Episodes as records: what all have in common, and the facts of each kind.
//!
//! The documentation of these types is the schema's, so it speaks to readers of records.

use serde::{Deserialize, Serialize};

use crate::enrich::ProcessInfo;
use crate::explain::cause::{Cause, Confidence, Evidence, Link};

/// Where in its life an episode is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// It was found, and goes on.
    Open,
    /// It goes on, and something about it changed.
    Update,
    /// It is over.
    Close,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Somebody is held up.
    Warning,
    /// Somebody should act.
    Critical,
}

/// Why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CauseRecord {
    /// The class: of a stall one of the taxonomy.
    pub class: String,
    /// One line in words: the root.
    pub summary: String,
    /// How far to trust it.
    pub confidence: Confidence,
    /// From the one who waits to the root.
    pub chain: Vec<Link>,
}

impl From<Cause> for CauseRecord {
    fn from(cause: Cause) -> Self {
        Self {
            class: cause.class.as_str().to_owned(),
            summary: cause.summary,
            confidence: cause.confidence,
            chain: cause.chain,
        }
    }
}

/// What every episode has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Episode {
    /// Where in its life it is.
    pub phase: Phase,
    /// The same in every record of one episode.
    pub id: String,
    /// How bad it is.
    pub severity: Severity,
    /// How long it has lasted at `ts`, in ns.
    pub duration_ns: Option<u64>,
    /// Why.
    pub cause: CauseRecord,
    /// What the verdict rests on.
    pub evidence: Evidence,
    /// What to do; null where there is nothing to do.
    pub advice: Option<String>,
}

/// A task in uninterruptible sleep (D) beyond the threshold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StallRecord {
    /// Who is stuck.
    pub process: ProcessInfo,
    /// What every episode has.
    #[serde(flatten)]
    pub episode: Episode,
    /// What only a stall has.
    pub stall: StallFacts,
}

/// What only a stall has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StallFacts {
    /// It is a kernel thread.
    pub kernel_thread: bool,
    /// Whether `kill -9` ends the wait (`TASK_KILLABLE`).
    pub killable: bool,
    /// The system call it is in, with its arguments; null for none or unknown.
    pub call: Option<String>,
    /// The task was stuck before sysprobe looked: `duration_ns` is a lower bound.
    pub began_before: bool,
    /// The task was seen while it was stuck; false: only the end of the wait told of it.
    pub seen_stuck: bool,
    /// What stalls of one root have in common: they are one trouble.
    pub root: String,
    /// The thread that was running where it was woken, at the end: `comm[tid]`. After an interrupt it is a bystander.
    pub waker: Option<String>,
}
