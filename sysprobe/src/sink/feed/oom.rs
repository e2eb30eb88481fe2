//! OOM kills in words: who, whose limit, by whose allocation, who held and who grew, and whether the victim is to blame.

use std::io::{self, Write};

use super::{BAD, Page, span, sureness};
use crate::explain::oom::{Scope, bytes};
use crate::record::{OomFacts, OomGrowth, OomKillRecord, Phase};

/// Processes named of those that held the most, and of those that grew.
const NAMED: usize = 4;

/// One kill.
pub(super) fn write<W: Write>(page: &mut Page<W>, at_ns: u64, record: &OomKillRecord) -> io::Result<()> {
    let (process, oom, cause) = (&record.process, &record.oom, &record.episode.cause);
    let comm = process.comm.as_deref().unwrap_or("?");
    let place = process.job.as_deref().or(process.container.as_deref());
    let place = place.map(str::to_owned).or(process.cgroup.as_deref().map(|path| format!("cgroup {path}")));
    let head = format!("{comm}[{}] killed: {}", process.pid, whose(oom));
    page.head(at_ns, BAD, "OOM", &head, &place.unwrap_or_default())?;
    if let Some(limit) = oom.limit_bytes {
        let used = oom.usage_bytes.map_or(String::new(), |usage| format!(", {} used", bytes(usage)));
        page.row("limit", &format!("{}{used}", bytes(limit)))?;
    }
    if let Some(trigger) = &oom.trigger {
        let of = match (trigger.pid, trigger.tid) {
            (Some(pid), Some(tid)) if pid != tid => format!(" (thread of {pid})"),
            _ => String::new(),
        };
        let wanted = trigger.wanted.as_ref().map_or(String::new(), |wanted| format!(" wanted {wanted}"));
        let order = trigger.order.map_or(String::new(), |order| format!(", order {order}"));
        let gfp = trigger.gfp.as_ref().map_or(String::new(), |gfp| format!(", {gfp}"));
        let tid = trigger.tid.or(trigger.pid).map_or(String::new(), |tid| format!("[{tid}]"));
        page.row("trigger", &format!("{}{tid}{of}{wanted}{order}{gfp}", trigger.comm))?;
    }
    if let Some(victim) = &oom.victim {
        let part = |name: &str, size: Option<u64>| size.filter(|s| *s > 0).map(|s| format!("{name} {}", bytes(s)));
        let parts = [
            part("anon", victim.anon_rss_bytes),
            part("file", victim.file_rss_bytes),
            part("shmem", victim.shmem_rss_bytes),
            part("swap", victim.swap_bytes),
            victim.oom_score_adj.map(|adj| format!("oom_score_adj {adj}")),
        ];
        page.row("victim", &parts.into_iter().flatten().collect::<Vec<_>>().join(", "))?;
    }
    page.row("memory is", oom.dominant.map_or("not known", |dominant| dominant.as_str()))?;
    for (at, candidate) in oom.candidates.iter().take(NAMED).enumerate() {
        let swap = Some(candidate.swap_bytes).filter(|s| *s > 0).map(|s| format!(" + {} in swap", bytes(s)));
        let adj = candidate.oom_score_adj.filter(|a| *a != 0).map(|a| format!(", oom_score_adj {a}"));
        let held = format!("{}[{}] {}", candidate.comm, candidate.pid, bytes(candidate.rss_bytes));
        let text = format!("{held}{}{}", swap.unwrap_or_default(), adj.unwrap_or_default());
        page.row(if at == 0 { "held by" } else { "" }, &text)?;
    }
    if !oom.growth.is_empty() {
        let grew: Vec<String> = oom.growth.iter().take(NAMED).map(grown).collect();
        page.row("grew", &grew.join(", "))?;
    }
    let innocent = match oom.innocent {
        Some(true) => "yes: ",
        Some(false) => "no: ",
        None => "cannot be told: ",
    };
    page.row("innocent", &format!("{innocent}{}{}", oom.why, sureness(cause.confidence)))?;
    for note in &oom.notes {
        page.row("note", note)?;
    }
    if record.episode.phase == Phase::Open {
        page.row("evidence", "the kernel's log has not told of it yet: the rest follows")?;
    } else if !oom.logged {
        page.row("evidence", "the kernel's log does not tell of it: this is from the probe and the cgroup's files")?;
    }
    if record.episode.evidence.lost_events > 0 {
        let lost = record.episode.evidence.lost_events;
        page.row("evidence", &format!("{lost} events were lost: it may be incomplete"))?;
    }
    if let Some(advice) = &record.episode.advice {
        page.row("try", advice)?;
    }
    page.gap()
}

fn whose(oom: &OomFacts) -> String {
    match (oom.scope, oom.memcg.as_deref()) {
        (Scope::Memcg, Some(memcg)) => format!("the limit of cgroup {memcg} was met"),
        (Scope::Memcg, None) => "a cgroup's limit was met".to_owned(),
        (Scope::Global, _) => "the machine ran out of memory".to_owned(),
        (Scope::Cpuset, _) => "the nodes of a cpuset ran out of memory".to_owned(),
        (Scope::Mempolicy, _) => "the nodes of a memory policy ran out of memory".to_owned(),
        (Scope::Manual, _) => "somebody asked for a kill".to_owned(),
    }
}

fn grown(grown: &OomGrowth) -> String {
    let by = grown.to_bytes.saturating_sub(grown.from_bytes);
    let time = match grown.over_ns / 1_000_000 {
        ms if ms < 1000 => format!("{ms} ms"),
        _ => span(Some(grown.over_ns)),
    };
    format!("{}[{}] by {} in {time}", grown.comm, grown.pid, bytes(by))
}
