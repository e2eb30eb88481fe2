//! OOM kills: what the kernel's report says, and what it means.
//!
//! `parse` takes the lines of a report as they come, in the layouts of kernels 2.6.32 to 7.x, whole or trimmed;
//! `memory` reads the counters, `table` the task dump; `verdict` says whose limit it was, who held the memory and whether
//! the victim was to blame. Sizes are bytes unless a name says otherwise.

mod memory;
mod parse;
mod table;
mod verdict;

pub use memory::{Split, Usage};
pub use parse::Parser;
pub use table::{Row, Table};
pub use verdict::{Candidate, Verdict, bytes, judge};

use serde::{Deserialize, Serialize};

/// Whose memory ran out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The whole machine's.
    #[default]
    Global,
    /// A memory cgroup's.
    Memcg,
    /// The nodes' that a cpuset allows.
    Cpuset,
    /// The nodes' that a memory policy allows.
    Mempolicy,
    /// Nobody's: somebody asked for a kill (sysrq-f).
    Manual,
}

impl Scope {
    /// The word used in records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Memcg => "memcg",
            Self::Cpuset => "cpuset",
            Self::Mempolicy => "mempolicy",
            Self::Manual => "manual",
        }
    }
}

/// What fills the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Dominant {
    /// Anonymous memory of processes, resident or in swap.
    Anon,
    /// Page cache.
    File,
    /// Shared memory and tmpfs.
    Shmem,
    /// Slab caches.
    Slab,
    /// Other kernel memory: page tables, stacks, vmalloc, pages of drivers.
    Kernel,
    /// Huge pages set aside.
    Hugetlb,
}

impl Dominant {
    /// The word used in records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anon => "anon",
            Self::File => "file",
            Self::Shmem => "shmem",
            Self::Slab => "slab",
            Self::Kernel => "kernel",
            Self::Hugetlb => "hugetlb",
        }
    }
}

/// Who asked for the memory that was not there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Trigger {
    /// The thread id; unknown where the report was trimmed.
    pub pid: Option<u32>,
    /// The command name.
    pub comm: String,
    /// The allocation's order: 2^order pages; -1 for a manual kill.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<i32>,
    /// The allocation's flags as printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gfp: Option<String>,
}

/// A process that was killed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Victim {
    /// The process id.
    pub pid: u32,
    /// The command name.
    pub comm: String,
    /// Address space: no memory, often huge.
    pub total_vm_bytes: Option<u64>,
    /// Resident anonymous memory.
    pub anon_rss_bytes: Option<u64>,
    /// Resident file pages (before 4.5 shared memory too).
    pub file_rss_bytes: Option<u64>,
    /// Resident shared memory.
    pub shmem_rss_bytes: Option<u64>,
    /// Memory in swap.
    pub swap_bytes: Option<u64>,
    /// The adjustment of its score, -1000 to 1000.
    pub oom_score_adj: Option<i32>,
}

impl Victim {
    /// Resident memory of all kinds, where the report prints it.
    pub fn rss_bytes(&self) -> Option<u64> {
        let parts = [self.anon_rss_bytes, self.file_rss_bytes, self.shmem_rss_bytes];
        parts.iter().any(Option::is_some).then(|| parts.iter().flatten().sum())
    }
}

/// Everything one report says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Whose memory, as far as printed.
    pub scope: Option<Scope>,
    /// The cgroup whose limit was hit.
    pub memcg: Option<String>,
    /// The victim's own cgroup.
    pub task_memcg: Option<String>,
    /// Who asked for memory.
    pub trigger: Option<Trigger>,
    /// The trigger's score adjustment.
    pub trigger_adj: Option<i32>,
    /// The nodes allowed, as printed.
    pub nodes: Option<String>,
    /// The first process killed.
    pub victim: Option<Victim>,
    /// Other processes killed with it.
    pub others: Vec<(u32, String)>,
    /// `memory.oom.group`: the whole cgroup was to die.
    pub group: bool,
    /// A process that was chosen while a child of it was killed (before 5.1).
    pub chosen: Option<(u32, String)>,
    /// No process could be killed.
    pub nothing_killable: bool,
    /// The kernel panicked, as it was told to.
    pub panic: bool,
    /// The counters.
    pub usage: Usage,
    /// The task dump.
    pub table: Table,
    /// The kernel release.
    pub kernel: Option<String>,
    /// The stamp of its first line, as printed.
    pub time: Option<String>,
    /// The host of its first line.
    pub host: Option<String>,
    /// The number of its first line, from 1.
    pub line: u64,
}

impl Report {
    /// Whether the text holds the report's end, so that nothing more is to come.
    pub fn complete(&self) -> bool {
        self.victim.is_some() || self.nothing_killable || self.panic
    }
}
