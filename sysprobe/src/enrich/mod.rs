//! Who a process is: command line, program, user, cgroup, container, job.
//!
//! [`ProcessReader`] reads one process from `/proc` without ever touching what could block on a stuck one;
//! [`ProcessCache`] keeps what was read, corrected by the kernel's own fork, exec and exit events, and hands it out
//! ready for a record. What is not known stays unknown.

mod cache;
mod container;
pub mod devices;
pub mod fuse;
mod memory_limits;
mod mounts;
pub mod net;
pub mod net_tcp;
mod process;
pub mod sock_diag;
mod socket_owners;
mod symbols;

pub use cache::{ExecFacts, ProcessCache};
pub use container::{CgroupFacts, cgroup_facts};
pub use memory_limits::{MemoryLimit, memory_limits, nearest};
pub use mounts::{Mount, Mounts};
pub use process::{ProcessInfo, ProcessReader, processes};
pub use socket_owners::{Owners, SocketOwners};
pub use symbols::KernelSymbols;
