//! Where findings go: the terminal or a pipe as words, or records one a line.
//!
//! A sink has a thread and a bounded queue of its own: one that cannot keep up loses, counted, and holds up nobody.

mod feed;
mod ndjson;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::Context as _;

use crate::analyze::Finding;
pub use feed::Feed;
pub use ndjson::Ndjson;

/// Batches that may wait for a sink.
const QUEUE: usize = 1024;
/// How long the last batches may take to be written.
const GRACE: Duration = Duration::from_secs(2);

/// An output.
pub trait Sink: Send {
    /// Its name in summaries.
    fn name(&self) -> &'static str;
    /// Writes what was found together.
    ///
    /// # Errors
    /// When it cannot be written; the sink is not used again.
    fn write(&mut self, batch: &[Finding]) -> io::Result<()>;
}

/// A sink behind its queue.
pub struct Queue {
    name: &'static str,
    sender: Option<SyncSender<Vec<Finding>>>,
    written: Arc<AtomicU64>,
    dropped: u64,
    closed: Arc<AtomicBool>,
    thread: JoinHandle<io::Result<()>>,
}

/// What became of the findings that a sink was given.
#[derive(Debug)]
pub struct Ended {
    /// The sink.
    pub name: &'static str,
    /// Findings written.
    pub written: u64,
    /// Findings dropped because it could not keep up.
    pub dropped: u64,
    /// Why it ended early; a closed pipe is none.
    pub error: Option<io::Error>,
}

impl Queue {
    /// Starts a sink's thread.
    ///
    /// # Errors
    /// When there is no thread to be had.
    pub fn start(mut sink: Box<dyn Sink>) -> anyhow::Result<Self> {
        let (sender, receiver) = mpsc::sync_channel(QUEUE);
        let (written, closed) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let name = sink.name();
        let (count, over) = (written.clone(), closed.clone());
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            let ended = run(sink.as_mut(), &receiver, &count);
            over.store(true, Ordering::Release);
            ended
        });
        Ok(Self {
            name,
            sender: Some(sender),
            written,
            dropped: 0,
            closed,
            thread: thread.context("cannot start a thread")?,
        })
    }

    /// Hands over what was found together; drops and counts it if the sink cannot keep up.
    pub fn put(&mut self, batch: Vec<Finding>) {
        let len = batch.len() as u64;
        let Some(sender) = &self.sender else { return };
        match sender.try_send(batch) {
            Ok(()) => {}
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => self.dropped += len,
        }
    }

    /// Whether the sink has ended: nobody reads any more, or it cannot be written.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Lets the sink write what waits, but not for long.
    pub fn finish(mut self) -> Ended {
        self.sender = None;
        let deadline = Instant::now() + GRACE;
        while !self.is_closed() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(2));
        }
        let mut error = None;
        if self.is_closed() {
            error = self.thread.join().ok().and_then(Result::err);
        }
        let error = error.filter(|e| e.kind() != io::ErrorKind::BrokenPipe);
        Ended { name: self.name, written: self.written.load(Ordering::Acquire), dropped: self.dropped, error }
    }
}

fn run(sink: &mut dyn Sink, batches: &Receiver<Vec<Finding>>, written: &AtomicU64) -> io::Result<()> {
    loop {
        match batches.recv_timeout(Duration::from_secs(1)) {
            Ok(batch) => {
                sink.write(&batch)?;
                written.fetch_add(batch.len() as u64, Ordering::AcqRel);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}
