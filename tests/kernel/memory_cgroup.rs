//! A memory cgroup of the test's own, of whichever version is mounted, and processes that take memory in it. Dropped, it is
//! emptied and gone.

use std::ffi::CString;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::harness::eventually;
use crate::workload::{Workload, workload};

const MIB: usize = 1 << 20;

pub const WORKLOADS: [(&str, Workload); 4] =
    [("take", take), ("take_in_thread", take_in_thread), ("fill_file", fill_file), ("many", many)];

pub struct MemoryCgroup {
    folder: PathBuf,
    /// As /proc/PID/cgroup and the kernel's log show it.
    pub path: String,
}

impl MemoryCgroup {
    /// Makes one with a limit; what is missing for that if it cannot.
    pub fn new(name: &str, limit_mib: usize) -> Result<Self, String> {
        let (root, limit) = hierarchy()?;
        let path = format!("/sysprobe-{name}-{}", std::process::id());
        let folder = root.join(path.trim_start_matches('/'));
        fs::create_dir(&folder).map_err(|error| format!("no memory cgroup can be made: {error}"))?;
        let cgroup = Self { folder, path };
        let bytes = (limit_mib * MIB).to_string();
        fs::write(cgroup.folder.join(limit), bytes).map_err(|error| format!("{limit} cannot be set: {error}"))?;
        Ok(cgroup)
    }

    /// A workload that joins this cgroup first.
    pub fn workload(&self, name: &str, argument: &str) -> Command {
        workload(name, &format!("{} {argument}", self.folder.join("cgroup.procs").display()))
    }

    /// Bytes used.
    pub fn used(&self) -> usize {
        let read = |name| fs::read_to_string(self.folder.join(name)).ok()?.trim().parse().ok();
        read("memory.usage_in_bytes").or_else(|| read("memory.current")).unwrap_or(0)
    }
}

impl Drop for MemoryCgroup {
    fn drop(&mut self) {
        eventually("the cgroup is gone", || {
            let members = fs::read_to_string(self.folder.join("cgroup.procs")).unwrap_or_default();
            for pid in members.lines().filter_map(|line| line.parse().ok()).filter_map(rustix::process::Pid::from_raw) {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
            fs::remove_dir(&self.folder).is_ok() || !self.folder.exists()
        });
    }
}

/// Where memory cgroups are made, and the name of the limit's file.
fn hierarchy() -> Result<(PathBuf, &'static str), String> {
    let mounts = fs::read_to_string("/proc/self/mounts").map_err(|error| error.to_string())?;
    let mount = |wanted: fn(&str, &str) -> bool| {
        mounts.lines().find_map(|line| {
            let mut words = line.split(' ').skip(1);
            let (at, kind, options) = (words.next()?, words.next()?, words.next()?);
            wanted(kind, options).then(|| PathBuf::from(at))
        })
    };
    if let Some(root) = mount(|kind, options| kind == "cgroup" && options.split(',').any(|o| o == "memory")) {
        return Ok((root, "memory.limit_in_bytes"));
    }
    let root = mount(|kind, _| kind == "cgroup2").ok_or("no memory cgroups are mounted")?;
    fs::write(root.join("cgroup.subtree_control"), "+memory")
        .map_err(|error| format!("the memory controller cannot be turned on: {error}"))?;
    Ok((root, "memory.max"))
}

/// `PROCS MIB PAUSE_MS ADJ`: joins the cgroup, takes MIB of memory one at a time with pauses, and sleeps until it is killed.
fn take(argument: &str) -> i32 {
    let (_, numbers) = join(argument);
    set_adj(numbers[2]);
    take_memory(numbers[0], numbers[1]);
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// The same, in a thread called `taker` of a process that does nothing.
fn take_in_thread(argument: &str) -> i32 {
    let (_, numbers) = join(argument);
    set_adj(numbers[2]);
    let taker = std::thread::Builder::new().name("taker".to_owned()).spawn(move || take_memory(numbers[0], numbers[1]));
    taker.unwrap().join().unwrap();
    0
}

/// `PROCS FILE MIB`: joins the cgroup and writes so much to the file.
fn fill_file(argument: &str) -> i32 {
    let (rest, numbers) = join(argument);
    let mut file = fs::File::create(&rest[0]).unwrap();
    for _ in 0..numbers[0] {
        file.write_all(&vec![b'x'; MIB]).unwrap();
    }
    0
}

/// `PROCS COUNT MIB`: joins the cgroup and has COUNT children, each of which takes MIB.
fn many(argument: &str) -> i32 {
    let (_, numbers) = join(argument);
    // SAFETY: the children only touch memory and end by `_exit`.
    unsafe {
        for _ in 0..numbers[0] {
            if libc::fork() == 0 {
                take_memory(numbers[1], 0);
                libc::_exit(0);
            }
        }
        while libc::wait(std::ptr::null_mut()) > 0 {}
    }
    0
}

/// Joins the cgroup that the first word names; the other words, and those that are numbers.
fn join(argument: &str) -> (Vec<String>, Vec<usize>) {
    let mut words = argument.split(' ');
    fs::write(Path::new(words.next().unwrap()), std::process::id().to_string()).unwrap();
    let rest: Vec<String> = words.map(str::to_owned).collect();
    let numbers = rest.iter().filter_map(|word| word.parse().ok()).collect();
    (rest, numbers)
}

fn set_adj(adj: usize) {
    fs::write("/proc/self/oom_score_adj", adj.to_string()).unwrap();
}

fn take_memory(mib: usize, pause_ms: usize) {
    // SAFETY: private memory of its own, kept to the end.
    unsafe {
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let all = libc::mmap(std::ptr::null_mut(), mib * MIB, protection, flags, -1, 0).cast::<u8>();
        assert!(!all.cast::<libc::c_void>().eq(&libc::MAP_FAILED));
        for at in 0..mib {
            all.add(at * MIB).write_bytes(1, MIB);
            std::thread::sleep(Duration::from_millis(pause_ms as u64));
        }
    }
}

/// A tmpfs of the test's own; dropped, it is unmounted.
pub struct Tmpfs(tempfile::TempDir);

impl Tmpfs {
    pub fn mount() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let target = CString::new(folder.path().to_str().unwrap()).unwrap();
        // SAFETY: valid C strings.
        let done = unsafe {
            libc::mount(c"tmpfs".as_ptr(), target.as_ptr(), c"tmpfs".as_ptr(), 0, c"size=512m".as_ptr().cast())
        };
        if done != 0 {
            return Err(format!("no tmpfs can be mounted: {}", std::io::Error::last_os_error()));
        }
        Ok(Self(folder))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Tmpfs {
    fn drop(&mut self) {
        let target = CString::new(self.0.path().to_str().unwrap()).unwrap();
        // SAFETY: a valid C string.
        unsafe { libc::umount2(target.as_ptr(), libc::MNT_DETACH) };
    }
}
