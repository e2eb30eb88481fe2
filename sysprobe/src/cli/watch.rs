//! `sysprobe watch`: flags to settings.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::failure::Failure;
use super::quantity;
use crate::analyze::CloseWaitLimits;
use crate::watch::{self, Filter, Kind, Settings};

/// Explains, live, what hangs, dies or leaks on this host
///
/// Every task in uninterruptible sleep (D) beyond the threshold is named while it is still stuck and when it ends: what
/// it waits for, who holds it up, and what to do. Tasks stuck before the start are found too. Processes that are killed or
/// crash are named with who killed them, and connections left in CLOSE_WAIT with who does not close them.
#[derive(Args)]
#[command(after_help = "Examples:
  sudo sysprobe watch                          what hangs, in words
  sudo sysprobe watch --stall-over 2s --json   records, one a line
  sudo sysprobe watch --for 30s --fail-on stall && echo healthy")]
pub struct WatchArgs {
    /// How long a task may be in uninterruptible sleep (D) before it is told of
    #[arg(long, value_name = "DURATION", default_value = "500ms", value_parser = quantity::duration)]
    stall_over: Duration,
    /// How many connections in CLOSE_WAIT for longer than --close-wait-over make a leak, if they become more
    #[arg(long, value_name = "N", default_value = "10")]
    close_wait_count: u32,
    /// How long a connection may be in CLOSE_WAIT before it counts for --close-wait-count
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = quantity::duration)]
    close_wait_over: Duration,
    /// How long a single connection may be in CLOSE_WAIT before it is a leak
    #[arg(long, value_name = "DURATION", default_value = "5m", value_parser = quantity::duration)]
    close_wait_any_over: Duration,
    /// Only these kinds of trouble, separated by commas
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    only: Vec<Kind>,
    /// Only these processes, separated by commas
    #[arg(short = 'p', long, value_name = "PID", value_delimiter = ',')]
    pid: Vec<u32>,
    /// Only processes of this cgroup and those below it, as /proc/PID/cgroup shows it
    #[arg(long, value_name = "PATH")]
    cgroup: Option<String>,
    /// Stop after this long
    #[arg(long = "for", value_name = "DURATION", value_parser = quantity::duration)]
    stop_after: Option<Duration>,
    /// One record a line (schema v1)
    #[arg(long, conflicts_with = "plain")]
    json: bool,
    /// A plain feed, also on a terminal
    #[arg(long)]
    plain: bool,
    /// End with exit code 1 when one of these kinds was found
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    fail_on: Vec<Kind>,
    /// Add to the summary what the probes themselves cost
    #[arg(long)]
    stats: bool,
}

/// Runs `watch`.
///
/// # Errors
/// [`Failure`] for what the user can mend; anything else is a failure while running.
pub fn run(args: WatchArgs) -> anyhow::Result<ExitCode> {
    /// Below it a busy disk's ordinary waits would all be stalls.
    const LEAST: Duration = Duration::from_millis(1);
    if args.stall_over < LEAST {
        return Err(Failure::usage("--stall-over takes 1ms or more; 500ms is the default"));
    }
    if args.close_wait_count == 0 || args.close_wait_over < LEAST || args.close_wait_any_over < LEAST {
        return Err(Failure::usage(
            "--close-wait-count takes 1 or more, --close-wait-over and --close-wait-any-over 1ms or more",
        ));
    }
    if args.cgroup.as_ref().is_some_and(|path| !path.starts_with('/')) {
        return Err(Failure::usage("--cgroup takes a path as /proc/PID/cgroup shows it, such as /system.slice"));
    }
    watch::run(&Settings {
        stall_over: args.stall_over,
        close_wait: CloseWaitLimits {
            count: args.close_wait_count,
            over: args.close_wait_over,
            any_over: args.close_wait_any_over,
        },
        filter: Filter { only: args.only, pids: args.pid, cgroup: args.cgroup },
        stop_after: args.stop_after,
        json: args.json,
        fail_on: args.fail_on,
        stats: args.stats,
    })
}
