//! A leak as a record: what is leaked, by whom, how fast, and what that means.

use std::collections::BTreeMap;

use super::{Key, canonical};
use crate::analyze::fact::{CloseWaitLook, CloseWaitSocket, SocketHolder};
use crate::enrich::ProcessInfo;
use crate::explain::cause::{Confidence, Evidence, Link};
use crate::record::{CauseRecord, CloseWaitRecord, Episode, HolderRecord, PeerCount, Phase, Severity, SocketFacts};

const MAX_FDS: usize = 64;
const MAX_PEERS: usize = 16;
const MAX_HOLDERS: usize = 64;
/// A growth is measured over at most so long, and not over less than a second.
const RATE_OVER_NS: u64 = 300_000_000_000;
const MINUTE_NS: f64 = 60e9;
/// Somebody should act when the limit of descriptors is so near.
const SOON_S: u64 = 600;
const NEARLY_PCT: u64 = 90;

pub(super) fn record(look: &CloseWaitLook, key: &Key, sockets: &[&CloseWaitSocket], phase: Phase) -> CloseWaitRecord {
    let (pid, _, (_, accepted, address)) = *key;
    let holder = look.holders.get(&pid).cloned().unwrap_or_default();
    let facts = facts(look, key, sockets, &holder);
    let process = match holder.process.pid {
        0 => ProcessInfo { pid, tid: pid, ..ProcessInfo::default() },
        _ => holder.process,
    };
    let critical = facts.fd_limit_in_s.is_some_and(|s| s <= SOON_S) || is_nearly_full(&facts);
    let who = format!("{}[{pid}]", process.comm.as_deref().unwrap_or("?"));
    let (class, summary, advice) = words(&facts, &who, pid);
    CloseWaitRecord {
        episode: Episode {
            phase,
            id: format!("close_wait-{pid}-{}-{}{address}", key.1.unwrap_or(0), if accepted { "" } else { "to-" }),
            severity: if critical { Severity::Critical } else { Severity::Warning },
            duration_ns: Some(facts.oldest_ns),
            cause: CauseRecord {
                class: class.to_owned(),
                summary,
                confidence: if facts.incomplete { Confidence::Medium } else { Confidence::High },
                chain: chain(&facts, &who, pid),
            },
            evidence: Evidence::default(),
            advice: Some(advice),
        },
        process,
        sockets: facts,
    }
}

fn facts(look: &CloseWaitLook, key: &Key, sockets: &[&CloseWaitSocket], holder: &SocketHolder) -> SocketFacts {
    let (pid, _, (_, accepted, _)) = *key;
    let count = sockets.len() as u64;
    let oldest = sockets.iter().map(|s| s.since_ns).min().unwrap_or(look.at_ns);
    let per_minute = per_minute(look.at_ns, sockets);
    let mut local: Vec<String> = sockets.iter().map(|s| canonical(s.local)).map(|a| shown(a, accepted)).collect();
    local.sort_unstable();
    local.dedup();
    let unread_count = sockets.iter().filter(|s| s.unread > 0).count() as u64;
    let (open_fds, fd_limit) = (holder.open_fds, holder.fd_limit);
    SocketFacts {
        count,
        most: count,
        oldest_ns: look.at_ns.saturating_sub(oldest),
        began_before: sockets.iter().any(|s| !s.exact),
        per_minute,
        fds: fds_of(pid, sockets),
        local: local.join(" "),
        accepted,
        peers: peers(sockets, accepted),
        unread_eof: unread_count * 2 > count,
        unread_count,
        waiting: sockets.iter().filter(|s| s.waiting).count() as u64,
        holders: holders(look, sockets),
        open_fds,
        fd_limit,
        fd_limit_in_s: limit_in_s(per_minute, open_fds, fd_limit),
        incomplete: look.cut || look.namespaces_unseen > 0,
    }
}

/// How many more a minute, by the ones that are still there. Those from before anybody looked do not count.
fn per_minute(at_ns: u64, sockets: &[&CloseWaitSocket]) -> Option<f64> {
    let first = sockets.iter().map(|s| s.since_ns).min()?;
    let from = first.max(at_ns.saturating_sub(RATE_OVER_NS));
    let took = at_ns.saturating_sub(from);
    if took < 1_000_000_000 {
        return None;
    }
    // The first one begins the time, so it is not growth.
    let new = sockets.iter().filter(|s| s.exact && s.since_ns > from).count();
    Some((new as f64 / took as f64 * MINUTE_NS * 10.0).round() / 10.0)
}

fn limit_in_s(per_minute: Option<f64>, open_fds: Option<u64>, fd_limit: Option<u64>) -> Option<u64> {
    let (rate, open, limit) = (per_minute?, open_fds?, fd_limit?);
    (rate > 0.0).then(|| (limit.saturating_sub(open) as f64 / rate * 60.0) as u64)
}

fn is_nearly_full(facts: &SocketFacts) -> bool {
    let full = facts.open_fds.zip(facts.fd_limit);
    full.is_some_and(|(open, limit)| open.saturating_mul(100) >= limit.saturating_mul(NEARLY_PCT))
}

/// An address, with its port where that is the same for all of them.
fn shown(address: core::net::SocketAddr, with_port: bool) -> String {
    if with_port { address.to_string() } else { address.ip().to_string() }
}

fn peers(sockets: &[&CloseWaitSocket], accepted: bool) -> Vec<PeerCount> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for socket in sockets {
        *counts.entry(shown(canonical(socket.peer), !accepted)).or_default() += 1;
    }
    let mut peers: Vec<PeerCount> = counts.into_iter().map(|(addr, count)| PeerCount { addr, count }).collect();
    peers.sort_by_key(|peer| std::cmp::Reverse(peer.count));
    peers.truncate(MAX_PEERS);
    peers
}

/// A process's own descriptors of these connections; those that wait to be accepted have none.
fn fds_of(pid: u32, sockets: &[&CloseWaitSocket]) -> Vec<i32> {
    let own = sockets.iter().filter(|s| !s.waiting).flat_map(|s| &s.holders).filter(|(holder, _)| *holder == pid);
    let mut fds: Vec<i32> = own.map(|(_, fd)| *fd).collect();
    fds.sort_unstable();
    fds.truncate(MAX_FDS);
    fds
}

fn holders(look: &CloseWaitLook, sockets: &[&CloseWaitSocket]) -> Vec<HolderRecord> {
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    for socket in sockets {
        let mut pids: Vec<u32> = socket.holders.iter().map(|(pid, _)| *pid).collect();
        pids.dedup();
        for pid in pids {
            *counts.entry(pid).or_default() += 1;
        }
    }
    let of = |(pid, count): (u32, u64)| HolderRecord {
        pid,
        comm: look.holders.get(&pid).and_then(|h| h.process.comm.as_deref()).map(str::to_owned),
        count,
        fds: fds_of(pid, sockets),
    };
    counts.into_iter().take(MAX_HOLDERS).map(of).collect()
}

/// Class, summary and advice.
fn words(facts: &SocketFacts, who: &str, pid: u32) -> (&'static str, String, String) {
    let (count, local) = (facts.count, &facts.local);
    let which = if facts.accepted { format!("on {local}") } else { format!("to {}", peer_names(facts, 1)) };
    if facts.waiting * 2 > count {
        let advice =
            format!("see what it does instead of accepting: sysprobe trace --pid {pid} -e accept,accept4,poll");
        return (
            "not-accepted",
            format!("{who} does not accept {count} connections {which} that their peers have closed"),
            advice,
        );
    }
    if facts.unread_eof {
        let advice = format!("see what it does instead of reading them: sysprobe trace --pid {pid} -e %net");
        let summary = format!(
            "{who} holds {count} connections {which} that their peers have closed, and has not noticed: it does not read them"
        );
        return ("not-read", summary, advice);
    }
    let advice =
        "its code reads the end (0 bytes) and does not close: look where it handles a connection's end".to_owned();
    ("not-closed", format!("{who} has read the end of {count} connections {which} and does not close them"), advice)
}

fn chain(facts: &SocketFacts, who: &str, pid: u32) -> Vec<Link> {
    let read = facts.count - facts.unread_count.min(facts.count);
    let ends = format!("{read} of {} ends were read by {who}", facts.count);
    let peers = format!("closed by {}", peer_names(facts, 3));
    vec![
        Link { pid: Some(pid), since_ns: Some(facts.oldest_ns), ..Link::new("owner", ends) },
        Link { peer: facts.peers.first().map(|p| p.addr.clone()), ..Link::new("peers", peers) },
    ]
}

fn peer_names(facts: &SocketFacts, most: usize) -> String {
    let names: Vec<&str> = facts.peers.iter().take(most).map(|p| p.addr.as_str()).collect();
    let more = facts.peers.len().saturating_sub(names.len());
    let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{tail}", names.join(", "))
}
