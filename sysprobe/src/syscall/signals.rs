//! Names of signals and of sets of them, as strace writes them.

use super::flags::number::write_int;
/// The numbers, for code that must not do I/O and so stays clear of libc.
pub use libc::{
    SIGABRT, SIGBUS, SIGFPE, SIGHUP, SIGILL, SIGINT, SIGKILL, SIGQUIT, SIGSEGV, SIGSYS, SIGTERM, SIGTRAP, SIGXCPU,
    SIGXFSZ,
};

/// The name of a signal, real-time ones too; `None` if there is no such signal.
pub fn name(signo: i32) -> Option<&'static str> {
    NAMES.get(usize::try_from(signo).ok()?).copied().filter(|name| !name.is_empty())
}

/// Appends a signal's name, or its number if it has none.
pub fn write_signal(out: &mut Vec<u8>, signo: i32) {
    match name(signo) {
        Some(name) => out.extend_from_slice(name.as_bytes()),
        None => write_int(out, i64::from(signo)),
    }
}

/// Appends a signal set as the kernel holds it (bit n-1 is signal n): `[]`, `[CHLD INT]`, or by what it lacks, `~[RTMIN RT_1]`.
pub fn write_sigset(out: &mut Vec<u8>, bits: u64) {
    // Beyond two thirds of the signals the complement is shorter, and that is what strace shows.
    let (head, shown) = if bits.count_ones() >= 64 * 2 / 3 { (&b"~["[..], !bits) } else { (&b"["[..], bits) };
    out.extend_from_slice(head);
    let mut rest = shown;
    while rest != 0 {
        let signo = rest.trailing_zeros() as i32 + 1;
        rest &= rest - 1;
        let name = name(signo).unwrap_or("SIG?");
        let short =
            name.strip_prefix("SIGRT_").map_or_else(|| name.strip_prefix("SIG").unwrap_or(name), |_| &name[3..]);
        out.extend_from_slice(short.as_bytes());
        if rest != 0 {
            out.push(b' ');
        }
    }
    out.push(b']');
}

/// By number; the kernel's real-time signals begin at 32.
static NAMES: [&str; 65] = [
    "",
    "SIGHUP",
    "SIGINT",
    "SIGQUIT",
    "SIGILL",
    "SIGTRAP",
    "SIGABRT",
    "SIGBUS",
    "SIGFPE",
    "SIGKILL",
    "SIGUSR1",
    "SIGSEGV",
    "SIGUSR2",
    "SIGPIPE",
    "SIGALRM",
    "SIGTERM",
    "SIGSTKFLT",
    "SIGCHLD",
    "SIGCONT",
    "SIGSTOP",
    "SIGTSTP",
    "SIGTTIN",
    "SIGTTOU",
    "SIGURG",
    "SIGXCPU",
    "SIGXFSZ",
    "SIGVTALRM",
    "SIGPROF",
    "SIGWINCH",
    "SIGIO",
    "SIGPWR",
    "SIGSYS",
    "SIGRTMIN",
    "SIGRT_1",
    "SIGRT_2",
    "SIGRT_3",
    "SIGRT_4",
    "SIGRT_5",
    "SIGRT_6",
    "SIGRT_7",
    "SIGRT_8",
    "SIGRT_9",
    "SIGRT_10",
    "SIGRT_11",
    "SIGRT_12",
    "SIGRT_13",
    "SIGRT_14",
    "SIGRT_15",
    "SIGRT_16",
    "SIGRT_17",
    "SIGRT_18",
    "SIGRT_19",
    "SIGRT_20",
    "SIGRT_21",
    "SIGRT_22",
    "SIGRT_23",
    "SIGRT_24",
    "SIGRT_25",
    "SIGRT_26",
    "SIGRT_27",
    "SIGRT_28",
    "SIGRT_29",
    "SIGRT_30",
    "SIGRT_31",
    "SIGRT_32",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn set(bits: u64) -> String {
        let mut out = Vec::new();
        write_sigset(&mut out, bits);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn signals_have_the_kernel_s_names_real_time_ones_from_32() {
        assert_eq!(name(libc::SIGCHLD), Some("SIGCHLD"));
        assert_eq!(
            (name(31), name(32), name(33), name(64)),
            (Some("SIGSYS"), Some("SIGRTMIN"), Some("SIGRT_1"), Some("SIGRT_32"))
        );
        assert_eq!((name(0), name(65), name(-1)), (None, None, None));
    }

    #[test]
    fn sets_are_listed_or_by_what_they_lack_from_two_thirds_on() {
        assert_eq!(set(0), "[]");
        assert_eq!(set(0x1_0002), "[INT CHLD]");
        assert_eq!(set(u64::MAX), "~[]");
        assert_eq!(set(0xffff_fffe_7ffb_feff), "~[KILL STOP RTMIN RT_1]");
        assert!(set((1 << 41) - 1).starts_with("[HUP INT"));
        assert!(set((1 << 42) - 1).starts_with("~[RT_11"));
    }
}
