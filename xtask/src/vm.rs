//! `cargo xtask vm`: the released binary on other kernels, each in its own emulated machine.
//!
//! For every series the newest kernel that Debian has is booted with an initramfs of busybox, the static sysprobe and
//! the static kernel-tier tests; `check`, `trace` and those tests run in it. One table of verdicts ends the run, with this
//! machine's own kernel as its last row. A kernel that cannot be had is a counted skip. `docs/testing.md` says more.

pub mod debian;
pub mod guest;
mod initramfs;
mod modules;
mod vmlinux;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};

use self::debian::Debian;
use self::guest::{Outcome, Step};
use crate::shell::{self, MUSL};
use crate::test::binaries::{self, Binary};
use crate::test::report::{Reader, Totals};
use crate::{build, packages, setup};

/// Long-term series that distributions run, oldest first, and whatever is newest now.
const SERIES: [&str; 5] = ["5.10", "6.1", "6.12", "6.18", "newest"];

/// The two ends of it.
const SHORT: [&str; 2] = [SERIES[0], SERIES[SERIES.len() - 1]];

#[derive(clap::Args)]
pub struct Args {
    /// Only the oldest and the newest kernel
    #[arg(long)]
    pub short: bool,
    /// Series to boot, as `6.12`, or `newest`; all of them when none is named
    pub kernels: Vec<String>,
}

pub fn main(args: &Args) -> Result<()> {
    setup::main()?;
    let totals = run(args)?;
    println!("\n{totals}");
    if totals.failed > 0 || totals.passed == 0 {
        bail!("{totals}");
    }
    Ok(())
}

/// One row of the table.
struct Row {
    kernel: String,
    booted: String,
    steps: Vec<String>,
    tests: String,
    wall_s: u64,
}

/// Boots what `args` names and prints the table.
pub fn run(args: &Args) -> Result<Totals> {
    let named: Vec<&str> = args.kernels.iter().map(String::as_str).collect();
    let series = match (named.is_empty(), args.short) {
        (false, _) => named,
        (true, true) => SHORT.to_vec(),
        (true, false) => SERIES.to_vec(),
    };
    let dir = shell::target_dir()?.join("vm");
    std::fs::create_dir_all(&dir)?;
    let mut totals = Totals::default();
    if let Err(why) = packages::for_vm() {
        for kernel in &series {
            totals += skip(kernel, &why);
        }
        return Ok(totals);
    }
    let debian = Debian::open(&dir)?;
    let subjects = Subjects::build()?;
    let mut rows: Vec<Row> = Vec::new();
    for kernel in series {
        match debian.kernel(kernel) {
            Ok(found) if rows.iter().any(|row| row.kernel == found.release) => {
                totals += skip(kernel, &anyhow!("{} is all there is, and it ran already", found.release));
            }
            Ok(kernel) => rows.push(subjects.in_guest(&kernel, &dir, &mut totals)?),
            Err(why) => totals += skip(kernel, &why),
        }
    }
    if !args.short && args.kernels.is_empty() {
        rows.push(subjects.here(&dir, &mut totals)?);
    }
    print_table(&rows);
    Ok(totals)
}

fn skip(kernel: &str, why: &anyhow::Error) -> Totals {
    println!("SKIP vm {kernel}: {}", format!("{why:#}").replace('\n', " "));
    Totals { skipped: 1, ..Totals::default() }
}

/// What runs in a guest: static binaries, the same for every kernel.
struct Subjects {
    sysprobe: PathBuf,
    /// The kernel tier.
    tests: Option<PathBuf>,
}

impl Subjects {
    fn build() -> Result<Self> {
        let sysprobe = build::static_release(&["--bin", "sysprobe"])?;
        if !shell::root()?.join("tests/kernel/main.rs").is_file() {
            return Ok(Self { sysprobe, tests: None });
        }
        let args = ["--release", "--target", MUSL, "--package", "sysprobe", "--test", "kernel"];
        let tests = binaries::build(&args, Some(&build::release_flags()?))?;
        let tests = tests.into_iter().find(Binary::is_tier).context("no kernel tier was built")?;
        Ok(Self { sysprobe, tests: Some(tests.path) })
    }

    fn in_guest(&self, kernel: &debian::Kernel, dir: &Path, totals: &mut Totals) -> Result<Row> {
        eprintln!("vm: booting {}", kernel.release);
        let mut files = vec![(self.sysprobe.clone(), "t/sysprobe")];
        files.extend(self.tests.clone().map(|tests| (tests, "t/tests")));
        let started = Instant::now();
        let report = guest::boot(kernel, &files, &self.steps("/t/sysprobe", "/t/tests"), &dir.join("guests"))?;
        let booted = match report.booted_s {
            Some(seconds) => format!("{seconds:.1} s"),
            None => {
                totals.failed += 1;
                "no".to_owned()
            }
        };
        let mut row = self.judge(kernel.release.clone(), booted, &report.outcomes, totals);
        row.wall_s = started.elapsed().as_secs();
        if row.steps.iter().any(|verdict| verdict != "ok") || report.booted_s.is_none() {
            println!("{}: the console is in {}", kernel.release, report.log.display());
        }
        Ok(row)
    }

    /// The same steps on this machine's kernel, as root.
    fn here(&self, dir: &Path, totals: &mut Totals) -> Result<Row> {
        let release = shell::output(Command::new("uname").arg("-r"))?.trim().to_owned();
        let tests = self.tests.as_deref().unwrap_or(Path::new("/t/tests")).display().to_string();
        let started = Instant::now();
        let mut outcomes = Vec::new();
        for step in self.steps(&self.sysprobe.display().to_string(), &tests) {
            let script = dir.join("step.sh");
            std::fs::write(&script, format!("exec 2>&1\n{}", step.script))?;
            let done = shell::as_root("sh").arg(&script).output()?;
            let output = String::from_utf8_lossy(&done.stdout).into_owned();
            outcomes.push(Outcome { name: step.name.to_owned(), output, code: done.status.code() });
        }
        let mut row = self.judge(format!("{release} (here)"), "-".to_owned(), &outcomes, totals);
        row.wall_s = started.elapsed().as_secs();
        Ok(row)
    }

    fn steps(&self, sysprobe: &str, tests: &str) -> Vec<Step> {
        let mut steps = vec![
            Step { name: "check", script: format!("{sysprobe} check\n") },
            Step { name: "trace", script: format!("{sysprobe} trace -- {}\n", TRACED) },
        ];
        if self.tests.is_some() {
            let script = format!("SYSPROBE_BIN={sysprobe} {tests} --show-output --test-threads=2\n");
            steps.push(Step { name: "tests", script });
        }
        steps
    }

    fn judge(&self, kernel: String, booted: String, outcomes: &[Outcome], totals: &mut Totals) -> Row {
        let mut row = Row { kernel, booted, steps: Vec::new(), tests: "-".to_owned(), wall_s: 0 };
        let named = |name: &str| outcomes.iter().find(|outcome| outcome.name == name);
        for (name, verdict) in [("check", check(named("check"))), ("trace", trace(named("trace")))] {
            match verdict {
                Ok(()) => {
                    totals.passed += 1;
                    row.steps.push("ok".to_owned());
                }
                Err(why) => {
                    totals.failed += 1;
                    println!("FAILED vm {} {name}: {why:#}", row.kernel);
                    named(name).iter().for_each(|outcome| show_end(&outcome.output));
                    row.steps.push("FAILED".to_owned());
                }
            }
        }
        if self.tests.is_some() {
            let mut counted = Reader::default();
            let outcome = named("tests");
            for line in outcome.map(|outcome| outcome.output.as_str()).unwrap_or_default().lines() {
                if counted.line(line) {
                    println!("{}: {line}", row.kernel);
                }
            }
            let tests = counted.totals(outcome.is_some_and(|outcome| outcome.code == Some(0)));
            row.tests = tests.to_string();
            *totals += tests;
        }
        row
    }
}

/// A small program with a file read, a failing call, a child and an exit code of its own.
const TRACED: &str = "/bin/sh -c 'cat /etc/hostname /nonexistent; exit 7'";

fn ended(outcome: Option<&Outcome>, expected: i32) -> Result<&str> {
    let outcome = outcome.context("the guest did not get there")?;
    match outcome.code {
        Some(code) if code == expected => Ok(&outcome.output),
        Some(code) => bail!("exit code {code}, not {expected}"),
        None => bail!("it did not end: the guest died or hung"),
    }
}

fn check(outcome: Option<&Outcome>) -> Result<()> {
    let output = ended(outcome, 0)?;
    if !output.contains("sys_exit") {
        bail!("no verdict on the sys_exit probe");
    }
    Ok(())
}

fn trace(outcome: Option<&Outcome>) -> Result<()> {
    let output = ended(outcome, 7)?;
    for part in ["execve(\"/bin/sh\"", "\"/etc/hostname\"", "ENOENT", "exit_group(7)"] {
        if !output.contains(part) {
            bail!("`{part}` is not in its output");
        }
    }
    Ok(())
}

fn show_end(output: &str) {
    let lines: Vec<&str> = output.lines().filter(|line| !line.is_empty()).collect();
    lines.iter().skip(lines.len().saturating_sub(15)).for_each(|line| println!("    {line}"));
}

fn print_table(rows: &[Row]) {
    println!("\n{:<28} {:>7}  {:<7} {:<7} {:<38} {:>6}", "kernel", "booted", "check", "trace", "kernel tests", "time");
    for row in rows {
        let step = |index: usize| row.steps.get(index).map(String::as_str).unwrap_or("-");
        println!(
            "{:<28} {:>7}  {:<7} {:<7} {:<38} {:>4} s",
            row.kernel,
            row.booted,
            step(0),
            step(1),
            row.tests,
            row.wall_s
        );
    }
}
