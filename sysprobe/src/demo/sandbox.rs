//! Where the demo works: a folder below /run (where there is none, /tmp), and the name that everything it makes bears. A lock on the folder tells a demo
//! that runs from what a killed one left, which the next one removes.

use std::fs::{self, File, TryLockError};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::frozen_fs::FrozenFs;
use super::memory_cgroup::MemoryCgroup;

/// What all names begin with.
pub const PREFIX: &str = "sysprobe-demo-";

/// The folder. Dropped, it is removed.
#[derive(Debug)]
pub struct Sandbox {
    name: String,
    folder: PathBuf,
    _lock: File,
}

impl Sandbox {
    /// Makes a new one.
    ///
    /// # Errors
    /// What is in the way, in words.
    pub fn make() -> Result<Self, String> {
        let name = format!("{PREFIX}{}", std::process::id());
        let folder = base().join(&name);
        fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let lock = File::create(lock_in(&folder)).and_then(|file| {
            file.lock()?;
            Ok(file)
        });
        Ok(Self { name, _lock: lock.map_err(|error| format!("{}: {error}", folder.display()))?, folder })
    }

    /// The name for whatever else is made.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Removes what killed demos left; what that was.
    pub fn remove_left() -> Vec<String> {
        let folders = fs::read_dir(base()).into_iter().flatten().flatten();
        let ours = |entry: &fs::DirEntry| {
            entry.metadata().is_ok_and(|meta| meta.is_dir() && meta.uid() == rustix::process::geteuid().as_raw())
        };
        let folders = folders.filter(ours);
        let names: Vec<String> = folders.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        let mut removed = Vec::new();
        for name in names.iter().filter(|name| is_left(name)) {
            let folder = base().join(name);
            let with = if FrozenFs::remove_from(&folder) { " with a file system" } else { "" };
            if fs::remove_dir_all(&folder).is_ok() {
                removed.push(format!("{}{with}", folder.display()));
            }
        }
        let cgroups = MemoryCgroup::remove_left(is_left);
        removed.extend(cgroups.into_iter().map(|name| format!("the memory cgroup /{name}")));
        removed
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn base() -> &'static Path {
    let run = Path::new("/run");
    if run.is_dir() { run } else { Path::new("/tmp") }
}

fn lock_in(folder: &Path) -> PathBuf {
    folder.join("lock")
}

/// Whether this is a name of a demo that no longer runs.
fn is_left(name: &str) -> bool {
    let Some(pid) = name.strip_prefix(PREFIX).and_then(|pid| pid.parse::<u32>().ok()) else { return false };
    match File::open(lock_in(&base().join(name))) {
        Ok(file) => !matches!(file.try_lock(), Err(TryLockError::WouldBlock)),
        // It has not come to its lock yet, or never will.
        Err(_) => !Path::new("/proc").join(pid.to_string()).exists(),
    }
}
