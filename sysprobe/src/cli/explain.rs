//! `sysprobe explain PID`: a process of this host; `--stack FILE` and `--kernel-log FILE`: pasted text, with no privilege and no eBPF.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;

use super::Failure;
use super::failure::RUNTIME;
use crate::explain::kernel_log::{Item, Reader};
use crate::explain::stack::Mode;
use crate::explain::{record, text};
use crate::watch;

/// Explains a stuck process, or a pasted stack or kernel log
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sudo sysprobe explain 4711                   what its threads wait for, and who is to blame
  dmesg | sysprobe explain --kernel-log -      FILE may be -, which is standard input")]
pub struct ExplainArgs {
    /// A process, or one of its threads
    #[arg(value_name = "PID", required_unless_present_any = ["stack", "kernel_log"], conflicts_with_all = ["stack", "kernel_log"])]
    pid: Option<u32>,
    /// Kernel stacks: /proc/PID/stack, hung-task reports, sysrq-w, crash bt, perf, bpftrace, or one name a line.
    #[arg(long, value_name = "FILE", conflicts_with = "kernel_log")]
    stack: Option<PathBuf>,
    /// A kernel log as dmesg, journalctl -k or /var/log print it: hung tasks and OOM kills are explained.
    #[arg(long, value_name = "FILE")]
    kernel_log: Option<PathBuf>,
    /// Print one JSON record a line.
    #[arg(long)]
    json: bool,
}

/// Explains the text the arguments name.
pub fn run(args: &ExplainArgs) -> anyhow::Result<ExitCode> {
    if let Some(pid) = args.pid {
        return watch::explain(pid, args.json);
    }
    let (path, mode) = match (&args.stack, &args.kernel_log) {
        (Some(path), _) => (path, Mode::Stack),
        (None, Some(path)) => (path, Mode::Log),
        (None, None) => return Err(Failure::usage("give PID, --stack FILE or --kernel-log FILE")),
    };
    let input = open(path)?;
    if args.json {
        let mut out = io::BufWriter::new(io::stdout().lock());
        explain_json(input, path, mode, &mut out)?;
        out.flush()?;
    } else {
        let mut out = anstream::AutoStream::auto(io::stdout()).lock();
        explain_text(input, path, mode, &mut out)?;
        out.flush()?;
    }
    Ok(ExitCode::SUCCESS)
}

fn open(path: &Path) -> anyhow::Result<Box<dyn BufRead>> {
    if path == Path::new("-") {
        return Ok(Box::new(BufReader::with_capacity(1 << 16, io::stdin())));
    }
    let file = File::open(path).and_then(|file| {
        let is_dir = file.metadata()?.is_dir();
        if is_dir { Err(io::Error::from(io::ErrorKind::IsADirectory)) } else { Ok(file) }
    });
    match file {
        Ok(file) => Ok(Box::new(BufReader::with_capacity(1 << 16, file))),
        Err(error) => {
            let step = match error.kind() {
                io::ErrorKind::NotFound => "check the path, or pipe the text in and give -",
                io::ErrorKind::PermissionDenied => {
                    "run as a user who may read it, or pipe the text in: sudo cat FILE | sysprobe explain .. -"
                }
                _ => "pipe the text in and give -",
            };
            let message = format!("cannot read {}: {error}; {step}", path.display());
            Err(Failure { code: RUNTIME, message }.into())
        }
    }
}

fn explain_json(input: Box<dyn BufRead>, path: &Path, mode: Mode, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut reader = Reader::new(input, mode);
    let mut any = false;
    while let Some(item) = reader.next_item().with_context(|| format!("cannot read {}", path.display()))? {
        any = true;
        let record = match item {
            Item::Stall(stall) => record::stall(&stall),
            Item::Oom(report) => record::oom_kill(&report),
        };
        serde_json::to_writer(&mut *out, &record)?;
        out.write_all(b"\n")?;
        out.flush()?;
    }
    if !any {
        eprintln!("sysprobe: {}", nothing(mode));
    }
    Ok(())
}

fn explain_text(input: Box<dyn BufRead>, path: &Path, mode: Mode, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut reader = Reader::new(input, mode);
    let mut groups = text::Groups::default();
    let mut kills = 0u64;
    while let Some(item) = reader.next_item().with_context(|| format!("cannot read {}", path.display()))? {
        match item {
            Item::Stall(stall) => groups.add(stall),
            Item::Oom(report) => {
                kills += 1;
                text::write_oom(out, &report)?;
            }
        }
    }
    groups.write(out)?;
    if groups.is_empty() && kills == 0 {
        writeln!(out, "{}", nothing(mode))?;
        let idle = reader.totals().not_blocked;
        if idle > 0 {
            writeln!(out, "{idle} tasks were listed, none of them in uninterruptible sleep (D)")?;
        }
    }
    Ok(())
}

fn nothing(mode: Mode) -> &'static str {
    match mode {
        Mode::Stack => {
            "no kernel stack was recognised; understood are /proc/PID/stack, hung-task reports, sysrq-w and -t, crash bt, perf, \
             ftrace, bpftrace and bcc stacks, and function names one a line"
        }
        Mode::Log => {
            "no hung task and no OOM kill was recognised; understood is what dmesg, journalctl -k and /var/log print, with or \
             without stamps, of kernels 3.10 and later; for a stack alone use --stack"
        }
    }
}
