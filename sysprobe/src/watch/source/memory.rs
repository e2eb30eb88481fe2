//! Samples what every process holds, so that who grew is known when the kernel kills.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::analyze::Fact;
use crate::analyze::fact::MemorySample;
use crate::probe::ProcessMemories;
use crate::trace::label::monotonic_ns;

/// How often, unless a walk takes long.
const EVERY: Duration = Duration::from_secs(1);
/// A walk may take this part of the time: with what comes after it, some four times that of a core.
const PART: u32 = 2000;
/// The least between two walks, however often they are asked for.
const LEAST: Duration = Duration::from_millis(20);

/// Runs until nobody asks any more: samples once in a while, and at once when asked.
pub(super) fn run(memories: &ProcessMemories, sender: &SyncSender<Fact>, asked: &Receiver<()>) {
    loop {
        let began = Instant::now();
        let at_ns = monotonic_ns();
        match memories.read() {
            Ok((processes, cut)) => {
                let sample = MemorySample { at_ns, boot_ns: boot_ns(), processes, cut };
                if sender.send(Fact::Memory(sample)).is_err() {
                    return;
                }
            }
            Err(error) => {
                eprintln!("sysprobe: without who grew before an OOM kill: {error}");
                return;
            }
        }
        // On a host of very many processes it walks less often rather than cost more.
        let every = EVERY.max(began.elapsed() * PART);
        std::thread::sleep(LEAST);
        match asked.recv_timeout(every.saturating_sub(began.elapsed())) {
            Ok(()) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// CLOCK_BOOTTIME.
fn boot_ns() -> u64 {
    let time = clock_gettime(ClockId::Boottime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    seconds.saturating_mul(1_000_000_000).saturating_add(u64::try_from(time.tv_nsec).unwrap_or(0))
}
