//! The Debian package: a staged tree and its control file, put together by `dpkg-deb`.
//!
//! It depends on nothing, since the binary is static. Times come from the last commit, so that the same commit gives the
//! same package.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{Parts, VERSION};
use crate::shell::{self, output};

const DESCRIPTION: &str = "explains stalls, leaks and kills on a live host
 sysprobe follows the kernel's own events by eBPF and says in words why a
 process is stuck, why one was killed and who leaks what, with the evidence.
 It traces system calls at a small fraction of strace's cost.
 .
 One static binary; needs Linux 5.10 or later with BTF, and root.";

/// Builds the package into `dist` and checks what it says of itself.
pub fn build(parts: &Parts, dist: &Path) -> Result<PathBuf> {
    let stage = shell::target_dir()?.join("deb");
    if stage.exists() {
        std::fs::remove_dir_all(&stage)?;
    }
    let root = shell::root()?;
    let put = |from: &Path, to: &str, mode: u32| put(&stage, from, to, mode);
    put(&parts.binary, "usr/bin/sysprobe", 0o755)?;
    put(&parts.man, "usr/share/man/man1/sysprobe.1", 0o644)?;
    for (shell, file) in &parts.completions {
        let to = match *shell {
            "bash" => "usr/share/bash-completion/completions/sysprobe",
            "zsh" => "usr/share/zsh/vendor-completions/_sysprobe",
            _ => "usr/share/fish/vendor_completions.d/sysprobe.fish",
        };
        put(file, to, 0o644)?;
    }
    for (from, to) in [("README.md", "README.md"), ("CHANGELOG.md", "changelog")] {
        put(&root.join(from), &format!("usr/share/doc/sysprobe/{to}"), 0o644)?;
    }
    let copyright = stage.join("usr/share/doc/sysprobe/copyright");
    std::fs::write(&copyright, copyright_text(&root)?)?;
    std::fs::set_permissions(&copyright, PermissionsExt::from_mode(0o644))?;
    for file in ["usr/share/man/man1/sysprobe.1", "usr/share/doc/sysprobe/changelog"] {
        output(Command::new("gzip").args(["-9", "-n"]).arg(stage.join(file)))?;
    }
    // The size before the control files are there: in KiB, as Debian's policy wants it.
    let used = output(Command::new("du").args(["-sk", "--apparent-size"]).arg(&stage))?;
    let installed_kib = used.split_whitespace().next().context("du said nothing")?;
    write_control(&stage, installed_kib)?;

    let package = dist.join(format!("sysprobe_{VERSION}_amd64.deb"));
    let commit_time = output(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(&root));
    let mut dpkg = Command::new("dpkg-deb");
    dpkg.args(["--root-owner-group", "--build"]).arg(&stage).arg(&package);
    if let Ok(time) = commit_time {
        dpkg.env("SOURCE_DATE_EPOCH", time.trim());
    }
    output(&mut dpkg)?;
    check(&package)?;
    std::fs::remove_dir_all(&stage)?;
    Ok(package)
}

fn put(stage: &Path, from: &Path, to: &str, mode: u32) -> Result<()> {
    let to = stage.join(to);
    let folder = to.parent().context("no folder")?;
    std::fs::create_dir_all(folder)?;
    std::fs::copy(from, &to).with_context(|| from.display().to_string())?;
    std::fs::set_permissions(&to, PermissionsExt::from_mode(mode))?;
    Ok(())
}

fn write_control(stage: &Path, installed_kib: &str) -> Result<()> {
    let control = format!(
        "Package: sysprobe\nVersion: {VERSION}\nArchitecture: amd64\nMaintainer: The sysprobe developers <noreply@sysprobe.invalid>\n\
         Installed-Size: {installed_kib}\nSection: admin\nPriority: optional\nHomepage: {}\nDescription: {DESCRIPTION}\n",
        env!("CARGO_PKG_REPOSITORY")
    );
    let folder = stage.join("DEBIAN");
    std::fs::create_dir_all(&folder)?;
    let sums = "find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum > DEBIAN/md5sums";
    output(Command::new("sh").args(["-c", sums]).current_dir(stage))?;
    std::fs::write(folder.join("control"), control)?;
    Ok(())
}

fn copyright_text(root: &Path) -> Result<String> {
    let mit = std::fs::read_to_string(root.join("LICENSE-MIT"))?;
    Ok(format!(
        "sysprobe is licensed under either of the MIT licence (below) or the Apache licence 2.0, at your option.\n\
         The Apache licence is in /usr/share/common-licenses/Apache-2.0 on Debian systems.\n\
         The eBPF programs inside the binary are dual-licensed MIT and GPL-2.0 (/usr/share/common-licenses/GPL-2).\n\n{mit}"
    ))
}

/// The package must hold what a user looks for, owned by root.
fn check(package: &Path) -> Result<()> {
    let listed = output(Command::new("dpkg-deb").arg("--contents").arg(package))?;
    for file in ["./usr/bin/sysprobe", "./usr/share/man/man1/sysprobe.1.gz", "./usr/share/doc/sysprobe/copyright"] {
        let Some(line) = listed.lines().find(|line| line.ends_with(file)) else {
            bail!("{} lacks {file}", package.display());
        };
        if !line.contains("root/root") {
            bail!("{file} is not root's in {}", package.display());
        }
    }
    Ok(())
}
