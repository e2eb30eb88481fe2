//! Where a trace's bytes go: a file, or standard output or error; buffered, written in large pieces.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::AsFd as _;
use std::path::PathBuf;

use anyhow::Context as _;

use super::{Settings, Target};
use crate::cli::Failure;

/// Bytes gathered before a write.
const FULL: usize = 256 * 1024;

/// Why output ended.
#[derive(Debug)]
pub enum OutputError {
    /// Nobody reads any more: a success.
    Closed,
    /// It cannot be written.
    Failed(anyhow::Error),
}

impl From<OutputError> for anyhow::Error {
    fn from(error: OutputError) -> Self {
        match error {
            OutputError::Closed => io::Error::from(io::ErrorKind::BrokenPipe).into(),
            OutputError::Failed(error) => error,
        }
    }
}

/// A buffered target.
pub struct Sink {
    file: File,
    path: Option<PathBuf>,
    /// What is to be written; appended to by the writers of lines.
    pub buffer: Vec<u8>,
}

impl Sink {
    /// The target that `settings` name. A command's text goes to standard error, as strace's does: standard output is the
    /// command's. All else goes to standard output.
    ///
    /// # Errors
    /// [`Failure`] when the file cannot be made.
    pub fn open(settings: &Settings, json: bool) -> anyhow::Result<Self> {
        let duplicate = |fd: std::os::fd::BorrowedFd<'_>| fd.try_clone_to_owned().map(File::from);
        let file = match &settings.output {
            Some(path) => File::create(path).map_err(|error| {
                Failure::usage(format!(
                    "cannot write to {}: {error}; give -o a file in a folder that can be written",
                    path.display()
                ))
            })?,
            None if matches!(settings.target, Target::Command(_)) && !json => {
                duplicate(io::stderr().as_fd()).context("standard error is closed")?
            }
            None => duplicate(io::stdout().as_fd()).context("standard output is closed")?,
        };
        Ok(Self { file, path: settings.output.clone(), buffer: Vec::with_capacity(FULL + 64 * 1024) })
    }

    /// Whether it is a file of its own.
    pub fn is_file(&self) -> bool {
        self.path.is_some()
    }

    /// Writes if enough has gathered.
    ///
    /// # Errors
    /// See [`OutputError`].
    pub fn settle(&mut self) -> Result<(), OutputError> {
        if self.buffer.len() >= FULL { self.flush() } else { Ok(()) }
    }

    /// Writes what has gathered.
    ///
    /// # Errors
    /// See [`OutputError`]. What could not be written is dropped.
    pub fn flush(&mut self) -> Result<(), OutputError> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let written = self.file.write_all(&self.buffer);
        self.buffer.clear();
        written.map_err(|error| {
            if error.kind() == io::ErrorKind::BrokenPipe {
                return OutputError::Closed;
            }
            let target = self.path.as_ref().map_or_else(|| "the output".to_owned(), |p| p.display().to_string());
            let advice = if error.kind() == io::ErrorKind::StorageFull {
                "; free some space, or narrow the trace with -e"
            } else {
                ""
            };
            OutputError::Failed(anyhow::anyhow!("cannot write to {target}: {error}{advice}"))
        })
    }
}
