//! Which connections in CLOSE_WAIT are suspect, and how their number grows.

use core::net::SocketAddr;
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use super::place_of;
use crate::analyze::fact::{CloseWaitLook, CloseWaitSocket};

/// Places remembered.
const MAX_PLACES: usize = 8192;
/// Samples kept of a place, ten of which cover the age limit.
const MAX_SAMPLES: usize = 24;
/// Of the old connections of a while ago so many, of 100, must still be there: else they are only closed late.
const SURVIVE_PCT: u64 = 90;

/// When connections in CLOSE_WAIT are a leak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CloseWaitLimits {
    /// So many older than `over`, if they become more.
    pub count: u32,
    /// The age from which a connection counts.
    pub over: Duration,
    /// A single one of this age is a leak.
    pub any_over: Duration,
}

impl Default for CloseWaitLimits {
    fn default() -> Self {
        Self { count: 10, over: Duration::from_secs(10), any_over: Duration::from_secs(300) }
    }
}

impl CloseWaitLimits {
    /// How often to look.
    pub fn period(&self) -> Duration {
        (self.over.min(self.any_over) / 5).clamp(Duration::from_millis(100), Duration::from_secs(2))
    }

    /// The connections old enough to count.
    pub fn old<'a>(
        &self,
        at_ns: u64,
        sockets: &'a [CloseWaitSocket],
    ) -> impl Iterator<Item = &'a CloseWaitSocket> + use<'a> {
        let since_ns = at_ns.saturating_sub(ns(self.over));
        sockets.iter().filter(move |socket| socket.since_ns <= since_ns)
    }

    /// Whether it is worth asking who holds them.
    pub fn has_suspects(&self, at_ns: u64, sockets: &[CloseWaitSocket]) -> bool {
        self.old(at_ns, sockets).count() >= self.count as usize || self.any_too_old(at_ns, sockets.iter())
    }

    /// Whether one of them is a leak by its age alone.
    pub(super) fn any_too_old<'a>(&self, at_ns: u64, mut of: impl Iterator<Item = &'a CloseWaitSocket>) -> bool {
        of.any(|socket| at_ns.saturating_sub(socket.since_ns) >= ns(self.any_over))
    }

    pub(super) fn over_ns(&self) -> u64 {
        ns(self.over)
    }
}

/// Where connections meet: namespace, whether they came in, and the address that they share.
pub(super) type Place = (u32, bool, SocketAddr);

#[derive(Clone, Copy, Debug)]
struct Sample {
    at_ns: u64,
    count: u64,
    old: u64,
}

/// How many there were at each place.
#[derive(Debug, Default)]
pub(super) struct Growth {
    places: HashMap<Place, VecDeque<Sample>>,
}

impl Growth {
    /// Takes a look, and says at which places the number grows while nothing is closed.
    pub(super) fn take(&mut self, limits: &CloseWaitLimits, look: &CloseWaitLook) -> HashMap<Place, bool> {
        let mut now: HashMap<Place, Vec<u64>> = HashMap::new();
        for socket in &look.sockets {
            now.entry(place_of(socket)).or_default().push(socket.since_ns);
        }
        self.places.retain(|place, _| now.contains_key(place));
        let over_ns = limits.over_ns();
        let mut grows = HashMap::new();
        for (place, since) in now {
            let older_than = |at_ns: u64| since.iter().filter(|s| **s <= at_ns.saturating_sub(over_ns)).count() as u64;
            let sample = Sample { at_ns: look.at_ns, count: since.len() as u64, old: older_than(look.at_ns) };
            if !self.places.contains_key(&place) && self.places.len() >= MAX_PLACES {
                continue;
            }
            let samples = self.places.entry(place).or_default();
            // The youngest sample that is old enough; those before it have served.
            while samples.get(1).is_some_and(|next| look.at_ns.saturating_sub(next.at_ns) >= over_ns) {
                samples.pop_front();
            }
            let before = samples.front().filter(|before| look.at_ns.saturating_sub(before.at_ns) >= over_ns);
            let growing = before.is_some_and(|before| {
                let survivors = older_than(before.at_ns);
                before.old > 0 && survivors * 100 >= before.old * SURVIVE_PCT && sample.count > before.count
            });
            grows.insert(place, growing);
            let spaced = samples.back().is_none_or(|last| look.at_ns.saturating_sub(last.at_ns) >= over_ns / 10);
            if spaced && samples.len() < MAX_SAMPLES {
                samples.push_back(sample);
            }
        }
        grows
    }
}

pub(super) fn ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
