//! Schema v1: what sysprobe says to other programs, one JSON object a line.
//!
//! [`Record`] is the contract, for reading and for rare records; `docs/schema/v1.json` is made from it by a test. System
//! calls come by the million, so [`SyscallWriter`] writes theirs by hand into a reused buffer, and a test holds both
//! forms together. Fields may be added within v1; none is removed, renamed or given another meaning.

mod clock;
mod close_wait;
mod episode;
mod exit;
mod oom;
mod schema;
mod syscall;
mod writer;

pub use clock::{Rfc3339, WallClock};
pub use close_wait::{CloseWaitRecord, HolderRecord, PeerCount, SocketFacts};
pub use episode::{CauseRecord, Episode, Phase, Severity, StallFacts, StallRecord};
pub use exit::{ExitFacts, ExitRecord, ExitSender, Fault};
pub use oom::{OomCandidate, OomFacts, OomGrowth, OomKillRecord, OomTrigger, OomVictim};
pub use schema::{
    Body, LossRecord, ProbeCost, Record, SCHEMA_VERSION, SinkSummary, SummaryRecord, SyscallRecord,
    SyscallSummaryRecord, Wait,
};
pub use syscall::{SyscallFields, SyscallWriter};
pub use writer::RecordWriter;

#[cfg(test)]
mod tests;
