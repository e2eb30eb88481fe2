//! CLOSE_WAIT leaks as records. The documentation of these types is the schema's.

use serde::{Deserialize, Serialize};

use super::episode::Episode;
use crate::enrich::ProcessInfo;

/// Connections that their peers have closed and their owner does not: one episode a process and local address (or, of connections
/// that the process made itself, peer's address).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CloseWaitRecord {
    /// The owner: of several holders the one with the lowest number, which for servers that fork is the parent.
    pub process: ProcessInfo,
    /// What every episode has.
    #[serde(flatten)]
    pub episode: Episode,
    /// The connections.
    pub sockets: SocketFacts,
}

/// Connections in CLOSE_WAIT.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SocketFacts {
    /// How many there are now; at the close none.
    pub count: u64,
    /// The most there were.
    pub most: u64,
    /// How long the oldest has been so, in ns.
    pub oldest_ns: u64,
    /// Some were so before anybody looked: `oldest_ns` is a lower bound.
    pub began_before: bool,
    /// How many more there are each minute; null until that can be told.
    pub per_minute: Option<f64>,
    /// The owner's descriptors, the first 64.
    pub fds: Vec<i32>,
    /// The local address; of connections that the process made itself without the port.
    pub local: String,
    /// Whether they came in to a listening socket; false: the process connected them.
    pub accepted: bool,
    /// Peers' addresses without ports, most frequent first, at most 16; with the port where the process connected.
    pub peers: Vec<PeerCount>,
    /// The owner has not read the end of most of them: it does not know that they are closed.
    pub unread_eof: bool,
    /// Of how many the end was not read.
    pub unread_count: u64,
    /// How many nobody has accepted.
    pub waiting: u64,
    /// Every process that holds some of them.
    pub holders: Vec<HolderRecord>,
    /// Descriptors that the owner has open.
    pub open_fds: Option<u64>,
    /// How many it may have open (`RLIMIT_NOFILE`).
    pub fd_limit: Option<u64>,
    /// In how many seconds it reaches that at this rate; null if never or unknown.
    pub fd_limit_in_s: Option<u64>,
    /// Some connections, descriptors or network namespaces could not be looked at.
    pub incomplete: bool,
}

/// A peer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PeerCount {
    /// Its address.
    pub addr: String,
    /// Connections with it.
    pub count: u64,
}

/// A holder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HolderRecord {
    /// The process.
    pub pid: u32,
    /// Its name.
    pub comm: Option<String>,
    /// Connections it holds.
    pub count: u64,
    /// Its descriptors, the first 64.
    pub fds: Vec<i32>,
}
