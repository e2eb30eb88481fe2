//! The connections in CLOSE_WAIT that the state probe keeps, and how many came.

use aya::Pod;
use aya::maps::HashMap;
use sysprobe_common::event::ConnectionRaw;

use super::kernel::Owned;

/// [`ConnectionRaw`] as a map's key.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct ConnectionKey(ConnectionRaw);
// SAFETY: integers and byte arrays, no padding; the size is asserted in sysprobe-common.
unsafe impl Pod for ConnectionKey {}

/// The tables. A row may leave at any time: they keep the most recent.
pub struct Connections {
    close_waits: HashMap<Owned, ConnectionKey, u64>,
    nets: HashMap<Owned, u32, u64>,
}

impl Connections {
    pub(super) fn new(close_waits: HashMap<Owned, ConnectionKey, u64>, nets: HashMap<Owned, u32, u64>) -> Self {
        Self { close_waits, nets }
    }

    /// Since when a connection is in CLOSE_WAIT (CLOCK_MONOTONIC ns); `None` if that is not known.
    pub fn in_close_wait_since(&self, connection: ConnectionRaw) -> Option<u64> {
        self.close_waits.get(&ConnectionKey(connection), 0).ok()
    }

    /// How many connections have come into CLOSE_WAIT, by network namespace.
    pub fn arrivals(&self) -> Vec<(u32, u64)> {
        self.nets.iter().filter_map(Result::ok).collect()
    }
}
