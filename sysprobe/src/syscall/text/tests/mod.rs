//! Lines over hand-built captures, against what strace 6.1 prints for the same calls.

mod hostile;
mod io;
mod net;
mod process;
mod wait;

use sysprobe_common::event::{CaptureRaw, FileKeyRaw, FileRaw, capture, file_kind, status};
use sysprobe_common::plan::{PHASE_ENTER, PHASE_EXIT};

use super::*;
use crate::event::{Abi, CallEnd, Captures, Syscall, Tgid, Tid, WaitSplit};
use crate::syscall::files::FileNames;
use crate::syscall::table;

/// A call under construction.
pub struct Call {
    nr: u32,
    args: [u64; 6],
    end: CallEnd,
    captures: Vec<u8>,
    abi: Abi,
    wait: WaitSplit,
}

/// A call of process 1234 with these registers.
pub fn call(name: &str, args: &[u64]) -> Call {
    let mut registers = [0xdead; 6];
    registers[..args.len()].copy_from_slice(args);
    let nr = table::by_name(name).unwrap_or_else(|| panic!("no call {name}")).nr;
    Call {
        nr,
        args: registers,
        end: CallEnd::Returned(0),
        captures: Vec::new(),
        abi: Abi::X86_64,
        wait: WaitSplit::default(),
    }
}

impl Call {
    /// With this result.
    pub fn ret(mut self, ret: i64) -> Self {
        self.end = CallEnd::Returned(ret);
        self
    }

    /// With this end.
    pub fn end(mut self, end: CallEnd) -> Self {
        self.end = end;
        self
    }

    fn capture(mut self, head: CaptureRaw, payload: &[u8]) -> Self {
        self.captures.extend([head.arg, head.kind, head.status, head.phase]);
        self.captures.extend((payload.len() as u16).to_ne_bytes());
        self.captures.extend(head.elem.to_ne_bytes());
        self.captures.extend(payload);
        self.captures.resize(self.captures.len().next_multiple_of(8), 0);
        self
    }

    fn with(self, arg: u8, kind: u8, status: u8, phase: u8, payload: &[u8]) -> Self {
        self.capture(CaptureRaw { arg, kind, status, phase, ..CaptureRaw::default() }, payload)
    }

    /// With bytes read at entry.
    pub fn enter(self, arg: u8, payload: &[u8]) -> Self {
        self.with(arg, capture::DATA, status::WHOLE, PHASE_ENTER, payload)
    }

    /// With bytes read at the end.
    pub fn exit(self, arg: u8, payload: &[u8]) -> Self {
        self.with(arg, capture::DATA, status::WHOLE, PHASE_EXIT, payload)
    }

    /// With the first bytes of more.
    pub fn cut(self, arg: u8, payload: &[u8]) -> Self {
        self.with(arg, capture::DATA, status::CUT, PHASE_EXIT, payload)
    }

    /// With a pointer that could not be read.
    pub fn unreadable(self, arg: u8) -> Self {
        self.with(arg, capture::DATA, status::UNREADABLE, PHASE_EXIT, b"")
    }

    /// With element `elem` of an array.
    pub fn element(self, arg: u8, elem: u16, payload: &[u8]) -> Self {
        let head = CaptureRaw { arg, kind: capture::ELEMENT, phase: PHASE_EXIT, elem, ..CaptureRaw::default() };
        self.capture(head, payload)
    }

    /// With a part of a message.
    pub fn part(self, arg: u8, kind: u8, payload: &[u8]) -> Self {
        self.with(arg, kind, status::WHOLE, PHASE_EXIT, payload)
    }

    /// With the file behind a descriptor (6: the result); `elem` of a pair. Files are numbered as in [`names`].
    pub fn file(self, arg: u8, elem: u16, file: u64) -> Self {
        let head = CaptureRaw { arg, kind: capture::FILE, elem, phase: PHASE_ENTER, ..CaptureRaw::default() };
        let payload = [file.to_ne_bytes(), 1u64.to_ne_bytes()].concat();
        self.capture(head, &payload)
    }

    /// The call as the model has it.
    pub fn model(&self) -> Syscall<'_> {
        Syscall {
            tid: Tid(1234),
            tgid: Tgid(1234),
            abi: self.abi,
            nr: self.nr,
            args: self.args,
            start_ns: 0,
            duration_ns: 12_345,
            wait: self.wait,
            end: self.end,
            began_before_attach: false,
            captures: Captures::new(&self.captures),
        }
    }

    /// Its line, without time, duration and padding.
    pub fn line(&self) -> String {
        let settings =
            TextSettings { result_column: 0, show_time: false, show_duration: false, ..TextSettings::default() };
        line(settings, &self.model())
    }
}

/// Files 1 to 3: `/etc/hosts`, `/tmp`, a pipe.
pub fn names() -> FileNames {
    let mut names = FileNames::new();
    let raw = |object| FileRaw {
        key: FileKeyRaw { object, version: 1 },
        kind: file_kind::PATH,
        mode: 0o100644,
        inode: 42,
        ..FileRaw::default()
    };
    names.learn(&raw(1), b"hosts\0etc\0");
    names.learn(&raw(2), b"tmp\0");
    names.learn(&FileRaw { kind: file_kind::ANONYMOUS, magic: 0x5049_5045, ..raw(3) }, b"\0");
    names.note_fd(Tgid(1234), 4, FileKeyRaw { object: 3, version: 1 });
    names
}

/// Lines with 1970-01-01 00:00:00 UTC as the kernel clock's zero.
pub fn writer(settings: TextSettings) -> LineWriter {
    LineWriter::new(settings, ClockAnchor { monotonic_ns: 0, unix_ns: 0 }, jiff::tz::TimeZone::UTC)
}

fn line(settings: TextSettings, call: &Syscall<'_>) -> String {
    let mut out = Vec::new();
    writer(settings).write_call(&mut out, call, &names());
    assert_eq!(out.pop(), Some(b'\n'));
    String::from_utf8(out).unwrap()
}

#[test]
fn a_line_has_straces_columns() {
    let open = call("openat", &[-100i32 as u32 as u64, 0x1000, 0o2000000, 0])
        .file(0, 0, 2)
        .enter(1, b"x")
        .file(6, 0, 1)
        .ret(3);
    let text =
        |pid_column, show_time| line(TextSettings { pid_column, show_time, ..TextSettings::default() }, &open.model());
    let rest = r#"openat(AT_FDCWD</tmp>, "x", O_RDONLY|O_CLOEXEC) = 3</etc/hosts> <0.000012>"#;
    assert_eq!(text(PidColumn::None, false), rest);
    assert_eq!(text(PidColumn::Bracketed, true), format!("[pid  1234] 00:00:00.000000 {rest}"));
    assert_eq!(text(PidColumn::Plain, true), format!("1234  00:00:00.000000 {rest}"));
    let close = call("close", &[4]).file(0, 0, 3);
    assert_eq!(
        line(
            TextSettings { pid_column: PidColumn::Plain, show_time: false, ..TextSettings::default() },
            &close.model()
        ),
        "1234  close(4<pipe:[42]>)               = 0 <0.000012>"
    );
}

#[test]
fn the_split_stands_behind_the_duration() {
    let mut read = call("read", &[3, 0x1000, 9]).ret(0);
    read.wait = WaitSplit { running_ns: 5000, runnable_ns: 0, blocked_ns: 7000, sleeping_ns: 0 };
    let settings = TextSettings { show_time: false, result_column: 0, ..TextSettings::default() };
    assert_eq!(line(settings, &read.model()), r#"read(3, "", 9) = 0 <0.000012> {running 5us, blocked 7us}"#);
    let settings = TextSettings { show_wait: false, ..settings };
    assert_eq!(line(settings, &read.model()), r#"read(3, "", 9) = 0 <0.000012>"#);
    let mut model = read.model();
    model.began_before_attach = true;
    assert_eq!(line(settings, &model), r#"read(3, "", 9) = 0 <0.000012+>"#);
}

#[test]
fn calls_without_a_result_say_so() {
    let read = call("read", &[3, 0x1000, 9]);
    assert_eq!(call("exit_group", &[0]).end(CallEnd::Unfinished).line(), "exit_group(0) = ?");
    assert_eq!(read.end(CallEnd::Unfinished).line(), "read(3, 0x1000, 9) = ?");
    let read = call("read", &[3, 0x1000, 9]).end(CallEnd::InProgress);
    assert_eq!(
        line(TextSettings { show_time: false, ..TextSettings::default() }, &read.model()),
        "read(3, 0x1000, 9 <unfinished ...> <0.000012>"
    );
}

#[test]
fn numbers_without_a_name_and_32_bit_calls_are_shown_raw() {
    let mut unknown = call("read", &[1, 2, 3, 4, 5, 0]).ret(-38);
    unknown.nr = 511;
    assert_eq!(unknown.line(), "syscall_0x1ff(0x1, 0x2, 0x3, 0x4, 0x5, 0) = -1 ENOSYS (Function not implemented)");
    let mut compat = call("read", &[3, 0x1000, 9]).ret(9);
    compat.abi = Abi::I386;
    compat.nr = 3;
    assert_eq!(compat.line(), "read(0x3, 0x1000, 0x9) = 9");
}

#[test]
fn arguments_can_be_had_one_by_one() {
    let open = call("openat", &[-100i32 as u32 as u64, 0x1000, 0o100, 0o644]).file(0, 0, 2).enter(1, b"a, b").ret(-13);
    let mut args = Vec::new();
    let mut each = |index, text: &[u8]| args.push((index, String::from_utf8(text.to_vec()).unwrap()));
    writer(TextSettings::default()).write_args(&open.model(), &names(), &mut each);
    let texts: Vec<&str> = args.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(texts, ["AT_FDCWD</tmp>", r#""a, b""#, "O_RDONLY|O_CREAT", "0644"]);
    assert_eq!(args[3].0, 3);
    let mut count = 0;
    writer(TextSettings::default()).write_args(&call("getpid", &[]).model(), &names(), &mut |_, _| count += 1);
    assert_eq!(count, 0);
}
