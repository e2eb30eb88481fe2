//! `sysprobe man`: the manual page, made from the same definition as the parser.

use std::io::Write as _;
use std::process::ExitCode;

use clap::{Args, Command};
use clap_mangen::Man;

/// Prints the manual page (roff)
#[derive(Args)]
#[command(after_help = "Example: sysprobe man | man -l -")]
pub struct ManArgs {}

/// Writes the page: the program, then each subcommand.
///
/// # Errors
/// When stdout cannot be written.
pub fn run(_: &ManArgs, command: &Command) -> anyhow::Result<ExitCode> {
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page)?;
    for subcommand in command.get_subcommands() {
        let name = format!("sysprobe {}", subcommand.get_name());
        let subcommand = subcommand.clone().bin_name(name.clone()).display_name(name.clone());
        let man = Man::new(subcommand);
        writeln!(page, ".SH \"{}\"", name.to_uppercase())?;
        man.render_description_section(&mut page)?;
        man.render_options_section(&mut page)?;
        man.render_extra_section(&mut page)?;
    }
    std::io::stdout().lock().write_all(&page)?;
    Ok(ExitCode::SUCCESS)
}
