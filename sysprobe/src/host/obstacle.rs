//! What is in the way on a host: each thing with what it costs the user and the command that removes it.
//!
//! The one place that judges facts, so that `check`, `trace` and the agent say the same. The order is the order to
//! fix them in: the first that blocks is the one line a refusal shows.

use serde::Serialize;
use sysprobe_common::fields::Need;

use super::facts::{HostFacts, Types};
use super::{Capability, CgroupMode, Lockdown, TracefsAccess, Trial};

/// The machine that the table of system calls and the programs are for.
const SUPPORTED_ARCH: &str = "x86_64";

/// How much an obstacle matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// Nothing can be traced.
    Blocks,
    /// Something is lost; the rest works.
    Costs,
}

/// One thing in the way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Obstacle {
    /// Whether tracing is impossible with it.
    pub weight: Weight,
    /// What is missing or refused.
    pub what: String,
    /// What the user loses.
    pub costs: String,
    /// What removes it: a command where there is one.
    pub fix: String,
}

impl Obstacle {
    fn blocks(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { weight: Weight::Blocks, what: what.into(), costs: "nothing can be traced".to_owned(), fix: fix.into() }
    }

    fn costs(what: impl Into<String>, costs: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { weight: Weight::Costs, what: what.into(), costs: costs.into(), fix: fix.into() }
    }
}

impl std::fmt::Display for Obstacle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}; {}", self.what, self.fix)
    }
}

/// Everything in the way, what blocks first. `program` is the path a `setcap` would be run on.
pub fn obstacles(facts: &HostFacts, program: &str) -> Vec<Obstacle> {
    let mut found = Vec::new();
    if facts.features.arch != SUPPORTED_ARCH {
        let what = format!("this machine is {}; sysprobe knows x86-64 only", facts.features.arch);
        found.push(Obstacle::blocks(what, "run it on an x86-64 host"));
    }
    types(facts, &mut found);
    privileges(facts, program, &mut found);
    kernel_answers(facts, &mut found);
    surroundings(facts, &mut found);
    found.sort_by_key(|o| o.weight);
    found
}

/// The first thing that makes tracing impossible, if any.
pub fn refusal(facts: &HostFacts, program: &str) -> Option<Obstacle> {
    obstacles(facts, program).into_iter().find(|o| o.weight == Weight::Blocks)
}

fn types(facts: &HostFacts, found: &mut Vec<Obstacle>) {
    const FIX: &str = "boot a kernel built with CONFIG_DEBUG_INFO_BTF=y, as distributions' are since 2020";
    match &facts.types {
        Types::Absent => found.push(Obstacle::blocks("this kernel shows no types (/sys/kernel/btf/vmlinux)", FIX)),
        Types::Unusable(error) => found.push(Obstacle::blocks(format!("/sys/kernel/btf/vmlinux {error}"), FIX)),
        Types::Known(_, fields) => {
            for missing in fields.missing.iter().filter(|m| m.spec.need != Need::Newer) {
                let fix = "report it with the output of `sysprobe check --json`";
                let what = missing.why.to_string();
                found.push(match missing.spec.need {
                    Need::Required => Obstacle::blocks(what, fix),
                    Need::Optional | Need::Newer => Obstacle::costs(what, missing.spec.feature, fix),
                });
            }
        }
    }
}

fn privileges(facts: &HostFacts, program: &str, found: &mut Vec<Obstacle>) {
    let privilege = &facts.privilege;
    if !privilege.initial_user_namespace {
        let fix =
            "run it as root on the host, or in a container without a user namespace of its own (rootful, --privileged)";
        found.push(Obstacle::blocks("root inside a user namespace has no say over the kernel", fix));
        return;
    }
    let all = if privilege.fine_capabilities {
        "cap_bpf,cap_perfmon,cap_sys_ptrace,cap_dac_read_search,cap_syslog"
    } else {
        "cap_sys_admin,cap_sys_ptrace,cap_dac_read_search,cap_syslog"
    };
    let fix = if facts.features.container.is_some() && privilege.uid == Some(0) {
        format!("start the container with --privileged, or with --cap-add for each of {all}")
    } else {
        format!("run it with sudo, or once: sudo setcap {all}+ep {program}")
    };
    let required: &[Capability] = if privilege.fine_capabilities {
        &[Capability::CapBpf, Capability::CapPerfmon]
    } else {
        &[Capability::CapSysAdmin]
    };
    let lacking: Vec<&str> = required.iter().filter(|&&c| !privilege.has(c)).map(|c| c.name()).collect();
    if !lacking.is_empty() {
        let verb = if lacking.len() == 1 { "is" } else { "are" };
        found.push(Obstacle::blocks(format!("{} {verb} missing", lacking.join(" and ")), fix.clone()));
    }
    let wanted = [
        (Capability::CapSysPtrace, "descriptors, programs and cgroups of other users' processes"),
        (Capability::CapDacReadSearch, "tracepoint layouts, and files only root can read"),
        (Capability::CapSyslog, "function names in kernel stacks, and the kernel log"),
    ];
    for (capability, costs) in wanted {
        if !privilege.has(capability) {
            found.push(Obstacle::costs(format!("{} is missing", capability.name()), costs, fix.clone()));
        }
    }
    if privilege.lockdown == Lockdown::Confidentiality {
        let fix = "boot with lockdown=integrity, or without lockdown=confidentiality";
        found.push(Obstacle::blocks("kernel lockdown (confidentiality) refuses reads of kernel memory", fix));
    }
}

/// What the trials showed, where they were made and privileges do not already explain it.
fn kernel_answers(facts: &HostFacts, found: &mut Vec<Obstacle>) {
    if found.iter().any(|o| o.weight == Weight::Blocks) {
        return;
    }
    let refused = |trial| facts.trials.error(trial);
    if let Some(error) = refused(Trial::RingBuffer) {
        let (what, fix) = match error.raw_os_error() {
            Some(libc::EINVAL) => {
                ("this kernel has no BPF ring buffers".to_owned(), "boot Linux 5.8 or newer".to_owned())
            }
            Some(libc::ENOSYS) => {
                ("this kernel has no bpf(2)".to_owned(), "boot a kernel with CONFIG_BPF_SYSCALL=y".to_owned())
            }
            _ => {
                let reason = facts.trials.reason(Trial::RingBuffer).unwrap_or_default();
                (format!("bpf(2) is refused: {reason}"), refusal_fix(facts))
            }
        };
        found.push(Obstacle::blocks(what, fix));
        return;
    }
    if let (Some(reason), Some(_)) = (facts.trials.reason(Trial::RawTp), refused(Trial::TpBtf)) {
        let what = format!("programs cannot be attached to tracepoints: {reason}");
        found.push(Obstacle::blocks(what, refusal_fix(facts)));
    }
}

fn refusal_fix(facts: &HostFacts) -> String {
    if facts.privilege.seccomp_filter {
        "a seccomp filter is in force: start the container with --security-opt seccomp=unconfined, or run it on the host"
    } else {
        "see what refuses it: `dmesg | tail` after a try, and the host's security module (LSM)"
    }
    .to_owned()
}

fn surroundings(facts: &HostFacts, found: &mut Vec<Obstacle>) {
    if facts.tracefs.access == TracefsAccess::None {
        let why = facts.tracefs.why_not.as_deref().unwrap_or("not readable");
        let costs = "names and types of the arguments of rare system calls";
        found.push(Obstacle::costs(
            format!("tracefs: {why}"),
            costs,
            "sudo mount -t tracefs tracefs /sys/kernel/tracing",
        ));
    } else if facts.tracefs.syscall_formats == 0 {
        let costs = "names and types of the arguments of rare system calls";
        let fix = "boot a kernel built with CONFIG_FTRACE_SYSCALLS=y";
        found.push(Obstacle::costs("tracefs describes no system calls", costs, fix));
    }
    if !facts.features.initial_pid_namespace {
        let costs = "processes outside it: their names, and following them by pid";
        let fix = "start the container with --pid=host, or run it on the host";
        found.push(Obstacle::costs("this is a pid namespace of its own", costs, fix));
    }
    if facts.features.cgroups == CgroupMode::None {
        let fix = "sudo mount -t cgroup2 cgroup2 /sys/fs/cgroup";
        found.push(Obstacle::costs("no cgroups are mounted", "container and job names", fix));
    }
    if !facts.privilege.kernel_log && facts.privilege.has(Capability::CapSyslog) {
        found.push(Obstacle::costs("/dev/kmsg is missing", "the kernel's own reports", "give the container /dev/kmsg"));
    }
}
