//! Structures behind pointers, written as strace 6.1 abbreviates them.
//!
//! One file a family. Each writer takes the captured bytes, whole or cut: it shows what is whole, then `...`, and never fails.

/// How to read and show a structure.
#[derive(Clone, Copy, Debug)]
pub struct StructSpec {
    /// Bytes of the whole structure as the kernel lays it out on x86-64.
    pub size: u16,
    /// Appends the structure's text. Any bytes are accepted, short ones too.
    pub write: fn(&mut Vec<u8>, &[u8]),
}

mod fields;
mod file;
mod kernel;
mod poll;
mod process;
mod signal;
mod sockaddr;
mod stat;
mod terminal;
mod time;

pub use file::{FILE_HANDLE, FLOCK, FLOCK_OWNED, MOUNT_ATTR, OPEN_HOW, OWNER, count_dirents64, write_dirents64};
pub use kernel::{
    FUTEX_WAITV, IO_URING_PARAMS, IO_URING_PARAMS_IN, LANDLOCK_PATH, LANDLOCK_RULESET, LINGER, MQ_ATTR, MQ_ATTR_FLAGS,
    PERF_EVENT_ATTR, ROBUST_LIST, RSEQ, SEMBUF,
};
pub use poll::{EPOLL_EVENT, EPOLL_PARAMS, POLLFD, write_fd_set};
pub use process::{
    CAP_DATA, CAP_HEADER, CLONE_ARGS, RLIMIT, RUSAGE, SCHED_ATTR, SCHED_PARAM, SYSINFO, UCRED, UTSNAME, WAIT_STATUS,
    write_capabilities,
};
pub use signal::{SIGACTION, SIGEVENT, SIGINFO, SIGSET, STACK, code_name, write_siginfo};
pub use sockaddr::SOCKADDR;
pub use stat::{STAT, STATFS, STATX, write_device};
pub use terminal::{TERMIOS, WINSIZE};
pub use time::{ITIMERSPEC, ITIMERVAL, TIMESPEC, TIMEVAL, TIMEX, TIMEZONE, TMS, UTIMBUF, UTIMENS, UTIMES};

#[cfg(test)]
mod tests;
