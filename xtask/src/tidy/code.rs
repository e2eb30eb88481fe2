//! Rules on Rust code outside tests, read from the syntax tree: who may use which crate, and who may panic.
//!
//! Paths are compared as written (`use std::fs`, `std::fs::read`), also inside grouped imports; renaming a crate or
//! re-exporting a module would get around it, and a reviewer sees either.

use std::path::Path;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::{Finding, Source};

/// What must not be imported where.
struct Rule {
    /// Folders the rule holds in; an empty list means everywhere but `except`.
    within: &'static [&'static str],
    except: &'static [&'static str],
    paths: &'static [&'static str],
    why: &'static str,
}

const RULES: [Rule; 2] = [
    Rule {
        within: &["sysprobe/src/"],
        except: &["sysprobe/src/probe/", "sysprobe/src/host/"],
        paths: &["aya", "aya_obj", "aya_log"],
        why: "only probe/ and host/ know aya",
    },
    Rule {
        within: &["sysprobe/src/analyze/", "sysprobe/src/explain/"],
        except: &[],
        paths: &["std::fs", "std::net", "std::process", "std::time::SystemTime", "std::time::Instant", "tokio", "libc"],
        why: "analyze/ and explain/ do no I/O and keep no clock",
    },
];

/// Code that may end the process on purpose: it runs under cargo or is a test.
const MAY_PANIC: [&str; 2] = ["tests/", "xtask/"];

const PANICS: [&str; 4] = ["panic", "todo", "unimplemented", "unreachable"];

pub fn check(source: &Source) -> Vec<Finding> {
    let file = match syn::parse_file(&source.text) {
        Ok(file) => file,
        Err(error) => return vec![Finding::new(&source.path, error.span().start().line, "is not valid Rust")],
    };
    let path = source.path.to_string_lossy();
    let is_test = path.contains("/tests/") || path.ends_with("/tests.rs");
    let mut reader = Reader {
        path: &source.path,
        rules: RULES.iter().filter(|rule| rule.holds_in(&path)).collect(),
        may_panic: is_test || MAY_PANIC.iter().any(|folder| path.starts_with(folder)),
        found: Vec::new(),
    };
    if !is_test {
        reader.visit_file(&file);
    }
    reader.found
}

impl Rule {
    fn holds_in(&self, path: &str) -> bool {
        self.within.iter().any(|folder| path.starts_with(folder))
            && !self.except.iter().any(|folder| path.starts_with(folder))
    }

    fn forbids(&self, path: &str) -> bool {
        self.paths
            .iter()
            .any(|rule| path == *rule || path.strip_prefix(rule).is_some_and(|rest| rest.starts_with("::")))
    }
}

struct Reader<'a> {
    path: &'a Path,
    rules: Vec<&'static Rule>,
    may_panic: bool,
    found: Vec<Finding>,
}

impl Reader<'_> {
    fn import(&mut self, path: &str, line: usize) {
        for rule in self.rules.iter().filter(|rule| rule.forbids(path)) {
            self.found.push(Finding::new(self.path, line, format!("`{path}`: {}", rule.why)));
        }
    }

    /// Follows `use a::{b, c::d}` to each full path.
    fn imports(&mut self, prefix: &str, tree: &syn::UseTree, line: usize) {
        let join = |name: &syn::Ident| if prefix.is_empty() { name.to_string() } else { format!("{prefix}::{name}") };
        match tree {
            syn::UseTree::Path(path) => self.imports(&join(&path.ident), &path.tree, line),
            syn::UseTree::Name(name) => self.import(&join(&name.ident).replace("::self", ""), line),
            syn::UseTree::Rename(name) => self.import(&join(&name.ident), line),
            syn::UseTree::Glob(_) => self.import(prefix, line),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.imports(prefix, tree, line)),
        }
    }
}

fn is_test_only(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test_only(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !is_test_only(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.imports("", &item.tree, item.span().start().line);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let full = path.segments.iter().map(|segment| segment.ident.to_string()).collect::<Vec<_>>().join("::");
        self.import(&full, path.span().start().line);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if let Some(name) = call.path.get_ident().filter(|name| !self.may_panic && PANICS.iter().any(|p| *name == p)) {
            let line = call.span().start().line;
            self.found.push(Finding::new(self.path, line, format!("`{name}!` outside tests: return an error")));
        }
        visit::visit_macro(self, call);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> usize {
        check(&Source { path: path.into(), text: text.to_owned() }).len()
    }

    #[test]
    fn forbidden_imports_are_found_in_every_form() {
        let analyze = "sysprobe/src/analyze/stall.rs";
        assert_eq!(findings(analyze, "use std::{fmt, fs, time::{Duration, Instant}};"), 2);
        assert_eq!(findings(analyze, "fn f() { let _ = std::fs::read(\"x\"); }"), 1);
        assert_eq!(findings(analyze, "use std::fs::{self, File};"), 2);
        assert_eq!(findings(analyze, "use std::time::Duration;"), 0);
        assert_eq!(findings("sysprobe/src/record/mod.rs", "use aya::Ebpf;"), 1);
        assert_eq!(findings("sysprobe/src/probe/object.rs", "use aya::Ebpf;"), 0);
    }

    #[test]
    fn tests_may_import_and_panic() {
        let text = "#[cfg(test)] mod tests { use std::fs; fn f() { panic!() } }";
        assert_eq!(findings("sysprobe/src/analyze/stall.rs", text), 0);
        assert_eq!(findings("sysprobe/src/record/mod.rs", "fn f() { panic!() }"), 1);
    }
}
