//! The kernel tier: sysprobe's programs on this kernel, against real activity. Needs root.
//!
//! One module a subject. What is followed is mostly this binary itself, started as a `workload`, so that the tier also runs
//! in a guest that holds nothing but busybox. What a machine lacks is a printed, counted skip.

#![expect(clippy::unwrap_used, reason = "a test stops where its ground is not as expected")]

mod attach;
mod close_wait;
mod command;
mod demo;
mod dying;
mod exit;
mod explain;
mod frozen;
mod harness;
mod hung;
mod hung_disk;
mod leaking;
mod line;
mod lock;
mod memory_cgroup;
mod oom;
mod parity;
mod rights;
mod stuck;
mod watch;
mod workload;
