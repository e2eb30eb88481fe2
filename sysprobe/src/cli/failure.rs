//! How a subcommand fails: one line that names the thing and the way out, and the documented exit code.

use std::fmt;
use std::io;
use std::process::ExitCode;

/// Exit code: the command line is wrong.
pub const USAGE: u8 = 2;
/// Exit code: this host or this user can't.
pub const HOST: u8 = 3;
/// Exit code: it failed while running.
pub const RUNTIME: u8 = 4;

/// A failure with an exit code of its own. Anything else that goes wrong ends with [`RUNTIME`].
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub code: u8,
    /// What is wrong, and the next step.
    pub message: String,
}

impl Failure {
    /// The command line asks for something that cannot be.
    pub fn usage(message: impl Into<String>) -> anyhow::Error {
        Self { code: USAGE, message: message.into() }.into()
    }

    /// This host can't.
    pub fn host(message: impl Into<String>) -> anyhow::Error {
        Self { code: HOST, message: message.into() }.into()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// Prints clap's message: help and version are fine, anything else is a usage error.
pub fn usage(error: &clap::Error) -> ExitCode {
    // A closed pipe while printing help is no failure.
    let _ = error.print();
    ExitCode::from(if error.use_stderr() { USAGE } else { 0 })
}

/// Prints what went wrong and gives the exit code. Nobody reads a closed pipe: that is success.
pub fn report(error: &anyhow::Error) -> ExitCode {
    if error.chain().any(is_broken_pipe) {
        return ExitCode::SUCCESS;
    }
    eprintln!("sysprobe: {error:#}");
    ExitCode::from(error.downcast_ref::<Failure>().map_or(RUNTIME, |f| f.code))
}

fn is_broken_pipe(cause: &(dyn std::error::Error + 'static)) -> bool {
    cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
}
