//! Workloads that end abnormally, or have their children do so.

use std::ffi::CString;
use std::fs;

use crate::workload::Workload;

pub const WORKLOADS: [(&str, Workload); 7] = [
    ("pause", pause),
    ("deaf", deaf),
    ("segfault", segfault),
    ("abort", abort),
    ("lose_terminal", lose_terminal),
    ("mass_death", mass_death),
    ("reborn", reborn),
];

/// Sleeps until it is killed.
fn pause(_: &str) -> i32 {
    loop {
        // SAFETY: no arguments.
        unsafe { libc::pause() };
    }
}

/// The same, and a `SIGTERM` does not kill it. Makes the file `argument` when it is ready.
fn deaf(argument: &str) -> i32 {
    extern "C" fn ignore(_: libc::c_int) {}
    let handler: extern "C" fn(libc::c_int) = ignore;
    // SAFETY: a handler that does nothing.
    unsafe { libc::signal(libc::SIGTERM, handler as libc::sighandler_t) };
    fs::write(argument, "").unwrap();
    pause("")
}

/// Reads where nothing is mapped. With a folder as `argument` it lets its core be dumped there.
fn segfault(argument: &str) -> i32 {
    let most = if argument.is_empty() { 0 } else { libc::RLIM_INFINITY };
    let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
    let path = CString::new(argument).unwrap();
    // SAFETY: a valid limit and a C string; the last line is the fault that is wanted.
    unsafe {
        libc::setrlimit(libc::RLIMIT_CORE, &raw const limit);
        libc::chdir(path.as_ptr());
        std::ptr::without_provenance::<u8>(0x10).read_volatile().into()
    }
}

/// Aborts.
fn abort(_: &str) -> i32 {
    // SAFETY: no arguments.
    unsafe { libc::abort() }
}

/// Has a child in a terminal of its own, and closes the other side. Ends with 0 if that killed it.
fn lose_terminal(_: &str) -> i32 {
    let mut other_side = -1;
    // SAFETY: only the descriptor is asked for; the child only sleeps.
    unsafe {
        let child = libc::forkpty(&raw mut other_side, std::ptr::null_mut(), std::ptr::null(), std::ptr::null());
        if child == 0 {
            pause("");
        }
        // The child is a session leader with a terminal once it has said so.
        while libc::tcgetsid(other_side) != child {
            libc::usleep(1000);
        }
        libc::close(other_side);
        i32::from(killed_by(child) != libc::SIGHUP)
    }
}

/// Has `argument` children, kills them all at once, and ends with 0 when they are gone.
fn mass_death(argument: &str) -> i32 {
    let children: Vec<libc::pid_t> = (0..argument.parse().unwrap()).map(|_| fork(|| pause(""))).collect();
    for child in &children {
        // SAFETY: a child of ours.
        unsafe { libc::kill(*child, libc::SIGKILL) };
    }
    i32::from(!children.iter().all(|child| killed_by(*child) == libc::SIGKILL))
}

/// Has a child, kills it, and has another with the same number, which aborts. Ends with 1 if the number was not given again.
fn reborn(_: &str) -> i32 {
    for _ in 0..100 {
        let first = fork(|| pause(""));
        // SAFETY: a child of ours.
        unsafe { libc::kill(first, libc::SIGKILL) };
        killed_by(first);
        if fs::write("/proc/sys/kernel/ns_last_pid", (first - 1).to_string()).is_err() {
            return 1;
        }
        // SAFETY: no arguments.
        let again = fork(|| if unsafe { libc::getpid() } == first { abort("") } else { 0 });
        killed_by(again);
        if again == first {
            return 0;
        }
    }
    1
}

fn fork(child: impl FnOnce() -> i32) -> libc::pid_t {
    // SAFETY: this process has one thread; the child ends here.
    unsafe {
        let pid = libc::fork();
        if pid == 0 {
            libc::_exit(child());
        }
        pid
    }
}

/// Waits for a child; 0 if no signal killed it.
fn killed_by(child: libc::pid_t) -> i32 {
    let mut status = 0;
    // SAFETY: a child of ours.
    unsafe { libc::waitpid(child, &raw mut status, 0) };
    if libc::WIFSIGNALED(status) { libc::WTERMSIG(status) } else { 0 }
}
