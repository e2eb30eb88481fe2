//! sysprobe: explains stalls, leaks and kills on a live Linux host from kernel events.
//!
//! The crate's map, in the order data flows:
//! - `cli`: one file a subcommand; raw flags become validated settings.
//! - `host`: facts of the running kernel (BTF, fields, tracepoint formats, features).
//! - `probe`: loads and attaches the kernel programs, drains the rings, decodes, counts loss. The only user of aya.
//! - `event`: the typed model of what the kernel said.
//! - `syscall`: the table of system calls, what to capture of each, and strace's text form.
//! - `enrich`: who a process is (command line, cgroup, container).
//! - `analyze`: facts in, findings out; pure.
//! - `explain`: stacks and kernel logs to causes; pure.
//! - `record`: schema v1.
//! - `sink`: where findings go: words, or records one a line.
//! - `trace`, `watch`, `demo`: the subcommands that run for a while.

pub mod analyze;
pub mod cli;
pub mod demo;
pub mod enrich;
pub mod event;
pub mod explain;
pub mod host;
pub mod probe;
pub mod record;
pub mod sink;
pub mod syscall;
pub mod trace;
pub mod watch;
