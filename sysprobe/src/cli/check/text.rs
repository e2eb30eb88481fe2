//! The report as lines: marks in a column, what is in the way with its cost and its fix, and a verdict.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::{ProbeReport, Report, State};
use crate::host::{CgroupMode, Lockdown, TracefsAccess, Trial, Weight};

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();
const WEAK: Style = AnsiColor::Yellow.on_default();
const HEAD: Style = Style::new().bold();

/// How a line of facts is marked.
#[derive(Clone, Copy)]
enum Mark {
    Yes,
    No,
    /// Missing, and only some feature needs it.
    NoButOptional,
    Unknown,
}

impl Mark {
    fn of(good: Option<bool>) -> Self {
        match good {
            Some(true) => Self::Yes,
            Some(false) => Self::No,
            None => Self::Unknown,
        }
    }

    fn optional(good: bool) -> Self {
        if good { Self::Yes } else { Self::NoButOptional }
    }
}

impl std::fmt::Display for Mark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (style, word) = match self {
            Self::Yes => (GOOD, "yes"),
            Self::No => (BAD, "no "),
            Self::NoButOptional => (WEAK, "no "),
            Self::Unknown => (WEAK, "?  "),
        };
        write!(f, "{style}{word}{style:#}")
    }
}

/// Writes the whole report. Colour is the stream's to keep or drop.
pub(super) fn write(out: &mut dyn Write, report: &Report<'_>) -> io::Result<()> {
    write_host(out, report)?;
    writeln!(out, "\n{HEAD}probes{HEAD:#}")?;
    let width = |f: fn(&ProbeReport) -> usize| report.probes.iter().map(f).max().unwrap_or(0);
    let (names, targets) = (width(|p| p.name.len()), width(|p| p.tracepoint.len()));
    for probe in &report.probes {
        let mark = match probe.state {
            State::Attaches => Mark::Yes,
            State::Missing | State::Refused if probe.required => Mark::No,
            State::Missing | State::Refused => Mark::NoButOptional,
            State::Unknown => Mark::Unknown,
        };
        let form = probe.form.unwrap_or("-");
        write!(out, "  {mark} {:names$}  {:targets$}  {form:6}  ", probe.name, probe.tracepoint)?;
        match (&probe.why, probe.costs) {
            (Some(why), Some(costs)) => writeln!(out, "{why}; costs: {costs}")?,
            _ => writeln!(out, "{}", probe.purpose)?,
        }
    }
    if !report.obstacles.is_empty() {
        writeln!(out, "\n{HEAD}in the way{HEAD:#}")?;
    }
    let mut last_fix = "";
    for obstacle in &report.obstacles {
        let (style, word) = if obstacle.weight == Weight::Blocks { (BAD, "blocks") } else { (WEAK, "costs ") };
        writeln!(out, "  {style}{word}{style:#}  {}", obstacle.what)?;
        let fix = if obstacle.fix == last_fix { "the same as above" } else { &obstacle.fix };
        writeln!(out, "          costs  {}\n          fix    {fix}", obstacle.costs)?;
        last_fix = &obstacle.fix;
    }
    let (style, verdict) = match (report.can_trace, report.obstacles.is_empty()) {
        (true, true) => (GOOD, "this host can trace everything"),
        (true, false) => (GOOD, "this host can trace, with the costs above"),
        (false, _) => (BAD, "this host can't trace"),
    };
    writeln!(out, "\n{style}{verdict}{style:#}")
}

fn write_host(out: &mut dyn Write, report: &Report<'_>) -> io::Result<()> {
    let (host, privilege, types) = (report.host, report.privilege, &report.kernel_types);
    let mut line = |mark: Mark, name: &str, text: &str| {
        let line = format!("  {mark} {name:14} {text}");
        writeln!(out, "{}", line.trim_end())
    };
    let place = match (host.container, host.initial_pid_namespace) {
        (None, true) => "on the host".to_owned(),
        (Some(kind), true) => format!("in a container ({kind}), in the host's pid namespace"),
        (kind, false) => format!("in a container ({}), in a pid namespace of its own", kind.unwrap_or("unknown kind")),
    };
    let known_arch = Mark::of(Some(host.arch == "x86_64"));
    line(known_arch, "kernel", &format!("{} {}, {place}", host.kernel, host.arch))?;
    let text = types
        .why_not
        .clone()
        .unwrap_or_else(|| format!("{} types; {} of {} fields found", types.types, types.fields_found, types.fields));
    line(Mark::of(Some(types.known)), "kernel types", &text)?;
    let held: Vec<&str> = privilege.capabilities.iter().map(|c| c.name()).collect();
    let text = if held.is_empty() { "none of those sysprobe uses".to_owned() } else { held.join(" ") };
    line(Mark::of(Some(!held.is_empty())), "capabilities", &text)?;
    let (mark, text) = match privilege.lockdown {
        Lockdown::Off => (Mark::Yes, "off"),
        Lockdown::Integrity => (Mark::Yes, "integrity: the kernel may be read"),
        Lockdown::Confidentiality => (Mark::No, "confidentiality: the kernel may not be read"),
        Lockdown::Unknown => (Mark::Unknown, "not told (securityfs is not mounted)"),
    };
    line(mark, "lockdown", text)?;
    let text = match (report.tracefs.access, &report.tracefs.why_not) {
        (TracefsAccess::Mounted, _) => format!("mounted; {} system calls described", report.tracefs.syscall_formats),
        (TracefsAccess::Private, _) => {
            format!("not mounted, opened privately; {} system calls described", report.tracefs.syscall_formats)
        }
        (TracefsAccess::None, why) => why.clone().unwrap_or_default(),
    };
    line(Mark::optional(report.tracefs.access != TracefsAccess::None), "tracefs", &text)?;
    for trial in Trial::ALL {
        let needed = !matches!(trial, Trial::Fentry | Trial::Kprobe);
        let mark = match report.trials.works(trial) {
            Some(good) if !needed => Mark::optional(good),
            answer => Mark::of(answer),
        };
        let reason = report.trials.reason(trial).unwrap_or_default();
        let text = if needed || reason.is_empty() { reason } else { format!("{reason}; no probe needs it") };
        line(mark, trial.name(), &text)?;
    }
    let cgroups = match host.cgroups {
        CgroupMode::Unified => "version 2",
        CgroupMode::Hybrid => "version 1, with a version 2 tree beside it",
        CgroupMode::Legacy => "version 1",
        CgroupMode::None => "none mounted",
    };
    line(Mark::optional(host.cgroups != CgroupMode::None), "cgroups", cgroups)?;
    line(Mark::optional(privilege.kernel_log), "kernel log", "")?;
    let driver = if host.nvidia_driver { "driver loaded" } else { "no driver loaded" };
    line(Mark::optional(host.nvml), "NVML", driver)
}
