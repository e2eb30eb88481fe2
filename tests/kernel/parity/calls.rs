//! Workloads that make one call after the other with arguments worth showing, and their comparison.

use std::ffi::{CString, c_long, c_void};
use std::ptr::{null, null_mut};

use super::{needs_strace, same_of_workload};
use crate::workload::Workload;

pub const WORKLOADS: [(&str, Workload); 5] = [
    ("calls_on_paths", on_paths),
    ("calls_on_descriptors", on_descriptors),
    ("calls_on_memory_and_time", on_memory_and_time),
    ("calls_on_processes_and_signals", on_processes_and_signals),
    ("calls_that_fail", that_fail),
];

/// Makes a call by number: what the C library would change or leave out is not.
macro_rules! call {
    ($nr:ident $(, $arg:expr)* $(,)?) => {
        // SAFETY: the workload's own memory, or an address that the kernel refuses.
        unsafe { libc::syscall(libc::$nr $(, $arg)*) }
    };
}

fn c(text: &str) -> CString {
    CString::new(text).unwrap()
}

/// A pointer nobody may read.
const BAD: *const c_void = 0x10 as *const c_void;

#[test]
fn calls_on_paths_read_the_same() {
    needs_strace!();
    same_of_workload("calls_on_paths");
}

#[test]
fn calls_on_descriptors_read_the_same() {
    needs_strace!();
    same_of_workload("calls_on_descriptors");
}

#[test]
fn calls_on_memory_and_time_read_the_same() {
    needs_strace!();
    same_of_workload("calls_on_memory_and_time");
}

#[test]
fn calls_on_processes_and_signals_read_the_same() {
    needs_strace!();
    same_of_workload("calls_on_processes_and_signals");
}

#[test]
fn calls_that_fail_read_the_same() {
    needs_strace!();
    same_of_workload("calls_that_fail");
}

fn on_paths(folder: &str) -> i32 {
    let (file, other, dir) = (c("file"), c("a \"name\"\n\x01\u{e9}"), c("dir"));
    let (file, other, dir) = (file.as_ptr(), other.as_ptr(), dir.as_ptr());
    let at = libc::AT_FDCWD;
    let mut stat = [0u8; 512];
    let stat = stat.as_mut_ptr();
    let mut buffer = [0u8; 256];
    let buffer = buffer.as_mut_ptr();
    let fd = call!(SYS_open, file, libc::O_RDWR | libc::O_CREAT | libc::O_EXCL | libc::O_CLOEXEC, 0o640);
    call!(SYS_write, fd, c"some text\n".as_ptr(), 10);
    call!(SYS_creat, other, 0o600);
    call!(SYS_openat, at, c".".as_ptr(), libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NONBLOCK);
    let how = [libc::O_RDONLY as u64, 0, libc::RESOLVE_BENEATH];
    call!(SYS_openat2, at, file, how.as_ptr(), 24);
    for nr in [libc::SYS_stat, libc::SYS_lstat] {
        // SAFETY: as in `call`.
        unsafe { libc::syscall(nr, file, stat) };
    }
    call!(SYS_fstat, fd, stat);
    call!(SYS_stat, c"/dev/null".as_ptr(), stat);
    call!(SYS_newfstatat, at, file, stat, libc::AT_SYMLINK_NOFOLLOW);
    call!(SYS_statx, at, file, libc::AT_STATX_DONT_SYNC, libc::STATX_SIZE | libc::STATX_MODE, stat);
    call!(SYS_access, file, libc::R_OK | libc::X_OK);
    call!(SYS_faccessat, at, file, libc::F_OK);
    call!(SYS_faccessat2, at, file, libc::W_OK, libc::AT_EACCESS);
    call!(SYS_mkdir, dir, 0o755);
    call!(SYS_mkdirat, at, c"dir/inner".as_ptr(), 0o700);
    call!(SYS_chdir, dir);
    call!(SYS_getcwd, buffer, 256);
    call!(SYS_chdir, c(folder).as_ptr());
    call!(SYS_rename, other, c"renamed".as_ptr());
    call!(SYS_renameat, at, c"renamed".as_ptr(), at, c"again".as_ptr());
    call!(SYS_renameat2, at, c"again".as_ptr(), at, file, libc::RENAME_EXCHANGE);
    call!(SYS_link, file, c"hard".as_ptr());
    call!(SYS_linkat, at, file, at, c"hard2".as_ptr(), libc::AT_SYMLINK_FOLLOW);
    call!(SYS_symlink, file, c"soft".as_ptr());
    call!(SYS_symlinkat, c"nowhere".as_ptr(), at, c"soft2".as_ptr());
    call!(SYS_readlink, c"soft".as_ptr(), buffer, 256);
    call!(SYS_readlinkat, at, c"soft2".as_ptr(), buffer, 3);
    call!(SYS_chmod, file, 0o4755);
    call!(SYS_fchmod, fd, 0o600);
    call!(SYS_fchmodat, at, file, 0o644);
    call!(SYS_chown, file, 0, 0);
    call!(SYS_fchown, fd, 1, u32::MAX);
    call!(SYS_lchown, c"soft".as_ptr(), u32::MAX, 2);
    call!(SYS_fchownat, at, file, 0, 0, libc::AT_SYMLINK_NOFOLLOW);
    call!(SYS_umask, 0o27);
    call!(SYS_mknod, c"pipe".as_ptr(), libc::S_IFIFO | 0o600, 0);
    call!(SYS_mknodat, at, c"sock".as_ptr(), libc::S_IFSOCK | 0o600, 0);
    call!(SYS_truncate, file, 5);
    call!(SYS_ftruncate, fd, 4096);
    let times = [1_000_000_000i64, 1, 1_000_000_001, 2];
    call!(SYS_utime, file, times.as_ptr());
    call!(SYS_utimes, file, times.as_ptr());
    call!(SYS_futimesat, at, file, times.as_ptr());
    call!(SYS_utimensat, at, file, times.as_ptr(), 0);
    call!(SYS_utimensat, at, file, [0, libc::UTIME_NOW, 0, libc::UTIME_OMIT].as_ptr(), libc::AT_SYMLINK_NOFOLLOW);
    call!(SYS_utimensat, fd, null::<u8>(), null::<u8>(), 0);
    call!(SYS_setxattr, file, c"user.x".as_ptr(), c"value".as_ptr(), 5, libc::XATTR_CREATE);
    call!(SYS_getxattr, file, c"user.x".as_ptr(), buffer, 256);
    call!(SYS_getxattr, file, c"user.x".as_ptr(), null::<u8>(), 0);
    call!(SYS_listxattr, file, buffer, 256);
    call!(SYS_flistxattr, fd, buffer, 0);
    call!(SYS_lremovexattr, file, c"user.x".as_ptr());
    call!(SYS_statfs, c"/proc".as_ptr(), stat);
    let notify = call!(SYS_inotify_init1, libc::IN_NONBLOCK);
    let watch = call!(SYS_inotify_add_watch, notify, dir, libc::IN_CREATE | libc::IN_DELETE);
    call!(SYS_inotify_rm_watch, notify, watch);
    call!(SYS_rmdir, c"dir/inner".as_ptr());
    call!(SYS_unlinkat, at, dir, libc::AT_REMOVEDIR);
    call!(SYS_unlink, c"hard".as_ptr());
    call!(SYS_fstat, fd, stat);
    0
}

fn on_descriptors(_: &str) -> i32 {
    let mut buffer = [0u8; 256];
    let buffer = buffer.as_mut_ptr();
    let fd = call!(SYS_openat, libc::AT_FDCWD, c"file".as_ptr(), libc::O_RDWR | libc::O_CREAT, 0o644);
    let text = c"0123456789abcdefghijklmnopqrstuvwxyzABCDEFG\xff\x011";
    call!(SYS_write, fd, text.as_ptr(), 46);
    call!(SYS_pwrite64, fd, text.as_ptr(), 3, 100);
    call!(SYS_pread64, fd, buffer, 32, 0);
    call!(SYS_pread64, fd, buffer, 33, 0);
    call!(SYS_read, fd, buffer, 10);
    call!(SYS_lseek, fd, 0, libc::SEEK_SET);
    call!(SYS_lseek, fd, -3, libc::SEEK_END);
    let vector = |base: *const u8, len: usize| libc::iovec { iov_base: base.cast_mut().cast(), iov_len: len };
    let text = text.as_ptr().cast::<u8>();
    let out = [vector(text, 4), vector(null(), 0), vector(text, 40)];
    call!(SYS_writev, fd, out.as_ptr(), 3);
    call!(SYS_pwritev, fd, out.as_ptr(), 2, 7, 0);
    let into = [vector(buffer, 4), vector(buffer, 100)];
    call!(SYS_lseek, fd, 0, libc::SEEK_SET);
    call!(SYS_readv, fd, into.as_ptr(), 2);
    call!(SYS_preadv, fd, into.as_ptr(), 2, 3, 0);
    call!(SYS_preadv2, fd, into.as_ptr(), 2, 3, 0, 0);
    let mut pair = [0i32; 2];
    call!(SYS_pipe2, pair.as_mut_ptr(), libc::O_NONBLOCK | libc::O_CLOEXEC);
    call!(SYS_read, pair[0], buffer, 5);
    call!(SYS_fcntl, pair[0], libc::F_GETFL);
    call!(SYS_fcntl, pair[0], libc::F_SETFL, libc::O_NONBLOCK | libc::O_APPEND);
    call!(SYS_fcntl, pair[0], libc::F_GETFD);
    call!(SYS_fcntl, pair[0], libc::F_SETFD, libc::FD_CLOEXEC);
    call!(SYS_fcntl, pair[0], libc::F_DUPFD_CLOEXEC, 40);
    call!(SYS_fcntl, pair[0], libc::F_GETPIPE_SZ);
    let lock = libc::flock { l_type: libc::F_WRLCK as i16, l_whence: 0, l_start: 1, l_len: 2, l_pid: 0 };
    call!(SYS_fcntl, fd, libc::F_SETLK, &raw const lock);
    call!(SYS_fcntl, fd, libc::F_GETLK, &raw const lock);
    call!(SYS_flock, fd, libc::LOCK_EX | libc::LOCK_NB);
    call!(SYS_dup, fd);
    call!(SYS_dup2, fd, 50);
    call!(SYS_dup3, fd, 51, libc::O_CLOEXEC);
    call!(SYS_fsync, fd);
    call!(SYS_fdatasync, fd);
    call!(SYS_fadvise64, fd, 0, 100, libc::POSIX_FADV_WILLNEED);
    call!(SYS_fallocate, fd, libc::FALLOC_FL_KEEP_SIZE, 0, 8192);
    call!(SYS_readahead, fd, 0, 4096);
    let mut offset = 5i64;
    call!(SYS_lseek, fd, 0, libc::SEEK_SET);
    call!(SYS_sendfile, pair[1], fd, &raw mut offset, 8);
    call!(SYS_vmsplice, pair[1], out.as_ptr(), 1, 0);
    let to = call!(SYS_memfd_create, c"memory".as_ptr(), libc::MFD_CLOEXEC);
    call!(SYS_copy_file_range, fd, null::<u8>(), to, null::<u8>(), 8, 0);
    call!(SYS_ioctl, pair[0], libc::FIONREAD, buffer);
    call!(SYS_ioctl, fd, libc::TCGETS, buffer);
    let event = call!(SYS_eventfd2, 3, libc::EFD_SEMAPHORE | libc::EFD_NONBLOCK);
    call!(SYS_read, event, buffer, 8);
    let epoll = call!(SYS_epoll_create1, libc::EPOLL_CLOEXEC);
    let wanted = libc::epoll_event { events: (libc::EPOLLIN | libc::EPOLLET) as u32, u64: 7 };
    call!(SYS_epoll_ctl, epoll, libc::EPOLL_CTL_ADD, event, &raw const wanted);
    call!(SYS_epoll_wait, epoll, buffer, 4, 0);
    call!(SYS_epoll_pwait, epoll, buffer, 4, 0, null::<u8>(), 8);
    call!(SYS_epoll_ctl, epoll, libc::EPOLL_CTL_DEL, event, null::<u8>());
    let part = [libc::iovec { iov_base: buffer.cast(), iov_len: 3 }];
    call!(SYS_pwritev2, fd, part.as_ptr(), 1, 0, 0, libc::RWF_DSYNC);
    call!(SYS_epoll_wait, epoll, buffer, 4, 1);
    let mut polled = [libc::pollfd { fd: pair[0], events: libc::POLLIN | libc::POLLPRI, revents: 0 }; 2];
    polled[1].fd = -1;
    call!(SYS_poll, polled.as_mut_ptr(), 2, 0);
    let timer = call!(SYS_timerfd_create, libc::CLOCK_MONOTONIC, libc::TFD_NONBLOCK);
    call!(SYS_timerfd_settime, timer, 0, [1i64, 0, 100, 5].as_ptr(), null::<u8>());
    let signals = 1u64 << (libc::SIGUSR1 - 1);
    call!(SYS_signalfd4, -1, &raw const signals, 8, libc::SFD_CLOEXEC);
    call!(SYS_close, fd);
    call!(SYS_close_range, 60, 70, 0);
    0
}

fn on_memory_and_time(_: &str) -> i32 {
    let none = null::<u8>();
    let (private, shared) = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
    let rw = libc::PROT_READ | libc::PROT_WRITE;
    let at = call!(SYS_mmap, none, 16_384, rw, private | libc::MAP_POPULATE | libc::MAP_NORESERVE, -1, 0);
    call!(SYS_mmap, none, 4096, libc::PROT_NONE, shared, -1, 0);
    call!(SYS_mprotect, at, 4096, libc::PROT_READ | libc::PROT_EXEC);
    call!(SYS_madvise, at, 8192, libc::MADV_DONTNEED);
    call!(SYS_msync, at, 4096, libc::MS_SYNC);
    call!(SYS_mlock, at, 4096);
    call!(SYS_mlock2, at, 4096, 1);
    call!(SYS_munlock, at, 4096);
    let moved = call!(SYS_mremap, at, 16_384, 32_768, libc::MREMAP_MAYMOVE);
    call!(SYS_munmap, moved, 32_768);
    let mut buffer = [0u64; 64];
    let buffer = buffer.as_mut_ptr();
    let time = [0i64, 1_000];
    call!(SYS_nanosleep, time.as_ptr(), buffer);
    call!(SYS_clock_nanosleep, libc::CLOCK_MONOTONIC, 0, time.as_ptr(), none);
    call!(SYS_clock_nanosleep, libc::CLOCK_REALTIME, libc::TIMER_ABSTIME, time.as_ptr(), none);
    call!(SYS_clock_gettime, libc::CLOCK_BOOTTIME, buffer);
    call!(SYS_clock_getres, libc::CLOCK_MONOTONIC_COARSE, buffer);
    call!(SYS_gettimeofday, buffer, none);
    call!(SYS_times, buffer);
    call!(SYS_getrusage, libc::RUSAGE_SELF, buffer);
    call!(SYS_sysinfo, buffer);
    call!(SYS_uname, buffer);
    call!(SYS_setitimer, libc::ITIMER_REAL, [0i64, 0, 100, 0].as_ptr(), buffer);
    call!(SYS_setitimer, libc::ITIMER_REAL, [0i64; 4].as_ptr(), none);
    call!(SYS_alarm, 100);
    call!(SYS_alarm, 0);
    let mut id = 0i32;
    call!(SYS_timer_create, libc::CLOCK_MONOTONIC, none, &raw mut id);
    call!(SYS_timer_settime, id, 0, [0i64, 0, 100, 0].as_ptr(), none);
    call!(SYS_timer_getoverrun, id);
    call!(SYS_timer_delete, id);
    let word = 5u32;
    let word = &raw const word;
    call!(SYS_futex, word, libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, 1);
    call!(SYS_futex, word, libc::FUTEX_WAIT, 4, none);
    call!(SYS_futex, word, libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG, 5, time.as_ptr());
    call!(SYS_futex, word, libc::FUTEX_WAIT_BITSET | libc::FUTEX_CLOCK_REALTIME, 5, time.as_ptr(), none, u32::MAX);
    call!(SYS_futex, word, libc::FUTEX_REQUEUE, 1, 2, word);
    0
}

extern "C" fn nothing(_: libc::c_int) {}

fn on_processes_and_signals(_: &str) -> i32 {
    let none = null::<u8>();
    let mut buffer = [0u64; 64];
    let buffer = buffer.as_mut_ptr();
    for nr in [
        libc::SYS_getppid,
        libc::SYS_getpid,
        libc::SYS_gettid,
        libc::SYS_getuid,
        libc::SYS_geteuid,
        libc::SYS_getgid,
        libc::SYS_getegid,
        libc::SYS_sched_yield,
    ] {
        // SAFETY: calls without arguments.
        unsafe { libc::syscall(nr) };
    }
    // SAFETY: as in `call`.
    let me = unsafe { libc::getpid() };
    call!(SYS_getresuid, buffer, buffer, buffer);
    call!(SYS_getgroups, 0, none);
    call!(SYS_setfsuid, 0);
    call!(SYS_prlimit64, 0, libc::RLIMIT_NOFILE, none, buffer);
    call!(SYS_getrlimit, libc::RLIMIT_CORE, buffer);
    call!(SYS_setrlimit, libc::RLIMIT_CORE, [0u64, u64::MAX].as_ptr());
    call!(SYS_getpriority, libc::PRIO_PROCESS, 0);
    call!(SYS_setpriority, libc::PRIO_PROCESS, 0, 1);
    call!(SYS_sched_getscheduler, 0);
    call!(SYS_sched_getparam, 0, buffer);
    call!(SYS_sched_get_priority_max, libc::SCHED_FIFO);
    call!(SYS_sched_getaffinity, 0, 128, buffer);
    call!(SYS_prctl, libc::PR_SET_NAME, c"renamed".as_ptr());
    call!(SYS_prctl, libc::PR_GET_NAME, buffer);
    call!(SYS_prctl, libc::PR_SET_PDEATHSIG, libc::SIGTERM);
    call!(SYS_prctl, libc::PR_GET_DUMPABLE);
    call!(SYS_personality, 0xffff_ffffu32);
    call!(SYS_membarrier, libc::MEMBARRIER_CMD_QUERY, 0);
    call!(SYS_membarrier, libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0);
    call!(SYS_prctl, libc::PR_CAPBSET_READ, 21);
    call!(SYS_capget, [0x2008_0522u32, 0].as_ptr(), buffer);
    let set = 1u64 << (libc::SIGUSR2 - 1) | 1 << (libc::SIGRTMIN() - 1);
    call!(SYS_rt_sigprocmask, libc::SIG_BLOCK, &raw const set, buffer, 8);
    // SAFETY: a handler that does nothing; installed by the C library, which adds what returns from it.
    unsafe { libc::signal(libc::SIGUSR1, nothing as *const () as libc::sighandler_t) };
    call!(SYS_rt_sigaction, libc::SIGUSR1, none, buffer, 8);
    call!(SYS_kill, me, libc::SIGUSR1);
    call!(SYS_tgkill, me, me, libc::SIGUSR2);
    call!(SYS_tkill, me, 0);
    call!(SYS_rt_sigpending, buffer, 8);
    let time = [1i64, 0];
    call!(SYS_rt_sigtimedwait, &raw const set, buffer, time.as_ptr(), 8);
    let queued = libc::sigval { sival_ptr: 0x1234 as *mut c_void };
    // SAFETY: a signal that is blocked, with a number that is only shown.
    unsafe { libc::sigqueue(me, libc::SIGRTMIN(), queued) };
    call!(SYS_rt_sigtimedwait, &raw const set, buffer, time.as_ptr(), 8);
    call!(SYS_rt_sigtimedwait, &raw const set, buffer, [0i64, 1].as_ptr(), 8);
    call!(SYS_sigaltstack, none, buffer);
    // SAFETY: the child ends at once; what it leaves is waited for.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            libc::_exit(3);
        }
        let mut info: libc::siginfo_t = std::mem::zeroed();
        libc::waitid(libc::P_PID, child as libc::id_t, &raw mut info, libc::WEXITED | libc::WNOWAIT);
        libc::syscall(libc::SYS_wait4, child, buffer, libc::WNOHANG, null_mut::<u8>());
    }
    9
}

fn that_fail(_: &str) -> i32 {
    let none = null::<u8>();
    let at = libc::AT_FDCWD;
    let one: c_long = -1;
    call!(SYS_open, BAD, libc::O_RDONLY);
    call!(SYS_open, c"".as_ptr(), libc::O_WRONLY);
    call!(SYS_openat, at, c"/no/such".as_ptr(), libc::O_RDONLY);
    call!(SYS_openat, 77, c"relative".as_ptr(), libc::O_PATH);
    call!(SYS_openat, at, c"/etc/hosts/x".as_ptr(), libc::O_RDONLY);
    call!(SYS_openat, at, c"/etc".as_ptr(), libc::O_WRONLY);
    call!(SYS_read, 77, BAD, 10);
    call!(SYS_write, 77, c"text".as_ptr(), 4);
    call!(SYS_write, 77, BAD, 4);
    call!(SYS_close, one);
    call!(SYS_close, 12_345);
    call!(SYS_stat, c"/no".as_ptr(), BAD);
    call!(SYS_stat, c"/".as_ptr(), BAD);
    call!(SYS_fstat, one, BAD);
    call!(SYS_newfstatat, at, BAD, BAD, 0x8000_0000u32);
    call!(SYS_mmap, none, 0, 0, 0, -1, 0);
    call!(SYS_mmap, 3, 4096, libc::PROT_READ | 0x100, libc::MAP_PRIVATE | libc::MAP_FIXED, 77, 1);
    call!(SYS_munmap, 1, 1);
    call!(SYS_mprotect, 0x1000, 4096, libc::PROT_READ);
    call!(SYS_ioctl, 77, 0x1234_5678, 9);
    call!(SYS_fcntl, 77, libc::F_GETFL);
    call!(SYS_fcntl, 1, 999, 3);
    call!(SYS_fcntl, 77, libc::F_SETLK, BAD);
    call!(SYS_dup2, 77, 78);
    call!(SYS_lseek, 1, 0, 9);
    call!(SYS_kill, 0x7fff_fff0, 0);
    call!(SYS_kill, 0x7fff_fff0, 99);
    call!(SYS_wait4, -1, none, 0, none);
    call!(SYS_execve, c"/no/program".as_ptr(), none, BAD);
    call!(SYS_execve, c"/no/program".as_ptr(), [c"one".as_ptr(), c"two words".as_ptr(), null()].as_ptr(), none);
    call!(SYS_socket, 999, 999, 999);
    call!(SYS_connect, 77, [2u8, 0, 0, 80, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0].as_ptr(), 16);
    call!(SYS_connect, 77, BAD, 16);
    call!(SYS_bind, 77, none, 0);
    call!(SYS_accept4, 77, none, none, libc::SOCK_CLOEXEC);
    call!(SYS_poll, BAD, 3, 0);
    call!(SYS_epoll_wait, 77, BAD, 3, 0);
    call!(SYS_epoll_ctl, 77, 9, 78, BAD);
    call!(SYS_nanosleep, BAD, none);
    call!(SYS_nanosleep, [0i64, -1].as_ptr(), none);
    call!(SYS_clock_gettime, 99, BAD);
    call!(SYS_rt_sigaction, 99, BAD, BAD, 8);
    call!(SYS_rt_sigprocmask, 9, BAD, none, 8);
    call!(SYS_rt_sigprocmask, 0, none, none, 3);
    call!(SYS_getrandom, BAD, 8, 0x100);
    call!(SYS_prlimit64, 0, 99, BAD, none);
    call!(SYS_prctl, 9999, 1, 2, 3, 4);
    call!(SYS_mount, BAD, c"/no".as_ptr(), c"type".as_ptr(), libc::MS_RDONLY, none);
    call!(SYS_unlink, c"/".as_ptr());
    call!(SYS_rename, BAD, c"/x".as_ptr());
    call!(SYS_readlink, c"/".as_ptr(), BAD, 10);
    call!(SYS_getdents64, 77, BAD, 100);
    call!(SYS_pipe2, BAD, 0x1);
    call!(SYS_writev, 77, BAD, 2);
    call!(SYS_readv, 77, none, 0);
    call!(SYS_sendmsg, 77, BAD, libc::MSG_NOSIGNAL);
    call!(SYS_recvfrom, 77, BAD, 10, libc::MSG_PEEK, none, none);
    call!(SYS_setsockopt, 77, libc::SOL_SOCKET, libc::SO_REUSEADDR, BAD, 4);
    // SAFETY: a number without a call.
    unsafe { libc::syscall(999, 1, 2, 3, 4, 5, 6) };
    1
}
