//! `cargo xtask bench watch`: what `watch` costs a host that switches threads all the time, what it needs when nothing
//! happens, how soon it speaks, and whether disks that never rest make it lose anything.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::beside::Beside;
use super::load::Took;
use super::rounds::Samples;
use super::save;
use crate::build;
use crate::shell::{self, in_path};

#[derive(clap::Args)]
pub struct Args {
    /// Rounds
    #[arg(long, default_value_t = 7)]
    rounds: u32,
    /// Seconds to watch an idle host for
    #[arg(long, default_value_t = 20)]
    idle: u64,
    /// Write the figures to docs/benchmarks.md
    #[arg(long)]
    save: bool,
}

/// Nothing but switches of threads.
const WORKS: [(&str, &[&str]); 2] = [
    ("`perf bench sched pipe`", &["bench", "sched", "pipe", "-l", "200000"]),
    ("`perf bench sched messaging`", &["bench", "sched", "messaging", "-g", "4", "-l", "500"]),
];

/// What is attached meanwhile.
const ATTACHED: [&str; 5] = [
    "nothing",
    "an empty program on sched_switch",
    "empty programs on sched_switch and sched_waking",
    "`sysprobe watch`",
    "`offcputime-bpfcc --state 2`",
];

/// bcc's tool as Debian names it, the last of [`ATTACHED`].
const OFFCPUTIME: &str = "offcputime-bpfcc";

/// Tasks that sleep while memory is looked at.
const SLEEPERS: &str = "5000";

pub fn main(args: &Args) -> Result<()> {
    let bench = Bench {
        sysprobe: build::sysprobe(true)?.display().to_string(),
        own: std::env::current_exe()?.display().to_string(),
        // On the disk that the build is on: a folder in memory would have no disk to wait for.
        dir: tempfile::tempdir_in(shell::target_dir()?)?,
    };
    let mut text = bench.switches(args.rounds)?;
    eprintln!("bench: what a switch costs");
    text += &bench.cost_of_a_switch()?;
    eprintln!("bench: idle for {} s", args.idle);
    text += &bench.idle(Duration::from_secs(args.idle))?;
    eprintln!("bench: the first verdict");
    text += &bench.first_verdict(args.rounds)?;
    eprintln!("bench: disks");
    text += &bench.disks()?;
    print!("{text}");
    if args.save {
        save::save("watch", &text)?;
    }
    Ok(())
}

struct Bench {
    sysprobe: String,
    own: String,
    dir: tempfile::TempDir,
}

impl Bench {
    /// Starts what is called `attached`; `None` for nothing.
    fn attach(&self, attached: usize) -> Result<Option<Beside>> {
        let empty = [self.own.as_str(), "bench", "empty", "sched_switch", "sched_waking"];
        match attached {
            1 => Beside::start(&empty[..4]).map(Some),
            2 => Beside::start(&empty).map(Some),
            3 => Beside::start(&[&self.sysprobe, "watch"]).map(Some),
            4 => Beside::start(&[OFFCPUTIME, "--state", "2"]).map(Some),
            _ => Ok(None),
        }
    }

    fn switches(&self, rounds: u32) -> Result<String> {
        if !in_path("perf") {
            return Ok("`perf bench sched`: skipped, no perf in PATH\n\n".to_owned());
        }
        let mut text = String::new();
        let mut ratios: Vec<Vec<Samples>> = WORKS.iter().map(|_| vec![Samples::default(); ATTACHED.len()]).collect();
        let mut to_empty = vec![Samples::default(); WORKS.len()];
        for round in 1..=rounds {
            eprintln!("bench: round {round} of {rounds}");
            for (work, (_, command)) in WORKS.iter().enumerate() {
                let mut took = [f64::NAN; ATTACHED.len()];
                for (attached, slot) in took.iter_mut().enumerate() {
                    if attached == 4 && !in_path(OFFCPUTIME) {
                        continue;
                    }
                    let beside = self.attach(attached)?;
                    *slot = seconds(command)?;
                    if let Some(mut beside) = beside {
                        beside.stop()?;
                    }
                }
                let [bare, empty, _, watch, _] = took;
                let taken = ratios.get_mut(work).into_iter().flatten().zip(took);
                for (samples, seconds) in taken.filter(|(_, seconds)| seconds.is_finite()) {
                    samples.push(seconds / bare);
                }
                if let Some(samples) = to_empty.get_mut(work) {
                    samples.push(watch / empty);
                }
            }
        }
        for ((name, _), (ratios, to_empty)) in WORKS.iter().zip(ratios.iter().zip(&to_empty)) {
            text +=
                &format!("**{name}** ({rounds} rounds, median and range)\n\n| attached | times bare |\n|---|---|\n");
            for (attached, samples) in ATTACHED.iter().zip(ratios).skip(1) {
                let shown = if samples.is_empty() { "- (not in PATH)".to_owned() } else { samples.shown(3) };
                text += &format!("| {attached} | {shown} |\n");
            }
            text += &format!("\n`watch` to the empty program on sched_switch: {}\n\n", to_empty.shown(3));
        }
        Ok(text)
    }

    /// The kernel's own statistics, which cost some 20 ns a run themselves.
    fn cost_of_a_switch(&self) -> Result<String> {
        let watch = self.watch(&["--stats"])?;
        if let Some((_, command)) = WORKS.first().filter(|_| in_path("perf")) {
            seconds(command)?;
        }
        let records = watch.ended()?;
        let summary = records.last().context("no summary")?;
        let mut text =
            String::from("**Run time of the probes** (the kernel's statistics, their own cost included)\n\n");
        text += "| probe | runs | ns a run |\n|---|---|---|\n";
        for probe in summary["probes"].as_array().into_iter().flatten() {
            let (runs, ns) = (probe["runs"].as_u64().unwrap_or(0), probe["run_ns"].as_u64().unwrap_or(0));
            text += &format!("| {} | {runs} | {} |\n", probe["name"].as_str().unwrap_or("?"), ns / runs.max(1));
        }
        Ok(text + "\n")
    }

    fn idle(&self, time: Duration) -> Result<String> {
        let mut sleepers = Beside::start(&[&self.own, "bench", "load", "sleepers", SLEEPERS, "/dev/null"])?;
        let mut watch = Beside::start(&[&self.sysprobe, "watch"])?;
        let began = Instant::now();
        let before = cpu_seconds(watch.pid())?;
        std::thread::sleep(time);
        let share = (cpu_seconds(watch.pid())? - before) / began.elapsed().as_secs_f64() * 100.0;
        let (now, peak) = (memory(watch.pid(), "VmRSS:")?, memory(watch.pid(), "VmHWM:")?);
        watch.stop()?;
        sleepers.stop()?;
        Ok(format!(
            "**Idle, with {SLEEPERS} sleeping tasks, for {} s**: {share:.2} % of one CPU, {now} MiB resident, {peak} MiB at most\n\n",
            time.as_secs()
        ))
    }

    /// From the start of `watch` to its first record of a task that was stuck long before.
    fn first_verdict(&self, rounds: u32) -> Result<String> {
        let stuck = Beside::start(&[&self.own, "bench", "load", "vfork", "1", "/dev/null"]);
        let mut stuck = stuck.context("no stuck task")?;
        std::thread::sleep(Duration::from_secs(1));
        let mut samples = Samples::default();
        for _ in 0..rounds {
            let began = Instant::now();
            let mut watch = shell::as_root(&self.sysprobe)
                .args(["watch", "--json", "--pid", &stuck.pid().to_string()])
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()?;
            let mut line = String::new();
            BufReader::new(watch.stdout.take().context("no output")?).read_line(&mut line)?;
            let took = began.elapsed();
            shell::output(shell::as_root("kill").args(["-INT", &watch.id().to_string()]))?;
            watch.wait()?;
            if serde_json::from_str::<Value>(&line).is_ok_and(|record| record["type"] == "stall") {
                samples.push(took.as_secs_f64());
            } else {
                bail!("the first record is {line:?}");
            }
        }
        shell::output(shell::as_root("kill").args(["-KILL", &stuck.pid().to_string()]))?;
        stuck.stop().ok();
        Ok(format!(
            "**First verdict on a task that was stuck before**: {} s after the start of `watch`\n\n",
            samples.shown(2)
        ))
    }

    /// Two writers at once, each wait of which is told of: what begins must end, or be counted as lost.
    fn disks(&self) -> Result<String> {
        let mut text = String::from("**Disks that never rest** (two writers; every wait over 1 ms is told of)\n\n");
        text += "| writers | writes a second | waits in D a second | ends told of | lost |\n|---|---|---|---|---|\n";
        for (work, name, count) in [("fsync", "4 KiB, `fdatasync`", 5_000u32), ("direct", "4 KiB, `O_DIRECT`", 20_000)]
        {
            let watch = self.watch(&["--stall-over", "1ms"])?;
            let began = Instant::now();
            let start = |writer: u32| -> Result<(std::process::Child, PathBuf)> {
                let result = self.dir.path().join(format!("{work}-{writer}"));
                let mut command = Command::new(&self.own);
                command.args(["bench", "load", work, &count.to_string()]).arg(&result).stderr(Stdio::null());
                Ok((command.spawn()?, result))
            };
            let mut done = Vec::new();
            for (mut child, result) in [start(0)?, start(1)?] {
                if child.wait()?.success() {
                    done.push(Took::read(&result)?);
                }
            }
            let seconds = began.elapsed().as_secs_f64();
            let records = watch.ended()?;
            if done.len() < 2 {
                text += &format!("| {name} | - (this file system refuses it) | | | |\n");
                continue;
            }
            let summary = records.last().context("no summary")?;
            let counter = |key: &str| summary["counters"][key].as_u64().unwrap_or(0);
            let writes: u64 = done.iter().map(|took| took.calls).sum();
            text += &format!(
                "| {name} | {:.0} | {:.0} | {} | {} |\n",
                writes as f64 / seconds,
                counter("waits_seen") as f64 / seconds,
                counter("stall_ends_seen"),
                summary["lost"].as_u64().context("no loss in the summary")?,
            );
        }
        Ok(text)
    }

    /// `watch --json` into a file, once it is ready.
    fn watch(&self, flags: &[&str]) -> Result<Watch> {
        let file = self.dir.path().join("records");
        let words = [self.sysprobe.as_str(), "watch", "--json"];
        let script = format!("exec \"$@\" >'{}'", file.display());
        let mut shell: Vec<&str> = vec!["sh", "-c", &script, "sh"];
        shell.extend(words);
        shell.extend(flags);
        Ok(Watch { beside: Beside::start(&shell)?, file })
    }
}

struct Watch {
    beside: Beside,
    file: PathBuf,
}

impl Watch {
    /// Stops it: its records.
    fn ended(mut self) -> Result<Vec<Value>> {
        self.beside.stop()?;
        let text = std::fs::read_to_string(&self.file)?;
        text.lines().map(|line| serde_json::from_str(line).with_context(|| line.to_owned())).collect()
    }
}

/// Runs a benchmark of perf: the time it says it took.
fn seconds(command: &[&str]) -> Result<f64> {
    let said = shell::output(Command::new("perf").args(command))?;
    let line = said.lines().find_map(|line| line.trim().strip_prefix("Total time:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).with_context(|| format!("perf says {said:?}"))
}

/// CPU time that a process has used.
fn cpu_seconds(pid: u32) -> Result<f64> {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat"))?;
    let (_, rest) = stat.rsplit_once(") ").context("no name in stat")?;
    // utime and stime, fields 14 and 15 of proc_pid_stat(5), in 1/100 s (USER_HZ on every x86-64 kernel).
    let ticks: u64 = rest.split(' ').skip(11).take(2).filter_map(|word| word.parse::<u64>().ok()).sum();
    Ok(ticks as f64 / 100.0)
}

/// A line of a process's status, in MiB.
fn memory(pid: u32, key: &str) -> Result<u64> {
    let status = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(key)).context("no memory in status")?;
    Ok(line.split_whitespace().next().context("no number")?.parse::<u64>()? / 1024)
}
