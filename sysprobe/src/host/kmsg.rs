//! The kernel's log as it grows: `/dev/kmsg` (Documentation/ABI/testing/dev-kmsg), from its end, never waiting.
//!
//! Only what the kernel itself says is handed out: anybody with write access may put lines of other facilities there.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::fd::{AsRawFd as _, RawFd};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Where it is.
pub const KMSG: &str = "/dev/kmsg";

/// Bytes of the largest record with its dictionary, escapes included (`CONSOLE_EXT_LOG_MAX`).
const MAX_RECORD: usize = 8192;

/// What one read gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelLine {
    /// What the kernel said; it may hold line breaks.
    Said(String),
    /// A record of somebody else, or one that cannot be read.
    Other,
    /// Records were overwritten before they were read.
    Lost,
}

/// The log, followed.
pub struct KernelLog {
    file: File,
    buffer: Vec<u8>,
}

impl KernelLog {
    /// Opens it at its end.
    ///
    /// # Errors
    /// When there is none, or it may not be read.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::options().read(true).custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC).open(path)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Self { file, buffer: vec![0; MAX_RECORD] })
    }

    /// Readable when there is a record.
    pub fn fd(&self) -> RawFd {
        self.file.as_raw_fd()
    }

    /// The next record; `None` if there is none yet.
    ///
    /// # Errors
    /// When it cannot be read any more.
    pub fn next_line(&mut self) -> io::Result<Option<KernelLine>> {
        loop {
            match self.file.read(&mut self.buffer) {
                Ok(0) => return Ok(None),
                Ok(len) => {
                    let said = self.buffer.get(..len).and_then(parse);
                    return Ok(Some(said.map_or(KernelLine::Other, KernelLine::Said)));
                }
                Err(error) => match error.raw_os_error() {
                    Some(libc::EAGAIN) => return Ok(None),
                    Some(libc::EPIPE) => return Ok(Some(KernelLine::Lost)),
                    // A record larger than any there is.
                    Some(libc::EINVAL) => return Ok(Some(KernelLine::Other)),
                    Some(libc::EINTR) => {}
                    _ => return Err(error),
                },
            }
        }
    }
}

/// `PRIORITY,SEQUENCE,TIME,FLAGS[,..];TEXT` and lines of a dictionary; the text, if the kernel said it.
fn parse(record: &[u8]) -> Option<String> {
    let colon = record.iter().position(|b| *b == b';')?;
    let (head, text) = (record.get(..colon)?, record.get(colon + 1..)?);
    let priority = head.split(|b| *b == b',').next()?;
    // Facility 0 is the kernel's; writers from user space get another.
    let priority: u32 = std::str::from_utf8(priority).ok()?.parse().ok()?;
    if priority >> 3 != 0 {
        return None;
    }
    let line = text.split(|b| *b == b'\n').next()?;
    Some(String::from_utf8_lossy(&unescaped(line)).into_owned())
}

/// The text with `\xNN` as the byte that it stands for: the kernel writes what is not printable so, and backslashes.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, tail)) = rest.split_first() {
        let byte = tail.strip_prefix(b"x").and_then(|t| t.get(..2)).filter(|_| *first == b'\\');
        let byte = byte.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        match byte {
            Some(byte) => {
                plain.push(byte);
                rest = tail.get(3..).unwrap_or_default();
            }
            None => {
                plain.push(*first);
                rest = tail;
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_the_kernels_own_words_are_taken() {
        assert_eq!(parse(b"3,425,33120161075,-;Killed process 7 (a)\n").as_deref(), Some("Killed process 7 (a)"));
        assert_eq!(parse(b"6,1,2,c,caller=T7;a\\x0ab \\x5c\n SUBSYSTEM=acpi\n").as_deref(), Some("a\nb \\"));
        assert_eq!(parse(b"12,425,1,-;Killed process 1 (init)\n"), None, "written by a process");
        for junk in [&b""[..], b";", b"x;y", b"3,1", b"99999999999,1;x", b"\xff\xfe;\xff"] {
            assert_eq!(parse(junk), None, "{junk:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = parse(&bytes);
            let _ = parse(&[b"3,1,1,-;", bytes.as_slice()].concat());
        }
    }
}
