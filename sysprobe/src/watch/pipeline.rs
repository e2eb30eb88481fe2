//! From attached probes to a sink: sources gather facts, analyzers make findings of them, a filter picks, the sink writes.
//!
//! Three steps, so that others can do their part between them: [`Pipeline::attach`] gives up the rights that nothing
//! needs any more, [`Pipeline::start`] starts the threads, [`Running::until`] analyzes on the caller's.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::ending::Stop;
use super::source::Sources;
use super::told::Told;
use super::{Settings, kernel};
use crate::analyze::{self, Fact, Finding};
use crate::host::drop_rest;
use crate::probe::{Counters, Kernel, SelfCost, SelfCostMeter};
use crate::record::{Body, LossRecord};
use crate::sink::{Ended, Queue, Sink};
use crate::trace::label::monotonic_ns;

/// Facts that may wait for the analyzers.
const FACTS: usize = 4096;

/// Attached probes.
pub struct Pipeline {
    settings: Settings,
    began: Instant,
    attach_time: Duration,
    meter: Option<SelfCostMeter>,
    kernel: Kernel,
    counters: Arc<Counters>,
}

/// Attached probes whose facts are gathered.
pub struct Running {
    attached: Pipeline,
    queue: Queue,
    facts: Receiver<Fact>,
    sources: Sources,
    stop: Stop,
}

/// A run that is over.
pub struct Outcome {
    /// What was told of.
    pub told: Told,
    /// What the probes cost, where that was asked for.
    pub costs: Vec<SelfCost>,
    /// How long it took, in all and to the end of the attach.
    pub took: Duration,
    /// How long the attach took.
    pub attach_time: Duration,
    /// What became of the output.
    pub ended: Ended,
}

impl Pipeline {
    /// Loads and attaches, then gives up the calling thread's other capabilities: threads that are to keep more are started before.
    ///
    /// # Errors
    /// [`crate::cli::Failure`] for what this host can't.
    pub fn attach(settings: Settings) -> anyhow::Result<Self> {
        let began = Instant::now();
        let meter = if settings.stats { Some(SelfCostMeter::start()?) } else { None };
        let mut kernel = kernel::load(settings.stall_over_ns(), &settings.filter.pids, |_| true)?;
        let attach_time = began.elapsed();
        // Before any thread is started: they inherit what is left.
        drop_rest().context("cannot give up capabilities")?;
        let counters = Arc::new(kernel.take_counters()?);
        Ok(Self { settings, began, attach_time, meter, kernel, counters })
    }

    /// Starts gathering; findings will go to `sink`.
    ///
    /// # Errors
    /// When maps or threads cannot be had.
    pub fn start(mut self, sink: Box<dyn Sink>) -> anyhow::Result<Running> {
        let queue = Queue::start(sink)?;
        let (sender, facts) = mpsc::sync_channel(FACTS);
        let stop = Stop::default();
        let sources = Sources::start(&self.settings, &mut self.kernel, &self.counters, &sender, &stop)?;
        Ok(Running { attached: self, queue, facts, sources, stop })
    }
}

impl Running {
    /// Analyzes until `asked` for the end, the sink is closed, or a source has ended; then ends everything in order.
    pub fn until(mut self, asked: &Stop) -> Outcome {
        let told = self.analyze(asked);
        self.stop.stop();
        self.sources.finish();
        let Pipeline { settings, began, attach_time, meter, kernel, counters } = self.attached;
        let costs = meter.map(|meter| meter.read(&kernel)).unwrap_or_default();
        if settings.json {
            let body = Body::Summary(told.summary(&counters, &costs, began.elapsed()));
            self.queue.put(vec![Finding { at_ns: monotonic_ns(), body }]);
        }
        let ended = self.queue.finish();
        Outcome { told, costs, took: began.elapsed(), attach_time, ended }
    }

    /// Feeds the analyzers until it is over.
    fn analyze(&mut self, asked: &Stop) -> Told {
        let settings = &self.attached.settings;
        let mut analyzers = analyze::all(settings.close_wait);
        let mut told = Told::default();
        let mut findings = Vec::new();
        loop {
            if asked.is_stopped() || self.queue.is_closed() || self.sources.any_ended() {
                self.stop.stop();
            }
            let fact = match self.facts.recv_timeout(Duration::from_millis(100)) {
                Ok(fact) => fact,
                Err(RecvTimeoutError::Timeout) if self.stop.is_stopped() => return told,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return told,
            };
            if let Fact::Lost { at_ns, site, lost } = &fact {
                told.lost += lost;
                let record = LossRecord { site: (*site).to_owned(), probe: None, lost: *lost };
                findings.push(Finding { at_ns: *at_ns, body: Body::Loss(record) });
            }
            for analyzer in &mut analyzers {
                analyzer.take(&fact, &mut findings);
            }
            let before = findings.len();
            findings.retain(|finding| settings.filter.wants(&finding.body));
            told.filtered += (before - findings.len()) as u64;
            for finding in &findings {
                told.note(&finding.body);
            }
            if !findings.is_empty() {
                self.queue.put(std::mem::take(&mut findings));
            }
        }
    }
}
