//! From settings to attached probes.

use crate::cli::Failure;
use crate::host::{HostFacts, HostRoot, refusal};
use crate::probe::catalog::{Command, ProbeRow, probes_of};
use crate::probe::{Kernel, KernelSettings, LoadError};

/// Bytes of the flood ring, which `watch` does not use: the least there can be.
const UNUSED_RING_BYTES: u32 = 4096;

/// Loads, and attaches the probes of `watch` that are `wanted`. Waits in D over `stall_over_ns` are reported as they end, and
/// the processes `pids` are followed.
///
/// # Errors
/// [`Failure`] with exit code 3 and one line that names what is missing and how to grant it.
pub fn load(stall_over_ns: u64, pids: &[u32], wanted: fn(&ProbeRow) -> bool) -> anyhow::Result<Kernel> {
    let facts = HostFacts::read(&HostRoot::live());
    let program = std::env::current_exe().map_or_else(|_| "sysprobe".into(), |p| p.display().to_string());
    if let Some(obstacle) = refusal(&facts, &program) {
        return Err(Failure::host(obstacle.to_string()));
    }
    let Some(fields) = facts.fields() else {
        return Err(Failure::host("this kernel's types are not known; `sysprobe check` says why"));
    };
    let kernel_settings = KernelSettings {
        stall_over_ns,
        bulk_ring_bytes: UNUSED_RING_BYTES,
        ..KernelSettings::new(fields, &[Command::Watch])
    };
    let mut kernel = Kernel::load(&kernel_settings).map_err(|error| match error {
        LoadError::Denied(_) => Failure::host(format!("{error}; `sysprobe check` says what is missing")),
        LoadError::Failed(error) => error,
    })?;
    kernel.follow(pids)?;
    for row in probes_of(Command::Watch).filter(|row| wanted(row)) {
        let health = kernel.attach(row, &fields.offsets);
        let Some(reason) = health.reason() else { continue };
        if row.essential {
            return Err(Failure::host(format!("probe {} does not attach: {reason}; {}", row.name, row.lost)));
        }
        eprintln!("sysprobe: without {}: probe {} does not attach: {reason}", row.lost, row.name);
    }
    Ok(kernel)
}
