//! What the probes themselves cost: the kernel's own run time and run count of each program.

use std::os::fd::OwnedFd;

use anyhow::Context as _;
use aya::sys::{Stats, enable_stats};

use super::kernel::Kernel;

/// One program's cost so far.
#[derive(Clone, Debug)]
pub struct SelfCost {
    /// The program.
    pub program: String,
    /// Times it ran.
    pub runs: u64,
    /// CPU time it took, in ns.
    pub run_time_ns: u64,
}

/// Keeps the kernel's program statistics switched on while it lives (they cost some time themselves).
pub struct SelfCostMeter {
    _enabled: OwnedFd,
}

impl SelfCostMeter {
    /// Switches the statistics on.
    ///
    /// # Errors
    /// Without CAP_SYS_ADMIN, or on kernels before 5.8.
    pub fn start() -> anyhow::Result<Self> {
        let enabled = enable_stats(Stats::RunTime).context("the kernel does not measure eBPF run time")?;
        Ok(Self { _enabled: enabled })
    }

    /// What each attached program cost since the start.
    pub fn read(&self, kernel: &Kernel) -> Vec<SelfCost> {
        let mut costs: Vec<SelfCost> = kernel
            .ebpf()
            .programs()
            .filter_map(|(name, program)| {
                let info = program.info().ok()?;
                let cost = SelfCost {
                    program: name.to_owned(),
                    runs: info.run_count(),
                    run_time_ns: info.run_time().as_nanos() as u64,
                };
                (cost.runs > 0).then_some(cost)
            })
            .collect();
        costs.sort_by_key(|c| std::cmp::Reverse(c.run_time_ns));
        costs
    }
}
