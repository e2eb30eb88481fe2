//! Samples what every process holds, so that who grew is known when the kernel kills.

use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use super::Stop;
use crate::analyze::Fact;
use crate::analyze::fact::MemorySample;
use crate::probe::ProcessMemories;
use crate::trace::label::monotonic_ns;

/// How often, unless a walk takes long.
const EVERY: Duration = Duration::from_secs(1);
/// A walk may take this part of the time.
const PART: u32 = 500;
/// How often to look whether it is over.
const NAP: Duration = Duration::from_millis(50);

/// Runs until told to stop.
pub(super) fn run(memories: &ProcessMemories, sender: &SyncSender<Fact>, stop: &Stop) {
    while !stop.is_stopped() {
        let began = Instant::now();
        let at_ns = monotonic_ns();
        match memories.read() {
            Ok((processes, cut)) => {
                if sender.send(Fact::Memory(MemorySample { at_ns, boot_ns: boot_ns(), processes, cut })).is_err() {
                    return;
                }
            }
            Err(error) => {
                eprintln!("sysprobe: without who grew before an OOM kill: {error}");
                return;
            }
        }
        // On a host of very many processes it walks less often rather than cost more.
        let next = began + EVERY.max(began.elapsed() * PART);
        while Instant::now() < next && !stop.is_stopped() {
            std::thread::sleep(NAP);
        }
    }
}

/// CLOCK_BOOTTIME.
fn boot_ns() -> u64 {
    let time = clock_gettime(ClockId::Boottime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    seconds.saturating_mul(1_000_000_000).saturating_add(u64::try_from(time.tv_nsec).unwrap_or(0))
}
