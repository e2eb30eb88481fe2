//! The arguments of one call, as text: one arm a kind.
//!
//! A pointer to something the kernel side read is shown as what it points to; one that could not be read as
//! `0x7ffc… [unreadable]`; one that was not read, or that the call left unfilled, as an address.

use crate::event::{Abi, CallEnd, Capture, CaptureKind, CaptureStatus, Phase, Syscall};
use crate::syscall::files::FileNames;
use crate::syscall::flags::number::{write_hex, write_int, write_octal, write_pointer, write_uint};
use crate::syscall::flags::{FlagSet, write_flags, write_mode, write_value};
use crate::syscall::signals::write_signal;
use crate::syscall::structs::StructSpec;
use crate::syscall::structs::write_device;
use crate::syscall::table::{self, ArgKind, Row};

use super::quote::{write_quoted, write_quoted_hex};

/// Arguments shown at most: some calls show more than they have registers.
const MAX_SHOWN: usize = 8;

/// Writes the arguments of one call.
pub struct ArgWriter<'a> {
    pub(super) out: &'a mut Vec<u8>,
    pub(super) call: &'a Syscall<'a>,
    pub(super) names: &'a FileNames,
    pub(super) string_limit: usize,
    shown: usize,
    starts: [usize; MAX_SHOWN],
}

impl<'a> ArgWriter<'a> {
    pub(super) fn new(out: &'a mut Vec<u8>, call: &'a Syscall<'a>, names: &'a FileNames, string_limit: usize) -> Self {
        Self { out, call, names, string_limit, shown: 0, starts: [0; MAX_SHOWN] }
    }

    /// Writes all arguments, `, ` between them.
    pub(super) fn write(&mut self, row: Option<&Row>) {
        match row {
            Some(row) if self.call.abi != Abi::I386 => {
                for (arg, kind) in row.args.iter().enumerate() {
                    if let ArgKind::Rest(write) = kind {
                        write(self, arg);
                        break;
                    }
                    self.begin();
                    self.argument(arg, kind);
                }
            }
            _ => self.plain(),
        }
    }

    /// Where each argument begins in the output, and how many there are.
    pub(super) fn into_starts(self) -> ([usize; MAX_SHOWN], usize) {
        (self.starts, self.shown)
    }

    /// The registers in hex, as many as the 64-bit call of the same name takes.
    fn plain(&mut self) {
        let row = table::name(self.call.abi, self.call.nr).and_then(table::by_name);
        for arg in 0..row.map_or(6, |row| usize::from(row.arg_count)) {
            self.begin();
            let value = self.arg(arg);
            write_hex(self.out, value);
        }
    }

    /// Begins an argument.
    pub(super) fn begin(&mut self) {
        if self.shown > 0 {
            self.out.extend_from_slice(b", ");
        }
        if let Some(start) = self.starts.get_mut(self.shown) {
            *start = self.out.len();
            self.shown += 1;
        }
    }

    /// The register of argument `arg`.
    pub(super) fn arg(&self, arg: usize) -> u64 {
        self.call.args.get(arg).copied().unwrap_or(0)
    }

    /// The call's result; `None` while there is none.
    pub(super) fn ret(&self) -> Option<i64> {
        match self.call.end {
            CallEnd::Returned(ret) => Some(ret),
            CallEnd::Unfinished | CallEnd::InProgress => None,
        }
    }

    /// Whether the call returned without an error.
    pub(super) fn succeeded(&self) -> bool {
        self.ret().is_some_and(|ret| !(-4095..0).contains(&ret))
    }

    /// The bytes read of argument `arg`: the fullest capture, whenever it was read.
    pub(super) fn fullest(&self, arg: usize) -> Option<Capture<'a>> {
        let rank = |capture: &Capture<'_>| match capture.status {
            CaptureStatus::Whole => usize::MAX,
            CaptureStatus::Cut => 1 + capture.bytes.len(),
            CaptureStatus::Unreadable => 0,
        };
        let mut best: Option<Capture<'a>> = None;
        for capture in self.call.captures.of_arg(arg as u8).filter(|capture| capture.kind == CaptureKind::Data) {
            if best.is_none_or(|known| rank(&capture) > rank(&known)) {
                best = Some(capture);
            }
        }
        best
    }

    /// The bytes read of argument `arg` at one moment, if they could be.
    pub(super) fn at(&self, arg: usize, phase: Phase) -> Option<&'a [u8]> {
        let capture = self.call.captures.data(arg as u8, Some(phase))?;
        (capture.status != CaptureStatus::Unreadable).then_some(capture.bytes)
    }

    /// The 32-bit number read of argument `arg` at one moment.
    pub(super) fn int_at(&self, arg: usize, phase: Phase) -> Option<i32> {
        Some(i32::from_ne_bytes(self.at(arg, phase)?.get(..4)?.try_into().ok()?))
    }

    /// The 64-bit number read of argument `arg` at one moment.
    pub(super) fn long_at(&self, arg: usize, phase: Phase) -> Option<i64> {
        Some(i64::from_ne_bytes(self.at(arg, phase)?.get(..8)?.try_into().ok()?))
    }

    pub(super) fn text(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    pub(super) fn pointer(&mut self, arg: usize) {
        let value = self.arg(arg);
        write_pointer(self.out, value);
    }

    /// What the call was given: `show` gets the bytes, if they could be read.
    pub(super) fn input(&mut self, arg: usize, show: impl FnOnce(&mut Self, Capture<'a>)) {
        let value = self.arg(arg);
        if value == 0 {
            return self.text("NULL");
        }
        match self.fullest(arg) {
            Some(capture) if capture.status != CaptureStatus::Unreadable => show(self, capture),
            Some(_) => {
                write_hex(self.out, value);
                self.text(" [unreadable]");
            }
            None => write_hex(self.out, value),
        }
    }

    /// What the call filled in: an address if it failed.
    pub(super) fn output(&mut self, arg: usize, show: impl FnOnce(&mut Self, Capture<'a>)) {
        match self.fullest(arg) {
            Some(capture) if self.succeeded() && capture.status != CaptureStatus::Unreadable => show(self, capture),
            _ => self.pointer(arg),
        }
    }

    /// Writes argument `arg` as `kind` says.
    pub(super) fn argument(&mut self, arg: usize, kind: &ArgKind) {
        let value = self.arg(arg);
        match *kind {
            ArgKind::Int => write_int(self.out, i64::from(value as i32)),
            ArgKind::Uint => write_uint(self.out, value & 0xffff_ffff),
            ArgKind::Long => write_int(self.out, value as i64),
            ArgKind::Ulong => write_uint(self.out, value),
            ArgKind::Hex => write_hex(self.out, value),
            ArgKind::Hex32 => write_hex(self.out, value & 0xffff_ffff),
            ArgKind::Ptr => write_pointer(self.out, value),
            ArgKind::Mode => write_octal(self.out, value & 0xffff_ffff),
            ArgKind::FileMode => write_mode(self.out, value as u32),
            ArgKind::Dev => write_device(self.out, value & 0xffff_ffff),
            ArgKind::Id => self.id(value as u32),
            ArgKind::Signal => write_signal(self.out, value as i32),
            ArgKind::Fd => self.descriptor(arg),
            ArgKind::DirFd => self.directory(arg),
            ArgKind::Path => self.path(arg),
            ArgKind::Str => self.string(arg),
            ArgKind::PathOut => self.path_out(arg),
            ArgKind::BufIn(len) => self.buffer_in(arg, len),
            ArgKind::BufOut => self.buffer_out(arg, write_quoted),
            ArgKind::SizedOut(size) if self.arg(usize::from(size)) == 0 => self.pointer(arg),
            ArgKind::SizedOut(_) => self.buffer_out(arg, write_quoted),
            ArgKind::BytesOut => self.buffer_out(arg, write_quoted_hex),
            ArgKind::Struct(spec) | ArgKind::SigSet(spec) => self.structure(arg, spec),
            ArgKind::StructEnter(spec) => self.structure_at_entry(arg, spec),
            ArgKind::StructOut(spec) => self.output(arg, |w, capture| (spec.write)(w.out, capture.bytes)),
            ArgKind::StructInterrupted(spec) => self.structure_interrupted(arg, spec),
            ArgKind::StructPositive(spec) => self.structure_positive(arg, spec),
            ArgKind::Array(spec, count) => {
                let count = self.arg(usize::from(count));
                self.input(arg, |w, capture| w.array(capture, spec, count));
            }
            ArgKind::ArrayFixed(spec, count) => {
                self.input(arg, |w, capture| w.array(capture, spec, u64::from(count)));
            }
            ArgKind::ArrayOut(spec) => self.array_out(arg, spec),
            ArgKind::Flags(set) => write_flags(self.out, set, value),
            ArgKind::Enum(set) => write_value(self.out, set, value),
            ArgKind::IovecIn(count) => self.iovec(arg, count, false),
            ArgKind::IovecOut(count) => self.iovec(arg, count, true),
            ArgKind::MsgIn => self.message(arg, false),
            ArgKind::MsgOut => self.message(arg, true),
            ArgKind::Argv => self.argv(arg),
            ArgKind::Envp => self.envp(arg),
            ArgKind::Pollfds(count) => self.pollfds(arg, count),
            ArgKind::SockaddrIn(_) => self.sockaddr_in(arg),
            ArgKind::SockaddrOut(len) => self.sockaddr_out(arg, len),
            ArgKind::SocklenInOut => self.socklen(arg),
            ArgKind::FdPair => self.fd_pair(arg),
            ArgKind::IntIn => self.input(arg, |w, capture| w.bracketed_int(capture.bytes)),
            ArgKind::IntOut => self.output(arg, |w, capture| w.bracketed_int(capture.bytes)),
            ArgKind::UintOut => self.output(arg, |w, capture| w.bracketed_uint(capture.bytes)),
            ArgKind::LongOut => self.output(arg, |w, capture| w.bracketed_long(capture.bytes)),
            ArgKind::OffsetInOut => self.offset_in_out(arg),
            ArgKind::CpuSet(_) => self.input(arg, |w, capture| w.cpu_set(capture.bytes)),
            ArgKind::CpuSetOut => self.output(arg, |w, capture| w.cpu_set(capture.bytes)),
            ArgKind::Dirents => self.dirents(arg),
            ArgKind::IdsIn(count) => {
                let count = self.arg(usize::from(count));
                self.input(arg, |w, capture| w.ids(capture.bytes, count));
            }
            ArgKind::IdsOut => self.ids_out(arg),
            ArgKind::Rest(write) => write(self, arg),
        }
    }

    /// A flags argument.
    pub(super) fn flags(&mut self, arg: usize, set: &FlagSet) {
        self.begin();
        let value = self.arg(arg);
        write_flags(self.out, set, value);
    }

    /// An enumerated argument.
    pub(super) fn value(&mut self, arg: usize, set: &FlagSet) {
        self.begin();
        let value = self.arg(arg);
        write_value(self.out, set, value);
    }

    /// An argument of a simple kind.
    pub(super) fn next(&mut self, arg: usize, kind: ArgKind) {
        self.begin();
        self.argument(arg, &kind);
    }

    /// A descriptor: `3</etc/hosts>`.
    pub(super) fn descriptor(&mut self, arg: usize) {
        let fd = self.arg(arg) as i32;
        self.names.write_fd(self.out, fd, self.call.captures.file(arg as u8));
    }

    fn directory(&mut self, arg: usize) {
        let fd = self.arg(arg) as i32;
        if fd != libc::AT_FDCWD {
            return self.descriptor(arg);
        }
        self.text("AT_FDCWD");
        if let Some(name) = self.call.captures.file(arg as u8).and_then(|key| self.names.name(key)) {
            name.write(self.out);
        }
    }

    fn id(&mut self, value: u32) {
        if value == u32::MAX {
            return self.text("-1");
        }
        write_uint(self.out, u64::from(value));
    }

    fn path(&mut self, arg: usize) {
        self.input(arg, |w, capture| {
            write_quoted(w.out, capture.bytes, usize::MAX, capture.status == CaptureStatus::Cut);
        });
    }

    pub(super) fn string(&mut self, arg: usize) {
        let limit = self.string_limit;
        self.input(arg, |w, capture| write_quoted(w.out, capture.bytes, limit, capture.status == CaptureStatus::Cut));
    }

    fn path_out(&mut self, arg: usize) {
        self.output(arg, |w, capture| {
            let end = capture.bytes.iter().position(|byte| *byte == 0).unwrap_or(capture.bytes.len());
            let path = capture.bytes.get(..end).unwrap_or_default();
            write_quoted(w.out, path, usize::MAX, capture.status == CaptureStatus::Cut);
        });
    }

    fn buffer_in(&mut self, arg: usize, len: u8) {
        // Nothing is captured of no bytes.
        if self.arg(usize::from(len)) == 0 && self.arg(arg) != 0 {
            return self.text("\"\"");
        }
        self.string(arg);
    }

    fn buffer_out(&mut self, arg: usize, write: fn(&mut Vec<u8>, &[u8], usize, bool)) {
        if self.ret() == Some(0) && self.arg(arg) != 0 {
            return self.text("\"\"");
        }
        let limit = self.string_limit;
        self.output(arg, |w, capture| write(w.out, capture.bytes, limit, capture.status == CaptureStatus::Cut));
    }

    pub(super) fn structure(&mut self, arg: usize, spec: &StructSpec) {
        self.input(arg, |w, capture| (spec.write)(w.out, capture.bytes));
    }

    fn structure_at_entry(&mut self, arg: usize, spec: &StructSpec) {
        match self.at(arg, Phase::Enter) {
            Some(bytes) => (spec.write)(self.out, bytes),
            None => self.structure(arg, spec),
        }
    }

    fn structure_interrupted(&mut self, arg: usize, spec: &StructSpec) {
        let interrupted = matches!(self.ret(), Some(-4 | -516..=-512));
        match self.at(arg, Phase::Exit) {
            Some(bytes) if interrupted => (spec.write)(self.out, bytes),
            _ => self.pointer(arg),
        }
    }

    fn structure_positive(&mut self, arg: usize, spec: &StructSpec) {
        if self.ret().is_some_and(|ret| ret > 0) {
            return self.output(arg, |w, capture| (spec.write)(w.out, capture.bytes));
        }
        self.pointer(arg);
    }
}
