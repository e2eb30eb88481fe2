//! `cargo xtask verifier`: what each program costs the verifier, on this kernel and on those named.
//!
//! The count of instructions walked decides whether a program still loads (the limit is a million) and grows with every
//! loop and branch long before anything fails; `--save` keeps the table in `docs/verifier.md`, so that a review sees it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::shell::{self, MUSL, output};
use crate::vm::debian::Debian;
use crate::vm::guest::{self, Step};
use crate::{build, packages, setup};

#[derive(clap::Args)]
pub struct Args {
    /// Write the table to docs/verifier.md
    #[arg(long)]
    save: bool,
    /// Series to boot besides this machine's kernel, as `6.12`, or `newest`
    kernels: Vec<String>,
}

/// Per program and mode, one cell a kernel.
type Table = BTreeMap<(String, String), BTreeMap<usize, String>>;

pub fn main(args: &Args) -> Result<()> {
    setup::main()?;
    build::static_release(&["--example", "verifier"])?;
    let program = shell::target_dir()?.join(MUSL).join("release/examples/verifier");
    let release = output(std::process::Command::new("uname").arg("-r"))?;
    let mut kernels = vec![format!("{} (here)", release.trim().split('-').next().unwrap_or_default())];
    let mut table = Table::new();
    add(&mut table, 0, &output(&mut shell::as_root(&program))?);
    if !args.kernels.is_empty() {
        packages::for_vm()?;
    }
    for series in &args.kernels {
        let (release, said) = in_guest(series, &program)?;
        add(&mut table, kernels.len(), &said);
        kernels.push(release);
    }
    let text = markdown(&table, &kernels);
    print!("{text}");
    if args.save {
        std::fs::write(shell::root()?.join("docs/verifier.md"), format!("{HEAD}\n{text}"))?;
    }
    Ok(())
}

const HEAD: &str = "# What the programs cost the verifier

Instructions walked / instructions kept, per program and mode (`events`: each call is reported; `sums`: `trace -c`).
Written by `cargo xtask verifier --save`; `-` where the kernel does not tell (before 5.16). The verifier refuses at 1,000,000.
";

fn in_guest(series: &str, program: &std::path::Path) -> Result<(String, String)> {
    let dir = shell::target_dir()?.join("vm");
    std::fs::create_dir_all(&dir)?;
    let kernel = Debian::open(&dir)?.kernel(series)?;
    let files: [(PathBuf, &str); 1] = [(program.to_path_buf(), "t/verifier")];
    // The log of what is refused stays in the console's file.
    let log = if std::env::var_os("SYSPROBE_VERIFIER_LOG").is_some() { "SYSPROBE_VERIFIER_LOG=1 " } else { "" };
    let steps = [Step { name: "verifier", script: format!("{log}/t/verifier\n") }];
    let report = guest::boot(&kernel, &files, &steps, &dir.join("guests"))?;
    let outcome = report.outcomes.into_iter().next().context("the guest did not come up")?;
    if outcome.code != Some(0) {
        bail!("in {}: {}", kernel.release, outcome.output.trim());
    }
    Ok((kernel.release, outcome.output))
}

fn add(table: &mut Table, kernel: usize, said: &str) {
    for line in said.lines() {
        if let [program, mode, walked, kept] = line.split('\t').collect::<Vec<_>>()[..] {
            let cells = table.entry((program.to_owned(), mode.to_owned())).or_default();
            cells.insert(kernel, format!("{walked} / {kept}"));
        }
    }
}

fn markdown(table: &Table, kernels: &[String]) -> String {
    let mut text = format!("| program | mode | {} |\n|---|---|{}\n", kernels.join(" | "), "---|".repeat(kernels.len()));
    for ((program, mode), cells) in table {
        let cells = (0..kernels.len()).map(|kernel| cells.get(&kernel).map(String::as_str).unwrap_or("not loaded"));
        text += &format!("| {program} | {mode} | {} |\n", cells.collect::<Vec<_>>().join(" | "));
    }
    text
}
