//! What descriptors stand for: descriptions of file identities as the kernel side sent them, kept as ready text.
//!
//! Bounded in bytes; what has not been used for longest leaves first. Also remembers which file each descriptor of a process was
//! last seen to be, for descriptors inside structures (`pollfd`). Reads nothing itself: no `/proc`, no `stat`.

mod describe;
mod socket;

use std::hash::{BuildHasher, RandomState};

use quick_cache::Weighter;
use quick_cache::unsync::Cache;
use sysprobe_common::event::{FileKeyRaw, FileRaw};
use sysprobe_common::limits::MAX_SEEN_FILES;

use crate::event::{Capture, CaptureKind, Captures, Syscall, Tgid};
use crate::syscall::table::{self, ArgKind};

/// Bytes of descriptions kept at most, bookkeeping included.
const NAMES_BYTES: u64 = 24 * 1024 * 1024;
/// Bytes counted for a description beside its text.
const ENTRY_BYTES: u64 = 96;
/// Descriptors remembered. One more than fits takes another's place.
const FD_SLOTS: usize = 16 * 1024;

/// How a file reads between `<` and `>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileName {
    text: Box<[u8]>,
    /// Unlinked.
    deleted: bool,
}

impl FileName {
    /// The text: escaped, without control characters.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Whether the file has been unlinked.
    pub fn deleted(&self) -> bool {
        self.deleted
    }

    /// Appends `<text>`, and `(deleted)` after it if so.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.push(b'<');
        out.extend_from_slice(&self.text);
        out.push(b'>');
        if self.deleted {
            out.extend_from_slice(b"(deleted)");
        }
    }
}

#[derive(Clone)]
struct ByText;

impl Weighter<FileKeyRaw, FileName> for ByText {
    fn weight(&self, _: &FileKeyRaw, name: &FileName) -> u64 {
        ENTRY_BYTES + name.text.len() as u64
    }
}

#[derive(Clone, Copy, Default)]
struct FdSlot {
    tgid: u32,
    fd: i32,
    key: FileKeyRaw,
}

/// Descriptions by identity, and identities by descriptor.
pub struct FileNames {
    names: Cache<FileKeyRaw, FileName, ByText>,
    fds: Box<[FdSlot]>,
    hasher: RandomState,
}

impl Default for FileNames {
    fn default() -> Self {
        Self::new()
    }
}

impl FileNames {
    /// Knows no file.
    pub fn new() -> Self {
        Self {
            names: Cache::with_weighter(MAX_SEEN_FILES as usize, NAMES_BYTES, ByText),
            fds: vec![FdSlot { fd: -1, ..FdSlot::default() }; FD_SLOTS].into_boxed_slice(),
            hasher: RandomState::new(),
        }
    }

    /// Takes a description: the record's fixed part and what follows it.
    pub fn learn(&mut self, raw: &FileRaw, payload: &[u8]) {
        self.names.insert(raw.key, describe::describe(raw, payload));
    }

    /// How the file with this identity reads, if it was described.
    pub fn name(&self, key: FileKeyRaw) -> Option<&FileName> {
        self.names.get(&key)
    }

    /// Remembers that descriptor `fd` of a process was this file.
    pub fn note_fd(&mut self, tgid: Tgid, fd: i32, key: FileKeyRaw) {
        if fd < 0 {
            return;
        }
        let at = self.slot(tgid, fd);
        if let Some(slot) = self.fds.get_mut(at) {
            *slot = FdSlot { tgid: tgid.0, fd, key };
        }
    }

    /// Remembers every descriptor that a call's captures identify: arguments, results and pairs.
    pub fn note_call(&mut self, call: &Syscall<'_>) {
        for capture in call.captures.iter() {
            let CaptureKind::File(key) = capture.kind else { continue };
            if let Some(fd) = descriptor(call, &capture) {
                self.note_fd(call.tgid, fd, key);
            }
        }
    }

    /// Which file descriptor `fd` of a process was last seen to be.
    pub fn by_fd(&self, tgid: Tgid, fd: i32) -> Option<FileKeyRaw> {
        let slot = self.fds.get(self.slot(tgid, fd))?;
        (slot.tgid == tgid.0 && slot.fd == fd && fd >= 0).then_some(slot.key)
    }

    /// Appends a descriptor: `3</etc/hosts>`, or `3` if nothing is known of it.
    pub fn write_fd(&self, out: &mut Vec<u8>, fd: i32, key: Option<FileKeyRaw>) {
        out.extend_from_slice(itoa::Buffer::new().format(fd).as_bytes());
        if let Some(name) = key.and_then(|key| self.name(key)) {
            name.write(out);
        }
    }

    fn slot(&self, tgid: Tgid, fd: i32) -> usize {
        self.hasher.hash_one((tgid.0, fd)) as usize % FD_SLOTS
    }
}

/// The descriptor whose file `capture` identifies.
fn descriptor(call: &Syscall<'_>, capture: &Capture<'_>) -> Option<i32> {
    if capture.arg == Capture::RET {
        return match call.end {
            crate::event::CallEnd::Returned(fd) => i32::try_from(fd).ok(),
            _ => None,
        };
    }
    let row = table::row(call.nr)?;
    if matches!(row.args.get(usize::from(capture.arg)), Some(ArgKind::FdPair)) || row.name == "socketpair" {
        return pair(call.captures, capture.arg)?.get(usize::from(capture.elem)).copied();
    }
    call.args.get(usize::from(capture.arg)).map(|value| *value as i32)
}

/// The two descriptors written at argument `arg`.
pub(super) fn pair(captures: Captures<'_>, arg: u8) -> Option<[i32; 2]> {
    let bytes: [u8; 8] = captures.data(arg, None)?.bytes.get(..8)?.try_into().ok()?;
    let both = u64::from_ne_bytes(bytes);
    Some([both as i32, (both >> 32) as i32])
}

#[cfg(test)]
mod tests {
    use super::*;
    use sysprobe_common::event::file_kind;

    fn key(object: u64) -> FileKeyRaw {
        FileKeyRaw { object, version: 1 }
    }

    fn path(object: u64) -> FileRaw {
        FileRaw { key: key(object), kind: file_kind::PATH, mode: 0o100644, ..FileRaw::default() }
    }

    #[test]
    fn descriptors_read_as_the_file_they_were_last_seen_to_be() {
        let mut names = FileNames::new();
        names.learn(&path(1), b"hosts\0etc\0");
        names.note_fd(Tgid(7), 3, key(1));
        let text = |names: &FileNames, tgid, fd| {
            let mut out = Vec::new();
            names.write_fd(&mut out, fd, names.by_fd(Tgid(tgid), fd));
            String::from_utf8(out).unwrap()
        };
        assert_eq!(text(&names, 7, 3), "3</etc/hosts>");
        assert_eq!(text(&names, 8, 3), "3");
        assert_eq!(text(&names, 7, -1), "-1");
        names.note_fd(Tgid(7), 3, key(2));
        assert_eq!(text(&names, 7, 3), "3");
    }

    #[test]
    fn memory_stays_bounded_however_many_files_are_described() {
        let mut names = FileNames::new();
        let long = [b"x".repeat(250), vec![0]].concat().repeat(16);
        for object in 0..20_000 {
            names.learn(&path(object), &long);
        }
        assert!(names.names.weight() <= NAMES_BYTES);
        assert!(names.names.len() > 1000);
    }
}
