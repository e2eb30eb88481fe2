//! The processes that faults happen to: this program started again, under a name of its own, to do one thing.
//!
//! Each dies with the process that started it, however that ends. Some of what they do is also what the kernel tests watch.

use std::ffi::{CStr, CString};
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail};
use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};
use serde::{Deserialize, Serialize};

const MIB: usize = 1 << 20;
/// Between two clients.
const PACE: Duration = Duration::from_millis(150);
/// Connections that one demo leaks at most.
const CLIENTS: usize = 200;

/// What an actor does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Part {
    /// Makes this file.
    Writer(PathBuf),
    /// Waits in vfork for a child that waits for this file.
    Parent(PathBuf),
    /// Takes memory in a cgroup.
    Taker(Taker),
    /// Accepts connections and never closes one; says its port.
    Server,
    /// Makes connections to this port and ends them.
    Client(u16),
}

/// Who takes memory, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taker {
    /// Its name.
    pub name: String,
    /// The cgroup's list of processes.
    pub procs: PathBuf,
    /// How much.
    pub mib: usize,
    /// How long it rests after each MiB.
    pub pause: Duration,
    /// The adjustment of its badness.
    pub adj: u32,
}

/// Plays a part for the process `director` until that process is gone.
///
/// # Errors
/// When it cannot be played.
pub fn play(director: u32, part: &Part) -> anyhow::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let parent = getppid().map_or(0, Pid::as_raw_pid);
    if u32::try_from(parent) != Ok(director) {
        bail!("nobody waits for this part of the demo");
    }
    match part {
        Part::Writer(file) => {
            name("demo-writer")?;
            OpenOptions::new().create(true).truncate(false).write(true).open(file)?;
        }
        Part::Parent(file) => {
            name("demo-parent")?;
            wait_for_a_vfork_child(&CString::new(file.as_os_str().as_bytes())?);
        }
        Part::Taker(taker) => {
            name(&taker.name)?;
            join(&taker.procs)?;
            set_oom_score_adj(taker.adj)?;
            take_memory(taker.mib, taker.pause)?;
            std::thread::sleep(Duration::MAX);
        }
        Part::Server => serve()?,
        Part::Client(port) => connect(*port)?,
    }
    Ok(())
}

fn name(comm: &str) -> anyhow::Result<()> {
    Ok(rustix::thread::set_name(&CString::new(comm)?)?)
}

/// Waits in `clone(CLONE_VFORK)` for a child that runs no program and ends when the file is there.
pub fn wait_for_a_vfork_child(file: &CStr) {
    extern "C" fn child(path: *mut libc::c_void) -> libc::c_int {
        // Long enough that it sleeps whenever it is looked at, also on a busy machine.
        let nap = libc::timespec { tv_sec: 0, tv_nsec: 100_000_000 };
        // SAFETY: no pointers: it goes with its parent.
        unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
        // SAFETY: a C string that the parent keeps while it waits, and a valid time.
        while unsafe { libc::access(path.cast(), libc::F_OK) } != 0 {
            // SAFETY: as above.
            unsafe { libc::nanosleep(&raw const nap, std::ptr::null_mut()) };
        }
        0
    }
    let mut stack = vec![0u8; 64 * 1024];
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: the child has a stack of its own, of which the top is aligned, and the parent sleeps until it has ended.
    unsafe {
        let top = stack.as_mut_ptr().add(stack.len());
        let top = top.sub(top.addr() % 16);
        libc::clone(child, top.cast(), flags, file.as_ptr().cast_mut().cast());
    }
}

/// Has this process join a cgroup, by its file `cgroup.procs`.
///
/// # Errors
/// When the kernel refuses.
pub fn join(procs: &Path) -> io::Result<()> {
    fs::write(procs, std::process::id().to_string())
}

/// Makes this process so much likelier to be killed for want of memory.
///
/// # Errors
/// When the kernel refuses.
pub fn set_oom_score_adj(adj: u32) -> io::Result<()> {
    fs::write("/proc/self/oom_score_adj", adj.to_string())
}

/// Takes memory, a MiB at a time, and keeps it.
///
/// # Errors
/// When there is no address space.
pub fn take_memory(mib: usize, pause: Duration) -> io::Result<()> {
    // SAFETY: private memory of its own, kept to the end and written to within its bounds.
    unsafe {
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let all = libc::mmap(std::ptr::null_mut(), mib * MIB, protection, flags, -1, 0);
        if all == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        for at in 0..mib {
            all.cast::<u8>().add(at * MIB).write_bytes(1, MIB);
            std::thread::sleep(pause);
        }
    }
    Ok(())
}

fn serve() -> anyhow::Result<()> {
    name("demo-server")?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("127.0.0.1")?;
    let mut out = io::stdout();
    writeln!(out, "{}", listener.local_addr()?.port())?;
    out.flush()?;
    let mut kept = Vec::new();
    for connection in listener.incoming() {
        let connection = connection?;
        // Its end is a reset, so that no TIME_WAIT stays behind.
        rustix::net::sockopt::set_socket_linger(&connection, Some(Duration::ZERO))?;
        kept.push(connection);
    }
    Ok(())
}

fn connect(port: u16) -> anyhow::Result<()> {
    name("demo-client")?;
    let mut kept = Vec::new();
    while kept.len() < CLIENTS {
        let connection = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        // As far as the server can tell it is closed; the rest goes with its own end.
        connection.shutdown(Shutdown::Write)?;
        kept.push(connection);
        std::thread::sleep(PACE);
    }
    std::thread::sleep(Duration::MAX);
    Ok(())
}
