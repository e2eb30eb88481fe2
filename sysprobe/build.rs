//! Builds the kernel programs (`sysprobe-ebpf`) and leaves the object where `probe/object.rs` embeds it:
//! `$OUT_DIR/sysprobe.bpf.o`.
//!
//! The crate is built by an inner cargo with its own target folder, so it never waits for the outer one's lock.
//! `RUSTC_BOOTSTRAP=1` lets the pinned stable toolchain compile `core` for `bpfel-unknown-none` (`-Z build-std`).
//! What must be there first (`rust-src`, `bpf-linker`) is installed by `cargo xtask setup`; this script only says so.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

const TARGET: &str = "bpfel-unknown-none";

/// Settings of the outer build that would reach the inner one and break it: clippy's wrapper, a musl target, user flags.
const LEAKS: [&str; 8] = [
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_BUILD_TARGET",
    "CARGO_BUILD_TARGET_DIR",
    "CARGO_TARGET_DIR",
    "CLIPPY_ARGS",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTDOCFLAGS",
    "RUSTFLAGS",
];

fn main() -> ExitCode {
    match build() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("\n{why}");
            ExitCode::FAILURE
        }
    }
}

fn build() -> Result<(), String> {
    let here = PathBuf::from(required("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(required("OUT_DIR")?);
    let root = here.parent().ok_or("the sysprobe crate has no parent folder")?;
    let ebpf = root.join("sysprobe-ebpf");
    for path in ["sysprobe-ebpf", "sysprobe-common", "Cargo.toml", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={}", root.join(path).display());
    }

    let rustc = required("RUSTC")?;
    let linker =
        find_linker().ok_or("bpf-linker is not installed.\nRun `cargo xtask setup` once, then build again.")?;
    let sysroot = stdout_of(Command::new(&rustc).args(["--print", "sysroot"]))?;
    if !Path::new(&sysroot).join("lib/rustlib/src/rust/library/core").is_dir() {
        return Err(
            "rust-src is not installed for this toolchain.\nRun `cargo xtask setup` once, then build again.".into()
        );
    }

    let target_dir = out.join("ebpf");
    // The object carries its own BTF and full debug information: the kernel wants the first, the second makes it.
    // Paths in it are relative, so that a release says nothing of the machine that built it.
    let flags = [
        format!("--remap-path-prefix={}/=", root.display()),
        format!("--remap-path-prefix={sysroot}/lib/rustlib/src/rust/=rust/"),
        format!("--remap-path-prefix={}/registry/src/=", cargo_home().display()),
        "-Cdebuginfo=2".to_owned(),
        "-Clink-arg=--btf".to_owned(),
        format!("-Clinker={}", linker.display()),
        format!("--cfg=bpf_target_arch=\"{}\"", required("CARGO_CFG_TARGET_ARCH")?),
    ];
    let mut cargo = Command::new(required("CARGO")?);
    cargo
        .args(["build", "--release", "--bins", "-Zbuild-std=core", "--target", TARGET])
        // The root profile strips and links thin; bpf-linker does its own link-time optimisation on bitcode.
        .args(["--config", "profile.release.strip=false", "--config", "profile.release.lto=false"])
        .arg("--manifest-path")
        .arg(ebpf.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&target_dir)
        .env("RUSTC_BOOTSTRAP", "1")
        .current_dir(&ebpf)
        .stdin(Stdio::null());
    for name in LEAKS {
        cargo.env_remove(name);
    }
    // Cargo tells a build script its own package and target; the inner crates' build scripts must see theirs only.
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("CARGO_CFG_") || name.starts_with("CARGO_FEATURE_") || name.starts_with("CARGO_PROFILE_") {
            cargo.env_remove(name);
        }
    }
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));

    let done = cargo.output().map_err(|e| format!("cargo did not start for the kernel programs: {e}"))?;
    let log = String::from_utf8_lossy(&done.stderr);
    if !done.status.success() {
        return Err(format!("{log}\nThe kernel programs (sysprobe-ebpf) did not build; the lines above say why."));
    }
    // A warning in kernel code would otherwise be swallowed with the build script's output.
    for line in log.lines().filter(|line| line.starts_with("warning")) {
        println!("cargo::warning=sysprobe-ebpf: {line}");
    }
    let object = target_dir.join(TARGET).join("release/sysprobe");
    std::fs::copy(&object, out.join("sysprobe.bpf.o")).map_err(|e| format!("{}: {e}", object.display()))?;
    Ok(())
}

fn required(name: &str) -> Result<String, String> {
    env::var(name).map_err(|e| format!("cargo did not set {name}: {e}"))
}

fn stdout_of(command: &mut Command) -> Result<String, String> {
    let done = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    Ok(String::from_utf8_lossy(&done.stdout).trim().to_owned())
}

/// In `PATH`, or where `cargo install` puts it when that folder is not in `PATH` (as under sudo).
fn find_linker() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain([cargo_home().join("bin")]);
    folders.map(|folder| folder.join("bpf-linker")).find(|file| file.is_file())
}

fn cargo_home() -> PathBuf {
    match env::var_os("CARGO_HOME") {
        Some(home) => home.into(),
        None => Path::new(&env::var_os("HOME").unwrap_or_default()).join(".cargo"),
    }
}
