//! What this process may do: capabilities, user namespace, lockdown and the switches that narrow BPF.
//!
//! Read from the process's own `/proc` entry and sysctls; nothing is tried here (see `trial`). A capability held only
//! inside a user namespace does not reach the kernel's tracing, so it does not count.

use std::collections::BTreeSet;

use serde::Serialize;

use super::root::{HostFs, read_number, read_text};

/// The capabilities that sysprobe uses, by their numbers (include/uapi/linux/capability.h).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[repr(u32)]
pub enum Capability {
    /// Read files of others: tracefs, `/proc` entries.
    CapDacReadSearch = 2,
    /// Look into processes of others.
    CapSysPtrace = 19,
    /// The superset that kernels before 5.8 want for BPF.
    CapSysAdmin = 21,
    /// The kernel log, and addresses of kernel symbols.
    CapSyslog = 34,
    /// Attach to tracepoints and read kernel memory (5.8).
    CapPerfmon = 38,
    /// Load programs and maps (5.8).
    CapBpf = 39,
}

impl Capability {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::CapBpf,
        Self::CapPerfmon,
        Self::CapSysPtrace,
        Self::CapDacReadSearch,
        Self::CapSyslog,
        Self::CapSysAdmin,
    ];

    /// As the manual writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::CapDacReadSearch => "CAP_DAC_READ_SEARCH",
            Self::CapSysPtrace => "CAP_SYS_PTRACE",
            Self::CapSysAdmin => "CAP_SYS_ADMIN",
            Self::CapSyslog => "CAP_SYSLOG",
            Self::CapPerfmon => "CAP_PERFMON",
            Self::CapBpf => "CAP_BPF",
        }
    }
}

/// What the kernel's lockdown mode refuses (kernel_lockdown(7)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Lockdown {
    /// Nothing, or the kernel has no such mode.
    Off,
    /// Changes of the kernel; reading it stays allowed.
    Integrity,
    /// Also reading kernel memory, which tracing lives on.
    Confidentiality,
    /// securityfs is not mounted or not readable.
    Unknown,
}

/// What this process may do.
#[derive(Clone, Debug, Serialize)]
pub struct Privilege {
    /// Effective user id.
    pub uid: Option<u32>,
    /// Effective capabilities among the ones sysprobe uses; what `CAP_SYS_ADMIN` includes is listed with it.
    pub capabilities: BTreeSet<Capability>,
    /// Whether this kernel has CAP_BPF and CAP_PERFMON apart from CAP_SYS_ADMIN (5.8).
    pub fine_capabilities: bool,
    /// Whether the process is in the host's own user namespace.
    pub initial_user_namespace: bool,
    /// The kernel's lockdown mode.
    pub lockdown: Lockdown,
    /// `kernel.unprivileged_bpf_disabled`: 0 allowed, 1 and 2 not; `None` without BPF.
    pub unprivileged_bpf_disabled: Option<i64>,
    /// Soft limit of locked memory, `None` for unlimited. Kernels before 5.11 charge maps to it.
    pub memlock_bytes: Option<u64>,
    /// Whether the kernel log can be read.
    pub kernel_log: bool,
    /// Whether a seccomp filter is in force on this process (containers).
    pub seccomp_filter: bool,
}

impl Privilege {
    /// Reads them for the process itself.
    pub fn read(fs: &dyn HostFs) -> Self {
        let status = read_text(fs, "/proc/self/status").unwrap_or_default();
        let value = |key: &str| status.lines().find_map(|l| l.strip_prefix(key)?.strip_prefix(':')).map(str::trim);
        let uid = value("Uid").and_then(|v| v.split_whitespace().nth(1)).and_then(|v| v.parse().ok());
        let bits = value("CapEff").and_then(|v| u64::from_str_radix(v, 16).ok()).unwrap_or(0);
        let last = read_number(fs, "/proc/sys/kernel/cap_last_cap");
        let fine_capabilities = last.is_none_or(|last| last >= Capability::CapBpf as i64);
        let initial_user_namespace = in_initial_user_namespace(fs);
        let capabilities = if initial_user_namespace { effective(bits, fine_capabilities) } else { BTreeSet::new() };
        let restricted = read_number(fs, "/proc/sys/kernel/dmesg_restrict").is_some_and(|v| v != 0);
        let may_syslog = capabilities.contains(&Capability::CapSyslog);
        Self {
            uid,
            fine_capabilities,
            initial_user_namespace,
            lockdown: lockdown(fs),
            unprivileged_bpf_disabled: read_number(fs, "/proc/sys/kernel/unprivileged_bpf_disabled"),
            memlock_bytes: memlock(fs),
            kernel_log: fs.exists("/dev/kmsg") && (may_syslog || !restricted),
            seccomp_filter: value("Seccomp") == Some("2"),
            capabilities,
        }
    }

    /// Whether a capability is held.
    pub fn has(&self, capability: Capability) -> bool {
        self.capabilities.contains(&capability)
    }
}

/// Decodes `CapEff`; CAP_SYS_ADMIN includes what was split off it (capabilities(7)).
fn effective(bits: u64, fine: bool) -> BTreeSet<Capability> {
    let holds = |c: Capability| bits >> (c as u32) & 1 == 1;
    let admin = holds(Capability::CapSysAdmin);
    let included =
        |c: Capability| admin && matches!(c, Capability::CapBpf | Capability::CapPerfmon | Capability::CapSyslog);
    let exists = |c: Capability| fine || !matches!(c, Capability::CapBpf | Capability::CapPerfmon);
    Capability::ALL.into_iter().filter(|&c| included(c) || (exists(c) && holds(c))).collect()
}

/// The initial user namespace has a fixed inode number (`PROC_USER_INIT_INO`, include/linux/proc_ns.h).
fn in_initial_user_namespace(fs: &dyn HostFs) -> bool {
    fs.read_link("/proc/self/ns/user").map_or(true, |link| link.to_string_lossy() == "user:[4026531837]")
}

/// `none [integrity] confidentiality`: the one in brackets is in force.
fn lockdown(fs: &dyn HostFs) -> Lockdown {
    let Some(text) = read_text(fs, "/sys/kernel/security/lockdown") else {
        // With securityfs mounted, a kernel without the file has no lockdown.
        let mounted = fs.list("/sys/kernel/security").is_ok_and(|names| !names.is_empty());
        return if mounted { Lockdown::Off } else { Lockdown::Unknown };
    };
    match text.split(['[', ']']).nth(1) {
        Some("none") => Lockdown::Off,
        Some("integrity") => Lockdown::Integrity,
        Some("confidentiality") => Lockdown::Confidentiality,
        _ => Lockdown::Unknown,
    }
}

fn memlock(fs: &dyn HostFs) -> Option<u64> {
    let limits = read_text(fs, "/proc/self/limits")?;
    let line = limits.lines().find_map(|l| l.strip_prefix("Max locked memory"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::root::memory::MemoryHost;
    use super::*;

    fn host(cap_eff: &str) -> MemoryHost {
        let status = format!("Name:\tx\nUid:\t1000\t1000\t1000\t1000\nCapEff:\t{cap_eff}\nSeccomp:\t2\n");
        MemoryHost::new([("/proc/self/status", status.as_str()), ("/proc/sys/kernel/cap_last_cap", "40")])
    }

    #[test]
    fn administrators_hold_what_was_split_off() {
        let privilege = Privilege::read(&host("0000000000200000"));
        assert!(privilege.has(Capability::CapBpf) && privilege.has(Capability::CapPerfmon));
        assert!(!privilege.has(Capability::CapSysPtrace));
        assert_eq!((privilege.uid, privilege.seccomp_filter), (Some(1000), true));
    }

    #[test]
    fn single_capabilities_are_told_apart() {
        let privilege = Privilege::read(&host("000000c000000000"));
        assert_eq!(privilege.capabilities, [Capability::CapPerfmon, Capability::CapBpf].into());
        let old = Privilege::read(&host("000000c000000000").with("/proc/sys/kernel/cap_last_cap", "37"));
        assert!(!old.fine_capabilities && old.capabilities.is_empty());
    }

    #[test]
    fn capabilities_of_a_user_namespace_do_not_count() {
        let inside = host("000001ffffffffff").with("/proc/self/ns/user", "->user:[4026532001]");
        let privilege = Privilege::read(&inside);
        assert!(!privilege.initial_user_namespace && privilege.capabilities.is_empty());
    }

    #[test]
    fn the_lockdown_mode_in_brackets_is_the_one_in_force() {
        let text = "none integrity [confidentiality]\n";
        let locked = host("0").with("/sys/kernel/security/lockdown", text);
        assert_eq!(Privilege::read(&locked).lockdown, Lockdown::Confidentiality);
        assert_eq!(Privilege::read(&host("0")).lockdown, Lockdown::Unknown);
    }

    #[test]
    fn the_kernel_log_needs_its_capability_only_where_it_is_restricted() {
        let with_log = || host("0").with("/dev/kmsg", "");
        assert!(Privilege::read(&with_log()).kernel_log);
        assert!(!Privilege::read(&with_log().with("/proc/sys/kernel/dmesg_restrict", "1")).kernel_log);
    }
}
