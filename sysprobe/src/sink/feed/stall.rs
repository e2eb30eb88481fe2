//! Stalls in words: the first of a root in full, the others by name.

use std::collections::HashMap;
use std::io::{self, Write};

use super::{GOOD, Page, alarm, span, sureness};
use crate::record::{Phase, StallRecord};

/// Tasks named of a group.
const NAMED: usize = 8;
/// Roots remembered as shown.
const MAX_ROOTS: usize = 4096;

/// What was shown.
#[derive(Default)]
pub(super) struct Stalls {
    /// Open stalls by root: what was shown in full needs no second telling.
    roots: HashMap<String, u64>,
}

impl Stalls {
    /// Those of one batch: ends first, then what was found, root by root.
    pub(super) fn write<W: Write>(&mut self, page: &mut Page<W>, stalls: &[(u64, &StallRecord)]) -> io::Result<()> {
        let mut groups: Vec<Vec<(u64, &StallRecord)>> = Vec::new();
        for (at_ns, record) in stalls {
            if record.episode.phase == Phase::Close {
                self.ended(page, *at_ns, record)?;
                continue;
            }
            let same = |group: &&mut Vec<(u64, &StallRecord)>| {
                group
                    .first()
                    .is_some_and(|(_, r)| r.stall.root == record.stall.root && r.episode.phase == record.episode.phase)
            };
            match groups.iter_mut().find(same) {
                Some(group) => group.push((*at_ns, record)),
                None => groups.push(vec![(*at_ns, record)]),
            }
        }
        groups.iter().try_for_each(|group| self.found(page, group))
    }

    /// Stalls that one look found under one root.
    fn found<W: Write>(&mut self, page: &mut Page<W>, group: &[(u64, &StallRecord)]) -> io::Result<()> {
        let Some((at_ns, first)) = group.first() else { return Ok(()) };
        let shown = self.roots.contains_key(&first.stall.root) && first.episode.phase == Phase::Open;
        if self.roots.len() < MAX_ROOTS {
            *self.roots.entry(first.stall.root.clone()).or_default() += 0;
        }
        let opened = group.iter().filter(|(_, r)| r.episode.phase == Phase::Open).count() as u64;
        if let Some(open) = self.roots.get_mut(&first.stall.root) {
            *open += opened;
        }
        let word = if first.episode.phase == Phase::Open { "STALL" } else { "STILL" };
        let since = if first.stall.began_before { "at least " } else { "" };
        let call = first.stall.call.as_ref().map_or(String::new(), |c| format!(" in {c}"));
        let cgroup = first.process.cgroup.as_deref().filter(|c| *c != "/");
        let place = cgroup.map_or(String::new(), |c| format!("cgroup {c}"));
        let head = format!("{} stuck {since}{}{call}", who(first), span(first.episode.duration_ns));
        page.head(*at_ns, alarm(first.episode.severity), word, &head, &place)?;
        if shown {
            page.row("root cause", &format!("as before: {}", first.episode.cause.summary))?;
        } else {
            chain(page, first)?;
        }
        others(page, group)?;
        page.gap()
    }

    fn ended<W: Write>(&mut self, page: &mut Page<W>, at_ns: u64, record: &StallRecord) -> io::Result<()> {
        if let Some(open) = self.roots.get_mut(&record.stall.root) {
            *open = open.saturating_sub(1);
            if *open == 0 {
                self.roots.remove(&record.stall.root);
            }
        }
        let waker = record.stall.waker.as_ref().map_or(String::new(), |w| format!(", woken on {w}"));
        let text = format!("{} was stuck {}{waker}", who(record), span(record.episode.duration_ns));
        let why = &record.episode.cause.summary;
        page.head(at_ns, GOOD, "ENDED", &text, why)
    }
}

fn chain<W: Write>(page: &mut Page<W>, record: &StallRecord) -> io::Result<()> {
    let cause = &record.episode.cause;
    for link in &cause.chain {
        let (name, text) = match link.kind.as_ref() {
            "wait" => ("waits for", link.summary.strip_prefix("waits for ").unwrap_or(&link.summary)),
            "task" | "work" | "child" | "daemon" => ("which", link.summary.as_str()),
            kind => (kind, link.summary.as_str()),
        };
        page.row(name, text)?;
    }
    let sure = sureness(cause.confidence);
    let class = &cause.class;
    if cause.chain.len() > 1 {
        page.row("root cause", &format!("{}{sure}", cause.summary))?;
    } else {
        page.row("class", &format!("{class}{sure}"))?;
    }
    if class == "unknown" {
        let frames: Vec<&str> = record.episode.evidence.kernel_stack.iter().take(12).map(String::as_str).collect();
        page.row("frames", &frames.join(" < "))?;
    }
    if !record.stall.kernel_thread {
        page.row("kill -9", if record.stall.killable { "ends this wait" } else { "does not end this wait" })?;
    }
    if record.episode.evidence.lost_events > 0 {
        let lost = record.episode.evidence.lost_events;
        page.row("evidence", &format!("{lost} events were lost meanwhile: it may be incomplete"))?;
    }
    match &record.episode.advice {
        Some(advice) => page.row("try", advice),
        None => Ok(()),
    }
}

fn others<W: Write>(page: &mut Page<W>, group: &[(u64, &StallRecord)]) -> io::Result<()> {
    let others = group.get(1..).unwrap_or_default();
    if others.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = others.iter().take(NAMED).map(|(_, record)| who(record)).collect();
    let rest = others.len() - names.len();
    let tail = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    page.row("likewise", &format!("{} more: {}{tail}", others.len(), names.join(", ")))
}

/// `comm[tid]`, with the process's number where the thread is not its leader, and what kind of task it is.
fn who(record: &StallRecord) -> String {
    let process = &record.process;
    let comm = process.comm.as_deref().unwrap_or("?");
    let of = if process.pid == process.tid { String::new() } else { format!(" (thread of {})", process.pid) };
    let kernel = if record.stall.kernel_thread { " (kernel thread)" } else { "" };
    format!("{comm}[{}]{of}{kernel}", process.tid)
}
