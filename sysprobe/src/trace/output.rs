//! Events to what the user asked for: lines, records, or nothing but the table at the end.

use std::time::Duration;

use sysprobe_common::plan::PLAN_ROW_FOREIGN;

use super::count;
use super::json::JsonWriter;
use super::label::{Labels, monotonic_ns};
pub use super::sink::OutputError;
use super::sink::Sink;
use super::totals::Totals;
use super::{Format, Settings};
use crate::event::{Abi, Event, Syscall, Tid};
use crate::probe::{CallSum, SelfCost};
use crate::record::WallClock;
use crate::syscall::files::FileNames;
use crate::syscall::filter::CallFilter;
use crate::syscall::table;
use crate::syscall::text::{ClockAnchor, LineWriter, PidColumn, TextSettings};

/// The output of one trace.
pub struct Output {
    format: Format,
    sink: Sink,
    lines: LineWriter,
    json: Option<JsonWriter>,
    names: FileNames,
    labels: Labels,
    filter: CallFilter,
}

impl Output {
    /// Opens what `settings` ask for.
    ///
    /// # Errors
    /// [`crate::cli::Failure`] when the file cannot be made.
    pub fn open(settings: &Settings) -> anyhow::Result<Self> {
        let sink = Sink::open(settings, settings.json)?;
        let text = TextSettings {
            string_limit: settings.string_limit.into(),
            pid_column: if sink.is_file() { PidColumn::Plain } else { PidColumn::None },
            ..TextSettings::default()
        };
        let monotonic_ns = monotonic_ns();
        let anchor = ClockAnchor { monotonic_ns, unix_ns: WallClock::now().unix_ns(monotonic_ns) };
        Ok(Self {
            format: settings.format,
            lines: LineWriter::new(text, anchor, jiff::tz::TimeZone::system()),
            json: settings.json.then(JsonWriter::new),
            names: FileNames::new(),
            labels: Labels::default(),
            filter: settings.filter.clone(),
            sink,
        })
    }

    /// What threads are called.
    pub fn labels(&mut self) -> &mut Labels {
        &mut self.labels
    }

    /// Takes an event.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn event(&mut self, event: &Event<'_>, totals: &mut Totals) -> Result<(), OutputError> {
        match event {
            Event::Syscall(call) => {
                totals.delivered += 1;
                if !self.filter.wants_call(call.abi, call.nr) {
                    totals.hidden += 1;
                    return Ok(());
                }
                self.call(call);
            }
            Event::File(file) => self.names.learn(&file.raw, file.payload),
            Event::Fork(fork) => {
                self.labels.born(fork.tid, fork.ns_tid);
                if let Some(json) = &mut self.json {
                    json.forked(fork);
                }
            }
            Event::Exec(exec) => {
                if let Some(json) = &mut self.json {
                    json.executed(exec);
                }
            }
            Event::Exit(exit) => {
                if self.shows_lines() {
                    self.lead(exit.tid);
                    self.lines.write_exit(&mut self.sink.buffer, exit.tid, exit.ts_ns, exit.wait_status);
                }
                self.labels.ended(exit.tid);
            }
            Event::Signal(signal) if self.shows_lines() => {
                self.lead(signal.tid);
                self.lines.write_signal(&mut self.sink.buffer, &signal.raw);
            }
            // Not a trace's.
            Event::Signal(_) | Event::StallEnd(_) | Event::ProcessExit(_) | Event::OomKill(_) => {}
        }
        self.sink.settle()
    }

    fn shows_lines(&self) -> bool {
        self.format == Format::Calls && self.json.is_none()
    }

    fn call(&mut self, call: &Syscall<'_>) {
        self.names.note_call(call);
        if let Some(json) = &mut self.json {
            json.call(&mut self.sink.buffer, call, &self.names, &mut self.lines);
        } else {
            self.lead(call.tid);
            self.lines.write_call(&mut self.sink.buffer, call, &self.names);
        }
    }

    /// Sets what the next line begins with: the id is shown as soon as there is more than one thread.
    fn lead(&mut self, tid: Tid) {
        if !self.sink.is_file() {
            self.lines.set_pid_column(if self.labels.live() > 1 { PidColumn::Bracketed } else { PidColumn::None });
        }
        self.lines.set_inner_tid(self.labels.inner(tid));
    }

    /// Shows a call that has not returned, with its thread's state and kernel stack.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn stuck(&mut self, call: &Syscall<'_>, state: Option<char>, frames: &[String]) -> Result<(), OutputError> {
        self.call(call);
        if self.shows_lines() {
            let stack = if frames.is_empty() { "no kernel stack".to_owned() } else { frames.join(" < ") };
            let state = state.map_or_else(|| "gone".to_owned(), |s| format!("state {s} ({})", state_name(s)));
            self.sink.buffer.extend_from_slice(format!("        {state}: {stack}\n").as_bytes());
        }
        self.sink.settle()
    }

    /// Says that calls were lost about here.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn loss(&mut self, lost: u64) -> Result<(), OutputError> {
        match &mut self.json {
            Some(json) => json.loss(&mut self.sink.buffer, lost),
            None => {
                let line = format!("sysprobe: {lost} calls lost about here (no room in the ring)\n");
                self.sink.buffer.extend_from_slice(line.as_bytes());
            }
        }
        self.sink.settle()
    }

    /// Writes what has gathered.
    ///
    /// # Errors
    /// See [`OutputError`].
    pub fn flush(&mut self) -> Result<(), OutputError> {
        self.sink.flush()
    }

    /// Shows the sums of `-c`.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn sums(&mut self, sums: &[CallSum]) -> Result<(), OutputError> {
        match &mut self.json {
            Some(json) => json.sums(&mut self.sink.buffer, sums, call_name),
            None => self.sink.buffer.extend_from_slice(count::table(sums).as_bytes()),
        }
        self.sink.flush()
    }

    /// Shows the books and the probes' own cost: a record, or lines on standard error.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn summary(
        &mut self,
        totals: &Totals,
        costs: &[SelfCost],
        took: Duration,
        attach_time: Duration,
    ) -> Result<(), OutputError> {
        if let Some(json) = &mut self.json {
            json.summary(&mut self.sink.buffer, totals, costs, took);
        } else {
            eprintln!("sysprobe: {}", totals.line());
            if !costs.is_empty() {
                eprint!("{}", SelfCost::table(costs, took, attach_time));
            }
        }
        self.sink.flush()
    }
}

/// A call's name by number, as sums are keyed.
pub fn call_name(nr: u32) -> String {
    if nr == PLAN_ROW_FOREIGN {
        return "(32-bit and others)".to_owned();
    }
    table::name(Abi::X86_64, nr).map_or_else(|| format!("syscall_{nr:#x}"), str::to_owned)
}

/// The states of proc_pid_stat(5), in words.
fn state_name(state: char) -> &'static str {
    match state {
        'R' => "running or waiting for a CPU",
        'S' => "sleeping",
        'D' => "uninterruptible sleep",
        'T' => "stopped",
        't' => "stopped by a tracer",
        'Z' => "zombie",
        'I' => "idle",
        _ => "unknown",
    }
}
