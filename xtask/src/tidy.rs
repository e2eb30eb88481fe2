//! `cargo xtask tidy`: the rules that no compiler checks.
//!
//! File sizes, module heads and names (`files`), who may import what and who may panic (`code`), and what the documents
//! must say (`documents`). Each finding is one line, `path:line: what is wrong`. `// SAFETY:` comments, `unwrap` and
//! `expect` are left to clippy, which sees types.

mod code;
mod documents;
mod files;

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell;

/// One broken rule.
struct Finding {
    path: PathBuf,
    line: usize,
    what: String,
}

impl Finding {
    fn new(path: &Path, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.to_path_buf(), line, what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path.display(), self.line, self.what)
    }
}

/// A text file of the project, by its path from the root.
struct Source {
    path: PathBuf,
    text: String,
}

impl Source {
    fn is_rust(&self) -> bool {
        self.path.extension().is_some_and(|end| end == "rs")
    }
}

pub fn main() -> Result<()> {
    let root = shell::root()?;
    let sources = sources(&root)?;
    let mut findings = Vec::new();
    for source in &sources {
        findings.extend(files::check(source, &root));
        if source.is_rust() {
            findings.extend(code::check(source));
        }
    }
    findings.extend(documents::check(&sources));
    if findings.is_empty() {
        println!("tidy: {} files, nothing to mend", sources.len());
        return Ok(());
    }
    findings.iter().for_each(|finding| println!("{finding}"));
    bail!("tidy: {} to mend", findings.len())
}

/// Every file git knows or would add, where it is text; fixtures are data and left out.
fn sources(root: &Path) -> Result<Vec<Source>> {
    let list = shell::output(Command::new("git").current_dir(root).args([
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
    ]))
    .context("tidy needs git to list the project's files")?;
    let paths = list.lines().filter(|path| !path.contains("fixtures/") && *path != "Cargo.lock").map(PathBuf::from);
    // Files deleted but not yet committed are listed too, and binary ones are no text: both are left out.
    Ok(paths.filter_map(|path| Some(Source { text: std::fs::read_to_string(root.join(&path)).ok()?, path })).collect())
}
