//! One file's description to text: paths, devices, pipes, anonymous inodes.

use sysprobe_common::event::{FileRaw, file_kind};

use super::{FileName, socket};
use crate::syscall::flags::number::write_uint;
use crate::syscall::text::write_escaped;

/// Written in octal besides control characters: they would end the text between `<` and `>`.
pub(super) const BRACKETS: &[u8] = b"<>";

/// Super block magic numbers (include/uapi/linux/magic.h).
const PIPEFS: u64 = 0x5049_5045;
const SOCKFS: u64 = 0x534f_434b;
const ANON_INODE_FS: u64 = 0x0904_1934;
const PID_FS: u64 = 0x5049_4446;
const NSFS: u64 = 0x6e73_6673;
const TMPFS: u64 = 0x0102_1994;
const HUGETLBFS: u64 = 0x9584_58f6;
const DMA_BUF: u64 = 0x444d_4142;
const SECRETMEM: u64 = 0x5345_434d;

/// Describes a file. Any bytes are accepted.
pub(super) fn describe(raw: &FileRaw, payload: &[u8]) -> FileName {
    let mut text = Vec::new();
    let mut deleted = raw.flags & FileRaw::DELETED != 0;
    match raw.kind {
        file_kind::PATH => path(&mut text, raw, payload),
        file_kind::SOCKET => socket::describe(&mut text, raw.inode, payload),
        _ => deleted = anonymous(&mut text, raw, payload),
    }
    FileName { text: text.into_boxed_slice(), deleted }
}

fn path(text: &mut Vec<u8>, raw: &FileRaw, payload: &[u8]) {
    if raw.flags & FileRaw::CUT != 0 {
        text.extend_from_slice(b"...");
    }
    let mut any = false;
    for component in payload.rsplit(|byte| *byte == 0).filter(|component| !component.is_empty()) {
        text.push(b'/');
        write_escaped(text, component, BRACKETS);
        any = true;
    }
    if !any {
        text.push(b'/');
    }
    let kind = match raw.mode & libc::S_IFMT {
        libc::S_IFCHR => "<char ",
        libc::S_IFBLK => "<block ",
        _ => return,
    };
    text.extend_from_slice(kind.as_bytes());
    write_uint(text, u64::from(raw.rdev >> 20));
    text.push(b':');
    write_uint(text, u64::from(raw.rdev & 0xf_ffff));
    text.push(b'>');
}

/// Returns whether the file counts as unlinked: memory files do, as `/proc` shows them.
fn anonymous(text: &mut Vec<u8>, raw: &FileRaw, payload: &[u8]) -> bool {
    let name = payload.split(|byte| *byte == 0).next().unwrap_or_default();
    match raw.magic {
        PIPEFS => numbered(text, b"pipe", raw.inode),
        SOCKFS => numbered(text, b"socket", raw.inode),
        NSFS => numbered(text, if name.is_empty() { b"ns" } else { name }, raw.inode),
        PID_FS => text.extend_from_slice(b"anon_inode:[pidfd]"),
        ANON_INODE_FS => {
            text.extend_from_slice(b"anon_inode:");
            write_escaped(text, name, BRACKETS);
        }
        TMPFS | HUGETLBFS | DMA_BUF | SECRETMEM => {
            text.push(b'/');
            write_escaped(text, name, BRACKETS);
            return raw.magic != DMA_BUF;
        }
        _ if name.is_empty() || name == b"/" => numbered(text, b"inode", raw.inode),
        _ => write_escaped(text, name, BRACKETS),
    }
    false
}

/// `pipe:[123]`
pub(super) fn numbered(text: &mut Vec<u8>, kind: &[u8], inode: u64) {
    write_escaped(text, kind, BRACKETS);
    text.extend_from_slice(b":[");
    write_uint(text, inode);
    text.push(b']');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(raw: FileRaw, payload: &[u8]) -> String {
        let name = describe(&raw, payload);
        let mut out = Vec::new();
        name.write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn paths_run_from_the_root() {
        let raw = FileRaw { kind: file_kind::PATH, mode: 0o100644, ..FileRaw::default() };
        assert_eq!(text(raw, b"c\0b\0a\0"), "</a/b/c>");
        assert_eq!(text(raw, b""), "</>");
        assert_eq!(text(FileRaw { flags: FileRaw::CUT, ..raw }, b"c\0b\0"), "<.../b/c>");
        assert_eq!(text(FileRaw { flags: FileRaw::DELETED, ..raw }, b"x\0tmp\0"), "</tmp/x>(deleted)");
        assert_eq!(text(raw, b"a\x1b[31m<b>\xff\0"), r"</a\33[31m\74b\76\377>");
    }

    #[test]
    fn devices_show_their_numbers() {
        let raw = FileRaw { kind: file_kind::PATH, mode: 0o20666, rdev: 1 << 20 | 3, ..FileRaw::default() };
        assert_eq!(text(raw, b"null\0dev\0"), "</dev/null<char 1:3>>");
        let raw = FileRaw { mode: 0o60660, rdev: 7 << 20, ..raw };
        assert_eq!(text(raw, b"loop0\0dev\0"), "</dev/loop0<block 7:0>>");
    }

    #[test]
    fn files_of_no_tree_read_as_in_proc() {
        let raw = |magic| FileRaw { kind: file_kind::ANONYMOUS, magic, inode: 42, ..FileRaw::default() };
        assert_eq!(text(raw(PIPEFS), b"\0"), "<pipe:[42]>");
        assert_eq!(text(raw(ANON_INODE_FS), b"[eventpoll]\0"), "<anon_inode:[eventpoll]>");
        assert_eq!(text(raw(ANON_INODE_FS), b"inotify\0"), "<anon_inode:inotify>");
        assert_eq!(text(raw(TMPFS), b"memfd:x\ny\0"), r"</memfd:x\ny>(deleted)");
        assert_eq!(text(raw(NSFS), b"\0"), "<ns:[42]>");
        assert_eq!(text(raw(1), b""), "<inode:[42]>");
    }
}
