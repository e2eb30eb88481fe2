//! A program that runs while a workload is measured: started, waited for until it is ready, ended as a user would.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use anyhow::{Context, Result, bail};

use crate::shell;

/// What the first line of a program that is ready has one of: `bench empty`, `trace --pid`, `watch`, bcc's tools.
const READY: [&str; 4] = ["ready", "attached to", "watching for", "Tracing"];

/// A program that runs beside the workload, once it says that it is there.
pub struct Beside {
    child: Child,
}

impl Beside {
    /// Starts it and waits for its first line: on standard output or on standard error, whichever it uses.
    pub fn start(words: &[&str]) -> Result<Self> {
        let (program, arguments) = words.split_first().context("no command")?;
        let (reader, writer) = std::io::pipe()?;
        let child = shell::as_root(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(writer.try_clone()?)
            .stderr(writer)
            .spawn()?;
        let mut line = String::new();
        let mut lines = BufReader::new(reader);
        lines.read_line(&mut line)?;
        if !READY.iter().any(|word| line.contains(word)) {
            let _ = std::io::copy(&mut lines, &mut std::io::stderr());
            bail!("{program} says {line:?}");
        }
        // What else it says is of no interest, but somebody must read it.
        std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
        Ok(Self { child })
    }

    /// The process that was started.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends it as a user would.
    pub fn stop(&mut self) -> Result<()> {
        drop(self.child.stdin.take());
        shell::output(shell::as_root("kill").args(["-INT", &self.child.id().to_string()]))?;
        self.child.wait()?;
        Ok(())
    }
}
