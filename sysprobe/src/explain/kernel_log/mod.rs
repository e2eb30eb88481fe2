//! Walks a kernel log, or pasted stacks, of any size and yields what went wrong in it: stalls and OOM kills, in order.
//!
//! Lines are read once and forgotten; what is kept is bounded (one task, one OOM report, the stalls of one hung-task
//! round). It reads from whatever it is given and judges nothing itself: `classify` and `oom::judge` do.

mod hints;
mod lines;
mod link;
mod locks;

use std::collections::VecDeque;
use std::io::{self, BufRead};

use super::cause::{Cause, Evidence};
use super::classify::{Verdict, classify};
use super::line::Line;
use super::oom;
use super::stack::{Assembler, Mode, Origin, TaskStack};
use hints::Hints;
use lines::Lines;
use locks::Locks;

pub use lines::MAX_LINE;

/// Stalls that are joined with each other at most; a hung-task round reports ten by default.
const MAX_ROUND: usize = 256;
/// So many lines without a stall end a round.
const ROUND_LINES: u64 = 400;

/// One blocked task and why.
#[derive(Clone, Debug)]
pub struct Stall {
    /// The task and its stack.
    pub task: TaskStack,
    /// What its frames say.
    pub verdict: Verdict,
    /// The cause with the chain as far as the whole report shows it.
    pub cause: Cause,
    /// What that rests on.
    pub evidence: Evidence,
    /// The root's key where the chain leads to another task.
    pub root: Option<String>,
}

impl Stall {
    fn new(task: TaskStack, hints: &Hints) -> Self {
        let verdict = classify(&task.frames, &task.unreliable);
        let frames = if task.frames.is_empty() { &task.unreliable } else { &task.frames };
        let mut cause = verdict.cause(frames);
        let mut evidence = verdict.evidence(&task.frames, &task.unreliable);
        evidence.user_stack.clone_from(&task.user);
        for (link, line) in hints.links(verdict.class, task.line) {
            cause.chain.push(link);
            evidence.log_lines.push(line);
        }
        Self { task, verdict, cause, evidence, root: None }
    }

    /// The command name, empty when the text has none.
    pub fn comm(&self) -> &str {
        self.task.comm.as_deref().unwrap_or("")
    }

    /// Whether the task is a kernel thread, which no signal ends.
    pub fn is_kernel_thread(&self) -> bool {
        self.task.ppid == Some(2) || self.task.frames.iter().any(|f| f.name == "kthread")
    }
}

/// One thing found in a log.
#[derive(Clone, Debug)]
pub enum Item {
    /// A blocked task.
    Stall(Box<Stall>),
    /// An OOM kill.
    Oom(Box<oom::Report>),
}

/// What was read, for the summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Lines.
    pub lines: u64,
    /// Tasks listed that are not blocked (sysrq-t lists all).
    pub not_blocked: u64,
}

/// Reads a text and yields what it finds.
#[derive(Debug)]
pub struct Reader<R> {
    lines: Lines<R>,
    mode: Mode,
    assembler: Assembler,
    oom: oom::Parser,
    hints: Hints,
    locks: Locks,
    /// The stalls of the round at hand.
    round: Vec<Stall>,
    last_stall: u64,
    ready: VecDeque<Item>,
    totals: Totals,
    ended: bool,
}

impl<R: BufRead> Reader<R> {
    /// A reader of `text`, taken for `mode`.
    pub fn new(text: R, mode: Mode) -> Self {
        Self {
            lines: Lines::new(text),
            mode,
            assembler: Assembler::new(mode),
            oom: oom::Parser::default(),
            hints: Hints::default(),
            locks: Locks::default(),
            round: Vec::new(),
            last_stall: 0,
            ready: VecDeque::new(),
            totals: Totals::default(),
            ended: false,
        }
    }

    /// What was read so far.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// The next thing found; `None` at the end of the text.
    pub fn next_item(&mut self) -> io::Result<Option<Item>> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Ok(Some(item));
            }
            if self.ended {
                return Ok(None);
            }
            self.step()?;
        }
    }

    fn step(&mut self) -> io::Result<()> {
        let Some((number, bytes)) = self.lines.next_line()? else {
            self.ended = true;
            let task = self.assembler.finish();
            self.take_task(task);
            self.close_round();
            self.ready.extend(self.oom.finish().map(|report| Item::Oom(Box::new(report))));
            return Ok(());
        };
        self.totals.lines = number;
        let raw = String::from_utf8_lossy(bytes);
        let line = Line::parse(&raw);
        let (report, of_oom) = self.oom.feed(number, &line);
        let task = self.assembler.feed(number, &line);
        if !of_oom && !self.locks.take(line.text) {
            self.hints.take(number, line.text);
        }
        self.take_task(task);
        if number.saturating_sub(self.last_stall) > ROUND_LINES || self.round.len() >= MAX_ROUND {
            self.close_round();
        }
        self.ready.extend(report.map(|report| Item::Oom(Box::new(report))));
        Ok(())
    }

    fn take_task(&mut self, task: Option<TaskStack>) {
        let Some(task) = task else { return };
        self.last_stall = self.totals.lines;
        if !is_blocked(&task, self.mode) {
            self.totals.not_blocked += 1;
            return;
        }
        self.round.push(Stall::new(task, &self.hints));
    }

    fn close_round(&mut self) {
        if self.round.is_empty() {
            return;
        }
        link::complete(&mut self.round, &self.locks);
        self.ready.extend(self.round.drain(..).map(|stall| Item::Stall(Box::new(stall))));
    }
}

/// Tasks with a state count when it is D; a log's frames without any header are no task's.
fn is_blocked(task: &TaskStack, mode: Mode) -> bool {
    match (task.origin, task.state) {
        (Origin::HungTask, _) => true,
        (_, Some(state)) => state == 'D',
        (Origin::Listed, None) => true,
        (Origin::Bare, None) => mode == Mode::Stack || looks_blocked(task),
    }
}

/// Frames cut off from their header still show a sleeper: its innermost frames are the scheduler's or a known wait.
fn looks_blocked(task: &TaskStack) -> bool {
    let verdict = classify(&task.frames, &task.unreliable);
    let sleeps = task.frames.iter().chain(&task.unreliable).take(4).any(|f| f.name.contains("schedule"));
    sleeps || verdict.confidence == super::cause::Confidence::High
}
