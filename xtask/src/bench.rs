//! `cargo xtask bench`: what sysprobe costs, beside what else there is, in one run on one machine.
//!
//! Every figure is a ratio to the same work done with nothing attached, taken in the same round: on a shared machine a
//! time of its own says little. Nothing here is asserted, but what a tool lost is shown beside what it cost.

mod beside;
mod empty;
mod load;
mod rounds;
mod save;
mod trace;
mod watch;

use anyhow::Result;

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// `trace` beside strace, perf trace and bpftrace
    Trace(trace::Args),
    /// `watch` beside an empty program on the scheduler's switch, and what it needs when nothing happens
    Watch(watch::Args),
    /// One workload, which measures itself (the other verbs start it)
    #[command(hide = true)]
    Load(load::Args),
    /// Programs that do nothing on the tracepoints named, until standard input closes
    #[command(hide = true)]
    Empty(empty::Args),
}

pub fn main(args: &Args) -> Result<()> {
    match &args.what {
        What::Trace(args) => trace::main(args),
        What::Watch(args) => watch::main(args),
        What::Load(args) => load::main(args),
        What::Empty(args) => empty::main(args),
    }
}
