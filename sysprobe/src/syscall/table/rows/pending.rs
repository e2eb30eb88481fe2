//! Sets and structures the rows name: those of `syscall::flags` and `syscall::structs` under one roof, and those not described yet,
//! which are shown as plain numbers and addresses.

/// Families of flags.
pub mod flags {
    use crate::syscall::flags::FlagSet;
    pub use crate::syscall::flags::{fd::*, memory::*, open::*, task::*};

    pub static BPF_COMMANDS: FlagSet = FlagSet::new("", &[]);
    pub static CLOCKS: FlagSet = FlagSet::new("", &[]);
    pub static DELETE_MODULE_FLAGS: FlagSet = FlagSet::new("", &[]);
    pub static EPOLL_CREATE_FLAGS: FlagSet = FlagSet::new("", &[]);
    pub static EVENTFD_FLAGS: FlagSet = FlagSet::new("", &[]);
    pub static FANOTIFY_EVENTS: FlagSet = FlagSet::new("", &[]);
    pub static FANOTIFY_INIT_FLAGS: FlagSet = FlagSet::new("", &[]);
    pub static FANOTIFY_MARK_FLAGS: FlagSet = FlagSet::new("", &[]);
    pub static FINIT_MODULE_FLAGS: FlagSet = FlagSet::new("", &[]);
    pub static FSCONFIG_COMMANDS: FlagSet = FlagSet::new("", &[]);
    pub static FSMOUNT_FLAGS: FlagSet = FlagSet::new("", &[]);
    pub static FSOPEN_FLAGS: FlagSet = FlagSet::new("", &[]);
    pub static FSPICK_FLAGS: FlagSet = FlagSet::new("", &[]);
    pub static GETRANDOM_FLAGS: FlagSet = FlagSet::new("", &[]);
    pub static INOTIFY_INIT_FLAGS: FlagSet = FlagSet::new("", &[]);
    pub static INOTIFY_MASK: FlagSet = FlagSet::new("", &[]);
    pub static IO_URING_ENTER_FLAGS: FlagSet = FlagSet::new("", &[]);
    pub static IO_URING_REGISTER_OPCODES: FlagSet = FlagSet::new("", &[]);
    pub static IPC_COMMANDS: FlagSet = FlagSet::new("", &[]);
    pub static ITIMERS: FlagSet = FlagSet::new("", &[]);
    pub static KEYCTL_OPERATIONS: FlagSet = FlagSet::new("", &[]);
    pub static LANDLOCK_CREATE_FLAGS: FlagSet = FlagSet::new("", &[]);
    pub static LANDLOCK_RULE_TYPES: FlagSet = FlagSet::new("", &[]);
    pub static MOUNT_ATTR_FLAGS: FlagSet = FlagSet::new("", &[]);
    pub static MOUNT_FLAGS: FlagSet = FlagSet::new("", &[]);
    pub static MOVE_MOUNT_FLAGS: FlagSet = FlagSet::new("", &[]);
    pub static MSG_FLAGS: FlagSet = FlagSet::new("", &[]);
    pub static OPEN_TREE_FLAGS: FlagSet = FlagSet::new("", &[]);
    pub static PERF_OPEN_FLAGS: FlagSet = FlagSet::new("", &[]);
    pub static SECCOMP_OPERATIONS: FlagSet = FlagSet::new("", &[]);
    pub static SHMAT_FLAGS: FlagSet = FlagSet::new("", &[]);
    pub static SHUTDOWN_HOW: FlagSet = FlagSet::new("", &[]);
    pub static SIGNALFD_FLAGS: FlagSet = FlagSet::new("", &[]);
    pub static SIGPROCMASK_HOW: FlagSet = FlagSet::new("", &[]);
    pub static SOCK_FLAGS: FlagSet = FlagSet::new("", &[]);
    pub static SWAP_FLAGS: FlagSet = FlagSet::new("", &[]);
    pub static SYSLOG_ACTIONS: FlagSet = FlagSet::new("", &[]);
    pub static TIMERFD_CREATE_FLAGS: FlagSet = FlagSet::new("", &[]);
    pub static TIMERFD_SETTIME_FLAGS: FlagSet = FlagSet::new("", &[]);
    pub static TIMER_FLAGS: FlagSet = FlagSet::new("", &[]);
    pub static UMOUNT_FLAGS: FlagSet = FlagSet::new("", &[]);
}

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
