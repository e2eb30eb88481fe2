//! Processes and threads: clone, wait, limits, scheduling, personality, capabilities, pidfds.
//!
//! Source: include/uapi/linux/sched.h, wait.h, resource.h, personality.h, capability.h, kcmp.h and asm/prctl.h.

use super::set::{FlagSet, Tail, names};

/// `clone`: flags, then the exit signal of the low byte.
pub static CLONE: FlagSet = FlagSet::new(
    "CLONE_???",
    names! {
        CLONE_VM, CLONE_FS, CLONE_FILES, CLONE_SIGHAND, CLONE_PIDFD, CLONE_PTRACE, CLONE_VFORK, CLONE_PARENT,
        CLONE_THREAD, CLONE_NEWNS, CLONE_SYSVSEM, CLONE_SETTLS, CLONE_PARENT_SETTID, CLONE_CHILD_CLEARTID,
        CLONE_UNTRACED, CLONE_CHILD_SETTID, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID,
        CLONE_NEWNET, CLONE_IO,
    },
)
.tail(Tail::ExitSignal);

/// `clone_args.flags`.
pub static CLONE3: FlagSet = FlagSet::new(
    "CLONE_???",
    names! {
        CLONE_VM, CLONE_FS, CLONE_FILES, CLONE_SIGHAND, CLONE_PIDFD, CLONE_PTRACE, CLONE_VFORK, CLONE_PARENT,
        CLONE_THREAD, CLONE_NEWNS, CLONE_SYSVSEM, CLONE_SETTLS, CLONE_PARENT_SETTID, CLONE_CHILD_CLEARTID,
        CLONE_UNTRACED, CLONE_CHILD_SETTID, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID,
        CLONE_NEWNET, CLONE_IO, CLONE_NEWTIME, CLONE_CLEAR_SIGHAND = 0x1_0000_0000,
        CLONE_INTO_CGROUP = 0x2_0000_0000,
    },
)
.wide();

/// `unshare`.
pub static UNSHARE: FlagSet = FlagSet::new(
    "CLONE_???",
    names! {
        CLONE_NEWTIME, CLONE_VM, CLONE_FS, CLONE_FILES, CLONE_SIGHAND, CLONE_THREAD, CLONE_NEWNS, CLONE_SYSVSEM,
        CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET,
    },
);

/// `setns`.
pub static SETNS: FlagSet = FlagSet::new(
    "CLONE_NEW???",
    names! {
        CLONE_NEWTIME, CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID,
        CLONE_NEWNET,
    },
);

/// `wait4`, `waitid` options.
pub static WAIT: FlagSet = FlagSet::new(
    "W???",
    names! {
        WNOHANG, WEXITED, WSTOPPED, WCONTINUED, WNOWAIT, __WCLONE, __WALL, __WNOTHREAD,
    },
);

/// `waitid`: what the id is of.
pub static WAITID: FlagSet = FlagSet::new(
    "P_???",
    names! {
        P_ALL, P_PID, P_PGID, P_PIDFD,
    },
);

/// `getrusage`: whose.
pub static RUSAGE: FlagSet = FlagSet::new(
    "RUSAGE_???",
    names! {
        RUSAGE_SELF, RUSAGE_THREAD, RUSAGE_BOTH = 0xffff_fffe, RUSAGE_CHILDREN,
    },
);

/// `getpriority`: what the id is of.
pub static PRIORITY: FlagSet = FlagSet::new(
    "PRIO_???",
    names! {
        PRIO_PROCESS, PRIO_PGRP, PRIO_USER,
    },
);

/// `prlimit64`: which limit.
pub static RLIMIT: FlagSet = FlagSet::new(
    "RLIMIT_???",
    names! {
        RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_DATA, RLIMIT_STACK, RLIMIT_CORE, RLIMIT_RSS, RLIMIT_NPROC, RLIMIT_NOFILE,
        RLIMIT_MEMLOCK, RLIMIT_AS, RLIMIT_LOCKS, RLIMIT_SIGPENDING, RLIMIT_MSGQUEUE, RLIMIT_NICE, RLIMIT_RTPRIO,
        RLIMIT_RTTIME,
    },
);

/// `sched_setscheduler`: the policy, then `SCHED_RESET_ON_FORK`.
pub static SCHED_POLICY: FlagSet = FlagSet::new(
    "SCHED_???",
    names! {
        SCHED_RESET_ON_FORK,
    },
)
.head(
    0x3fff_ffff,
    names! {
        SCHED_OTHER, SCHED_FIFO, SCHED_RR, SCHED_BATCH, SCHED_ISO = 4, SCHED_IDLE, SCHED_DEADLINE, SCHED_EXT = 7,
    },
    "SCHED_???",
);

/// `sched_attr.sched_flags`.
pub static SCHED_ATTR: FlagSet = FlagSet::new(
    "SCHED_FLAG_???",
    names! {
        SCHED_FLAG_RESET_ON_FORK, SCHED_FLAG_RECLAIM, SCHED_FLAG_DL_OVERRUN, SCHED_FLAG_KEEP_POLICY,
        SCHED_FLAG_KEEP_PARAMS, SCHED_FLAG_UTIL_CLAMP_MIN, SCHED_FLAG_UTIL_CLAMP_MAX,
    },
)
.wide();

/// `ioprio_get`: what the id is of.
pub static IOPRIO_WHO: FlagSet = FlagSet::new(
    "IOPRIO_WHO_???",
    names! {
        IOPRIO_WHO_PROCESS = 1, IOPRIO_WHO_PGRP = 2, IOPRIO_WHO_USER = 3,
    },
);

/// The class of an I/O priority (bits 13 and up).
pub static IOPRIO_CLASS: FlagSet = FlagSet::new(
    "",
    names! {
        IOPRIO_CLASS_NONE = 0, IOPRIO_CLASS_RT = 1, IOPRIO_CLASS_BE = 2, IOPRIO_CLASS_IDLE = 3,
    },
);

/// `personality`: the execution domain, then flags.
pub static PERSONALITY: FlagSet = FlagSet::new(
    "",
    names! {
        UNAME26 = 0x2_0000, ADDR_NO_RANDOMIZE, FDPIC_FUNCPTRS = 0x8_0000, MMAP_PAGE_ZERO, ADDR_COMPAT_LAYOUT,
        READ_IMPLIES_EXEC, ADDR_LIMIT_32BIT, SHORT_INODE, WHOLE_SECONDS, STICKY_TIMEOUTS, ADDR_LIMIT_3GB,
    },
)
.head(
    0xff,
    names! {
        PER_LINUX = 0, PER_BSD = 6, PER_LINUX32 = 8, PER_RISCOS = 12, PER_OSF4 = 15, PER_HPUX = 16, PER_MASK = 255,
    },
    "PER_???",
);

/// `arch_prctl` codes.
pub static ARCH_PRCTL: FlagSet = FlagSet::new(
    "ARCH_???",
    names! {
        ARCH_SET_GS = 0x1001, ARCH_SET_FS = 0x1002, ARCH_GET_FS = 0x1003, ARCH_GET_GS = 0x1004,
        ARCH_GET_CPUID = 0x1011, ARCH_SET_CPUID = 0x1012, ARCH_GET_XCOMP_SUPP = 0x1021, ARCH_GET_XCOMP_PERM = 0x1022,
        ARCH_REQ_XCOMP_PERM = 0x1023, ARCH_GET_XCOMP_GUEST_PERM = 0x1024, ARCH_REQ_XCOMP_GUEST_PERM = 0x1025,
        ARCH_MAP_VDSO_X32 = 0x2001, ARCH_MAP_VDSO_32 = 0x2002, ARCH_MAP_VDSO_64 = 0x2003,
    },
);

/// `pidfd_open`.
pub static PIDFD_OPEN: FlagSet = FlagSet::new(
    "PIDFD_???",
    names! {
        PIDFD_NONBLOCK, PIDFD_THREAD,
    },
);

/// `kcmp` types.
pub static KCMP: FlagSet = FlagSet::new(
    "KCMP_???",
    names! {
        KCMP_FILE = 0, KCMP_VM = 1, KCMP_FILES = 2, KCMP_FS = 3, KCMP_SIGHAND = 4, KCMP_IO = 5, KCMP_SYSVSEM = 6,
        KCMP_EPOLL_TFD = 7,
    },
);

/// `cap_user_header.version`.
pub static CAP_VERSION: FlagSet = FlagSet::new(
    "_LINUX_CAPABILITY_VERSION_???",
    names! {
        _LINUX_CAPABILITY_VERSION_1 = 0x1998_0330, _LINUX_CAPABILITY_VERSION_2 = 0x2007_1026,
        _LINUX_CAPABILITY_VERSION_3 = 0x2008_0522,
    },
);

/// A capability by its number.
pub static CAPABILITY_NUMBER: FlagSet = FlagSet::new(
    "CAP_???",
    names! {
        CAP_CHOWN = 0, CAP_DAC_OVERRIDE = 1, CAP_DAC_READ_SEARCH = 2, CAP_FOWNER = 3, CAP_FSETID = 4, CAP_KILL = 5,
        CAP_SETGID = 6, CAP_SETUID = 7, CAP_SETPCAP = 8, CAP_LINUX_IMMUTABLE = 9, CAP_NET_BIND_SERVICE = 10,
        CAP_NET_BROADCAST = 11, CAP_NET_ADMIN = 12, CAP_NET_RAW = 13, CAP_IPC_LOCK = 14, CAP_IPC_OWNER = 15,
        CAP_SYS_MODULE = 16, CAP_SYS_RAWIO = 17, CAP_SYS_CHROOT = 18, CAP_SYS_PTRACE = 19, CAP_SYS_PACCT = 20,
        CAP_SYS_ADMIN = 21, CAP_SYS_BOOT = 22, CAP_SYS_NICE = 23, CAP_SYS_RESOURCE = 24, CAP_SYS_TIME = 25,
        CAP_SYS_TTY_CONFIG = 26, CAP_MKNOD = 27, CAP_LEASE = 28, CAP_AUDIT_WRITE = 29, CAP_AUDIT_CONTROL = 30,
        CAP_SETFCAP = 31, CAP_MAC_OVERRIDE = 32, CAP_MAC_ADMIN = 33, CAP_SYSLOG = 34, CAP_WAKE_ALARM = 35,
        CAP_BLOCK_SUSPEND = 36, CAP_AUDIT_READ = 37, CAP_PERFMON = 38, CAP_BPF = 39, CAP_CHECKPOINT_RESTORE = 40,
    },
);
