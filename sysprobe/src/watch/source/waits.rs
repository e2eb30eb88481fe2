//! Finds tasks that are stuck now: sweeps the table of waits, looks at old ones, and at who holds them up.
//!
//! A task that was in D before anybody watched has no start in the table. It is followed by its count of context
//! switches: unchanged between two looks, it slept in between, and its wait counts from the first look.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use super::Stop;
use crate::analyze::Fact;
use crate::analyze::fact::{Scene, SceneTask};
use crate::event::{TaskWait, Tid};
use crate::host::HostFs;
use crate::probe::{Look, TaskWaits};
use crate::trace::label::monotonic_ns;
use crate::watch::scene::SceneReader;

/// How often the table is swept.
const SWEEP: Duration = Duration::from_millis(100);
/// How often stuck tasks are looked at again.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// How often tasks stuck from before the start are looked at until it is known that they are.
const LOOK_EARLY: Duration = Duration::from_millis(200);
/// Holders, daemons and children asked for in one scene.
const MAX_ASKED: usize = 256;
/// Rounds of asking: a holder's own holder may be awake too.
const ROUNDS: usize = 3;

/// A task in D from before the start.
#[derive(Clone, Copy)]
struct Early {
    first_seen_ns: u64,
    start_ns: u64,
    switches: u64,
}

/// The source.
pub struct Waits {
    waits: TaskWaits,
    scenes: SceneReader,
    over_ns: u64,
    sender: SyncSender<Fact>,
    stop: Stop,
    early: BTreeMap<Tid, Early>,
    /// Waits told of, that have not been seen to end.
    told: BTreeSet<(Tid, u64)>,
    /// Of those, missing at the last look: at the next one they are gone.
    missing: BTreeSet<(Tid, u64)>,
    /// Rows that no task was in at the last look.
    stale: BTreeSet<(Tid, u64)>,
}

impl Waits {
    pub(super) fn new(
        waits: TaskWaits,
        fs: Arc<dyn HostFs>,
        over_ns: u64,
        sender: SyncSender<Fact>,
        stop: Stop,
    ) -> Self {
        let scenes = SceneReader::new(fs);
        if !scenes.knows_symbols() {
            eprintln!(
                "sysprobe: the kernel hides its symbols: stalls are shown without stacks (kptr_restrict in proc_sys_kernel(5))"
            );
        }
        Self {
            waits,
            scenes,
            over_ns,
            sender,
            stop,
            early: BTreeMap::new(),
            told: BTreeSet::new(),
            missing: BTreeSet::new(),
            stale: BTreeSet::new(),
        }
    }

    pub(super) fn run(mut self) {
        let started = Instant::now();
        self.find_early();
        let mut looked = Instant::now();
        while !self.stop.is_stopped() {
            let rows = self.waits.older_than(monotonic_ns().saturating_sub(self.over_ns));
            let new = rows.iter().any(|row| !self.told.contains(row));
            let early_due = !self.early.is_empty()
                && looked.elapsed() >= LOOK_EARLY
                && (started.elapsed() < LOOK_AGAIN * 2 || looked.elapsed() >= LOOK_AGAIN);
            let again = !(self.told.is_empty() && self.missing.is_empty()) && looked.elapsed() >= LOOK_AGAIN;
            if new || early_due || again {
                looked = Instant::now();
                if !self.look(&rows) {
                    return;
                }
            }
            std::thread::sleep(SWEEP);
        }
    }

    /// The first look: tasks in D of which no start is known.
    fn find_early(&mut self) {
        let look = read(&mut self.waits, &[]);
        for task in look.tasks.iter().filter(|t| t.state.is_blocked() && t.since_ns.is_none()) {
            let early = Early { first_seen_ns: task.seen_ns, start_ns: task.start_ns, switches: task.switches };
            self.early.insert(task.tid, early);
        }
    }

    /// Looks at everything that is stuck and sends the scene; `false` when nobody listens any more.
    fn look(&mut self, rows: &[(Tid, u64)]) -> bool {
        let look = read(&mut self.waits, &[]);
        let at_ns = monotonic_ns();
        self.drop_stale(rows, &look);
        let mut gone = self.early_gone(&look);
        let mut scene = Scene { at_ns, cut: look.cut, ..Scene::default() };
        for task in look.tasks {
            self.place(task, &mut scene);
        }
        ask_for_others(&mut self.scenes, &mut self.waits, &mut scene);
        let now: BTreeSet<(Tid, u64)> = scene.stuck.iter().map(|t| (t.wait.tid, t.since_ns)).collect();
        gone.extend(self.gone(&now));
        self.told = now;
        let gone_told = gone.is_empty() || self.sender.send(Fact::WaitsGone { at_ns, waits: gone }).is_ok();
        gone_told && (scene.stuck.is_empty() || self.sender.send(Fact::Stuck(scene)).is_ok())
    }

    /// Waits from before the start that are over, of those told of. No event tells of their ends.
    fn early_gone(&mut self, look: &Look) -> Vec<(Tid, u64)> {
        let goes_on = |tid: Tid, early: &Early| {
            look.tasks.iter().any(|t| {
                let asleep = t.tid == tid && t.state.is_blocked() && t.since_ns.is_none();
                asleep && t.switches == early.switches && t.start_ns == early.start_ns
            })
        };
        let over = self.early.extract_if(.., |tid, early| !look.cut && !goes_on(*tid, early));
        let over: Vec<(Tid, u64)> = over.map(|(tid, early)| (tid, early.first_seen_ns)).collect();
        over.into_iter().filter(|wait| self.told.remove(wait)).collect()
    }

    /// Puts a task among the stuck ones or the others.
    fn place(&mut self, task: TaskWait, scene: &mut Scene) {
        let early = self.early.get(&task.tid).map(|e| e.first_seen_ns).filter(|_| task.since_ns.is_none());
        let since_ns = task.since_ns.or(early).unwrap_or(task.seen_ns);
        let stuck = task.state.is_blocked() && scene.at_ns.saturating_sub(since_ns) >= self.over_ns;
        let task = self.scenes.task(task, since_ns, early.is_some());
        if stuck { scene.stuck.push(task) } else { scene.others.push(task) }
    }

    /// Takes rows away whose thread was not in that wait at two looks: their end was missed.
    fn drop_stale(&mut self, rows: &[(Tid, u64)], look: &Look) {
        if look.cut {
            return;
        }
        let current = |row: &(Tid, u64)| look.tasks.iter().any(|t| (t.tid, t.since_ns) == (row.0, Some(row.1)));
        let absent: BTreeSet<(Tid, u64)> = rows.iter().filter(|row| !current(row)).copied().collect();
        for (tid, _) in absent.intersection(&self.stale) {
            self.waits.forget(*tid);
        }
        self.stale = absent;
    }

    /// Waits told of that were absent from two looks. One look is not enough: the end itself comes by the ring.
    fn gone(&mut self, now: &BTreeSet<(Tid, u64)>) -> Vec<(Tid, u64)> {
        let absent: BTreeSet<(Tid, u64)> =
            self.told.iter().chain(&self.missing).filter(|w| !now.contains(w)).copied().collect();
        let (gone, missing) = absent.into_iter().partition(|wait| self.missing.contains(wait));
        self.missing = missing;
        let gone: BTreeSet<(Tid, u64)> = gone;
        gone.into_iter().collect()
    }
}

/// Asks for the tasks that the scene's tasks wait for and that are not in it, and reads the places.
pub(in crate::watch) fn ask_for_others(scenes: &mut SceneReader, waits: &mut TaskWaits, scene: &mut Scene) {
    for _ in 0..ROUNDS {
        let tasks: Vec<&SceneTask> = scene.tasks().collect();
        let places = scenes.places(&tasks);
        let owners = scene.tasks().filter_map(|t| t.wait.lock?.owner).map(|(tid, _)| tid);
        let daemons = places.fuse.values().flat_map(|c| c.daemons.iter().copied());
        let children = places.children.values().flatten().copied();
        let wanted: BTreeSet<Tid> = owners.chain(daemons).chain(children).collect();
        scene.places = Arc::new(places);
        let absent: Vec<Tid> = wanted.into_iter().filter(|tid| scene.task(*tid).is_none()).take(MAX_ASKED).collect();
        if absent.is_empty() {
            return;
        }
        let look = read(waits, &absent);
        let found: Vec<TaskWait> = look.tasks.into_iter().filter(|t| absent.contains(&t.tid)).collect();
        if found.is_empty() {
            return;
        }
        for task in found {
            let since_ns = task.since_ns.unwrap_or(task.seen_ns);
            let task = scenes.task(task, since_ns, false);
            scene.others.push(task);
        }
    }
}

/// A look; an empty one, with a word on why, where it fails.
pub(in crate::watch) fn read(waits: &mut TaskWaits, also: &[Tid]) -> Look {
    waits.look(also).unwrap_or_else(|error| {
        eprintln!("sysprobe: {error:#}");
        Look::default()
    })
}
