//! `sysprobe watch`: sources gather facts, analyzers make findings of them, a filter picks, sinks write.
//!
//! Threads: each source has one, the analyzers share one, each sink has one; this one waits for signals. All channels
//! are bounded. Nothing that watches waits for what it watches.

mod filter;
mod kernel;
mod now;
mod places;
mod scene;
mod source;

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::ValueEnum as _;
use sysprobe_common::loss::Counter;
use tokio::signal::unix::{SignalKind, signal};

use crate::analyze::{self, CloseWaitLimits, Fact, Finding};
use crate::host::{HostRoot, drop_rest, read_text};
use crate::probe::{Counters, SelfCost, SelfCostMeter};
use crate::record::{Body, LossRecord, Phase, ProbeCost, SinkSummary, SummaryRecord, WallClock};
use crate::sink::{Feed, Ndjson, Queue, Sink};
use crate::trace::label::monotonic_ns;
pub use filter::{Filter, Kind};
pub use now::explain;
use source::{Sources, Stop};

/// Facts that may wait for the analyzers.
const FACTS: usize = 4096;

/// Open episodes whose ends are told from those of episodes that were never told of; far more than analyzers keep.
const MAX_OPEN: usize = 65_536;

/// A validated request.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How long a task may be in D before it is told of.
    pub stall_over: Duration,
    /// Which connections in CLOSE_WAIT are a leak.
    pub close_wait: CloseWaitLimits,
    /// What is told of.
    pub filter: Filter,
    /// When to stop.
    pub stop_after: Option<Duration>,
    /// As records of schema v1 instead of words.
    pub json: bool,
    /// End with exit code 1 when one of these was found.
    pub fail_on: Vec<Kind>,
    /// Show the probes' own cost.
    pub stats: bool,
}

impl Settings {
    /// The threshold in ns.
    pub fn stall_over_ns(&self) -> u64 {
        u64::try_from(self.stall_over.as_nanos()).unwrap_or(u64::MAX)
    }
}

/// What was told of, by kind: episodes found and how many of them ended.
#[derive(Debug, Default)]
struct Told {
    found: BTreeMap<Kind, u64>,
    over: BTreeMap<Kind, u64>,
    /// Episodes told of while they last, by id.
    open: HashSet<String>,
    lost: u64,
    delivered: u64,
    filtered: u64,
}

/// Watches until told to stop.
///
/// # Errors
/// [`crate::cli::Failure`] for what the user can mend; other errors are failures while running.
pub fn run(settings: &Settings) -> anyhow::Result<ExitCode> {
    let began = Instant::now();
    let meter = if settings.stats { Some(SelfCostMeter::start()?) } else { None };
    let mut kernel = kernel::load(settings.stall_over_ns(), &settings.filter.pids, |_| true)?;
    let attach_time = began.elapsed();
    // Before any thread is started: they inherit what is left.
    drop_rest().context("cannot give up capabilities")?;
    let host = read_text(&HostRoot::live(), "/proc/sys/kernel/hostname").unwrap_or_default();
    let clock = WallClock::now();
    let sink: Box<dyn Sink> = if settings.json {
        Box::new(Ndjson::new(io::stdout(), &host, clock))
    } else {
        Box::new(Feed::new(anstream::stdout(), clock, jiff::tz::TimeZone::system()))
    };
    let queue = Queue::start(sink)?;
    let (sender, facts) = mpsc::sync_channel(FACTS);
    let stop = Stop::default();
    let counters = Arc::new(kernel.take_counters()?);
    let sources = Sources::start(settings, &mut kernel, &counters, &sender, &stop)?;
    drop(sender);
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start the runtime")?;
    let asked = runtime.spawn_signals(settings.stop_after)?;
    eprintln!("sysprobe: watching for {}; Ctrl-C ends it", watched(settings));
    let (told, mut queue) = analyze_all(&facts, settings, queue, &stop, &asked, &sources);
    stop.stop();
    sources.finish();
    let costs = meter.map(|meter| meter.read(&kernel)).unwrap_or_default();
    if settings.json {
        let body = Body::Summary(summary(&told, &counters, &costs, began.elapsed()));
        queue.put(vec![Finding { at_ns: monotonic_ns(), body }]);
    }
    let ended = queue.finish();
    if let Some(error) = ended.error {
        return Err(anyhow::Error::from(error).context("cannot write the output"));
    }
    if !settings.json {
        print_summary(&told, ended.dropped, began.elapsed());
        if !costs.is_empty() {
            eprint!("{}", SelfCost::table(&costs, began.elapsed().saturating_sub(attach_time), attach_time));
        }
    }
    let found = settings.fail_on.iter().any(|kind| told.found.contains_key(kind));
    Ok(ExitCode::from(u8::from(found)))
}

/// What is told of, in words.
fn watched(settings: &Settings) -> String {
    let kinds = Kind::value_variants().iter().filter(|kind| settings.filter.wants_kind(**kind));
    let words: Vec<String> = kinds
        .map(|kind| match kind {
            Kind::Stall => format!("tasks stuck over {}", humantime::format_duration(settings.stall_over)),
            Kind::Oom => "OOM kills".to_owned(),
            Kind::Exit => "deaths".to_owned(),
            Kind::CloseWait => "CLOSE_WAIT leaks".to_owned(),
        })
        .collect();
    words.join(", ")
}

/// Signals and the timer, as a flag that the analyzers look at.
trait Signals {
    fn spawn_signals(self, stop_after: Option<Duration>) -> anyhow::Result<Stop>;
}

impl Signals for tokio::runtime::Runtime {
    fn spawn_signals(self, stop_after: Option<Duration>) -> anyhow::Result<Stop> {
        let asked = Stop::default();
        let told = asked.clone();
        let streams = {
            let _inside = self.enter();
            [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()].map(signal)
        };
        let [interrupt, terminate, hangup] = streams;
        let (mut interrupt, mut terminate, mut hangup) = (interrupt?, terminate?, hangup?);
        let wait = move || {
            self.block_on(async {
                let timer = async {
                    match stop_after {
                        Some(after) => tokio::time::sleep(after).await,
                        None => std::future::pending().await,
                    }
                };
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                    _ = hangup.recv() => {}
                    () = timer => {}
                }
            });
            told.stop();
        };
        std::thread::Builder::new().name("signals".to_owned()).spawn(wait).context("cannot start a thread")?;
        Ok(asked)
    }
}

/// Feeds the analyzers until it is over.
fn analyze_all(
    facts: &Receiver<Fact>,
    settings: &Settings,
    mut queue: Queue,
    stop: &Stop,
    asked: &Stop,
    sources: &Sources,
) -> (Told, Queue) {
    let mut analyzers = analyze::all(settings.close_wait);
    let mut told = Told::default();
    let mut findings = Vec::new();
    loop {
        if asked.is_stopped() || queue.is_closed() || sources.any_ended() {
            stop.stop();
        }
        let fact = match facts.recv_timeout(Duration::from_millis(100)) {
            Ok(fact) => fact,
            Err(RecvTimeoutError::Timeout) if stop.is_stopped() => return (told, queue),
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return (told, queue),
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
            queue.put(std::mem::take(&mut findings));
        }
    }
}

impl Told {
    fn note(&mut self, body: &Body) {
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
}

/// What the kernel side counted, beside its losses.
const SEEN: [Counter; 3] = [Counter::WaitsSeen, Counter::StallEndsSeen, Counter::ExitsSeen];

fn summary(told: &Told, counters: &Counters, costs: &[SelfCost], took: Duration) -> SummaryRecord {
    let episodes = told.found.iter().map(|(kind, n)| (format!("{}_episodes", kind.as_str()), *n));
    let seen = Counter::ALL.iter().filter(|(counter, _)| SEEN.contains(counter) || source::LOSSES.contains(counter));
    let seen = seen.map(|(counter, name)| ((*name).to_owned(), counters.get(*counter)));
    SummaryRecord {
        duration_ns: u64::try_from(took.as_nanos()).unwrap_or(u64::MAX),
        seen: told.delivered + told.filtered,
        delivered: told.delivered,
        filtered: told.filtered,
        lost: told.lost,
        counters: episodes.chain(seen).collect(),
        sinks: Vec::<SinkSummary>::new(),
        probes: costs.iter().map(ProbeCost::from).collect(),
        ..SummaryRecord::default()
    }
}

fn print_summary(told: &Told, dropped: u64, took: Duration) {
    let found: Vec<String> = told
        .found
        .iter()
        .map(|(kind, found)| {
            let over = told.over.get(kind).copied().unwrap_or(0);
            format!("{found} {} ({} not over)", kind.as_str(), found.saturating_sub(over))
        })
        .collect();
    let found = if found.is_empty() { "nothing found".to_owned() } else { found.join(", ") };
    let lost = if told.lost > 0 { format!("; {} events lost", told.lost) } else { "; nothing lost".to_owned() };
    let dropped = if dropped > 0 {
        format!("; {dropped} findings not shown: the output could not keep up")
    } else {
        String::new()
    };
    eprintln!("sysprobe: watched for {:.1} s: {found}{lost}{dropped}", took.as_secs_f64());
}
