//! Structures the rows name: those of `syscall::structs` under one roof, and those not described yet, of which only the size is known.

/// Structures.
pub mod structs {
    use crate::syscall::structs::StructSpec;
    pub static CAP_DATA: StructSpec = StructSpec { size: 24, write: |out, _| out.extend_from_slice(b"...") };
    pub static CAP_HEADER: StructSpec = StructSpec { size: 8, write: |out, _| out.extend_from_slice(b"...") };
    pub static EPOLL_EVENT: StructSpec = StructSpec { size: 12, write: |out, _| out.extend_from_slice(b"...") };
    pub static IO_URING_PARAMS: StructSpec = StructSpec { size: 120, write: |out, _| out.extend_from_slice(b"...") };
    pub static ITIMERSPEC: StructSpec = StructSpec { size: 32, write: |out, _| out.extend_from_slice(b"...") };
    pub static ITIMERVAL: StructSpec = StructSpec { size: 32, write: |out, _| out.extend_from_slice(b"...") };
    pub static OPEN_HOW: StructSpec = StructSpec { size: 24, write: |out, _| out.extend_from_slice(b"...") };
    pub static PERF_EVENT_ATTR: StructSpec = StructSpec { size: 136, write: |out, _| out.extend_from_slice(b"...") };
    pub static RLIMIT: StructSpec = StructSpec { size: 16, write: |out, _| out.extend_from_slice(b"...") };
    pub static RUSAGE: StructSpec = StructSpec { size: 144, write: |out, _| out.extend_from_slice(b"...") };
    pub static SCHED_ATTR: StructSpec = StructSpec { size: 56, write: |out, _| out.extend_from_slice(b"...") };
    pub static SIGACTION: StructSpec = StructSpec { size: 32, write: |out, _| out.extend_from_slice(b"...") };
    pub static SIGEVENT: StructSpec = StructSpec { size: 64, write: |out, _| out.extend_from_slice(b"...") };
    pub static SIGINFO: StructSpec = StructSpec { size: 128, write: |out, _| out.extend_from_slice(b"...") };
    pub static SIGSET: StructSpec = StructSpec { size: 8, write: |out, _| out.extend_from_slice(b"...") };
    pub static STACK: StructSpec = StructSpec { size: 24, write: |out, _| out.extend_from_slice(b"...") };
    pub static STAT: StructSpec = StructSpec { size: 144, write: |out, _| out.extend_from_slice(b"...") };
    pub static STATFS: StructSpec = StructSpec { size: 120, write: |out, _| out.extend_from_slice(b"...") };
    pub static STATX: StructSpec = StructSpec { size: 256, write: |out, _| out.extend_from_slice(b"...") };
    pub static SYSINFO: StructSpec = StructSpec { size: 112, write: |out, _| out.extend_from_slice(b"...") };
    pub static TIMESPEC: StructSpec = StructSpec { size: 16, write: |out, _| out.extend_from_slice(b"...") };
    pub static TIMEVAL: StructSpec = StructSpec { size: 16, write: |out, _| out.extend_from_slice(b"...") };
    pub static TIMEZONE: StructSpec = StructSpec { size: 8, write: |out, _| out.extend_from_slice(b"...") };
    pub static TMS: StructSpec = StructSpec { size: 32, write: |out, _| out.extend_from_slice(b"...") };
    pub static UTIMBUF: StructSpec = StructSpec { size: 16, write: |out, _| out.extend_from_slice(b"...") };
    pub static UTSNAME: StructSpec = StructSpec { size: 390, write: |out, _| out.extend_from_slice(b"...") };
}
