//! The workloads: each does a known number of calls and says how long they took, without its own start and end, so that
//! a tracer's start-up is not counted as its cost.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

#[derive(clap::Args)]
pub struct Args {
    /// pread, open, or a shell command
    work: String,
    /// How often
    count: u64,
    /// Where the result goes: ns, calls made, and the parent's peak memory in KiB
    result: PathBuf,
}

pub fn main(args: &Args) -> Result<()> {
    let calls = match args.work.as_str() {
        "open" => args.count * 3,
        _ => args.count,
    };
    // Everything that is needed is there before the clock starts.
    let zero = File::open("/dev/zero")?;
    let mut byte = [0u8];
    let began = Instant::now();
    match args.work.as_str() {
        "pread" => {
            for _ in 0..args.count {
                zero.read_at(&mut byte, 0)?;
            }
        }
        "open" => {
            for _ in 0..args.count {
                File::open("/dev/zero")?.read_exact(&mut byte)?;
            }
        }
        shell => {
            for _ in 0..args.count {
                let status = Command::new("sh").args(["-c", shell]).stdout(Stdio::null()).status()?;
                if !status.success() {
                    bail!("{shell}: {status}");
                }
            }
        }
    }
    let took = began.elapsed();
    std::fs::write(&args.result, format!("{} {calls} {}", took.as_nanos(), parents_peak().unwrap_or(0)))?;
    Ok(())
}

/// Peak memory of the process that started this one (the tracer, where there is one), in KiB.
fn parents_peak() -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", std::os::unix::process::parent_id())).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.split_whitespace().next()?.parse().ok()
}

/// What a workload said of itself.
#[derive(Clone, Copy, Debug)]
pub struct Took {
    /// The whole work, in ns.
    pub ns: u64,
    /// Calls it made; of a shell command, how often it ran.
    pub calls: u64,
    /// Its parent's peak memory, in KiB.
    pub parent_kib: u64,
}

impl Took {
    /// Reads a result, which must be there.
    pub fn read(path: &std::path::Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).context("the workload left no result")?;
        let numbers: Vec<u64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [ns, calls, parent_kib] = numbers[..] else { bail!("the workload says {text:?}") };
        Ok(Self { ns, calls, parent_kib })
    }

    /// One call (or one run of a shell command), in ns.
    pub fn each(&self) -> f64 {
        self.ns as f64 / self.calls.max(1) as f64
    }
}
