//! `sysprobe check`: what this host can and cannot do, probe by probe, why, and what would change it.
//!
//! Host facts and their judgement come from `host`. Where nothing is in the way every probe is then attached for real
//! and detached at once, so the verdicts are the kernel's own; on a fixture host they are drawn from its facts. This
//! file joins the two, into one JSON document or (`text`) aligned lines.

mod text;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sysprobe_common::fields::FIELD_COUNT;

use super::Failure;
use crate::host::btf::KernelBtf;
use crate::host::{
    Features, HostFacts, HostRoot, Obstacle, Privilege, Tracefs, TracefsFacts, Trial, Trials, Types, Weight, obstacles,
};
use crate::probe::catalog::{Command, Form, ProbeRow, probes};
use crate::probe::{AttachVia, Kernel, KernelSettings, LoadError, ProbeHealth, Verdict};

/// Room of the bulk ring while probes are tried.
const TRIAL_RING_BYTES: u32 = 1024 * 1024;
/// Characters kept of a verifier's answer.
const MAX_REASON_CHARS: usize = 300;
const REPORT_IT: &str = "report it with the output of `sysprobe check --json`";
const TP_BTF: &str = "tp_btf";
const RAW_TP: &str = "raw_tp";
const ITER: &str = "iter";

/// Says what this host can and can't do, probe by probe, why, and what would change it
///
/// Every probe is attached for a moment and detached. Exit code 0: `trace` can run here; 3: it can't, and the last line
/// says what is missing and how to grant it.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Print one JSON document instead of text
    #[arg(long)]
    pub json: bool,
    /// Judge the host whose files lie below this folder instead of this one
    #[arg(long, hide = true, value_name = "DIR")]
    pub root: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Attaches,
    Missing,
    Refused,
    Unknown,
}

#[derive(Debug, Serialize)]
struct ProbeReport {
    name: &'static str,
    tracepoint: String,
    state: State,
    /// `tp_btf` or `raw_tp`.
    form: Option<&'static str>,
    why: Option<String>,
    purpose: &'static str,
    costs: Option<&'static str>,
    required: bool,
    /// The first Linux version that has it.
    #[serde(skip)]
    since: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct TypesReport {
    known: bool,
    why_not: Option<String>,
    types: usize,
    fields: usize,
    fields_found: usize,
}

/// The JSON document. Fields may be added; none changes its meaning.
#[derive(Debug, Serialize)]
struct Report<'a> {
    v: u32,
    can_trace: bool,
    host: &'a Features,
    privilege: &'a Privilege,
    kernel_types: TypesReport,
    tracefs: &'a TracefsFacts,
    trials: &'a Trials,
    probes: Vec<ProbeReport>,
    obstacles: Vec<Obstacle>,
}

/// Runs `check`. Exit code 0 if `trace` can run here, 3 if not.
///
/// # Errors
/// When the report cannot be written.
pub fn run(args: &CheckArgs) -> anyhow::Result<ExitCode> {
    let root = args.root.as_deref().map_or_else(HostRoot::live, HostRoot::at);
    let facts = HostFacts::read_and_try(&root);
    let tracefs = Tracefs::open(&root, root.is_live());
    let mut obstacles = obstacles(&facts, &program());
    let blocked = obstacles.iter().any(|o| o.weight == Weight::Blocks);
    let mut attached = Vec::new();
    if root.is_live() && !blocked {
        match attach_all(&facts) {
            Ok(health) => attached = health,
            Err(error) => obstacles.push(Obstacle {
                weight: Weight::Blocks,
                what: first_line(&error.to_string()),
                costs: "nothing can be traced".to_owned(),
                fix: REPORT_IT.to_owned(),
            }),
        }
    }
    let health_of = |row: &ProbeRow| attached.iter().find(|h| h.row.name == row.name);
    let probes: Vec<ProbeReport> = probes().map(|row| judge(row, &facts, &tracefs, health_of(row))).collect();
    for probe in probes.iter().filter(|p| matches!(p.state, State::Missing | State::Refused) && !blocked) {
        obstacles.push(Obstacle {
            weight: if probe.required { Weight::Blocks } else { Weight::Costs },
            what: format!("probe {}: {}", probe.name, probe.why.as_deref().unwrap_or("does not attach")),
            costs: probe.costs.unwrap_or("nothing").to_owned(),
            fix: match probe.since {
                Some(version) if probe.state == State::Missing => format!("Linux {version} and later have it"),
                _ => REPORT_IT.to_owned(),
            },
        });
    }
    obstacles.sort_by_key(|o| o.weight);
    let can_trace = obstacles.first().is_none_or(|o| o.weight != Weight::Blocks);
    let report = Report {
        v: 1,
        can_trace,
        host: &facts.features,
        privilege: &facts.privilege,
        kernel_types: types_report(&facts),
        tracefs: &facts.tracefs,
        trials: &facts.trials,
        probes,
        obstacles,
    };
    if args.json {
        let mut out = io::stdout().lock();
        serde_json::to_writer(&mut out, &report)?;
        out.write_all(b"\n")?;
    } else {
        text::write(&mut anstream::stdout().lock(), &report)?;
    }
    match report.obstacles.first().filter(|o| o.weight == Weight::Blocks) {
        Some(first) => Err(Failure::host(format!("this host can't trace: {first}"))),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// Attaches every probe for a moment. Nothing is followed meanwhile, so nothing is recorded.
fn attach_all(facts: &HostFacts) -> Result<Vec<ProbeHealth>, LoadError> {
    let Some(fields) = facts.fields() else { return Ok(Vec::new()) };
    let settings = KernelSettings { bulk_ring_bytes: TRIAL_RING_BYTES, ..KernelSettings::new(fields, &[]) };
    let mut kernel = Kernel::load(&settings)?;
    Ok(probes().map(|row| kernel.attach(row, &fields.offsets)).collect())
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(MAX_REASON_CHARS).collect()
}

/// The path a `setcap` would be run on.
fn program() -> String {
    std::env::current_exe().map_or_else(|_| "sysprobe".to_owned(), |p| p.display().to_string())
}

/// A probe's state: the kernel's own word where it was attached, else what the host's facts say.
fn judge(row: &ProbeRow, facts: &HostFacts, tracefs: &Tracefs<'_>, health: Option<&ProbeHealth>) -> ProbeReport {
    let in_types = facts.btf().map(|btf| match row.form {
        Form::Tracepoint => btf.tracepoint_id(row.tracepoint).is_some(),
        Form::Iterator => btf.has_struct(&format!("bpf_iter__{}", row.tracepoint)),
    });
    let exists = in_types.or_else(|| tracefs.has(row.category, row.tracepoint));
    let lacking = row.fields.iter().find_map(|field| facts.fields()?.missing.iter().find(|m| m.spec.field == *field));
    let by_trial = [(Trial::TpBtf, TP_BTF), (Trial::RawTp, RAW_TP)]
        .into_iter()
        .find(|(trial, _)| facts.trials.works(*trial) == Some(true));
    let (state, form, why) = match (health.map(|h| &h.verdict), exists, lacking) {
        (Some(Verdict::Attached(AttachVia::Btf)), ..) => (State::Attaches, Some(TP_BTF), None),
        (Some(Verdict::Attached(AttachVia::Raw)), ..) => (State::Attaches, Some(RAW_TP), None),
        (Some(Verdict::Attached(AttachVia::Iterator)), ..) => (State::Attaches, Some(ITER), None),
        (_, Some(false), _) if row.form == Form::Iterator => {
            (State::Missing, None, Some("this kernel has no such iterator".to_owned()))
        }
        (_, Some(false), _) => (State::Missing, None, Some("this kernel has no such tracepoint".to_owned())),
        (_, _, Some(missing)) => (State::Missing, None, Some(missing.why.to_string())),
        (Some(Verdict::Unsupported(why)), ..) => (State::Missing, None, Some(first_line(why))),
        (Some(Verdict::Broken(why)), ..) => (State::Refused, None, Some(first_line(why))),
        (None, Some(true), None) if row.form == Form::Iterator && facts.trials.works(Trial::TpBtf) == Some(true) => {
            (State::Attaches, Some(ITER), None)
        }
        (None, Some(true), None) => match (by_trial, facts.trials.reason(Trial::RawTp)) {
            (Some((_, form)), _) => (State::Attaches, Some(form), None),
            (None, Some(reason)) => (State::Refused, None, Some(reason)),
            (None, None) => (State::Unknown, None, Some("not tried".to_owned())),
        },
        (None, None, None) => (State::Unknown, None, Some("the kernel does not tell".to_owned())),
    };
    ProbeReport {
        name: row.name,
        tracepoint: format!("{}:{}", row.category, row.tracepoint),
        state,
        form,
        why,
        purpose: row.purpose,
        costs: (state != State::Attaches).then_some(row.lost),
        required: row.essential && row.command == Command::Trace,
        since: row.since,
    }
}

fn types_report(facts: &HostFacts) -> TypesReport {
    let missing = facts.fields().map_or(FIELD_COUNT, |f| f.missing.len());
    TypesReport {
        known: facts.btf().is_some(),
        why_not: match &facts.types {
            Types::Known(..) => None,
            Types::Absent => Some("the kernel shows none".to_owned()),
            Types::Unusable(error) => Some(error.to_string()),
        },
        types: facts.btf().map_or(0, KernelBtf::len),
        fields: FIELD_COUNT,
        fields_found: FIELD_COUNT.saturating_sub(missing),
    }
}
