//! The host's files, live or from a folder of fixtures.
//!
//! Everything this module and `enrich` know of a host they read through [`HostFs`], with absolute paths as on the
//! host (`/proc/self/status`). Nothing is written. Reads are bounded: a fixture or a strange mount cannot exhaust memory.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The most that is read of a small text file.
const MAX_TEXT_BYTES: u64 = 1024 * 1024;

/// Read access to one host's files. Paths are absolute, as on that host.
pub trait HostFs: Send + Sync {
    /// A file's bytes, at most the first `max_bytes`.
    fn read(&self, path: &str, max_bytes: u64) -> io::Result<Vec<u8>>;
    /// The names in a folder, without `.` and `..`, in no order.
    fn list(&self, path: &str) -> io::Result<Vec<String>>;
    /// A symbolic link's target, as it is written.
    fn read_link(&self, path: &str) -> io::Result<PathBuf>;
    /// Whether something is there (a link counts only if its target does).
    fn exists(&self, path: &str) -> bool;
}

/// A host whose root lies at some folder: `/` for the live one.
#[derive(Clone, Debug)]
pub struct HostRoot {
    root: PathBuf,
}

impl HostRoot {
    /// The host this process runs on.
    pub fn live() -> Self {
        Self { root: PathBuf::from("/") }
    }

    /// A host kept as files below `root`.
    pub fn at(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// Whether this is the host this process runs on, so that trying things on the kernel means something.
    pub fn is_live(&self) -> bool {
        self.root == Path::new("/")
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }
}

impl HostFs for HostRoot {
    fn read(&self, path: &str, max_bytes: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        fs::File::open(self.path(path))?.take(max_bytes).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        let names = fs::read_dir(self.path(path))?;
        names.map(|entry| entry.map(|e| e.file_name().to_string_lossy().into_owned())).collect()
    }

    fn read_link(&self, path: &str) -> io::Result<PathBuf> {
        fs::read_link(self.path(path))
    }

    fn exists(&self, path: &str) -> bool {
        self.path(path).exists()
    }
}

/// A file's text, trimmed; `None` if it cannot be read. Bytes that are not UTF-8 are replaced.
pub fn read_text(fs: &dyn HostFs, path: &str) -> Option<String> {
    let bytes = fs.read(path, MAX_TEXT_BYTES).ok()?;
    Some(String::from_utf8_lossy(&bytes).trim().to_owned())
}

/// A file that holds one number.
pub fn read_number(fs: &dyn HostFs, path: &str) -> Option<i64> {
    read_text(fs, path)?.parse().ok()
}

#[cfg(test)]
pub(crate) mod memory {
    //! A host kept in memory, for tests.

    use std::collections::BTreeMap;
    use std::io::{self, ErrorKind};
    use std::path::PathBuf;

    use super::HostFs;

    /// Files by path; a value that begins with `->` is a link.
    #[derive(Default)]
    pub(crate) struct MemoryHost(pub(crate) BTreeMap<String, Vec<u8>>);

    impl MemoryHost {
        pub(crate) fn new<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
            Self(files.into_iter().map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())).collect())
        }

        pub(crate) fn with(mut self, path: &str, text: &str) -> Self {
            self.0.insert(path.to_owned(), text.as_bytes().to_vec());
            self
        }
    }

    impl HostFs for MemoryHost {
        fn read(&self, path: &str, max_bytes: u64) -> io::Result<Vec<u8>> {
            let mut bytes = self.0.get(path).cloned().ok_or(ErrorKind::NotFound)?;
            bytes.truncate(usize::try_from(max_bytes).unwrap_or(usize::MAX));
            Ok(bytes)
        }

        fn list(&self, path: &str) -> io::Result<Vec<String>> {
            let folder = format!("{}/", path.trim_end_matches('/'));
            let mut names: Vec<String> =
                self.0.keys().filter_map(|k| k.strip_prefix(&folder)?.split('/').next().map(str::to_owned)).collect();
            names.dedup();
            if names.is_empty() { Err(ErrorKind::NotFound.into()) } else { Ok(names) }
        }

        fn read_link(&self, path: &str) -> io::Result<PathBuf> {
            let text = String::from_utf8(self.read(path, u64::MAX)?).map_err(|_| ErrorKind::InvalidData)?;
            text.strip_prefix("->").map(PathBuf::from).ok_or(ErrorKind::InvalidInput.into())
        }

        fn exists(&self, path: &str) -> bool {
            self.0.contains_key(path) || self.list(path).is_ok()
        }
    }
}
