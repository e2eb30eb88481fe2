//! A small file system of the test's own, on a loop device, that can be frozen. Dropped, it is thawed, unmounted and gone.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// Bytes of the file system: the least that ext4 has a journal on.
const BYTES: u64 = 16 * 1024 * 1024;

pub struct FrozenFs {
    folder: TempDir,
    mounted: bool,
    frozen: bool,
}

impl FrozenFs {
    /// Makes and mounts it; what is missing for that if it cannot.
    pub fn mount() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        let image = folder.path().join("image");
        File::create(&image).and_then(|file| file.set_len(BYTES)).map_err(|e| e.to_string())?;
        std::fs::create_dir(folder.path().join("at")).map_err(|e| e.to_string())?;
        run(Command::new("mkfs.ext4").args(["-q", "-F"]).arg(&image))?;
        let mut fs = Self { folder, mounted: false, frozen: false };
        run(Command::new("mount").args(["-o", "loop"]).arg(&image).arg(fs.at()))?;
        fs.mounted = true;
        Ok(fs)
    }

    /// Where it is mounted.
    pub fn at(&self) -> PathBuf {
        self.folder.path().join("at")
    }

    pub fn freeze(&mut self) {
        run(Command::new("fsfreeze").arg("--freeze").arg(self.at())).unwrap();
        self.frozen = true;
    }

    pub fn thaw(&mut self) {
        if std::mem::take(&mut self.frozen) {
            let _ = run(Command::new("fsfreeze").arg("--unfreeze").arg(self.at()));
        }
    }
}

impl Drop for FrozenFs {
    fn drop(&mut self) {
        self.thaw();
        if self.mounted {
            unmount(&self.at());
        }
    }
}

pub fn unmount(at: &Path) {
    // Whoever was stuck may still have it open for a moment; a lazy unmount needs no wait.
    if run(Command::new("umount").arg(at)).is_err() {
        let _ = run(Command::new("umount").arg("--lazy").arg(at));
    }
}

/// Runs a command to its end: what it printed, or what it complained of.
pub fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() {
        Ok(said(&output.stdout))
    } else {
        Err(format!("{command:?}: {}", said(&output.stderr)))
    }
}
