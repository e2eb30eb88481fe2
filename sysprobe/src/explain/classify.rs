//! From frames to a cause: the innermost function that a rule knows decides.
//!
//! First the scheduler and the wait primitives are skipped and the kind of wait is noted; then the frames are walked
//! outwards and the first rule that holds is taken. The further the deciding frame is from the wait, the lower the
//! confidence. What no rule knows stays `unknown`, with its frames.

use super::advice;
use super::cause::{Cause, Class, Confidence, Evidence, Link};
use super::context;
use super::frame::Frame;
use super::rules::{self, FAMILIES, Family, PRIMITIVES, Rule, SCHEDULER, WaitKinds};

/// What the frames of one task say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The class of the innermost wait.
    pub class: Class,
    /// How far to trust it.
    pub confidence: Confidence,
    /// What is waited for, to be read behind "waits for".
    pub what: String,
    /// The deciding frame.
    pub deciding: Option<Frame>,
    /// The lock, where the wait is for one.
    pub lock: Option<&'static str>,
    /// Whether a fatal signal ends the wait; `None` when that is not known.
    pub killable: Option<bool>,
}

impl Verdict {
    /// One line in words.
    pub fn summary(&self) -> String {
        match &self.deciding {
            Some(frame) if self.class == Class::Unknown => format!("waits for {} ({})", self.what, frame.name),
            Some(frame) => format!("waits for {} (in {})", self.what, frame.name),
            None => self.what.clone(),
        }
    }

    /// The cause with a chain as far as one stack shows it.
    pub fn cause(&self, frames: &[Frame]) -> Cause {
        let mut wait = Link::new("wait", self.summary());
        wait.lock = self.lock.map(str::to_owned);
        let mut chain = vec![wait];
        chain.extend(context::links(frames, self.class));
        Cause { class: self.class, summary: self.summary(), confidence: self.confidence, chain }
    }

    /// The evidence of one stack.
    pub fn evidence(&self, frames: &[Frame], unreliable: &[Frame]) -> Evidence {
        Evidence {
            kernel_stack: frames.iter().map(|f| f.name.clone()).collect(),
            deciding_frame: self.deciding.as_ref().map(|f| f.name.clone()),
            unreliable: unreliable.iter().map(|f| f.name.clone()).collect(),
            ..Evidence::default()
        }
    }

    /// What to do about it.
    pub fn advice(&self) -> &'static str {
        advice::for_class(self.class)
    }
}

/// How a task sleeps, and where the frames begin that say why.
struct Waiter {
    at: usize,
    kinds: WaitKinds,
    io: bool,
    killable: bool,
}

/// Judges one stack. `unreliable` frames are used only where no other frame is left.
pub fn classify(frames: &[Frame], unreliable: &[Frame]) -> Verdict {
    let waiter = waiter(frames);
    if waiter.at < frames.len() {
        return judge(frames, &waiter);
    }
    let waiter = self::waiter(unreliable);
    if waiter.at < unreliable.len() {
        let mut verdict = judge(unreliable, &waiter);
        // The unwinder itself doubts every frame of this.
        verdict.confidence = verdict.confidence.min(Confidence::Medium);
        return verdict;
    }
    unknown(None, "the stack shows no frame below the scheduler".to_owned())
}

/// Skips the scheduler and the primitives. The outermost primitive names the kind.
fn waiter(frames: &[Frame]) -> Waiter {
    let mut found = Waiter { at: 0, kinds: WaitKinds::PLAIN, io: false, killable: false };
    for frame in frames {
        let scheduler = SCHEDULER.iter().any(|p| rules::matches(p, frame));
        let primitive = PRIMITIVES.iter().find(|(p, _)| rules::matches(p, frame));
        if !scheduler && primitive.is_none() {
            break;
        }
        found.io |= frame.name.starts_with("io_schedule")
            || frame.name.contains("wait_io")
            || frame.name.contains("completion_io");
        found.killable |= frame.name.contains("killable");
        if let Some((_, kinds)) = primitive {
            found.kinds = *kinds;
        }
        found.at += 1;
    }
    found
}

fn judge(frames: &[Frame], waiter: &Waiter) -> Verdict {
    let is_lock = WaitKinds::LOCK.meets(waiter.kinds);
    for (at, frame) in frames.iter().enumerate().skip(waiter.at) {
        let distance = at - waiter.at;
        if let Some(rule) = rules::TABLES.iter().flat_map(|t| t.iter()).find(|r| r.holds(frames, at, waiter.kinds)) {
            return by_rule(rule, frame, distance, waiter);
        }
        if let Some(family) = FAMILIES.iter().find(|f| f.frames.iter().any(|p| rules::matches(p, frame))) {
            return by_family(family, frame, distance, waiter);
        }
        if is_lock {
            // Who takes the lock decides; callers further out say nothing about it.
            return lock_taken_in(frame, waiter);
        }
        if distance == 0 && idles(frames, at, waiter) {
            return idle(frame);
        }
    }
    fallback(frames, waiter)
}

fn by_rule(rule: &Rule, frame: &Frame, distance: usize, waiter: &Waiter) -> Verdict {
    Verdict {
        class: rule.class,
        confidence: rule.sure.min(confidence_at(distance)),
        what: rule.what.to_owned(),
        deciding: Some(frame.clone()),
        lock: rule.lock,
        killable: Some(rule.killable || waiter.killable || frame.name.contains("killable")),
    }
}

fn by_family(family: &Family, frame: &Frame, distance: usize, waiter: &Waiter) -> Verdict {
    let (class, what) = if WaitKinds::LOCK.meets(waiter.kinds) {
        (family.lock, format!("a lock of {}", family.name))
    } else if WaitKinds::PAGE.meets(waiter.kinds) {
        (family.page, format!("a page of {}", family.name))
    } else if waiter.io || WaitKinds::COMPLETION.or(WaitKinds::BIT).meets(waiter.kinds) {
        (family.io, format!("I/O of {}", family.name))
    } else {
        (family.other, format!("{} to go on", family.name))
    };
    Verdict {
        class,
        confidence: Confidence::Medium.min(confidence_at(distance)),
        what,
        deciding: Some(frame.clone()),
        lock: None,
        killable: Some(waiter.killable),
    }
}

/// Each unknown function between the wait and the rule makes the rule less certain.
fn confidence_at(distance: usize) -> Confidence {
    match distance {
        0..=2 => Confidence::High,
        3..=5 => Confidence::Medium,
        _ => Confidence::Low,
    }
}

fn lock_taken_in(frame: &Frame, waiter: &Waiter) -> Verdict {
    let kind = if WaitKinds::MUTEX.meets(waiter.kinds) {
        "mutex"
    } else if WaitKinds::SEMAPHORE.meets(waiter.kinds) {
        "semaphore"
    } else {
        "reader-writer semaphore"
    };
    Verdict {
        class: Class::LockContention,
        confidence: Confidence::Medium,
        what: format!("a {kind} that another task holds"),
        deciding: Some(frame.clone()),
        lock: None,
        killable: Some(waiter.killable),
    }
}

/// A thread function that sleeps directly in its loop, called by `kthread` itself.
fn idles(frames: &[Frame], at: usize, waiter: &Waiter) -> bool {
    let loops = WaitKinds::PLAIN.or(WaitKinds::SLEEP).meets(waiter.kinds) && !waiter.io;
    loops
        && frames.get(at + 1).is_some_and(|f| f.name == "kthread")
        && frames.get(at).is_some_and(|f| f.name != "process_one_work")
}

fn idle(frame: &Frame) -> Verdict {
    Verdict {
        class: Class::KthreadIdle,
        confidence: Confidence::Low,
        what: "new work in the kernel thread's own loop".to_owned(),
        deciding: Some(frame.clone()),
        lock: None,
        killable: Some(false),
    }
}

/// No rule knows any frame: the kind of wait may still say something; a driver's module may.
fn fallback(frames: &[Frame], waiter: &Waiter) -> Verdict {
    let first = frames.get(waiter.at);
    let driver = frames.iter().skip(waiter.at).take(4).find(|f| f.module.is_some());
    let (class, what) = if WaitKinds::PAGE.meets(waiter.kinds) {
        (Class::PageLock, "a page that another task has locked or writes back".to_owned())
    } else if let Some(module) = driver.and_then(|f| f.module.as_deref()) {
        (Class::DeviceDriver, format!("the driver {module}"))
    } else if waiter.io {
        (Class::BlockIo, "I/O".to_owned())
    } else {
        return unknown(first.cloned(), "something its frames do not tell".to_owned());
    };
    Verdict {
        class,
        confidence: Confidence::Low,
        what,
        deciding: driver.or(first).cloned(),
        lock: None,
        killable: Some(waiter.killable),
    }
}

fn unknown(deciding: Option<Frame>, what: String) -> Verdict {
    Verdict { class: Class::Unknown, confidence: Confidence::Low, what, deciding, lock: None, killable: None }
}
