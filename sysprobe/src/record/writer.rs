//! The other records: rare, so serde writes them.

use super::clock::Rfc3339;
use super::schema::{Body, Record, SCHEMA_VERSION};

/// Writes records of one host as lines of JSON.
#[derive(Debug)]
pub struct RecordWriter {
    host: String,
    times: Rfc3339,
}

impl RecordWriter {
    /// A writer for one host.
    pub fn new(host: &str) -> Self {
        Self { host: host.to_owned(), times: Rfc3339::default() }
    }

    /// A record of something that happened at `unix_ns`.
    pub fn record(&mut self, unix_ns: i64, body: Body) -> Record {
        Record { v: SCHEMA_VERSION, ts: self.times.text(unix_ns), host: self.host.clone(), body }
    }

    /// Appends one line, newline included.
    pub fn write(&mut self, out: &mut Vec<u8>, unix_ns: i64, body: Body) {
        let record = self.record(unix_ns, body);
        let start = out.len();
        if serde_json::to_writer(&mut *out, &record).is_err() {
            // Only a map with keys that are not strings could fail, and there is none: leave no half line.
            out.truncate(start);
            return;
        }
        out.push(b'\n');
    }
}
