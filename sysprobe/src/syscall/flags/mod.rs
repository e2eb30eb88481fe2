//! Symbolic names of flags and enumerated values, and strace's way of writing them.
//!
//! One file a family; each holds `FlagSet` statics and nothing else. Names and values are the kernel's
//! (include/uapi, x86-64). No set knows which call uses it: that is the call table's business.

pub mod admin;
pub mod bpf;
pub mod fd;
pub mod futex;
pub mod io_uring;
pub mod ioctl;
pub mod ipc;
pub mod link;
pub mod magic;
pub mod memory;
pub mod mount;
pub mod net;
pub mod number;
pub mod open;
pub mod perf;
pub mod poll;
pub mod prctl;
pub mod protocol;
pub mod ptrace;
mod set;
pub mod signal;
pub mod sockopt;
pub mod task;
pub mod terminal;
pub mod time;
mod write;

#[cfg(test)]
mod tests;

pub use set::{Field, Flag, FlagSet, Tail, Width};
pub use write::{write_flags, write_mode, write_value};
