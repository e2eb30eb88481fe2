//! Builds the test binaries and runs one, as it is or as root, under a time limit.
//!
//! They are run here and not by `cargo test` because a tier may need root, and because its output is counted.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::report::{Reader, Totals};
use crate::shell;

/// A test binary that hangs (a stuck fault, say) is ended after this many seconds; one that ignores that, 10 later.
const LIMIT_S: &str = "900";

/// One test executable.
pub struct Binary {
    /// `sysprobe` and `sysprobe (bin)` for unit tests, the tier's name for a tier.
    pub name: String,
    is_tier: bool,
    pub path: PathBuf,
    package_dir: PathBuf,
}

/// Builds what `args` (of `cargo test`) name, with rustc flags where given, and lists the executables.
pub fn build(args: &[&str], flags: Option<&str>) -> Result<Vec<Binary>> {
    let mut cargo = shell::cargo(&["test", "--no-run", "--message-format=json-render-diagnostics"])?;
    cargo.args(args).stdin(Stdio::null()).stdout(Stdio::piped());
    if let Some(flags) = flags {
        cargo.env("CARGO_ENCODED_RUSTFLAGS", flags);
    }
    eprintln!("$ cargo test --no-run {}", args.join(" "));
    let done = cargo.spawn().context("cannot start cargo")?.wait_with_output()?;
    if !done.status.success() {
        bail!("the tests do not build");
    }
    let messages = String::from_utf8_lossy(&done.stdout).into_owned();
    Ok(messages.lines().filter_map(|line| binary(&serde_json::from_str(line).ok()?)).collect())
}

fn binary(message: &Value) -> Option<Binary> {
    let path = message.get("executable")?.as_str()?.into();
    if !message.pointer("/profile/test")?.as_bool()? {
        return None;
    }
    let kind = message.pointer("/target/kind/0")?.as_str()?;
    let name = message.pointer("/target/name")?.as_str()?;
    let name = if kind == "bin" { format!("{name} (bin)") } else { name.to_owned() };
    let manifest = Path::new(message.get("manifest_path")?.as_str()?);
    Some(Binary { name, is_tier: kind == "test", path, package_dir: manifest.parent()?.to_path_buf() })
}

impl Binary {
    /// Whether it is a tier (declared as `[[test]]`).
    pub fn is_tier(&self) -> bool {
        self.is_tier
    }

    /// Runs it, showing what matters; `args` go to libtest.
    pub fn run(&self, as_root: bool, args: &[String]) -> Result<Totals> {
        let mut command = if as_root && !shell::is_root() {
            let mut sudo = Command::new("sudo");
            sudo.args(["--preserve-env=SYSPROBE_BIN,CARGO_MANIFEST_DIR,RUST_BACKTRACE", "--", "timeout"]);
            sudo
        } else {
            Command::new("timeout")
        };
        command.args(["-k", "10", LIMIT_S]).arg(&self.path).arg("--show-output").args(args);
        command.current_dir(&self.package_dir).env("CARGO_MANIFEST_DIR", &self.package_dir);
        // Tests start sysprobe by this path when it is set: in a VM the built-in one does not exist.
        if let Some(bin) = self.path.parent().and_then(Path::parent).map(|dir| dir.join("sysprobe")) {
            command.env("SYSPROBE_BIN", bin);
        }
        println!("== {}", self.name);
        run_counted(&mut command)
    }

    /// The names of its tests.
    pub fn tests(&self) -> Result<Vec<String>> {
        let list = shell::output(Command::new(&self.path).args(["--list", "--format", "terse"]))?;
        Ok(list.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
    }
}

/// Runs anything that prints as libtest does, and counts.
pub fn run_counted(command: &mut Command) -> Result<Totals> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().context("cannot start the tests")?;
    let mut reader = Reader::default();
    let stdout = child.stdout.take().context("no output to read")?;
    for line in BufReader::new(stdout).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        if reader.line(&line) {
            println!("{line}");
        }
    }
    let status = child.wait()?;
    if status.code() == Some(124) {
        println!("ended after {LIMIT_S} s without a result");
    }
    Ok(reader.totals(status.success()))
}
