//! Starts a command so that no call is missed: it waits, followed, right before its `execve`.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use anyhow::Context as _;
use sysprobe_common::task::{TASK_BEFORE_EXEC, TaskStateRaw};
use tokio::sync::oneshot;

use crate::cli::Failure;
use crate::event::Tid;
use crate::host::drop_rest;
use crate::probe::TaskTable;

/// What shells and `env` return for a command that is not there, and for one that cannot be run.
const NOT_FOUND: u8 = 127;
const NOT_EXECUTABLE: u8 = 126;

/// How a command ended.
pub enum Ended {
    /// With this code; 128 and the number for a signal, as shells do.
    Exited(u8),
    /// It could not be executed.
    NotStarted(anyhow::Error),
}

/// A running command.
pub struct Command {
    exit: oneshot::Receiver<io::Result<ExitStatus>>,
    name: OsString,
}

/// Finds the program a command names, by `PATH` as a shell would.
///
/// # Errors
/// [`Failure`] with the code a shell gives.
pub fn resolve(words: &[OsString]) -> anyhow::Result<PathBuf> {
    let Some(name) = words.first() else { return Err(Failure::usage("no command given after --")) };
    if name.as_bytes().contains(&b'/') {
        return usable(Path::new(name)).map(|()| PathBuf::from(name));
    }
    let path = std::env::var_os("PATH").unwrap_or_else(|| OsString::from("/usr/local/bin:/usr/bin:/bin"));
    let mut refused = None;
    for folder in std::env::split_paths(&path) {
        let candidate = folder.join(name);
        match usable(&candidate) {
            Ok(()) => return Ok(candidate),
            Err(error) if candidate.is_file() => refused = Some(error),
            Err(_) => {}
        }
    }
    let message = format!("no command {} in PATH; give its path, or check the spelling", name.to_string_lossy());
    Err(refused.unwrap_or_else(|| Failure { code: NOT_FOUND, message }.into()))
}

fn usable(path: &Path) -> anyhow::Result<()> {
    let shown = path.display();
    let failure = |code, message| Err(Failure { code, message }.into());
    let name = match std::ffi::CString::new(path.as_os_str().as_bytes()) {
        Ok(name) => name,
        Err(_) => return failure(NOT_FOUND, format!("{shown} holds a NUL byte")),
    };
    if path.is_dir() {
        return failure(NOT_EXECUTABLE, format!("{shown} is a directory"));
    }
    // SAFETY: a valid C string.
    if unsafe { libc::access(name.as_ptr(), libc::X_OK) } == 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    let code = if error.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { NOT_EXECUTABLE };
    failure(code, format!("cannot run {shown}: {error}"))
}

impl Command {
    /// Starts `program` under the name and with the arguments in `words`, followed from its `execve` on.
    ///
    /// # Errors
    /// When no child can be made or it cannot be followed.
    pub fn start(
        program: &Path,
        words: &[OsString],
        stdout_to_stderr: bool,
        tasks: &mut TaskTable,
    ) -> anyhow::Result<Self> {
        let (mut pid_reader, pid_writer) = io::pipe().context("cannot make a pipe")?;
        let (go_reader, mut go_writer) = io::pipe().context("cannot make a pipe")?;
        let mut command = std::process::Command::new(program);
        let name = words.first().map_or(OsStr::new(""), OsString::as_os_str);
        command.arg0(name).args(words.get(1..).unwrap_or_default());
        if stdout_to_stderr {
            command.stdout(io::stderr());
        }
        let (announce, wait) = (OwnedFd::from(pid_writer), OwnedFd::from(go_reader));
        // SAFETY: only async-signal-safe calls between fork and exec: getpid, write, read.
        unsafe {
            command.pre_exec(move || hold(&announce, &wait));
        }
        let (sender, exit) = oneshot::channel();
        // `spawn` returns only once the child has executed, so it runs beside us.
        std::thread::Builder::new()
            .name("command".to_owned())
            .spawn(move || {
                let ended = command.spawn().and_then(|mut child| {
                    drop(command);
                    drop_rest()?;
                    child.wait()
                });
                // Nobody waits any more when the trace was stopped: nothing to tell.
                let _ = sender.send(ended);
            })
            .context("cannot start a thread")?;
        let mut pid = [0; 4];
        pid_reader.read_exact(&mut pid).context("the command's process did not come up")?;
        let pid = u32::from_ne_bytes(pid);
        tasks.follow(Tid(pid), TaskStateRaw::new(pid, TASK_BEFORE_EXEC)).context("cannot follow the command")?;
        go_writer.write_all(&[1]).context("the command's process is gone")?;
        Ok(Self { exit, name: name.to_owned() })
    }

    /// Waits for the command's end.
    pub async fn ended(&mut self) -> Ended {
        match (&mut self.exit).await {
            Ok(Ok(status)) => Ended::Exited(code_of(status)),
            Ok(Err(error)) => Ended::NotStarted(
                Failure {
                    code: NOT_EXECUTABLE,
                    message: format!("cannot run {}: {error}", self.name.to_string_lossy()),
                }
                .into(),
            ),
            Err(_) => Ended::NotStarted(anyhow::anyhow!("the thread that waits for the command died")),
        }
    }
}

/// In the child: says who it is, then waits for the word.
fn hold(announce: &OwnedFd, wait: &OwnedFd) -> io::Result<()> {
    // SAFETY: getpid cannot fail; the buffers outlive the calls.
    unsafe {
        let pid = libc::getpid() as u32;
        if libc::write(announce.as_raw_fd(), (&raw const pid).cast(), 4) != 4 {
            return Err(io::Error::last_os_error());
        }
        let mut word = 0u8;
        if libc::read(wait.as_raw_fd(), (&raw mut word).cast(), 1) != 1 {
            return Err(io::Error::from(io::ErrorKind::BrokenPipe));
        }
    }
    Ok(())
}

fn code_of(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|s| 128 + s)).unwrap_or(1);
    u8::try_from(code & 0xff).unwrap_or(1)
}
