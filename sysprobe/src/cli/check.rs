//! `sysprobe check`: what this host can and cannot do, probe by probe, why, and what would change it.
//!
//! Host facts and their judgement come from `host`; whether a program loads is asked of [`Loader`], which the caller
//! may replace. This file only joins the two, into one JSON document or (`text`) aligned lines.

mod text;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sysprobe_common::fields::FIELD_COUNT;

use crate::host::btf::KernelBtf;
use crate::host::{
    Features, HostFacts, HostRoot, Obstacle, Privilege, Tracefs, TracefsFacts, Trial, Trials, Types, Weight, obstacles,
};

/// Flags of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Print one JSON document instead of text.
    #[arg(long)]
    pub json: bool,
    /// Judge the host whose files lie below this folder instead of this one.
    #[arg(long, hide = true, value_name = "DIR")]
    pub root: Option<PathBuf>,
}

/// One probe, as `check` needs to know it.
#[derive(Clone, Copy, Debug)]
pub struct ProbeRow {
    /// The program's name.
    pub name: &'static str,
    /// The tracepoint's category in tracefs.
    pub category: &'static str,
    /// The tracepoint.
    pub tracepoint: &'static str,
    /// What it is for.
    pub purpose: &'static str,
    /// What the user loses without it.
    pub feature_lost: &'static str,
    /// Nothing can be traced without it.
    pub required: bool,
}

/// How a program fared when it was loaded for real.
#[derive(Clone, Debug)]
pub enum LoadVerdict {
    /// It loads; the word names the form that did (`tp_btf`, `raw_tp`).
    Loads(&'static str),
    /// It does not; the kernel's or verifier's reason in one line.
    Refused(String),
}

/// Loads one probe's program and unloads it; `None` if that is not tried.
pub type Loader<'a> = &'a dyn Fn(&ProbeRow) -> Option<LoadVerdict>;

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

/// Runs `check` over a catalog of probes. Exit code 0 if `trace` can run here, 3 if not.
///
/// # Errors
/// When the report cannot be written.
pub fn run(args: &CheckArgs, probes: &[ProbeRow], loader: Loader<'_>) -> anyhow::Result<ExitCode> {
    let root = args.root.as_deref().map_or_else(HostRoot::live, HostRoot::at);
    let facts = HostFacts::read_and_try(&root);
    let tracefs = Tracefs::open(&root, root.is_live());
    let mut obstacles = obstacles(&facts, &program());
    let blocked = obstacles.iter().any(|o| o.weight == Weight::Blocks);
    let not_tried: Loader<'_> = &|_| None;
    let loader = if blocked || !root.is_live() { not_tried } else { loader };
    let probes: Vec<ProbeReport> = probes.iter().map(|row| judge(row, &facts, &tracefs, loader)).collect();
    for probe in probes.iter().filter(|p| matches!(p.state, State::Missing | State::Refused) && !blocked) {
        obstacles.push(Obstacle {
            weight: if probe.required { Weight::Blocks } else { Weight::Costs },
            what: format!("probe {}: {}", probe.name, probe.why.as_deref().unwrap_or("does not attach")),
            costs: probe.costs.unwrap_or("nothing").to_owned(),
            fix: "report it with the output of `sysprobe check --json`".to_owned(),
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
    if let Some(first) = report.obstacles.first().filter(|o| o.weight == Weight::Blocks) {
        writeln!(anstream::stderr(), "sysprobe: this host can't trace: {first}")?;
        return Ok(ExitCode::from(3));
    }
    Ok(ExitCode::SUCCESS)
}

/// The path a `setcap` would be run on.
fn program() -> String {
    std::env::current_exe().map_or_else(|_| "sysprobe".to_owned(), |p| p.display().to_string())
}

fn judge(row: &ProbeRow, facts: &HostFacts, tracefs: &Tracefs<'_>, loader: Loader<'_>) -> ProbeReport {
    let in_types = facts.btf().map(|btf| btf.tracepoint_id(row.tracepoint).is_some());
    let exists = in_types.or_else(|| tracefs.has(row.category, row.tracepoint));
    let by_trial = [(Trial::TpBtf, "tp_btf"), (Trial::RawTp, "raw_tp")]
        .into_iter()
        .find(|(trial, _)| facts.trials.works(*trial) == Some(true));
    let (state, form, why) = match (exists, loader(row)) {
        (Some(false), _) => (State::Missing, None, Some("this kernel has no such tracepoint".to_owned())),
        (_, Some(LoadVerdict::Loads(form))) => (State::Attaches, Some(form), None),
        (_, Some(LoadVerdict::Refused(why))) => (State::Refused, None, Some(why)),
        (Some(true), None) => match (by_trial, facts.trials.reason(Trial::RawTp)) {
            (Some((_, form)), _) => (State::Attaches, Some(form), None),
            (None, Some(reason)) => (State::Refused, None, Some(reason)),
            (None, None) => (State::Unknown, None, Some("not tried".to_owned())),
        },
        (None, None) => (State::Unknown, None, Some("the kernel does not tell".to_owned())),
    };
    ProbeReport {
        name: row.name,
        tracepoint: format!("{}:{}", row.category, row.tracepoint),
        state,
        form,
        why,
        purpose: row.purpose,
        costs: (state != State::Attaches).then_some(row.feature_lost),
        required: row.required,
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
