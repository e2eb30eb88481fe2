//! The probes: one row a hook, one file a family. Loading, health reports and `sysprobe check` all walk this table.

mod exit;
mod oom;
mod stall;
mod tcp;
mod trace;

use sysprobe_common::fields::Field;

/// Which command a probe serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// `sysprobe trace`.
    Trace,
    /// `sysprobe watch`.
    Watch,
}

/// What kind of hook a probe is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A tracepoint: `tp_btf`, or its twin by `raw_tp`.
    Tracepoint,
    /// A BPF iterator, run when it is read: there is no twin.
    Iterator,
}

/// One hook, in its two forms.
#[derive(Debug)]
pub struct ProbeRow {
    /// The `tp_btf` program; the probe's name everywhere.
    pub name: &'static str,
    /// The `raw_tp` program with the same body, for kernels or hosts that refuse BTF tracing; empty: there is none.
    pub twin: &'static str,
    /// The tracepoint's category in tracefs; `bpf_iter` for an iterator.
    pub category: &'static str,
    /// The tracepoint's name, or what an iterator walks.
    pub tracepoint: &'static str,
    /// What kind of hook it is.
    pub form: Form,
    /// The first Linux version that has it, where older ones are supported too; for words only.
    pub since: Option<&'static str>,
    /// Which ring its records go to.
    pub ring: Ring,
    /// Fields without which it is of no use.
    pub fields: &'static [Field],
    /// The command it serves.
    pub command: Command,
    /// That command cannot run without it.
    pub essential: bool,
    /// What it is for.
    pub purpose: &'static str,
    /// What the user loses without it.
    pub lost: &'static str,
}

/// A ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ring {
    /// Rare events that must not be lost.
    Critical,
    /// Floods.
    Bulk,
    /// No records: it only keeps state in maps.
    None,
}

/// Every probe.
pub fn probes() -> impl Iterator<Item = &'static ProbeRow> {
    trace::PROBES.iter().chain(stall::PROBES).chain(exit::PROBES).chain(oom::PROBES).chain(tcp::PROBES)
}

/// The probes of one command, in the order of attaching.
pub fn probes_of(command: Command) -> impl Iterator<Item = &'static ProbeRow> {
    probes().filter(move |row| row.command == command)
}
