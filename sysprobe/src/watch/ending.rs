//! What ends a run: signals and the timer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use tokio::signal::unix::{SignalKind, signal};

/// A wish to stop, shared by all threads of a run.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Stop soon.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether to stop.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Starts a thread that asks for the end at SIGINT, SIGTERM, SIGHUP, and after `stop_after`. From the return on the signals
/// no longer kill.
///
/// # Errors
/// When there is no thread or no signal handler to be had.
pub fn asked_by_signals(stop_after: Option<Duration>) -> anyhow::Result<Stop> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start the runtime")?;
    let asked = Stop::default();
    let told = asked.clone();
    let streams = {
        let _inside = runtime.enter();
        [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()].map(signal)
    };
    let [interrupt, terminate, hangup] = streams;
    let (mut interrupt, mut terminate, mut hangup) = (interrupt?, terminate?, hangup?);
    let wait = move || {
        runtime.block_on(async {
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
