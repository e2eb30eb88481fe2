//! Stalls and OOM kills found in a text as records of schema v1.
//!
//! A text has no clock of ours: `ts` is set only where the text gives a full stamp with its zone, `host` only where a
//! line names it, and the stamp as printed is kept in `source`. What the text does not say is `null`.

use serde::Serialize;

use super::cause::{Cause, Class, Evidence};
use super::kernel_log::Stall;
use super::oom::{self, Candidate, Dominant, Report, Scope, Trigger, Victim};

/// Blocked for so long, a stall is critical, seconds.
const CRITICAL_S: u64 = 120;

/// One episode found in a text.
#[derive(Clone, Debug, Serialize)]
pub struct EpisodeRecord {
    /// The schema's version.
    pub v: u32,
    /// When, RFC 3339 in UTC.
    pub ts: Option<String>,
    /// The host's name.
    pub host: Option<String>,
    /// `stall` or `oom_kill`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The task that is stuck or was killed.
    pub process: Option<Process>,
    /// `open` while it lasts, `close` when it is over.
    pub phase: &'static str,
    /// One episode's records share it.
    pub id: String,
    /// `info`, `warning` or `critical`.
    pub severity: &'static str,
    /// For how long at least.
    pub duration_ns: Option<u64>,
    /// Why.
    pub cause: CauseRecord,
    /// What that rests on.
    pub evidence: Evidence,
    /// What to do.
    pub advice: String,
    /// Whether `kill -9` ends a stall.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub killable: Option<bool>,
    /// The verdict on a kill.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oom: Option<OomRecord>,
    /// Where in the text it stands.
    pub source: Source,
}

/// A task of a text; what the text does not say is null.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Process {
    /// The process id; the thread's own where the kernel prints no other.
    pub pid: Option<u32>,
    /// The thread id.
    pub tid: Option<u32>,
    /// When it started: no text says it.
    pub start_ns: Option<u64>,
    /// The command name.
    pub comm: Option<String>,
    /// The executable.
    pub exe: Option<String>,
    /// The command line.
    pub cmdline: Option<String>,
    /// The parent.
    pub ppid: Option<u32>,
    /// The user.
    pub uid: Option<u32>,
    /// The cgroup.
    pub cgroup: Option<String>,
    /// The container.
    pub container: Option<String>,
    /// The id in its own namespace.
    pub ns_pid: Option<u32>,
    /// The job.
    pub job: Option<String>,
}

/// A cause: of a stall with its class of the taxonomy, of a kill with `oom-` and its scope.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum CauseRecord {
    /// A stall's.
    Stall(Cause),
    /// A kill's.
    Oom {
        /// `oom-global`, `oom-memcg` ..
        class: String,
        /// One line in words.
        summary: String,
        /// How far to trust it.
        confidence: super::cause::Confidence,
        /// Notes, as links.
        chain: Vec<super::cause::Link>,
    },
}

/// The verdict on a kill as DESIGN names its fields.
#[derive(Clone, Debug, Serialize)]
pub struct OomRecord {
    /// Whose memory.
    pub scope: Scope,
    /// The cgroup at its limit.
    pub memcg: Option<String>,
    /// Its limit.
    pub limit_bytes: Option<u64>,
    /// Its usage.
    pub usage_bytes: Option<u64>,
    /// Who asked.
    pub trigger: Option<Trigger>,
    /// Who was killed.
    pub victim: Option<Victim>,
    /// What fills the memory.
    pub dominant: Option<Dominant>,
    /// Who holds the most.
    pub candidates: Vec<CandidateRecord>,
    /// Who grew: a text does not say it.
    pub growth: Vec<u64>,
    /// Whether the victim held the most.
    pub victim_largest: Option<bool>,
    /// Whether the victim is not to blame.
    pub innocent: Option<bool>,
    /// Why.
    pub why: String,
    /// Processes killed with the victim.
    pub killed: usize,
}

/// One candidate.
#[derive(Clone, Debug, Serialize)]
pub struct CandidateRecord {
    /// The process id.
    pub pid: u32,
    /// The command name.
    pub comm: String,
    /// Resident memory.
    pub rss_bytes: u64,
    /// Memory in swap.
    pub swap_bytes: u64,
    /// The score adjustment.
    pub oom_score_adj: Option<i32>,
}

/// A place in the text.
#[derive(Clone, Debug, Serialize)]
pub struct Source {
    /// The line, from 1.
    pub line: u64,
    /// The stamp as printed.
    pub stamp: Option<String>,
    /// The kernel release the report names.
    pub kernel: Option<String>,
}

/// The record of a stall.
pub fn stall(stall: &Stall) -> EpisodeRecord {
    let task = &stall.task;
    let severity = match (stall.verdict.class, task.blocked_for_s) {
        (Class::KthreadIdle, _) => "info",
        (_, Some(seconds)) if seconds >= CRITICAL_S => "critical",
        _ => "warning",
    };
    EpisodeRecord {
        v: 1,
        ts: task.time.as_deref().and_then(utc),
        host: task.host.clone(),
        kind: "stall",
        process: Some(Process {
            pid: task.tgid.or(task.tid),
            tid: task.tid,
            comm: task.comm.clone(),
            ppid: task.ppid,
            ..Process::default()
        }),
        phase: "open",
        id: format!("stall-line-{}", task.line),
        severity,
        duration_ns: task.blocked_for_s.map(|s| s.saturating_mul(1_000_000_000)),
        cause: CauseRecord::Stall(stall.cause.clone()),
        evidence: stall.evidence.clone(),
        advice: stall.verdict.advice().to_owned(),
        killable: if stall.is_kernel_thread() { Some(false) } else { stall.verdict.killable },
        oom: None,
        source: Source { line: task.line, stamp: task.time.clone(), kernel: task.kernel.clone() },
    }
}

/// The record of an OOM kill.
pub fn oom_kill(report: &Report) -> EpisodeRecord {
    let verdict = oom::judge(report);
    let victim = verdict.victim.as_ref();
    let chain = verdict.notes.iter().map(|note| super::cause::Link::new("note", note.clone())).collect();
    let sure =
        if verdict.innocent.is_some() { super::cause::Confidence::High } else { super::cause::Confidence::Medium };
    EpisodeRecord {
        v: 1,
        ts: report.time.as_deref().and_then(utc),
        host: report.host.clone(),
        kind: "oom_kill",
        process: victim.map(|v| Process {
            pid: Some(v.pid),
            tid: Some(v.pid),
            comm: Some(v.comm.clone()),
            cgroup: report.task_memcg.clone(),
            ..Process::default()
        }),
        phase: "close",
        id: format!("oom-line-{}", report.line),
        severity: "critical",
        duration_ns: None,
        cause: CauseRecord::Oom {
            class: format!("oom-{}", verdict.scope.as_str()),
            summary: verdict.why.clone(),
            confidence: sure,
            chain,
        },
        evidence: Evidence::default(),
        advice: oom_advice(&verdict).to_owned(),
        killable: None,
        source: Source { line: report.line, stamp: report.time.clone(), kernel: report.kernel.clone() },
        oom: Some(OomRecord {
            scope: verdict.scope,
            memcg: verdict.memcg,
            limit_bytes: verdict.limit_bytes,
            usage_bytes: verdict.usage_bytes,
            trigger: verdict.trigger,
            dominant: verdict.dominant,
            candidates: verdict.candidates.into_iter().map(candidate).collect(),
            growth: Vec::new(),
            victim_largest: verdict.largest,
            innocent: verdict.innocent,
            why: verdict.why,
            killed: report.others.len() + usize::from(verdict.victim.is_some()),
            victim: verdict.victim,
        }),
    }
}

/// What to do about a kill.
pub fn oom_advice(verdict: &oom::Verdict) -> &'static str {
    match (verdict.scope, verdict.dominant) {
        (Scope::Manual, _) => "find who wrote f to /proc/sysrq-trigger or pressed the keys",
        (_, Some(Dominant::Slab | Dominant::Kernel)) => {
            "look at `slabtop`, /proc/vmallocinfo and the cgroup's memory.stat: the kernel's own memory grew"
        }
        (_, Some(Dominant::File)) => {
            "look at the disk that should take the dirty pages, and at vm.dirty_bytes; a small limit needs a small dirty limit"
        }
        (_, Some(Dominant::Shmem)) => "look at `df -t tmpfs`, /dev/shm and `ipcs -m`: files there are memory",
        (_, Some(Dominant::Hugetlb)) => "look at vm.nr_hugepages: fewer huge pages leave more for everybody",
        (Scope::Memcg, _) => {
            "raise the limit of that cgroup or find why its processes grew (memory.stat, memory.events)"
        }
        (Scope::Cpuset | Scope::Mempolicy, _) => "look at `numactl --hardware` and at the nodes the task may use",
        (Scope::Global, _) => "limit the growing processes with memory cgroups, or give the machine memory or swap",
    }
}

fn candidate(c: Candidate) -> CandidateRecord {
    CandidateRecord {
        pid: c.pid,
        comm: c.comm,
        rss_bytes: c.rss_bytes,
        swap_bytes: c.swap_bytes,
        oom_score_adj: c.oom_score_adj,
    }
}

/// A stamp with date, time and zone as UTC; anything less is no time.
fn utc(stamp: &str) -> Option<String> {
    let stamp = stamp.replace(',', ".");
    stamp.parse::<jiff::Timestamp>().ok().map(|ts| format!("{ts:.9}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_full_stamp_is_a_time() {
        assert_eq!(utc("2026-04-05T13:43:10,5+02:00").as_deref(), Some("2026-04-05T11:43:10.500000000Z"));
        assert_eq!(utc("36247.368103"), None);
        assert_eq!(utc("Apr  5 13:43:10"), None);
    }
}
