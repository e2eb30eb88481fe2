//! The following thread: drains the rings into the output until nothing is left to follow or it is told to stop.

use std::os::fd::{AsRawFd as _, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::kernel::TraceKernel;
use super::output::{Output, OutputError};
use super::stuck::{Stacks, StuckWatch};
use super::totals::Totals;
use super::{Format, Settings, attach};
use crate::probe::decode::decode;
use crate::probe::{CallSums, Counters, Rings, TaskTable};
use sysprobe_common::loss::Counter;

/// Records handed out before the output and the clock get their turn.
const BATCH: usize = 16_384;
/// How long to sleep when the rings are empty: short after activity, longer when it stays quiet. At 2 million calls a
/// second the default ring holds over 90 ms.
const SHORTEST_NAP_MS: i32 = 1;
const LONGEST_NAP_MS: i32 = 16;
/// How often the counters are looked at for loss.
const LOSS_CHECK: Duration = Duration::from_millis(100);
/// How often rows of threads that are gone are looked for (their end may have been missed).
const PRUNE: Duration = Duration::from_secs(2);

const RUN: u8 = 0;
const WARNED: u8 = 1;
const STOP: u8 = 2;

/// Tells the follower to stop, from another thread.
#[derive(Clone)]
pub struct StopHandle {
    state: Arc<AtomicU8>,
    wake: Arc<OwnedFd>,
}

impl StopHandle {
    /// Stop now.
    pub fn stop(&self) {
        self.state.store(STOP, Ordering::Release);
        let one = 1u64;
        // SAFETY: 8 valid bytes to an eventfd. If it is full, it is readable already.
        unsafe { libc::write(self.wake.as_raw_fd(), (&raw const one).cast(), 8) };
    }

    /// Remembers that a first signal came.
    pub fn warn(&self) {
        let _ = self.state.compare_exchange(RUN, WARNED, Ordering::AcqRel, Ordering::Acquire);
    }

    /// Whether one came.
    pub fn was_warned(&self) -> bool {
        self.state.load(Ordering::Acquire) != RUN
    }

    fn is_stopped(&self) -> bool {
        self.state.load(Ordering::Acquire) == STOP
    }
}

/// Everything the following thread owns.
pub struct Follower {
    stop: StopHandle,
    rings: Rings,
    tasks: TaskTable,
    counters: Counters,
    sums: CallSums,
    output: Output,
    stuck: Option<StuckWatch>,
    totals: Totals,
}

/// What is left after a trace.
pub struct Followed {
    sums: CallSums,
    output: Output,
    totals: Totals,
    stopped: bool,
}

impl Follower {
    /// A follower of what `kernel` delivers, and the handle that stops it.
    ///
    /// # Errors
    /// When the maps or an eventfd cannot be had.
    pub fn new(
        settings: &Settings,
        kernel: &mut TraceKernel,
        tasks: TaskTable,
        output: Output,
    ) -> anyhow::Result<(StopHandle, Self)> {
        // SAFETY: no pointers.
        let fd = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
        if fd < 0 {
            return Err(std::io::Error::last_os_error()).context("cannot make an eventfd");
        }
        // SAFETY: a descriptor of our own, just made.
        let wake = unsafe { std::os::fd::FromRawFd::from_raw_fd(fd) };
        let stop = StopHandle { state: Arc::new(AtomicU8::new(RUN)), wake: Arc::new(wake) };
        let stuck = match settings.stuck {
            Some(over) if kernel.stacks => Some(StuckWatch::new(over, Some(Stacks::new(kernel.loaded.take_waits()?)))),
            over => over.map(|over| StuckWatch::new(over, None)),
        };
        let follower = Self {
            stop: stop.clone(),
            rings: kernel.loaded.take_rings()?,
            tasks,
            counters: kernel.loaded.take_counters()?,
            sums: kernel.loaded.take_sums()?,
            output,
            stuck,
            totals: Totals::default(),
        };
        Ok((stop, follower))
    }

    /// Follows to the end.
    ///
    /// # Errors
    /// When the output cannot be written; a closed pipe ends the trace without one.
    pub fn run(mut self) -> anyhow::Result<Followed> {
        let followed = self.follow();
        let stopped = self.stop.is_stopped();
        let closed = match followed {
            Ok(()) => false,
            Err(OutputError::Closed) => true,
            Err(OutputError::Failed(error)) => {
                self.totals.read(&self.counters, &self.sums);
                return Err(error.context(format!("stopped after {}", self.totals.line())));
            }
        };
        self.totals.read(&self.counters, &self.sums);
        Ok(Followed { sums: self.sums, output: self.output, totals: self.totals, stopped: stopped || closed })
    }

    fn follow(&mut self) -> Result<(), OutputError> {
        let mut nap = SHORTEST_NAP_MS;
        let mut loss_checked = Instant::now();
        let mut pruned = Instant::now();
        loop {
            let handed = self.drain()?;
            if self.stop.is_stopped() {
                return self.finish();
            }
            if loss_checked.elapsed() >= LOSS_CHECK {
                loss_checked = Instant::now();
                self.report_loss()?;
            }
            if let Some(stuck) = &mut self.stuck {
                stuck.sweep(&self.tasks, &mut self.output)?;
            }
            if handed > 0 {
                nap = SHORTEST_NAP_MS;
                if handed >= BATCH {
                    continue;
                }
            }
            self.output.flush()?;
            if self.tasks.tids().next().is_none() {
                // The last row leaves after the last record is in the ring.
                return self.finish();
            }
            if pruned.elapsed() >= PRUNE {
                pruned = Instant::now();
                self.prune();
            }
            self.nap(nap);
            nap = (nap * 2).min(LONGEST_NAP_MS);
        }
    }

    fn drain(&mut self) -> Result<usize, OutputError> {
        let Self { rings, output, totals, .. } = self;
        let mut failed = None;
        let handed = rings.drain(BATCH, &mut |bytes| {
            if failed.is_some() {
                return;
            }
            match decode(bytes) {
                Ok(event) => failed = output.event(&event, totals).err(),
                Err(_) => totals.malformed += 1,
            }
        });
        failed.map_or(Ok(handed), Err)
    }

    /// Leaves all threads alone, then takes what is still in the rings.
    fn finish(&mut self) -> Result<(), OutputError> {
        let rest: Vec<_> = self.tasks.tids().collect();
        for tid in rest {
            self.tasks.forget(tid);
        }
        while self.drain()? > 0 {}
        self.report_loss()?;
        self.output.flush()
    }

    fn report_loss(&mut self) -> Result<(), OutputError> {
        let before = std::mem::replace(&mut self.totals.lost, self.counters.get(Counter::CallsLost));
        if self.totals.lost > before { self.output.loss(self.totals.lost - before) } else { Ok(()) }
    }

    fn prune(&mut self) {
        let gone: Vec<_> = self
            .tasks
            .tids()
            .filter(|tid| self.tasks.get(*tid).is_some_and(|state| !attach::is_there(state.tgid, tid.0)))
            .collect();
        for tid in gone {
            self.tasks.forget(tid);
        }
    }

    fn nap(&self, ms: i32) {
        let watch = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        let mut fds = [watch(self.rings.critical_fd()), watch(self.stop.wake.as_raw_fd())];
        // SAFETY: two valid entries. A signal that interrupts it only shortens the nap.
        unsafe { libc::poll(fds.as_mut_ptr(), fds.len() as libc::nfds_t, ms) };
    }
}

/// The thread that drains must not wait behind what it traces. It inherits this from the thread that makes it, which may do it.
pub fn raise_priority() {
    // SAFETY: no pointers; 0 is the calling thread. Without the privilege it stays as it is.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, -20) };
}

impl Followed {
    /// Whether it ended before what it followed did.
    pub fn stopped_early(&self) -> bool {
        self.stopped
    }

    /// Prints the table of `-c`, the books, and the probes' own cost if asked for.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn print_summary(&mut self, settings: &Settings, kernel: &TraceKernel) -> anyhow::Result<()> {
        if settings.format == Format::Sums {
            self.output.sums(&self.sums.read())?;
        }
        let costs = kernel.meter.as_ref().map(|meter| meter.read(&kernel.loaded)).unwrap_or_default();
        self.output.summary(&self.totals, &costs, kernel.since.elapsed(), kernel.attach_time)?;
        Ok(())
    }
}
