//! What was captured of a call's arguments: a checked walk over the record's tail.

use sysprobe_common::event::{CaptureRaw, FileKeyRaw, capture, status};
use sysprobe_common::plan::PHASE_ENTER;

/// What a capture's bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureKind {
    /// The bytes a plan's op asked for (a string comes without its NUL).
    Data,
    /// The identity of the file behind an fd argument, the result, or an element of a pair.
    File(FileKeyRaw),
    /// Element `elem` of an iovec or string array.
    Element,
    /// The address a `msghdr` points to.
    Name,
    /// The `iovec` array a `msghdr` points to.
    Iovecs,
    /// How many pointers an array holds before its null.
    Count(u64),
    /// A new image's command line, NUL-separated.
    Cmdline,
}

/// How a capture went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureStatus {
    /// All of it is here.
    Whole,
    /// The first bytes are here.
    Cut,
    /// The pointer could not be read.
    Unreadable,
}

/// When the bytes were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// At the call's entry.
    Enter,
    /// At its end.
    Exit,
}

/// One capture.
#[derive(Clone, Copy, Debug)]
pub struct Capture<'a> {
    /// The argument (0 to 5); [`Capture::RET`] for the result.
    pub arg: u8,
    /// What `bytes` is.
    pub kind: CaptureKind,
    /// How it went.
    pub status: CaptureStatus,
    /// When it was read.
    pub phase: Phase,
    /// Which element of an array.
    pub elem: u16,
    /// The payload.
    pub bytes: &'a [u8],
}

impl Capture<'_> {
    /// In `arg`: the call's result.
    pub const RET: u8 = capture::ARG_RET;
}

/// The captures of one call, in the record's order. Iteration ends at the first malformed one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Captures<'a> {
    bytes: &'a [u8],
}

impl<'a> Captures<'a> {
    /// The captures in `bytes`, the tail of a call's record. Nothing is trusted: what does not parse is left out.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// All captures.
    pub fn iter(self) -> impl Iterator<Item = Capture<'a>> {
        let mut rest = self.bytes;
        std::iter::from_fn(move || {
            loop {
                let (head, tail) = rest.split_at_checked(size_of::<CaptureRaw>())?;
                let len = usize::from(u16::from_ne_bytes([head[4], head[5]]));
                let bytes = tail.get(..len)?;
                rest = tail.get(len.next_multiple_of(8)..).unwrap_or(&[]);
                if let Some(capture) = parse(head, bytes) {
                    return Some(capture);
                }
            }
        })
    }

    /// The captures of one argument.
    pub fn of_arg(self, arg: u8) -> impl Iterator<Item = Capture<'a>> {
        self.iter().filter(move |c| c.arg == arg)
    }

    /// The first capture of one argument with plain data, read at `phase` or at any time.
    pub fn data(self, arg: u8, phase: Option<Phase>) -> Option<Capture<'a>> {
        self.of_arg(arg).find(|c| c.kind == CaptureKind::Data && phase.is_none_or(|p| p == c.phase))
    }

    /// The file behind an fd argument (or [`Capture::RET`]).
    pub fn file(self, arg: u8) -> Option<FileKeyRaw> {
        self.of_arg(arg).find_map(|c| match c.kind {
            CaptureKind::File(key) => Some(key),
            _ => None,
        })
    }
}

fn parse<'a>(head: &[u8], bytes: &'a [u8]) -> Option<Capture<'a>> {
    let word = |at: usize| Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let kind = match head[1] {
        capture::DATA => CaptureKind::Data,
        capture::FILE => CaptureKind::File(FileKeyRaw { object: word(0)?, version: word(8)? }),
        capture::ELEMENT => CaptureKind::Element,
        capture::NAME => CaptureKind::Name,
        capture::IOVECS => CaptureKind::Iovecs,
        capture::COUNT => CaptureKind::Count(word(0)?),
        capture::CMDLINE => CaptureKind::Cmdline,
        _ => return None,
    };
    let status = match head[2] {
        status::WHOLE => CaptureStatus::Whole,
        status::CUT => CaptureStatus::Cut,
        _ => CaptureStatus::Unreadable,
    };
    let phase = if head[3] == PHASE_ENTER { Phase::Enter } else { Phase::Exit };
    Some(Capture { arg: head[0], kind, status, phase, elem: u16::from_ne_bytes([head[6], head[7]]), bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(arg: u8, kind: u8, status: u8, elem: u16, payload: &[u8]) -> Vec<u8> {
        let mut out = vec![arg, kind, status, 1];
        out.extend((payload.len() as u16).to_ne_bytes());
        out.extend(elem.to_ne_bytes());
        out.extend(payload);
        out.resize(out.len().next_multiple_of(8), 0);
        out
    }

    #[test]
    fn captures_are_walked_in_order_and_unknown_kinds_passed_over() {
        let mut bytes = one(1, capture::DATA, status::CUT, 0, b"/etc/hosts");
        bytes.extend(one(2, 99, 0, 0, b"?"));
        bytes.extend(one(6, capture::FILE, 0, 0, &[7; 16]));
        let captures = Captures::new(&bytes);
        let data = captures.data(1, None).unwrap();
        assert_eq!((data.bytes, data.status), (&b"/etc/hosts"[..], CaptureStatus::Cut));
        assert!(captures.file(Capture::RET).is_some());
        assert_eq!(captures.iter().count(), 2);
    }

    #[test]
    fn hostile_tails_end_the_walk() {
        let bytes = one(0, capture::DATA, 0, 0, b"abcdefgh");
        for cut in 0..bytes.len() {
            assert_eq!(Captures::new(&bytes[..cut]).iter().count(), 0, "cut at {cut}");
        }
        assert_eq!(Captures::new(&one(0, capture::FILE, 0, 0, b"short")).iter().count(), 0);
    }
}
