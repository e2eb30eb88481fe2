//! How much memory each process held in the last minute: what shows who grew before a kill.
//!
//! A process that holds what it held costs one point, so a host of idle processes costs next to nothing.

use std::collections::{HashMap, VecDeque};

use crate::analyze::fact::MemorySample;
use crate::event::{ProcessMemory, Tgid};

/// A process that is gone is remembered so long: its kill may be told of after its end.
const GONE_NS: u64 = 5_000_000_000;
/// Processes remembered.
const MAX_TRACKS: usize = 16_384;
/// Points of one process: enough for one that changes at every sample of the window.
const MAX_POINTS: usize = 64;
/// What changes by less is no change.
const STEP_BYTES: u64 = 64 * 1024;

/// A process: its number and its birth.
type Key = (Tgid, u64);

/// One process.
#[derive(Debug)]
struct Track {
    /// From when on it held how much, oldest first.
    points: VecDeque<(u64, u64)>,
    last: ProcessMemory,
    seen_ns: u64,
    /// CLOCK_MONOTONIC ns.
    born_ns: u64,
}

/// What a process was before it grew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Past {
    /// What it held when the time began.
    pub(super) from_bytes: u64,
    /// The time, ns.
    pub(super) over_ns: u64,
}

/// The history.
#[derive(Debug, Default)]
pub(super) struct History {
    tracks: HashMap<Key, Track>,
    last_ns: Option<u64>,
}

impl History {
    /// Takes what all processes hold now.
    pub(super) fn take(&mut self, sample: &MemorySample) {
        let slept_ns = sample.boot_ns.saturating_sub(sample.at_ns);
        for process in &sample.processes {
            let held = process.memory.held_bytes();
            let key = (process.tgid, process.start_ns);
            let room = self.tracks.len() < MAX_TRACKS;
            match self.tracks.get_mut(&key) {
                Some(track) => {
                    track.seen_ns = sample.at_ns;
                    track.last = *process;
                    if track.points.back().is_none_or(|(_, last)| last.abs_diff(held) >= STEP_BYTES) {
                        if track.points.len() >= MAX_POINTS {
                            track.points.pop_front();
                        }
                        track.points.push_back((sample.at_ns, held));
                    }
                }
                None if room => {
                    let points = VecDeque::from([(sample.at_ns, held)]);
                    let born_ns = process.start_ns.saturating_sub(slept_ns);
                    self.tracks.insert(key, Track { points, last: *process, seen_ns: sample.at_ns, born_ns });
                }
                None => {}
            }
        }
        self.last_ns = Some(sample.at_ns);
        if !sample.cut {
            self.tracks.retain(|_, track| sample.at_ns.saturating_sub(track.seen_ns) <= GONE_NS);
        }
    }

    /// When the last sample was taken.
    pub(super) fn last_ns(&self) -> Option<u64> {
        self.last_ns
    }

    /// The processes of the last sample, and the victim even if it was gone by then.
    pub(super) fn processes(&self, victim: Option<Tgid>) -> impl Iterator<Item = &ProcessMemory> {
        let counts = move |(key, track): &(&Key, &Track)| Some(track.seen_ns) == self.last_ns || Some(key.0) == victim;
        self.tracks.iter().filter(counts).map(|(_, track)| &track.last)
    }

    /// What a process held `window_ns` before `at_ns`, or as early after that as is known. Of several with one number, the
    /// last that was seen is meant.
    pub(super) fn past(&self, tgid: u32, at_ns: u64, window_ns: u64) -> Option<Past> {
        let last_ns = self.last_ns?;
        let of_it = self.tracks.iter().filter(|((number, _), _)| number.0 == tgid);
        let Some(track) = of_it.map(|(_, track)| track).max_by_key(|track| track.seen_ns) else {
            // Born since the last sample, unless there was no room for it.
            let over_ns = at_ns.saturating_sub(last_ns);
            return (self.tracks.len() < MAX_TRACKS).then_some(Past { from_bytes: 0, over_ns });
        };
        let begin = at_ns.saturating_sub(window_ns);
        if track.born_ns >= begin {
            return Some(Past { from_bytes: 0, over_ns: at_ns.saturating_sub(track.born_ns) });
        }
        let before = track.points.iter().rev().find(|(since, _)| *since <= begin);
        let (since, held) = *before.or(track.points.front())?;
        Some(Past { from_bytes: held, over_ns: at_ns.saturating_sub(since.max(begin)) })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::event::MemorySplit;

    const S: u64 = 1_000_000_000;
    const MIB: u64 = 1 << 20;

    pub(crate) fn holds(pid: u32, mib: u64) -> ProcessMemory {
        let memory = MemorySplit { anon_bytes: mib * MIB, ..MemorySplit::default() };
        let mut comm = [0; 16];
        comm[..4].copy_from_slice(format!("p{pid:03}").as_bytes());
        ProcessMemory { tgid: Tgid(pid), start_ns: 5, comm, memory, oom_score_adj: 0, cgroup_id: Some(9) }
    }

    pub(crate) fn sample(at_s: u64, processes: Vec<ProcessMemory>) -> MemorySample {
        MemorySample { at_ns: at_s * S, boot_ns: at_s * S, processes, cut: false }
    }

    #[test]
    fn growth_counts_from_the_windows_start_and_from_birth() {
        let mut history = History::default();
        assert_eq!(history.past(1, 5, 1), None);
        for second in 1..=100 {
            let mut all = vec![holds(1, 50), holds(2, second)];
            if second >= 98 {
                all.push(ProcessMemory { start_ns: 97 * S, ..holds(3, second - 97) });
            }
            history.take(&sample(second, all));
        }
        let past = |pid, window_s| history.past(pid, 101 * S, window_s * S);
        assert_eq!(past(1, 60), Some(Past { from_bytes: 50 * MIB, over_ns: 60 * S }));
        assert_eq!(past(2, 60), Some(Past { from_bytes: 41 * MIB, over_ns: 60 * S }));
        assert_eq!(past(2, 2), Some(Past { from_bytes: 99 * MIB, over_ns: 2 * S }));
        assert_eq!(past(3, 60), Some(Past { from_bytes: 0, over_ns: 4 * S }));
        assert_eq!(past(4, 60), Some(Past { from_bytes: 0, over_ns: S }), "born since the last sample");
    }

    #[test]
    fn the_dead_are_forgotten_and_the_table_is_bounded() {
        let mut history = History::default();
        history.take(&sample(1, vec![holds(1, 5)]));
        history.take(&sample(3, Vec::new()));
        assert_eq!(history.tracks.len(), 1, "killed a moment ago");
        history.take(&sample(9, Vec::new()));
        assert!(history.tracks.is_empty());
        let many = (0..20_000).map(|pid| ProcessMemory { tgid: Tgid(pid), ..holds(1, 1) }).collect();
        history.take(&sample(10, many));
        assert_eq!(history.tracks.len(), MAX_TRACKS);
        assert_eq!(history.past(30_000, 11 * S, S), None, "there may have been no room for it");
    }
}
