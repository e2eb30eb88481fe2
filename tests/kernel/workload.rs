//! What tests follow: this binary started again with [`NAME`] set does one thing and ends before the tests would begin.
//!
//! Runs as the program's initialiser, so neither the test runner's threads nor its calls come between, and no second binary
//! has to be found in a guest.

use std::ffi::CString;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sysprobe::demo::actor;

use crate::hung_disk::serve_a_disk;
use crate::stuck;

/// The environment variable that names the workload, and another for its argument.
const NAME: &str = "SYSPROBE_TEST_WORKLOAD";
const ARGUMENT: &str = "SYSPROBE_TEST_ARGUMENT";

/// Gets the argument, gives the exit code.
pub type Workload = fn(&str) -> i32;

const WORKLOADS: [(&str, Workload); 12] = [
    ("marks", marks),
    ("waiting_threads", waiting_threads),
    ("waiting_for_a_vfork_child", waiting_for_a_vfork_child),
    ("make_file", make_file),
    ("make_files", stuck::make_files),
    ("read_file", stuck::read_file),
    ("sync_file", stuck::sync_file),
    ("sync_folder", stuck::sync_folder),
    ("write_part", stuck::write_part),
    ("write_what_never_comes", stuck::write_what_never_comes),
    ("write_much", stuck::write_much),
    ("serve_a_disk", serve_a_disk),
];

/// The workload of this name, of all modules that have some.
fn known(name: &str) -> Option<Workload> {
    let mut all = WORKLOADS
        .iter()
        .chain(&crate::dying::WORKLOADS)
        .chain(&crate::leaking::WORKLOADS)
        .chain(&crate::memory_cgroup::WORKLOADS)
        .chain(&crate::parity::calls::WORKLOADS);
    all.find(|(known, _)| *known == name).map(|(_, run)| *run)
}

/// A command that runs workload `name`.
pub fn workload(name: &str, argument: &str) -> Command {
    assert!(known(name).is_some(), "no workload {name}");
    in_workload(Command::new(std::env::current_exe().unwrap()), name, argument)
}

/// `command` (a tracer) with workload `name` as what it starts.
pub fn on_workload(mut command: Command, name: &str, argument: &str) -> Command {
    command.arg("--").arg(std::env::current_exe().unwrap());
    in_workload(command, name, argument)
}

fn in_workload(mut command: Command, name: &str, argument: &str) -> Command {
    command.env(NAME, name).env(ARGUMENT, argument);
    command
}

#[used]
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn() = start;

extern "C" fn start() {
    let Ok(name) = std::env::var(NAME) else { return };
    let argument = std::env::var(ARGUMENT).unwrap_or_default();
    let code = known(&name).map_or(99, |run| run(&argument));
    // SAFETY: ends the process; nothing of it is used after.
    unsafe { libc::_exit(code) };
}

/// Asks for `argument` files that do not exist, one after the other: `/mark/0`, `/mark/1`, ..; ends with 7.
fn marks(argument: &str) -> i32 {
    for index in 0..argument.parse().unwrap_or(0) {
        mark(index);
    }
    7
}

/// A call that is easy to find in a trace: an `access` to `/mark/INDEX`.
pub fn mark(index: u32) {
    let path = CString::new(format!("/mark/{index}")).unwrap();
    // SAFETY: a valid C string.
    unsafe { libc::access(path.as_ptr(), libc::F_OK) };
}

/// Three threads: one reads an empty pipe, one sleeps again and again, the first waits for the file `argument`. When it is
/// there, the pipe gets its byte, and each makes a mark: `/mark/1`, `/mark/2`, `/mark/0`. Ends with 5.
fn waiting_threads(argument: &str) -> i32 {
    let (mut reader, mut writer) = std::io::pipe().unwrap();
    let go = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let _ = reader.read(&mut [0; 8]);
            mark(1);
        });
        scope.spawn(|| {
            while !go.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(1));
            }
            mark(2);
        });
        while !Path::new(argument).exists() {
            std::thread::sleep(Duration::from_millis(1));
        }
        go.store(true, Ordering::Relaxed);
        let _ = writer.write_all(b"x");
        mark(0);
    });
    5
}

/// Waits in `clone(CLONE_VFORK)` for a child that runs no program and ends when the file `argument` is there. Ends with 3.
fn waiting_for_a_vfork_child(argument: &str) -> i32 {
    actor::wait_for_a_vfork_child(&CString::new(argument).unwrap());
    3
}

/// Makes the file `argument`. Ends with 4.
fn make_file(argument: &str) -> i32 {
    let path = CString::new(argument).unwrap();
    // SAFETY: a valid C string.
    unsafe { libc::open(path.as_ptr(), libc::O_CREAT | libc::O_WRONLY | libc::O_CLOEXEC, 0o600) };
    4
}
