//! `sysprobe completions SHELL`: made from the same definition as the parser, so always true.

use std::io::Write;
use std::process::ExitCode;

use clap::{Args, Command};
use clap_complete::Shell;

/// Prints a completion script for a shell
#[derive(Args)]
#[command(after_help = "Example: sysprobe completions bash > /etc/bash_completion.d/sysprobe")]
pub struct CompletionsArgs {
    /// Which shell
    shell: Shell,
}

/// Writes the script.
///
/// # Errors
/// When `out` cannot be written.
pub fn run(args: &CompletionsArgs, command: &mut Command, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    // The generator panics on a write error, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, "sysprobe", &mut script);
    out.write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}
