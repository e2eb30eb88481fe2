//! How each probe fared: attached, and how, or why not.

use super::catalog::ProbeRow;

/// The form in which a probe is attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttachVia {
    /// `tp_btf`.
    Btf,
    /// The `raw_tp` twin.
    Raw,
    /// A BPF iterator.
    Iterator,
}

/// What became of a probe.
#[derive(Debug)]
pub enum Verdict {
    /// It runs.
    Attached(AttachVia),
    /// This kernel lacks what it needs.
    Unsupported(String),
    /// The kernel refused it: a reason in words, and the verifier's or system's own last lines.
    Broken(String),
}

/// One probe's verdict.
#[derive(Debug)]
pub struct ProbeHealth {
    /// The probe.
    pub row: &'static ProbeRow,
    /// What became of it.
    pub verdict: Verdict,
}

impl ProbeHealth {
    /// Whether it runs.
    pub fn is_attached(&self) -> bool {
        matches!(self.verdict, Verdict::Attached(_))
    }

    /// Why it does not run; `None` when it does.
    pub fn reason(&self) -> Option<&str> {
        match &self.verdict {
            Verdict::Attached(_) => None,
            Verdict::Unsupported(reason) | Verdict::Broken(reason) => Some(reason),
        }
    }
}
