//! Mounts by id and by path, from mountinfo alone: nothing mounted is ever touched.

use std::collections::BTreeMap;

use crate::analyze::fact::MountAt;
use crate::host::HostFs;

/// Bytes read of one process's mountinfo: about 10,000 mounts.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// File systems served over a network, by type or the start of it.
const NETWORK: [&str; 9] = ["nfs", "cifs", "smb", "ceph", "9p", "afs", "lustre", "gpfs", "beegfs"];

/// One mount.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mount {
    /// Its id, unique on the host.
    pub id: u32,
    /// `major:minor` of the file system's device.
    pub number: String,
    /// The part of the file system that is mounted.
    pub root: String,
    /// Where.
    pub at: String,
    /// The file system's type.
    pub kind: String,
    /// What is mounted.
    pub source: String,
    /// The file system's own options.
    pub options: String,
}

impl Mount {
    /// The FUSE connection, which is the minor number of the file system's device.
    pub fn fuse(&self) -> Option<u32> {
        let is_fuse = self.kind == "fuse" || self.kind == "fuseblk" || self.kind.starts_with("fuse.");
        if !is_fuse {
            return None;
        }
        self.number.split_once(':')?.1.parse().ok()
    }

    /// The server of a network file system: the address that the options give, or the host in front of the path.
    pub fn server(&self) -> Option<String> {
        if !NETWORK.iter().any(|kind| self.kind.starts_with(kind)) {
            return None;
        }
        let option = self.options.split(',').find_map(|o| o.strip_prefix("addr="));
        let host = match self.source.strip_prefix("//") {
            Some(share) => share.split('/').next(),
            None => self.source.rsplit_once(":/").map(|(host, _)| host),
        };
        match (host.filter(|h| !h.is_empty()), option) {
            (Some(host), Some(address)) if host != address => Some(format!("{host} ({address})")),
            (Some(host), _) => Some(host.to_owned()),
            (None, address) => address.map(str::to_owned),
        }
    }

    /// As scenes carry it; `device` is the block device's name.
    pub fn place(&self, device: Option<String>) -> MountAt {
        MountAt {
            number: self.number.clone(),
            at: self.at.clone(),
            kind: self.kind.clone(),
            source: self.source.clone(),
            device,
            fuse: self.fuse(),
            server: self.server(),
        }
    }
}

/// The mounts that one process sees.
#[derive(Clone, Debug, Default)]
pub struct Mounts {
    by_id: BTreeMap<u32, Mount>,
}

impl Mounts {
    /// Reads `/proc/PID/mountinfo` (proc_pid_mountinfo(5)); empty if it cannot be read. `pid` may be `self`.
    pub fn read(fs: &dyn HostFs, pid: &str) -> Self {
        let bytes = fs.read(&format!("/proc/{pid}/mountinfo"), MAX_BYTES).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        Self { by_id: text.lines().filter_map(parse).map(|m| (m.id, m)).collect() }
    }

    /// The mount with this id.
    pub fn get(&self, id: u32) -> Option<&Mount> {
        self.by_id.get(&id)
    }

    /// The mount that a path lies on: the longest mount point in front of it, the last mounted of several.
    pub fn of_path(&self, path: &str) -> Option<&Mount> {
        let covers = |m: &&Mount| {
            path.strip_prefix(m.at.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || m.at == "/")
        };
        self.by_id.values().filter(covers).max_by_key(|m| (m.at.len(), m.id))
    }

    /// Every mount.
    pub fn all(&self) -> impl Iterator<Item = &Mount> {
        self.by_id.values()
    }
}

/// `36 35 98:0 /root /at options tags.. - type source options`
fn parse(line: &str) -> Option<Mount> {
    let (left, right) = line.split_once(" - ")?;
    let mut left = left.split(' ');
    let id = left.next()?.parse().ok()?;
    let number = left.nth(1)?.to_owned();
    let (root, at) = (unescape(left.next()?), unescape(left.next()?));
    let mut right = right.split(' ');
    let (kind, source) = (right.next()?.to_owned(), unescape(right.next()?));
    Some(Mount { id, number, root, at, kind, source, options: right.next().unwrap_or("").to_owned() })
}

/// Blanks, tabs, newlines and backslashes stand as `\ooo`.
pub fn unescape(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let digits = tail.get(..3).filter(|d| first == b'\\' && d.iter().all(|b| (b'0'..=b'7').contains(b)));
        let value = digits.map(|d| d.iter().fold(0u32, |value, b| value * 8 + u32::from(b - b'0')));
        match value.and_then(|v| u8::try_from(v).ok()) {
            Some(byte) => {
                out.push(byte);
                rest = tail.get(3..).unwrap_or(&[]);
            }
            None => {
                out.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::memory::MemoryHost;

    const TEXT: &str = "\
22 1 259:1 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p1 rw
36 22 0:52 / /mnt/f\\040x rw,nosuid - fuse.sshfs user@host:/ rw,user_id=0
40 22 0:60 / /data rw - nfs4 nfs1:/export rw,vers=4.2,addr=10.0.0.7
41 22 0:61 / /share rw - cifs //files/team rw,addr=10.0.0.8
nonsense
";

    #[test]
    fn mounts_are_found_by_id_and_by_the_longest_path() {
        let mounts = Mounts::read(&MemoryHost::new([("/proc/7/mountinfo", TEXT)]), "7");
        assert_eq!(mounts.get(36).map(|m| (m.at.as_str(), m.fuse())), Some(("/mnt/f x", Some(52))));
        assert_eq!(mounts.of_path("/mnt/f x/disk").map(|m| m.id), Some(36));
        assert_eq!(mounts.of_path("/mnt/f xy").map(|m| m.id), Some(22));
        assert_eq!(mounts.of_path("/").map(|m| m.id), Some(22));
        assert_eq!(mounts.get(40).and_then(Mount::server).as_deref(), Some("nfs1 (10.0.0.7)"));
        assert_eq!(mounts.get(41).and_then(Mount::server).as_deref(), Some("files (10.0.0.8)"));
        assert_eq!(mounts.get(22).and_then(Mount::server), None);
    }

    #[test]
    fn escapes_are_undone_and_strange_ones_kept() {
        assert_eq!(unescape(r"a\040b\134c\9\04"), r"a b\c\9\04");
    }
}
