//! From settings to attached probes: asks the host, loads the object, fills the plans, attaches the catalog.

use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::{Format, Settings};
use crate::cli::Failure;
use crate::host::{HostFacts, HostRoot, refusal};
use crate::probe::catalog::{Command, Form, probes, probes_of};
use crate::probe::{Kernel, KernelSettings, LoadError, ProbeHealth, SelfCostMeter};
use crate::syscall::plan;

/// The kernel side of a running trace.
pub struct TraceKernel {
    /// The object. Dropping it detaches everything.
    pub loaded: Kernel,
    /// Measures the probes' own cost, with `--stats`.
    pub meter: Option<SelfCostMeter>,
    /// Whether the task iterator is attached, which shows kernel stacks (`--stuck`).
    pub stacks: bool,
    /// When the probes were attached.
    pub since: Instant,
    /// How long loading and attaching took.
    pub attach_time: Duration,
}

/// Loads and attaches.
///
/// # Errors
/// [`Failure`] with exit code 3 and one line that names what is missing and how to grant it.
pub fn load(settings: &Settings) -> anyhow::Result<TraceKernel> {
    let began = Instant::now();
    let facts = HostFacts::read(&HostRoot::live());
    let program = std::env::current_exe().map_or_else(|_| "sysprobe".into(), |p| p.display().to_string());
    if let Some(obstacle) = refusal(&facts, &program) {
        return Err(Failure::host(obstacle.to_string()));
    }
    let Some(fields) = facts.fields() else {
        return Err(Failure::host("this kernel's types are not known; `sysprobe check` says why"));
    };
    let kernel_settings = KernelSettings {
        failed_only: settings.failed_only,
        slower_ns: u64::try_from(settings.slower.as_nanos()).unwrap_or(u64::MAX),
        aggregate: settings.format == Format::Sums,
        bulk_ring_bytes: settings.bulk_ring_bytes,
        ..KernelSettings::new(fields, &[Command::Trace])
    };
    let mut loaded = Kernel::load(&kernel_settings).map_err(|error| match error {
        LoadError::Denied(_) => Failure::host(format!("{error}; `sysprobe check` says what is missing")),
        LoadError::Failed(error) => error,
    })?;
    let meter = if settings.stats { Some(SelfCostMeter::start()?) } else { None };
    loaded.set_plans(&plan::plans(&settings.filter, settings.string_limit.into()))?;
    for row in probes_of(Command::Trace) {
        judge(&loaded.attach(row, &fields.offsets))?;
    }
    let mut stacks = false;
    if let Some(row) = probes().find(|row| row.form == Form::Iterator && settings.stuck.is_some()) {
        let health = loaded.attach(row, &fields.offsets);
        stacks = health.reason().is_none();
        if let Some(reason) = health.reason() {
            eprintln!("sysprobe: without kernel stacks: probe {} does not attach: {reason}", row.name);
        }
    }
    Ok(TraceKernel { loaded, meter, stacks, since: Instant::now(), attach_time: began.elapsed() })
}

/// Refuses when an essential probe does not run; says what is lost without another.
fn judge(health: &ProbeHealth) -> anyhow::Result<()> {
    let Some(reason) = health.reason() else { return Ok(()) };
    let row = health.row;
    if row.essential {
        return Err(Failure::host(format!("probe {} does not attach: {reason}", row.name)))
            .context("this host can't be traced");
    }
    eprintln!("sysprobe: without {}: probe {} does not attach: {reason}", row.lost, row.name);
    Ok(())
}
