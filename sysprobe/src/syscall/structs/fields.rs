//! The frame every structure is written in: `{name=value, ...}` from bytes that may be cut short.
//!
//! Fields are named by offset and length as the kernel lays the structure out. The first field that is not whole ends the text
//! with `...`; later ones are left out, whatever their offset.

use crate::syscall::flags::number::{write_hex, write_int, write_pointer, write_uint};
use crate::syscall::flags::{FlagSet, write_flags, write_value};

/// A structure being written.
pub(super) struct Fields<'o, 'b> {
    out: &'o mut Vec<u8>,
    bytes: &'b [u8],
    started: bool,
    cut: bool,
}

impl<'o, 'b> Fields<'o, 'b> {
    /// Opens the brace.
    pub(super) fn open(out: &'o mut Vec<u8>, bytes: &'b [u8]) -> Self {
        out.push(b'{');
        Self { out, bytes, started: false, cut: false }
    }

    /// A field's bytes, or `None` (and the text ends here) if they are not whole.
    fn take(&mut self, at: usize, len: usize) -> Option<&'b [u8]> {
        if self.cut {
            return None;
        }
        let bytes = self.bytes.get(at..at + len);
        self.cut = bytes.is_none();
        bytes
    }

    /// A field's value, without showing it: for fields that decide what others mean.
    pub(super) fn peek(&self, at: usize, len: usize) -> Option<u64> {
        self.bytes.get(at..at + len).map(unsigned)
    }

    /// `, ` if something was written before.
    fn separate(&mut self) {
        if self.started {
            self.out.extend_from_slice(b", ");
        }
        self.started = true;
    }

    /// A field written by `show` from its value, extended with zeros.
    pub(super) fn with(&mut self, name: &str, at: usize, len: usize, show: impl FnOnce(&mut Vec<u8>, u64)) {
        self.with_bytes(name, at, len, |out, bytes| show(out, unsigned(bytes)));
    }

    /// A field written by `show` from its bytes.
    pub(super) fn with_bytes(&mut self, name: &str, at: usize, len: usize, show: impl FnOnce(&mut Vec<u8>, &[u8])) {
        if let Some(bytes) = self.take(at, len) {
            self.separate();
            self.out.extend_from_slice(name.as_bytes());
            self.out.push(b'=');
            show(self.out, bytes);
        }
    }

    /// A structure within this one, shown as far as it is whole.
    pub(super) fn nested(&mut self, name: &str, at: usize, len: usize, show: fn(&mut Vec<u8>, &[u8])) {
        if self.cut || self.bytes.len() <= at {
            self.cut = true;
            return;
        }
        let end = self.bytes.len().min(at + len);
        let bytes = self.bytes.get(at..end).unwrap_or(&[]);
        self.separate();
        self.out.extend_from_slice(name.as_bytes());
        self.out.push(b'=');
        show(self.out, bytes);
        self.cut = bytes.len() < len;
    }

    /// An unsigned decimal.
    pub(super) fn uint(&mut self, name: &str, at: usize, len: usize) {
        self.with(name, at, len, write_uint);
    }

    /// A signed decimal.
    pub(super) fn int(&mut self, name: &str, at: usize, len: usize) {
        self.with_bytes(name, at, len, |out, bytes| write_int(out, signed(bytes)));
    }

    /// A user or group id: -1 stands for none.
    pub(super) fn id(&mut self, name: &str, at: usize) {
        self.with(name, at, 4, |out, id| match id {
            0xffff_ffff => out.extend_from_slice(b"-1"),
            id => write_uint(out, id),
        });
    }

    /// Hexadecimal.
    pub(super) fn hex(&mut self, name: &str, at: usize, len: usize) {
        self.with(name, at, len, write_hex);
    }

    /// A pointer, `NULL` if zero.
    pub(super) fn pointer(&mut self, name: &str, at: usize) {
        self.with(name, at, 8, write_pointer);
    }

    /// Or-ed flags, however wide the field.
    pub(super) fn flags(&mut self, name: &str, at: usize, len: usize, set: &FlagSet) {
        self.with(name, at, len, |out, value| write_flags(out, &set.wide(), value));
    }

    /// One of an enumeration, however wide the field.
    pub(super) fn value(&mut self, name: &str, at: usize, len: usize, set: &FlagSet) {
        self.with(name, at, len, |out, value| write_value(out, &set.wide(), value));
    }

    /// Text of its own form in a field's place, if the bytes it stands on are whole.
    pub(super) fn bare(&mut self, at: usize, len: usize, show: impl FnOnce(&mut Vec<u8>, &[u8])) {
        if let Some(bytes) = self.take(at, len) {
            self.separate();
            show(self.out, bytes);
        }
    }

    /// Closes the brace.
    pub(super) fn close(self) {
        let cut = self.cut;
        self.end(cut);
    }

    /// Closes the brace of a structure of which only some fields are shown: `, ...}`.
    pub(super) fn close_abbreviated(self) {
        self.end(true);
    }

    fn end(mut self, more: bool) {
        if more {
            self.separate();
            self.out.extend_from_slice(b"...");
        }
        self.out.push(b'}');
    }
}

/// A little-endian number of at most 8 bytes.
pub(super) fn unsigned(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// The same, with its sign extended.
pub(super) fn signed(bytes: &[u8]) -> i64 {
    let unused = 64 - 8 * bytes.len().clamp(1, 8) as u32;
    (unsigned(bytes) << unused) as i64 >> unused
}

/// The part of a fixed-size text field before its first NUL.
pub(super) fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or(&[])
}

/// Appends bytes between quotes: printable ASCII as it is, C escapes, the rest in octal as short as the next byte allows.
pub(super) fn write_quoted(out: &mut Vec<u8>, bytes: &[u8]) {
    out.push(b'"');
    for (at, byte) in bytes.iter().enumerate() {
        let letter = match *byte {
            b'"' | b'\\' => *byte,
            b'\t' => b't',
            b'\n' => b'n',
            0x0b => b'v',
            0x0c => b'f',
            b'\r' => b'r',
            b' '..=b'~' => {
                out.push(*byte);
                continue;
            }
            byte => {
                let digit_follows = bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
                out.push(b'\\');
                for shift in [6, 3, 0] {
                    if digit_follows || shift == 0 || byte >> shift != 0 {
                        out.push(b'0' + (byte >> shift & 7));
                    }
                }
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', letter]);
    }
    out.push(b'"');
}
