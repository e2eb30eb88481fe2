//! OOM kills: one finding a kill, from the probe's record and the kernel log's report of it, whichever comes first.
//!
//! The record alone tells who was killed and by whose allocation; the report adds whose limit it was and who held what. If
//! the report is late, what is known goes out in time and the rest under the same id. Kills by user space
//! (systemd-oomd, earlyoom) are not here: they are ends by signal.

mod history;
mod stack;
mod verdict;

use std::collections::VecDeque;

use super::fact::{Fact, OomKilled};
use super::{Analyzer, Finding};
use crate::event::OomKill;
use crate::explain::oom::Report;
use crate::record::{Body, Phase};
use history::History;
use verdict::{Known, record};

/// What is known goes out after so long, with the report or without.
const TELL_NS: u64 = 60_000_000;
/// A report that has not come after so long does not come.
const GIVE_UP_NS: u64 = 2_000_000_000;
/// Kills that wait for their reports, and reports kept for kills yet to come.
const MAX_WAITING: usize = 1024;
const MAX_REPORTS: usize = 32;

/// A kill of which not everything is known yet.
#[derive(Debug)]
struct Waiting {
    killed: OomKilled,
    report: Option<Report>,
    /// It was told of in part.
    told: bool,
}

/// A report, and whether a kill was found to it.
#[derive(Debug)]
struct Told {
    at_ns: u64,
    report: Report,
    matched: bool,
}

/// The analyzer.
#[derive(Debug, Default)]
pub struct OomKills {
    history: History,
    waiting: VecDeque<Waiting>,
    reports: VecDeque<Told>,
    lost: u64,
}

impl Analyzer for OomKills {
    fn take(&mut self, fact: &Fact, findings: &mut Vec<Finding>) {
        match fact {
            Fact::Memory(sample) => {
                self.history.take(sample);
                self.settle(findings);
            }
            Fact::OomKilled(killed) => self.killed(killed, findings),
            Fact::OomReported { at_ns, report } => self.reported(*at_ns, report, findings),
            Fact::Tick { at_ns } => self.time(*at_ns, findings),
            Fact::Lost { site: "oom_kills_lost" | "kernel_log_lost", lost, .. } => self.lost += lost,
            _ => {}
        }
    }
}

impl OomKills {
    fn killed(&mut self, killed: &OomKilled, findings: &mut Vec<Finding>) {
        let told = self.reports.iter_mut().rev().find(|told| tells_of(&told.report, killed));
        let report = told.map(|told| {
            told.matched = true;
            told.report.clone()
        });
        if self.waiting.len() >= MAX_WAITING
            && let Some(first) = self.waiting.pop_front()
        {
            findings.push(self.finding_of(&first, Phase::Close));
        }
        self.waiting.push_back(Waiting { killed: killed.clone(), report, told: false });
        self.settle(findings);
    }

    fn reported(&mut self, at_ns: u64, report: &Report, findings: &mut Vec<Finding>) {
        let mut matched = false;
        for waiting in self.waiting.iter_mut().filter(|waiting| tells_of(report, &waiting.killed)) {
            matched = true;
            waiting.report.get_or_insert_with(|| report.clone());
        }
        if self.reports.len() >= MAX_REPORTS {
            self.reports.pop_front();
        }
        self.reports.push_back(Told { at_ns, report: report.clone(), matched });
        self.settle(findings);
    }

    /// Tells of the kills of which everything is known. Of many kills in a row the log lists no processes: then who held what
    /// comes from the sample that is taken at the kill.
    fn settle(&mut self, findings: &mut Vec<Finding>) {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.retain(|kill| {
            let sampled = self.history.last_ns().is_none_or(|last| last >= kill.killed.kill.at_ns);
            let whole = kill.report.as_ref().is_some_and(|report| sampled || !report.table.rows.is_empty());
            if whole {
                findings.push(self.finding_of(kill, Phase::Close));
            }
            !whole
        });
        self.waiting = waiting;
    }

    fn time(&mut self, now_ns: u64, findings: &mut Vec<Finding>) {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.retain_mut(|kill| {
            let age = now_ns.saturating_sub(kill.killed.kill.at_ns);
            if age >= GIVE_UP_NS || (age >= TELL_NS && kill.report.is_some()) {
                findings.push(self.finding_of(kill, Phase::Close));
                return false;
            }
            if age >= TELL_NS && !kill.told {
                kill.told = true;
                findings.push(self.finding_of(kill, Phase::Open));
            }
            true
        });
        self.waiting = waiting;
        while let Some(told) = self.reports.pop_front_if(|told| now_ns.saturating_sub(told.at_ns) >= GIVE_UP_NS) {
            // The probe lost it, or does not attach here: the log alone tells.
            if !told.matched && told.report.victim.is_some() {
                findings.push(self.finding(None, Some(&told.report), told.at_ns, Phase::Close));
            }
        }
    }

    fn finding_of(&self, kill: &Waiting, phase: Phase) -> Finding {
        self.finding(Some(&kill.killed), kill.report.as_ref(), kill.killed.kill.at_ns, phase)
    }

    fn finding(&self, killed: Option<&OomKilled>, report: Option<&Report>, at_ns: u64, phase: Phase) -> Finding {
        let victim = report.and_then(|r| r.victim.as_ref()).map_or(0, |v| v.pid);
        let id = killed.map_or_else(|| format!("oom-{victim}-{at_ns}"), |k| id(&k.kill));
        let known = Known { killed, report, history: &self.history, at_ns, lost: self.lost };
        Finding { at_ns, body: Body::OomKill(Box::new(record(&known, id, phase))) }
    }
}

/// What all records of a kill have in common.
pub(super) fn id(kill: &OomKill) -> String {
    format!("oom-{}-{}", kill.tid.0, kill.at_ns)
}

/// Whether a report is of this kill. A number is given to another process much later than a report can lag.
fn tells_of(report: &Report, killed: &OomKilled) -> bool {
    let pid = killed.kill.tid.0;
    report.victim.as_ref().is_some_and(|victim| victim.pid == pid)
        || report.others.iter().any(|(other, _)| *other == pid)
}

#[cfg(test)]
mod tests;
