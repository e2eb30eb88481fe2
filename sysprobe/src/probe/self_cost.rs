//! What the probes themselves cost: the kernel's own run time and run count of each program.

use std::os::fd::OwnedFd;
use std::time::Duration;

use anyhow::Context as _;
use aya::sys::{Stats, enable_stats};

use super::kernel::Kernel;
use crate::record::ProbeCost;

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

impl SelfCost {
    /// The table of `--stats`: what each probe took of the `took` that it was attached for.
    pub fn table(costs: &[Self], took: Duration, attach_time: Duration) -> String {
        let mut out = format!(
            "sysprobe: attached in {:.0} ms; the probes took, in {:.1} s:\n",
            attach_time.as_secs_f64() * 1e3,
            took.as_secs_f64()
        );
        out.push_str("  probe                       runs     ns/run  % of a CPU\n");
        for cost in costs {
            let share = cost.run_time_ns as f64 / took.as_nanos().max(1) as f64 * 100.0;
            let each = cost.run_time_ns / cost.runs.max(1);
            out.push_str(&format!("  {:<22} {:>9} {each:>10} {share:>11.2}\n", cost.program, cost.runs));
        }
        out
    }
}

impl From<&SelfCost> for ProbeCost {
    fn from(cost: &SelfCost) -> Self {
        Self { name: cost.program.clone(), runs: cost.runs, run_ns: cost.run_time_ns }
    }
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
