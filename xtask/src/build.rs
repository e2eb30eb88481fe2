//! `cargo xtask build`: setup, then the sysprobe binary, with its path as the last line.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::shell::MUSL;
use crate::{setup, shell};

#[derive(clap::Args)]
pub struct Args {
    /// Optimised, as released
    #[arg(long)]
    pub release: bool,
}

pub fn main(args: &Args) -> Result<()> {
    println!("{}", sysprobe(args.release)?.display());
    Ok(())
}

/// Sets up and builds; returns the binary's path.
pub fn sysprobe(release: bool) -> Result<PathBuf> {
    setup::main()?;
    let (profile, folder) = if release { ("release", "release") } else { ("dev", "debug") };
    shell::run(&mut shell::cargo(&["build", "--package", "sysprobe", "--bin", "sysprobe", "--profile", profile])?)?;
    Ok(shell::target_dir()?.join(folder).join("sysprobe"))
}

/// Flags for everything that is released: panic messages must not tell where the crates lay on this machine.
pub fn release_flags() -> Result<String> {
    let home = match std::env::var_os("CARGO_HOME") {
        Some(home) => PathBuf::from(home),
        None => PathBuf::from(std::env::var_os("HOME").context("neither CARGO_HOME nor HOME is set")?).join(".cargo"),
    };
    Ok(format!("--remap-path-prefix={}/registry/src/=", home.display()))
}

/// Builds the static release binary (`args` choose what of the package); returns where sysprobe is.
pub fn static_release(args: &[&str]) -> Result<PathBuf> {
    let mut cargo = shell::cargo(&["build", "--release", "--target", MUSL, "--package", "sysprobe"])?;
    shell::run(cargo.args(args).env("CARGO_ENCODED_RUSTFLAGS", release_flags()?))?;
    Ok(shell::target_dir()?.join(MUSL).join("release/sysprobe"))
}
