//! `cargo xtask run -- ARGS`: sysprobe as root, whatever was missing before.
//!
//! The process becomes sysprobe (or sudo), so signals, the terminal and the exit code are its own.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;

use anyhow::{Context, Result};

use crate::{build, shell};

#[derive(clap::Args)]
pub struct Args {
    /// Build without optimisation (faster to build, slower to trace)
    #[arg(long)]
    debug: bool,
    /// What sysprobe gets
    #[arg(last = true)]
    args: Vec<OsString>,
}

pub fn main(args: &Args) -> Result<()> {
    let binary = build::sysprobe(!args.debug)?;
    let mut command = shell::as_root(&binary);
    command.args(&args.args);
    if !shell::is_root() {
        eprintln!("$ {}", shell::shown(&command));
    }
    Err(command.exec()).with_context(|| format!("cannot start {}", shell::shown(&command)))
}
