//! Lines of a log that name a failing device or a server that does not answer: the root behind many a stall.
//!
//! The last few are kept; a stall gets those of its own kind. They support a verdict, they never make one.

use crate::explain::cause::{Class, Link};
use std::collections::VecDeque;

/// Hints remembered.
const MAX_HINTS: usize = 64;
/// Hints are for stalls that follow within so many lines.
const REACH_LINES: u64 = 20_000;
/// Hints that one stall gets.
const MAX_LINKS: usize = 3;

/// What a hint is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    Storage,
    Nfs,
    Smb,
    Ceph,
    Gpu,
    Device,
}

#[derive(Debug)]
struct Hint {
    about: About,
    subject: String,
    text: String,
    line: u64,
}

/// The last hints of a log.
#[derive(Debug, Default)]
pub struct Hints {
    kept: VecDeque<Hint>,
}

impl Hints {
    /// Remembers the line when it is a hint.
    pub fn take(&mut self, number: u64, text: &str) {
        let Some((about, subject)) = read(text) else { return };
        if about == About::Nfs && text.ends_with(" OK") {
            self.kept.retain(|h| h.about != About::Nfs || h.subject != subject);
            return;
        }
        // One line a subject: the newest.
        self.kept.retain(|h| h.about != about || h.subject != subject);
        if self.kept.len() >= MAX_HINTS {
            self.kept.pop_front();
        }
        self.kept.push_back(Hint { about, subject, text: text.chars().take(240).collect(), line: number });
    }

    /// Links for a stall of `class` first reported at `line`, with the lines themselves.
    pub fn links(&self, class: Class, line: u64) -> Vec<(Link, String)> {
        let fits = |hint: &&Hint| hint.line <= line && line - hint.line <= REACH_LINES && concerns(hint.about, class);
        let newest = self.kept.iter().rev().filter(fits).take(MAX_LINKS);
        newest
            .map(|hint| {
                let mut link = Link::new("log", format!("the log says of {}: {}", hint.subject, hint.text));
                match hint.about {
                    About::Nfs | About::Smb | About::Ceph => link.peer = Some(hint.subject.clone()),
                    About::Storage | About::Gpu | About::Device => link.device = Some(hint.subject.clone()),
                }
                (link, hint.text.clone())
            })
            .collect()
    }
}

fn concerns(about: About, class: Class) -> bool {
    match about {
        About::Nfs => class == Class::Nfs,
        About::Smb => class == Class::Smb,
        About::Ceph => class == Class::Ceph,
        About::Gpu => class == Class::GpuDriver,
        About::Device => class == Class::DeviceDriver,
        About::Storage => matches!(
            class,
            Class::BlockIo
                | Class::BlockQueue
                | Class::DeviceErrorHandling
                | Class::Md
                | Class::Dm
                | Class::DmSuspend
                | Class::Bcache
                | Class::FsJournal
                | Class::FsLock
                | Class::WritebackWait
                | Class::WritebackThrottle
                | Class::PageLock
                | Class::SwapIn
                | Class::Zfs
        ),
    }
}

/// The kind and the subject of a hint line.
fn read(text: &str) -> Option<(About, String)> {
    let subject = |word: &str| {
        let word = word.trim_matches([':', ',', '[', ']', '(', ')', '.']);
        (!word.is_empty() && word.len() <= 64 && word.bytes().all(|b| b.is_ascii_graphic())).then(|| word.to_owned())
    };
    let behind = |key: &str| {
        let (_, rest) = text.split_once(key)?;
        subject(rest.split_ascii_whitespace().next()?)
    };
    if text.starts_with("nvme nvme")
        && (text.contains("timeout") || text.contains("reset") || text.contains("abort") || text.contains("not ready"))
    {
        return behind("nvme ").map(|s| (About::Storage, s));
    }
    if text.contains("I/O error, dev ")
        || text.contains("critical medium error, dev ")
        || text.contains("critical target error, dev ")
    {
        return behind(" dev ").map(|s| (About::Storage, s));
    }
    if text.contains("rejecting I/O to offline device") || text.contains("timing out command") {
        return text.split_once('[').and_then(|(_, r)| subject(r.split(']').next()?)).map(|s| (About::Storage, s));
    }
    if text.starts_with("ata")
        && (text.contains("exception Emask") || text.contains("hard resetting link") || text.contains("SError"))
    {
        return subject(text.split([':', '.']).next()?).map(|s| (About::Storage, s));
    }
    if text.starts_with("md/raid") && text.contains("isk failure on ") {
        return behind("isk failure on ").map(|s| (About::Storage, s));
    }
    if text.contains("fs error (device ") || text.contains("FS error (device ") {
        return behind("(device ").map(|s| (About::Storage, s));
    }
    if text.starts_with("nfs: server ")
        && (text.contains("not responding") || text.ends_with(" OK") || text.contains("timed out"))
    {
        return behind("nfs: server ").map(|s| (About::Nfs, s));
    }
    if text.starts_with("CIFS") && text.contains("has not responded") {
        let host = text.split_once("\\\\").and_then(|(_, r)| subject(r.split_ascii_whitespace().next()?));
        return host.or_else(|| behind("Server ")).map(|s| (About::Smb, s));
    }
    if text.starts_with("libceph: ") || (text.starts_with("ceph: ") && text.contains("hung")) {
        return behind("ceph: ").map(|s| (About::Ceph, s));
    }
    if text.contains("NVRM: Xid (") {
        return behind("NVRM: Xid (").map(|s| (About::Gpu, s));
    }
    if text.contains("GPU HANG")
        || (text.contains("ring ") && text.contains(" timeout") && text.contains("amdgpu"))
        || text.contains("GPU reset")
    {
        return behind(" ").map(|s| (About::Gpu, s));
    }
    if text.starts_with("mmc") && text.contains("imeout waiting") {
        return subject(text.split(':').next()?).map(|s| (About::Storage, s));
    }
    if text.starts_with("usb ") && (text.contains("disconnect") || text.contains("reset ")) {
        return behind("usb ").map(|s| (About::Device, s));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_failing_device_or_server_is_named() {
        for (text, about, subject) in [
            ("nvme nvme1: I/O 852 QID 15 timeout, reset controller", About::Storage, "nvme1"),
            ("blk_update_request: I/O error, dev sda, sector 12", About::Storage, "sda"),
            ("nfs: server filer not responding, still trying", About::Nfs, "filer"),
            ("CIFS: VFS: \\\\files has not responded in 180 seconds. Reconnecting...", About::Smb, "files"),
            ("NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.", About::Gpu, "PCI:0000:01:00"),
        ] {
            assert_eq!(read(text), Some((about, subject.to_owned())), "{text}");
        }
    }

    #[test]
    fn a_server_that_answers_again_is_no_hint() {
        let mut hints = Hints::default();
        hints.take(1, "nfs: server filer not responding, still trying");
        assert_eq!(hints.links(Class::Nfs, 2).len(), 1);
        hints.take(3, "nfs: server filer OK");
        assert!(hints.links(Class::Nfs, 4).is_empty());
    }
}
