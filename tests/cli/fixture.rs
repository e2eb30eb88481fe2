//! A copy of a fixture host in a folder of its own, to be changed and thrown away.

#![expect(clippy::unwrap_used, reason = "a test stops where its ground is not as expected")]

use std::fs;
use std::path::{Path, PathBuf};

/// The copy; removed when dropped.
pub struct Fixture {
    folder: tempfile::TempDir,
}

impl Fixture {
    /// A copy of a host below `tests/fixtures/hosts`.
    pub fn of(name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let from = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/hosts")).join(name);
        copy(&from, folder.path());
        Self { folder }
    }

    /// Where it lies.
    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    /// With one file written.
    pub fn with(self, path: &str, bytes: &[u8]) -> Self {
        fs::write(self.root().join(path), bytes).unwrap();
        self
    }

    /// With one file or folder gone.
    pub fn without(self, path: &str) -> Self {
        let path = self.root().join(path);
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
        self
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
