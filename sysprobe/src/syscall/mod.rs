//! The table of system calls, what to capture of each, and strace's text form.

pub mod errno;
pub mod flags;
pub mod signals;
pub mod structs;
