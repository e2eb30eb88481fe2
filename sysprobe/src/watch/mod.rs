//! `sysprobe watch`: sources gather facts, analyzers make findings of them, a filter picks, sinks write.
//!
//! Threads: each source has one, the analyzers share one, each sink has one; this one waits for signals. All channels
//! are bounded. Nothing that watches waits for what it watches.

mod ending;
mod filter;
mod kernel;
mod now;
mod pipeline;
mod places;
mod scene;
mod source;
mod told;

use std::io;
use std::process::ExitCode;
use std::time::Duration;

use clap::ValueEnum as _;

use crate::analyze::CloseWaitLimits;
use crate::host::{HostRoot, read_text};
use crate::probe::SelfCost;
use crate::record::WallClock;
use crate::sink::{Feed, Ndjson, Sink};
pub use ending::{Stop, asked_by_signals};
pub use filter::{Filter, Kind};
pub use now::explain;
pub use pipeline::{Outcome, Pipeline, Running};

/// A validated request.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How long a task may be in D before it is told of.
    pub stall_over: Duration,
    /// Which connections in CLOSE_WAIT are a leak.
    pub close_wait: CloseWaitLimits,
    /// What is told of.
    pub filter: Filter,
    /// When to stop.
    pub stop_after: Option<Duration>,
    /// As records of schema v1 instead of words.
    pub json: bool,
    /// End with exit code 1 when one of these was found.
    pub fail_on: Vec<Kind>,
    /// Show the probes' own cost.
    pub stats: bool,
}

impl Settings {
    /// The threshold in ns.
    pub fn stall_over_ns(&self) -> u64 {
        u64::try_from(self.stall_over.as_nanos()).unwrap_or(u64::MAX)
    }
}

/// Watches until told to stop.
///
/// # Errors
/// [`crate::cli::Failure`] for what the user can mend; other errors are failures while running.
pub fn run(settings: &Settings) -> anyhow::Result<ExitCode> {
    let pipeline = Pipeline::attach(settings.clone())?;
    let host = read_text(&HostRoot::live(), "/proc/sys/kernel/hostname").unwrap_or_default();
    let clock = WallClock::now();
    let sink: Box<dyn Sink> = if settings.json {
        Box::new(Ndjson::new(io::stdout(), &host, clock))
    } else {
        Box::new(Feed::new(anstream::stdout(), clock, jiff::tz::TimeZone::system()))
    };
    let running = pipeline.start(sink)?;
    let asked = asked_by_signals(settings.stop_after)?;
    eprintln!("sysprobe: watching for {}; Ctrl-C ends it", watched(settings));
    let outcome = running.until(&asked);
    if let Some(error) = outcome.ended.error {
        return Err(anyhow::Error::from(error).context("cannot write the output"));
    }
    if !settings.json {
        eprintln!("sysprobe: {}", outcome.told.line(outcome.ended.dropped, outcome.took));
        if !outcome.costs.is_empty() {
            let attached = outcome.took.saturating_sub(outcome.attach_time);
            eprint!("{}", SelfCost::table(&outcome.costs, attached, outcome.attach_time));
        }
    }
    let found = settings.fail_on.iter().any(|kind| outcome.told.found.contains_key(kind));
    Ok(ExitCode::from(u8::from(found)))
}

/// What is told of, in words.
fn watched(settings: &Settings) -> String {
    let kinds = Kind::value_variants().iter().filter(|kind| settings.filter.wants_kind(**kind));
    let words: Vec<String> = kinds
        .map(|kind| match kind {
            Kind::Stall => format!("tasks stuck over {}", humantime::format_duration(settings.stall_over)),
            Kind::Oom => "OOM kills".to_owned(),
            Kind::Exit => "deaths".to_owned(),
            Kind::CloseWait => "CLOSE_WAIT leaks".to_owned(),
        })
        .collect();
    words.join(", ")
}
