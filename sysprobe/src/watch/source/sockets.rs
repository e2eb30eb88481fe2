//! Looks at the connections in CLOSE_WAIT, again and again: their ages from the state probe, their holders once some are suspect.
//!
//! Every network namespace with a process is looked into at the start, then those where something is or something
//! came.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use sysprobe_common::event::ConnectionRaw;

use super::Stop;
use crate::analyze::fact::{CloseWaitLook, CloseWaitSocket, SocketHolder};
use crate::analyze::{CloseWaitLimits, Fact};
use crate::enrich::sock_diag::{self, DiagSocket, Listing};
use crate::enrich::{Owners, ProcessReader, SocketOwners};
use crate::enrich::{net, net_tcp};
use crate::host::HostFs;
use crate::probe::Connections;
use crate::trace::label::monotonic_ns;

/// Namespaces looked into at once.
const MAX_NAMESPACES: usize = 256;
/// How often all namespaces are looked into again: the count of arrivals may miss some.
const ALL_AGAIN: Duration = Duration::from_secs(60);
/// How often holders are looked for among all processes while there are suspects: a fork may have added some.
const OWNERS_AGAIN: Duration = Duration::from_secs(30);
/// Looks take at most this part of the time.
const SHARE: u32 = 20;
/// Notice of a wish to stop.
const NAP: Duration = Duration::from_millis(50);

/// What tells a socket from all others: its cookie, or namespace, addresses and inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum SocketKey {
    Cookie(u64),
    Name(u32, SocketAddr, SocketAddr, u32),
}

impl SocketKey {
    fn of(net: u32, socket: &DiagSocket) -> Self {
        let name = Self::Name(net, socket.local, socket.peer, socket.inode);
        socket.cookie.map_or(name, Self::Cookie)
    }
}

/// What is known of a socket that was seen before.
#[derive(Clone, Copy)]
struct Seen {
    since_ns: u64,
    exact: bool,
}

/// The source.
pub struct Sockets {
    fs: Arc<dyn HostFs>,
    connections: Connections,
    limits: CloseWaitLimits,
    processes: ProcessReader,
    owners_of: SocketOwners,
    sender: SyncSender<Fact>,
    stop: Stop,
    /// Those of the last look.
    seen: HashMap<SocketKey, Seen>,
    /// Arrivals by namespace, at the last look.
    arrivals: HashMap<u32, u64>,
    /// Namespaces in which something was at the last look.
    busy: BTreeSet<u32>,
    owners: Owners,
    owners_at: Option<Instant>,
    /// What the last walk over all processes took.
    owners_took: Duration,
    suspecting: bool,
    told_refused: bool,
}

impl Sockets {
    pub(super) fn new(
        connections: Connections,
        fs: Arc<dyn HostFs>,
        limits: CloseWaitLimits,
        sender: SyncSender<Fact>,
        stop: Stop,
    ) -> Self {
        Self {
            processes: ProcessReader::new(fs.clone(), true),
            owners_of: SocketOwners::new(fs.clone()),
            fs,
            connections,
            limits,
            sender,
            stop,
            seen: HashMap::new(),
            arrivals: HashMap::new(),
            busy: BTreeSet::new(),
            owners: Owners::default(),
            owners_at: None,
            owners_took: Duration::ZERO,
            suspecting: false,
            told_refused: false,
        }
    }

    pub(super) fn run(mut self) {
        let period = self.limits.period();
        let mut all_at: Option<Instant> = None;
        while !self.stop.is_stopped() {
            let began = Instant::now();
            let all = all_at.is_none_or(|at| at.elapsed() >= ALL_AGAIN);
            if all {
                all_at = Some(began);
            }
            if !self.look(all) {
                return;
            }
            let pause = period.max(began.elapsed() * SHARE);
            while began.elapsed() < pause && !self.stop.is_stopped() {
                std::thread::sleep(NAP.min(pause));
            }
        }
    }

    /// One look; `false` when nobody listens any more.
    fn look(&mut self, all: bool) -> bool {
        let Some(own) = net::own(self.fs.as_ref()) else { return false };
        let came = self.came();
        if !all && came.is_empty() && self.busy.is_empty() {
            return true;
        }
        let mut wanted: BTreeSet<u32> = self.busy.union(&came).copied().collect();
        let namespaces = if all || wanted.iter().any(|net| *net != own) {
            net::namespaces(self.fs.as_ref())
        } else {
            BTreeMap::new()
        };
        if all {
            wanted.extend(namespaces.keys());
            wanted.insert(own);
        }
        let mut look = CloseWaitLook::default();
        let mut listings: Vec<(u32, Listing)> = Vec::new();
        for net in &wanted {
            let inside = if *net == own {
                sock_diag::list()
            } else {
                // A namespace without a process is one nobody can be blamed in.
                let Some(pid) = namespaces.get(net) else { continue };
                if listings.len() >= MAX_NAMESPACES {
                    look.namespaces_unseen += 1;
                    continue;
                }
                net_tcp::list(self.fs.as_ref(), *pid)
            };
            match inside {
                Ok(listing) => listings.push((*net, listing)),
                Err(error) => {
                    look.namespaces_unseen += 1;
                    self.tell_refused(&error);
                }
            }
        }
        self.busy = listings.iter().filter(|(_, l)| !l.close_wait.is_empty()).map(|(net, _)| *net).collect();
        // After the listings: what came meanwhile is dated too.
        look.at_ns = monotonic_ns();
        self.put_together(&mut look, &listings);
        self.sender.send(Fact::CloseWaits(Box::new(look))).is_ok()
    }

    /// Namespaces in which connections came into CLOSE_WAIT since the last look.
    fn came(&mut self) -> BTreeSet<u32> {
        let now = self.connections.arrivals();
        let came = now.iter().filter(|(net, count)| self.arrivals.get(net) != Some(count)).map(|(net, _)| *net);
        let came = came.collect();
        self.arrivals = now.into_iter().collect();
        came
    }

    fn tell_refused(&mut self, error: &std::io::Error) {
        if !std::mem::replace(&mut self.told_refused, true) {
            eprintln!("sysprobe: some network namespaces are not looked into for CLOSE_WAIT leaks: {error}");
        }
    }

    fn put_together(&mut self, look: &mut CloseWaitLook, listings: &[(u32, Listing)]) {
        let mut seen = HashMap::new();
        let mut inodes: Vec<u32> = Vec::new();
        for (net, listing) in listings {
            look.cut |= listing.cut;
            for socket in &listing.close_wait {
                let key = SocketKey::of(*net, socket);
                let known = self.seen.get(&key).copied();
                let dated = known.filter(|k| k.exact).unwrap_or_else(|| self.date(*net, socket, known, look.at_ns));
                seen.insert(key, dated);
                let listener = listener_of(socket, &listing.listening);
                let waiting = socket.inode == 0;
                inodes.push(if waiting { listener.map_or(0, |l| l.inode) } else { socket.inode });
                look.sockets.push(CloseWaitSocket {
                    net: *net,
                    local: socket.local,
                    peer: socket.peer,
                    since_ns: dated.since_ns,
                    exact: dated.exact,
                    unread: socket.unread,
                    accepted: listener.is_some(),
                    waiting,
                    holders: Vec::new(),
                });
            }
        }
        self.seen = seen;
        // Once some were suspect, owners are known until all of that age are gone: a leak's end is told of too.
        self.suspecting = self.limits.has_suspects(look.at_ns, &look.sockets)
            || (self.suspecting && self.limits.old(look.at_ns, &look.sockets).next().is_some());
        if self.suspecting {
            self.find_owners(look, &inodes);
        }
    }

    /// Since when a socket is in CLOSE_WAIT.
    fn date(&self, net: u32, socket: &DiagSocket, known: Option<Seen>, at_ns: u64) -> Seen {
        match self.connections.in_close_wait_since(connection(net, socket)) {
            Some(since_ns) if since_ns <= at_ns => Seen { since_ns, exact: true },
            _ => known.unwrap_or(Seen { since_ns: at_ns, exact: false }),
        }
    }

    fn find_owners(&mut self, look: &mut CloseWaitLook, inodes: &[u32]) {
        let wanted: BTreeSet<u32> = inodes.iter().copied().filter(|inode| *inode != 0).collect();
        let absent = wanted.iter().any(|inode| !self.owners.by_inode.contains_key(inode));
        if absent {
            // Most often it is those who hold the others.
            let known: Vec<u32> = self.owners.open_fds.keys().copied().collect();
            let cut = self.owners.cut;
            self.owners = self.owners_of.among(known, &wanted);
            self.owners.cut |= cut;
        }
        let still_absent = absent && wanted.iter().any(|inode| !self.owners.by_inode.contains_key(inode));
        let since = self.owners_at.map(|at| at.elapsed());
        let rested = since.is_none_or(|since| since >= self.limits.period().max(self.owners_took * SHARE));
        if (still_absent && rested) || since.is_none_or(|since| since >= OWNERS_AGAIN) {
            let began = Instant::now();
            self.owners = self.owners_of.among_all(&wanted);
            self.owners_at = Some(Instant::now());
            self.owners_took = began.elapsed();
        }
        look.cut |= self.owners.cut;
        for (socket, inode) in look.sockets.iter_mut().zip(inodes) {
            if let Some(holders) = self.owners.by_inode.get(inode) {
                socket.holders.clone_from(holders);
            }
        }
        let pids: BTreeSet<u32> = self.owners.open_fds.keys().copied().collect();
        look.holders.extend(pids.into_iter().map(|pid| {
            let holder = SocketHolder {
                // Any of its threads may be stuck: its memory is left alone.
                process: self.processes.read_outside(pid),
                open_fds: self.owners.open_fds.get(&pid).copied(),
                fd_limit: self.owners_of.fd_limit(pid),
            };
            (pid, holder)
        }));
    }
}

/// The listening socket that a connection came in to.
fn listener_of<'a>(socket: &DiagSocket, listening: &'a [DiagSocket]) -> Option<&'a DiagSocket> {
    let same_port = || listening.iter().filter(|l| l.local.port() == socket.local.port());
    let local = socket.local.ip().to_canonical();
    same_port()
        .find(|l| l.local.ip().to_canonical() == local)
        .or_else(|| same_port().find(|l| l.local.ip().is_unspecified()))
}

/// The name under which the state probe knows a socket.
fn connection(net: u32, socket: &DiagSocket) -> ConnectionRaw {
    ConnectionRaw {
        net,
        local_port: socket.local.port(),
        peer_port: socket.peer.port(),
        local: wire(socket.local),
        peer: wire(socket.peer),
    }
}

/// An address as the kernel holds it.
fn wire(address: SocketAddr) -> [u8; 16] {
    match address.ip() {
        IpAddr::V6(v6) => v6.octets(),
        IpAddr::V4(v4) => {
            let mut bytes = [0; 16];
            for (to, from) in bytes.iter_mut().zip(v4.octets()) {
                *to = from;
            }
            bytes
        }
    }
}
