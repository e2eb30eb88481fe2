//! The table of system calls, what to capture of each, and strace's text form.

pub mod errno;
pub mod files;
pub mod filter;
pub mod flags;
pub mod plan;
pub mod signals;
pub mod structs;
pub mod table;
pub mod text;
