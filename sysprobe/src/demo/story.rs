//! What the demo tells: before each fault what it does, then the verdict as `watch` gives it, then what that showed.

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::bail;

use super::What;
use super::director::Director;
use super::hands::{CACHE_MIB, LEAK_MIB, LIMIT_MIB, Order, Reply};
use crate::analyze::{CloseWaitLimits, Finding};
use crate::cli::{Failure, HOST, RUNTIME};
use crate::explain::printable::printable;
use crate::record::{Body, Episode, Phase, WallClock};
use crate::sink::{Feed, Sink as _};
use crate::watch::Stop;

/// How long a verdict may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long one process is quiet, so that it is known to be.
const QUIET: Duration = Duration::from_secs(4);
/// Columns of a paragraph.
const WIDEST: usize = 100;
const NARROWEST: usize = 40;
const NO_VERDICT: &str = "No verdict came in time: this host hides its processes' numbers from the demo (it runs in a pid \
                          namespace of its own), or that is a bug. `sysprobe check` may know.";
const BOLD: anstyle::Style = anstyle::Style::new().bold();

/// The teller.
pub struct Story {
    director: Director,
    findings: Receiver<Finding>,
    asked: Stop,
    limits: CloseWaitLimits,
    feed: Feed<anstream::AutoStream<std::io::Stdout>>,
}

/// What became of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Yes,
    /// This host has not what it takes.
    Cannot,
    /// The fault was made and nothing was said.
    NoVerdict,
}

impl Story {
    /// With findings of a watch that has these limits.
    pub fn new(director: Director, findings: Receiver<Finding>, asked: Stop, limits: CloseWaitLimits) -> Self {
        let feed = Feed::new(anstream::stdout(), WallClock::now(), jiff::tz::TimeZone::system());
        Self { director, findings, asked, limits, feed }
    }

    /// Tells of these faults; in the end everything is undone.
    ///
    /// # Errors
    /// [`Failure`] for what this host can't, or when no verdict came.
    pub fn tell(mut self, what: What) -> anyhow::Result<ExitCode> {
        let told = self.all(what);
        let asked = self.asked.is_stopped();
        let undone = self.director.finish();
        if !undone {
            let message = "not everything could be undone; `sysprobe demo` tries again";
            return Err(Failure { code: RUNTIME, message: message.to_owned() }.into());
        }
        match told {
            Err(_) if asked => {
                eprintln!("sysprobe: interrupted; everything that the demo made is undone");
                Ok(ExitCode::SUCCESS)
            }
            Err(error) => Err(error),
            Ok(shown) => ending(&shown),
        }
    }

    fn all(&mut self, what: What) -> anyhow::Result<Vec<Shown>> {
        for left in self.begin()? {
            say(&format!("A demo that was killed had left {left}: removed."))?;
        }
        let parts: &[What] = match &what {
            What::All => &[What::Stall, What::Oom, What::CloseWait],
            one => std::slice::from_ref(one),
        };
        let mut shown = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let (title, tell): (_, fn(&mut Self) -> anyhow::Result<Shown>) = match part {
                What::Stall | What::All => ("A process that hangs", Self::stall),
                What::Oom => ("A process that is killed for want of memory", Self::oom),
                What::CloseWait => ("A server that leaks connections", Self::close_wait),
            };
            let number = if parts.len() > 1 { format!("{} of {}: ", index + 1, parts.len()) } else { String::new() };
            writeln!(anstream::stdout(), "{BOLD}{number}{title}{BOLD:#}")?;
            let part = tell(self)?;
            if part == Shown::NoVerdict {
                say(NO_VERDICT)?;
            }
            self.order(Order::Undo)?;
            shown.push(part);
        }
        Ok(shown)
    }

    /// Makes the sandbox; what killed demos had left.
    fn begin(&mut self) -> anyhow::Result<Vec<String>> {
        match self.order(Order::Begin)? {
            Reply::Cannot(why) => Err(Failure::host(format!("no sandbox can be made: {why}"))),
            Reply::Done { removed, .. } => Ok(removed),
        }
    }

    fn stall(&mut self) -> anyhow::Result<Shown> {
        say(
            "The demo makes a file system of 16 MiB on a loop device, freezes it as snapshot tools do (fsfreeze), and has \
             a process, demo-writer, make a file there. It will sleep uninterruptibly (state D): nobody can end that, not \
             even kill -9, until somebody thaws the file system.",
        )?;
        let pid = match self.order(Order::FrozenFs)? {
            Reply::Cannot(why) => {
                say(&format!(
                    "This host does not let it ({why}). Instead a process, demo-parent, waits in vfork for a child that \
                     takes its time: uninterruptibly (state D) too, but kill -9 would end it."
                ))?;
                self.order(Order::Vfork).and_then(made)?
            }
            done => made(done)?,
        };
        let Some(pid) = pid else { return Ok(Shown::Cannot) };
        let began = Instant::now();
        if self.verdict(|record| is(record, pid, Phase::Open))?.is_none() {
            return Ok(Shown::NoVerdict);
        }
        let took = began.elapsed().as_secs_f64();
        self.order(Order::LetGo)?;
        let closed = self.verdict(|record| is(record, pid, Phase::Close))?.is_some();
        writeln!(anstream::stdout())?;
        let ended = if closed { " When the demo let it go on, that was told of too." } else { "" };
        say(&format!(
            "What you saw: the verdict stood {took:.1} s after the process got stuck, while it was stuck. The rows lead from \
             what it waits for, link by link, to the root cause; `try` is what to do about it.{ended}"
        ))?;
        Ok(Shown::Yes)
    }

    fn oom(&mut self) -> anyhow::Result<Shown> {
        let quiet = QUIET.as_secs();
        say(&format!(
            "The demo makes a memory cgroup with a limit of {LIMIT_MIB} MiB. A process, demo-cache, takes {CACHE_MIB} MiB of it \
             and does nothing for {quiet} s. Then another one, demo-leak, grows to {LEAK_MIB} MiB: more than there is room for. The \
             kernel has to kill one of them. Which, and was it to blame?"
        ))?;
        let Some(cache) = self.order(Order::Cache).and_then(made)? else { return Ok(Shown::Cannot) };
        let began = Instant::now();
        while began.elapsed() < QUIET {
            self.go_on()?;
            std::thread::sleep(Duration::from_millis(50));
        }
        let Some(leak) = self.order(Order::Leak).and_then(made)? else { return Ok(Shown::Cannot) };
        let kill = self.verdict(|record| is(record, cache, Phase::Close) || is(record, leak, Phase::Close))?;
        let Some(Body::OomKill(kill)) = kill else { return Ok(Shown::NoVerdict) };
        let who = kill.process.comm.as_deref().unwrap_or("?");
        let blame = match kill.oom.innocent {
            Some(true) => "was not to blame",
            Some(false) => "was to blame",
            None => "may or may not have been to blame",
        };
        say(&format!(
            "What you saw: the kernel killed {who}, which {blame}. The kernel's own log has the limit, the candidates and their \
             sizes; who grew is known because sysprobe keeps a minute of every process's memory."
        ))?;
        Ok(Shown::Yes)
    }

    fn close_wait(&mut self) -> anyhow::Result<Shown> {
        let CloseWaitLimits { count, over, .. } = self.limits;
        say(&format!(
            "A server on 127.0.0.1, demo-server, accepts connections and never closes one. A client makes one after the other \
             and ends it. That is a leak once {count} of them are in CLOSE_WAIT for over {} s and become more (a demo has no \
             time: the default is 10, for over 10 s).",
            over.as_secs()
        ))?;
        let Some(server) = self.order(Order::Server).and_then(made)? else { return Ok(Shown::Cannot) };
        if self.verdict(|record| is(record, server, Phase::Open))?.is_none() {
            return Ok(Shown::NoVerdict);
        }
        say("What you saw: who holds the connections, under which descriptors, how fast they become more, when the \
             descriptors run out, and what the server fails to do.")?;
        Ok(Shown::Yes)
    }

    /// Shows findings about the demo's own until this one; `None`: it does not come.
    fn verdict(&mut self, is_it: impl Fn(&Body) -> bool) -> anyhow::Result<Option<Body>> {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            self.go_on()?;
            match self.findings.recv_timeout(Duration::from_millis(50)) {
                Ok(finding) if is_it(&finding.body) => {
                    self.feed.write(std::slice::from_ref(&finding))?;
                    return Ok(Some(finding.body));
                }
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => bail!("the watch ended"),
            }
        }
        Ok(None)
    }

    fn order(&mut self, order: Order) -> anyhow::Result<Reply> {
        self.go_on()?;
        self.director.order(order, &self.asked)
    }

    /// Nothing more is told once somebody asked for the end.
    fn go_on(&self) -> anyhow::Result<()> {
        if self.asked.is_stopped() { bail!("interrupted") } else { Ok(()) }
    }
}

/// The process that a fault happens to; `None`: this host can't, which is told.
fn made(reply: Reply) -> anyhow::Result<Option<u32>> {
    match reply {
        Reply::Done { pid, .. } => Ok(pid),
        Reply::Cannot(why) => {
            say(&format!("This host can't: {why}."))?;
            Ok(None)
        }
    }
}

/// Whether a record is of this process and phase.
fn is(body: &Body, pid: u32, phase: Phase) -> bool {
    let of = |(process, episode): (&crate::enrich::ProcessInfo, &Episode)| process.pid == pid && episode.phase == phase;
    body.episode().is_some_and(of)
}

/// Prints a paragraph and an empty line.
fn say(text: &str) -> std::io::Result<()> {
    let columns = rustix::termios::tcgetwinsize(std::io::stdout()).map_or(WIDEST, |size| size.ws_col.into());
    let text = printable(text);
    let mut out = anstream::stdout();
    writeln!(out, "{}\n", textwrap::fill(&text, columns.clamp(NARROWEST, WIDEST)))?;
    out.flush()
}

/// The last words, and the exit code.
fn ending(shown: &[Shown]) -> anyhow::Result<ExitCode> {
    if shown.contains(&Shown::NoVerdict) {
        return Err(Failure { code: RUNTIME, message: "a fault was made and not told of".to_owned() }.into());
    }
    if !shown.contains(&Shown::Yes) {
        return Err(Failure { code: HOST, message: "this host has not what the demo takes".to_owned() }.into());
    }
    say("Everything that the demo made is undone. `sudo sysprobe watch` watches this host in the same way.")?;
    Ok(ExitCode::SUCCESS)
}
