//! The demo's side of the hands: gives orders, waits for replies, and sees to it that everything is undone.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

use super::hands::{Order, Reply};
use crate::watch::Stop;

/// How long an order may take: a file system is made in it.
const LIMIT: Duration = Duration::from_secs(60);
/// How long undoing may take.
const GRACE: Duration = Duration::from_secs(30);

/// The hands at work. Dropped, they undo everything.
pub struct Director {
    child: Child,
    orders: Option<ChildStdin>,
    replies: Receiver<Reply>,
}

impl Director {
    /// Starts them, with the rights that the caller has now. They make nothing before [`Order::Begin`].
    ///
    /// # Errors
    /// When no process or thread can be had.
    pub fn start() -> anyhow::Result<Self> {
        let mut command = Command::new("/proc/self/exe");
        command.arg0("sysprobe").args(["demo", "--hands"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().context("cannot start a process")?;
        let (orders, out) = (child.stdin.take(), child.stdout.take().context("no pipe")?);
        let (sender, replies) = mpsc::sync_channel(1);
        let read = move || {
            let replies = BufReader::new(out).lines().map_while(Result::ok);
            for reply in replies.map_while(|line| serde_json::from_str(&line).ok()) {
                if sender.send(reply).is_err() {
                    return;
                }
            }
        };
        std::thread::Builder::new().name("replies".to_owned()).spawn(read).context("cannot start a thread")?;
        Ok(Self { child, orders, replies })
    }

    /// Gives an order and waits for what becomes of it, but not once the demo is `asked` to end.
    ///
    /// # Errors
    /// When the hands are gone or take too long, or nobody waits any more.
    pub fn order(&mut self, order: Order, asked: &Stop) -> anyhow::Result<Reply> {
        let line = serde_json::to_string(&order)?;
        let orders = self.orders.as_mut().context("no orders are taken any more")?;
        writeln!(orders, "{line}").context("the process that makes the faults is gone")?;
        let began = Instant::now();
        loop {
            match self.replies.recv_timeout(Duration::from_millis(50)) {
                Ok(reply) => return Ok(reply),
                Err(RecvTimeoutError::Timeout) if asked.is_stopped() => bail!("interrupted"),
                Err(RecvTimeoutError::Timeout) if began.elapsed() < LIMIT => {}
                Err(RecvTimeoutError::Timeout) => bail!("{order:?} takes too long"),
                Err(RecvTimeoutError::Disconnected) => bail!("the process that makes the faults is gone"),
            }
        }
    }

    /// Has everything undone. Whether it was.
    pub fn finish(mut self) -> bool {
        self.undo()
    }

    fn undo(&mut self) -> bool {
        self.orders = None;
        let began = Instant::now();
        while began.elapsed() < GRACE {
            match self.child.try_wait() {
                Ok(Some(status)) => return status.success(),
                Ok(None) => std::thread::sleep(Duration::from_millis(5)),
                Err(_) => return false,
            }
        }
        false
    }
}

impl Drop for Director {
    fn drop(&mut self) {
        self.undo();
    }
}
