//! Which processes hold a socket, and under which descriptors: by the links in `/proc/PID/fd`.
//!
//! The links are read, never what they lead to, and no process's memory is touched. A walk over all processes is dear on
//! a big host, so whoever asks says when; known holders are looked at alone.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::processes;
use crate::host::{HostFs, read_text};

/// Descriptors looked at in one walk.
const MAX_DESCRIPTORS: usize = 2_000_000;

/// The holders of some sockets.
#[derive(Clone, Debug, Default)]
pub struct Owners {
    /// By inode: processes and descriptors, lowest process first.
    pub by_inode: HashMap<u32, Vec<(u32, i32)>>,
    /// Descriptors that each process looked at has open.
    pub open_fds: HashMap<u32, u64>,
    /// There were more descriptors than are looked at.
    pub cut: bool,
}

/// Finds holders.
pub struct SocketOwners {
    fs: Arc<dyn HostFs>,
}

impl SocketOwners {
    /// Over a host's `/proc`.
    pub fn new(fs: Arc<dyn HostFs>) -> Self {
        Self { fs }
    }

    /// The holders of `inodes` among all processes.
    pub fn among_all(&self, inodes: &BTreeSet<u32>) -> Owners {
        self.among(processes(self.fs.as_ref()), inodes)
    }

    /// The holders of `inodes` among these processes.
    pub fn among(&self, pids: impl IntoIterator<Item = u32>, inodes: &BTreeSet<u32>) -> Owners {
        let mut owners = Owners::default();
        let mut seen = 0;
        for pid in pids {
            let Ok(names) = self.fs.list(&format!("/proc/{pid}/fd")) else { continue };
            let mut holds = false;
            for name in &names {
                seen += 1;
                if seen > MAX_DESCRIPTORS {
                    owners.cut = true;
                    return owners;
                }
                let Ok(fd) = name.parse::<i32>() else { continue };
                let Some(inode) = self.socket(pid, fd).filter(|inode| inodes.contains(inode)) else { continue };
                owners.by_inode.entry(inode).or_default().push((pid, fd));
                holds = true;
            }
            if holds {
                owners.open_fds.insert(pid, names.len() as u64);
            }
        }
        owners
    }

    /// How many descriptors a process may have open (`RLIMIT_NOFILE`).
    pub fn fd_limit(&self, pid: u32) -> Option<u64> {
        let limits = read_text(self.fs.as_ref(), &format!("/proc/{pid}/limits"))?;
        limits.lines().find_map(|line| line.strip_prefix("Max open files")?.split_whitespace().next()?.parse().ok())
    }

    fn socket(&self, pid: u32, fd: i32) -> Option<u32> {
        let link = self.fs.read_link(&format!("/proc/{pid}/fd/{fd}")).ok()?;
        link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::memory::MemoryHost;

    #[test]
    fn every_holder_is_found_with_its_descriptors_and_limit() {
        let host = MemoryHost::new([
            ("/proc/7/fd/0", "->/dev/null"),
            ("/proc/7/fd/5", "->socket:[1001]"),
            ("/proc/7/fd/6", "->socket:[1001]"),
            ("/proc/7/limits", "Limit  Soft\nMax open files            1024                 4096       files\n"),
            ("/proc/9/fd/5", "->socket:[1001]"),
            ("/proc/9/fd/6", "->socket:[9999]"),
            ("/proc/11/fd/1", "->pipe:[1001]"),
        ]);
        let finder = SocketOwners::new(Arc::new(host));
        let owners = finder.among_all(&[1001].into());
        assert_eq!(owners.by_inode[&1001], [(7, 5), (7, 6), (9, 5)]);
        assert_eq!((owners.open_fds.get(&7), owners.open_fds.get(&11)), (Some(&3), None));
        assert_eq!((finder.fd_limit(7), finder.fd_limit(9)), (Some(1024), None));
    }
}
