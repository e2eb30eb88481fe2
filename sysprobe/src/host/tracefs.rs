//! The kernel's tracepoints by name, from tracefs.
//!
//! Many hosts do not mount it. Then it is opened without mounting it anywhere: `fsopen` and `fsmount` give a detached
//! mount that only this process sees, through its descriptor, and that ends with it. Where that is refused too, the
//! kernel's types still tell which tracepoints exist; only the records' layouts are unknown.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};

use super::format::Format;
use super::root::{HostFs, read_text};

/// Where it is usually mounted; the second is inside debugfs.
const USUAL: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// How tracefs is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TracefsAccess {
    /// It is mounted.
    Mounted,
    /// It was not mounted; this process holds a mount of its own that no other sees.
    Private,
    /// It cannot be read.
    None,
}

/// The tracepoints of a host.
pub struct Tracefs<'a> {
    fs: &'a dyn HostFs,
    /// The folder that holds `events`; `None` if there is none to be had.
    at: Option<String>,
    /// Keeps the detached mount alive that `at` goes through.
    mount: Option<OwnedFd>,
    why_not: Option<String>,
}

impl<'a> Tracefs<'a> {
    /// Finds tracefs on a host. With `may_mount` (only for the live host) it is opened privately if it is not mounted.
    pub fn open(fs: &'a dyn HostFs, may_mount: bool) -> Self {
        let mounted = read_text(fs, "/proc/self/mountinfo").as_deref().and_then(mount_point);
        let candidates = mounted.iter().map(String::as_str).chain(USUAL);
        for at in candidates {
            if fs.list(&format!("{at}/events")).is_ok_and(|names| !names.is_empty()) {
                return Self { fs, at: Some(at.to_owned()), mount: None, why_not: None };
            }
        }
        if !may_mount {
            return Self { fs, at: None, mount: None, why_not: Some("not mounted, or not readable".to_owned()) };
        }
        match detached_mount() {
            Ok(mount) => {
                let at = format!("/proc/self/fd/{}", mount.as_raw_fd());
                Self { fs, at: Some(at), mount: Some(mount), why_not: None }
            }
            Err(error) => {
                let error = error.to_string();
                let reason = error.split(" (os error").next().unwrap_or(&error).to_lowercase();
                let why = format!("not mounted, or not readable, and opening one privately is refused ({reason})");
                Self { fs, at: None, mount: None, why_not: Some(why) }
            }
        }
    }

    /// How it is reached.
    pub fn access(&self) -> TracefsAccess {
        match (&self.at, &self.mount) {
            (None, _) => TracefsAccess::None,
            (Some(_), Some(_)) => TracefsAccess::Private,
            (Some(_), None) => TracefsAccess::Mounted,
        }
    }

    /// Why it cannot be read, if it cannot.
    pub fn why_not(&self) -> Option<&str> {
        self.why_not.as_deref()
    }

    /// Whether a tracepoint exists; `None` if tracefs cannot tell.
    pub fn has(&self, category: &str, name: &str) -> Option<bool> {
        let at = self.at.as_ref()?;
        Some(self.fs.exists(&format!("{at}/events/{category}/{name}")))
    }

    /// A tracepoint's record; `None` if it does not exist or cannot be read.
    pub fn format(&self, category: &str, name: &str) -> Option<Format> {
        let at = self.at.as_ref()?;
        let text = read_text(self.fs, &format!("{at}/events/{category}/{name}/format"))?;
        Some(Format::parse(&text))
    }

    /// The bare names in a category (`syscalls`, `sched`), sorted; empty if there are none to be read.
    pub fn names(&self, category: &str) -> Vec<String> {
        let Some(at) = &self.at else { return Vec::new() };
        let folder = format!("{at}/events/{category}");
        // Beside the tracepoints' folders lie the files `enable` and `filter`.
        let is_tracepoint = |name: &String| name != "enable" && name != "filter";
        let mut names: Vec<String> =
            self.fs.list(&folder).unwrap_or_default().into_iter().filter(is_tracepoint).collect();
        names.sort_unstable();
        names
    }

    /// The categories, sorted.
    pub fn categories(&self) -> Vec<String> {
        let Some(at) = &self.at else { return Vec::new() };
        let mut names: Vec<String> = self.fs.list(&format!("{at}/events")).unwrap_or_default();
        names.retain(|name| self.fs.list(&format!("{at}/events/{name}")).is_ok());
        names.sort_unstable();
        names
    }
}

/// The first mount of tracefs in a mountinfo text (proc_pid_mountinfo(5)).
fn mount_point(mountinfo: &str) -> Option<String> {
    mountinfo.lines().find_map(|line| {
        let (before, after) = line.split_once(" - ")?;
        (after.split(' ').next()? == "tracefs").then(|| before.split(' ').nth(4).map(unescape))?
    })
}

/// mountinfo writes space, tab, newline and backslash as three octal digits.
fn unescape(path: &str) -> String {
    path.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
}

/// A mount of tracefs that hangs nowhere in the tree (fsopen(2), fsmount(2); Linux 5.2).
fn detached_mount() -> io::Result<OwnedFd> {
    let context = fsopen(c"tracefs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_create(&context)?;
    let attributes =
        MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV | MountAttrFlags::MOUNT_ATTR_NOEXEC;
    Ok(fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, attributes)?)
}

#[cfg(test)]
mod tests {
    use super::super::root::memory::MemoryHost;
    use super::*;

    const FORMAT: &str = "name: sched_switch\nID: 1\nformat:\n\tfield:int prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n";

    #[test]
    fn it_is_found_where_it_is_mounted() {
        let mountinfo = "40 23 0:12 / /mnt/odd\\040place rw,relatime shared:3 - tracefs tracefs rw\n";
        let host = MemoryHost::new([
            ("/proc/self/mountinfo", mountinfo),
            ("/mnt/odd place/events/sched/sched_switch/format", FORMAT),
            ("/mnt/odd place/events/sched/enable", "0"),
        ]);
        let tracefs = Tracefs::open(&host, false);
        assert_eq!(tracefs.access(), TracefsAccess::Mounted);
        assert_eq!(tracefs.has("sched", "sched_switch"), Some(true));
        assert_eq!(tracefs.has("sched", "sched_waking"), Some(false));
        assert_eq!(tracefs.names("sched"), ["sched_switch"]);
        assert_eq!(tracefs.format("sched", "sched_switch").unwrap().field("prev_pid").unwrap().offset, 24);
    }

    #[test]
    fn debugfs_has_it_where_no_mount_of_its_own_does() {
        let host = MemoryHost::new([("/sys/kernel/debug/tracing/events/oom/mark_victim/format", FORMAT)]);
        assert_eq!(Tracefs::open(&host, false).has("oom", "mark_victim"), Some(true));
    }

    #[test]
    fn without_it_nothing_is_claimed() {
        let host = MemoryHost::default();
        let tracefs = Tracefs::open(&host, false);
        assert_eq!((tracefs.access(), tracefs.has("sched", "sched_switch")), (TracefsAccess::None, None));
        assert!(tracefs.why_not().is_some());
    }
}
