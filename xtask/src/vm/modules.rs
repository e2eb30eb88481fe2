//! Kernel modules for a guest: which are needed for those wanted, in what order, unpacked.
//!
//! A Debian package has no `modules.dep` (depmod writes it at install time), so each module's own `.modinfo` section is
//! read: `depends=`, and `softdep=pre:` for algorithms that are asked for by name only.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use object::{Object, ObjectSection};

/// One module to be loaded, uncompressed.
pub struct Module {
    pub name: String,
    pub content: Vec<u8>,
}

/// The modules of an unpacked kernel package.
pub struct Modules {
    files: BTreeMap<String, PathBuf>,
    builtin: BTreeSet<String>,
}

impl Modules {
    /// Lists the modules under a kernel's `lib/modules/VERSION`.
    pub fn index(folder: &Path) -> Result<Self> {
        let mut files = BTreeMap::new();
        let mut folders = vec![folder.join("kernel")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
                let path = entry?.path();
                if path.is_dir() {
                    folders.push(path);
                } else if let Some((name, _)) = file_name(&path).split_once(".ko") {
                    files.insert(normal(name), path);
                }
            }
        }
        let builtin = std::fs::read_to_string(folder.join("modules.builtin")).unwrap_or_default();
        let builtin = builtin.lines().filter_map(|line| Some(normal(line.rsplit('/').next()?.strip_suffix(".ko")?)));
        Ok(Self { files, builtin: builtin.collect() })
    }

    /// The wanted modules with everything they need before them, in load order. What this kernel lacks is left out.
    pub fn in_order(&self, wanted: &[&str]) -> Result<Vec<Module>> {
        let mut order = Vec::new();
        let mut seen = BTreeSet::new();
        for name in wanted {
            self.visit(name, &mut seen, &mut order)?;
        }
        Ok(order)
    }

    fn visit(&self, name: &str, seen: &mut BTreeSet<String>, order: &mut Vec<Module>) -> Result<()> {
        let name = self.resolve(name);
        let Some(path) = self.files.get(&name) else { return Ok(()) };
        if self.builtin.contains(&name) || !seen.insert(name.clone()) {
            return Ok(());
        }
        let content = unpack(path)?;
        for needed in needs(&content).with_context(|| path.display().to_string())? {
            self.visit(&needed, seen, order)?;
        }
        order.push(Module { name, content });
        Ok(())
    }

    /// Soft dependencies name crypto aliases: `crypto-crc32c` is `crc32c_generic.ko`.
    fn resolve(&self, name: &str) -> String {
        let name = normal(name);
        let name = match name.strip_prefix("crypto_") {
            Some(algorithm) if !self.files.contains_key(&name) => algorithm.to_owned(),
            _ => name,
        };
        let generic = format!("{name}_generic");
        if !self.files.contains_key(&name) && self.files.contains_key(&generic) { generic } else { name }
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn normal(name: &str) -> String {
    name.replace('-', "_")
}

fn unpack(path: &Path) -> Result<Vec<u8>> {
    let tool = match path.extension().and_then(|end| end.to_str()) {
        Some("ko") => return std::fs::read(path).with_context(|| path.display().to_string()),
        Some("xz") => "xz",
        Some("zst") => "zstd",
        _ => bail!("{}: unknown compression", path.display()),
    };
    let done = Command::new(tool).arg("-dc").arg(path).output().with_context(|| format!("cannot start {tool}"))?;
    if !done.status.success() {
        bail!("{tool} cannot unpack {}", path.display());
    }
    Ok(done.stdout)
}

/// The names in a module's `depends=` and `softdep=pre:`.
fn needs(module: &[u8]) -> Result<Vec<String>> {
    let file = object::File::parse(module)?;
    let section = file.section_by_name(".modinfo").context("no .modinfo section")?;
    let mut names = Vec::new();
    for line in section.data()?.split(|byte| *byte == 0) {
        let line = String::from_utf8_lossy(line);
        if let Some(list) = line.strip_prefix("depends=") {
            names.extend(list.split(',').filter(|name| !name.is_empty()).map(str::to_owned));
        } else if let Some((_, list)) = line.strip_prefix("softdep=").and_then(|line| line.split_once("pre:")) {
            let pre = list.split("post:").next().unwrap_or(list);
            names.extend(pre.split_whitespace().map(str::to_owned));
        }
    }
    Ok(names)
}
