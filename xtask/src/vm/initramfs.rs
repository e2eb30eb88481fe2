//! The guest's whole file system: one uncompressed newc cpio archive with busybox, kernel modules and the test files.
//!
//! Uncompressed because the emulated CPU would pay for the decompression; the kernel takes it as it is.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
use cpio::newc::{Builder, ModeFileType, trailer};

/// An archive being written. Parent folders are added as they are needed.
pub struct Archive {
    out: BufWriter<File>,
    folders: BTreeSet<String>,
    inode: u32,
}

impl Archive {
    /// Starts the archive with the folders every guest has.
    pub fn create(path: &Path) -> Result<Self> {
        let file = File::create(path).with_context(|| path.display().to_string())?;
        let mut archive = Self { out: BufWriter::new(file), folders: BTreeSet::new(), inode: 1 };
        for folder in ["dev", "proc", "sys", "run", "tmp", "root", "mnt", "sbin", "mod", "t/steps"] {
            archive.folder(folder)?;
        }
        // The kernel opens the console before init can mount devtmpfs.
        archive.entry("dev/console", ModeFileType::Char, 0o600, (5, 1), b"")?;
        archive.file("etc/passwd", 0o644, b"root:x:0:0:root:/root:/bin/sh\n")?;
        archive.file("etc/group", 0o644, b"root:x:0:\n")?;
        archive.file("etc/hosts", 0o644, b"127.0.0.1 localhost\n")?;
        archive.file("etc/hostname", 0o644, b"guest\n")?;
        Ok(archive)
    }

    /// Adds a file with its content.
    pub fn file(&mut self, path: &str, mode: u32, content: &[u8]) -> Result<()> {
        self.parents(path)?;
        self.entry(path, ModeFileType::Regular, mode, (0, 0), content)
    }

    /// Adds a symbolic link.
    pub fn link(&mut self, path: &str, to: &str) -> Result<()> {
        self.parents(path)?;
        self.entry(path, ModeFileType::Symlink, 0o777, (0, 0), to.as_bytes())
    }

    /// Adds a copy of a file of this machine, executable.
    pub fn copy(&mut self, from: &Path, path: &str) -> Result<()> {
        let content = std::fs::read(from).with_context(|| from.display().to_string())?;
        self.file(path, 0o755, &content)
    }

    /// Ends the archive.
    pub fn finish(self) -> Result<()> {
        trailer(self.out)?.flush()?;
        Ok(())
    }

    fn parents(&mut self, path: &str) -> Result<()> {
        match path.rsplit_once('/') {
            Some((parent, _)) => self.folder(parent),
            None => Ok(()),
        }
    }

    fn folder(&mut self, path: &str) -> Result<()> {
        self.parents(path)?;
        if self.folders.insert(path.to_owned()) {
            self.entry(path, ModeFileType::Directory, 0o755, (0, 0), b"")?;
        }
        Ok(())
    }

    fn entry(&mut self, path: &str, kind: ModeFileType, mode: u32, device: (u32, u32), content: &[u8]) -> Result<()> {
        let size = u32::try_from(content.len()).context("a file of 4 GiB does not fit")?;
        let entry = Builder::new(path).ino(self.inode).mode(mode).set_mode_file_type(kind);
        let entry = entry.rdev_major(device.0).rdev_minor(device.1);
        self.inode += 1;
        let mut writer = entry.write(&mut self.out, size);
        writer.write_all(content)?;
        writer.finish()?;
        Ok(())
    }
}
