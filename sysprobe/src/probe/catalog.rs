//! The probes: one row a hook. Loading, health reports and `sysprobe check` all walk this table.

use sysprobe_common::fields::Field;

/// One hook, in its two forms.
#[derive(Debug)]
pub struct ProbeRow {
    /// The `tp_btf` program; the probe's name everywhere.
    pub name: &'static str,
    /// The `raw_tp` program with the same body, for kernels or hosts that refuse BTF tracing.
    pub twin: &'static str,
    /// The tracepoint's category in tracefs.
    pub category: &'static str,
    /// The tracepoint's name.
    pub tracepoint: &'static str,
    /// Which ring its records go to.
    pub ring: Ring,
    /// Fields without which it is of no use.
    pub fields: &'static [Field],
    /// Whether `trace` can run without it.
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

/// Every probe, in the order of attaching: what keeps the table of followed threads right comes before what reads it.
pub const PROBES: &[ProbeRow] = &[
    ProbeRow {
        name: "sched_process_exit",
        twin: "sched_process_exit_raw",
        category: "sched",
        tracepoint: "sched_process_exit",
        ring: Ring::Critical,
        fields: &[Field::TaskSignal, Field::TaskExitCode, Field::TaskComm],
        essential: true,
        purpose: "ends of followed threads",
        lost: "`trace` cannot tell when a thread ends",
    },
    ProbeRow {
        name: "sched_process_exec",
        twin: "sched_process_exec_raw",
        category: "sched",
        tracepoint: "sched_process_exec",
        ring: Ring::Critical,
        fields: &[Field::BprmFilename, Field::BprmEnvc],
        essential: false,
        purpose: "new programs of followed processes",
        lost: "command lines of programs started under `trace`",
    },
    ProbeRow {
        name: "sched_process_fork",
        twin: "sched_process_fork_raw",
        category: "sched",
        tracepoint: "sched_process_fork",
        ring: Ring::Critical,
        fields: &[Field::TaskPid, Field::TaskTgid],
        essential: true,
        purpose: "children of followed processes",
        lost: "`trace` cannot follow children",
    },
    ProbeRow {
        name: "signal_deliver",
        twin: "signal_deliver_raw",
        category: "signal",
        tracepoint: "signal_deliver",
        ring: Ring::Critical,
        fields: &[],
        essential: false,
        purpose: "signals that reach followed threads",
        lost: "`--- SIG... ---` lines of `trace`",
    },
    ProbeRow {
        name: "sched_switch",
        twin: "sched_switch_raw",
        category: "sched",
        tracepoint: "sched_switch",
        ring: Ring::None,
        fields: &[Field::TaskPid, Field::TaskState],
        essential: false,
        purpose: "where a call's time goes",
        lost: "the split of a call's time into running, runnable, blocked (D) and sleeping",
    },
    ProbeRow {
        name: "sched_waking",
        twin: "sched_waking_raw",
        category: "sched",
        tracepoint: "sched_waking",
        ring: Ring::None,
        fields: &[Field::TaskPid],
        essential: false,
        purpose: "when a waiting call is woken",
        lost: "telling the wait for a CPU from the wait before it",
    },
    ProbeRow {
        name: "sys_exit",
        twin: "sys_exit_raw",
        category: "raw_syscalls",
        tracepoint: "sys_exit",
        ring: Ring::Bulk,
        fields: &[],
        essential: true,
        purpose: "ends of system calls",
        lost: "`trace` as a whole",
    },
    ProbeRow {
        name: "sys_enter",
        twin: "sys_enter_raw",
        category: "raw_syscalls",
        tracepoint: "sys_enter",
        ring: Ring::Bulk,
        fields: &[],
        essential: true,
        purpose: "starts of system calls",
        lost: "`trace` as a whole",
    },
];
