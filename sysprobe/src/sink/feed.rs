//! Findings as people read them: a line that says what, then what it waits for, the way to the root, what to do.
//!
//! Stalls of one root are one block: the first in full, the others by name. Styles are escape sequences that the
//! writer strips where they are not wanted; everything from the host goes through `printable` first.

use std::collections::HashMap;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::Sink;
use crate::analyze::Finding;
use crate::explain::cause::Confidence;
use crate::explain::printable::printable;
use crate::record::{Body, Phase, Severity, StallRecord, WallClock};

const WARN: Style = AnsiColor::Yellow.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const GOOD: Style = AnsiColor::Green.on_default();
const DIM: Style = Style::new().dimmed();
/// Tasks named of a group.
const NAMED: usize = 8;
/// Roots remembered as shown.
const MAX_ROOTS: usize = 4096;

/// Writes words.
pub struct Feed<W> {
    out: W,
    clock: WallClock,
    zone: TimeZone,
    /// Open stalls by root: what was shown in full needs no second telling.
    roots: HashMap<String, u64>,
}

impl<W: Write + Send> Feed<W> {
    /// Words to `out`, with times of day in `zone`.
    pub fn new(out: W, clock: WallClock, zone: TimeZone) -> Self {
        Self { out, clock, zone, roots: HashMap::new() }
    }

    fn time(&self, at_ns: u64) -> String {
        let time = Timestamp::from_nanosecond(i128::from(self.clock.unix_ns(at_ns))).unwrap_or(Timestamp::UNIX_EPOCH);
        let zoned = time.to_zoned_datetime(self.zone.clone());
        format!("{:02}:{:02}:{:02}.{:03}", zoned.hour(), zoned.minute(), zoned.second(), zoned.millisecond())
    }

    fn row(&mut self, name: &str, text: &str) -> io::Result<()> {
        writeln!(self.out, "        {DIM}{name:<11}{DIM:#} {}", printable(text))
    }

    /// Stalls that one look found under one root.
    fn found(&mut self, group: &[(u64, &StallRecord)]) -> io::Result<()> {
        let Some((at_ns, first)) = group.first() else { return Ok(()) };
        let shown = self.roots.contains_key(&first.stall.root) && first.episode.phase == Phase::Open;
        if self.roots.len() < MAX_ROOTS {
            *self.roots.entry(first.stall.root.clone()).or_default() += 0;
        }
        let opened = group.iter().filter(|(_, r)| r.episode.phase == Phase::Open).count() as u64;
        if let Some(open) = self.roots.get_mut(&first.stall.root) {
            *open += opened;
        }
        let style = if first.episode.severity == Severity::Critical { BAD } else { WARN };
        let word = if first.episode.phase == Phase::Open { "STALL" } else { "STILL" };
        let since = if first.stall.began_before { "at least " } else { "" };
        let call = first.stall.call.as_ref().map_or(String::new(), |c| format!(" in {c}"));
        let place =
            first.process.cgroup.as_deref().filter(|c| *c != "/").map_or(String::new(), |c| format!("  cgroup {c}"));
        let head = format!("{} stuck {since}{}{call}", who(first), span(first.episode.duration_ns));
        writeln!(
            self.out,
            "{} {style}{word}{style:#}  {}{DIM}{}{DIM:#}",
            self.time(*at_ns),
            printable(&head),
            printable(&place)
        )?;
        if shown {
            self.row("root cause", &format!("as before: {}", first.episode.cause.summary))?;
        } else {
            self.chain(first)?;
        }
        self.others(group)?;
        writeln!(self.out)
    }

    fn chain(&mut self, record: &StallRecord) -> io::Result<()> {
        let cause = &record.episode.cause;
        for link in &cause.chain {
            let (name, text) = match link.kind.as_ref() {
                "wait" => ("waits for", link.summary.strip_prefix("waits for ").unwrap_or(&link.summary)),
                "task" | "work" | "child" | "daemon" => ("which", link.summary.as_str()),
                kind => (kind, link.summary.as_str()),
            };
            self.row(name, text)?;
        }
        let sure = match cause.confidence {
            Confidence::High => "",
            Confidence::Medium => " (medium confidence)",
            Confidence::Low => " (low confidence)",
        };
        let class = &cause.class;
        if cause.chain.len() > 1 {
            self.row("root cause", &format!("{}{sure}", cause.summary))?;
        } else {
            self.row("class", &format!("{class}{sure}"))?;
        }
        if class == "unknown" {
            let frames: Vec<&str> = record.episode.evidence.kernel_stack.iter().take(12).map(String::as_str).collect();
            self.row("frames", &frames.join(" < "))?;
        }
        if !record.stall.kernel_thread {
            self.row("kill -9", if record.stall.killable { "ends this wait" } else { "does not end this wait" })?;
        }
        if record.episode.evidence.lost_events > 0 {
            let lost = record.episode.evidence.lost_events;
            self.row("evidence", &format!("{lost} events were lost meanwhile: it may be incomplete"))?;
        }
        match &record.episode.advice {
            Some(advice) => self.row("try", advice),
            None => Ok(()),
        }
    }

    fn others(&mut self, group: &[(u64, &StallRecord)]) -> io::Result<()> {
        let others = group.get(1..).unwrap_or_default();
        if others.is_empty() {
            return Ok(());
        }
        let names: Vec<String> = others.iter().take(NAMED).map(|(_, record)| who(record)).collect();
        let rest = others.len() - names.len();
        let tail = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        self.row("likewise", &format!("{} more: {}{tail}", others.len(), names.join(", ")))
    }

    fn ended(&mut self, at_ns: u64, record: &StallRecord) -> io::Result<()> {
        if let Some(open) = self.roots.get_mut(&record.stall.root) {
            *open = open.saturating_sub(1);
            if *open == 0 {
                self.roots.remove(&record.stall.root);
            }
        }
        let waker = record.stall.waker.as_ref().map_or(String::new(), |w| format!(", woken on {w}"));
        let text = format!("{} was stuck {}{waker}", who(record), span(record.episode.duration_ns));
        let why = &record.episode.cause.summary;
        writeln!(
            self.out,
            "{} {GOOD}ENDED{GOOD:#}  {}  {DIM}{}{DIM:#}",
            self.time(at_ns),
            printable(&text),
            printable(why)
        )
    }
}

impl<W: Write + Send> Sink for Feed<W> {
    fn name(&self) -> &'static str {
        "terminal"
    }

    fn write(&mut self, batch: &[Finding]) -> io::Result<()> {
        let mut groups: Vec<Vec<(u64, &StallRecord)>> = Vec::new();
        for finding in batch {
            match &finding.body {
                Body::Stall(record) if record.episode.phase == Phase::Close => self.ended(finding.at_ns, record)?,
                Body::Stall(record) => {
                    let same = |group: &&mut Vec<(u64, &StallRecord)>| {
                        group.first().is_some_and(|(_, r)| {
                            r.stall.root == record.stall.root && r.episode.phase == record.episode.phase
                        })
                    };
                    match groups.iter_mut().find(same) {
                        Some(group) => group.push((finding.at_ns, record)),
                        None => groups.push(vec![(finding.at_ns, record)]),
                    }
                }
                Body::Loss(loss) => {
                    writeln!(self.out, "{} {BAD}LOSS{BAD:#}   {} {}", self.time(finding.at_ns), loss.lost, loss.site)?;
                }
                // Not of `watch`.
                Body::Syscall(_) | Body::SyscallSummary(_) | Body::Summary(_) => {}
            }
        }
        for group in groups {
            self.found(&group)?;
        }
        self.out.flush()
    }
}

/// `comm[tid]`, with the process's number where the thread is not its leader, and what kind of task it is.
fn who(record: &StallRecord) -> String {
    let process = &record.process;
    let comm = process.comm.as_deref().unwrap_or("?");
    let of = if process.pid == process.tid { String::new() } else { format!(" (thread of {})", process.pid) };
    let kernel = if record.stall.kernel_thread { " (kernel thread)" } else { "" };
    format!("{comm}[{}]{of}{kernel}", process.tid)
}

/// A duration as people say it.
fn span(ns: Option<u64>) -> String {
    let Some(ns) = ns else { return "for an unknown time".to_owned() };
    let seconds = ns as f64 / 1e9;
    match seconds {
        s if s < 60.0 => format!("{s:.1}s"),
        s if s < 3600.0 => format!("{}m{:02}s", s as u64 / 60, s as u64 % 60),
        s => format!("{}h{:02}m", s as u64 / 3600, s as u64 / 60 % 60),
    }
}
