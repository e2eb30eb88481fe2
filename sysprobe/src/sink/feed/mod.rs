//! Findings as people read them: a line that says what, then the evidence in rows, the way to the root, what to do.
//!
//! One file a kind of trouble. Styles are escape sequences that the writer strips where they are not wanted; everything
//! from the host goes through `printable` first.

mod close_wait;
mod exit;
mod oom;
mod stall;

use std::fmt;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::Sink;
use crate::analyze::Finding;
use crate::explain::cause::Confidence;
use crate::explain::printable::printable;
use crate::record::{Body, LossRecord, Severity, WallClock};

const WARN: Style = AnsiColor::Yellow.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const GOOD: Style = AnsiColor::Green.on_default();
const DIM: Style = Style::new().dimmed();

/// Writes words.
pub struct Feed<W> {
    page: Page<W>,
    stalls: stall::Stalls,
}

impl<W: Write + Send> Feed<W> {
    /// Words to `out`, with times of day in `zone`.
    pub fn new(out: W, clock: WallClock, zone: TimeZone) -> Self {
        Self { page: Page { out, clock, zone }, stalls: stall::Stalls::default() }
    }
}

impl<W: Write + Send> Sink for Feed<W> {
    fn name(&self) -> &'static str {
        "terminal"
    }

    fn write(&mut self, batch: &[Finding]) -> io::Result<()> {
        let page = &mut self.page;
        let mut stalls = Vec::new();
        for Finding { at_ns, body } in batch {
            match body {
                // Those that were found together are told of together, below.
                Body::Stall(record) => stalls.push((*at_ns, record.as_ref())),
                Body::OomKill(record) => oom::write(page, *at_ns, record)?,
                Body::CloseWaitLeak(record) => close_wait::write(page, *at_ns, record)?,
                Body::Exit(record) => exit::write(page, *at_ns, record)?,
                Body::Loss(LossRecord { site, lost, .. }) => {
                    page.head(*at_ns, BAD, "LOSS", &format!("{lost} {site}"), "")?;
                }
                // Not of `watch`.
                Body::Syscall(_) | Body::SyscallSummary(_) | Body::Summary(_) => {}
            }
        }
        self.stalls.write(page, &stalls)?;
        page.out.flush()
    }
}

/// The layout that all kinds share.
struct Page<W> {
    out: W,
    clock: WallClock,
    zone: TimeZone,
}

impl<W: Write> Page<W> {
    /// The first line of a finding: when, a word for what, who and how; `aside` is dimmed.
    fn head(&mut self, at_ns: u64, style: Style, word: &str, text: &str, aside: &str) -> io::Result<()> {
        let (time, text, aside) = (self.time(at_ns), printable(text), printable(aside));
        let gap = if aside.is_empty() { "" } else { "  " };
        writeln!(self.out, "{time} {style}{word:<5}{style:#}  {text}{gap}{DIM}{aside}{DIM:#}")
    }

    /// A line of evidence under it.
    fn row(&mut self, name: &str, text: &str) -> io::Result<()> {
        writeln!(self.out, "        {DIM}{name:<11}{DIM:#} {}", printable(text))
    }

    /// The end of a block.
    fn gap(&mut self) -> io::Result<()> {
        writeln!(self.out)
    }

    fn time(&self, at_ns: u64) -> impl fmt::Display + use<W> {
        let time = Timestamp::from_nanosecond(i128::from(self.clock.unix_ns(at_ns))).unwrap_or(Timestamp::UNIX_EPOCH);
        let zoned = time.to_zoned_datetime(self.zone.clone());
        format!("{:02}:{:02}:{:02}.{:03}", zoned.hour(), zoned.minute(), zoned.second(), zoned.millisecond())
    }
}

/// The colour of an open episode's word.
fn alarm(severity: Severity) -> Style {
    match severity {
        Severity::Critical => BAD,
        Severity::Warning | Severity::Info => WARN,
    }
}

/// What follows a verdict that is not certain.
fn sureness(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::High => "",
        Confidence::Medium => " (medium confidence)",
        Confidence::Low => " (low confidence)",
    }
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
