//! The kernel side seen from here: loads the object, attaches the catalog's probes, drains the rings, decodes records
//! and reads the counters. The only user of aya besides `host`. Explains nothing and prints nothing.

pub mod catalog;
mod connections;
pub mod decode;
mod health;
mod iterator;
mod kernel;
mod process_memory;
mod rings;
mod self_cost;
mod tables;
mod task_waits;
mod verified;

pub use connections::Connections;
pub use health::{AttachVia, ProbeHealth, Verdict};
pub use kernel::{Kernel, KernelSettings, LoadError};
pub use process_memory::ProcessMemories;
pub use rings::Rings;
pub use self_cost::{SelfCost, SelfCostMeter};
pub use tables::{CallSum, CallSums, Counters, TaskTable};
pub use task_waits::{Look, TaskWaits};
pub use verified::{Verified, verified};
