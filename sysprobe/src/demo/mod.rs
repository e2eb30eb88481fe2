//! `sysprobe demo`: makes harmless real faults in a sandbox of its own, and has them explained by what `watch` runs.
//!
//! Three roles. The hands (`hands`, `director`) are a process that makes and undoes the faults with all rights; the actors
//! (`actor`) are the processes that the faults happen to; this one watches, with the rights that `watch` has, and tells (`story`).

pub mod actor;
mod director;
pub mod frozen_fs;
pub mod hands;
pub mod memory_cgroup;
mod sandbox;
mod story;

use std::io;
use std::process::ExitCode;
use std::sync::mpsc::{self, SyncSender};
use std::time::Duration;

use anyhow::Context as _;

use crate::analyze::{CloseWaitLimits, Finding};
use crate::sink::Sink;
use crate::watch::{Filter, Kind, Pipeline, Settings, Stop, asked_by_signals};
use director::Director;
use story::Story;

/// Findings that may wait to be told.
const QUEUE: usize = 1024;

/// Which faults are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum What {
    /// A process that hangs in uninterruptible sleep
    Stall,
    /// A process that is killed for want of memory
    Oom,
    /// A server that does not close its connections
    CloseWait,
    /// All of them, one after the other
    All,
}

/// How `watch` would be called for it.
fn settings() -> Settings {
    Settings {
        stall_over: Duration::from_millis(500),
        close_wait: CloseWaitLimits { count: 5, over: Duration::from_secs(1), any_over: Duration::from_secs(300) },
        filter: Filter { only: vec![Kind::Stall, Kind::Oom, Kind::CloseWait], ..Filter::default() },
        stop_after: None,
        json: false,
        fail_on: Vec::new(),
        stats: false,
    }
}

/// Makes the faults and tells of them.
///
/// # Errors
/// [`crate::cli::Failure`] for what this host can't; other errors are failures while running.
pub fn run(what: What) -> anyhow::Result<ExitCode> {
    let director = Director::start()?;
    let settings = settings();
    let limits = settings.close_wait;
    let pipeline = Pipeline::attach(settings)?;
    let asked = asked_by_signals(None)?;
    let (sender, findings) = mpsc::sync_channel(QUEUE);
    let running = pipeline.start(Box::new(Teller(sender)))?;
    let story = Story::new(director, findings, asked.clone(), limits);
    let over = Over(asked.clone());
    let tell = move || {
        let _over = over;
        story.tell(what)
    };
    let thread = std::thread::Builder::new().name("story".to_owned()).spawn(tell).context("cannot start a thread")?;
    running.until(&asked);
    thread.join().map_err(|_| anyhow::anyhow!("the demo broke off; what it made is undone"))?
}

/// Ends the run when the story ends, however it does.
struct Over(Stop);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Hands findings to the story.
struct Teller(SyncSender<Finding>);

impl Sink for Teller {
    fn name(&self) -> &'static str {
        "story"
    }

    fn write(&mut self, batch: &[Finding]) -> io::Result<()> {
        batch.iter().try_for_each(|finding| self.0.send(finding.clone()).map_err(|_| io::ErrorKind::BrokenPipe.into()))
    }
}
