//! Facts of the host: what this kernel has, and what this process may do with it.
//!
//! Everything is read through the file system, so a folder of fixtures can stand in for a host in tests.

pub mod btf;
pub mod fields;
