//! Keeps figures in `docs/benchmarks.md`: each bench has a part of its own between two marks, the prose around them stays.

use anyhow::{Context, Result};

use crate::shell;

const DOCUMENT: &str = "docs/benchmarks.md";

/// Replaces the part called `name` by `text`, with the machine it was taken on.
pub fn save(name: &str, text: &str) -> Result<()> {
    let path = shell::root()?.join(DOCUMENT);
    let document = std::fs::read_to_string(&path).context(DOCUMENT)?;
    std::fs::write(&path, replaced(&document, name, &format!("{}\n\n{text}", machine()))?)?;
    Ok(())
}

fn replaced(document: &str, name: &str, text: &str) -> Result<String> {
    let (begin, end) = (format!("<!-- {name}: begin -->\n"), format!("<!-- {name}: end -->"));
    let (before, rest) = document.split_once(&begin).with_context(|| format!("{DOCUMENT} has no {begin}"))?;
    let (_, after) = rest.split_once(&end).with_context(|| format!("{DOCUMENT} has no {end}"))?;
    Ok(format!("{before}{begin}{}\n{end}{after}", text.trim_end()))
}

/// What the figures were taken on: kernel, CPUs and their kind.
fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let release = read("/proc/sys/kernel/osrelease");
    let series = release.split(['-', '+']).next().unwrap_or_default().trim().to_owned();
    let cpus = std::thread::available_parallelism().map_or(0, usize::from);
    let info = read("/proc/cpuinfo");
    let field = |key: &str| {
        info.lines().find(|line| line.starts_with(key)).and_then(|line| Some(line.split_once(':')?.1.trim().to_owned()))
    };
    let virtual_machine = field("flags").is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor"));
    format!(
        "Linux {series}, {cpus} CPUs of {}{}.",
        field("model name").unwrap_or_else(|| "an unknown kind".to_owned()),
        if virtual_machine { ", a virtual machine" } else { "" }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_named_part_changes() {
        let document = "a\n<!-- x: begin -->\nold\n<!-- x: end -->\nb\n<!-- y: begin -->\nkeep\n<!-- y: end -->\n";
        let changed = replaced(document, "x", "new\n").unwrap();
        assert_eq!(changed, document.replace("old", "new"));
        assert!(replaced(document, "z", "").is_err());
    }
}
