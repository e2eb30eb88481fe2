//! `select`, `pselect6`, `epoll_ctl`, and the results of the calls that wait for descriptors.

use crate::event::Phase;
use crate::syscall::flags::number::write_int;
use crate::syscall::flags::{poll, write_flags};
use crate::syscall::structs::EPOLL_EVENT;
use crate::syscall::structs::StructSpec;
use crate::syscall::structs::{TIMESPEC, TIMEVAL};
use crate::syscall::table::ArgKind;
use crate::syscall::text::ArgWriter;
use crate::syscall::text::arrays::{MAX_ELEMENTS, pollfd};

/// `select`: from the first set on.
pub fn select(w: &mut ArgWriter<'_>, first: usize) {
    sets(w, first);
    w.next(first + 3, ArgKind::StructEnter(&TIMEVAL));
}

/// `pselect6`: from the first set on. The last argument points to a signal set's address and size, which are not followed.
pub fn pselect6(w: &mut ArgWriter<'_>, first: usize) {
    sets(w, first);
    w.next(first + 3, ArgKind::StructEnter(&TIMESPEC));
    w.next(first + 4, ArgKind::Ptr);
}

/// `epoll_ctl`: from the operation on.
pub fn epoll_ctl(w: &mut ArgWriter<'_>, first: usize) {
    w.value(first, &poll::EPOLL_CTL);
    w.next(first + 1, ArgKind::Fd);
    let deletes = w.arg(first) as i32 == libc::EPOLL_CTL_DEL;
    w.next(first + 2, if deletes { ArgKind::Ptr } else { ArgKind::Struct(&EPOLL_EVENT) });
}

fn sets(w: &mut ArgWriter<'_>, first: usize) {
    for arg in first..first + 3 {
        w.begin();
        match w.at(arg, Phase::Enter) {
            Some(bytes) => {
                let limit = w.arg(0) as i32;
                w.text("[");
                let mut lead = "";
                for fd in descriptors(bytes, limit) {
                    w.text(lead);
                    lead = " ";
                    w.names.write_fd(w.out, fd, w.names.by_fd(w.call.tgid, fd));
                }
                w.text("]");
            }
            None => w.input(arg, |w, _| w.pointer(arg)),
        }
    }
}

/// The descriptors below `limit` in an `fd_set`.
fn descriptors(bytes: &[u8], limit: i32) -> impl Iterator<Item = i32> {
    let bits = bytes.len().saturating_mul(8).min(usize::try_from(limit).unwrap_or(0));
    (0..bits).filter(|bit| bytes.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1)).map(|bit| bit as i32)
}

impl ArgWriter<'_> {
    /// ` (in [3], left {..})` or ` (Timeout)` after the result of `select` and `pselect6`.
    pub(in crate::syscall::text) fn select_result(&mut self, ret: i64) {
        if ret == 0 {
            return self.text(" (Timeout)");
        }
        if ret < 0 {
            return;
        }
        let spec: &StructSpec = if self.call.nr == libc::SYS_select as u32 { &TIMEVAL } else { &TIMESPEC };
        let limit = self.arg(0) as i32;
        let mut lead = " (";
        for (arg, name) in [(1, "in ["), (2, "out ["), (3, "except [")] {
            let Some(bytes) = self.at(arg, Phase::Exit) else { continue };
            let mut any = false;
            for fd in descriptors(bytes, limit) {
                if any {
                    self.text(" ");
                } else {
                    self.text(lead);
                    self.text(name);
                    lead = ", ";
                    any = true;
                }
                write_int(self.out, i64::from(fd));
            }
            if any {
                self.text("]");
            }
        }
        if let Some(left) = self.at(4, Phase::Exit) {
            self.text(lead);
            self.text("left ");
            lead = ", ";
            (spec.write)(self.out, left);
        }
        if lead != " (" {
            self.text(")");
        }
    }

    /// ` ([{fd=3, revents=POLLIN}])` or ` (Timeout)` after the result of `poll` and `ppoll`.
    pub(in crate::syscall::text) fn poll_result(&mut self, ret: i64) {
        if ret == 0 {
            return self.text(" (Timeout)");
        }
        let Some(bytes) = self.at(0, Phase::Exit).filter(|_| ret > 0) else { return };
        let count = usize::try_from(self.arg(1) & 0xffff_ffff).unwrap_or(usize::MAX);
        let mut shown = 0;
        self.text(" ([");
        for element in bytes.chunks_exact(8).take(count) {
            let (fd, _, revents) = pollfd(element);
            if revents == 0 {
                continue;
            }
            self.text(if shown > 0 { ", " } else { "" });
            if shown == MAX_ELEMENTS {
                self.text("...");
                break;
            }
            self.text("{fd=");
            write_int(self.out, i64::from(fd));
            self.text(", revents=");
            write_flags(self.out, &poll::POLL, u64::from(revents));
            self.text("}");
            shown += 1;
        }
        self.text("]");
        if self.call.nr == libc::SYS_ppoll as u32
            && let Some(left) = self.at(2, Phase::Exit)
        {
            self.text(", left ");
            (TIMESPEC.write)(self.out, left);
        }
        self.text(")");
    }
}
