//! Socket addresses and messages.

use crate::event::{Capture, CaptureKind, CaptureStatus, Phase};
use crate::syscall::flags::number::{write_int, write_pointer, write_uint};
use crate::syscall::flags::{net, write_flags};
use crate::syscall::structs::SOCKADDR;

use super::args::ArgWriter;
use super::arrays::long;

impl<'a> ArgWriter<'a> {
    pub(super) fn sockaddr_in(&mut self, arg: usize) {
        self.input(arg, |w, capture| (SOCKADDR.write)(w.out, capture.bytes));
    }

    /// The address filled in, as long as both the buffer and what the kernel had for it.
    pub(super) fn sockaddr_out(&mut self, arg: usize, len: u8) {
        let len = usize::from(len);
        let room = self.int_at(len, Phase::Enter).unwrap_or(i32::MAX);
        let filled = self.int_at(len, Phase::Exit).unwrap_or(0).min(room);
        let Some(filled) = usize::try_from(filled).ok().filter(|filled| *filled >= 2) else { return self.pointer(arg) };
        self.output(arg, |w, capture| (SOCKADDR.write)(w.out, capture.bytes.get(..filled).unwrap_or(capture.bytes)));
    }

    /// `[16]`, or `[128 => 16]` if the call changed it.
    pub(super) fn socklen(&mut self, arg: usize) {
        let Some(before) = self.int_at(arg, Phase::Enter) else { return self.input(arg, |w, _| w.pointer(arg)) };
        self.out.push(b'[');
        write_int(self.out, i64::from(before));
        if let Some(after) = self.int_at(arg, Phase::Exit).filter(|after| *after != before && self.succeeded()) {
            self.text(" => ");
            write_int(self.out, i64::from(after));
        }
        self.out.push(b']');
    }

    /// `{msg_name=NULL, msg_namelen=0, msg_iov=[..], msg_iovlen=1, msg_controllen=0, msg_flags=0}`. What auxiliary data holds is
    /// not read: `msg_control` is an address.
    pub(super) fn message(&mut self, arg: usize, received: bool) {
        let Some(header) = self.at(arg, Phase::Exit) else { return self.input(arg, |w, _| w.pointer(arg)) };
        let word = |at: usize| long(header, at).unwrap_or(0);
        if received && !self.succeeded() {
            // strace shows only this of a message that was not received.
            self.text("{msg_namelen=");
            write_uint(self.out, word(8) & 0xffff_ffff);
            self.out.push(b'}');
            return;
        }
        self.text("{msg_name=");
        let name_len = word(8) & 0xffff_ffff;
        match self.message_part(arg, CaptureKind::Name) {
            Some(name) if name_len >= 2 => {
                let len = usize::try_from(name_len).unwrap_or(usize::MAX);
                (SOCKADDR.write)(self.out, name.bytes.get(..len).unwrap_or(name.bytes));
            }
            _ => write_pointer(self.out, word(0)),
        }
        self.text(", msg_namelen=");
        let before = self.at(arg, Phase::Enter).and_then(|bytes| long(bytes, 8)).map(|len| len & 0xffff_ffff);
        if let Some(before) = before.filter(|before| received && *before != name_len) {
            write_uint(self.out, before);
            self.text(" => ");
        }
        write_uint(self.out, name_len);
        self.text(", msg_iov=");
        let count = word(24);
        match self.message_part(arg, CaptureKind::Iovecs) {
            Some(array) => self.iovec_elements(arg, array.bytes, count, received),
            None if count == 0 && word(16) != 0 => self.text("[]"),
            None => write_pointer(self.out, word(16)),
        }
        self.text(", msg_iovlen=");
        write_uint(self.out, count);
        if word(40) != 0 {
            self.text(", msg_control=");
            write_pointer(self.out, word(32));
        }
        self.text(", msg_controllen=");
        write_uint(self.out, word(40));
        self.text(", msg_flags=");
        write_flags(self.out, &net::MSG, word(48) & 0xffff_ffff);
        self.out.push(b'}');
    }

    fn message_part(&self, arg: usize, kind: CaptureKind) -> Option<Capture<'a>> {
        let wanted = |c: &Capture<'_>| c.kind == kind && c.status != CaptureStatus::Unreadable;
        self.call.captures.of_arg(arg as u8).find(wanted)
    }
}
