//! sysprobe's build, test and release tasks: `cargo xtask VERB`, one file a verb.
//!
//! `run` and `test` are the two a newcomer needs; both do `setup` first. Progress goes to standard error, so that
//! `cargo xtask run -- … --json` leaves standard output to sysprobe. Nothing here asks a question.

mod bench;
mod build;
mod dist;
mod fixtures;
mod packages;
mod run;
mod setup;
mod shell;
mod test;
mod tidy;
mod verifier;
mod vm;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Build, test and release tasks of sysprobe.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Install what the build needs and is missing (rust-src, the musl target, bpf-linker)
    Setup,
    /// Set up, then build the sysprobe binary
    Build(build::Args),
    /// Set up, build, and run sysprobe as root: `cargo xtask run -- trace --pid 1`
    Run(run::Args),
    /// Set up, check format, lints and rules, and run the test tiers
    Test(test::Args),
    /// Check the project's own rules: file sizes, imports, module heads, documents
    Tidy,
    /// Measure what sysprobe costs, beside what else there is
    Bench(bench::Args),
    /// Make a release in dist/: static binary, man page, completions, Debian package
    Dist,
    /// Cut the kernel types in tests/fixtures/ again from Debian's kernels, after a change of the field table or the probes
    Fixtures,
    /// Show how many instructions the verifier walks for each program
    Verifier(verifier::Args),
    /// Boot other kernels and run check, trace and the kernel tests there
    Vm(vm::Args),
}

fn main() -> ExitCode {
    let done = match Cli::parse().verb {
        Verb::Setup => setup::main(),
        Verb::Build(args) => build::main(&args),
        Verb::Run(args) => run::main(&args),
        Verb::Test(args) => test::main(&args),
        Verb::Tidy => tidy::main(),
        Verb::Bench(args) => bench::main(&args),
        Verb::Dist => dist::main(),
        Verb::Fixtures => fixtures::main(),
        Verb::Verifier(args) => verifier::main(&args),
        Verb::Vm(args) => vm::main(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask: {why:#}");
            ExitCode::FAILURE
        }
    }
}
