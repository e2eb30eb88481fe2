//! The process that makes the faults and undoes them. It is started before the watching part gives up its rights, takes one
//! order a line, and undoes everything when nobody can give it orders any more: that is also so when the demo is killed.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use super::actor::{Part, Taker};
use super::frozen_fs::FrozenFs;
use super::memory_cgroup::MemoryCgroup;
use super::sandbox::Sandbox;

/// MiB of the cgroup's limit, of the process that holds its share quietly, and of the one that grows beyond.
pub const LIMIT_MIB: u64 = 48;
/// See [`LIMIT_MIB`].
pub const CACHE_MIB: usize = 24;
/// See [`LIMIT_MIB`].
pub const LEAK_MIB: usize = 40;
/// Between two MiB of its growth.
const GROWTH: Duration = Duration::from_millis(20);
/// How long a killed process may take to be gone.
const GRACE: Duration = Duration::from_secs(10);

/// What can be asked of the hands. Each order gets one [`Reply`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// Remove what killed demos left, and make the sandbox.
    Begin,
    /// A file system is frozen, and a process writes to it.
    FrozenFs,
    /// A process waits in vfork for its child.
    Vfork,
    /// Those two are over.
    LetGo,
    /// A process fills half of a memory cgroup and does no more.
    Cache,
    /// Another one in there grows beyond the rest.
    Leak,
    /// A server does not close its connections.
    Server,
    /// Undo whatever was made last.
    Undo,
}

/// What became of an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply {
    /// Done. Of a fault with the process that it happens to; of [`Order::Begin`] with what was removed.
    Done {
        /// The process.
        pid: Option<u32>,
        /// What killed demos had left.
        removed: Vec<String>,
    },
    /// This host can't, and why.
    Cannot(String),
}

/// A fault, and what undoes it. Dropped, it is undone.
enum Fault {
    Frozen { _writer: Actor, fs: FrozenFs },
    Vfork { _parent: Actor, go: PathBuf },
    Memory { takers: Vec<Actor>, cgroup: MemoryCgroup },
    Leak { _client: Actor, _server: Actor },
}

/// Takes orders from standard input until it ends.
///
/// # Errors
/// When the orders are none.
pub fn run() -> anyhow::Result<()> {
    // Ctrl-C reaches the whole process group, and undoing takes a moment: the end of the orders is the only end.
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGPIPE] {
        // SAFETY: no handler of ours runs.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
    let (mut sandbox, mut fault) = (None, None);
    for line in io::stdin().lock().lines() {
        let order: Order = serde_json::from_str(&line?).context("not an order")?;
        let reply = match obey(order, &mut sandbox, &mut fault) {
            Ok(reply) => reply,
            Err(why) => {
                fault = None;
                Reply::Cannot(why)
            }
        };
        let mut out = io::stdout().lock();
        if writeln!(out, "{}", serde_json::to_string(&reply)?).and_then(|()| out.flush()).is_err() {
            break;
        }
    }
    drop(fault);
    drop(sandbox);
    Ok(())
}

fn obey(order: Order, sandbox: &mut Option<Sandbox>, fault: &mut Option<Fault>) -> Result<Reply, String> {
    if order == Order::Begin {
        let removed = Sandbox::remove_left();
        *sandbox = Some(Sandbox::make()?);
        return Ok(Reply::Done { pid: None, removed });
    }
    let sandbox = sandbox.as_ref().ok_or("no sandbox was made")?;
    let pid = match order {
        Order::FrozenFs => {
            let mut fs = FrozenFs::mount(sandbox.folder())?;
            fs.freeze()?;
            let writer = Actor::start(&Part::Writer(fs.at().join("file")))?;
            let pid = writer.pid();
            *fault = Some(Fault::Frozen { _writer: writer, fs });
            Some(pid)
        }
        Order::Vfork => {
            let go = sandbox.folder().join("go");
            let parent = Actor::start(&Part::Parent(go.clone()))?;
            let pid = parent.pid();
            *fault = Some(Fault::Vfork { _parent: parent, go });
            Some(pid)
        }
        Order::Cache => {
            let cgroup = MemoryCgroup::new(sandbox.name(), LIMIT_MIB)?;
            let mut memory = Fault::Memory { takers: Vec::new(), cgroup };
            let pid = memory.take("demo-cache", CACHE_MIB, Duration::ZERO, 500)?;
            *fault = Some(memory);
            Some(pid)
        }
        Order::Leak => {
            let memory = fault.as_mut().ok_or("there is no cgroup")?;
            Some(memory.take("demo-leak", LEAK_MIB, GROWTH, 0)?)
        }
        Order::Server => {
            let mut server = Actor::start(&Part::Server)?;
            let client = Actor::start(&Part::Client(server.port()?))?;
            let pid = server.pid();
            *fault = Some(Fault::Leak { _client: client, _server: server });
            Some(pid)
        }
        Order::LetGo => {
            match fault {
                Some(Fault::Frozen { fs, .. }) => fs.thaw(),
                Some(Fault::Vfork { go, .. }) => std::fs::write(go, "").map_err(|error| error.to_string())?,
                Some(Fault::Memory { .. } | Fault::Leak { .. }) | None => {}
            }
            None
        }
        Order::Undo => {
            *fault = None;
            None
        }
        Order::Begin => None,
    };
    Ok(Reply::Done { pid, removed: Vec::new() })
}

impl Fault {
    /// One more process takes memory in the cgroup.
    fn take(&mut self, name: &str, mib: usize, pause: Duration, adj: u32) -> Result<u32, String> {
        let Self::Memory { takers, cgroup } = self else { return Err("there is no cgroup".to_owned()) };
        let taker = Taker { name: name.to_owned(), procs: cgroup.procs(), mib, pause, adj };
        let actor = Actor::start(&Part::Taker(taker))?;
        let pid = actor.pid();
        takers.push(actor);
        Ok(pid)
    }
}

impl Drop for Fault {
    fn drop(&mut self) {
        // Whoever waits for it cannot be killed before.
        if let Self::Frozen { fs, .. } = self {
            fs.thaw();
        }
    }
}

/// A process that plays a part. Dropped, it is killed.
struct Actor(Child);

impl Actor {
    fn start(part: &Part) -> Result<Self, String> {
        let part = serde_json::to_string(part).map_err(|error| error.to_string())?;
        let mut command = Command::new("/proc/self/exe");
        command.arg0("sysprobe").args(["demo", "--director", &std::process::id().to_string(), "--part", &part]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        command.spawn().map(Self).map_err(|error| format!("no process can be started: {error}"))
    }

    fn pid(&self) -> u32 {
        self.0.id()
    }

    /// The port that it says it listens at.
    fn port(&mut self) -> Result<u16, String> {
        let out = self.0.stdout.take().ok_or("it says nothing")?;
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line).map_err(|error| error.to_string())?;
        line.trim().parse().map_err(|_| "no server can be had on 127.0.0.1".to_owned())
    }
}

impl Drop for Actor {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let began = Instant::now();
        while matches!(self.0.try_wait(), Ok(None)) && began.elapsed() < GRACE {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}
