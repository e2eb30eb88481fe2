//! Loads every probe as `trace` does and prints what the verifier says of it, for `cargo xtask verifier`.
//!
//! One line a program and mode, tab-separated: program, mode, instructions walked, instructions kept; `-` where the
//! kernel does not say. Nothing is traced.

use anyhow::Context as _;
use sysprobe::host::{HostFacts, HostRoot};
use sysprobe::probe::catalog::probes;
use sysprobe::probe::{Kernel, KernelSettings, verified};

fn main() -> anyhow::Result<()> {
    let facts = HostFacts::read(&HostRoot::live());
    let fields = facts.fields().context("this kernel's types are not known")?;
    // What is frozen into the programs decides which paths are left to walk.
    for (mode, aggregate) in [("events", false), ("sums", true)] {
        let mut kernel =
            Kernel::load(&KernelSettings { aggregate, bulk_ring_bytes: 1 << 16, ..KernelSettings::new(fields, &[]) })?;
        for row in probes() {
            let health = kernel.attach(row, &fields.offsets);
            if let Some(reason) = health.reason() {
                eprintln!("{}: {reason}", row.name);
            }
        }
        let shown = |count: Option<u32>| count.map_or("-".to_owned(), |count| count.to_string());
        for program in verified(&kernel) {
            println!("{}\t{mode}\t{}\t{}", program.program, shown(program.walked), shown(program.instructions));
        }
    }
    Ok(())
}
