//! The kernel structure fields that the programs read: one table for both sides.
//!
//! Rust emits no CO-RE relocations. The user side looks every row up in the running kernel's BTF and sets
//! `FIELD_OFFSETS`, a frozen global of the kernel programs, so that the verifier knows the offsets as constants.
//! Alternatives (`a|b`) are tried in order: kernels rename fields. Presence is detected, never inferred from a version.

/// The offset of a field this kernel does not have.
pub const MISSING: u32 = u32::MAX;

/// What a missing field means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// No followed thread can be traced without it.
    Required,
    /// A feature less; [`FieldSpec::feature`] says which.
    Optional,
    /// As `Optional`, but only newer kernels have it at all: its absence is nothing to mend.
    Newer,
}

/// One row.
#[derive(Clone, Copy, Debug)]
pub struct FieldSpec {
    /// The row's key on the kernel side.
    pub field: Field,
    /// The structure, as in BTF.
    pub of: &'static str,
    /// Member path from it, through anonymous members; alternatives separated by `|`.
    pub path: &'static str,
    /// What its absence means.
    pub need: Need,
    /// What the user loses without it.
    pub feature: &'static str,
}

/// The rows' keys: indices into `FIELD_OFFSETS`. Named structure then member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
#[expect(missing_docs, reason = "each row is described by the table below")]
pub enum Field {
    TaskPid,
    TaskTgid,
    TaskState,
    TaskComm,
    TaskFlags,
    TaskFiles,
    TaskFs,
    TaskMm,
    TaskSignal,
    TaskExitCode,
    TaskThreadPid,
    TaskGroupLeader,
    TaskThreadInfoStatus,
    SignalGroupExitCode,
    SignalLive,
    PidLevel,
    PidNumbers,
    UpidNr,
    MmArgStart,
    MmArgEnd,
    BprmFilename,
    BprmArgc,
    BprmEnvc,
    FilesFdt,
    FdtableMaxFds,
    FdtableFd,
    FilePathMnt,
    FilePathDentry,
    FileInode,
    FilePrivateData,
    FsPwdMnt,
    FsPwdDentry,
    DentryName,
    DentryHashLen,
    DentryParent,
    DentryInode,
    DentryHashPprev,
    MountMnt,
    MountParent,
    MountMountpoint,
    VfsmountRoot,
    InodeMode,
    InodeIno,
    InodeRdev,
    InodeSb,
    SuperMagic,
    SocketSk,
    SockFamily,
    SockState,
    SockNum,
    SockDport,
    SockDaddr,
    SockRcvSaddr,
    SockV6Daddr,
    SockV6RcvSaddr,
    SockType,
    SockProtocol,
    UnixAddr,
    UnixAddressLen,
    UnixAddressName,
    TaskStack,
    TaskSwitchesVoluntary,
    TaskSwitchesInvoluntary,
    TaskStartBoottime,
    TaskRealParent,
    TaskBlocker,
    MutexOwner,
    RwsemOwner,
    SemaphoreLastHolder,
    SignalFlags,
    SignalMaxRss,
    SockNet,
    NetInum,
    SuperDevice,
    SuperFrozen,
    SuperWriters,
    MmTotalVm,
    MmPgtables,
    MmRssStat,
    PercpuCounterCount,
    PercpuCounterCounters,
    SignalOomScoreAdj,
    TaskCred,
    CredUid,
    TaskCgroups,
    CssSetSubsys,
    CssCgroup,
    CssSubsystem,
    SubsystemName,
    CgroupKernfs,
    KernfsName,
    KernfsParent,
    KernfsId,
    InetSport,
}

/// Number of rows.
pub const FIELD_COUNT: usize = 94;

const fn row(field: Field, of: &'static str, path: &'static str, need: Need, feature: &'static str) -> FieldSpec {
    FieldSpec { field, of, path, need, feature }
}

/// The table, in the order of [`Field`].
#[rustfmt::skip]
pub const FIELDS: [FieldSpec; FIELD_COUNT] = [
    row(Field::TaskPid, "task_struct", "pid", Need::Required, "following threads"),
    row(Field::TaskTgid, "task_struct", "tgid", Need::Required, "following threads"),
    row(Field::TaskState, "task_struct", "__state|state", Need::Required, "the split of a call's time"),
    row(Field::TaskComm, "task_struct", "comm", Need::Required, "following threads"),
    row(Field::TaskFlags, "task_struct", "flags", Need::Required, "following threads"),
    row(Field::TaskFiles, "task_struct", "files", Need::Required, "following threads"),
    row(Field::TaskFs, "task_struct", "fs", Need::Required, "following threads"),
    row(Field::TaskMm, "task_struct", "mm", Need::Required, "following threads"),
    row(Field::TaskSignal, "task_struct", "signal", Need::Required, "following threads"),
    row(Field::TaskExitCode, "task_struct", "exit_code", Need::Required, "following threads"),
    row(Field::TaskThreadPid, "task_struct", "thread_pid", Need::Optional, "pids inside containers"),
    row(Field::TaskGroupLeader, "task_struct", "group_leader", Need::Optional, "pids inside containers"),
    row(Field::TaskThreadInfoStatus, "task_struct", "thread_info.status", Need::Optional, "telling 32-bit calls apart"),
    row(Field::SignalGroupExitCode, "signal_struct", "group_exit_code", Need::Optional, "exit codes of killed threads"),
    row(Field::SignalLive, "signal_struct", "live.counter", Need::Optional, "telling a thread's end from its process's"),
    row(Field::PidLevel, "pid", "level", Need::Optional, "pids inside containers"),
    row(Field::PidNumbers, "pid", "numbers", Need::Optional, "pids inside containers"),
    row(Field::UpidNr, "upid", "nr", Need::Optional, "pids inside containers"),
    row(Field::MmArgStart, "mm_struct", "arg_start", Need::Optional, "command lines of new programs"),
    row(Field::MmArgEnd, "mm_struct", "arg_end", Need::Optional, "command lines of new programs"),
    row(Field::BprmFilename, "linux_binprm", "filename", Need::Optional, "names of new programs"),
    row(Field::BprmArgc, "linux_binprm", "argc", Need::Optional, "argument counts of new programs"),
    row(Field::BprmEnvc, "linux_binprm", "envc", Need::Optional, "environment counts of new programs"),
    row(Field::FilesFdt, "files_struct", "fdt", Need::Optional, "what descriptors are"),
    row(Field::FdtableMaxFds, "fdtable", "max_fds", Need::Optional, "what descriptors are"),
    row(Field::FdtableFd, "fdtable", "fd", Need::Optional, "what descriptors are"),
    row(Field::FilePathMnt, "file", "f_path.mnt|__f_path.mnt", Need::Optional, "what descriptors are"),
    row(Field::FilePathDentry, "file", "f_path.dentry|__f_path.dentry", Need::Optional, "what descriptors are"),
    row(Field::FileInode, "file", "f_inode", Need::Optional, "what descriptors are"),
    row(Field::FilePrivateData, "file", "private_data", Need::Optional, "addresses of sockets"),
    row(Field::FsPwdMnt, "fs_struct", "pwd.mnt", Need::Optional, "the directory of AT_FDCWD"),
    row(Field::FsPwdDentry, "fs_struct", "pwd.dentry", Need::Optional, "the directory of AT_FDCWD"),
    row(Field::DentryName, "dentry", "d_name.name|__d_name.name", Need::Optional, "what descriptors are"),
    row(Field::DentryHashLen, "dentry", "d_name.hash_len|__d_name.hash_len", Need::Optional, "what descriptors are"),
    row(Field::DentryParent, "dentry", "d_parent", Need::Optional, "what descriptors are"),
    row(Field::DentryInode, "dentry", "d_inode", Need::Optional, "what descriptors are"),
    row(Field::DentryHashPprev, "dentry", "d_hash.pprev", Need::Optional, "marking deleted files"),
    row(Field::MountMnt, "mount", "mnt", Need::Optional, "paths across mounts"),
    row(Field::MountParent, "mount", "mnt_parent", Need::Optional, "paths across mounts"),
    row(Field::MountMountpoint, "mount", "mnt_mountpoint", Need::Optional, "paths across mounts"),
    row(Field::VfsmountRoot, "vfsmount", "mnt_root", Need::Optional, "paths across mounts"),
    row(Field::InodeMode, "inode", "i_mode", Need::Optional, "what descriptors are"),
    row(Field::InodeIno, "inode", "i_ino", Need::Optional, "what descriptors are"),
    row(Field::InodeRdev, "inode", "i_rdev", Need::Optional, "numbers of device nodes"),
    row(Field::InodeSb, "inode", "i_sb", Need::Optional, "what descriptors are"),
    row(Field::SuperMagic, "super_block", "s_magic", Need::Optional, "what descriptors are"),
    row(Field::SocketSk, "socket", "sk", Need::Optional, "addresses of sockets"),
    row(Field::SockFamily, "sock", "__sk_common.skc_family", Need::Optional, "addresses of sockets"),
    row(Field::SockState, "sock", "__sk_common.skc_state", Need::Optional, "addresses of sockets"),
    row(Field::SockNum, "sock", "__sk_common.skc_num", Need::Optional, "addresses of sockets"),
    row(Field::SockDport, "sock", "__sk_common.skc_dport", Need::Optional, "addresses of sockets"),
    row(Field::SockDaddr, "sock", "__sk_common.skc_daddr", Need::Optional, "addresses of sockets"),
    row(Field::SockRcvSaddr, "sock", "__sk_common.skc_rcv_saddr", Need::Optional, "addresses of sockets"),
    row(Field::SockV6Daddr, "sock", "__sk_common.skc_v6_daddr", Need::Optional, "addresses of IPv6 sockets"),
    row(Field::SockV6RcvSaddr, "sock", "__sk_common.skc_v6_rcv_saddr", Need::Optional, "addresses of IPv6 sockets"),
    row(Field::SockType, "sock", "sk_type", Need::Optional, "addresses of sockets"),
    row(Field::SockProtocol, "sock", "sk_protocol", Need::Optional, "addresses of sockets"),
    row(Field::UnixAddr, "unix_sock", "addr", Need::Optional, "paths of unix sockets"),
    row(Field::UnixAddressLen, "unix_address", "len", Need::Optional, "paths of unix sockets"),
    row(Field::UnixAddressName, "unix_address", "name", Need::Optional, "paths of unix sockets"),
    row(Field::TaskStack, "task_struct", "stack", Need::Optional, "which call a stuck task is in"),
    row(Field::TaskSwitchesVoluntary, "task_struct", "nvcsw", Need::Optional, "tasks that were stuck before the start"),
    row(Field::TaskSwitchesInvoluntary, "task_struct", "nivcsw", Need::Optional, "tasks that were stuck before the start"),
    row(Field::TaskStartBoottime, "task_struct", "start_boottime", Need::Optional, "telling reused thread ids apart"),
    row(Field::TaskRealParent, "task_struct", "real_parent", Need::Optional, "parents of stuck tasks"),
    row(Field::TaskBlocker, "task_struct", "blocker", Need::Newer, "locks waited for since before the start"),
    row(Field::MutexOwner, "mutex", "owner", Need::Optional, "who holds a mutex"),
    row(Field::RwsemOwner, "rw_semaphore", "owner", Need::Optional, "who holds a reader-writer semaphore"),
    row(Field::SemaphoreLastHolder, "semaphore", "last_holder", Need::Newer, "who took a semaphore last"),
    row(Field::SignalFlags, "signal_struct", "flags", Need::Optional, "how processes of several threads ended"),
    row(Field::SignalMaxRss, "signal_struct", "maxrss", Need::Optional, "the memory of processes that ended"),
    row(Field::SockNet, "sock", "__sk_common.skc_net", Need::Optional, "ages of sockets in CLOSE_WAIT"),
    row(Field::NetInum, "net", "ns.inum", Need::Optional, "ages of sockets in CLOSE_WAIT"),
    row(Field::SuperDevice, "super_block", "s_dev", Need::Optional, "which file system is frozen"),
    row(Field::SuperFrozen, "super_block", "s_writers.frozen", Need::Optional, "which file system is frozen"),
    row(Field::SuperWriters, "super_block", "s_writers.rw_sem", Need::Optional, "which file system is frozen"),
    row(Field::MmTotalVm, "mm_struct", "total_vm", Need::Optional, "the victim's memory in OOM kills"),
    row(Field::MmPgtables, "mm_struct", "pgtables_bytes", Need::Optional, "the victim's page tables in OOM kills"),
    row(Field::MmRssStat, "mm_struct", "rss_stat.count|rss_stat", Need::Optional, "who grew before an OOM kill"),
    row(Field::PercpuCounterCount, "percpu_counter", "count", Need::Optional, "who grew before an OOM kill"),
    row(Field::PercpuCounterCounters, "percpu_counter", "counters", Need::Optional, "who grew before an OOM kill"),
    row(Field::SignalOomScoreAdj, "signal_struct", "oom_score_adj", Need::Optional, "the victim's oom_score_adj where the log does not tell it"),
    row(Field::TaskCred, "task_struct", "cred", Need::Optional, "the victim's user in OOM kills"),
    row(Field::CredUid, "cred", "uid", Need::Optional, "the victim's user in OOM kills"),
    row(Field::TaskCgroups, "task_struct", "cgroups", Need::Optional, "the memory cgroup of OOM kills"),
    row(Field::CssSetSubsys, "css_set", "subsys", Need::Optional, "the memory cgroup of OOM kills"),
    row(Field::CssCgroup, "cgroup_subsys_state", "cgroup", Need::Optional, "the memory cgroup of OOM kills"),
    row(Field::CssSubsystem, "cgroup_subsys_state", "ss", Need::Optional, "the memory cgroup of OOM kills"),
    row(Field::SubsystemName, "cgroup_subsys", "name", Need::Optional, "the memory cgroup of OOM kills"),
    row(Field::CgroupKernfs, "cgroup", "kn", Need::Optional, "the memory cgroup of OOM kills"),
    row(Field::KernfsName, "kernfs_node", "name", Need::Optional, "the memory cgroup of OOM kills"),
    row(Field::KernfsParent, "kernfs_node", "__parent|parent", Need::Optional, "the memory cgroup of OOM kills"),
    row(Field::KernfsId, "kernfs_node", "id", Need::Optional, "the memory cgroup of OOM kills"),
    row(Field::InetSport, "inet_sock", "inet_sport", Need::Optional, "ages of sockets in CLOSE_WAIT"),
];

const _: () = {
    let mut i = 0;
    while i < FIELD_COUNT {
        assert!(FIELDS[i].field as usize == i);
        i += 1;
    }
};
