//! One kernel stack frame: the function's name as the rules know it, and its module.
//!
//! Names lose offset, address and the compiler's clone suffixes, so that one rule holds for every build of a kernel.

/// A stack is cut here; deeper ones are recursion or junk.
pub const MAX_FRAMES: usize = 256;

/// A function on a kernel stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The function, without offset and without compiler suffix.
    pub name: String,
    /// The module it lies in, where the text says so.
    pub module: Option<String>,
}

impl Frame {
    /// Makes a frame from a bare symbol, stripping the compiler's suffixes; `None` when it cannot be a function's name.
    pub fn new(symbol: &str, module: Option<&str>) -> Option<Self> {
        let name = base_name(symbol);
        if name.is_empty() || name.len() > 128 || !is_symbol(name) {
            return None;
        }
        Some(Self { name: name.to_owned(), module: module.filter(|m| is_symbol(m)).map(str::to_owned) })
    }

    /// The frame as people read it: `name [module]`.
    pub fn display(&self) -> String {
        match &self.module {
            Some(module) => format!("{} [{module}]", self.name),
            None => self.name.clone(),
        }
    }
}

/// Cuts `.isra.0`, `.constprop.1`, `.part.2`, `.cold`, `.llvm.123`, `.cfi_jt` and the `__pfx_` that is no code at all.
pub fn base_name(symbol: &str) -> &str {
    match symbol.find('.') {
        // A leading dot is the old ppc64 entry symbol: keep what follows it.
        Some(0) => base_name(symbol.get(1..).unwrap_or("")),
        Some(at) => symbol.get(..at).unwrap_or(symbol),
        None => symbol,
    }
}

/// Whether every byte may stand in a kernel symbol.
pub fn is_symbol(text: &str) -> bool {
    let mut bytes = text.bytes();
    matches!(bytes.next(), Some(b) if b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiler_suffixes_are_no_part_of_a_name() {
        for (given, name) in [
            ("__mutex_lock.isra.7", "__mutex_lock"),
            ("foo.constprop.0.isra.1", "foo"),
            ("oom_kill_process.cold", "oom_kill_process"),
            ("vfs_rmdir.part.0", "vfs_rmdir"),
            (".schedule", "schedule"),
            ("schedule", "schedule"),
        ] {
            assert_eq!(base_name(given), name);
        }
    }

    #[test]
    fn what_cannot_be_a_function_is_no_frame() {
        for bad in ["", "0xffffffffffffffff", "a b", "1abc", "x\u{1b}[31m", "<TASK>"] {
            assert_eq!(Frame::new(bad, None), None, "{bad:?}");
        }
    }
}
