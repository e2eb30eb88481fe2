//! The connections in CLOSE_WAIT that the state probe keeps: since when, and who opened them.

use aya::Pod;
use aya::maps::HashMap;
use sysprobe_common::event::{CloseWaitRaw, ConnectionRaw, OpenedRaw};

use super::kernel::Owned;
use crate::event::{Tgid, first};

/// [`ConnectionRaw`] as a map's key.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct ConnectionKey(ConnectionRaw);
// SAFETY: integers and byte arrays, no padding; the size is asserted in sysprobe-common.
unsafe impl Pod for ConnectionKey {}

/// [`CloseWaitRaw`] as a map's value.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct CloseWaitValue(CloseWaitRaw);
// SAFETY: as above.
unsafe impl Pod for CloseWaitValue {}

/// [`OpenedRaw`] as a map's value.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct OpenedValue(OpenedRaw);
// SAFETY: as above.
unsafe impl Pod for OpenedValue {}

/// The tables. A row may leave at any time: they keep the most recent.
pub struct Connections {
    close_waits: HashMap<Owned, ConnectionKey, CloseWaitValue>,
    opened: HashMap<Owned, u64, OpenedValue>,
    nets: HashMap<Owned, u32, u64>,
}

/// Who connected a socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// The process that did.
    pub tgid: Tgid,
    /// User return addresses, innermost first.
    pub user: Vec<u64>,
}

impl Connections {
    pub(super) fn new(
        close_waits: HashMap<Owned, ConnectionKey, CloseWaitValue>,
        opened: HashMap<Owned, u64, OpenedValue>,
        nets: HashMap<Owned, u32, u64>,
    ) -> Self {
        Self { close_waits, opened, nets }
    }

    /// Since when a connection is in CLOSE_WAIT (CLOCK_MONOTONIC ns), and its `sock`; `None` if that is not known.
    pub fn close_wait(&self, connection: ConnectionRaw) -> Option<CloseWaitRaw> {
        self.close_waits.get(&ConnectionKey(connection), 0).ok().map(|value| value.0)
    }

    /// Who connected a `sock`; `None` for an accepted one and when it is not known.
    pub fn opened(&self, sock: u64) -> Option<Opened> {
        let OpenedValue(raw) = self.opened.get(&sock, 0).ok()?;
        Some(Opened { tgid: Tgid(raw.tgid), user: first(&raw.user, raw.user_len) })
    }

    /// How many connections have come into CLOSE_WAIT, by network namespace.
    pub fn arrivals(&self) -> Vec<(u32, u64)> {
        self.nets.iter().filter_map(Result::ok).collect()
    }
}
