//! Values as strace 6.1 printed them, and properties every set must keep.

use super::*;
use proptest::prelude::*;

pub(super) fn flags(set: &FlagSet, value: u64) -> String {
    let mut out = Vec::new();
    write_flags(&mut out, set, value);
    String::from_utf8(out).unwrap()
}

pub(super) fn value(set: &FlagSet, value: u64) -> String {
    let mut out = Vec::new();
    write_value(&mut out, set, value);
    String::from_utf8(out).unwrap()
}

#[test]
fn open_flags_show_the_access_mode_first_and_composites_whole() {
    assert_eq!(flags(&open::OPEN, 0), "O_RDONLY");
    assert_eq!(flags(&open::OPEN, 3), "O_ACCMODE");
    assert_eq!(flags(&open::OPEN, 0o1101), "O_WRONLY|O_CREAT|O_TRUNC");
    assert_eq!(flags(&open::OPEN, 0o20200000), "O_RDONLY|O_TMPFILE");
    assert_eq!(flags(&open::OPEN, 0x8000_0000), "O_RDONLY|0x80000000");
    assert_eq!(
        flags(&open::OPEN, u64::MAX),
        "O_ACCMODE|O_CREAT|O_EXCL|O_NOCTTY|O_TRUNC|O_APPEND|O_NONBLOCK|O_SYNC|O_DIRECT|O_LARGEFILE|O_NOFOLLOW|\
         O_NOATIME|O_CLOEXEC|O_PATH|O_TMPFILE|FASYNC|0xff80003c"
    );
}

#[test]
fn zero_has_its_name_or_is_a_digit() {
    assert_eq!(flags(&memory::PROT, 0), "PROT_NONE");
    assert_eq!(flags(&open::ACCESS, 0), "F_OK");
    assert_eq!(flags(&open::AT, 0), "0");
    assert_eq!(flags(&fd::PIPE, 0), "0");
}

#[test]
fn what_has_no_name_is_shown_in_hexadecimal() {
    assert_eq!(flags(&open::ACCESS, 8), "0x8 /* ?_OK */");
    assert_eq!(flags(&open::ACCESS, 9), "X_OK|0x8");
    assert_eq!(value(&open::WHENCE, 9), "0x9 /* SEEK_??? */");
    assert_eq!(value(&open::WHENCE, 0xffff_0000_0000_0002), "SEEK_END");
}

#[test]
fn mappings_show_type_first_and_page_size_last() {
    assert_eq!(flags(&memory::MAP, 0x22), "MAP_PRIVATE|MAP_ANONYMOUS");
    assert_eq!(flags(&memory::MAP, 0x20), "MAP_FILE|MAP_ANONYMOUS");
    assert_eq!(flags(&memory::MAP, 2 | 0x40000 | 21 << 26), "MAP_PRIVATE|MAP_HUGETLB|21<<MAP_HUGE_SHIFT");
    assert_eq!(flags(&memory::MAP, 0xf), "0xf /* MAP_??? */");
}

#[test]
fn clone_shows_the_exit_signal_last() {
    assert_eq!(flags(&task::CLONE, 0x01200011), "CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID|SIGCHLD");
    assert_eq!(flags(&task::CLONE, 0x11), "SIGCHLD");
    assert_eq!(flags(&task::CLONE, 0), "0");
}

#[test]
fn futex_operations_carry_their_flags() {
    assert_eq!(value(&futex::FUTEX, 0x189), "FUTEX_WAIT_BITSET_PRIVATE|FUTEX_CLOCK_REALTIME");
    assert_eq!(value(&futex::FUTEX, 0x81), "FUTEX_WAKE_PRIVATE");
    assert_eq!(value(&futex::FUTEX, 0x1ff), "0x1ff /* FUTEX_??? */");
}

#[test]
fn statx_and_personality_have_fields_and_flags() {
    assert_eq!(flags(&open::AT_STATX, 0x100), "AT_STATX_SYNC_AS_STAT|AT_SYMLINK_NOFOLLOW");
    assert_eq!(flags(&open::STATX_MASK, 0x2fff), "STATX_ALL|STATX_DIOALIGN");
    assert_eq!(flags(&task::PERSONALITY, 0x0004_0008), "PER_LINUX32|ADDR_NO_RANDOMIZE");
}

#[test]
fn modes_show_type_and_special_bits() {
    let mode = |mode| {
        let mut out = Vec::new();
        write_mode(&mut out, mode);
        String::from_utf8(out).unwrap()
    };
    assert_eq!(mode(0o100644), "S_IFREG|0644");
    assert_eq!(mode(0o41777), "S_IFDIR|S_ISVTX|0777");
    assert_eq!(mode(0o104755), "S_IFREG|S_ISUID|0755");
    assert_eq!(mode(0), "000");
}

proptest! {
    #[test]
    fn no_value_makes_output_that_is_not_plain_text(value in any::<u64>()) {
        for set in [&open::OPEN, &memory::MAP, &task::CLONE, &task::CLONE3, &futex::FUTEX, &open::AT_STATX] {
            let text = flags(set, value);
            prop_assert!(text.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{text:?}");
            prop_assert!(!text.is_empty() && !text.starts_with('|') && !text.ends_with('|'));
        }
    }
}
