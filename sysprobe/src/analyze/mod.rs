//! Facts in, findings out: pure code that keeps what it must remember of each trouble from its start to its end.
//!
//! An analyzer opens no file, asks no kernel and reads no clock: time comes with the facts, so a recording replays to
//! the same findings. One analyzer a file or folder; [`all`] is the registry.

mod close_wait;
mod exit;
pub mod fact;
mod oom;
mod stall;

use crate::record::Body;
pub use close_wait::{CloseWaitLimits, CloseWaits};
pub use exit::Exits;
pub use fact::Fact;
pub use oom::OomKills;
pub use stall::{Stalls, doing, is_held_up};

/// Something to tell: a record, less its wall time and host.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// CLOCK_MONOTONIC ns: when it was so.
    pub at_ns: u64,
    /// What.
    pub body: Body,
}

/// One kind of trouble.
pub trait Analyzer: Send {
    /// Takes a fact and appends what it now has to tell.
    fn take(&mut self, fact: &Fact, findings: &mut Vec<Finding>);
}

/// Every analyzer.
pub fn all(close_wait: CloseWaitLimits) -> Vec<Box<dyn Analyzer>> {
    vec![
        Box::new(Stalls::default()),
        Box::new(OomKills::default()),
        Box::new(Exits::default()),
        Box::new(CloseWaits::new(close_wait)),
    ]
}
