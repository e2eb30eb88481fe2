//! A small file system on a loop device that can be frozen, as snapshot tools do. Dropped, it is thawed, unmounted and gone.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Bytes of the file system: the least that ext4 has a journal on.
const BYTES: u64 = 16 * 1024 * 1024;

/// A mounted file system of our own.
#[derive(Debug)]
pub struct FrozenFs {
    at: PathBuf,
    frozen: bool,
}

impl FrozenFs {
    /// Makes and mounts it in an empty folder that is the caller's.
    ///
    /// # Errors
    /// What this host lacks for it.
    pub fn mount(folder: &Path) -> Result<Self, String> {
        let (image, at) = (image_in(folder), place_in(folder));
        File::create(&image).and_then(|file| file.set_len(BYTES)).map_err(|e| format!("{}: {e}", image.display()))?;
        fs::create_dir(&at).map_err(|e| format!("{}: {e}", at.display()))?;
        run(Command::new("mkfs.ext4").args(["-q", "-F"]).arg(&image))?;
        // The loop device goes with the mount: mount(8) sets it up to.
        run(Command::new("mount").args(["-o", "loop"]).arg(&image).arg(&at))?;
        Ok(Self { at, frozen: false })
    }

    /// Where it is mounted.
    pub fn at(&self) -> &Path {
        &self.at
    }

    /// Whoever writes to it from now on waits.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn freeze(&mut self) -> Result<(), String> {
        run(Command::new("fsfreeze").arg("--freeze").arg(&self.at))?;
        self.frozen = true;
        Ok(())
    }

    /// Everybody goes on.
    pub fn thaw(&mut self) {
        if std::mem::take(&mut self.frozen) {
            thaw(&self.at);
        }
    }

    /// Takes down what a killed process left in its folder. Whether anything was there.
    pub fn remove_from(folder: &Path) -> bool {
        let at = place_in(folder);
        if !at.exists() {
            return false;
        }
        thaw(&at);
        unmount(&at);
        true
    }
}

impl Drop for FrozenFs {
    fn drop(&mut self) {
        self.thaw();
        unmount(&self.at);
    }
}

fn image_in(folder: &Path) -> PathBuf {
    folder.join("image")
}

fn place_in(folder: &Path) -> PathBuf {
    folder.join("at")
}

fn thaw(at: &Path) {
    // What is not frozen need not be thawed: the refusal says nothing new.
    let _ = run(Command::new("fsfreeze").arg("--unfreeze").arg(at));
}

/// Unmounts, if need be once those that still have it open are gone.
pub fn unmount(at: &Path) {
    // Whoever was stuck may still have it open for a moment; a lazy unmount needs no wait.
    if run(Command::new("umount").arg(at)).is_err() {
        let _ = run(Command::new("umount").arg("--lazy").arg(at));
    }
}

/// Runs a command to its end: what it printed.
///
/// # Errors
/// What it complained of, or why there is no such command.
pub fn run(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{name}: {error}"))?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() {
        return Ok(said(&output.stdout));
    }
    let complaint = said(&output.stderr);
    Err(if complaint.starts_with(&name) { complaint } else { format!("{name}: {complaint}") })
}
