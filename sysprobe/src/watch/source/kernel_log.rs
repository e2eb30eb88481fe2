//! Follows the kernel's log for OOM reports.
//!
//! The log is read as it grows and never waited for beyond a nap; a report is handed out when nothing more has come for a
//! moment, for what follows the kill line (the rest of a group) follows at once.

use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use super::Stop;
use crate::analyze::Fact;
use crate::explain::line::Line;
use crate::explain::oom::Parser;
use crate::host::{KernelLine, KernelLog};
use crate::trace::label::monotonic_ns;

/// How long to sleep for lines before looking whether it is over.
const NAP: Duration = Duration::from_millis(100);
/// Silence after which a report is whole.
const LULL: Duration = Duration::from_millis(5);
/// A report that others' lines keep open is handed out after so long.
const LONGEST: Duration = Duration::from_millis(40);
/// Records taken before the clock gets its turn.
const BATCH: usize = 4096;

/// The source.
pub(super) struct LogSource {
    log: KernelLog,
    parser: Parser,
    sender: SyncSender<Fact>,
    stop: Stop,
    lines: u64,
    /// Since when a report has been whole.
    whole: Option<Instant>,
}

impl LogSource {
    pub(super) fn new(log: KernelLog, sender: SyncSender<Fact>, stop: Stop) -> Self {
        Self { log, parser: Parser::default(), sender, stop, lines: 0, whole: None }
    }

    pub(super) fn run(mut self) {
        while !self.stop.is_stopped() {
            match self.drain() {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    eprintln!("sysprobe: the kernel's log cannot be read any more: {error}");
                    return;
                }
            }
            self.wait();
        }
    }

    /// Sleeps until there is a line, or for long enough that a report is whole.
    fn wait(&self) {
        let nap = if self.whole.is_some() { LULL } else { NAP };
        let mut fds = [libc::pollfd { fd: self.log.fd(), events: libc::POLLIN, revents: 0 }];
        // SAFETY: one valid entry. A signal that interrupts it only shortens the nap.
        unsafe { libc::poll(fds.as_mut_ptr(), 1, i32::try_from(nap.as_millis()).unwrap_or(100)) };
    }

    /// Takes what is there; `false` when nobody listens any more.
    fn drain(&mut self) -> std::io::Result<bool> {
        let mut any = false;
        for _ in 0..BATCH {
            match self.log.next_line()? {
                None => break,
                Some(KernelLine::Other) => {}
                Some(KernelLine::Lost) => {
                    let lost = Fact::Lost { at_ns: monotonic_ns(), site: "kernel_log_lost", lost: 1 };
                    if self.sender.send(lost).is_err() {
                        return Ok(false);
                    }
                }
                Some(KernelLine::Said(text)) => {
                    any = true;
                    if !self.said(&text) {
                        return Ok(false);
                    }
                }
            }
        }
        let whole = self.whole.is_some_and(|since| !any || since.elapsed() >= LONGEST);
        if whole {
            self.whole = None;
            if let Some(report) = self.parser.finish() {
                return Ok(self.send(report));
            }
        }
        Ok(true)
    }

    fn said(&mut self, text: &str) -> bool {
        for said in text.split('\n') {
            self.lines += 1;
            let line = Line { text: said.trim(), blank: said.trim().is_empty(), ..Line::default() };
            let (report, _) = self.parser.feed(self.lines, &line);
            if let Some(report) = report
                && !self.send(report)
            {
                return false;
            }
        }
        self.whole = if self.parser.is_complete() { self.whole.or_else(|| Some(Instant::now())) } else { None };
        true
    }

    fn send(&self, report: crate::explain::oom::Report) -> bool {
        self.sender.send(Fact::OomReported { at_ns: monotonic_ns(), report: Box::new(report) }).is_ok()
    }
}
