//! The hot record: a system call, written by hand.
//!
//! The same object as `SyscallRecord` gives through serde; a test compares the two. Nothing is allocated once the
//! buffer has grown: the process comes ready from `enrich`, the arguments as the text form already made.

use super::clock::Rfc3339;
use crate::event::WaitSplit;

/// One call, as the writer takes it.
#[derive(Clone, Copy, Debug)]
pub struct SyscallFields<'a> {
    /// `ts`: ns since 1970.
    pub unix_ns: i64,
    /// The ready `process` object.
    pub process: &'a str,
    /// The call's name.
    pub name: &'a str,
    /// The result, if there is one.
    pub ret: Option<i64>,
    /// The error's name.
    pub errno: Option<&'a str>,
    /// From entry to `unix_ns`.
    pub duration_ns: u64,
    /// The duration, split.
    pub wait: WaitSplit,
    /// What it waited for, if known.
    pub cause: Option<&'a str>,
    /// It has not returned.
    pub in_progress: bool,
}

/// Writes system calls as lines of JSON.
#[derive(Debug)]
pub struct SyscallWriter {
    times: Rfc3339,
    /// From `","host":` up to the process: the same for every call.
    middle: Vec<u8>,
}

impl SyscallWriter {
    /// A writer for the calls of one host.
    pub fn new(host: &str) -> Self {
        let mut middle = br#"","host":"#.to_vec();
        write_string(&mut middle, host);
        middle.extend_from_slice(br#","type":"syscall","process":"#);
        Self { times: Rfc3339::default(), middle }
    }

    /// Appends one line, newline included.
    pub fn write<'a>(&mut self, out: &mut Vec<u8>, call: &SyscallFields<'_>, args: impl IntoIterator<Item = &'a str>) {
        out.extend_from_slice(br#"{"v":1,"ts":""#);
        self.times.write(out, call.unix_ns);
        out.extend_from_slice(&self.middle);
        out.extend_from_slice(call.process.as_bytes());
        out.extend_from_slice(br#","name":"#);
        write_string(out, call.name);
        out.extend_from_slice(br#","args":["#);
        for (at, arg) in args.into_iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            write_string(out, arg);
        }
        out.extend_from_slice(br#"],"ret":"#);
        match call.ret {
            Some(ret) => write_number(out, ret),
            None => out.extend_from_slice(b"null"),
        }
        out.extend_from_slice(br#","errno":"#);
        match call.errno {
            Some(errno) => write_string(out, errno),
            None => out.extend_from_slice(b"null"),
        }
        out.extend_from_slice(br#","duration_ns":"#);
        write_number(out, call.duration_ns);
        out.extend_from_slice(br#","wait":{"running_ns":"#);
        write_number(out, call.wait.running_ns);
        out.extend_from_slice(br#","runnable_ns":"#);
        write_number(out, call.wait.runnable_ns);
        out.extend_from_slice(br#","blocked_ns":"#);
        write_number(out, call.wait.blocked_ns);
        out.extend_from_slice(br#","sleeping_ns":"#);
        write_number(out, call.wait.sleeping_ns);
        if let Some(cause) = call.cause {
            out.extend_from_slice(br#","cause":"#);
            write_string(out, cause);
        }
        let end: &[u8] = if call.in_progress { b"},\"in_progress\":true}\n" } else { b"},\"in_progress\":false}\n" };
        out.extend_from_slice(end);
    }
}

/// Appends a JSON string.
fn write_string(out: &mut Vec<u8>, text: &str) {
    // Writing a string to memory cannot fail.
    let _ = serde_json::to_writer(out, text);
}

fn write_number(out: &mut Vec<u8>, number: impl itoa::Integer) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}
