//! The probe of `watch` that dates connections in CLOSE_WAIT.

use sysprobe_common::fields::Field;

use super::{Command, Form, ProbeRow, Ring};

/// One probe.
pub(super) const PROBES: &[ProbeRow] = &[ProbeRow {
    name: "tcp_state",
    twin: "tcp_state_raw",
    category: "sock",
    tracepoint: "inet_sock_set_state",
    form: Form::Tracepoint,
    since: None,
    ring: Ring::None,
    fields: &[
        Field::SockProtocol,
        Field::SockNet,
        Field::NetInum,
        Field::InetSport,
        Field::SockDport,
        Field::SockFamily,
        Field::SockDaddr,
        Field::SockRcvSaddr,
    ],
    command: Command::Watch,
    essential: false,
    purpose: "since when connections are in CLOSE_WAIT",
    lost: "exact ages in the CLOSE_WAIT leaks of `watch`",
}];
