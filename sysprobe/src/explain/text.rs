//! Verdicts as people read them: a line that says what happened, then what it waits for, who is behind it, what to do.
//!
//! Styles are written as escape sequences; who prints to a pipe strips them. Everything from the text goes through
//! `printable` first.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::cause::Class;
use super::kernel_log::Stall;
use super::oom::{self, Report, Scope};
use super::printable::printable;
use super::record;

/// Members of a group that are named.
const NAMED: usize = 8;
const WARN: Style = AnsiColor::Yellow.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const DIM: Style = Style::new().dimmed();

/// Stalls with one root cause.
#[derive(Debug)]
pub struct Group {
    key: String,
    first: Box<Stall>,
    named: Vec<String>,
    count: u64,
}

/// Groups stalls by root cause, in the order of the first of each; bounded.
#[derive(Debug, Default)]
pub struct Groups {
    groups: Vec<Group>,
    /// Stalls of further causes, only counted.
    pub more: u64,
}

/// Causes told apart in one text.
const MAX_GROUPS: usize = 256;

impl Groups {
    /// Adds one stall.
    pub fn add(&mut self, stall: Box<Stall>) {
        let deciding = stall.verdict.deciding.as_ref().map_or("", |f| f.name.as_str());
        let key = stall.root.clone().unwrap_or_else(|| {
            let own = if stall.verdict.class == Class::Unknown { stall.task.line.to_string() } else { String::new() };
            format!("{} {} {deciding} {own}", stall.verdict.class.as_str(), stall.verdict.what)
        });
        if let Some(group) = self.groups.iter_mut().find(|g| g.key == key) {
            // The hung-task check reports one task again and again: it counts once.
            let title = stall.task.title();
            let again = stall.task.tid.is_some() && group.named.contains(&title);
            if !again {
                group.count += 1;
                if group.named.len() < NAMED * 4 {
                    group.named.push(title);
                }
            }
            return;
        }
        if self.groups.len() >= MAX_GROUPS {
            self.more += 1;
            return;
        }
        self.groups.push(Group { key, named: vec![stall.task.title()], count: 1, first: stall });
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Writes all groups.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for group in &self.groups {
            write_group(out, group)?;
        }
        if self.more > 0 {
            writeln!(out, "{} more stalls of other causes; --json lists them all", self.more)?;
        }
        Ok(())
    }
}

fn row(out: &mut dyn Write, name: &str, text: &str) -> io::Result<()> {
    writeln!(out, "        {DIM}{name:<11}{DIM:#} {}", printable(text))
}

fn write_group(out: &mut dyn Write, group: &Group) -> io::Result<()> {
    let stall = &group.first;
    let verdict = &stall.verdict;
    let style = if verdict.class == Class::KthreadIdle { DIM } else { WARN };
    let who = printable(&stall.task.title());
    let long = stall.task.blocked_for_s.map_or(String::new(), |s| format!(" stuck over {s}s"));
    let others = if group.count > 1 { format!(" and {} more", group.count - 1) } else { String::new() };
    let class = verdict.class.as_str();
    writeln!(
        out,
        "{style}STALL{style:#}   {who}{others}{long}   {DIM}[{class}, {} confidence]{DIM:#}",
        verdict.confidence.as_str()
    )?;
    for link in &stall.cause.chain {
        let (name, text) = match link.kind.as_ref() {
            "wait" => ("waits for", link.summary.strip_prefix("waits for ").unwrap_or(&link.summary)),
            "task" | "filesystem" | "device" | "memory" | "server" | "guest" | "gpu" => {
                ("where", link.summary.as_str())
            }
            "log" => ("kernel log", link.summary.as_str()),
            kind => (kind, link.summary.as_str()),
        };
        row(out, name, text)?;
    }
    if let Some(work) = &stall.task.workqueue {
        row(out, "work item", work)?;
    }
    if group.count > 1 {
        let names: Vec<&str> = group.named.iter().take(NAMED).map(String::as_str).collect();
        let rest = group.count.saturating_sub(names.len() as u64);
        let tail = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        row(out, "all", &format!("{}{tail}", names.join(", ")))?;
    }
    if verdict.class == Class::Unknown {
        row(
            out,
            "frames",
            &stall.evidence.kernel_stack.iter().take(12).map(String::as_str).collect::<Vec<_>>().join(" < "),
        )?;
    }
    if !stall.is_kernel_thread() && verdict.class != Class::KthreadIdle {
        match verdict.killable {
            Some(true) => row(out, "kill -9", "ends this wait")?,
            Some(false) => row(out, "kill -9", "does not end this wait")?,
            None => {}
        }
    }
    row(out, "try", verdict.advice())?;
    writeln!(out)
}

/// Writes one OOM kill.
pub fn write_oom(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    let verdict = oom::judge(report);
    let whose = match (verdict.scope, verdict.memcg.as_deref()) {
        (Scope::Memcg, Some(memcg)) => format!("the limit of cgroup {memcg} was hit"),
        (Scope::Memcg, None) => "a cgroup's limit was hit".to_owned(),
        (Scope::Global, _) => "the machine ran out of memory".to_owned(),
        (Scope::Cpuset, _) => "the nodes of a cpuset ran out of memory".to_owned(),
        (Scope::Mempolicy, _) => "the nodes of a memory policy ran out of memory".to_owned(),
        (Scope::Manual, _) => "somebody asked for a kill".to_owned(),
    };
    let who =
        verdict.victim.as_ref().map_or("nobody was killed".to_owned(), |v| format!("{}[{}] was killed", v.comm, v.pid));
    writeln!(out, "{BAD}OOM{BAD:#}     {}: {}", printable(&who), printable(&whose))?;
    if let Some(limit) = verdict.limit_bytes {
        let used = verdict.usage_bytes.map_or(String::new(), |u| format!(", {} used", oom::bytes(u)));
        row(out, "limit", &format!("{}{used}", oom::bytes(limit)))?;
    }
    if let Some(trigger) = &verdict.trigger {
        let pid = trigger.pid.map_or(String::new(), |pid| format!("[{pid}]"));
        let gfp = trigger.gfp.as_deref().map_or(String::new(), |gfp| format!(", {gfp}"));
        let order = trigger.order.map_or(String::new(), |order| format!(", order {order}"));
        row(out, "asked by", &format!("{}{pid}{order}{gfp}", trigger.comm))?;
    }
    if let Some(victim) = &verdict.victim {
        let part = |name: &str, size: Option<u64>| size.filter(|s| *s > 0).map(|s| format!("{name} {}", oom::bytes(s)));
        let parts = [
            part("anon", victim.anon_rss_bytes),
            part("file", victim.file_rss_bytes),
            part("shmem", victim.shmem_rss_bytes),
            part("swap", victim.swap_bytes),
            victim.oom_score_adj.map(|adj| format!("oom_score_adj {adj}")),
        ];
        row(out, "victim", &parts.into_iter().flatten().collect::<Vec<_>>().join(", "))?;
    }
    row(out, "memory is", verdict.dominant.map_or("not told by the text", |d| d.as_str()))?;
    for (at, c) in verdict.candidates.iter().take(5).enumerate() {
        let swap = if c.swap_bytes > 0 { format!(" + {} in swap", oom::bytes(c.swap_bytes)) } else { String::new() };
        let adj = c.oom_score_adj.filter(|a| *a != 0).map_or(String::new(), |a| format!(", oom_score_adj {a}"));
        let name = if at == 0 { "held by" } else { "" };
        row(out, name, &format!("{}[{}] {}{swap}{adj}", c.comm, c.pid, oom::bytes(c.rss_bytes)))?;
    }
    let innocent = match verdict.innocent {
        Some(true) => "yes: ",
        Some(false) => "no: ",
        None => "cannot be told: ",
    };
    row(out, "innocent", &format!("{innocent}{}", verdict.why))?;
    for note in &verdict.notes {
        row(out, "note", note)?;
    }
    row(out, "try", record::oom_advice(&verdict))?;
    writeln!(out)
}
