//! Puts lines together into tasks: where a stack begins, which header it belongs to, where it ends.
//!
//! Reports of running tasks (oops, OOM, warnings, NMI backtraces) carry call traces too; those are skipped. Memory is
//! bounded by one task, whatever the text.

use super::frames::{FrameLine, is_outermost, parse_frames};
use super::tasks::{Blocker, Header, parse_blocker, parse_header};
use super::{Origin, TaskStack};
use crate::explain::frame::{Frame, MAX_FRAMES};
use crate::explain::line::Line;

/// What kind of text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Stacks somebody pasted: every form counts, a bare name on a line too.
    Stack,
    /// A kernel log: only what the kernel prints counts.
    Log,
}

/// A command name is cut here; the kernel's own limit is 16, thread names of pasted reports may be longer.
const MAX_COMM: usize = 64;

/// Takes lines, gives tasks.
#[derive(Debug)]
pub struct Assembler {
    mode: Mode,
    current: Option<TaskStack>,
    /// The stack of `current` has ended; a frame that follows is another task's.
    closed: bool,
    /// Inside `Call Trace:`, where a blank line means nothing.
    in_trace: bool,
    /// The report at hand is of a running task.
    running: bool,
    /// A watchdog announced the stack of a stuck service thread.
    watchdog: bool,
    wchan: Option<Frame>,
}

impl Assembler {
    /// An assembler for one text.
    pub fn new(mode: Mode) -> Self {
        Self { mode, current: None, closed: false, in_trace: false, running: false, watchdog: false, wchan: None }
    }

    /// Takes one line; gives the task that this line shows to be complete.
    pub fn feed(&mut self, number: u64, line: &Line<'_>) -> Option<TaskStack> {
        let text = line.text;
        if line.blank {
            self.closed |= !self.in_trace && self.current.as_ref().is_some_and(TaskStack::has_frames);
            return None;
        }
        if let Some(blocker) = parse_blocker(text) {
            self.attach_blocker(blocker);
            return None;
        }
        if self.mode == Mode::Log && text.starts_with("Pid: ") && !self.watchdog {
            // Before 3.8 dump_stack() of a running task starts like this.
            self.running = true;
            return self.take();
        }
        if starts_running_report(text) {
            self.running = true;
            return self.take();
        }
        self.watchdog |= text.contains("was inactive for") || text.contains("dumping the stack trace");
        if let Some(header) = self.header(text) {
            return self.introduce(header, number, line);
        }
        if text.eq_ignore_ascii_case("call trace:") || text.starts_with("Backtrace:") {
            self.in_trace = true;
            let next = if self.current.as_ref().is_some_and(TaskStack::has_frames) { self.take() } else { None };
            return next;
        }
        if self.mark(text) {
            return None;
        }
        self.frames(text, number, line)
    }

    /// The task left when the text ends.
    pub fn finish(&mut self) -> Option<TaskStack> {
        self.take()
    }

    fn header(&self, text: &str) -> Option<Header> {
        // Most lines of a log are nobody's header; a cheap look spares the parsing.
        let possible = self.mode == Mode::Stack
            || text.contains("INFO: task ")
            || text.starts_with("task:")
            || text.starts_with("Pid: ")
            || text.rsplit(' ').next().is_some_and(|word| word.starts_with("0x"));
        if !possible {
            return None;
        }
        let header = parse_header(text)?;
        let kernel_form = header.hung || text.starts_with("task:") || text.starts_with("Pid: ") || text.contains(" 0x");
        (self.mode == Mode::Stack || kernel_form).then_some(header)
    }

    fn introduce(&mut self, header: Header, number: u64, line: &Line<'_>) -> Option<TaskStack> {
        let same = self.current.as_ref().is_some_and(|task| {
            !task.has_frames()
                && (!header.starts || header.tid.is_none() || task.tid.is_none() || task.tid == header.tid)
        });
        let done = if same { None } else { self.take() };
        self.running = false;
        self.watchdog = false;
        let task = self.current.get_or_insert_with(|| new_task(number, line));
        if header.hung {
            task.origin = Origin::HungTask;
        } else if task.origin == Origin::Bare {
            task.origin = Origin::Listed;
        }
        if let Some(comm) = header.comm {
            task.comm = Some(comm.chars().take(MAX_COMM).collect());
        }
        task.tid = header.tid.or(task.tid);
        task.tgid = header.tgid.or(task.tgid);
        task.ppid = header.ppid.or(task.ppid);
        task.state = header.state.or(task.state);
        task.blocked_for_s = header.blocked_for_s.or(task.blocked_for_s);
        done
    }

    /// Lines that say something about the task at hand but are neither header nor frame.
    fn mark(&mut self, text: &str) -> bool {
        match text {
            "<TASK>" | "<IRQ>" | "<NMI>" | "<SOFTIRQ>" => return true,
            "</TASK>" => {
                self.closed = true;
                return true;
            }
            "</IRQ>" | "<EOI>" | "</NMI>" | "</SOFTIRQ>" => {
                // What was pushed so far is the interrupt's part.
                if let Some(task) = &mut self.current {
                    task.frames.clear();
                    task.unreliable.clear();
                }
                return true;
            }
            _ => {}
        }
        let Some(task) = &mut self.current else {
            self.wchan = wchan(text).or_else(|| self.wchan.take());
            return false;
        };
        if let Some(work) = text.strip_prefix("Workqueue: ") {
            task.workqueue = Some(work.chars().take(128).collect());
            return true;
        }
        if let Some(at) = text.find("ainted") {
            task.kernel = task.kernel.take().or_else(|| text.get(at..).and_then(kernel_release));
            return true;
        }
        if let Some(frame) = wchan(text) {
            self.wchan = Some(frame);
            return !text.contains("stack=");
        }
        false
    }

    fn frames(&mut self, text: &str, number: u64, line: &Line<'_>) -> Option<TaskStack> {
        if self.mode == Mode::Log && self.current.is_none() && !text.contains("+0x") && !text.contains("[<") {
            return None;
        }
        let bare = self.mode == Mode::Stack && !self.in_trace;
        let parsed = parse_frames(text, bare)?;
        if self.running {
            return None;
        }
        match parsed {
            FrameLine::End => {
                self.closed = true;
                None
            }
            FrameLine::User(name) => {
                self.closed |= self.current.as_ref().is_some_and(|task| !task.frames.is_empty());
                if let Some(task) = self.current.as_mut().filter(|task| task.user.len() < MAX_FRAMES) {
                    task.user.push(name);
                }
                None
            }
            FrameLine::Whole(frames) => {
                let occupied = self.current.as_ref().is_some_and(TaskStack::has_frames);
                let done = if occupied { self.take() } else { None };
                let task = self.current.get_or_insert_with(|| one_liner(text, number, line));
                task.frames = frames.into_iter().take(MAX_FRAMES).collect();
                self.closed = true;
                done
            }
            FrameLine::Kernel(frame, sure) => {
                // `ret_from_fork_asm` behind `ret_from_fork`: still the same end.
                if self.closed && is_outermost(&frame.name) {
                    return None;
                }
                let done = if self.closed { self.take() } else { None };
                self.closed = sure && is_outermost(&frame.name);
                let task = self.current.get_or_insert_with(|| new_task(number, line));
                let list = if sure { &mut task.frames } else { &mut task.unreliable };
                if list.len() < MAX_FRAMES {
                    list.push(frame);
                }
                done
            }
        }
    }

    fn attach_blocker(&mut self, blocker: Blocker) {
        if let Some(task) = self.current.as_mut().filter(|task| task.tid == Some(blocker.waiter.1)) {
            task.blocker = Some(blocker);
            self.closed = true;
        }
    }

    fn take(&mut self) -> Option<TaskStack> {
        self.closed = false;
        self.in_trace = false;
        let wchan = self.wchan.take();
        let mut task = self.current.take()?;
        if !task.has_frames() {
            task.frames.extend(wchan);
        }
        (task.has_frames() || task.origin == Origin::HungTask).then_some(task)
    }
}

fn new_task(number: u64, line: &Line<'_>) -> TaskStack {
    let short = |text: &str| text.chars().take(64).collect::<String>();
    TaskStack { line: number, time: line.time.map(short), host: line.host.map(short), ..TaskStack::default() }
}

/// `qemu pid 113382 D-state 10s wchan=.. stack=..`, or bcc's folded `comm;..`.
fn one_liner(text: &str, number: u64, line: &Line<'_>) -> TaskStack {
    let mut task = new_task(number, line);
    if let Some((comm, rest)) = text.split_once(" pid ") {
        task.comm = Some(comm.chars().take(MAX_COMM).collect());
        task.tid = rest.split_ascii_whitespace().next().and_then(|pid| pid.parse().ok());
    } else if let Some((comm, _)) = text.split_once(';') {
        task.comm = Some(comm.chars().take(MAX_COMM).collect());
    }
    task
}

fn wchan(text: &str) -> Option<Frame> {
    let at = text.find("wchan")?;
    let rest = text.get(at + 5..)?.trim_start_matches([':', '=', ' ', '\t']);
    Frame::new(rest.split([' ', '+', '\t']).next()?, None)
}

/// The release in `Not tainted 6.4.0 #1` or `Tainted: G        W          6.4.0 #1`.
fn kernel_release(text: &str) -> Option<String> {
    let release = text
        .split_ascii_whitespace()
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.') && word.len() <= 64)?;
    Some(release.to_owned())
}

/// First lines of reports whose call trace is that of a running task.
fn starts_running_report(text: &str) -> bool {
    const STARTS: &[&str] = &[
        "WARNING: ",
        "BUG: ",
        "Oops",
        "general protection fault",
        "Kernel panic",
        "NMI backtrace for",
        "Sending NMI",
        "watchdog: ",
        "rcu: INFO:",
        "INFO: rcu_",
        "------------[ cut here",
        "Unable to handle kernel",
    ];
    STARTS.iter().any(|start| text.starts_with(start))
        || text.contains(" invoked oom-killer")
        || text.contains("page allocation failure")
        || text.contains("page allocation stalls")
        || (text.starts_with("CPU: ") && text.contains(" Comm: "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(mode: Mode, text: &str) -> Vec<TaskStack> {
        let mut assembler = Assembler::new(mode);
        let mut tasks = Vec::new();
        for (at, raw) in text.lines().enumerate() {
            tasks.extend(assembler.feed(at as u64 + 1, &Line::parse(raw)));
        }
        tasks.extend(assembler.finish());
        tasks
    }

    fn names(task: &TaskStack) -> Vec<&str> {
        task.frames.iter().map(|f| f.name.as_str()).collect()
    }

    #[test]
    fn two_tasks_of_one_file_stay_apart() {
        let text = "[<0>] __lock_page+0x147/0x3a0\n[<0>] kthread+0x125/0x160\n[<0>] ret_from_fork+0x22/0x30\n\n\
                    [<0>] wait_on_page_bit+0x106/0x2e0\n[<0>] do_syscall_64+0x33/0x40\n";
        let tasks = read(Mode::Stack, text);
        assert_eq!(tasks.len(), 2);
        assert_eq!(names(&tasks[1]), ["wait_on_page_bit", "do_syscall_64"]);
    }

    #[test]
    fn the_hung_task_line_and_the_state_line_are_one_task() {
        let text = "INFO: task nfsd:1237 blocked for more than 122 seconds.\n      Tainted: G W 6.4.0-08699-g9e #1\n\
                    task:nfsd            state:D stack:0     pid:1237  ppid:2      flags:0x00004000\nCall Trace:\n <TASK>\n \
                    __schedule+0x78f/0x7db\n ? stale+0x1/0x2\n jbd2_log_wait_commit+0xb4/0xf4\n </TASK>\n";
        let tasks = read(Mode::Log, text);
        assert_eq!(tasks.len(), 1);
        let task = &tasks[0];
        assert_eq!((task.comm.as_deref(), task.tid, task.blocked_for_s), (Some("nfsd"), Some(1237), Some(122)));
        assert_eq!((task.origin, task.kernel.as_deref()), (Origin::HungTask, Some("6.4.0-08699-g9e")));
        assert_eq!(names(task), ["__schedule", "jbd2_log_wait_commit"]);
        assert_eq!(task.unreliable.len(), 1);
    }

    #[test]
    fn a_running_task_is_no_stall() {
        let text =
            "BUG: soft lockup\nCPU: 3 PID: 12 Comm: x Not tainted 6.1\nCall Trace:\n <TASK>\n f+0x1/0x2\n </TASK>\n";
        assert_eq!(read(Mode::Log, text), []);
    }

    #[test]
    fn lines_of_others_in_between_change_nothing() {
        let text = "[1.000000] INFO: task a:1 blocked for more than 120 seconds.\n[1.000001] Call Trace:\n[1.000002]  f+0x1/0x2\n\
                    [1.000003] eth0: link up\n[1.000004]  g+0x1/0x2\n";
        assert_eq!(names(&read(Mode::Log, text)[0]), ["f", "g"]);
    }
}
