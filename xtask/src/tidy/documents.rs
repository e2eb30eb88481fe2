//! Rules on the documents: the README opens with the two commands, and every subcommand is written about.

use std::path::Path;

use syn::visit::{self, Visit};

use super::{Finding, Source};

/// A newcomer must not scroll for these.
const OPENING_LINES: usize = 30;
const COMMANDS: [&str; 2] = ["cargo xtask run -- ", "cargo xtask test"];

pub fn check(sources: &[Source]) -> Vec<Finding> {
    let readme_path = Path::new("README.md");
    let Some(readme) = sources.iter().find(|source| source.path == readme_path) else {
        return vec![Finding::new(readme_path, 1, "there is none")];
    };
    let mut found = Vec::new();
    let opening: Vec<&str> = readme.text.lines().take(OPENING_LINES).collect();
    for command in COMMANDS.iter().filter(|command| !opening.iter().any(|line| line.contains(**command))) {
        found.push(Finding::new(readme_path, 1, format!("does not open with `{}`", command.trim())));
    }
    for (path, name) in subcommands(sources) {
        let said = format!("sysprobe {name}");
        if !readme.text.contains(&said) {
            found.push(Finding::new(&path, 1, format!("README.md does not mention `{said}`")));
        }
    }
    found
}

/// Every variant of a `#[derive(Subcommand)]` enum under `cli/`, as clap spells it.
fn subcommands(sources: &[Source]) -> Vec<(std::path::PathBuf, String)> {
    let mut names = Vec::new();
    for source in sources.iter().filter(|source| source.is_rust() && source.path.starts_with("sysprobe/src/cli")) {
        let Ok(file) = syn::parse_file(&source.text) else { continue };
        let mut reader = Variants(Vec::new());
        reader.visit_file(&file);
        names.extend(reader.0.into_iter().map(|name| (source.path.clone(), name)));
    }
    names
}

struct Variants(Vec<String>);

impl<'ast> Visit<'ast> for Variants {
    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        let derives_it = item.attrs.iter().filter(|attribute| attribute.path().is_ident("derive")).any(|attribute| {
            let mut found = false;
            // A derive that does not parse is the compiler's to report.
            let _ = attribute.parse_nested_meta(|meta| {
                found |= meta.path.segments.last().is_some_and(|segment| segment.ident == "Subcommand");
                Ok(())
            });
            found
        });
        if derives_it {
            self.0.extend(item.variants.iter().map(|variant| kebab(&variant.ident.to_string())));
        }
        visit::visit_item_enum(self, item);
    }
}

fn kebab(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(readme: &str) -> usize {
        let cli = "#[derive(clap::Subcommand)] enum Command { Trace(T), CheckHost }";
        let sources = [("README.md", readme), ("sysprobe/src/cli/mod.rs", cli)];
        check(&sources.map(|(path, text)| Source { path: path.into(), text: text.to_owned() })).len()
    }

    #[test]
    fn readme_needs_both_commands_and_every_subcommand() {
        let good = "cargo xtask run -- trace\ncargo xtask test\nsysprobe trace, sysprobe check-host\n";
        assert_eq!(findings(good), 0);
        assert_eq!(findings("cargo xtask test\nsysprobe trace\n"), 2);
        assert_eq!(findings(&("\n".repeat(40) + good)), 2);
    }
}
