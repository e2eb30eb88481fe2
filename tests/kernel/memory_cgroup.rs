//! Processes that take memory in a cgroup of the test's own.

use std::ffi::CString;
use std::fs;
use std::io::Write as _;
use std::ops::Deref;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use sysprobe::demo::actor::{self, take_memory};
use sysprobe::demo::memory_cgroup;

use crate::workload::{Workload, workload};

const MIB: usize = 1 << 20;

pub const WORKLOADS: [(&str, Workload); 4] =
    [("take", take), ("take_in_thread", take_in_thread), ("fill_file", fill_file), ("many", many)];

pub struct MemoryCgroup(memory_cgroup::MemoryCgroup);

impl MemoryCgroup {
    /// Makes one with a limit; what is missing for that if it cannot.
    pub fn new(name: &str, limit_mib: u64) -> Result<Self, String> {
        memory_cgroup::MemoryCgroup::new(&format!("sysprobe-{name}-{}", std::process::id()), limit_mib).map(Self)
    }

    /// A workload that joins this cgroup first.
    pub fn workload(&self, name: &str, argument: &str) -> Command {
        workload(name, &format!("{} {argument}", self.procs().display()))
    }
}

impl Deref for MemoryCgroup {
    type Target = memory_cgroup::MemoryCgroup;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

/// `PROCS MIB PAUSE_MS ADJ`: joins the cgroup, takes MIB of memory one at a time with pauses, and sleeps until it is killed.
fn take(argument: &str) -> i32 {
    let (_, numbers) = join(argument);
    actor::set_oom_score_adj(numbers[2] as u32).unwrap();
    take_slowly(numbers[0], numbers[1]);
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// The same, in a thread called `taker` of a process that does nothing.
fn take_in_thread(argument: &str) -> i32 {
    let (_, numbers) = join(argument);
    actor::set_oom_score_adj(numbers[2] as u32).unwrap();
    let taker = std::thread::Builder::new().name("taker".to_owned()).spawn(move || take_slowly(numbers[0], numbers[1]));
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
                take_slowly(numbers[1], 0);
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
    actor::join(Path::new(words.next().unwrap())).unwrap();
    let rest: Vec<String> = words.map(str::to_owned).collect();
    let numbers = rest.iter().filter_map(|word| word.parse().ok()).collect();
    (rest, numbers)
}

/// Takes memory, a MiB at a time.
fn take_slowly(mib: usize, pause_ms: usize) {
    take_memory(mib, Duration::from_millis(pause_ms as u64)).unwrap();
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
