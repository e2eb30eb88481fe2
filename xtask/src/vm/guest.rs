//! One guest: its file system, its qemu, and what its serial console said step by step.
//!
//! Emulation (TCG) everywhere: nested KVM cannot be relied on (a /dev/kvm that exists may still hang the guest). The
//! steps' verdicts come from marks on the console, never from qemu's exit code; no mark means a panic or a hang.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::debian::Kernel;
use super::initramfs::Archive;
use super::modules::Modules;

const INIT: &str = include_str!("init.sh");

/// What tests mount, loop and freeze; what a kernel has built in or lacks is left out.
const MODULES: [&str; 4] = ["loop", "fuse", "ext4", "overlay"];

/// A guest that says nothing more is ended after this.
const LIMIT_S: u32 = 900;

/// A shell script to run in the guest, and the name its output goes by.
pub struct Step {
    pub name: &'static str,
    pub script: String,
}

/// What a step printed and how it ended.
pub struct Outcome {
    pub name: String,
    pub output: String,
    /// None where the guest died or hung in it.
    pub code: Option<i32>,
}

/// What the console said.
pub struct Report {
    /// Seconds from power-on to the first step; None where it never came.
    pub booted_s: Option<f64>,
    pub outcomes: Vec<Outcome>,
    pub log: PathBuf,
}

/// Boots `kernel` with `files` (path here, path there) and runs the steps in order.
pub fn boot(kernel: &Kernel, files: &[(PathBuf, &str)], steps: &[Step], dir: &Path) -> Result<Report> {
    std::fs::create_dir_all(dir).with_context(|| dir.display().to_string())?;
    let initrd = dir.join(format!("{}.cpio", kernel.release));
    let log = dir.join(format!("{}.log", kernel.release));
    pack(kernel, files, steps, &initrd)?;
    let mut qemu = Command::new("timeout");
    qemu.args(["-k", "5", &LIMIT_S.to_string(), "qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max"]);
    qemu.args(["-m", "1536", "-smp", "2", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]);
    qemu.arg("-kernel").arg(&kernel.vmlinux).arg("-initrd").arg(&initrd);
    qemu.args(["-append", "console=ttyS0 quiet panic=-1", "-serial", "stdio"]);
    let done = qemu.stdin(Stdio::null()).output().context("cannot start qemu")?;
    std::fs::remove_file(&initrd)?;
    let console = String::from_utf8_lossy(&done.stdout).replace('\r', "");
    std::fs::write(&log, &console)?;
    if console.is_empty() && !done.status.success() {
        bail!("qemu: {}", String::from_utf8_lossy(&done.stderr).trim());
    }
    Ok(read(&console, log))
}

fn pack(kernel: &Kernel, files: &[(PathBuf, &str)], steps: &[Step], initrd: &Path) -> Result<()> {
    let mut archive = Archive::create(initrd)?;
    archive.copy(Path::new("/bin/busybox"), "bin/busybox")?;
    archive.link("bin/sh", "busybox")?;
    archive.file("init", 0o755, INIT.as_bytes())?;
    for (from, to) in files {
        archive.copy(from, to)?;
    }
    for (index, step) in steps.iter().enumerate() {
        archive.file(&format!("t/steps/{index}-{}", step.name), 0o755, step.script.as_bytes())?;
    }
    let mut order = String::new();
    for module in Modules::index(&kernel.modules)?.in_order(&MODULES)? {
        let path = format!("mod/{}.ko", module.name);
        order += &format!("{} /{path}\n", module.name);
        archive.file(&path, 0o644, &module.content)?;
    }
    archive.file("mod/order", 0o644, order.as_bytes())?;
    archive.finish()
}

/// Reads the marks that `init.sh` prints.
fn read(console: &str, log: PathBuf) -> Report {
    let mut report = Report { booted_s: None, outcomes: Vec::new(), log };
    let mut open = false;
    for line in console.lines() {
        if let Some(rest) = line.strip_prefix("VM_BOOTED ") {
            report.booted_s = rest.split_whitespace().next().and_then(|word| word.parse().ok());
        } else if let Some(name) = line.strip_prefix("VM_BEGIN ") {
            let name = name.split_once('-').map_or(name, |(_, name)| name).to_owned();
            report.outcomes.push(Outcome { name, output: String::new(), code: None });
            open = true;
        } else if let Some(rest) = line.strip_prefix("VM_END ") {
            let code = rest.rsplit(' ').next().and_then(|word| word.parse().ok());
            report.outcomes.iter_mut().for_each(|last| last.code = last.code.or(code));
            open = false;
        } else if let Some(last) = report.outcomes.last_mut().filter(|_| open) {
            last.output += line;
            last.output.push('\n');
        }
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_without_its_end_mark_has_no_code() {
        let console =
            "VM_BOOTED 2.31 6.1.0\nVM_BEGIN 0-check\nall good\n\nVM_END 0-check 0\nVM_BEGIN 1-trace\nKernel panic";
        let report = read(console, PathBuf::new());
        assert_eq!(report.booted_s, Some(2.31));
        let codes: Vec<_> = report.outcomes.iter().map(|outcome| (outcome.name.as_str(), outcome.code)).collect();
        assert_eq!(codes, [("check", Some(0)), ("trace", None)]);
        assert_eq!(report.outcomes[0].output, "all good\n\n");
    }
}
