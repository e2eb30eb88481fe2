//! The probes of `watch` that tell of processes that end abnormally, and of who killed them.

use sysprobe_common::fields::Field;

use super::{Command, Form, ProbeRow, Ring};

/// In the order of attaching: senders before the ends that they explain.
pub(super) const PROBES: &[ProbeRow] = &[
    ProbeRow {
        name: "signal_generate",
        twin: "signal_generate_raw",
        category: "signal",
        tracepoint: "signal_generate",
        form: Form::Tracepoint,
        since: None,
        ring: Ring::None,
        fields: &[Field::TaskTgid, Field::TaskGroupLeader],
        command: Command::Watch,
        essential: false,
        purpose: "who sends a deadly signal",
        lost: "who killed a process, in the deaths of `watch`",
    },
    ProbeRow {
        name: "process_exit",
        twin: "process_exit_raw",
        category: "sched",
        tracepoint: "sched_process_exit",
        form: Form::Tracepoint,
        since: None,
        ring: Ring::Critical,
        fields: &[Field::TaskSignal, Field::TaskExitCode, Field::TaskGroupLeader, Field::SignalLive],
        command: Command::Watch,
        essential: false,
        purpose: "processes that end abnormally",
        lost: "the deaths of `watch`",
    },
];
