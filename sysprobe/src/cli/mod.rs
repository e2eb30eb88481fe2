//! The command line: one file a subcommand.

use std::process::ExitCode;

/// Runs the subcommand that the arguments name.
pub fn main() -> ExitCode {
    crate::trace::smoke().unwrap(); ExitCode::SUCCESS
}
