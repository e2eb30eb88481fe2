//! Calls whose arguments depend on each other: each function writes an argument and all after it.

mod descriptor;
mod futex;
mod ioctl;
mod option;
mod prctl;
mod select;
mod socket;
mod task;

pub use descriptor::{fcntl, mknod, mremap, open_flags, vector_offset, vector_offset_flags};
pub(super) use descriptor::{write_fcntl_result, write_octal_result};
pub use futex::futex;
pub use ioctl::ioctl;
pub use option::{getsockopt, setsockopt};
pub(super) use prctl::write_prctl_result;
pub use prctl::{arch_prctl, prctl};
pub use select::{epoll_ctl, pselect6, select};
pub use socket::{socket, socketpair};
pub use task::{clone, clone3, ptrace};
