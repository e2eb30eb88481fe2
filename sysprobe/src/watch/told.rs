//! What was told of in a run, counted by kind, and the summary that is made of it.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use sysprobe_common::loss::Counter;

use super::Kind;
use super::source::LOSSES;
use crate::probe::{Counters, SelfCost};
use crate::record::{Body, Phase, ProbeCost, SinkSummary, SummaryRecord};

/// Open episodes whose ends are told from those of episodes that were never told of; far more than analyzers keep.
const MAX_OPEN: usize = 65_536;

/// What the kernel side counted, beside its losses.
const SEEN: [Counter; 3] = [Counter::WaitsSeen, Counter::StallEndsSeen, Counter::ExitsSeen];

/// What was told of, by kind: episodes found and how many of them ended.
#[derive(Debug, Default)]
pub struct Told {
    /// Episodes found.
    pub found: BTreeMap<Kind, u64>,
    over: BTreeMap<Kind, u64>,
    /// Episodes told of while they last, by id.
    open: HashSet<String>,
    /// Events lost before the analyzers.
    pub lost: u64,
    delivered: u64,
    /// Findings left out as the user asked.
    pub filtered: u64,
}

impl Told {
    /// One more finding is handed to the sink.
    pub fn note(&mut self, body: &Body) {
        self.delivered += 1;
        let (Some(kind), Some((_, episode))) = (Kind::of(body), body.episode()) else { return };
        let new = match episode.phase {
            Phase::Open => self.open.len() >= MAX_OPEN || self.open.insert(episode.id.clone()),
            Phase::Update => false,
            Phase::Close => {
                *self.over.entry(kind).or_default() += 1;
                !self.open.remove(&episode.id)
            }
        };
        *self.found.entry(kind).or_default() += u64::from(new);
    }

    /// The record that ends a run.
    pub fn summary(&self, counters: &Counters, costs: &[SelfCost], took: Duration) -> SummaryRecord {
        let episodes = self.found.iter().map(|(kind, n)| (format!("{}_episodes", kind.as_str()), *n));
        let seen = Counter::ALL.iter().filter(|(counter, _)| SEEN.contains(counter) || LOSSES.contains(counter));
        let seen = seen.map(|(counter, name)| ((*name).to_owned(), counters.get(*counter)));
        SummaryRecord {
            duration_ns: u64::try_from(took.as_nanos()).unwrap_or(u64::MAX),
            seen: self.delivered + self.filtered,
            delivered: self.delivered,
            filtered: self.filtered,
            lost: self.lost,
            counters: episodes.chain(seen).collect(),
            sinks: Vec::<SinkSummary>::new(),
            probes: costs.iter().map(ProbeCost::from).collect(),
            ..SummaryRecord::default()
        }
    }

    /// The line that ends a run; `dropped` findings did not reach the output.
    pub fn line(&self, dropped: u64, took: Duration) -> String {
        let found: Vec<String> = self
            .found
            .iter()
            .map(|(kind, found)| {
                let over = self.over.get(kind).copied().unwrap_or(0);
                format!("{found} {} ({} not over)", kind.as_str(), found.saturating_sub(over))
            })
            .collect();
        let found = if found.is_empty() { "nothing found".to_owned() } else { found.join(", ") };
        let lost = if self.lost > 0 { format!("; {} events lost", self.lost) } else { "; nothing lost".to_owned() };
        let dropped = if dropped > 0 {
            format!("; {dropped} findings not shown: the output could not keep up")
        } else {
            String::new()
        };
        format!("watched for {:.1} s: {found}{lost}{dropped}", took.as_secs_f64())
    }
}
