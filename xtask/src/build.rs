//! `cargo xtask build`: setup, then the sysprobe binary, with its path as the last line.

use std::path::PathBuf;

use anyhow::Result;

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
