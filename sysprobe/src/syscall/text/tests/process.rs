//! Processes, signals, time.

use super::{call, capture, names, writer};
use crate::event::Tid;
use crate::syscall::text::TextSettings;
use sysprobe_common::event::{EventHeader, SignalRaw};

fn words<const N: usize>(words: [u64; N]) -> Vec<u8> {
    words.map(u64::to_ne_bytes).concat()
}

#[test]
fn images_show_their_arguments_and_count_their_environment() {
    let exec = call("execve", &[0x1000, 0x2000, 0x7ffd]).enter(0, b"/bin/ls");
    assert_eq!(
        exec.part(1, capture::CMDLINE, b"ls\0-l\0\0").part(2, capture::COUNT, &38u64.to_ne_bytes()).line(),
        r#"execve("/bin/ls", ["ls", "-l", ""], 0x7ffd /* 38 vars */) = 0"#
    );
    let failed = call("execve", &[0x1000, 0x2000, 0]).enter(0, b"/no").element(1, 0, b"no").ret(-2);
    assert_eq!(failed.line(), r#"execve("/no", ["no"], NULL) = -1 ENOENT (No such file or directory)"#);
    let one = call("execve", &[0x1000, 0, 0x7ffd]).enter(0, b"/x").part(2, capture::COUNT, &1u64.to_ne_bytes());
    assert_eq!(one.ret(-14).line(), r#"execve("/x", NULL, 0x7ffd /* 1 var */) = -1 EFAULT (Bad address)"#);
    let many: Vec<u8> = (0..40).flat_map(|_| *b"a\0").collect();
    let line = call("execve", &[0x1000, 0x2000, 0]).enter(0, b"x").part(1, capture::CMDLINE, &many).line();
    assert!(line.contains(r#""a", ...], NULL"#) && line.matches("\"a\"").count() == 32, "{line}");
}

#[test]
fn clones_show_the_registers_that_count() {
    assert_eq!(
        call("clone", &[0x0120_0011, 0, 0, 0x7f10, 0]).ret(99).line(),
        "clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID|SIGCHLD, child_tidptr=0x7f10) = 99"
    );
    let args = words([0x0010_0000, 0, 0, 0x7f20, 0, 0x7f30, 0x7fff80, 0, 0, 0, 0]);
    let line = call("clone3", &[0x1000, 88]).exit(0, &args).ret(99).line();
    assert!(line.starts_with("clone3({flags=CLONE_PARENT_SETTID, "), "{line}");
    assert!(line.ends_with("} => {parent_tid=[99]}, 88) = 99"), "{line}");
}

#[test]
fn children_waited_for_show_their_end() {
    let wait = call("wait4", &[-1i32 as u32 as u64, 0x1000, 0, 0]).exit(1, &(3u32 << 8).to_ne_bytes());
    assert_eq!(wait.ret(99).line(), "wait4(-1, [{WIFEXITED(s) && WEXITSTATUS(s) == 3}], 0, NULL) = 99");
    let none = call("wait4", &[-1i32 as u32 as u64, 0x1000, 1, 0]).exit(1, &0u32.to_ne_bytes());
    assert_eq!(none.line(), "wait4(-1, 0x1000, WNOHANG, NULL) = 0");
}

#[test]
fn structs_in_and_out() {
    assert_eq!(
        call("rt_sigprocmask", &[0, 0x1000, 0x2000, 8]).enter(1, &words([1 << 11])).exit(2, &words([0])).line(),
        "rt_sigprocmask(SIG_BLOCK, [USR2], [], 8) = 0"
    );
    assert_eq!(
        call("prlimit64", &[0, 7, 0, 0x2000]).exit(3, &words([1024, 20000])).line(),
        "prlimit64(0, RLIMIT_NOFILE, NULL, {rlim_cur=1024, rlim_max=20000}) = 0"
    );
    assert_eq!(
        call("nanosleep", &[0x1000, 0x2000]).enter(0, &words([1, 5])).exit(1, &words([0, 9])).line(),
        "nanosleep({tv_sec=1, tv_nsec=5}, 0x2000) = 0"
    );
    assert_eq!(
        call("nanosleep", &[0x1000, 0x2000]).enter(0, &words([1, 5])).exit(1, &words([0, 9])).ret(-516).line(),
        "nanosleep({tv_sec=1, tv_nsec=5}, {tv_sec=0, tv_nsec=9}) = ? ERESTART_RESTARTBLOCK (Interrupted by signal)"
    );
    assert_eq!(
        call("rt_sigtimedwait", &[0x1000, 0x2000, 0, 8]).exit(0, &words([1 << 11])).ret(-11).line(),
        "rt_sigtimedwait([USR2], 0x2000, NULL, 8) = -1 EAGAIN (Resource temporarily unavailable)"
    );
    assert_eq!(
        call("sched_getaffinity", &[0, 8, 0x1000]).exit(2, &words([0b1101])).ret(8).line(),
        "sched_getaffinity(0, 8, [0 2 3]) = 8"
    );
    assert_eq!(
        call("getresuid", &[1, 2, 3]).exit(0, &[0; 4]).exit(1, &[0; 4]).exit(2, &[255; 4]).line(),
        "getresuid([0], [0], [4294967295]) = 0"
    );
    assert_eq!(call("setresuid", &[0xffff_ffff, 5, 0]).line(), "setresuid(-1, 5, 0) = 0");
    assert_eq!(call("sched_getscheduler", &[0]).line(), "sched_getscheduler(0) = 0 (SCHED_OTHER)");
    assert_eq!(call("getgroups", &[0, 0]).ret(3).line(), "getgroups(0, NULL) = 3");
    assert_eq!(
        call("getgroups", &[9, 0x1000]).exit(1, &[1u32, 2].map(u32::to_ne_bytes).concat()).ret(2).line(),
        "getgroups(9, [1, 2]) = 2"
    );
}

#[test]
fn options_take_what_they_take() {
    assert_eq!(call("prctl", &[15, 0x1000]).exit(1, b"hello\0garbage...").line(), r#"prctl(PR_SET_NAME, "hello") = 0"#);
    assert_eq!(call("prctl", &[1, 9]).line(), "prctl(PR_SET_PDEATHSIG, SIGKILL) = 0");
    assert_eq!(call("prctl", &[38, 1, 0, 0, 0]).line(), "prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) = 0");
    assert_eq!(call("prctl", &[3]).ret(1).line(), "prctl(PR_GET_DUMPABLE) = 1 (SUID_DUMP_USER)");
    assert_eq!(call("arch_prctl", &[0x1002, 0x7f10]).line(), "arch_prctl(ARCH_SET_FS, 0x7f10) = 0");
    assert_eq!(call("rseq", &[0x7f10, 0x20, 0, 0x5305_3053]).line(), "rseq(0x7f10, 0x20, 0, 0x53053053) = 0");
}

#[test]
fn futexes_read_by_their_operation() {
    assert_eq!(call("futex", &[0x1000, 0x81, 1]).ret(1).line(), "futex(0x1000, FUTEX_WAKE_PRIVATE, 1) = 1");
    assert_eq!(call("futex", &[0x1000, 0x80, 2, 0]).line(), "futex(0x1000, FUTEX_WAIT_PRIVATE, 2, NULL) = 0");
    assert_eq!(
        call("futex", &[0x1000, 0x89, 0, 0x2000, 0, 0xffff_ffff]).exit(3, &words([9, 7])).ret(-110).line(),
        "futex(0x1000, FUTEX_WAIT_BITSET_PRIVATE, 0, {tv_sec=9, tv_nsec=7}, FUTEX_BITSET_MATCH_ANY) = -1 ETIMEDOUT (Connection timed out)"
    );
    assert_eq!(
        call("futex", &[0x1000, 0x84, 1, 0x7fff_ffff, 0x2000, 6]).ret(1).line(),
        "futex(0x1000, FUTEX_CMP_REQUEUE_PRIVATE, 1, 2147483647, 0x2000, 6) = 1"
    );
}

#[test]
fn signals_and_ends_have_their_own_lines() {
    let header = EventHeader { tid: 1234, ts_ns: 0, ..EventHeader::default() };
    let mut fields = [0; 32];
    fields[..4].copy_from_slice(&99u32.to_ne_bytes());
    let signal = SignalRaw { header, signo: 10, errno: 0, code: 0, pad: 0, fields };
    let mut writer = writer(TextSettings { show_time: false, ..TextSettings::default() });
    let mut out = Vec::new();
    writer.write_signal(&mut out, &signal);
    writer.write_exit(&mut out, Tid(1234), 0, 3 << 8);
    writer.write_exit(&mut out, Tid(1234), 0, 9);
    writer.write_exit(&mut out, Tid(1234), 0, 11 | 0x80);
    let text = String::from_utf8(out).unwrap();
    assert_eq!(
        text,
        "--- SIGUSR1 {si_signo=SIGUSR1, si_code=SI_USER, si_pid=99, si_uid=0} ---\n\
         +++ exited with 3 +++\n\
         +++ killed by SIGKILL +++\n\
         +++ killed by SIGSEGV (core dumped) +++\n"
    );
    assert!(names().name(sysprobe_common::event::FileKeyRaw::default()).is_none());
}
