//! strace's line form of calls, signals and ends of threads.
//!
//! ```text
//! [pid  1234] 14:02:11.204123 openat(AT_FDCWD</tmp>, "x", O_RDONLY|O_CLOEXEC) = 3</tmp/x> <0.000012>
//! 14:02:11.204123 read(3</tmp/x>, "abc"..., 4096) = 4096 <0.512018> {running 15us, blocked 512.003ms}
//! ```
//! Names, arguments, results and errors read as `strace -f -tt -T -y` has them; what strace lacks stands behind: where the time went
//! (`wait`). Sockets and device nodes read as `files` describes them. Pure: bytes in, text out, no clock and no files.

mod args;
mod arrays;
mod clock;
mod line;
mod message;
mod quote;
mod result;
mod settings;
pub(super) mod special;
mod wait;

#[cfg(test)]
mod tests;

pub use args::ArgWriter;
pub use clock::ClockAnchor;
pub use line::LineWriter;
pub use quote::write_escaped;
pub use settings::{PidColumn, TextSettings};
pub use wait::{write_duration, write_wait};
