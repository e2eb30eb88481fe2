//! `trace`: follows processes and shows their system calls as they end.
//!
//! Loads the kernel side, starts or attaches to what is to be followed, and hands the rings to one thread that decodes,
//! writes and never waits for anything but its output. Signals, timers and the command's end are awaited beside it.

mod attach;
mod command;
mod count;
mod follow;
mod json;
mod kernel;
pub(crate) mod label;
mod output;
mod sink;
mod stuck;
mod totals;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use tokio::signal::unix::{SignalKind, signal};

use crate::host::drop_rest;
use crate::syscall::filter::CallFilter;
use attach::Attached;
use command::{Command, Ended};
use follow::{Follower, StopHandle};
use output::Output;

/// What to follow.
#[derive(Debug)]
pub enum Target {
    /// Running processes.
    Pids(Vec<u32>),
    /// A command, from its `execve` on.
    Command(Vec<OsString>),
}

/// What to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Each call.
    Calls,
    /// Sums at the end.
    Sums,
}

/// A validated request.
#[derive(Debug)]
pub struct Settings {
    /// What to follow.
    pub target: Target,
    /// Which calls.
    pub filter: CallFilter,
    /// Only failed calls.
    pub failed_only: bool,
    /// Only calls at least this long.
    pub slower: Duration,
    /// What to show.
    pub format: Format,
    /// As records of schema v1 instead of text.
    pub json: bool,
    /// Report calls that have not returned for this long.
    pub stuck: Option<Duration>,
    /// A file to write to.
    pub output: Option<PathBuf>,
    /// Bytes shown of strings and buffers.
    pub string_limit: u16,
    /// When to stop.
    pub stop_after: Option<Duration>,
    /// Show the probes' own cost.
    pub stats: bool,
    /// Bytes of the bulk ring.
    pub bulk_ring_bytes: u32,
}

/// What a trace waits for beside its follower.
enum Wake {
    Signal,
    Timer,
    CommandEnded(Ended),
}

/// Runs a trace to its end and prints the summary.
///
/// # Errors
/// [`crate::cli::Failure`] for what the user can mend; other errors are failures while running.
pub fn run(settings: &Settings) -> anyhow::Result<ExitCode> {
    // Everything that can be refused is, before anything is loaded.
    let program = match &settings.target {
        Target::Command(words) => Some(command::resolve(words)?),
        Target::Pids(pids) => {
            attach::check(pids)?;
            None
        }
    };
    let mut kernel = kernel::load(settings)?;
    let mut output = Output::open(settings)?;
    let mut tasks = kernel.loaded.take_tasks()?;
    let mut command = None;
    match (&settings.target, program) {
        (Target::Command(words), Some(program)) => {
            // With --json, stdout carries records and nothing else.
            let to_stderr = settings.json && settings.output.is_none();
            command = Some(Command::start(&program, words, to_stderr, &mut tasks)?);
        }
        (Target::Pids(pids), _) => {
            let Attached { threads, processes } = attach::attach(pids, &settings.filter, &mut tasks, &mut output)?;
            eprintln!("sysprobe: attached to {threads} thread{} of {processes} process{}", s(threads), es(processes));
        }
        (Target::Command(_), None) => {}
    }
    follow::raise_priority();
    // The command keeps the rights it was started with: its thread was made before.
    drop_rest().context("cannot give up capabilities")?;
    let (stop, follower) = Follower::new(settings, &mut kernel, tasks, output)?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start the runtime")?;
    let (result, ended) = runtime.block_on(drive(settings, stop, follower, command));
    let mut followed = result?;
    followed.print_summary(settings, &kernel)?;
    let code = match ended {
        Some(Ended::NotStarted(error)) => return Err(error),
        Some(Ended::Exited(code)) => code,
        None => 0,
    };
    Ok(ExitCode::from(code))
}

fn s(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

fn es(n: usize) -> &'static str {
    if n == 1 { "" } else { "es" }
}

async fn drive(
    settings: &Settings,
    stop: StopHandle,
    follower: Follower,
    mut command: Option<Command>,
) -> (anyhow::Result<follow::Followed>, Option<Ended>) {
    let mut following = tokio::task::spawn_blocking(move || follower.run());
    let signals = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()), signal(SignalKind::hangup()));
    let (Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)) = signals else {
        stop.stop();
        return (Err(anyhow::anyhow!("cannot handle signals")), None);
    };
    let deadline = tokio::time::Instant::now() + settings.stop_after.unwrap_or(Duration::from_secs(365 * 86_400));
    let mut ended = None;
    loop {
        let wake = tokio::select! {
            result = &mut following => {
                let result = result.context("the following thread died").and_then(|r| r);
                if let (Ok(followed), Some(command), None) = (&result, &mut command, &ended)
                    && !followed.stopped_early()
                {
                    ended = Some(command.ended().await);
                }
                return (result, ended);
            }
            _ = interrupt.recv() => Wake::Signal,
            _ = terminate.recv() => Wake::Signal,
            _ = hangup.recv() => Wake::Signal,
            () = tokio::time::sleep_until(deadline), if settings.stop_after.is_some() => Wake::Timer,
            how = wait_for(&mut command), if ended.is_none() && command.is_some() => Wake::CommandEnded(how),
        };
        match wake {
            // The terminal sent the command the same signal; what it does then is still worth seeing. A second one ends it.
            Wake::Signal if command.is_some() && ended.is_none() && !stop.was_warned() => stop.warn(),
            Wake::Signal | Wake::Timer => stop.stop(),
            Wake::CommandEnded(how) => {
                if matches!(how, Ended::NotStarted(_)) {
                    stop.stop();
                }
                ended = Some(how);
            }
        }
    }
}

async fn wait_for(command: &mut Option<Command>) -> Ended {
    match command {
        Some(command) => command.ended().await,
        None => std::future::pending().await,
    }
}
