//! How the verbs call other programs: cargo in the workspace root, and whatever needs root through sudo.
//!
//! A command that is shown is printed as it could be typed, on standard error. Nothing here interprets output.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The static target that sysprobe is released for.
pub const MUSL: &str = "x86_64-unknown-linux-musl";

/// The workspace root.
pub fn root() -> Result<PathBuf> {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").context("start this as `cargo xtask`")?;
    Ok(PathBuf::from(manifest).parent().context("xtask has no parent folder")?.to_path_buf())
}

/// The cargo that started xtask, in the workspace root, without what `cargo run` told xtask about itself.
pub fn cargo(args: &[&str]) -> Result<Command> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command.current_dir(root()?).args(args);
    Ok(command)
}

/// Where cargo puts what it builds.
pub fn target_dir() -> Result<PathBuf> {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => Ok(root()?.join(dir)),
        None => Ok(root()?.join("target")),
    }
}

/// The command as it could be typed.
pub fn shown(command: &Command) -> String {
    let program = PathBuf::from(command.get_program());
    let name = program.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    command.get_args().fold(name, |line, arg| line + " " + &arg.to_string_lossy())
}

/// Shows and runs a command; fails when it does.
pub fn run(command: &mut Command) -> Result<()> {
    eprintln!("$ {}", shown(command));
    let status = command.status().with_context(|| format!("cannot start {}", shown(command)))?;
    if !status.success() {
        bail!("`{}` failed ({status})", shown(command));
    }
    Ok(())
}

/// What a command prints on standard output; fails with its last error line when it does.
pub fn output(command: &mut Command) -> Result<String> {
    let done = command.stdin(Stdio::null()).output().with_context(|| format!("cannot start {}", shown(command)))?;
    if !done.status.success() {
        let log = String::from_utf8_lossy(&done.stderr);
        let last = log.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no message");
        bail!("`{}` failed ({}): {last}", shown(command), done.status);
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

/// Whether a command can be started and succeeds; its output is dropped.
pub fn succeeds(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Whether a program of this name is in `PATH`.
pub fn in_path(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

/// Whether this process is root (in its user namespace).
pub fn is_root() -> bool {
    // The owner of /proc/self is the effective user of this process.
    std::fs::metadata("/proc/self").is_ok_and(|meta| std::os::unix::fs::MetadataExt::uid(&meta) == 0)
}

/// A command that runs as root: directly where this process is root, through sudo otherwise.
pub fn as_root(program: impl AsRef<std::ffi::OsStr>) -> Command {
    if is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("sudo");
    command.arg("--").arg(program);
    command
}

/// Whether `as_root` can work without a password that nobody is there to type.
pub fn root_reachable() -> bool {
    use std::io::IsTerminal;
    is_root() || std::io::stdin().is_terminal() || succeeds(Command::new("sudo").args(["-n", "true"]))
}
