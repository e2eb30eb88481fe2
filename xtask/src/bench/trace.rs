//! `cargo xtask bench trace`: the same workloads bare, under sysprobe and under what people use today.
//!
//! A round runs every tool once on every workload, and the ratio is to that round's bare run. Slow tools get fewer calls;
//! what is compared is the time of one. Every call must be accounted for: by sysprobe's own books and, as text, by
//! the lines in the file.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::beside::Beside;
use super::load::Took;
use super::rounds::Samples;
use super::save;
use crate::build;
use crate::shell::{self, in_path};

#[derive(clap::Args)]
pub struct Args {
    /// Rounds
    #[arg(long, default_value_t = 5)]
    rounds: u32,
    /// Write the figures to docs/benchmarks.md
    #[arg(long)]
    save: bool,
}

/// What is done.
struct Work {
    name: &'static str,
    /// For `bench load`.
    work: String,
    /// How often, bare and under tools that keep up; and under slow ones.
    counts: (u64, u64),
    /// The call that is counted in text output, and how often an iteration makes it.
    line: Option<&'static str>,
}

/// Something to trace with.
struct Tool {
    name: &'static str,
    /// The program looked for; sysprobe itself where there is none.
    program: Option<&'static str>,
    /// Arguments before the workload; FILE stands for the output.
    args: &'static [&'static str],
    slow: bool,
    /// How to tell what was lost.
    books: Books,
}

enum Books {
    /// sysprobe's last line on standard error; in text also the file's lines.
    Line { text: bool },
    /// sysprobe's last record.
    Record,
    /// Nothing can be lost: the traced process is stopped at each call.
    Stops,
    /// A count after this word in the output or on standard error.
    Says(&'static str),
}

const TOOLS: [Tool; 9] = [
    Tool { name: "bare", program: Some("sh"), args: &[], slow: false, books: Books::Stops },
    Tool {
        name: "sysprobe trace -o FILE",
        program: None,
        args: &["trace", "-o", "FILE", "--"],
        slow: false,
        books: Books::Line { text: true },
    },
    Tool {
        name: "sysprobe trace --json -o FILE",
        program: None,
        args: &["trace", "--json", "-o", "FILE", "--"],
        slow: false,
        books: Books::Record,
    },
    Tool {
        name: "sysprobe trace -c -o FILE",
        program: None,
        args: &["trace", "-c", "-o", "FILE", "--"],
        slow: false,
        books: Books::Line { text: false },
    },
    Tool {
        name: "strace -f -o FILE",
        program: Some("strace"),
        args: &["strace", "-f", "-o", "FILE"],
        slow: true,
        books: Books::Stops,
    },
    Tool {
        name: "strace -f -c -o FILE",
        program: Some("strace"),
        args: &["strace", "-f", "-c", "-o", "FILE"],
        slow: true,
        books: Books::Stops,
    },
    Tool {
        name: "perf trace -o FILE",
        program: Some("perf"),
        args: &["perf", "trace", "-o", "FILE"],
        slow: true,
        books: Books::Says("LOST"),
    },
    Tool {
        name: "perf trace -s -o FILE",
        program: Some("perf"),
        args: &["perf", "trace", "-s", "-o", "FILE"],
        slow: true,
        books: Books::Says("LOST"),
    },
    Tool {
        name: "bpftrace -o FILE (printf)",
        program: Some("bpftrace"),
        args: &[
            "bpftrace",
            "-o",
            "FILE",
            "-e",
            "tracepoint:raw_syscalls:sys_exit /pid == cpid/ { printf(\"%d %d %d\\n\", tid, args.id, args.ret); }",
            "-c",
        ],
        slow: true,
        books: Books::Says("Lost"),
    },
];

/// One tool on one workload, over the rounds.
#[derive(Default)]
struct Cell {
    ratio: Samples,
    each_ns: Samples,
    lost: Option<u64>,
    peak_kib: u64,
    why_not: Option<String>,
}

/// Files in the tree that is archived.
const FILES: usize = 2_000;

pub fn main(args: &Args) -> Result<()> {
    let bench = Bench::new()?;
    let works = [
        Work {
            name: "`pread` of 1 byte of a file",
            work: "pread".into(),
            counts: (500_000, 25_000),
            line: Some("pread64("),
        },
        Work {
            name: "`pread` of 1 byte of /dev/zero",
            work: "pread-zero".into(),
            counts: (500_000, 25_000),
            line: Some("pread64("),
        },
        Work { name: "open, read, close", work: "open".into(), counts: (100_000, 8_000), line: Some("openat(") },
        Work {
            name: "tar of 2,000 files",
            work: format!("tar cf - -C {} . | cat", bench.tree()?.display()),
            counts: (3, 1),
            line: None,
        },
    ];
    let mut cells: Vec<Vec<Cell>> = works.iter().map(|_| TOOLS.iter().map(|_| Cell::default()).collect()).collect();
    let mut untraced = [Samples::default(), Samples::default()];
    for round in 1..=args.rounds {
        eprintln!("bench: round {round} of {}", args.rounds);
        for (work, row) in works.iter().zip(&mut cells) {
            let mut bare = f64::NAN;
            for (tool, cell) in TOOLS.iter().zip(row) {
                match bench.once(tool, work) {
                    Ok((took, lost)) => {
                        if tool.args.is_empty() {
                            bare = took.each();
                        }
                        cell.ratio.push(took.each() / bare);
                        cell.each_ns.push(took.each());
                        cell.lost = lost.map(|lost| lost + cell.lost.unwrap_or(0)).or(cell.lost);
                        cell.peak_kib = cell.peak_kib.max(took.parent_kib);
                    }
                    Err(why) => cell.why_not = Some(format!("{why:#}")),
                }
            }
        }
        bench.untraced(&mut untraced)?;
    }
    let text = table(&works, &cells, &untraced, args.rounds);
    print!("{text}");
    if args.save {
        save::save("trace", &text)?;
    }
    Ok(())
}

struct Bench {
    sysprobe: PathBuf,
    own: PathBuf,
    dir: tempfile::TempDir,
}

impl Bench {
    fn new() -> Result<Self> {
        let sysprobe = build::sysprobe(true)?;
        let own = std::env::current_exe().context("where is xtask?")?;
        Ok(Self { sysprobe, own, dir: tempfile::tempdir()? })
    }

    /// A tree of small files in folders, as sources are.
    fn tree(&self) -> Result<PathBuf> {
        let tree = self.dir.path().join("tree");
        for file in 0..FILES {
            let folder = tree.join(format!("{:02}", file % 40));
            std::fs::create_dir_all(&folder)?;
            std::fs::write(folder.join(format!("{file}.txt")), "line\n".repeat(file % 800))?;
        }
        Ok(tree)
    }

    fn file(&self) -> PathBuf {
        self.dir.path().join("output")
    }

    fn load(&self, work: &Work, count: u64) -> Vec<String> {
        let result = self.dir.path().join("result").display().to_string();
        [self.own.display().to_string().as_str(), "bench", "load", &work.work, &count.to_string(), &result]
            .map(str::to_owned)
            .to_vec()
    }

    /// Runs one tool on one workload: what the workload says of itself, and what the tool lost if that can be told.
    fn once(&self, tool: &Tool, work: &Work) -> Result<(Took, Option<u64>)> {
        if let Some(program) = tool.program.filter(|program| !in_path(program)) {
            bail!("not in PATH: {program}");
        }
        let count = if tool.slow { work.counts.1 } else { work.counts.0 };
        let file = self.file();
        let result = self.dir.path().join("result");
        let _ = std::fs::remove_file(&result);
        let mut words: Vec<String> = match tool.program {
            None => vec![self.sysprobe.display().to_string()],
            Some(_) => Vec::new(),
        };
        words.extend(tool.args.iter().map(|arg| arg.replace("FILE", &file.display().to_string())));
        let load = self.load(work, count);
        if tool.args.last() == Some(&"-c") && tool.program == Some("bpftrace") {
            words.push(load.join(" "));
        } else {
            words.extend(load);
        }
        let (program, arguments) = words.split_first().context("no command")?;
        let done = shell::as_root(program).args(arguments).stdin(Stdio::null()).output()?;
        let said = String::from_utf8_lossy(&done.stderr);
        if !done.status.success() {
            bail!("{}", said.lines().last().unwrap_or("no message"));
        }
        let took = Took::read(&result)?;
        let lost = match &tool.books {
            Books::Stops => Some(0),
            Books::Line { text } => {
                let lost = balanced(&said)?;
                if let (true, Some(line)) = (*text, work.line) {
                    let lines = lines_with(&file, line)?;
                    if lines + lost < count {
                        bail!("{count} calls were made, {lines} lines with {line} written, and {lost} called lost");
                    }
                }
                Some(lost)
            }
            Books::Record => Some(last_record(&file)?),
            Books::Says(word) => Some(said_lost(&said, word) + said_lost(&read_lossy(&file)?, word)),
        };
        let _ = std::fs::remove_file(&file);
        Ok((took, lost))
    }

    /// What a process pays that nobody traces, while another is traced: with empty probes, and with sysprobe's.
    fn untraced(&self, samples: &mut [Samples; 2]) -> Result<()> {
        let work = Work { name: "", work: "pread".into(), counts: (500_000, 0), line: None };
        let Some(bare) = TOOLS.first() else { return Ok(()) };
        let once = || self.once(bare, &work).map(|(took, _)| took.each());
        let alone = once()?;
        let mut sleeper = Command::new("sleep").arg("600").spawn()?;
        let pid = sleeper.id().to_string();
        let own = self.own.display().to_string();
        let sysprobe = self.sysprobe.display().to_string();
        let with = |words: &[&str]| -> Result<f64> {
            let mut beside = Beside::start(words)?;
            let ratio = once()? / alone;
            beside.stop()?;
            Ok(ratio)
        };
        let measured = (
            // The same tracepoints as `trace` hooks that this workload passes.
            with(&[&own, "bench", "empty", "sys_enter", "sys_exit", "sched_switch", "sched_waking"]),
            with(&[&sysprobe, "trace", "--pid", &pid]),
        );
        sleeper.kill()?;
        sleeper.wait()?;
        let [empty, trace] = samples;
        empty.push(measured.0?);
        trace.push(measured.1?);
        Ok(())
    }
}

/// The lost calls in `N calls = A shown + B lost`, which must add up.
fn balanced(said: &str) -> Result<u64> {
    let line = said.lines().rfind(|line| line.contains(" calls = ")).context("sysprobe printed no books")?;
    if line.contains("not accounted for") {
        bail!("{line}");
    }
    let words: Vec<&str> = line.split([' ', ';']).collect();
    let before = words.iter().position(|word| *word == "lost").and_then(|at| words.get(at.checked_sub(1)?));
    before.and_then(|count| count.parse().ok()).with_context(|| format!("no loss in {line:?}"))
}

fn last_record(file: &Path) -> Result<u64> {
    let text = read_lossy(file)?;
    let last: serde_json::Value = serde_json::from_str(text.lines().last().context("no record")?)?;
    last.pointer("/summary/lost")
        .or_else(|| last.get("lost"))
        .and_then(serde_json::Value::as_u64)
        .context("no books in the last record")
}

fn read_lossy(file: &Path) -> Result<String> {
    Ok(String::from_utf8_lossy(&std::fs::read(file).unwrap_or_default()).into_owned())
}

fn lines_with(file: &Path, part: &str) -> Result<u64> {
    let text = read_lossy(file)?;
    Ok(text.lines().filter(|line| line.contains(part)).count() as u64)
}

/// Sums the numbers after `word` (`LOST 12 events!`).
fn said_lost(text: &str, word: &str) -> u64 {
    let after = text.split(word).skip(1);
    after.filter_map(|rest| rest.split_whitespace().next()?.parse::<u64>().ok()).sum()
}

fn table(works: &[Work], cells: &[Vec<Cell>], untraced: &[Samples; 2], rounds: u32) -> String {
    let mut text = String::new();
    for (work, row) in works.iter().zip(cells) {
        let bare = row.first().map_or(f64::NAN, |cell| cell.each_ns.median());
        let unit =
            if work.line.is_some() { format!("{bare:.0} ns an iteration") } else { format!("{:.0} ms", bare / 1e6) };
        text += &format!("**{}** (bare: {unit}; {rounds} rounds, median and range)\n\n", work.name);
        text += "| tool | times bare | calls lost | its memory |\n|---|---|---|---|\n";
        for (tool, cell) in TOOLS.iter().zip(row).skip(1) {
            if cell.ratio.is_empty() {
                text += &format!("| {} | - ({}) | | |\n", tool.name, cell.why_not.as_deref().unwrap_or("not run"));
                continue;
            }
            let lost = cell.lost.map_or("?".to_owned(), |lost| lost.to_string());
            let peak = format!("{} MiB", cell.peak_kib / 1024);
            text += &format!("| {} | {} | {lost} | {peak} |\n", tool.name, cell.ratio.shown(2));
            if let Some(why) = &cell.why_not {
                eprintln!("bench: {} once failed: {why}", tool.name);
            }
        }
        text.push('\n');
    }
    let [empty, trace] = untraced;
    text += "**A process that nobody traces** (`pread` of 1 byte, while another process is traced)\n\n";
    text += "| attached | times bare |\n|---|---|\n";
    text += &format!("| empty programs on the same tracepoints | {} |\n", empty.shown(2));
    text += &format!("| `sysprobe trace --pid` of a sleeper | {} |\n", trace.shown(2));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_books_are_read_and_must_balance() {
        assert_eq!(balanced("x\nsysprobe: 10 calls = 6 shown + 4 lost; more room: --buffer\n").unwrap(), 4);
        assert_eq!(balanced("sysprobe: 2 calls = 2 summed + 0 lost").unwrap(), 0);
        assert!(balanced("sysprobe: 3 calls = 2 shown + 0 lost (1 not accounted for)").is_err());
        assert!(balanced("nothing").is_err());
    }

    #[test]
    fn what_others_lost_is_summed() {
        assert_eq!(said_lost("LOST 12 events!\nfine\nLOST 3 events!", "LOST"), 15);
        assert_eq!(said_lost("nothing", "LOST"), 0);
    }
}
