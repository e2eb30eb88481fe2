//! `sysprobe demo`: which faults to make. Also starts the demo's own processes, which nobody types.

use std::process::ExitCode;

use clap::Args;

use super::failure::Failure;
use crate::demo::actor::{self, Part};
use crate::demo::{self, What, hands};

/// Makes harmless real faults in a sandbox of its own and explains them live
///
/// Each fault is real, and what is said of it is what `watch` says. Everything is made below /run, on a loop device, in a memory
/// cgroup and on 127.0.0.1, and undone at the end, however that comes; what a killed demo leaves, the next one removes.
#[derive(Args)]
#[command(after_help = "Examples:
  sudo sysprobe demo          all three, in half a minute
  sudo sysprobe demo oom      only a kill for want of memory")]
pub struct DemoArgs {
    /// Which fault
    #[arg(value_enum, default_value = "all")]
    what: What,
    /// Be the process that makes the faults
    #[arg(long, hide = true)]
    hands: bool,
    /// Be a process that a fault happens to, of this process
    #[arg(long, hide = true, requires = "part")]
    director: Option<u32>,
    /// What it does
    #[arg(long, hide = true, value_parser = part)]
    part: Option<Part>,
}

fn part(text: &str) -> Result<Part, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// Runs `demo`.
///
/// # Errors
/// [`Failure`] for what the user can mend; anything else is a failure while running.
pub fn run(args: &DemoArgs) -> anyhow::Result<ExitCode> {
    match (args.director, &args.part) {
        (Some(director), Some(part)) => actor::play(director, part)?,
        (None, Some(_)) => return Err(Failure::usage("`demo` takes stall, oom, close-wait or all")),
        _ if args.hands => hands::run()?,
        _ => return demo::run(args.what),
    }
    Ok(ExitCode::SUCCESS)
}
