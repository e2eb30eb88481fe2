//! The command line: one file a subcommand, raw flags in, validated settings out.
//!
//! Owns exit codes: 0 fine, 2 usage, 3 this host can't, 4 failed while running; a broken pipe is success. `trace -- CMD`
//! ends with the command's own code.

mod check;
mod completions;
mod demo;
mod explain;
mod failure;
mod man;
mod quantity;
mod trace;
mod watch;

use std::io;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

pub use failure::{Failure, HOST, RUNTIME, USAGE};

/// Explains stalls, leaks and kills on a live Linux host, from kernel events.
#[derive(Parser)]
#[command(name = "sysprobe", version, arg_required_else_help = true, disable_help_subcommand = true)]
#[command(
    after_help = "Start with `sysprobe check`, which says what this host can do, and `sysprobe demo`, which shows it."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Trace(Box<trace::TraceArgs>),
    Watch(watch::WatchArgs),
    Demo(demo::DemoArgs),
    Check(check::CheckArgs),
    Explain(explain::ExplainArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

/// Runs the subcommand that the arguments name.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::usage(&error),
    };
    let ended = match cli.command {
        Command::Trace(args) => trace::run(*args),
        Command::Watch(args) => watch::run(args),
        Command::Demo(args) => demo::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Completions(args) => completions::run(&args, &mut Cli::command(), &mut io::stdout().lock()),
        Command::Man(args) => man::run(&args, &Cli::command()),
    };
    ended.unwrap_or_else(|error| failure::report(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
