//! Files, buffers, memory.

use super::call;

const CWD: u64 = -100i32 as u32 as u64;

#[test]
fn files_are_opened_by_flags_and_mode() {
    let open = |flags, mode| call("openat", &[CWD, 0x1000, flags, mode]).file(0, 0, 2).enter(1, b"/x").ret(-2).line();
    let lead = r#"openat(AT_FDCWD</tmp>, "/x", "#;
    let error = " = -1 ENOENT (No such file or directory)";
    assert_eq!(open(0, 0o644), format!("{lead}O_RDONLY){error}"));
    assert_eq!(open(0o1101, 0o644), format!("{lead}O_WRONLY|O_CREAT|O_TRUNC, 0644){error}"));
    assert_eq!(open(0o20200000, 0o600), format!("{lead}O_RDONLY|O_TMPFILE, 0600){error}"));
}

#[test]
fn buffers_are_quoted_up_to_the_limit() {
    let text = b"abcdefghijklmnopqrstuvwxyz0123456";
    let write = call("write", &[1, 0x1000, 50]).cut(1, text).ret(50);
    assert_eq!(write.line(), r#"write(1, "abcdefghijklmnopqrstuvwxyz012345"..., 50) = 50"#);
    let write = call("write", &[1, 0x1000, 32]).exit(1, &text[..32]).ret(32);
    assert_eq!(write.line(), r#"write(1, "abcdefghijklmnopqrstuvwxyz012345", 32) = 32"#);
    assert_eq!(call("write", &[1, 0x1000, 0]).line(), r#"write(1, "", 0) = 0"#);
    assert_eq!(call("write", &[1, 0, 0]).line(), "write(1, NULL, 0) = 0");
    assert_eq!(
        call("read", &[3, 0x1000, 9]).file(0, 0, 1).exit(1, b"a\n").ret(2).line(),
        r#"read(3</etc/hosts>, "a\n", 9) = 2"#
    );
    assert_eq!(call("read", &[3, 0x1000, 9]).ret(-9).line(), "read(3, 0x1000, 9) = -1 EBADF (Bad file descriptor)");
    assert_eq!(
        call("pread64", &[3, 0x1000, 1, -1i64 as u64]).exit(1, b"x").ret(1).line(),
        r#"pread64(3, "x", 1, -1) = 1"#
    );
}

#[test]
fn unreadable_and_unread_pointers_are_told_apart() {
    assert_eq!(
        call("write", &[1, 0x10, 5]).unreadable(1).ret(-14).line(),
        "write(1, 0x10 [unreadable], 5) = -1 EFAULT (Bad address)"
    );
    assert_eq!(
        call("chdir", &[0x10]).unreadable(0).ret(-14).line(),
        "chdir(0x10 [unreadable]) = -1 EFAULT (Bad address)"
    );
    assert_eq!(call("chdir", &[0x10]).line(), "chdir(0x10) = 0");
    assert_eq!(call("chdir", &[0]).ret(-14).line(), "chdir(NULL) = -1 EFAULT (Bad address)");
}

#[test]
fn a_path_read_again_at_the_end_is_shown_whole() {
    let long = "d/".repeat(200);
    let text = call("chdir", &[0x1000])
        .with(0, super::capture::DATA, super::status::CUT, super::PHASE_ENTER, &long.as_bytes()[..255])
        .exit(0, long.as_bytes())
        .line();
    assert_eq!(text, format!("chdir(\"{long}\") = 0"));
    assert_eq!(call("chdir", &[0x1000]).cut(0, b"abc").line(), r#"chdir("abc"...) = 0"#);
    assert_eq!(call("chdir", &[0x1000]).enter(0, b"\xff\x1b[0m").line(), r#"chdir("\377\33[0m") = 0"#);
}

#[test]
fn vectors_show_each_buffer_as_far_as_it_was_filled() {
    let array = [0x1000u64, 2, 0x2000, 30, 0x3000, 9].map(u64::to_ne_bytes).concat();
    let read = call("readv", &[3, 0x9000, 3]).exit(1, &array).element(1, 0, b"ab").element(1, 1, b"cdef").ret(6);
    assert_eq!(
        read.line(),
        r#"readv(3, [{iov_base="ab", iov_len=2}, {iov_base="cdef", iov_len=30}, {iov_base="", iov_len=9}], 3) = 6"#
    );
    let write = call("pwritev", &[3, 0x9000, 1, 7, 0]).exit(1, &array[..16]).element(1, 0, b"ab").ret(2);
    assert_eq!(write.line(), r#"pwritev(3, [{iov_base="ab", iov_len=2}], 1, 7) = 2"#);
    let failed = call("readv", &[3, 0x9000, 1]).exit(1, &array[..16]).ret(-11);
    assert_eq!(
        failed.line(),
        "readv(3, [{iov_base=0x1000, iov_len=2}], 1) = -1 EAGAIN (Resource temporarily unavailable)"
    );
}

#[test]
fn results_read_by_their_kind() {
    assert_eq!(call("umask", &[0o22]).ret(0).line(), "umask(022) = 0");
    assert_eq!(call("umask", &[0]).ret(0o22).line(), "umask(000) = 022");
    assert_eq!(call("brk", &[0]).ret(0x5555_0000).line(), "brk(NULL) = 0x55550000");
    let mmap = call("mmap", &[0, 8192, 3, 0x22, -1i32 as u32 as u64, 0]).ret(0x7f00_0000_1000);
    assert_eq!(
        mmap.line(),
        "mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f0000001000"
    );
    assert_eq!(
        call("mmap", &[0, 8192, 1, 2, 3, 0x28000]).file(4, 0, 1).ret(-12).line(),
        "mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, 3</etc/hosts>, 0x28000) = -1 ENOMEM (Cannot allocate memory)"
    );
    assert_eq!(call("personality", &[0xffff_ffff]).line(), "personality(0xffffffff) = 0 (PER_LINUX)");
    assert_eq!(call("pause", &[]).ret(-514).line(), "pause() = ? ERESTARTNOHAND (To be restarted if no handler)");
}

#[test]
fn fcntl_reads_by_its_command() {
    let fcntl = |command: i32, arg, ret| call("fcntl", &[4, command as u64, arg]).file(0, 0, 3).ret(ret);
    assert_eq!(fcntl(libc::F_GETFD, 9, 1).line(), "fcntl(4<pipe:[42]>, F_GETFD) = 0x1 (flags FD_CLOEXEC)");
    assert_eq!(fcntl(libc::F_GETFD, 9, 0).line(), "fcntl(4<pipe:[42]>, F_GETFD) = 0");
    assert_eq!(
        fcntl(libc::F_GETFL, 9, 0x8002).line(),
        "fcntl(4<pipe:[42]>, F_GETFL) = 0x8002 (flags O_RDWR|O_LARGEFILE)"
    );
    assert_eq!(
        fcntl(libc::F_SETFL, 0o6000, 0).line(),
        "fcntl(4<pipe:[42]>, F_SETFL, O_RDONLY|O_APPEND|O_NONBLOCK) = 0"
    );
    assert_eq!(
        fcntl(libc::F_DUPFD_CLOEXEC, 10, 11).file(6, 0, 3).line(),
        "fcntl(4<pipe:[42]>, F_DUPFD_CLOEXEC, 10) = 11<pipe:[42]>"
    );
    let lock = [1u64, 0, 0, 0].map(u64::to_ne_bytes).concat();
    assert_eq!(
        fcntl(libc::F_SETLKW, 0x1000, 0).exit(2, &lock).line(),
        "fcntl(4<pipe:[42]>, F_SETLKW, {l_type=F_WRLCK, l_whence=SEEK_SET, l_start=0, l_len=0}) = 0"
    );
}

#[test]
fn pairs_offsets_and_directories() {
    let pair = [3i32, 4].map(i32::to_ne_bytes).concat();
    let pipe = call("pipe2", &[0x1000, 0o2000000]).exit(0, &pair).file(0, 0, 3).file(0, 1, 3);
    assert_eq!(pipe.line(), "pipe2([3<pipe:[42]>, 4<pipe:[42]>], O_CLOEXEC) = 0");
    assert_eq!(call("pipe2", &[0x1000, 0]).ret(-24).line(), "pipe2(0x1000, 0) = -1 EMFILE (Too many open files)");
    let send = call("sendfile", &[1, 3, 0x1000, 9]).enter(2, &0u64.to_ne_bytes()).exit(2, &4u64.to_ne_bytes());
    assert_eq!(send.ret(4).line(), "sendfile(1, 3, [0] => [4], 9) = 4");
    assert_eq!(call("sendfile", &[1, 3, 0, 9]).ret(4).line(), "sendfile(1, 3, NULL, 9) = 4");
    let entry = |len: u16| [&[0; 16][..], &len.to_ne_bytes(), &vec![b'x'; usize::from(len) - 18]].concat();
    let entries = [entry(24), entry(32)].concat();
    assert_eq!(
        call("getdents64", &[3, 0x1000, 32768]).exit(1, &entries).ret(56).line(),
        "getdents64(3, 0x1000 /* 2 entries */, 32768) = 56"
    );
    assert_eq!(call("getdents64", &[3, 0x1000, 32768]).line(), "getdents64(3, 0x1000 /* 0 entries */, 32768) = 0");
    assert_eq!(call("getcwd", &[0x1000, 99]).exit(0, b"/tmp\0").ret(5).line(), r#"getcwd("/tmp", 99) = 5"#);
}

#[test]
fn arguments_that_do_not_count_are_left_out() {
    assert_eq!(call("mknod", &[0x1000, 0o10600, 7]).enter(0, b"f").line(), r#"mknod("f", S_IFIFO|0600) = 0"#);
    assert_eq!(
        call("mknod", &[0x1000, 0o20600, 0x103]).enter(0, b"n").line(),
        r#"mknod("n", S_IFCHR|0600, makedev(0x1, 0x3)) = 0"#
    );
    assert_eq!(
        call("mremap", &[0x1000, 4096, 8192, 1, 7]).ret(0x2000).line(),
        "mremap(0x1000, 4096, 8192, MREMAP_MAYMOVE) = 0x2000"
    );
    assert_eq!(call("preadv2", &[3, 0x1000, 0, 5, 0, 0]).line(), "preadv2(3, [], 0, 5, 0) = 0");
    assert_eq!(
        call("getrandom", &[0x1000, 2, 1]).exit(0, b"\xd6\x0c").ret(2).line(),
        r#"getrandom("\xd6\x0c", 2, GRND_NONBLOCK) = 2"#
    );
}

#[test]
fn terminals_and_unknown_requests() {
    assert_eq!(
        call("ioctl", &[0, 0x5401, 0x7ffd]).ret(-25).line(),
        "ioctl(0, TCGETS, 0x7ffd) = -1 ENOTTY (Inappropriate ioctl for device)"
    );
    assert_eq!(call("ioctl", &[0, 0x541b, 0x7ffd]).exit(2, &7u32.to_ne_bytes()).line(), "ioctl(0, FIONREAD, [7]) = 0");
    assert_eq!(call("ioctl", &[3, 0x5451, 9]).line(), "ioctl(3, FIOCLEX) = 0");
    assert_eq!(
        call("ioctl", &[3, 0xdead_5678, 7]).ret(-25).line(),
        "ioctl(3, _IOC(_IOC_READ|_IOC_WRITE, 0x56, 0x78, 0x1ead), 0x7) = -1 ENOTTY (Inappropriate ioctl for device)"
    );
}
