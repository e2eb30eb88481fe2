//! `sysprobe trace`: flags to settings.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use sysprobe_common::limits::{BULK_RING_BYTES, CAPTURE_BYTES};

use super::failure::Failure;
use super::quantity;
use crate::syscall::filter::CallFilter;
use crate::trace::{self, Format, Settings, Target};

/// Prints every system call of a process or a command as it ends
///
/// Follows all threads and children. Each line has the call's start, its arguments and result, its duration and, in
/// braces, the part of it that was not spent running: waiting for a CPU (runnable), in uninterruptible sleep (D,
/// blocked) and asleep. Of a command the lines go to standard error, as strace's do, or to FILE with -o.
#[derive(Args)]
#[command(after_help = "Examples:
  sudo sysprobe trace --pid 1234                    a running process, its threads and children
  sudo sysprobe trace -e %file --failed -- ./app    calls on paths that fail
  sudo sysprobe trace -c -- make                    where the time of a build goes
  sudo sysprobe trace --stuck 1s --pid 1234         calls that have not returned for a second, with the kernel stack
  sudo sysprobe trace --json -o calls.ndjson -- ls  one record a line")]
pub struct TraceArgs {
    /// Processes to attach to (all their threads), separated by commas
    #[arg(short = 'p', long, value_name = "PID", value_delimiter = ',', conflicts_with = "command")]
    pid: Vec<u32>,
    /// Which calls: names, or classes %file %net %process %memory %desc %signal; ! inverts
    #[arg(short = 'e', value_name = "CALLS", allow_hyphen_values = true)]
    expressions: Vec<String>,
    /// Only calls that fail
    #[arg(long)]
    failed: bool,
    /// Only calls that take at least this long
    #[arg(long, value_name = "DURATION", value_parser = quantity::duration)]
    slower: Option<Duration>,
    /// Sum calls, errors, times and latencies, and print a table at the end
    #[arg(short = 'c', conflicts_with = "stuck")]
    count: bool,
    /// Also print calls that have not returned for this long, with state and kernel stack
    #[arg(long, value_name = "DURATION", value_parser = quantity::duration)]
    stuck: Option<Duration>,
    /// Write to FILE instead
    #[arg(short = 'o', long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// One record a line (schema v1); a command's own output then goes to standard error
    #[arg(long)]
    json: bool,
    /// Show at most this many bytes of strings and buffers (paths are shown whole)
    #[arg(short = 's', long, value_name = "BYTES", default_value_t = 32, value_parser = clap::value_parser!(u16).range(0..=CAPTURE_BYTES as i64 - 2))]
    string_limit: u16,
    /// Stop after this long
    #[arg(long = "for", value_name = "DURATION", value_parser = quantity::duration)]
    stop_after: Option<Duration>,
    /// Add to the summary what the probes themselves cost
    #[arg(long)]
    stats: bool,
    /// Room in the kernel for calls not yet written: a power of two
    #[arg(long, value_name = "SIZE", default_value = "32MiB", value_parser = quantity::size)]
    buffer: u64,
    /// The command to run and follow
    #[arg(last = true, value_name = "CMD")]
    command: Vec<OsString>,
}

/// Runs `trace`.
///
/// # Errors
/// [`Failure`] for what the user can mend; anything else is a failure while running.
pub fn run(args: TraceArgs) -> anyhow::Result<ExitCode> {
    trace::run(&settings(args)?)
}

fn settings(args: TraceArgs) -> anyhow::Result<Settings> {
    let target = match (args.pid.is_empty(), args.command.is_empty()) {
        (false, _) => Target::Pids(args.pid),
        (true, false) => Target::Command(args.command),
        (true, true) => {
            return Err(Failure::usage(
                "nothing to trace: name processes with --pid P[,P..], or a command after -- (see `sysprobe trace --help`)",
            ));
        }
    };
    let filter = CallFilter::parse(&args.expressions).map_err(|e| Failure::usage(format!("-e: {e}")))?;
    const PAGE: u64 = 4096;
    let buffer =
        u32::try_from(args.buffer).ok().filter(|b| b.is_power_of_two() && u64::from(*b) >= PAGE && *b <= 1 << 30);
    let Some(bulk_ring_bytes) = buffer else {
        let standard = BULK_RING_BYTES >> 20;
        return Err(Failure::usage(format!(
            "--buffer takes a power of two from 4KiB to 1GiB; {standard}MiB is the default"
        )));
    };
    Ok(Settings {
        target,
        filter,
        failed_only: args.failed,
        slower: args.slower.unwrap_or_default(),
        format: if args.count { Format::Sums } else { Format::Calls },
        json: args.json,
        stuck: args.stuck,
        output: args.output,
        string_limit: args.string_limit,
        stop_after: args.stop_after,
        stats: args.stats,
        bulk_ring_bytes,
    })
}
