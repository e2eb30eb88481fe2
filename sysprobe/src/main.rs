//! The `sysprobe` binary: parses the command line and runs one subcommand.

use std::process::ExitCode;

fn main() -> ExitCode {
    sysprobe::cli::main()
}
