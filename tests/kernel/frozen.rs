//! A file system that can be frozen, in a folder of the test's own.

use std::path::Path;

use sysprobe::demo::frozen_fs;
use tempfile::TempDir;

pub struct FrozenFs {
    /// Goes before its folder.
    fs: frozen_fs::FrozenFs,
    _folder: TempDir,
}

impl FrozenFs {
    /// Makes and mounts it; what is missing for that if it cannot.
    pub fn mount() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        let fs = frozen_fs::FrozenFs::mount(folder.path())?;
        Ok(Self { fs, _folder: folder })
    }

    /// Where it is mounted.
    pub fn at(&self) -> &Path {
        self.fs.at()
    }

    pub fn freeze(&mut self) {
        self.fs.freeze().unwrap();
    }

    pub fn thaw(&mut self) {
        self.fs.thaw();
    }
}
