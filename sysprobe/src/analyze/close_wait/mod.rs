//! CLOSE_WAIT leaks: connections that their peers have closed and their owner does not, one episode an owner and address.
//!
//! Short stays in CLOSE_WAIT are the life of every server. A leak is told by age alone, or by age and number where the
//! number grows and hardly any of the old ones goes.

mod limits;
mod report;

use core::net::SocketAddr;
use std::collections::{HashMap, HashSet};

use super::fact::{CloseWaitLook, CloseWaitSocket, Fact};
use super::{Analyzer, Finding};
use crate::record::{Body, CloseWaitRecord, Phase};
pub use limits::CloseWaitLimits;
use limits::{Growth, Place};

/// Episodes open at once; further leaks are not told of.
const MAX_OPEN: usize = 4096;
/// An open leak is told of again when its oldest connection is so old.
const MILESTONES_NS: [u64; 3] = [600_000_000_000, 3_600_000_000_000, 86_400_000_000_000];

/// Whose connections: the owner, its birth, and the place.
type Key = (u32, Option<u64>, Place);

/// An open episode.
#[derive(Debug)]
struct Open {
    record: CloseWaitRecord,
    /// The oldest connection's start.
    since_ns: u64,
    told_count: u64,
    milestones: usize,
}

/// The analyzer.
#[derive(Debug, Default)]
pub struct CloseWaits {
    limits: CloseWaitLimits,
    growth: Growth,
    open: HashMap<Key, Open>,
}

impl CloseWaits {
    /// With these limits.
    pub fn new(limits: CloseWaitLimits) -> Self {
        Self { limits, ..Self::default() }
    }
}

impl Analyzer for CloseWaits {
    fn take(&mut self, fact: &Fact, findings: &mut Vec<Finding>) {
        if let Fact::CloseWaits(look) = fact {
            self.look(look, findings);
        }
    }
}

impl CloseWaits {
    fn look(&mut self, look: &CloseWaitLook, findings: &mut Vec<Finding>) {
        let grows = self.growth.take(&self.limits, look);
        let groups = groups(look);
        let old_before_ns = look.at_ns.saturating_sub(self.limits.over_ns());
        for (key, sockets) in &groups {
            let old = sockets.iter().filter(|s| s.since_ns <= old_before_ns).count();
            let many = old >= self.limits.count as usize && grows.get(&key.2) == Some(&true);
            let is_leak = many || self.limits.any_too_old(look.at_ns, sockets.iter().copied());
            let room = self.open.len() < MAX_OPEN;
            match self.open.get_mut(key) {
                Some(open) if old > 0 => open.goes_on(look, key, sockets, findings),
                None if is_leak && room => {
                    let open = Open::new(look, key, sockets);
                    findings.push(finding(look.at_ns, &open.record));
                    self.open.insert(*key, open);
                }
                _ => {}
            }
        }
        let places: HashSet<Place> = look.sockets.iter().map(place_of).collect();
        let over = self.open.extract_if(|key, _| match groups.get(key) {
            Some(sockets) => !sockets.iter().any(|s| s.since_ns <= old_before_ns),
            // Connections at the place whose holders are not known yet may be these.
            None => !places.contains(&key.2) || groups.keys().any(|other| other.2 == key.2),
        });
        for (_, open) in over {
            findings.push(finding(look.at_ns, &open.closed(look.at_ns)));
        }
    }
}

impl Open {
    fn new(look: &CloseWaitLook, key: &Key, sockets: &[&CloseWaitSocket]) -> Self {
        let record = report::record(look, key, sockets, Phase::Open);
        let since_ns = sockets.iter().map(|s| s.since_ns).min().unwrap_or(look.at_ns);
        let (told_count, milestones) = (record.sockets.count, milestones(record.sockets.oldest_ns));
        Self { record, since_ns, told_count, milestones }
    }

    fn goes_on(&mut self, look: &CloseWaitLook, key: &Key, sockets: &[&CloseWaitSocket], findings: &mut Vec<Finding>) {
        let mut record = report::record(look, key, sockets, Phase::Update);
        record.sockets.most = record.sockets.count.max(self.record.sockets.most);
        let passed = milestones(record.sockets.oldest_ns);
        let worse = record.episode.severity > self.record.episode.severity;
        let told = record.sockets.count >= self.told_count.saturating_mul(2) || passed > self.milestones || worse;
        self.record = record;
        if told {
            (self.told_count, self.milestones) = (self.record.sockets.count, passed);
            findings.push(finding(look.at_ns, &self.record));
        }
    }

    fn closed(mut self, at_ns: u64) -> CloseWaitRecord {
        self.record.episode.phase = Phase::Close;
        self.record.episode.duration_ns = Some(at_ns.saturating_sub(self.since_ns));
        self.record.episode.advice = None;
        self.record.sockets.count = 0;
        self.record
    }
}

/// Connections by owner and place.
fn groups(look: &CloseWaitLook) -> HashMap<Key, Vec<&CloseWaitSocket>> {
    let mut groups: HashMap<Key, Vec<&CloseWaitSocket>> = HashMap::new();
    for socket in &look.sockets {
        let Some((pid, _)) = socket.holders.first() else { continue };
        let start_ns = look.holders.get(pid).and_then(|holder| holder.process.start_ns);
        groups.entry((*pid, start_ns, place_of(socket))).or_default().push(socket);
    }
    groups
}

/// Of a connection that came in the local address, of one that was made the peer's.
fn place_of(socket: &CloseWaitSocket) -> Place {
    let address = if socket.accepted { socket.local } else { socket.peer };
    (socket.net, socket.accepted, canonical(address))
}

/// An IPv4 address that an IPv6 socket carries, as what it is.
fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

fn milestones(age_ns: u64) -> usize {
    MILESTONES_NS.iter().filter(|m| age_ns >= **m).count()
}

fn finding(at_ns: u64, record: &CloseWaitRecord) -> Finding {
    Finding { at_ns, body: Body::CloseWaitLeak(Box::new(record.clone())) }
}

#[cfg(test)]
mod tests;
