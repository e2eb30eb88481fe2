//! strace's line form of calls, signals and ends of threads.

mod args;
pub(super) mod special;

pub use args::ArgWriter;
