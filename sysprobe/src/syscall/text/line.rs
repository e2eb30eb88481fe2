//! Whole lines: calls, signals, ends of threads.
//!
//! Writes into the caller's buffer and allocates nothing of its own a call: this runs for every call of every traced thread.

use sysprobe_common::event::SignalRaw;

use crate::event::{Abi, CallEnd, Syscall, Tid};
use crate::syscall::files::FileNames;
use crate::syscall::flags::number::{write_hex, write_uint};
use crate::syscall::signals::write_signal;
use crate::syscall::structs::write_siginfo;
use crate::syscall::table::{self, Ret, Row};

use super::args::ArgWriter;
use super::clock::{ClockAnchor, WallClock, write_seconds};
use super::result::write_result;
use super::settings::{PidColumn, TextSettings};
use super::wait::write_wait;

/// Writes lines in strace's form.
pub struct LineWriter {
    settings: TextSettings,
    clock: WallClock,
    /// For `write_args`.
    scratch: Vec<u8>,
    /// The next line's thread in its own pid namespace.
    inner_tid: Option<u32>,
}

impl LineWriter {
    /// Lines as `settings` say, with times of day in `zone` by `anchor`.
    pub fn new(settings: TextSettings, anchor: ClockAnchor, zone: jiff::tz::TimeZone) -> Self {
        Self { settings, clock: WallClock::new(anchor, zone), scratch: Vec::new(), inner_tid: None }
    }

    /// Takes a new anchor (after a step of the wall clock).
    pub fn set_anchor(&mut self, anchor: ClockAnchor) {
        self.clock.set_anchor(anchor);
    }

    /// Takes another form of the id column (once a second thread appears).
    pub fn set_pid_column(&mut self, column: PidColumn) {
        self.settings.pid_column = column;
    }

    /// Sets the id that the next line's thread has in its own pid namespace: shown behind a slash.
    pub fn set_inner_tid(&mut self, inner: Option<u32>) {
        self.inner_tid = inner;
    }

    /// Appends a call's line. A call that has not returned ends in ` <unfinished ...>` with its duration so far; one its thread
    /// died in has the result `?`. A duration that counts only from sysprobe's start is marked `<1.234567+>`.
    pub fn write_call(&mut self, out: &mut Vec<u8>, call: &Syscall<'_>, names: &FileNames) {
        let line = out.len();
        self.lead(out, call.tid, call.start_ns);
        let row = row_of(call);
        write_name(out, call);
        out.push(b'(');
        let mut writer = ArgWriter::new(out, call, names, self.settings.string_limit);
        writer.write(row);
        match call.end {
            CallEnd::InProgress => out.extend_from_slice(b" <unfinished ...>"),
            CallEnd::Unfinished => {
                self.result(out, line);
                out.push(b'?');
            }
            CallEnd::Returned(ret) => {
                self.result(out, line);
                match row.map(|row| row.ret) {
                    Some(Ret::Never) => out.push(b'?'),
                    _ => write_result(out, row, call, names, ret),
                }
                let mut writer = ArgWriter::new(out, call, names, self.settings.string_limit);
                match row.map(|row| row.ret) {
                    Some(Ret::Poll) => writer.poll_result(ret),
                    Some(Ret::Select) => writer.select_result(ret),
                    _ => {}
                }
            }
        }
        if call.end != CallEnd::Unfinished {
            self.duration(out, call);
        }
        out.push(b'\n');
    }

    /// Calls `each` with every argument's index and text.
    pub fn write_args(&mut self, call: &Syscall<'_>, names: &FileNames, each: &mut impl FnMut(usize, &[u8])) {
        self.scratch.clear();
        let mut writer = ArgWriter::new(&mut self.scratch, call, names, self.settings.string_limit);
        writer.write(row_of(call));
        let (starts, shown) = writer.into_starts();
        let starts = starts.get(..shown).unwrap_or(&starts);
        for (index, start) in starts.iter().enumerate() {
            // Two bytes, `, `, stand between arguments.
            let end = starts.get(index + 1).map_or(self.scratch.len(), |next| next.saturating_sub(2));
            each(index, self.scratch.get(*start..end).unwrap_or_default());
        }
    }

    /// Appends `--- SIGCHLD {si_signo=SIGCHLD, ..} ---`.
    pub fn write_signal(&mut self, out: &mut Vec<u8>, signal: &SignalRaw) {
        self.lead(out, Tid(signal.header.tid), signal.header.ts_ns);
        out.extend_from_slice(b"--- ");
        write_signal(out, signal.signo);
        out.push(b' ');
        write_siginfo(out, signal.signo, signal.errno, signal.code, &signal.fields);
        out.extend_from_slice(b" ---\n");
    }

    /// Appends `+++ exited with 0 +++` or `+++ killed by SIGKILL +++`. `wait_status` is as wait(2) gives it.
    pub fn write_exit(&mut self, out: &mut Vec<u8>, tid: Tid, ts_ns: u64, wait_status: u32) {
        self.lead(out, tid, ts_ns);
        let signal = wait_status & 0x7f;
        if signal == 0 {
            out.extend_from_slice(b"+++ exited with ");
            write_uint(out, u64::from(wait_status >> 8 & 0xff));
        } else {
            out.extend_from_slice(b"+++ killed by ");
            write_signal(out, signal as i32);
            if wait_status & 0x80 != 0 {
                out.extend_from_slice(b" (core dumped)");
            }
        }
        out.extend_from_slice(b" +++\n");
    }

    fn lead(&mut self, out: &mut Vec<u8>, tid: Tid, ts_ns: u64) {
        let mut digits = itoa::Buffer::new();
        let digits = digits.format(tid.0);
        let pad = 5usize.saturating_sub(digits.len());
        match self.settings.pid_column {
            PidColumn::None => {}
            PidColumn::Bracketed => {
                out.extend_from_slice(b"[pid ");
                out.extend(std::iter::repeat_n(b' ', pad));
                out.extend_from_slice(digits.as_bytes());
                self.inner(out);
                out.extend_from_slice(b"] ");
            }
            PidColumn::Plain => {
                out.extend_from_slice(digits.as_bytes());
                self.inner(out);
                out.extend(std::iter::repeat_n(b' ', pad + 1));
            }
        }
        if self.settings.show_time {
            self.clock.write(out, ts_ns);
            out.push(b' ');
        }
    }

    fn inner(&self, out: &mut Vec<u8>) {
        if let Some(inner) = self.inner_tid {
            out.push(b'/');
            write_uint(out, inner.into());
        }
    }

    /// `) = `, the `=` in its column.
    fn result(&self, out: &mut Vec<u8>, line: usize) {
        out.push(b')');
        let column = out.len() - line;
        let pad = self.settings.result_column.saturating_sub(column + 1);
        out.extend(std::iter::repeat_n(b' ', pad));
        out.extend_from_slice(b" = ");
    }

    fn duration(&self, out: &mut Vec<u8>, call: &Syscall<'_>) {
        if self.settings.show_duration {
            out.extend_from_slice(b" <");
            write_seconds(out, call.duration_ns);
            out.extend_from_slice(if call.began_before_attach { b"+>" } else { b">" });
        }
        if self.settings.show_wait {
            write_wait(out, &call.wait);
        }
    }
}

/// The row of a call of the 64-bit tables.
fn row_of(call: &Syscall<'_>) -> Option<&'static Row> {
    match call.abi {
        Abi::X86_64 | Abi::X32 => table::row(call.nr),
        Abi::I386 => None,
    }
}

/// `openat`, or `syscall_0x1ff` for a number without a name.
fn write_name(out: &mut Vec<u8>, call: &Syscall<'_>) {
    match table::name(call.abi, call.nr) {
        Some(name) => out.extend_from_slice(name.as_bytes()),
        None => {
            out.extend_from_slice(b"syscall_");
            write_hex(out, u64::from(call.nr));
        }
    }
}
