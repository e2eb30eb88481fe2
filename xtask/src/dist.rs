//! `cargo xtask dist`: what a release consists of, in `dist/`, each part tried before it is called done.
//!
//! One stripped static binary that needs nothing of the machine it runs on, its SHA-256, the man page and completions
//! that it prints itself, and a Debian package of all that. The binary must start in an empty root file system.

mod deb;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::build;
use crate::packages::is_static;
use crate::setup;
use crate::shell::{self, MUSL, in_path, output, run};

/// The workspace's version, which xtask shares.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a release is made of.
struct Parts {
    binary: PathBuf,
    man: PathBuf,
    /// Shell name and file.
    completions: Vec<(&'static str, PathBuf)>,
}

pub fn main() -> Result<()> {
    setup::main()?;
    let dist = shell::root()?.join("dist");
    if dist.exists() {
        std::fs::remove_dir_all(&dist)?;
    }
    std::fs::create_dir_all(&dist)?;
    let parts = parts(&dist)?;
    starts_in_an_empty_root(&parts.binary)?;
    let mut files = vec![parts.binary.clone()];
    // dpkg-deb is on every machine that a .deb is for; a packaging crate or cargo-deb would only add to the build.
    if in_path("dpkg-deb") {
        files.push(deb::build(&parts, &dist)?);
    } else {
        eprintln!("dist: no dpkg-deb here, so no .deb");
    }
    for file in &files {
        let name = file.file_name().context("no file name")?.to_owned();
        let sum = output(Command::new("sha256sum").arg(&name).current_dir(&dist))?;
        std::fs::write(file.with_file_name(format!("{}.sha256", name.to_string_lossy())), sum)?;
    }
    let mut names: Vec<_> = std::fs::read_dir(&dist)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    names.sort();
    for path in names {
        println!("{:>9} {}", std::fs::metadata(&path)?.len(), path.display());
    }
    Ok(())
}

fn parts(dist: &Path) -> Result<Parts> {
    let built = build::static_release(&["--bin", "sysprobe"])?;
    let binary = dist.join(format!("sysprobe-{VERSION}-{MUSL}"));
    run(Command::new("strip").arg("--strip-all").arg("-o").arg(&binary).arg(&built))?;
    if !is_static(&binary) {
        bail!("{} wants a dynamic loader", binary.display());
    }
    let man = dist.join("sysprobe.1");
    std::fs::write(&man, said(&binary, &["man"])?)?;
    let mut completions = Vec::new();
    for (shell, name) in [("bash", "sysprobe.bash"), ("zsh", "_sysprobe"), ("fish", "sysprobe.fish")] {
        let file = dist.join(name);
        std::fs::write(&file, said(&binary, &["completions", shell])?)?;
        completions.push((shell, file));
    }
    Ok(Parts { binary, man, completions })
}

fn said(binary: &Path, args: &[&str]) -> Result<String> {
    let text = output(Command::new(binary).args(args))?;
    if text.trim().is_empty() {
        bail!("`sysprobe {}` printed nothing", args.join(" "));
    }
    Ok(text)
}

/// Runs the binary where there is nothing else: no libraries, no /proc, no configuration.
fn starts_in_an_empty_root(binary: &Path) -> Result<()> {
    if !shell::root_reachable() {
        eprintln!("dist: not tried in an empty root (needs root)");
        return Ok(());
    }
    let root = shell::target_dir()?.join("empty-root");
    std::fs::create_dir_all(&root)?;
    std::fs::copy(binary, root.join("sysprobe"))?;
    let said = output(shell::as_root("chroot").arg(&root).args(["/sysprobe", "--version"]));
    std::fs::remove_dir_all(&root)?;
    let said = said.context("the binary does not start in an empty root")?;
    if said.trim() != format!("sysprobe {VERSION}") {
        bail!("in an empty root the binary says {said:?}");
    }
    Ok(())
}
