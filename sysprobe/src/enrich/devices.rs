//! Block devices by name, from sysfs: what lies below them, and how much is in flight. Nothing is opened but sysfs.

use crate::analyze::fact::{DeviceAt, FileAt};
use crate::host::{HostFs, read_text};

/// The name of the block device with this `major:minor`.
pub fn name_of(fs: &dyn HostFs, number: &str) -> Option<String> {
    let valid = number.split_once(':').is_some_and(|(major, minor)| {
        [major, minor].iter().all(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    });
    if !valid {
        return None;
    }
    let link = fs.read_link(&format!("/sys/dev/block/{number}")).ok()?;
    Some(link.file_name()?.to_string_lossy().into_owned())
}

/// The name of the block device that a device node's path stands for (`/dev/loop0`, `/dev/mapper/root`).
pub fn of_node(fs: &dyn HostFs, path: &str) -> Option<String> {
    let name = path.strip_prefix("/dev/")?;
    if let Some(dm) = name.strip_prefix("mapper/") {
        let all = fs.list("/sys/class/block").unwrap_or_default();
        return all.into_iter().find(|d| {
            d.starts_with("dm-") && read_text(fs, &format!("/sys/class/block/{d}/dm/name")).as_deref() == Some(dm)
        });
    }
    is_name(name).then(|| name.to_owned()).filter(|name| fs.exists(&format!("/sys/class/block/{name}")))
}

/// Names of all whole devices.
pub fn all(fs: &dyn HostFs) -> Vec<String> {
    let mut names = fs.list("/sys/block").unwrap_or_default();
    names.retain(|name| is_name(name));
    names
}

/// What sysfs says of a device; `None` if there is no such device.
pub fn read(fs: &dyn HostFs, name: &str) -> Option<DeviceAt> {
    if !is_name(name) {
        return None;
    }
    let folder = format!("/sys/class/block/{name}");
    let number = read_text(fs, &format!("{folder}/dev"))?;
    let disk = fs.exists(&format!("{folder}/partition")).then(|| disk_of(fs, name)).flatten();
    let backing = read_text(fs, &format!("{folder}/loop/backing_file"))
        .filter(|path| !path.is_empty())
        .map(|path| FileAt { path, ..FileAt::default() });
    let mut members = fs.list(&format!("{folder}/slaves")).unwrap_or_default();
    members.sort();
    let label = ["dm/name", "device/model"].iter().find_map(|file| read_text(fs, &format!("{folder}/{file}")));
    Some(DeviceAt {
        number,
        in_flight: in_flight(fs, name),
        backing,
        members,
        disk,
        suspended: read_text(fs, &format!("{folder}/dm/suspended")).as_deref() == Some("1"),
        label: label.filter(|l| !l.is_empty()),
    })
}

/// Reads and writes in flight (Documentation/ABI/stable/sysfs-block, `inflight`).
pub fn in_flight(fs: &dyn HostFs, name: &str) -> Option<(u64, u64)> {
    let text = read_text(fs, &format!("/sys/class/block/{name}/inflight"))?;
    let mut numbers = text.split_ascii_whitespace().map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// The whole disk of a partition: the folder that its own lies in.
fn disk_of(fs: &dyn HostFs, name: &str) -> Option<String> {
    let link = fs.read_link(&format!("/sys/class/block/{name}")).ok()?;
    Some(link.parent()?.file_name()?.to_string_lossy().into_owned())
}

/// Names come from kernel text and paths: only a plain one may become part of a path.
fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains('/') && name.len() < 64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::memory::MemoryHost;

    fn host() -> MemoryHost {
        MemoryHost::new([
            ("/sys/dev/block/7:0", "->../../devices/virtual/block/loop0"),
            ("/sys/class/block/loop0/dev", "7:0\n"),
            ("/sys/class/block/loop0/inflight", "       3        1\n"),
            ("/sys/class/block/loop0/loop/backing_file", "/mnt/f/disk\n"),
            ("/sys/class/block/dm-0/dev", "253:0\n"),
            ("/sys/class/block/dm-0/dm/name", "vg-root\n"),
            ("/sys/class/block/dm-0/dm/suspended", "1\n"),
            ("/sys/class/block/dm-0/slaves/loop0", ""),
        ])
    }

    #[test]
    fn a_loop_device_tells_its_file_and_what_is_in_flight() {
        let loop0 = read(&host(), &name_of(&host(), "7:0").unwrap()).unwrap();
        assert_eq!(loop0.backing.unwrap().path, "/mnt/f/disk");
        assert_eq!(loop0.in_flight, Some((3, 1)));
        assert_eq!(of_node(&host(), "/dev/loop0").as_deref(), Some("loop0"));
    }

    #[test]
    fn a_mapped_device_tells_its_members_and_its_name() {
        let name = of_node(&host(), "/dev/mapper/vg-root").unwrap();
        let root = read(&host(), &name).unwrap();
        assert_eq!(
            (root.members, root.label.as_deref(), root.suspended),
            (vec!["loop0".to_owned()], Some("vg-root"), true)
        );
    }

    #[test]
    fn hostile_names_never_become_paths() {
        for name in ["../../etc", "", ".", "a/b"] {
            assert_eq!(read(&host(), name), None);
            assert_eq!(name_of(&host(), name), None);
        }
    }
}
