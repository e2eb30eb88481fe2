//! What the host is and has: kernel, machine, cgroups, namespaces, optional sources of facts.

use serde::Serialize;

use super::root::{HostFs, read_text};

/// Which cgroup hierarchy processes are found in (cgroups(7)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CgroupMode {
    /// One tree, version 2.
    Unified,
    /// Controllers in version 1 trees, with a version 2 tree beside them.
    Hybrid,
    /// Version 1 only.
    Legacy,
    /// None mounted.
    None,
}

/// What the host is and has.
#[derive(Clone, Debug, Serialize)]
pub struct Features {
    /// The host's name.
    pub hostname: Option<String>,
    /// `uname -r`.
    pub kernel: String,
    /// `uname -m`.
    pub arch: String,
    /// Which cgroups are mounted.
    pub cgroups: CgroupMode,
    /// Whether this process is in the host's own pid namespace: kernel pids are the ones seen in `/proc`.
    pub initial_pid_namespace: bool,
    /// What kind of container this process seems to run in, if any.
    pub container: Option<&'static str>,
    /// Pressure stall information is there (`/proc/pressure`).
    pub pressure: bool,
    /// NVIDIA's management library is installed.
    pub nvml: bool,
    /// The NVIDIA kernel driver is loaded.
    pub nvidia_driver: bool,
}

impl Features {
    /// Reads them.
    pub fn read(fs: &dyn HostFs) -> Self {
        let text = |path: &str| read_text(fs, path).filter(|t| !t.is_empty());
        Self {
            hostname: text("/proc/sys/kernel/hostname"),
            kernel: text("/proc/sys/kernel/osrelease").unwrap_or_else(|| "unknown".to_owned()),
            // The file is there from 6.1; before, the machine this was built for is the one it runs on.
            arch: text("/proc/sys/kernel/arch").unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            cgroups: cgroup_mode(&read_text(fs, "/proc/self/mountinfo").unwrap_or_default()),
            initial_pid_namespace: in_initial_pid_namespace(fs),
            container: container(fs),
            pressure: fs.exists("/proc/pressure/io"),
            nvml: has_nvml(fs),
            nvidia_driver: fs.exists("/proc/driver/nvidia/version"),
        }
    }
}

fn cgroup_mode(mountinfo: &str) -> CgroupMode {
    let of_type = |wanted: &str| {
        mountinfo.lines().any(|l| l.split_once(" - ").is_some_and(|(_, t)| t.split(' ').next() == Some(wanted)))
    };
    match (of_type("cgroup"), of_type("cgroup2")) {
        (false, true) => CgroupMode::Unified,
        (true, true) => CgroupMode::Hybrid,
        (true, false) => CgroupMode::Legacy,
        (false, false) => CgroupMode::None,
    }
}

/// The initial pid namespace has a fixed inode number (`PROC_PID_INIT_INO`, include/linux/proc_ns.h).
fn in_initial_pid_namespace(fs: &dyn HostFs) -> bool {
    fs.read_link("/proc/self/ns/pid").map_or(true, |link| link.to_string_lossy() == "pid:[4026531836]")
}

/// The marks that container runtimes leave.
fn container(fs: &dyn HostFs) -> Option<&'static str> {
    if fs.exists("/.dockerenv") {
        Some("docker")
    } else if fs.exists("/run/.containerenv") {
        Some("podman")
    } else if fs.exists("/var/run/secrets/kubernetes.io") {
        Some("kubernetes")
    } else if fs.exists("/run/systemd/container") {
        Some("systemd")
    } else {
        None
    }
}

/// Looks where the loader would, without loading: the loader's cache, then the usual folders.
fn has_nvml(fs: &dyn HostFs) -> bool {
    const NAME: &[u8] = b"libnvidia-ml.so.1";
    const MAX_CACHE_BYTES: u64 = 8 * 1024 * 1024;
    let cached =
        fs.read("/etc/ld.so.cache", MAX_CACHE_BYTES).is_ok_and(|cache| cache.windows(NAME.len()).any(|w| w == NAME));
    cached
        || [
            "/usr/lib/x86_64-linux-gnu",
            "/usr/lib64",
            "/usr/lib",
            "/usr/local/nvidia/lib64",
            "/run/nvidia/driver/usr/lib64",
        ]
        .iter()
        .any(|folder| fs.exists(&format!("{folder}/libnvidia-ml.so.1")))
}

#[cfg(test)]
mod tests {
    use super::super::root::memory::MemoryHost;
    use super::*;

    const V1: &str = "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n";
    const V2: &str = "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

    #[test]
    fn cgroup_versions_are_told_from_the_mounts() {
        assert_eq!(cgroup_mode(V1), CgroupMode::Legacy);
        assert_eq!(cgroup_mode(V2), CgroupMode::Unified);
        assert_eq!(cgroup_mode(&format!("{V1}{V2}")), CgroupMode::Hybrid);
        assert_eq!(cgroup_mode("garbage\n"), CgroupMode::None);
    }

    #[test]
    fn a_container_of_its_own_pid_namespace_is_seen() {
        let host = MemoryHost::new([("/proc/self/ns/pid", "->pid:[4026532200]"), ("/run/.containerenv", "")]);
        let features = Features::read(&host);
        assert!(!features.initial_pid_namespace);
        assert_eq!(features.container, Some("podman"));
    }

    #[test]
    fn the_management_library_is_found_in_the_loaders_cache() {
        assert!(!Features::read(&MemoryHost::default()).nvml);
        assert!(Features::read(&MemoryHost::new([("/etc/ld.so.cache", "..\0libnvidia-ml.so.1\0..")])).nvml);
    }
}
