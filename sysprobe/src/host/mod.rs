//! Facts of the host: what this kernel has, and what this process may do with it.
//!
//! Everything is read through [`HostFs`], so that a folder of fixtures can stand in for a host in tests; only [`Trials`]
//! asks the running kernel. [`HostFacts`] is the sum, and `obstacle` judges it: what is in the way, what that costs,
//! and the command that removes it.

pub mod btf;
mod facts;
mod features;
pub mod fields;
mod format;
mod kmsg;
mod obstacle;
mod privilege;
mod rights;
mod root;
mod shape;
mod tracefs;
mod trial;

pub use facts::{HostFacts, TracefsFacts, Types};
pub use features::{CgroupMode, Features};
pub use format::{Format, FormatField};
pub use kmsg::{KMSG, KernelLine, KernelLog};
pub use obstacle::{Obstacle, Weight, obstacles, refusal};
pub use privilege::{Capability, Lockdown, Privilege};
pub use rights::drop_rest;
#[cfg(test)]
pub(crate) use root::memory;
pub use root::{HostFs, HostRoot, read_number, read_text};
pub use shape::Shapes;
pub use tracefs::{Tracefs, TracefsAccess};
pub use trial::{TRIALS_FILE, Trial, Trials};
