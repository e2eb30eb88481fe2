//! Every structure against what strace 6.1 printed of the same bytes, and properties that hold for any bytes.
//!
//! `strace-6.1.txt` has one case a line: the spec, the bytes in hex, the text. The texts were recorded by making each call, with
//! those bytes in memory, under `strace -e inject=CALL:retval=0` (or `:error=EPERM` for what is shown at the call's entry).

use super::*;
use proptest::prelude::*;

static SPECS: &[(&str, &StructSpec)] = &[
    ("CAP_DATA", &CAP_DATA),
    ("CAP_HEADER", &CAP_HEADER),
    ("CLONE_ARGS", &CLONE_ARGS),
    ("EPOLL_EVENT", &EPOLL_EVENT),
    ("EPOLL_PARAMS", &EPOLL_PARAMS),
    ("FILE_HANDLE", &FILE_HANDLE),
    ("FLOCK", &FLOCK),
    ("FLOCK_OWNED", &FLOCK_OWNED),
    ("FUTEX_WAITV", &FUTEX_WAITV),
    ("IO_URING_PARAMS", &IO_URING_PARAMS),
    ("IO_URING_PARAMS_IN", &IO_URING_PARAMS_IN),
    ("ITIMERSPEC", &ITIMERSPEC),
    ("ITIMERVAL", &ITIMERVAL),
    ("LANDLOCK_PATH", &LANDLOCK_PATH),
    ("LANDLOCK_RULESET", &LANDLOCK_RULESET),
    ("LINGER", &LINGER),
    ("MOUNT_ATTR", &MOUNT_ATTR),
    ("MQ_ATTR", &MQ_ATTR),
    ("MQ_ATTR_FLAGS", &MQ_ATTR_FLAGS),
    ("OPEN_HOW", &OPEN_HOW),
    ("OWNER", &OWNER),
    ("PERF_EVENT_ATTR", &PERF_EVENT_ATTR),
    ("POLLFD", &POLLFD),
    ("RLIMIT", &RLIMIT),
    ("ROBUST_LIST", &ROBUST_LIST),
    ("RSEQ", &RSEQ),
    ("RUSAGE", &RUSAGE),
    ("SCHED_ATTR", &SCHED_ATTR),
    ("SCHED_PARAM", &SCHED_PARAM),
    ("SEMBUF", &SEMBUF),
    ("SIGACTION", &SIGACTION),
    ("SIGEVENT", &SIGEVENT),
    ("SIGINFO", &SIGINFO),
    ("SIGSET", &SIGSET),
    ("SOCKADDR", &SOCKADDR),
    ("STACK", &STACK),
    ("STAT", &STAT),
    ("STATFS", &STATFS),
    ("STATX", &STATX),
    ("SYSINFO", &SYSINFO),
    ("TERMIOS", &TERMIOS),
    ("TIMESPEC", &TIMESPEC),
    ("TIMEVAL", &TIMEVAL),
    ("TIMEX", &TIMEX),
    ("TIMEZONE", &TIMEZONE),
    ("TMS", &TMS),
    ("UCRED", &UCRED),
    ("UTIMBUF", &UTIMBUF),
    ("UTIMENS", &UTIMENS),
    ("UTIMES", &UTIMES),
    ("UTSNAME", &UTSNAME),
    ("WAIT_STATUS", &WAIT_STATUS),
    ("WINSIZE", &WINSIZE),
];

fn spec(name: &str) -> &'static StructSpec {
    SPECS.iter().find(|(known, _)| *known == name).map(|(_, spec)| *spec).unwrap()
}

fn text(spec: &StructSpec, bytes: &[u8]) -> String {
    let mut out = Vec::new();
    (spec.write)(&mut out, bytes);
    String::from_utf8(out).unwrap()
}

fn unhex(digits: &str) -> Vec<u8> {
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}

/// Dates are in the zone of the machine that runs this; `time` tests them in zones of its own.
fn without_dates(text: &str) -> String {
    let mut parts = text.split(" /* ");
    let mut out = parts.next().unwrap().to_owned();
    for part in parts {
        let (comment, rest) = part.split_once(" */").unwrap();
        if comment.contains('T') && comment.contains(':') {
            out += rest;
        } else {
            out += &format!(" /* {part}");
        }
    }
    out
}

#[test]
fn structures_read_as_strace_shows_them() {
    let mut wrong = Vec::new();
    for line in include_str!("strace-6.1.txt").lines() {
        let mut parts = line.splitn(3, ' ');
        let (name, bytes, expected) = (parts.next().unwrap(), unhex(parts.next().unwrap()), parts.next().unwrap());
        let got = text(spec(name), &bytes);
        if without_dates(&got) != without_dates(expected) {
            wrong.push(format!("{name}\n  strace {expected}\n  here   {got}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_structure_cut_short_shows_its_whole_fields_and_dots() {
    assert_eq!(text(&TIMESPEC, &[5, 0, 0, 0, 0, 0, 0, 0, 1]), "{tv_sec=5, ...}");
    assert_eq!(text(&TIMESPEC, &[]), "{...}");
    assert_eq!(text(&ITIMERSPEC, &[0; 24]), "{it_interval={tv_sec=0, tv_nsec=0}, it_value={tv_sec=0, ...}, ...}");
    assert_eq!(text(&STAT, &[0; 30]), "{st_mode=000, ...}");
    assert_eq!(text(&SIGSET, &[1]), "[...]");
    assert_eq!(text(&WAIT_STATUS, &[1]), "[...]");
    assert_eq!(text(&UTIMENS, &[0; 16]), "[{tv_sec=0, tv_nsec=0}, ...]");
}

#[test]
fn select_sets_list_their_members() {
    let set = |bytes: &[u8], nfds| {
        let mut out = Vec::new();
        write_fd_set(&mut out, bytes, nfds);
        String::from_utf8(out).unwrap()
    };
    assert_eq!(set(&[0x28, 0, 0, 0, 0, 0, 0, 0], 8), "[3 5]");
    assert_eq!(set(&[0xff, 0, 0, 0, 0, 0, 0, 0], 3), "[0 1 2]");
    assert_eq!(set(&[1, 0, 0, 0, 0, 0, 0, 0, 0x21, 0, 0, 0, 0, 0, 0, 0], 70), "[0 64 69]");
    assert_eq!(set(&[0; 16], 8), "[]");
    assert_eq!(set(&[1, 0, 0, 0, 0, 0, 0, 0], 70), "[0 ...]");
}

#[test]
fn directory_entries_are_counted_and_extrapolated_when_cut() {
    let entry = |len: u16| {
        let mut bytes = vec![0; usize::from(len)];
        bytes[16..18].copy_from_slice(&len.to_le_bytes());
        bytes
    };
    let buffer = [entry(24), entry(32), entry(24)].concat();
    assert_eq!(count_dirents64(&buffer, buffer.len()), (3, true));
    assert_eq!(count_dirents64(&buffer, 0), (0, true));
    assert_eq!(count_dirents64(&buffer[..60], 160), (6, false));
    assert_eq!(count_dirents64(&[0; 64], 64), (0, false));
}

#[test]
fn what_the_kernel_sends_with_a_signal_is_shown_from_its_record() {
    let mut out = Vec::new();
    write_siginfo(&mut out, libc::SIGCHLD, 0, libc::CLD_EXITED, &{
        let mut union = [0; 32];
        union[..4].copy_from_slice(&7_i32.to_le_bytes());
        union
    });
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "{si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=7, si_uid=0, si_status=0, si_utime=0, si_stime=0}"
    );
}

proptest! {
    #[test]
    fn any_bytes_make_plain_text(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        for (name, spec) in SPECS {
            let text = text(spec, &bytes);
            prop_assert!(!text.is_empty() && text.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{name}: {text:?}");
        }
    }

    #[test]
    fn any_family_of_address_makes_plain_text(family in 0u16..50, tail in proptest::collection::vec(any::<u8>(), 0..130)) {
        let bytes = [&family.to_le_bytes()[..], &tail].concat();
        let text = text(&SOCKADDR, &bytes);
        prop_assert!(text.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{text:?}");
    }

    #[test]
    fn any_select_set_and_directory_is_walked_to_its_end(bytes in proptest::collection::vec(any::<u8>(), 0..200), number in any::<u64>()) {
        let mut out = Vec::new();
        write_fd_set(&mut out, &bytes, number);
        prop_assert!(out.ends_with(b"]"));
        let (count, _) = count_dirents64(&bytes, number as usize & 0xffff);
        prop_assert!(count <= 0xffff);
    }
}
