//! Drains the ring of rare events, and reports what the kernel side lost.

use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use sysprobe_common::loss::Counter;

use super::Stop;
use crate::analyze::Fact;
use crate::analyze::fact::EndedWait;
use crate::event::{Event, StallEnd};
use crate::host::HostFs;
use crate::probe::decode::decode;
use crate::probe::{Counters, Rings};
use crate::trace::label::monotonic_ns;
use crate::watch::scene::SceneReader;

/// How long to sleep for events before the clock gets its turn.
const NAP_MS: i32 = 50;
/// The same while an OOM kill may wait for its report.
const QUICK_NAP_MS: i32 = 10;
/// How often time and loss are reported.
const TICK: Duration = Duration::from_millis(250);
/// How often while an OOM kill may wait for its report: it must be told of in time.
const QUICK_TICK: Duration = Duration::from_millis(20);
/// How long it may.
const QUICK_FOR: Duration = Duration::from_secs(3);
/// Records handed out before the clock gets its turn.
const BATCH: usize = 4096;
/// What is lost where, of the probes of `watch`.
pub const LOSSES: [Counter; 5] =
    [Counter::WaitsUntimed, Counter::StallEndsLost, Counter::LocksUnknown, Counter::ExitsLost, Counter::OomKillsLost];

/// The source.
pub struct Events {
    rings: Rings,
    counters: Arc<Counters>,
    scenes: SceneReader,
    sender: SyncSender<Fact>,
    stop: Stop,
    lost: [u64; LOSSES.len()],
    /// When the last OOM kill was seen.
    killed: Option<Instant>,
    /// Asks for what every process holds now.
    sample: SyncSender<()>,
}

impl Events {
    pub(super) fn new(
        rings: Rings,
        counters: Arc<Counters>,
        fs: Arc<dyn HostFs>,
        sender: SyncSender<Fact>,
        stop: Stop,
        sample: SyncSender<()>,
    ) -> Self {
        Self {
            rings,
            counters,
            scenes: SceneReader::new(fs),
            sender,
            stop,
            lost: [0; LOSSES.len()],
            killed: None,
            sample,
        }
    }

    pub(super) fn run(mut self) {
        let mut ticked = Instant::now();
        loop {
            let over = self.stop.is_stopped();
            if !self.drain() {
                return;
            }
            let quick = self.killed.is_some_and(|at| at.elapsed() < QUICK_FOR);
            let every = if quick { QUICK_TICK } else { TICK };
            if ticked.elapsed() >= every {
                if !self.tick() {
                    return;
                }
                ticked = Instant::now();
            }
            if over {
                self.tick();
                return;
            }
            let mut fds = [libc::pollfd { fd: self.rings.critical_fd(), events: libc::POLLIN, revents: 0 }];
            // SAFETY: one valid entry. A signal that interrupts it only shortens the nap.
            unsafe { libc::poll(fds.as_mut_ptr(), 1, if quick { QUICK_NAP_MS } else { NAP_MS }) };
        }
    }

    /// Hands out what is in the ring; `false` when nobody listens any more.
    fn drain(&mut self) -> bool {
        let Self { rings, scenes, sender, killed, sample, .. } = self;
        let mut listens = true;
        rings.drain(BATCH, &mut |bytes| {
            let fact = match decode(bytes) {
                Ok(Event::StallEnd(end)) => Fact::WaitEnded(Box::new(ended(scenes, *end))),
                Ok(Event::OomKill(kill)) => {
                    *killed = Some(Instant::now());
                    // Asked already is as good.
                    let _ = sample.try_send(());
                    Fact::OomKilled(Box::new(scenes.oom_killed(*kill)))
                }
                Ok(Event::ProcessExit(exit)) => Fact::Exited(Box::new(scenes.exited(*exit))),
                Ok(_) | Err(_) => return,
            };
            listens &= sender.send(fact).is_ok();
        });
        listens
    }

    /// Tells the time and what was lost; `false` when nobody listens any more.
    fn tick(&mut self) -> bool {
        let at_ns = monotonic_ns();
        for (before, counter) in self.lost.iter_mut().zip(LOSSES) {
            let now = self.counters.get(counter);
            let name = Counter::ALL.iter().find(|(c, _)| *c == counter).map_or("", |(_, name)| name);
            let lost = now.saturating_sub(*before);
            if lost > 0 && self.sender.send(Fact::Lost { at_ns, site: name, lost }).is_err() {
                return false;
            }
            *before = now;
        }
        self.sender.send(Fact::Tick { at_ns }).is_ok()
    }
}

fn ended(scenes: &mut SceneReader, end: StallEnd) -> EndedWait {
    // The thread's birth is not told here, so nothing is remembered under it that another could be mistaken for.
    let process = scenes.process(end.tgid, end.tid, end.since_ns, &end.comm);
    EndedWait { process, frames: scenes.frames(&end.kernel), end }
}
