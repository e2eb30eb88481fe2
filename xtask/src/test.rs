//! `cargo xtask test`: everything that decides whether a change is sound, and one line that says so.
//!
//! Without `--tier`: setup, format, lints, `tidy`, unit and documentation tests, then every tier that
//! `sysprobe/Cargo.toml` declares. A stage that fails does not stop the ones after it; it counts as one failure. A tier
//! in which every test skips fails too: it showed nothing. `docs/testing.md` describes the tiers.

pub mod binaries;
pub mod report;

use anyhow::{Result, bail};

use self::report::Totals;
use crate::{setup, shell, tidy, vm};

/// Tiers whose tests attach probes or make faults.
const ROOT_TIERS: [&str; 2] = ["kernel", "gpu"];

#[derive(clap::Args)]
pub struct Args {
    /// Only this tier: `unit`, `vm`, or one that sysprobe/Cargo.toml declares (see --list)
    #[arg(long)]
    tier: Option<String>,
    /// List the tiers and their tests, run nothing
    #[arg(long)]
    list: bool,
    /// As continuous integration runs it: with the short form of the VM tier
    #[arg(long)]
    ci: bool,
    /// Passed to the test binaries: a name to filter by, `--nocapture`, ..
    #[arg(last = true)]
    rest: Vec<String>,
}

pub fn main(args: &Args) -> Result<()> {
    setup::main()?;
    let mut totals = Totals::default();
    if args.tier.is_none() && !args.list {
        for (stage, done) in [("format", format()), ("lints", lints()), ("tidy", tidy::main())] {
            if let Err(why) = done {
                println!("FAILED {stage}: {why:#}");
                totals.failed += 1;
            }
        }
    }
    if args.tier.as_deref() != Some("vm") {
        totals += tests(args)?;
    }
    if !args.list && (args.ci || args.tier.as_deref() == Some("vm")) {
        totals += virtual_machines(args.ci);
    }
    if args.list {
        return Ok(());
    }
    println!("\n{totals}");
    if totals.failed > 0 {
        bail!("{} failed", totals.failed);
    }
    Ok(())
}

fn format() -> Result<()> {
    shell::run(&mut shell::cargo(&["fmt", "--all", "--check"])?)
}

fn lints() -> Result<()> {
    shell::run(&mut shell::cargo(&["clippy", "--all-targets", "--", "-D", "warnings"])?)?;
    // The kernel programs are linted for their own target, in a folder of their own: flags and profile differ.
    let target_dir = shell::target_dir()?.join("ebpf-clippy");
    let mut kernel = shell::cargo(&["clippy", "--package", "sysprobe-ebpf", "--release", "-Zbuild-std=core"])?;
    kernel.args(["--target", "bpfel-unknown-none", "--target-dir"]).arg(target_dir);
    kernel.args(["--", "-D", "warnings"]).env("RUSTC_BOOTSTRAP", "1");
    shell::run(&mut kernel)
}

/// The VM tier: the short form in continuous integration, every kernel otherwise.
fn virtual_machines(short: bool) -> Totals {
    println!("== vm");
    let mut counted = vm::run(&vm::Args { short, kernels: Vec::new() }).unwrap_or_else(|why| {
        println!("FAILED vm: {why:#}");
        Totals { failed: 1, ..Totals::default() }
    });
    counted.fail_if_all_skipped("vm");
    counted
}

fn tests(args: &Args) -> Result<Totals> {
    let wanted = args.tier.as_deref();
    let scope: Vec<&str> = match wanted {
        None => vec!["--lib", "--bins", "--tests"],
        Some("unit") => vec!["--lib", "--bins"],
        Some(tier) => vec!["--package", "sysprobe", "--test", tier],
    };
    let binaries = match binaries::build(&scope, None) {
        Ok(binaries) => binaries,
        Err(why) => {
            println!("FAILED build: {why:#}");
            return Ok(Totals { failed: 1, ..Totals::default() });
        }
    };
    let mut totals = Totals::default();
    for binary in &binaries {
        if args.list {
            println!("{} {}", if binary.is_tier() { "tier" } else { "unit" }, binary.name);
            binary.tests()?.iter().for_each(|test| println!("    {test}"));
            continue;
        }
        let needs_root = ROOT_TIERS.contains(&binary.name.as_str());
        let mut counted = if needs_root && !shell::root_reachable() {
            println!("== {}\nSKIP {}: not root, and sudo would ask for a password", binary.name, binary.name);
            Totals { skipped: binary.tests()?.len(), ..Totals::default() }
        } else {
            binary.run(needs_root, &args.rest)?
        };
        if binary.is_tier() {
            counted.fail_if_all_skipped(&binary.name);
        }
        totals += counted;
    }
    if !args.list && wanted.is_none_or(|tier| tier == "unit") {
        println!("== documentation");
        let mut doc = shell::cargo(&["test", "--quiet", "--doc", "--"])?;
        totals += binaries::run_counted(doc.args(&args.rest))?;
    }
    Ok(totals)
}
