//! The probes of `watch` for OOM kills.

use sysprobe_common::fields::Field;

use super::{Command, Form, ProbeRow, Ring};

/// In the order of attaching.
pub(super) const PROBES: &[ProbeRow] = &[
    ProbeRow {
        name: "mark_victim",
        twin: "mark_victim_raw",
        category: "oom",
        tracepoint: "mark_victim",
        form: Form::Tracepoint,
        since: None,
        ring: Ring::Critical,
        fields: &[Field::TaskPid],
        command: Command::Watch,
        essential: false,
        purpose: "processes killed for want of memory",
        lost: "OOM kills in `watch`, but for what the kernel log tells of them",
    },
    ProbeRow {
        name: "process_memory",
        twin: "",
        category: "bpf_iter",
        tracepoint: "task",
        form: Form::Iterator,
        since: None,
        ring: Ring::None,
        fields: &[Field::TaskMm, Field::MmRssStat],
        command: Command::Watch,
        essential: false,
        purpose: "how the memory of processes grows",
        lost: "who grew before an OOM kill",
    },
];
