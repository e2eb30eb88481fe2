//! Hostile text: whatever the bytes, the reader ends, keeps its bounds and never fails.

#![expect(clippy::expect_used, reason = "a test says what it expects")]

use std::io::BufReader;

use proptest::prelude::*;
use sysprobe::explain::kernel_log::{Item, Reader};
use sysprobe::explain::stack::Mode;
use sysprobe::explain::{record, text};

use crate::cases;

/// Reads all items and renders each in both forms; gives how many there were and the terminal text.
fn explain(bytes: &[u8], mode: Mode) -> (usize, String) {
    let mut reader = Reader::new(BufReader::with_capacity(256, bytes), mode);
    let mut groups = text::Groups::default();
    let mut out = Vec::new();
    let mut count = 0;
    while let Some(item) = reader.next_item().expect("memory can be read") {
        count += 1;
        match item {
            Item::Stall(stall) => {
                assert!(stall.task.frames.len() <= 256);
                serde_json::to_string(&record::stall(&stall)).expect("a record");
                groups.add(stall);
            }
            Item::Oom(report) => {
                serde_json::to_string(&record::oom_kill(&report)).expect("a record");
                text::write_oom(&mut out, &report).expect("memory can be written");
            }
        }
    }
    groups.write(&mut out).expect("memory can be written");
    let styled = String::from_utf8(out).expect("text is UTF-8");
    (count, anstream::adapter::strip_str(&styled).to_string())
}

/// Every labelled case, as bytes.
fn all_cases() -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for folder in ["stall", "oom"] {
        let mut names: Vec<_> =
            std::fs::read_dir(cases().join(folder)).expect("cases").flatten().map(|e| e.path()).collect();
        names.sort();
        files.extend(names.into_iter().map(|name| std::fs::read(name).expect("a case")));
    }
    files
}

proptest! {
    #[test]
    fn any_bytes_are_read_to_the_end(bytes in proptest::collection::vec(any::<u8>(), 0..4096)) {
        explain(&bytes, Mode::Log);
        explain(&bytes, Mode::Stack);
    }

    #[test]
    fn a_report_cut_or_damaged_anywhere_is_read_to_the_end(case in 0usize..130, from in 0usize..4000, to in 0usize..4000, byte in any::<u8>()) {
        let files = all_cases();
        let file = &files[case % files.len()];
        let (from, to) = (from.min(file.len()), to.min(file.len()));
        let mut bytes = file[from.min(to)..from.max(to)].to_vec();
        if let Some(at) = bytes.len().checked_sub(1) {
            bytes[at / 2] = byte;
        }
        explain(&bytes, Mode::Log);
        explain(&bytes, Mode::Stack);
    }
}

#[test]
fn hostile_names_never_reach_the_terminal_raw() {
    let log = "INFO: task ev\u{1b}]0;il\u{7}\u{202e}:42 blocked for more than 120 seconds.\nCall Trace:\n schedule+0x1/0x2\n request_wait_answer+0x1/0x2\n\
               x\u{1b}[2J invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0\n\
               Out of memory: Killed process 7 (b\u{9b}31m) total-vm:8kB, anon-rss:4kB, file-rss:0kB\n";
    let mut reader = Reader::new(log.as_bytes(), Mode::Log);
    let mut raw = Vec::new();
    let mut groups = text::Groups::default();
    while let Some(item) = reader.next_item().expect("memory can be read") {
        match item {
            Item::Stall(stall) => groups.add(stall),
            Item::Oom(report) => text::write_oom(&mut raw, &report).expect("written"),
        }
    }
    groups.write(&mut raw).expect("written");
    let plain = anstream::adapter::strip_str(std::str::from_utf8(&raw).expect("UTF-8")).to_string();
    assert!(plain.chars().all(|c| c == '\n' || (!c.is_control() && c != '\u{202e}')), "{plain:?}");
    assert!(plain.contains("request_wait_answer") && plain.contains("was killed"), "{plain}");
}

#[test]
fn several_waiters_of_one_root_are_one_group() {
    let mut log = String::new();
    for pid in 1..=20 {
        log += &format!(
            "INFO: task dd:{pid} blocked for more than 120 seconds.\nCall Trace:\n schedule+0x1/0x2\n request_wait_answer+0x1/0x2 [fuse]\n"
        );
    }
    let (count, shown) = explain(log.as_bytes(), Mode::Log);
    assert_eq!((count, shown.matches("STALL").count()), (20, 1), "{shown}");
    assert!(shown.contains("dd[1] and 19 more"), "{shown}");
}

#[test]
fn two_tasks_that_hold_each_others_lock_are_a_deadlock() {
    let log = "INFO: task a:1 blocked for more than 120 seconds.\nCall Trace:\n schedule+0x1/0x2\n mutex_lock+0x1/0x2\n rtnl_lock+0x1/0x2\n\
               INFO: task a:1 is blocked on a mutex likely owned by task b:2.\n\
               INFO: task b:2 blocked for more than 120 seconds.\nCall Trace:\n schedule+0x1/0x2\n mutex_lock+0x1/0x2\n cgroup_rmdir+0x1/0x2\n\
               INFO: task b:2 is blocked on a mutex likely owned by task a:1.\n";
    let (_, shown) = explain(log.as_bytes(), Mode::Log);
    assert_eq!(shown.matches("STALL").count(), 1, "{shown}");
    assert!(shown.contains("deadlock") && shown.contains("cycle of 2 tasks"), "{shown}");
}
