//! A memory cgroup of our own with a small limit, of whichever version is mounted. Dropped, its processes are killed and it
//! is gone.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

const MIB: u64 = 1 << 20;
/// How long killed processes may take to be gone.
const GRACE: Duration = Duration::from_secs(20);

/// The cgroup.
#[derive(Debug)]
pub struct MemoryCgroup {
    folder: PathBuf,
    path: String,
    /// Where the memory controller was off before (version 2).
    switched_on: Option<PathBuf>,
}

/// Where memory cgroups are made, and the files that limit memory and swap.
struct Hierarchy {
    root: PathBuf,
    limit: &'static str,
    no_swap: &'static str,
    is_v2: bool,
}

impl MemoryCgroup {
    /// Makes `name` below the root, with a limit and without swap.
    ///
    /// # Errors
    /// What this host lacks for it.
    pub fn new(name: &str, limit_mib: u64) -> Result<Self, String> {
        let Hierarchy { root, limit, no_swap, is_v2 } = Hierarchy::find()?;
        let switched_on = if is_v2 { switch_on(&root)? } else { None };
        let folder = root.join(name);
        let cgroup = Self { path: format!("/{name}"), folder, switched_on };
        fs::create_dir(&cgroup.folder).map_err(|error| format!("no memory cgroup can be made: {error}"))?;
        fs::write(cgroup.folder.join(limit), (limit_mib * MIB).to_string())
            .map_err(|error| format!("{limit} cannot be set: {error}"))?;
        // Where swap is not accounted there is no such file; without swap nothing is swapped.
        let _ = fs::write(cgroup.folder.join(no_swap), "0");
        Ok(cgroup)
    }

    /// As /proc/PID/cgroup and the kernel's log show it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Who writes its number here joins.
    pub fn procs(&self) -> PathBuf {
        self.folder.join("cgroup.procs")
    }

    /// Bytes used.
    pub fn used(&self) -> u64 {
        let read = |name| fs::read_to_string(self.folder.join(name)).ok()?.trim().parse().ok();
        read("memory.usage_in_bytes").or_else(|| read("memory.current")).unwrap_or(0)
    }

    /// Removes cgroups below the root whose names `is_left` says were left behind; those with processes stay.
    pub fn remove_left(is_left: impl Fn(&str) -> bool) -> Vec<String> {
        let Ok(Hierarchy { root, .. }) = Hierarchy::find() else { return Vec::new() };
        let names =
            fs::read_dir(&root).into_iter().flatten().flatten().filter_map(|e| e.file_name().into_string().ok());
        names.filter(|name| is_left(name) && fs::remove_dir(root.join(name)).is_ok()).collect()
    }
}

impl Drop for MemoryCgroup {
    fn drop(&mut self) {
        let began = Instant::now();
        while self.folder.exists() && fs::remove_dir(&self.folder).is_err() && began.elapsed() < GRACE {
            let members = fs::read_to_string(self.procs()).unwrap_or_default();
            for pid in members.lines().filter_map(|line| line.parse().ok()).filter_map(Pid::from_raw) {
                let _ = kill_process(pid, Signal::KILL);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        if let Some(control) = &self.switched_on {
            // Somebody else may use it by now; then it stays on.
            let _ = fs::write(control, "-memory");
        }
    }
}

impl Hierarchy {
    fn find() -> Result<Self, String> {
        let mounts = fs::read_to_string("/proc/self/mounts").map_err(|error| error.to_string())?;
        let mount = |wanted: fn(&str, &str) -> bool| {
            mounts.lines().find_map(|line| {
                let mut words = line.split(' ').skip(1);
                let (at, kind, options) = (words.next()?, words.next()?, words.next()?);
                wanted(kind, options).then(|| PathBuf::from(at))
            })
        };
        if let Some(root) = mount(|kind, options| kind == "cgroup" && options.split(',').any(|o| o == "memory")) {
            return Ok(Self { root, limit: "memory.limit_in_bytes", no_swap: "memory.swappiness", is_v2: false });
        }
        let root = mount(|kind, _| kind == "cgroup2").ok_or("no memory cgroups are mounted")?;
        Ok(Self { root, limit: "memory.max", no_swap: "memory.swap.max", is_v2: true })
    }
}

/// Turns the memory controller on for what is below; the file to turn it off again by, if it was off.
fn switch_on(root: &Path) -> Result<Option<PathBuf>, String> {
    let control = root.join("cgroup.subtree_control");
    let on = fs::read_to_string(&control).unwrap_or_default();
    if on.split_ascii_whitespace().any(|controller| controller == "memory") {
        return Ok(None);
    }
    fs::write(&control, "+memory").map_err(|error| format!("the memory controller cannot be turned on: {error}"))?;
    Ok(Some(control))
}
