//! One kill judged: the probe's record, the log's report, the cgroup's files and the history of growth put together.
//!
//! The log's report is judged as pasted text is; what it lacks is filled in from the rest. Growth has the last word on
//! blame where anonymous memory is what ran out: who held the most need not be who took the last of it.

use super::history::History;
use super::stack;
use crate::analyze::fact::OomKilled;
use crate::enrich::nearest;
use crate::event::{OomKill, ProcessMemory, padded_text};
use crate::explain::cause::{Confidence, Evidence, Link};
use crate::explain::oom::{self, Dominant, Report, Row, Scope, Trigger, Verdict, Victim, bytes};
use crate::explain::record::oom_advice;
use crate::record::{
    CauseRecord, Episode, OomCandidate, OomFacts, OomGrowth, OomKillRecord, OomTrigger, OomVictim, Phase, Severity,
};

/// Processes told of as grown.
const MAX_GROWTH: usize = 8;
/// Growth is looked for in so long before the kill; the first of these in which a [`GOOD_PART`] was taken counts.
const WINDOWS_NS: [u64; 5] = [2_000_000_000, 5_000_000_000, 10_000_000_000, 20_000_000_000, 60_000_000_000];
/// The part of what is held that must have been taken in it.
const GOOD_PART: u64 = 5;
/// Growth by less is noise.
const LEAST_GROWTH_BYTES: u64 = 1 << 20;
/// All growth together must be at least this part of what is held before it says who is to blame.
const TELLING_PART: u64 = 20;

/// What is known of one kill. At least one of the first two is there.
pub(super) struct Known<'a> {
    /// The probe's record.
    pub(super) killed: Option<&'a OomKilled>,
    /// The log's report.
    pub(super) report: Option<&'a Report>,
    pub(super) history: &'a History,
    /// CLOCK_MONOTONIC ns.
    pub(super) at_ns: u64,
    /// Events lost that could have changed the verdict.
    pub(super) lost: u64,
}

/// The record of a kill.
pub(super) fn record(known: &Known<'_>, id: String, phase: Phase) -> OomKillRecord {
    let report = complete(known);
    let mut verdict = oom::judge(&report);
    let page = report.usage.page();
    let growth = growth(known, &report, page);
    blame(known, &report, &mut verdict, &growth);
    let frames = known.killed.map_or(&[][..], |k| stack::from_the_kill(&k.frames));
    let trigger = trigger(known, verdict.trigger.as_ref());
    let victim_pid = victim_pid(known, &report);
    let listed = known.report.is_some_and(|report| !report.table.rows.is_empty());
    let confidence = match (verdict.innocent, listed) {
        (None, _) => Confidence::Low,
        (_, true) => Confidence::High,
        (_, false) => Confidence::Medium,
    };
    let mut process = known.killed.map(|k| k.process.clone()).unwrap_or_default();
    if known.killed.is_none() {
        (process.pid, process.tid) = (victim_pid, victim_pid);
        process.comm = verdict.victim.as_ref().map(|v| v.comm.as_str().into());
        process.cgroup = report.task_memcg.as_deref().map(Into::into);
    }
    let growth_all: Vec<OomGrowth> = growth.into_iter().take(MAX_GROWTH).collect();
    OomKillRecord {
        process,
        episode: Episode {
            phase,
            id,
            severity: Severity::Critical,
            duration_ns: Some(0),
            cause: CauseRecord {
                class: format!("oom-{}", verdict.scope.as_str()),
                summary: format!("{}: {}", whose(&verdict), verdict.why),
                confidence,
                chain: chain(&verdict, trigger.as_ref(), &growth_all),
            },
            evidence: Evidence {
                kernel_stack: frames.iter().map(|frame| frame.name.clone()).collect(),
                lost_events: known.lost,
                ..Evidence::default()
            },
            advice: Some(oom_advice(&verdict).to_owned()),
        },
        oom: OomFacts {
            scope: verdict.scope,
            memcg: verdict.memcg,
            limit_bytes: verdict.limit_bytes,
            usage_bytes: verdict.usage_bytes,
            trigger,
            victim: verdict.victim.map(|victim| OomVictim {
                pid: victim_pid,
                comm: victim.comm,
                total_vm_bytes: victim.total_vm_bytes,
                anon_rss_bytes: victim.anon_rss_bytes,
                file_rss_bytes: victim.file_rss_bytes,
                shmem_rss_bytes: victim.shmem_rss_bytes,
                swap_bytes: victim.swap_bytes,
                pgtables_bytes: known.killed.and_then(|k| k.kill.pgtables_bytes),
                oom_score_adj: victim.oom_score_adj,
            }),
            dominant: verdict.dominant,
            candidates: verdict.candidates.into_iter().map(candidate).collect(),
            growth: growth_all,
            innocent: verdict.innocent,
            why: verdict.why,
            notes: verdict.notes,
            group: report.group,
            logged: known.report.is_some(),
        },
    }
}

/// The report with what it lacks: all of it where there is none.
fn complete(known: &Known<'_>) -> Report {
    let mut report = known.report.cloned().unwrap_or_default();
    let Some(killed) = known.killed else { return report };
    let kill = &killed.kill;
    if report.scope.is_none() {
        report.scope = stack::scope(&killed.frames);
    }
    let own = killed.limits.first().map(|l| l.path.clone()).or_else(|| kill.cgroup_path());
    report.task_memcg = report.task_memcg.take().or(own);
    if report.scope == Some(Scope::Memcg) {
        let told = report.memcg.as_deref();
        let limit = killed.limits.iter().find(|l| Some(l.path.as_str()) == told).or_else(|| nearest(&killed.limits));
        if let Some(limit) = limit.filter(|l| told.is_none_or(|path| path == l.path)) {
            report.memcg.get_or_insert_with(|| limit.path.clone());
            if report.usage.limit.is_none() {
                (report.usage.limit, report.usage.usage) = (limit.limit_bytes, limit.usage_bytes);
            }
            if !report.usage.known() {
                for line in &limit.stat {
                    report.usage.take(line, true);
                }
            }
            report.group |= limit.group == Some(true);
        }
    }
    let trigger =
        report.trigger.get_or_insert_with(|| Trigger { comm: padded_text(&kill.trigger_comm), ..Trigger::default() });
    // The log names threads; one of the victim's own is the victim.
    let own = kill.tgid == Some(kill.trigger.1);
    trigger.pid = Some(if own { kill.tid.0 } else { kill.trigger.0.0 });
    let reported = report.victim.take().filter(|victim| victim.pid == kill.tid.0);
    let mut victim =
        reported.unwrap_or_else(|| Victim { pid: kill.tid.0, comm: padded_text(&kill.comm), ..Victim::default() });
    add_memory(&mut victim, kill);
    report.victim = Some(victim);
    if report.table.rows.is_empty() {
        report.table.rows = rows(known.history, kill, report.scope, report.usage.page());
    }
    report
}

fn add_memory(victim: &mut Victim, kill: &OomKill) {
    victim.total_vm_bytes = victim.total_vm_bytes.or(kill.total_vm_bytes);
    victim.oom_score_adj = victim.oom_score_adj.or(kill.oom_score_adj);
    let Some(memory) = kill.memory else { return };
    victim.anon_rss_bytes = victim.anon_rss_bytes.or(Some(memory.anon_bytes));
    victim.file_rss_bytes = victim.file_rss_bytes.or(Some(memory.file_bytes));
    victim.shmem_rss_bytes = victim.shmem_rss_bytes.or(Some(memory.shmem_bytes));
    victim.swap_bytes = victim.swap_bytes.or(Some(memory.swap_bytes));
}

/// The processes that the limit is on, as far as the last sample tells: those of the victim's own cgroup, or all.
fn rows(history: &History, kill: &OomKill, scope: Option<Scope>, page: u64) -> Vec<Row> {
    let own = kill.cgroup.first().map(|level| level.id);
    let is_in = |process: &&ProcessMemory| match scope {
        Some(Scope::Memcg) => own.is_some() && process.cgroup_id == own,
        _ => true,
    };
    let row = |process: &ProcessMemory| {
        let victim = Some(process.tgid) == kill.tgid;
        let memory = kill.memory.filter(|_| victim).unwrap_or(process.memory);
        Row {
            pid: if victim { kill.tid.0 } else { process.tgid.0 },
            comm: padded_text(&process.comm),
            rss: memory.rss_bytes() / page,
            swap: memory.swap_bytes / page,
            oom_score_adj: Some(process.oom_score_adj),
            ..Row::default()
        }
    };
    let mut rows: Vec<Row> = history.processes(kill.tgid).filter(is_in).map(row).collect();
    if let Some(memory) = kill.memory.filter(|_| !rows.iter().any(|row| row.pid == kill.tid.0)) {
        rows.push(Row {
            pid: kill.tid.0,
            comm: padded_text(&kill.comm),
            rss: memory.rss_bytes() / page,
            swap: memory.swap_bytes / page,
            oom_score_adj: kill.oom_score_adj,
            ..Row::default()
        });
    }
    rows
}

/// How the processes that the limit is on grew, the most first: in the shortest time in which a good part of the memory was
/// taken, for who took the last of it matters, not who took the first.
fn growth(known: &Known<'_>, report: &Report, page: u64) -> Vec<OomGrowth> {
    let held: u64 = report.table.rows.iter().map(Row::held).sum::<u64>().saturating_mul(page);
    let mut growth = Vec::new();
    for window_ns in WINDOWS_NS {
        growth = growth_in(known, report, page, window_ns);
        if growth.iter().map(by).sum::<u64>() >= held / GOOD_PART {
            break;
        }
    }
    growth
}

fn growth_in(known: &Known<'_>, report: &Report, page: u64, window_ns: u64) -> Vec<OomGrowth> {
    let lived = |pid: u32| known.killed.filter(|k| k.kill.tid.0 == pid).and_then(|k| k.kill.lived_ns);
    let mut growth: Vec<OomGrowth> = report
        .table
        .rows
        .iter()
        .filter_map(|row| {
            let past = known.history.past(row.pid, known.at_ns, window_ns)?;
            let to_bytes = row.held().saturating_mul(page);
            Some(OomGrowth {
                pid: row.pid,
                comm: row.comm.clone(),
                from_bytes: past.from_bytes,
                to_bytes,
                over_ns: lived(row.pid).map_or(past.over_ns, |lived| past.over_ns.min(lived)),
            })
        })
        .filter(|grown| by(grown) >= LEAST_GROWTH_BYTES)
        .collect();
    growth.sort_by_key(|grown| std::cmp::Reverse(by(grown)));
    growth
}

/// By how much, bytes.
fn by(grown: &OomGrowth) -> u64 {
    grown.to_bytes.saturating_sub(grown.from_bytes)
}

/// Lets growth and the group correct who is to blame.
fn blame(known: &Known<'_>, report: &Report, verdict: &mut Verdict, growth: &[OomGrowth]) {
    let Some(victim) = &verdict.victim else { return };
    let first = known.report.and_then(|r| r.victim.as_ref());
    if let Some(first) = first.filter(|first| report.group && first.pid != victim.pid) {
        verdict.innocent = Some(true);
        verdict.why =
            format!("memory.oom.group: killed with the rest of its cgroup, for {}[{}]", first.comm, first.pid);
        return;
    }
    if verdict.scope == Scope::Manual || !matches!(verdict.dominant, None | Some(Dominant::Anon)) {
        return;
    }
    let all: u64 = growth.iter().map(by).sum();
    let page = report.usage.page();
    let held: u64 = report.table.rows.iter().map(Row::held).sum::<u64>().saturating_mul(page);
    let Some(top) = growth.first().filter(|_| all >= (held / TELLING_PART).max(LEAST_GROWTH_BYTES)) else { return };
    // Who asked must be among those that are compared, or the sample is too old to tell.
    let asked = known.killed.map_or(victim.pid, |k| k.kill.trigger.1.0);
    let is_listed = |pid: u32| report.table.rows.iter().any(|row| row.pid == pid);
    if asked != victim.pid && !is_listed(asked) {
        return;
    }
    let own = growth.iter().find(|grown| grown.pid == victim.pid);
    let own_by = own.map_or(0, by);
    let grew = |grown: &OomGrowth| format!("{}[{}] grew by {}", grown.comm, grown.pid, bytes(by(grown)));
    if own_by.saturating_mul(2) >= all {
        let Some(own) = own else { return };
        verdict.innocent = Some(false);
        let share = own_by.saturating_mul(100) / all.max(1);
        verdict.why = format!("it grew by {} in {}, {share} % of all growth", bytes(own_by), seconds(own.over_ns));
    } else if own_by.saturating_mul(5) < all && by(top).saturating_mul(2) >= all {
        let had = victim.rss_bytes().map_or(String::new(), |rss| format!(", with {} resident", bytes(rss)));
        let adj = victim.oom_score_adj.filter(|adj| *adj > 0);
        let chosen = adj.map_or(String::new(), |adj| format!("; it was chosen for its oom_score_adj of {adj}"));
        verdict.innocent = Some(true);
        verdict.why = format!(
            "{} in {}, the victim {}{had}{chosen}",
            grew(top),
            seconds(top.over_ns),
            own.map_or("not at all".to_owned(), |own| format!("by {} in {}", bytes(own_by), seconds(own.over_ns))),
        );
    }
}

/// Whose memory ran out, in words.
fn whose(verdict: &Verdict) -> String {
    let limit = verdict.limit_bytes.map_or(String::new(), |limit| format!(" of {}", bytes(limit)));
    match (verdict.scope, verdict.memcg.as_deref()) {
        (Scope::Memcg, Some(memcg)) => format!("the limit{limit} of cgroup {memcg} was met"),
        (Scope::Memcg, None) => format!("a cgroup's limit{limit} was met"),
        (Scope::Global, _) => "the machine ran out of memory".to_owned(),
        (Scope::Cpuset, _) => "the nodes of a cpuset ran out of memory".to_owned(),
        (Scope::Mempolicy, _) => "the nodes of a memory policy ran out of memory".to_owned(),
        (Scope::Manual, _) => "somebody asked for a kill".to_owned(),
    }
}

fn chain(verdict: &Verdict, trigger: Option<&OomTrigger>, growth: &[OomGrowth]) -> Vec<Link> {
    let mut chain = vec![Link::new("limit", whose(verdict))];
    if let Some(trigger) = trigger {
        let wanted = trigger.wanted.as_ref().map_or(String::new(), |wanted| format!(" wanted {wanted}"));
        let words = format!("{}[{}]{wanted}", trigger.comm, trigger.tid.or(trigger.pid).unwrap_or(0));
        chain.push(Link { pid: trigger.tid.or(trigger.pid), ..Link::new("trigger", words) });
    }
    for grown in growth.iter().take(3) {
        let words = format!("{}[{}] grew by {} in {}", grown.comm, grown.pid, bytes(by(grown)), seconds(grown.over_ns));
        chain.push(Link { pid: Some(grown.pid), since_ns: Some(grown.over_ns), ..Link::new("growth", words) });
    }
    chain.extend(verdict.notes.iter().map(|note| Link::new("note", note.clone())));
    chain
}

/// The log knows the allocation, the probe the process.
fn trigger(known: &Known<'_>, said: Option<&Trigger>) -> Option<OomTrigger> {
    let kill = known.killed.map(|k| &k.kill);
    if said.is_none() && kill.is_none() {
        return None;
    }
    Some(OomTrigger {
        pid: kill.map(|k| k.trigger.1.0).or(said.and_then(|s| s.pid)),
        tid: kill.map(|k| k.trigger.0.0).or(said.and_then(|s| s.pid)),
        comm: kill.map(|k| padded_text(&k.trigger_comm)).or_else(|| said.map(|s| s.comm.clone())).unwrap_or_default(),
        wanted: known.killed.and_then(|k| stack::wanted(&k.frames)).map(str::to_owned),
        order: said.and_then(|s| s.order),
        gfp: said.and_then(|s| s.gfp.clone()),
    })
}

fn victim_pid(known: &Known<'_>, report: &Report) -> u32 {
    let by_probe = known.killed.and_then(|k| k.kill.tgid).map(|tgid| tgid.0);
    by_probe.or(report.victim.as_ref().map(|victim| victim.pid)).unwrap_or(0)
}

fn candidate(candidate: oom::Candidate) -> OomCandidate {
    OomCandidate {
        pid: candidate.pid,
        comm: candidate.comm,
        rss_bytes: candidate.rss_bytes,
        swap_bytes: candidate.swap_bytes,
        oom_score_adj: candidate.oom_score_adj,
    }
}

fn seconds(ns: u64) -> String {
    if ns < 1_000_000_000 { format!("{} ms", ns / 1_000_000) } else { format!("{:.1} s", ns as f64 / 1e9) }
}
