//! Rules on a file as a whole: its length, its head, its name, and text that must not be in it.

use std::path::Path;

use super::{Finding, Source};

const MAX_LINES: usize = 500;

/// Names that say nothing about what a module owns.
const EMPTY_NAMES: [&str; 8] = ["utils", "util", "helpers", "helper", "core", "manager", "common", "misc"];

/// Words that put work off; spelled so that this file does not contain them.
const PUT_OFF: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];

pub fn check(source: &Source, root: &Path) -> Vec<Finding> {
    let mut found = Vec::new();
    let path = &source.path;
    if source.is_rust() {
        let lines = source.text.lines().count();
        if lines > MAX_LINES {
            found.push(Finding::new(path, lines, format!("{lines} lines; the limit is {MAX_LINES}")));
        }
        if !source.text.starts_with("//!") && !path.ends_with("tests.rs") {
            found.push(Finding::new(path, 1, "starts without `//!` lines on what it owns"));
        }
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let module = if stem == "mod" { path.parent().and_then(Path::file_name) } else { path.file_stem() };
        let module = module.and_then(|name| name.to_str()).unwrap_or_default();
        if EMPTY_NAMES.contains(&module) {
            found.push(Finding::new(path, 1, format!("`{module}` says nothing about what the module owns")));
        }
    }
    found.extend(forbidden_text(source, root));
    found
}

fn forbidden_text(source: &Source, root: &Path) -> Vec<Finding> {
    let root = root.to_string_lossy();
    let home = std::env::var("HOME").unwrap_or_default() + "/.";
    let mut found = Vec::new();
    for (index, line) in source.text.lines().enumerate() {
        if line.contains(&*root) || home.len() > 2 && line.contains(&home) {
            found.push(Finding::new(&source.path, index + 1, "a path of this machine"));
        }
        if line.contains(concat!("../", "shared/")) {
            found.push(Finding::new(&source.path, index + 1, "a path outside the repository"));
        }
        let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        if let Some(word) = words.find(|word| PUT_OFF.contains(word)) {
            found.push(Finding::new(&source.path, index + 1, format!("{word}: do it, or file an issue")));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> Vec<String> {
        let source = Source { path: path.into(), text: text.to_owned() };
        check(&source, Path::new("/somewhere/else")).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_good_file_passes() {
        assert!(findings("a/src/ring.rs", "//! Owns the ring.\nfn f() {}\n").is_empty());
    }

    #[test]
    fn long_headless_or_empty_named_files_are_found() {
        assert_eq!(findings("a/src/ring.rs", &"//! x\n".repeat(501)).len(), 1);
        assert_eq!(findings("a/src/ring.rs", "fn f() {}\n").len(), 1);
        assert_eq!(findings("a/src/utils.rs", "//! x\n").len(), 1);
        assert_eq!(findings("a/src/helpers/mod.rs", "//! x\n").len(), 1);
    }

    #[test]
    fn paths_of_this_machine_are_found_in_any_text() {
        assert_eq!(findings("README.md", "see /somewhere/else/target\n").len(), 1);
    }
}
