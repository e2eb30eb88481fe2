//! What analyzers are told. Pure: time comes with the facts, so that a recording replays to the same findings.

pub mod fact;

pub use fact::Fact;
