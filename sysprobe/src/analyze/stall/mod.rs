//! Stalls: one episode a wait in uninterruptible sleep (D), from the first look that finds it to its end.

mod chain;

use std::collections::{HashMap, VecDeque};

use super::fact::{EndedWait, Fact, Scene, SceneTask};
use super::{Analyzer, Finding};
use crate::event::{Tid, padded_text};
use crate::explain::cause::{Class, Evidence};
use crate::explain::classify::classify;
use crate::record::{Body, CauseRecord, Episode, Phase, Severity, StallFacts, StallRecord};
use chain::{Chain, follow};
pub use chain::{doing, is_held_up};

/// Episodes open at once; further stuck tasks are not told of.
const MAX_OPEN: usize = 8192;
/// Ends remembered for looks that were taken before them and arrive after.
const MAX_ENDED: usize = 1024;
/// Stuck for so long is critical: the kernel's own hung-task limit.
const CRITICAL_NS: u64 = 120_000_000_000;
/// An open stall is told of again when it has lasted so long.
const MILESTONES_NS: [u64; 4] = [10_000_000_000, 60_000_000_000, 600_000_000_000, 3_600_000_000_000];

/// A wait: who, and since when.
type Key = (Tid, u64);

/// An open episode.
#[derive(Debug)]
struct Open {
    record: StallRecord,
    lost_before: u64,
    milestones: usize,
}

/// The analyzer.
#[derive(Debug, Default)]
pub struct Stalls {
    open: HashMap<Key, Open>,
    ended: VecDeque<Key>,
    /// Events lost so far that could have told of waits or their ends.
    lost: u64,
}

impl Analyzer for Stalls {
    fn take(&mut self, fact: &Fact, findings: &mut Vec<Finding>) {
        match fact {
            Fact::Stuck(scene) => self.look(scene, findings),
            Fact::WaitEnded(wait) => self.ended(wait, findings),
            Fact::WaitsGone { at_ns, waits } => {
                for key in waits {
                    self.close(*key, *at_ns, None, findings);
                }
            }
            Fact::Lost { lost, .. } => self.lost += lost,
            _ => {}
        }
    }
}

impl Stalls {
    fn look(&mut self, scene: &Scene, findings: &mut Vec<Finding>) {
        for task in &scene.stuck {
            let key = (task.wait.tid, task.since_ns);
            if self.ended.contains(&key) || is_idle(task) {
                continue;
            }
            let chain = follow(scene, task);
            let duration_ns = scene.at_ns.saturating_sub(task.since_ns);
            let (lost, room) = (self.lost, self.open.len() < MAX_OPEN);
            match self.open.get_mut(&key) {
                Some(open) => {
                    let passed = MILESTONES_NS.iter().filter(|m| duration_ns >= **m).count();
                    let changed = open.record.stall.root != chain.root;
                    if changed || passed > open.milestones {
                        open.milestones = passed;
                        open.record = record(task, chain, duration_ns, Phase::Update);
                        open.record.episode.evidence.lost_events = lost - open.lost_before;
                        findings.push(finding(scene.at_ns, &open.record));
                    }
                }
                None if room => {
                    let record = record(task, chain, duration_ns, Phase::Open);
                    findings.push(finding(scene.at_ns, &record));
                    let milestones = MILESTONES_NS.iter().filter(|m| duration_ns >= **m).count();
                    self.open.insert(key, Open { record, lost_before: lost, milestones });
                }
                None => {}
            }
        }
    }

    fn ended(&mut self, wait: &EndedWait, findings: &mut Vec<Finding>) {
        let end = &wait.end;
        let waker = end.waker.map(|(tid, _)| format!("{}[{}]", padded_text(&end.waker_comm), tid.0));
        // An episode that began before the start has another beginning than the kernel's, which knows none.
        let key = (end.tid, end.since_ns);
        if self.close(key, end.woken_ns, waker.clone(), findings) {
            return;
        }
        let verdict = classify(&wait.frames, &[]);
        if end.kthread && verdict.class == Class::KthreadIdle {
            return;
        }
        let duration_ns = end.woken_ns.saturating_sub(end.since_ns);
        let deciding = verdict.deciding.as_ref().map_or("", |f| f.name.as_str());
        let record = StallRecord {
            process: wait.process.clone(),
            episode: Episode {
                phase: Phase::Close,
                id: id(key),
                severity: severity(duration_ns, false),
                duration_ns: Some(duration_ns),
                evidence: verdict.evidence(&wait.frames, &[]),
                advice: None,
                cause: CauseRecord::from(verdict.cause(&wait.frames)),
            },
            stall: StallFacts {
                kernel_thread: end.kthread,
                killable: end.state.is_killable(),
                root: format!("{} {deciding}", verdict.class.as_str()),
                waker,
                ..StallFacts::default()
            },
        };
        findings.push(finding(end.woken_ns, &record));
        self.remember(key);
    }

    /// Closes an episode; `false` if there was none.
    fn close(&mut self, key: Key, at_ns: u64, waker: Option<String>, findings: &mut Vec<Finding>) -> bool {
        self.remember(key);
        let Some(Open { mut record, lost_before, .. }) = self.open.remove(&key) else { return false };
        let duration_ns = at_ns.saturating_sub(key.1);
        record.episode.phase = Phase::Close;
        record.episode.duration_ns = Some(duration_ns);
        record.episode.severity = severity(duration_ns, false);
        record.episode.evidence.lost_events = self.lost - lost_before;
        record.episode.advice = None;
        record.stall.waker = waker;
        findings.push(finding(at_ns, &record));
        true
    }

    fn remember(&mut self, key: Key) {
        if self.ended.len() >= MAX_ENDED {
            self.ended.pop_front();
        }
        self.ended.push_back(key);
    }
}

fn finding(at_ns: u64, record: &StallRecord) -> Finding {
    Finding { at_ns, body: Body::Stall(Box::new(record.clone())) }
}

fn id((tid, since_ns): Key) -> String {
    format!("stall-{}-{since_ns}", tid.0)
}

fn severity(duration_ns: u64, deadlock: bool) -> Severity {
    if deadlock || duration_ns >= CRITICAL_NS { Severity::Critical } else { Severity::Warning }
}

/// A kernel thread that waits for work by design.
fn is_idle(task: &SceneTask) -> bool {
    task.wait.kthread && classify(&task.frames, &[]).class == Class::KthreadIdle
}

fn record(task: &SceneTask, chain: Chain, duration_ns: u64, phase: Phase) -> StallRecord {
    let verdict = classify(&task.frames, &[]);
    let evidence: Evidence = verdict.evidence(&task.frames, &[]);
    StallRecord {
        process: task.process.clone(),
        episode: Episode {
            phase,
            id: id((task.wait.tid, task.since_ns)),
            severity: severity(duration_ns, chain.deadlock),
            duration_ns: Some(duration_ns),
            cause: CauseRecord::from(chain.cause),
            evidence,
            advice: Some(chain.advice),
        },
        stall: StallFacts {
            kernel_thread: task.wait.kthread,
            killable: task.wait.state.is_killable(),
            call: task.call.as_ref().map(|c| c.text.clone()),
            began_before: task.began_before,
            seen_stuck: true,
            root: chain.root,
            waker: None,
        },
    }
}
