//! Drains both rings into one stream that keeps each thread's order.

use std::os::fd::{AsRawFd as _, RawFd};

use aya::maps::{MapData, RingBuf};
use sysprobe_common::event::EventHeader;

/// Both rings.
pub struct Rings {
    critical: RingBuf<MapData>,
    bulk: RingBuf<MapData>,
}

impl Rings {
    pub(super) fn new(critical: RingBuf<MapData>, bulk: RingBuf<MapData>) -> Self {
        Self { critical, bulk }
    }

    /// Readable when a rare record is there.
    pub fn critical_fd(&self) -> RawFd {
        self.critical.as_raw_fd()
    }

    /// Hands every record that is in the rings now to `each`, at most `limit` of the bulk ring, and returns how many there were.
    ///
    /// A rare record stands behind every bulk record that its thread sent before it: those were committed first, so they
    /// are in the bulk ring by the time the rare one is seen, and all bulk records up to its time are handed out before it.
    /// The first younger one may be its thread's next, and waits for its turn.
    pub fn drain(&mut self, limit: usize, each: &mut impl FnMut(&[u8])) -> usize {
        let mut handed = 0;
        // A bulk record that was taken too early: younger than the rare record at hand. Empty: none.
        let mut ahead = Vec::new();
        while let Some(rare) = self.critical.next() {
            let until = timestamp(&rare);
            if !ahead.is_empty() && timestamp(&ahead) <= until {
                each(&ahead);
                ahead.clear();
                handed += 1;
            }
            while ahead.is_empty()
                && let Some(record) = self.bulk.next()
            {
                if timestamp(&record) > until {
                    ahead.extend_from_slice(&record);
                } else {
                    each(&record);
                    handed += 1;
                }
            }
            each(&rare);
            handed += 1;
        }
        if !ahead.is_empty() {
            each(&ahead);
            handed += 1;
        }
        while handed < limit
            && let Some(record) = self.bulk.next()
        {
            each(&record);
            handed += 1;
        }
        handed
    }
}

/// When a record was made, in ns; 0 for one too short to say.
fn timestamp(record: &[u8]) -> u64 {
    const AT: usize = std::mem::offset_of!(EventHeader, ts_ns);
    record.get(AT..AT + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_ne_bytes)
}
