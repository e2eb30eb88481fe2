//! Every set against what strace 6.1 printed of the same values, and properties that hold for any value.
//!
//! `strace-6.1.txt` has one case a line: the set, `f` for flags or `v` for one value, the value, the text. The texts were recorded
//! by making each call with that value under `strace -e inject=CALL:error=EPERM`, so that none was carried out.

use super::*;
use proptest::prelude::*;

macro_rules! sets {
    ($($module:ident { $($set:ident),* $(,)? })*) => {
        &[$($((concat!(stringify!($module), "::", stringify!($set)), &$module::$set)),*),*]
    };
}

static SETS: &[(&str, &FlagSet)] = sets! {
    admin {
        REBOOT, REBOOT_MAGIC, REBOOT_MAGIC2, KEXEC, KEXEC_FILE, INIT_MODULE, DELETE_MODULE, SYSLOG, GETRANDOM, KEYCTL,
        KEYRING, SECCOMP, SECCOMP_FILTER, LANDLOCK_RULE, LANDLOCK_CREATE, LANDLOCK_FS, LANDLOCK_NET,
    }
    bpf { BPF, MAP_TYPE, PROG_TYPE, PERF_OPEN }
    fd {
        FALLOCATE, CLOSE_RANGE, SYNC_FILE_RANGE, SPLICE, FADVISE, RWF, FLOCK, FCNTL, FD_FLAGS, LOCK_TYPE, LEASE,
        SEALS, NOTIFY, OWNER, PIPE,
    }
    futex { FUTEX, FUTEX_WAITER }
    io_uring { SETUP, ENTER, REGISTER, FEATURES }
    ipc { IPC_GET, SHM_GET, SHM_AT, SEMCTL, SHMCTL, MSGCTL, MSG_RCV, SEMOP, AIO, PRIVATE_KEY }
    link { HARDWARE, PACKET_TYPE, VSOCK_CID, VSOCK_FLAGS }
    magic { FILE_SYSTEM }
    memory {
        PROT, MAP, MREMAP, MADVISE, MSYNC, MLOCK2, MLOCKALL, MEMBARRIER, MEMBARRIER_FLAGS, MEMFD, MBIND, MOVE_PAGES,
        MEMPOLICY_GET, MEMPOLICY_MODE, USERFAULTFD, PKEY,
    }
    mount {
        MOUNT, UMOUNT, FSOPEN, FSMOUNT, MOUNT_ATTR, FSPICK, OPEN_TREE, MOVE_MOUNT, MOUNT_SETATTR, FSCONFIG, SWAP,
        QUOTA, QUOTA_TYPE, STATFS, STATMOUNT, PROPAGATION,
    }
    net { DOMAIN, SOCK, ACCEPT, MSG, SHUT }
    open {
        OPEN, RESOLVE, WHENCE, ACCESS, AT, AT_ACCESS, AT_STATX, AT_HANDLE, AT_EXEC, STATX_MASK, STATX_ATTR, RENAME,
        XATTR,
    }
    perf { TYPE, SIZE, HARDWARE, SOFTWARE, CACHE, CACHE_OP, CACHE_RESULT, SAMPLE, FORMAT }
    poll {
        EPOLL_CTL, EPOLL_CREATE, EPOLL_EVENTS, POLL, EVENTFD, INOTIFY_INIT, INOTIFY, FANOTIFY_INIT, FANOTIFY_MARK,
        FANOTIFY_EVENTS,
    }
    prctl {
        OPTION, SECCOMP_MODE, MM, CAP_AMBIENT, SPECULATION, SPECULATION_MODE, VMA, SCHED_CORE, MCE_KILL,
        MCE_KILL_POLICY, TSC, DUMPABLE, SECUREBITS, PTRACER,
    }
    protocol { INET, NETLINK, PACKET, BLUETOOTH, CAN }
    ptrace { REQUEST, OPTIONS, EVENT }
    signal { HOW, SA, SS, SIGEV, SIGNALFD, SI_ILL, SI_FPE, SI_SEGV, SI_BUS, SI_TRAP, SI_CHLD, SI_POLL, SI_SYS, SI }
    sockopt {
        LEVEL, SOCKET, IP, IPV6, TCP, UDP, RAW, NETLINK, PACKET, SCTP, ALG, TLS, XDP, BLUETOOTH, CAN_RAW, TIPC, DCCP,
        KCM, MPTCP, VSOCK,
    }
    task {
        CLONE, CLONE3, UNSHARE, SETNS, WAIT, WAITID, RUSAGE, PRIORITY, RLIMIT, SCHED_POLICY, SCHED_ATTR, IOPRIO_WHO,
        IOPRIO_CLASS, PERSONALITY, ARCH_PRCTL, PIDFD_OPEN, KCMP, CAP_VERSION, CAPABILITY_NUMBER,
    }
    terminal { INPUT, OUTPUT, DELAY_NL, DELAY_CR, DELAY_TAB, DELAY_BS, DELAY_VT, DELAY_FF, SPEED, CONTROL, LOCAL }
    time { CLOCK, CLOCK_NANOSLEEP, TIMER, TIMERFD, TIMERFD_SET, ITIMER, ADJ, STA, TIME_STATE }
};

fn flags(set: &FlagSet, value: u64) -> String {
    let mut out = Vec::new();
    write_flags(&mut out, set, value);
    String::from_utf8(out).unwrap()
}

fn value(set: &FlagSet, value: u64) -> String {
    let mut out = Vec::new();
    write_value(&mut out, set, value);
    String::from_utf8(out).unwrap()
}

#[test]
fn values_read_as_strace_shows_them() {
    let mut wrong = Vec::new();
    for line in include_str!("strace-6.1.txt").lines() {
        let parts: Vec<_> = line.splitn(4, ' ').collect();
        let set = SETS.iter().find(|(name, _)| *name == parts[0]).map(|(_, set)| *set).unwrap();
        let number = u64::from_str_radix(&parts[2][2..], 16).unwrap();
        let got = if parts[1] == "f" { flags(set, number) } else { value(set, number) };
        if got != parts[3] {
            wrong.push(format!("{} {}\n  strace {}\n  here   {got}", parts[0], parts[2], parts[3]));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_name_of_an_enumeration_is_found_by_its_value() {
    for (set, members) in SETS.iter().map(|(name, set)| (name, set)) {
        for flag in members.names {
            let found = members.name(flag.value).unwrap();
            // Two names of one value: the first wins, and it must be one of them.
            assert!(members.names.iter().any(|other| other.value == flag.value && other.name == found), "{set}");
        }
    }
}

#[test]
fn flags_of_a_register_ignore_its_upper_half() {
    assert_eq!(flags(&open::OPEN, 0xffff_ffff_0000_0241), "O_WRONLY|O_CREAT|O_TRUNC");
    assert_eq!(value(&open::WHENCE, 0xffff_0000_0000_0002), "SEEK_END");
    assert_eq!(flags(&task::CLONE, 0x0120_0011), "CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID|SIGCHLD");
}

#[test]
fn what_strace_does_not_know_yet_has_its_name_here() {
    assert_eq!(value(&memory::MADVISE, 102), "MADV_GUARD_INSTALL");
    assert_eq!(flags(&memory::MEMFD, 9), "MFD_CLOEXEC|MFD_NOEXEC_SEAL");
    assert_eq!(flags(&memory::MAP, 0x28), "MAP_DROPPABLE|MAP_ANONYMOUS");
    assert_eq!(flags(&task::SCHED_POLICY, 0x4000_0001), "SCHED_FIFO|SCHED_RESET_ON_FORK");
    assert_eq!(value(&prctl::SPECULATION_MODE, 4), "PR_SPEC_DISABLE");
    assert_eq!(value(&prctl::SPECULATION_MODE, 0x1c), "0x1c /* PR_SPEC_??? */");
    assert_eq!(flags(&fd::RWF, 0x40), "RWF_ATOMIC");
}

#[test]
fn modes_show_type_and_special_bits() {
    let mode = |mode| {
        let mut out = Vec::new();
        write_mode(&mut out, mode);
        String::from_utf8(out).unwrap()
    };
    assert_eq!(mode(0o100644), "S_IFREG|0644");
    assert_eq!(mode(0o41777), "S_IFDIR|S_ISVTX|0777");
    assert_eq!(mode(0o104755), "S_IFREG|S_ISUID|0755");
    assert_eq!(mode(0), "000");
}

#[test]
fn protocols_and_options_depend_on_domain_and_level() {
    let protocol = |domain, number| {
        let mut out = Vec::new();
        protocol::write_protocol(&mut out, domain, number);
        String::from_utf8(out).unwrap()
    };
    assert_eq!(protocol(2, 6), "IPPROTO_TCP");
    assert_eq!(protocol(16, 15), "NETLINK_KOBJECT_UEVENT");
    assert_eq!(protocol(17, 0x0300), "htons(ETH_P_ALL)");
    assert_eq!(protocol(1, 0), "0");
    let option = |level, number, set| {
        let mut out = Vec::new();
        sockopt::write_option(&mut out, level, number, set);
        String::from_utf8(out).unwrap()
    };
    assert_eq!(option(1, 26, true), "SO_ATTACH_FILTER");
    assert_eq!(option(1, 26, false), "SO_GET_FILTER");
    assert_eq!(option(6, 1, true), "TCP_NODELAY");
    assert_eq!(option(999, 3, true), "3");
}

proptest! {
    #[test]
    fn no_value_makes_output_that_is_not_plain_text(number in any::<u64>()) {
        for (name, set) in SETS {
            for text in [flags(set, number), value(set, number)] {
                prop_assert!(text.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{name}: {text:?}");
                prop_assert!(!text.is_empty() && !text.starts_with('|') && !text.ends_with('|'), "{name}: {text:?}");
            }
        }
    }
}
