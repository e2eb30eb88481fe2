//! The threads that gather facts. Each owns what it reads, so one that is held up holds up no other.

mod events;
mod kernel_log;
mod memory;
mod sockets;
pub(super) mod waits;

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, SyncSender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::{Kind, Settings, Stop};
use crate::analyze::Fact;
use crate::host::{HostRoot, KMSG, KernelLog};
use crate::probe::{Counters, Kernel};
pub use events::LOSSES;

/// How long a source may take to notice that it is over; one that the kernel holds is left behind.
const GRACE: Duration = Duration::from_secs(2);

/// The running sources.
pub struct Sources {
    threads: Vec<JoinHandle<()>>,
    /// Those that may end by themselves.
    optional: Vec<JoinHandle<()>>,
}

impl Sources {
    /// Starts all of them; their facts go to `sender`.
    ///
    /// # Errors
    /// When the maps or a thread cannot be had.
    pub fn start(
        settings: &Settings,
        kernel: &mut Kernel,
        counters: &Arc<Counters>,
        sender: &SyncSender<Fact>,
        stop: &Stop,
    ) -> anyhow::Result<Self> {
        let fs = Arc::new(HostRoot::live());
        let over_ns = settings.stall_over_ns();
        let waits = waits::Waits::new(kernel.take_waits()?, fs.clone(), over_ns, sender.clone(), stop.clone());
        let (ask, asked) = mpsc::sync_channel(1);
        let events =
            events::Events::new(kernel.take_rings()?, counters.clone(), fs.clone(), sender.clone(), stop.clone(), ask);
        let threads = vec![spawn("waits", move || waits.run())?, spawn("events", move || events.run())?];
        let mut optional = Vec::new();
        if settings.filter.wants_kind(Kind::CloseWait) {
            let connections = kernel.take_connections()?;
            let sockets = sockets::Sockets::new(connections, fs, settings.close_wait, sender.clone(), stop.clone());
            optional.push(spawn("sockets", move || sockets.run())?);
        }
        if !settings.filter.wants_kind(Kind::Oom) {
            return Ok(Self { threads, optional });
        }
        match KernelLog::open(Path::new(KMSG)) {
            Ok(log) => {
                let source = kernel_log::LogSource::new(log, sender.clone(), stop.clone());
                optional.push(spawn("kernel-log", move || source.run())?);
            }
            Err(error) => {
                eprintln!("sysprobe: without the kernel's log ({KMSG}: {error}): OOM kills are told with less")
            }
        }
        if let Some(memories) = kernel.process_memories() {
            let sender = sender.clone();
            optional.push(spawn("memory", move || memory::run(&memories, &sender, &asked))?);
        }
        Ok(Self { threads, optional })
    }

    /// Whether one that must not has ended by itself.
    pub fn any_ended(&self) -> bool {
        self.threads.iter().any(JoinHandle::is_finished)
    }

    /// Waits for their ends, but not for long.
    pub fn finish(self) {
        let deadline = Instant::now() + GRACE;
        for thread in self.threads.into_iter().chain(self.optional) {
            while !thread.is_finished() && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(5));
            }
            if thread.is_finished() {
                // What it died of was printed when it did.
                let _ = thread.join();
            }
        }
    }
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> anyhow::Result<JoinHandle<()>> {
    std::thread::Builder::new().name(name.to_owned()).spawn(run).context("cannot start a thread")
}
