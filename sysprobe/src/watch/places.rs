//! The places that stuck tasks wait at: mounts of their files, block devices and what lies below, FUSE daemons, children.
//!
//! Read anew for every scene, bounded, and only what the scene's tasks lead to.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::analyze::fact::{FileAt, FuseAt, Places, SceneTask};
use crate::enrich::{Mounts, devices, fuse};
use crate::event::{Tgid, Tid};
use crate::host::{HostFs, read_text};

/// Block devices looked at in one scene.
const MAX_DEVICES: usize = 64;
/// How long the table of mounts, and who serves a FUSE connection, is believed.
const FRESH: Duration = Duration::from_secs(2);
/// Tables of mounts kept at once: one a mount namespace.
const MAX_TABLES: usize = 64;

/// Reads places.
pub struct PlaceReader {
    fs: Arc<dyn HostFs>,
    /// By mount namespace, as its link in /proc names it.
    mounts: BTreeMap<String, (Instant, Mounts)>,
    fuse: BTreeMap<u32, (Instant, FuseAt)>,
}

impl PlaceReader {
    /// A reader of one host.
    pub fn new(fs: Arc<dyn HostFs>) -> Self {
        Self { fs, mounts: BTreeMap::new(), fuse: BTreeMap::new() }
    }

    /// The file behind a descriptor. The link and the mount's number are read, not the file.
    pub fn file(&self, tgid: Tgid, fd: i32) -> Option<FileAt> {
        let link = self.fs.read_link(&format!("/proc/{}/fd/{fd}", tgid.0)).ok()?;
        let path = link.to_string_lossy().into_owned();
        let info = read_text(self.fs.as_ref(), &format!("/proc/{}/fdinfo/{fd}", tgid.0)).unwrap_or_default();
        let mount = info.lines().find_map(|l| l.strip_prefix("mnt_id:")?.trim().parse().ok());
        let device = devices::of_node(self.fs.as_ref(), &path);
        Some(FileAt { path, mount, device })
    }

    /// The places of these tasks.
    pub fn read(&mut self, tasks: &[&SceneTask]) -> Places {
        let mut places = Places::default();
        let mut wanted: BTreeSet<String> = BTreeSet::new();
        for task in tasks {
            if let Some(file) = task.call.as_ref().and_then(|c| c.file.as_ref()) {
                wanted.extend(file.device.clone());
                if let Some(id) = file.mount {
                    self.add_mount(&mut places, task.wait.tgid, id, &mut wanted);
                }
            }
            if let Some((major, minor)) = task.wait.lock.and_then(|lock| lock.frozen) {
                self.add_frozen(&mut places, task.wait.tgid, &format!("{major}:{minor}"), &mut wanted);
            }
            if task.wait.kthread {
                let name = task.title.as_deref().or(task.process.comm.as_deref()).unwrap_or("");
                wanted.extend(worker_device(self.fs.as_ref(), name));
            }
            if task.call.as_ref().is_some_and(|c| matches!(c.name.as_str(), "vfork" | "clone" | "clone3")) {
                places.children.insert(task.wait.tgid.0, self.children(task.wait.tgid));
            }
        }
        // Whatever has requests in flight may be what a task without a file waits for.
        let busy = devices::all(self.fs.as_ref()).into_iter().filter(|name| {
            devices::in_flight(self.fs.as_ref(), name).is_some_and(|(reads, writes)| reads + writes > 0)
        });
        wanted.extend(busy.take(MAX_DEVICES));
        while let Some(name) = wanted.pop_first() {
            if places.devices.contains_key(&name) || places.devices.len() >= MAX_DEVICES {
                continue;
            }
            self.add_device(&mut places, &name, &mut wanted);
        }
        places
    }

    fn add_device(&mut self, places: &mut Places, name: &str, wanted: &mut BTreeSet<String>) {
        let Some(mut device) = devices::read(self.fs.as_ref(), name) else { return };
        wanted.extend(device.members.iter().cloned());
        wanted.extend(device.disk.clone());
        if let Some(backing) = &mut device.backing {
            let mounts = self.mounts_of("self").clone();
            if let Some(mount) = mounts.of_path(&backing.path) {
                backing.mount = Some(mount.id);
                self.add_known(places, mount.id, &mounts, wanted);
            }
        }
        places.devices.insert(name.to_owned(), device);
    }

    fn add_mount(&mut self, places: &mut Places, tgid: Tgid, id: u32, wanted: &mut BTreeSet<String>) {
        if places.mounts.contains_key(&id) {
            return;
        }
        let mounts = self.mounts_of(&tgid.0.to_string()).clone();
        self.add_known(places, id, &mounts, wanted);
    }

    fn add_frozen(&mut self, places: &mut Places, tgid: Tgid, number: &str, wanted: &mut BTreeSet<String>) {
        if places.mounts.values().any(|mount| mount.number == number) {
            return;
        }
        for pid in [tgid.0.to_string().as_str(), "self"] {
            let found = self.mounts_of(pid).all().find(|mount| mount.number == number).map(|mount| mount.id);
            if let Some(id) = found {
                let mounts = self.mounts_of(pid).clone();
                return self.add_known(places, id, &mounts, wanted);
            }
        }
    }

    fn add_known(&mut self, places: &mut Places, id: u32, mounts: &Mounts, wanted: &mut BTreeSet<String>) {
        let Some(mount) = mounts.get(id) else { return };
        let device = devices::name_of(self.fs.as_ref(), &mount.number)
            .or_else(|| devices::of_node(self.fs.as_ref(), &mount.source));
        wanted.extend(device.clone());
        if let Some(connection) = mount.fuse() {
            let known = self.connection(connection);
            places.fuse.insert(connection, known);
        }
        places.mounts.insert(id, mount.place(device));
    }

    /// Who serves a connection is searched for seldom, how many requests wait is read each time.
    fn connection(&mut self, number: u32) -> FuseAt {
        let fresh = self.fuse.get(&number).filter(|(at, _)| at.elapsed() < FRESH).map(|(_, known)| known.clone());
        let known = fresh.unwrap_or_else(|| fuse::read(self.fs.as_ref(), number));
        self.fuse.retain(|_, (at, _)| at.elapsed() < FRESH);
        self.fuse.entry(number).or_insert_with(|| (Instant::now(), known.clone()));
        FuseAt { waiting: fuse::waiting(self.fs.as_ref(), number), ..known }
    }

    fn mounts_of(&mut self, pid: &str) -> &Mounts {
        let link = self.fs.read_link(&format!("/proc/{pid}/ns/mnt"));
        let space = link.map_or_else(|_| pid.to_owned(), |l| l.to_string_lossy().into_owned());
        let full = self.mounts.len() >= MAX_TABLES;
        self.mounts.retain(|_, (at, _)| at.elapsed() < FRESH && !full);
        let fs = self.fs.as_ref();
        &self.mounts.entry(space).or_insert_with(|| (Instant::now(), Mounts::read(fs, pid))).1
    }

    fn children(&self, tgid: Tgid) -> Vec<Tid> {
        let text = read_text(self.fs.as_ref(), &format!("/proc/{0}/task/{0}/children", tgid.0)).unwrap_or_default();
        text.split_ascii_whitespace().filter_map(|pid| pid.parse().ok().map(Tid)).collect()
    }
}

/// The device that a kernel thread works for, by its name: `jbd2/sda1-8`, `xfsaild/dm-0`, `loop0`, `kworker/u8:1+flush-8:0`.
pub fn worker_device(fs: &dyn HostFs, name: &str) -> Option<String> {
    if let Some(rest) = name.strip_prefix("jbd2/") {
        return rest.rsplit_once('-').map(|(device, _)| device.to_owned());
    }
    if let Some(rest) = name.strip_prefix("xfsaild/") {
        return Some(rest.to_owned());
    }
    let work = name.split_once(['+', '-']).map_or(name, |(_, work)| work);
    if let Some(number) = work.strip_prefix("flush-") {
        return devices::name_of(fs, number);
    }
    let is_loop = work.strip_prefix("loop").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    is_loop.then(|| work.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::memory::MemoryHost;

    #[test]
    fn kernel_threads_tell_their_device_by_name() {
        let host = MemoryHost::new([("/sys/dev/block/8:16", "->../../devices/x/block/sdb")]);
        for (name, device) in [
            ("jbd2/nvme0n1p1-8", Some("nvme0n1p1")),
            ("jbd2/dm-0-8", Some("dm-0")),
            ("xfsaild/dm-3", Some("dm-3")),
            ("kworker/u8:1+flush-8:16", Some("sdb")),
            ("kworker/u8:1-loop7", Some("loop7")),
            ("loop0", Some("loop0")),
            ("kworker/0:1-events", None),
            ("kthreadd", None),
        ] {
            assert_eq!(worker_device(&host, name).as_deref(), device, "{name}");
        }
    }
}
