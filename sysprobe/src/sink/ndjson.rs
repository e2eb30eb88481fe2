//! Records of schema v1, one a line, flushed as they come.

use std::io::{self, Write};

use super::Sink;
use crate::analyze::Finding;
use crate::record::{RecordWriter, WallClock};

/// Writes records.
pub struct Ndjson<W> {
    out: W,
    records: RecordWriter,
    clock: WallClock,
    buffer: Vec<u8>,
}

impl<W: Write + Send> Ndjson<W> {
    /// Records of `host` to `out`.
    pub fn new(out: W, host: &str, clock: WallClock) -> Self {
        Self { out, records: RecordWriter::new(host), clock, buffer: Vec::new() }
    }
}

impl<W: Write + Send> Sink for Ndjson<W> {
    fn name(&self) -> &'static str {
        "ndjson"
    }

    fn write(&mut self, batch: &[Finding]) -> io::Result<()> {
        self.buffer.clear();
        for finding in batch {
            self.records.write(&mut self.buffer, self.clock.unix_ns(finding.at_ns), finding.body.clone());
        }
        self.out.write_all(&self.buffer)?;
        self.out.flush()
    }
}
