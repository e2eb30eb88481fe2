//! The memory limits above a process: the files of its cgroup and of each parent, version 1 and 2.
//!
//! Only files of the cgroup file system are read, which has no device behind it. A cgroup that is gone gives nothing.

use super::{Mount, Mounts};
use crate::host::{HostFs, read_number, read_text};

/// Levels looked at.
const MAX_LEVELS: usize = 16;
/// Lines kept of `memory.stat`.
const MAX_STAT_LINES: usize = 128;
/// Version 1 shows "no limit" as its largest number, rounded to pages.
const UNLIMITED_BYTES: i64 = 1 << 60;

/// One cgroup and its limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryLimit {
    /// Its path from the root of the hierarchy.
    pub path: String,
    /// The limit; `None`: there is none.
    pub limit_bytes: Option<u64>,
    /// What is used of it.
    pub usage_bytes: Option<u64>,
    /// `memory.oom.group`: all its processes are killed together. Version 2 only.
    pub group: Option<bool>,
    /// The lines of `memory.stat`; only of the one that is nearest to its limit.
    pub stat: Vec<String>,
}

impl MemoryLimit {
    /// Whether it is used up to an eighth.
    pub fn is_tight(&self) -> bool {
        match (self.limit_bytes, self.usage_bytes) {
            (Some(limit), Some(usage)) => usage >= limit - limit / 8,
            _ => false,
        }
    }
}

/// The limits of the cgroup at `path` (of the memory controller, from the root) and of its parents, innermost first.
pub fn memory_limits(fs: &dyn HostFs, path: &str) -> Vec<MemoryLimit> {
    let mounts = Mounts::read(fs, "self");
    let v1 = |mount: &&Mount| mount.kind == "cgroup" && mount.options.split(',').any(|option| option == "memory");
    let mount = mounts.all().find(v1).or_else(|| mounts.all().find(|mount| mount.kind == "cgroup2"));
    let Some(mount) = mount else { return Vec::new() };
    let files = if mount.kind == "cgroup" { &V1 } else { &V2 };
    let mut limits = Vec::new();
    let mut path = path.trim_end_matches('/');
    // In a container only a part of the hierarchy is mounted.
    let root = mount.root.trim_end_matches('/');
    while let Some(below) = path.strip_prefix(root).filter(|p| !p.is_empty())
        && limits.len() < MAX_LEVELS
    {
        let folder = format!("{}{below}", mount.at.trim_end_matches('/'));
        let number = |name: &str| read_number(fs, &format!("{folder}/{name}"));
        limits.push(MemoryLimit {
            path: path.to_owned(),
            limit_bytes: number(files.limit).filter(|l| *l < UNLIMITED_BYTES).and_then(|l| u64::try_from(l).ok()),
            usage_bytes: number(files.usage).and_then(|u| u64::try_from(u).ok()),
            group: files.group.and_then(number).map(|group| group != 0),
            stat: Vec::new(),
        });
        let Some((parent, _)) = path.rsplit_once('/') else { break };
        path = parent;
    }
    let nearest = nearest(&limits).map(|limit| limit.path.clone());
    if let Some(limit) = limits.iter_mut().find(|limit| Some(&limit.path) == nearest.as_ref()) {
        let below = limit.path.strip_prefix(root).unwrap_or_default();
        let text = read_text(fs, &format!("{}{below}/memory.stat", mount.at.trim_end_matches('/')));
        limit.stat = text.unwrap_or_default().lines().take(MAX_STAT_LINES).map(str::to_owned).collect();
    }
    limits
}

/// The limit that was met, as far as usage tells: the innermost that is used up, else the innermost there is.
pub fn nearest(limits: &[MemoryLimit]) -> Option<&MemoryLimit> {
    limits.iter().find(|l| l.is_tight()).or_else(|| limits.iter().find(|l| l.limit_bytes.is_some()))
}

/// The names of a version's files.
struct Files {
    limit: &'static str,
    usage: &'static str,
    group: Option<&'static str>,
}

const V1: Files = Files { limit: "memory.limit_in_bytes", usage: "memory.usage_in_bytes", group: None };
const V2: Files = Files { limit: "memory.max", usage: "memory.current", group: Some("memory.oom.group") };

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::memory::MemoryHost;

    #[test]
    fn the_parents_limit_is_found_in_version_1() {
        let host = MemoryHost::new([
            ("/proc/self/mountinfo", "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"),
            ("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1000\n"),
            ("/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "990\n"),
            ("/sys/fs/cgroup/memory/a/memory.stat", "cache 4096\nrss 0\n"),
            ("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n"),
            ("/sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "900\n"),
        ]);
        let limits = memory_limits(&host, "/a/b");
        assert_eq!(limits.iter().map(|l| l.limit_bytes).collect::<Vec<_>>(), [None, Some(1000)]);
        let near = nearest(&limits).unwrap();
        assert_eq!((near.path.as_str(), near.stat.len(), near.group), ("/a", 2, None));
    }

    #[test]
    fn version_2_in_a_container_is_read_below_its_root() {
        let host = MemoryHost::new([
            ("/proc/self/mountinfo", "41 31 0:38 /docker/x /sys/fs/cgroup rw - cgroup2 cgroup rw\n"),
            ("/sys/fs/cgroup/job/memory.max", "2000\n"),
            ("/sys/fs/cgroup/job/memory.current", "2000\n"),
            ("/sys/fs/cgroup/job/memory.oom.group", "1\n"),
        ]);
        let limits = memory_limits(&host, "/docker/x/job");
        assert_eq!((limits.len(), limits[0].limit_bytes, limits[0].group), (1, Some(2000), Some(true)));
        assert_eq!(memory_limits(&host, "/elsewhere"), []);
        assert_eq!(memory_limits(&MemoryHost::default(), "/a"), []);
    }
}
