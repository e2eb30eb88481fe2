//! `cargo xtask setup`: what the build needs and a plain toolchain lacks.
//!
//! That is `rust-src` (the kernel programs build `core`), `rustfmt` and `clippy` (the tests), the musl target (one
//! static binary for every machine) and `bpf-linker`. Each is looked for first, so with nothing missing this takes
//! no more than a second; it never asks. No Debian package is needed to build; `vm` installs its own.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell::{self, MUSL, cargo, output, run};

/// 0.10 links with rustc's own LLVM; 0.11 and later want a system LLVM of rustc's version.
const BPF_LINKER: &str = "0.10.3";

pub fn main() -> Result<()> {
    let rustc = output(shell_rustc()?.arg("--version"))?;
    let sysroot = PathBuf::from(output(shell_rustc()?.args(["--print", "sysroot"]))?.trim());
    let mut installed = 0;
    for part in PARTS.iter().filter(|part| !sysroot.join(part.at).exists()) {
        add(part)?;
        installed += 1;
    }
    match linker_version() {
        Some(version) if version == BPF_LINKER => {}
        found => {
            install_linker(found.as_deref())?;
            installed += 1;
        }
    }
    let done = if installed == 0 { "nothing missing".to_owned() } else { format!("{installed} installed") };
    eprintln!("setup: {done} ({}, bpf-linker {BPF_LINKER})", rustc.split(" (").next().unwrap_or("rustc").trim());
    Ok(())
}

/// A part of a Rust toolchain: what rustup calls it and where it lies in the sysroot.
struct Part {
    kind: &'static str,
    name: &'static str,
    at: &'static str,
    why: &'static str,
}

const PARTS: [Part; 4] = [
    Part {
        kind: "component",
        name: "rust-src",
        at: "lib/rustlib/src/rust/library/core/src/lib.rs",
        why: "builds `core` for the kernel programs",
    },
    Part { kind: "component", name: "rustfmt", at: "bin/rustfmt", why: "`cargo xtask test` checks the format" },
    Part { kind: "component", name: "clippy", at: "bin/cargo-clippy", why: "`cargo xtask test` runs the lints" },
    Part {
        kind: "target",
        name: MUSL,
        at: "lib/rustlib/x86_64-unknown-linux-musl/lib",
        why: "the static binary of `dist` and `vm`",
    },
];

fn add(part: &Part) -> Result<()> {
    eprintln!("setup: {} is missing ({}); installing", part.name, part.why);
    if !shell::in_path("rustup") {
        // Distributions split their toolchains; the parts may still lie where this compiler does not look.
        bail!(
            "{} is missing and this toolchain has no rustup to add it.\nInstall your distribution's package of it for this \
             rustc (often `rust-src`, `rustfmt`, `rust-clippy`, `libstd-rust-dev`), or use rustup, then run \
             `cargo xtask setup` again",
            part.name
        );
    }
    run(Command::new("rustup").args([part.kind, "add", part.name]).current_dir(shell::root()?))
        .with_context(|| format!("{} could not be added; is this machine online?", part.name))
}

/// The version of the `bpf-linker` that the build script would take.
fn linker_version() -> Option<String> {
    let cargo_home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let linker = std::env::split_paths(&path)
        .chain([cargo_home, home].into_iter().flatten().map(|home| home.join("bin")))
        .map(|folder| folder.join("bpf-linker"))
        .find(|file| file.is_file())?;
    let said = output(Command::new(linker).arg("--version")).ok()?;
    said.split_whitespace().nth(1).map(str::to_owned)
}

fn install_linker(found: Option<&str>) -> Result<()> {
    match found {
        Some(other) => eprintln!("setup: bpf-linker is {other}, the build is pinned to {BPF_LINKER}; installing that"),
        None => eprintln!("setup: bpf-linker is missing (links the kernel programs); compiling it, 2 to 4 minutes"),
    }
    run(&mut cargo(&["install", "bpf-linker", "--version", BPF_LINKER, "--locked", "--force"])?)
        .context("bpf-linker could not be installed; is this machine online?")
}

fn shell_rustc() -> Result<Command> {
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.current_dir(shell::root()?);
    Ok(rustc)
}
