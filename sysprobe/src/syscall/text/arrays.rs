//! Arrays and small numbers behind pointers: buffers, descriptors, ids, CPUs, polls, directory entries.

use crate::event::{Capture, CaptureKind, CaptureStatus, Phase};
use crate::syscall::files::pair;
use crate::syscall::flags::number::{write_int, write_pointer, write_uint};
use crate::syscall::flags::{poll, write_flags};
use crate::syscall::structs::StructSpec;
use crate::syscall::structs::write_dirents64;

use super::args::ArgWriter;
use super::quote::write_quoted;

/// Array elements shown, as strace's default has it.
pub(super) const MAX_ELEMENTS: usize = 32;
/// Bytes of a `struct pollfd`: `int fd; short events; short revents`.
const POLLFD_BYTES: usize = 8;
/// Bytes of a `struct iovec`.
const IOVEC_BYTES: usize = 16;

fn int(bytes: &[u8]) -> Option<i32> {
    Some(i32::from_ne_bytes(bytes.get(..4)?.try_into().ok()?))
}

/// The number at `at`.
pub(super) fn long(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

impl<'a> ArgWriter<'a> {
    /// `[{..}, {..}]`: at most as many as were captured, `...` for the rest of `count`.
    pub(super) fn array(&mut self, capture: Capture<'a>, spec: &StructSpec, count: u64) {
        let mut left = count;
        self.out.push(b'[');
        for (index, element) in capture.bytes.chunks_exact(usize::from(spec.size.max(1))).enumerate() {
            if left == 0 || index == MAX_ELEMENTS {
                break;
            }
            if index > 0 {
                self.text(", ");
            }
            (spec.write)(self.out, element);
            left -= 1;
        }
        if left > 0 {
            self.text(if left == count { "..." } else { ", ..." });
        }
        self.out.push(b']');
    }

    pub(super) fn array_out(&mut self, arg: usize, spec: &StructSpec) {
        let Some(count) = self.ret().filter(|ret| *ret >= 0) else { return self.pointer(arg) };
        if count == 0 && self.arg(arg) != 0 {
            return self.text("[]");
        }
        self.output(arg, |w, capture| w.array(capture, spec, count as u64));
    }

    /// `[{iov_base="..", iov_len=2}, ..]`; of a filled vector, `iov_base` shows what was filled.
    pub(super) fn iovec(&mut self, arg: usize, count: u8, filled: bool) {
        let count = self.arg(usize::from(count));
        if count == 0 && self.arg(arg) != 0 {
            return self.text("[]");
        }
        self.input(arg, |w, capture| w.iovec_elements(arg, capture.bytes, count, filled));
    }

    pub(super) fn iovec_elements(&mut self, arg: usize, array: &[u8], count: u64, filled: bool) {
        // What is left of the result: a vector is filled from its front.
        let mut left = match self.ret() {
            Some(ret) if filled => ret.max(0) as u64,
            _ => u64::MAX,
        };
        let show = !filled || self.succeeded();
        let mut shown = 0;
        self.out.push(b'[');
        for (index, element) in array.chunks_exact(IOVEC_BYTES).enumerate() {
            if shown == count || index == MAX_ELEMENTS {
                break;
            }
            if index > 0 {
                self.text(", ");
            }
            let (base, len) = (long(element, 0).unwrap_or(0), long(element, 8).unwrap_or(0));
            let take = len.min(left);
            left = left.saturating_sub(len);
            self.text("{iov_base=");
            match self.element(arg, index) {
                Some(bytes) if show && bytes.status != CaptureStatus::Unreadable => {
                    let cut = bytes.status == CaptureStatus::Cut;
                    let shown = bytes.bytes.get(..usize::try_from(take).unwrap_or(usize::MAX)).unwrap_or(bytes.bytes);
                    write_quoted(self.out, shown, self.string_limit, cut);
                }
                None if show && take == 0 && base != 0 => self.text("\"\""),
                _ => write_pointer(self.out, base),
            }
            self.text(", iov_len=");
            write_uint(self.out, len);
            self.out.push(b'}');
            shown += 1;
        }
        if shown < count {
            self.text(if shown == 0 { "..." } else { ", ..." });
        }
        self.out.push(b']');
    }

    fn element(&self, arg: usize, index: usize) -> Option<Capture<'a>> {
        let wanted = |capture: &Capture<'_>| capture.kind == CaptureKind::Element && usize::from(capture.elem) == index;
        self.call.captures.of_arg(arg as u8).find(wanted)
    }

    /// `["ls", "-l"]`; of a successful `execve`, from the new image.
    pub(super) fn argv(&mut self, arg: usize) {
        let is_cmdline = |capture: &Capture<'_>| capture.kind == CaptureKind::Cmdline;
        if let Some(cmdline) = self.call.captures.iter().find(is_cmdline) {
            return self.cmdline(cmdline);
        }
        if self.arg(arg) == 0 {
            return self.text("NULL");
        }
        let captures = self.call.captures;
        let mut shown = 0;
        for capture in captures.of_arg(arg as u8).filter(|capture| capture.kind == CaptureKind::Element) {
            self.text(if shown == 0 { "[" } else { ", " });
            if shown == MAX_ELEMENTS {
                self.text("...");
                break;
            }
            match capture.status {
                CaptureStatus::Unreadable => self.text("???"),
                status => write_quoted(self.out, capture.bytes, self.string_limit, status == CaptureStatus::Cut),
            }
            shown += 1;
        }
        if shown == 0 {
            return self.input(arg, |w, _| w.text("[]"));
        }
        self.out.push(b']');
    }

    fn cmdline(&mut self, cmdline: Capture<'a>) {
        let cut = cmdline.status == CaptureStatus::Cut;
        let ended = cmdline.bytes.last() == Some(&0);
        let bytes =
            if ended { cmdline.bytes.split_last().map_or(cmdline.bytes, |(_, rest)| rest) } else { cmdline.bytes };
        self.out.push(b'[');
        if !cmdline.bytes.is_empty() {
            let mut strings = bytes.split(|byte| *byte == 0).enumerate().peekable();
            while let Some((index, string)) = strings.next() {
                if index > 0 {
                    self.text(", ");
                }
                if index == MAX_ELEMENTS {
                    self.text("...");
                    break;
                }
                let last = strings.peek().is_none();
                write_quoted(self.out, string, self.string_limit, last && cut && !ended);
                if last && cut {
                    self.text(", ...");
                }
            }
        }
        self.out.push(b']');
    }

    /// `0x7ffd… /* 38 vars */`
    pub(super) fn envp(&mut self, arg: usize) {
        self.pointer(arg);
        let captures = self.call.captures;
        let count = captures.of_arg(arg as u8).find_map(|capture| match capture.kind {
            CaptureKind::Count(count) => Some(count),
            _ => None,
        });
        if let Some(count) = count.filter(|_| self.arg(arg) != 0) {
            self.text(" /* ");
            write_uint(self.out, count);
            self.text(if count == 1 { " var */" } else { " vars */" });
        }
    }

    /// `[{fd=3<pipe:[42]>, events=POLLIN}, ..]`
    pub(super) fn pollfds(&mut self, arg: usize, count: u8) {
        let count = self.arg(usize::from(count)) & 0xffff_ffff;
        if count == 0 && self.arg(arg) != 0 {
            return self.text("[]");
        }
        self.input(arg, |w, capture| {
            w.out.push(b'[');
            let mut shown = 0;
            for (index, element) in capture.bytes.chunks_exact(POLLFD_BYTES).enumerate() {
                if shown == count || index == MAX_ELEMENTS {
                    break;
                }
                if index > 0 {
                    w.text(", ");
                }
                let (fd, events, _) = pollfd(element);
                w.text("{fd=");
                w.names.write_fd(w.out, fd, w.names.by_fd(w.call.tgid, fd));
                // strace says nothing of the events of a descriptor left out.
                if fd >= 0 {
                    w.text(", events=");
                    write_flags(w.out, &poll::POLL, u64::from(events));
                }
                w.out.push(b'}');
                shown += 1;
            }
            if shown < count {
                w.text(if shown == 0 { "..." } else { ", ..." });
            }
            w.out.push(b']');
        });
    }

    /// `[3<pipe:[42]>, 4<pipe:[42]>]`
    pub(super) fn fd_pair(&mut self, arg: usize) {
        let captures = self.call.captures;
        let Some(fds) = pair(captures, arg as u8).filter(|_| self.succeeded()) else { return self.pointer(arg) };
        for (index, fd) in fds.into_iter().enumerate() {
            self.text(if index == 0 { "[" } else { ", " });
            let key = captures.of_arg(arg as u8).find_map(|capture| match capture.kind {
                CaptureKind::File(key) if usize::from(capture.elem) == index => Some(key),
                _ => None,
            });
            self.names.write_fd(self.out, fd, key);
        }
        self.out.push(b']');
    }

    pub(super) fn bracketed_int(&mut self, bytes: &[u8]) {
        self.out.push(b'[');
        write_int(self.out, int(bytes).unwrap_or(0).into());
        self.out.push(b']');
    }

    pub(super) fn bracketed_uint(&mut self, bytes: &[u8]) {
        self.out.push(b'[');
        write_uint(self.out, u64::from(int(bytes).unwrap_or(0) as u32));
        self.out.push(b']');
    }

    pub(super) fn bracketed_long(&mut self, bytes: &[u8]) {
        self.out.push(b'[');
        write_int(self.out, long(bytes, 0).unwrap_or(0) as i64);
        self.out.push(b']');
    }

    /// `[0] => [4096]`; once if the call failed or did not move it.
    pub(super) fn offset_in_out(&mut self, arg: usize) {
        let Some(before) = self.long_at(arg, Phase::Enter) else { return self.input(arg, |w, _| w.pointer(arg)) };
        self.out.push(b'[');
        write_int(self.out, before);
        self.out.push(b']');
        if let Some(after) = self.long_at(arg, Phase::Exit).filter(|_| self.ret().is_some_and(|ret| ret > 0)) {
            self.text(" => [");
            write_int(self.out, after);
            self.out.push(b']');
        }
    }

    /// `[0 2 3]`
    pub(super) fn cpu_set(&mut self, bytes: &[u8]) {
        self.out.push(b'[');
        let mut first = true;
        for (index, byte) in bytes.iter().enumerate() {
            for bit in (0..8).filter(|bit| byte >> bit & 1 == 1) {
                if !first {
                    self.out.push(b' ');
                }
                first = false;
                write_uint(self.out, index as u64 * 8 + bit);
            }
        }
        self.out.push(b']');
    }

    /// `0x55… /* 5 entries */`
    pub(super) fn dirents(&mut self, arg: usize) {
        self.pointer(arg);
        let Some(total) = self.ret().and_then(|ret| usize::try_from(ret).ok()) else { return };
        let bytes = self.fullest(arg).map_or(&[][..], |capture| capture.bytes);
        if total == 0 || !bytes.is_empty() {
            write_dirents64(self.out, bytes, total);
        }
    }

    pub(super) fn ids(&mut self, bytes: &[u8], count: u64) {
        self.out.push(b'[');
        let mut left = count;
        for (index, id) in bytes.chunks_exact(4).enumerate() {
            if left == 0 || index == MAX_ELEMENTS {
                break;
            }
            if index > 0 {
                self.text(", ");
            }
            write_uint(self.out, u64::from(int(id).unwrap_or(0) as u32));
            left -= 1;
        }
        if left > 0 {
            self.text(if left == count { "..." } else { ", ..." });
        }
        self.out.push(b']');
    }

    pub(super) fn ids_out(&mut self, arg: usize) {
        let Some(count) = self.ret().filter(|ret| *ret >= 0) else { return self.pointer(arg) };
        // With a size of 0 the call only counts.
        if self.arg(arg) == 0 {
            return self.text("NULL");
        }
        if self.arg(0) as i32 == 0 {
            return self.pointer(arg);
        }
        if count == 0 {
            return self.text("[]");
        }
        self.output(arg, |w, capture| w.ids(capture.bytes, count as u64));
    }
}

/// `fd`, `events`, `revents`.
pub(super) fn pollfd(bytes: &[u8]) -> (i32, u16, u16) {
    let half = |at: usize| bytes.get(at..at + 2).and_then(|b| b.try_into().ok()).map_or(0, u16::from_ne_bytes);
    (int(bytes).unwrap_or(-1), half(4), half(6))
}
