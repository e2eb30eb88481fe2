//! The lines of an OOM report to a `Report`, as they come: interleaved, trimmed, wrapped or in part.
//!
//! A report starts with "invoked oom-killer", or with whatever is left of it, and is over when another starts, when it
//! is complete and other lines follow for a while, or when the text ends.

use super::memory::leading_kb;
use super::{Report, Scope, Trigger, Victim};
use crate::explain::line::Line;

/// So many lines that belong to no report end a complete one.
const QUIET_LINES: u32 = 64;
/// Processes of a group kill that are listed.
const MAX_OTHERS: usize = 1024;

/// Takes lines, gives reports.
#[derive(Debug, Default)]
pub struct Parser {
    current: Option<Report>,
    /// The statistics of a cgroup follow.
    in_stats: bool,
    quiet: u32,
}

impl Parser {
    /// Takes one line; gives the report that this line shows to be over, and whether the line was a report's.
    pub fn feed(&mut self, number: u64, line: &Line<'_>) -> (Option<Report>, bool) {
        let mut done = None;
        let mut mine = false;
        // rsyslog writes the line breaks inside a message as #012.
        for text in line.text.split("#012") {
            let (over, taken) = self.part(number, line, text.trim());
            done = done.or(over);
            mine |= taken;
        }
        if mine {
            self.quiet = 0;
        } else {
            self.quiet += 1;
            if self.quiet > QUIET_LINES && self.current.as_ref().is_some_and(Report::complete) {
                done = done.or_else(|| self.finish());
            }
        }
        (done, mine)
    }

    /// Whether the report at hand names a victim, so that it may be over.
    pub fn is_complete(&self) -> bool {
        self.current.as_ref().is_some_and(Report::complete)
    }

    /// The report left when the text ends.
    pub fn finish(&mut self) -> Option<Report> {
        self.in_stats = false;
        let report = self.current.take()?;
        // A fragment that names nobody is no report.
        (report.victim.is_some() || report.trigger.is_some() || report.nothing_killable || report.panic)
            .then_some(report)
    }

    fn part(&mut self, number: u64, line: &Line<'_>, text: &str) -> (Option<Report>, bool) {
        if let Some(trigger) = invoked(text) {
            let done = self.finish();
            let report = self.start(number, line);
            if trigger.order == Some(-1) {
                report.scope = Some(Scope::Manual);
            }
            report.trigger_adj = field(text, "oom_score_adj=").and_then(|v| v.parse().ok());
            report.nodes =
                field(text, "nodemask=").filter(|n| n.starts_with(|c: char| c.is_ascii_digit())).map(str::to_owned);
            report.trigger = Some(trigger);
            return (done, true);
        }
        if text.contains("illed process ") || text.contains("Kill process ") {
            return self.killed(number, line, text);
        }
        if let Some(rest) = text.strip_prefix("oom-kill:") {
            // Behind a kill it belongs to the next one, whose head was cut.
            let done = if self.current.as_ref().is_some_and(|r| r.victim.is_some()) { self.finish() } else { None };
            constraint(self.start_if_none(number, line), rest);
            return (done, true);
        }
        let no_victim = text.contains("no killable processes");
        if no_victim
            || (text.starts_with("Kernel panic") && text.contains("ut of memory"))
            || text.contains("deadlocked on memory")
        {
            let report = self.start_if_none(number, line);
            report.nothing_killable |= no_victim;
            report.panic |= text.starts_with("Kernel panic");
            return (None, true);
        }
        if let Some(path) = text.strip_prefix("Tasks in ").and_then(|t| t.split_once(" are going to be killed")) {
            let report = self.start_if_none(number, line);
            report.group = true;
            report.memcg.get_or_insert_with(|| path.0.to_owned());
            return (None, true);
        }
        if self.current.is_none() && opens_a_fragment(text) {
            self.start(number, line);
        }
        let in_stats = self.in_stats;
        let Some(report) = self.current.as_mut() else { return (None, false) };
        let (mine, stats) = facts(report, text, in_stats);
        self.in_stats = stats;
        (None, mine)
    }

    fn start(&mut self, number: u64, line: &Line<'_>) -> &mut Report {
        let short = |text: &str| text.chars().take(64).collect::<String>();
        self.in_stats = false;
        self.current.insert(Report {
            line: number,
            time: line.time.map(short),
            host: line.host.map(short),
            ..Report::default()
        })
    }

    fn start_if_none(&mut self, number: u64, line: &Line<'_>) -> &mut Report {
        if self.current.is_none() {
            return self.start(number, line);
        }
        self.in_stats = false;
        self.current.get_or_insert_with(Report::default)
    }

    /// `Kill process ..` announces, `Killed process ..` reports; a second one is a group's, a sharer's, or a new event's.
    fn killed(&mut self, number: u64, line: &Line<'_>, text: &str) -> (Option<Report>, bool) {
        let done_before = text.contains("illed process ");
        let Some(victim) = victim(text) else { return (None, false) };
        let mut done = None;
        if let Some(report) = self.current.as_mut()
            && let Some(first) = &report.victim
        {
            let known = first.pid == victim.pid || report.others.iter().any(|(pid, _)| *pid == victim.pid);
            if known && done_before {
                return (None, true);
            }
            if report.group || text.contains("sharing same memory") {
                if report.others.len() < MAX_OTHERS {
                    report.others.push((victim.pid, victim.comm));
                }
                return (None, true);
            }
            done = self.finish();
        }
        let report = self.start_if_none(number, line);
        if text.contains("emory cgroup out of memory") && report.scope != Some(Scope::Manual) {
            report.scope = Some(Scope::Memcg);
        }
        if done_before {
            if report.chosen.as_ref().is_some_and(|(pid, _)| *pid == victim.pid) {
                report.chosen = None;
            }
            report.victim = Some(victim);
        } else {
            report.chosen = Some((victim.pid, victim.comm));
        }
        (done, true)
    }
}

/// Lines that only an OOM report has, for one whose head was cut off.
fn opens_a_fragment(text: &str) -> bool {
    text.starts_with("Tasks state (memory values in pages)")
        || text.contains(" killed as a result of limit of ")
        || text.starts_with("Memory cgroup stats for ")
        || (text.starts_with('[') && text.contains("total_vm") && text.contains("oom_score_adj"))
}

/// Lines between a report's first and last. Gives whether the line was one of them, and whether statistics follow.
fn facts(report: &mut Report, text: &str, in_stats: bool) -> (bool, bool) {
    if let Some(rest) = text.strip_prefix("Task in ") {
        report.scope.get_or_insert(Scope::Memcg);
        if let Some((own, limit)) = rest.split_once(" killed as a result of limit of ") {
            report.task_memcg = Some(own.to_owned());
            // Loggers cut long lines: a path that the victim's own path continues is that path.
            let cut = !limit.is_empty() && own.starts_with(limit) && text.len() > 120;
            report.memcg = Some(
                if cut && !own.get(limit.len()..).is_some_and(|t| t.starts_with('/')) { own } else { limit }.to_owned(),
            );
        }
        return (true, false);
    }
    if let Some(rest) = text.strip_prefix("Memory cgroup stats for ") {
        let (path, stats) = rest.split_once(": ").unwrap_or((rest.trim_end_matches(':'), ""));
        report.scope.get_or_insert(Scope::Memcg);
        // v1 prints a section for every child too: the first one is the cgroup at its limit.
        let first = !report.usage.known();
        report.memcg.get_or_insert_with(|| path.to_owned());
        if first && !stats.is_empty() {
            report.usage.take(stats, true);
        }
        return (true, first && stats.is_empty());
    }
    if report.table.take_header(text) || report.table.take_row(text) {
        return (true, false);
    }
    if report.usage.take(text, in_stats) {
        return (true, in_stats);
    }
    if let Some((pid, comm)) = cpu_line(text) {
        if let Some(trigger) = report.trigger.as_mut().filter(|t| t.pid.is_none()) {
            trigger.pid = Some(pid);
            if trigger.comm.is_empty() {
                trigger.comm = comm;
            }
        }
        report.kernel = report.kernel.take().or_else(|| release(text));
        return (true, false);
    }
    if let Some((_, nodes)) = text.split_once(" mems_allowed=") {
        report.nodes.get_or_insert_with(|| nodes.split(',').next().unwrap_or(nodes).trim().chars().take(64).collect());
        return (true, false);
    }
    if text.contains("moom_callback") || text.contains("sysrq_handle_moom") {
        report.scope = Some(Scope::Manual);
        return (true, false);
    }
    let mine = text == "Mem-Info:"
        || text.starts_with("Tasks state")
        || text.starts_with("oom_reaper:")
        || text.contains("+0x");
    (mine, in_stats && !mine)
}

/// `X invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0`.
fn invoked(text: &str) -> Option<Trigger> {
    let (comm, rest) = text.split_once(" invoked oom-killer")?;
    Some(Trigger {
        pid: None,
        comm: comm.trim().chars().take(64).collect(),
        order: field(rest, "order=").and_then(|v| v.parse().ok()),
        gfp: rest.split_once("gfp_mask=").map(|(_, v)| {
            let end = v.find(", ").unwrap_or(v.len());
            v.get(..end).unwrap_or(v).chars().take(200).collect()
        }),
    })
}

/// `constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/a,task_memcg=/a,task=x,pid=1,uid=0`.
fn constraint(report: &mut Report, rest: &str) {
    let scope = match field(rest, "constraint=").unwrap_or("") {
        "CONSTRAINT_MEMCG" => Scope::Memcg,
        "CONSTRAINT_CPUSET" => Scope::Cpuset,
        "CONSTRAINT_MEMORY_POLICY" => Scope::Mempolicy,
        // 5.2 and 5.3 print NONE for a cgroup's too.
        _ if rest.contains("oom_memcg=") => Scope::Memcg,
        _ => Scope::Global,
    };
    if report.scope != Some(Scope::Manual) {
        report.scope = Some(scope);
    }
    let mempolicy = field(rest, "nodemask=").filter(|n| !n.starts_with('('));
    if let Some(nodes) = mempolicy.or_else(|| field(rest, "mems_allowed=")) {
        report.nodes = Some(nodes.to_owned());
    }
    // Paths may hold commas: each ends where the next field begins.
    let between = |key: &str, next: &[&str]| {
        let (_, value) = rest.split_once(key)?;
        let end = next.iter().filter_map(|n| value.find(n)).min().unwrap_or(value.len());
        value.get(..end).map(str::to_owned)
    };
    if let Some(path) = between(",oom_memcg=", &[",task_memcg="]) {
        // A wrapped line breaks the path; the statistics' head has it whole.
        let unwrapped: String = path.chars().filter(|c| *c != ' ').collect();
        let whole = report.memcg.as_deref().is_some_and(|known| known == unwrapped);
        report.memcg = Some(if whole { unwrapped } else { path });
    }
    report.task_memcg = between(",task_memcg=", &[",task="]).or_else(|| report.task_memcg.take());
}

/// `Killed process 6576 (mysqld) total-vm:..kB, anon-rss:..kB, ..` and the older `Killed process 6576, UID 27, (mysqld) ..`.
fn victim(text: &str) -> Option<Victim> {
    let (_, rest) = text.split_once("process ")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let pid = rest.get(..digits)?.parse().ok()?;
    let end = [" total-vm:", ", total-vm:", " score ", " sharing "]
        .iter()
        .filter_map(|k| rest.find(k))
        .min()
        .unwrap_or(rest.len());
    let (head, sizes) = rest.split_at_checked(end)?;
    let open = head.find('(')?;
    let close = head.rfind(')').unwrap_or(head.len());
    // Mail wraps lines inside words: sizes are read with the blanks taken out.
    let sizes: String = sizes.chars().filter(|c| *c != ' ').take(1024).collect();
    let kb = |key: &str| sizes.split_once(key).and_then(|(_, v)| leading_kb(v));
    Some(Victim {
        pid,
        comm: head.get(open + 1..close)?.chars().take(64).collect(),
        total_vm_bytes: kb("total-vm:"),
        anon_rss_bytes: kb("anon-rss:"),
        file_rss_bytes: kb("file-rss:"),
        shmem_rss_bytes: kb("shmem-rss:"),
        swap_bytes: None,
        oom_score_adj: sizes.split_once("oom_score_adj:").and_then(|(_, v)| leading_int(v)),
    })
}

fn leading_int(text: &str) -> Option<i32> {
    let sign = usize::from(text.starts_with('-'));
    let digits = text.get(sign..)?.bytes().take_while(u8::is_ascii_digit).count();
    text.get(..sign + digits)?.parse().ok()
}

/// `CPU: 3 [UID: 1] PID: 473206 Comm: doxygen Tainted: ..`, before 3.8 `Pid: 1, comm: x Not tainted 2.6.32`.
fn cpu_line(text: &str) -> Option<(u32, String)> {
    let (pid, comm) = if text.starts_with("CPU: ") {
        let (_, rest) = text.split_once(" PID: ")?;
        rest.split_once(" Comm: ")?
    } else {
        text.strip_prefix("Pid: ")?.split_once(", comm: ")?
    };
    let end = ["Not tainted", "Tainted:", "Kdump:", "Hardware"]
        .iter()
        .filter_map(|k| comm.find(k))
        .min()
        .unwrap_or(comm.len());
    Some((pid.trim().parse().ok()?, comm.get(..end)?.trim().chars().take(64).collect()))
}

fn release(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("ainted")?;
    let release =
        rest.split_ascii_whitespace().find(|w| w.starts_with(|c: char| c.is_ascii_digit()) && w.contains('.'))?;
    Some(release.chars().take(64).collect())
}

/// The value behind a key, up to the next comma or blank.
fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(key)?;
    Some(rest.split([',', ' ', ':']).next().unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Report> {
        let mut parser = Parser::default();
        let mut reports = Vec::new();
        for (at, raw) in text.lines().enumerate() {
            reports.extend(parser.feed(at as u64 + 1, &Line::parse(raw)).0);
        }
        reports.extend(parser.finish());
        reports
    }

    #[test]
    fn kill_lines_of_every_kernel_name_the_victim() {
        for (line, adj) in [
            ("Killed process 7 (a (b)) total-vm:8kB, anon-rss:4kB, file-rss:0kB", None),
            ("Killed process 7, UID 27, (a (b)) total-vm:8kB, anon-rss:4kB, file-rss:0kB", None),
            (
                "Out of memory: Killed process 7 (a (b)) total-vm:8kB, anon-rss:4kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:4kB oom_score_adj:-17",
                Some(-17),
            ),
            (
                "Memory cgroup out of memory: Killed process 7 (a (b)) total-vm:8kB, anon-rss:4kB, file-rss:0k B, sh mem-rss:0kB",
                None,
            ),
        ] {
            let victim = victim(line).expect(line);
            assert_eq!((victim.pid, victim.comm.as_str()), (7, "a (b)"), "{line}");
            assert_eq!((victim.anon_rss_bytes, victim.oom_score_adj), (Some(4096), adj), "{line}");
        }
    }

    #[test]
    fn two_kills_without_heads_are_two_reports() {
        let reports = read(
            "Out of memory: Killed process 7 (a) total-vm:8kB\nOut of memory: Killed process 8 (b) total-vm:8kB\n",
        );
        assert_eq!(reports.len(), 2);
    }

    #[test]
    fn a_group_kill_is_one_report() {
        let reports = read(
            "x invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0\n\
             Memory cgroup out of memory: Killed process 7 (a) total-vm:8kB, anon-rss:4kB\n\
             Tasks in /g are going to be killed due to memory.oom.group set\n\
             Memory cgroup out of memory: Killed process 7 (a) total-vm:8kB, anon-rss:4kB\n\
             Memory cgroup out of memory: Killed process 8 (b) total-vm:8kB, anon-rss:4kB\n",
        );
        assert_eq!(reports.len(), 1);
        assert_eq!((reports[0].group, reports[0].others.len()), (true, 1));
    }

    #[test]
    fn a_panic_has_no_victim() {
        let reports = read(
            "x invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0\n\
             Kernel panic - not syncing: Out of memory: system-wide panic_on_oom is enabled\n",
        );
        assert_eq!((reports.len(), reports[0].panic, reports[0].victim.is_none()), (1, true, true));
    }
}
