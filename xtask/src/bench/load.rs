//! The workloads: each does a known number of calls and says how long they took, without its own start and end, so that
//! a tracer's start-up is not counted as its cost.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

#[derive(clap::Args)]
pub struct Args {
    /// pread, pread-zero, open, sleepers, vfork, fsync, direct, or a shell command
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
    let cached = File::open("/proc/self/exe")?;
    let mut byte = [0u8];
    let began = Instant::now();
    match args.work.as_str() {
        "pread" => {
            for _ in 0..args.count {
                cached.read_at(&mut byte, 0)?;
            }
        }
        "pread-zero" => {
            for _ in 0..args.count {
                zero.read_at(&mut byte, 0)?;
            }
        }
        "open" => {
            for _ in 0..args.count {
                File::open("/dev/zero")?.read_exact(&mut byte)?;
            }
        }
        // Threads that sleep, until standard input closes.
        "sleepers" => return sleepers(args.count),
        // A child that its parent waits for in uninterruptible sleep, until it is killed.
        "vfork" => return vfork(),
        "fsync" => blocks(args, 0)?,
        "direct" => blocks(args, libc::O_DIRECT)?,
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

fn sleepers(count: u64) -> Result<()> {
    for _ in 0..count {
        let sleep = || std::thread::park_timeout(std::time::Duration::from_secs(3600));
        std::thread::Builder::new().stack_size(16 * 1024).spawn(sleep)?;
    }
    println!("ready");
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

fn vfork() -> Result<()> {
    println!("ready");
    let flags = libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: without CLONE_VM the child has its own memory, and it only waits.
    let child = unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) };
    if child == 0 {
        // SAFETY: no pointers. The child ends with its parent, which a signal may end at any time.
        unsafe {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            loop {
                libc::pause();
            }
        }
    }
    Ok(())
}

/// Writes blocks beside the result: each flushed to the disk, or past the page cache.
fn blocks(args: &Args, flags: libc::c_int) -> Result<()> {
    const BLOCK: usize = 4096;
    // O_DIRECT wants its memory aligned to the block.
    let room = vec![b'x'; 2 * BLOCK];
    let from = room.as_ptr().align_offset(BLOCK);
    let block = room.get(from..from + BLOCK).context("no aligned block")?;
    let path = args.result.with_extension("blocks");
    let file = File::options().write(true).create(true).truncate(true).custom_flags(flags).open(&path)?;
    for index in 0..args.count {
        file.write_all_at(block, index % 256 * BLOCK as u64)?;
        if flags == 0 {
            file.sync_data()?;
        }
    }
    std::fs::remove_file(&path)?;
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
