//! A disk that stops answering: ext4 on a loop device whose file a FUSE daemon of the test's own serves from memory. Told
//! to hold, the daemon answers no read and no write. Dropped, it answers again and everything is taken down.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};

use fuser::{FileAttr, FileType, Filesystem, MountOption, ReplyAttr, ReplyData, ReplyEntry, ReplyWrite, Request};
use sysprobe::demo::frozen_fs::{run, unmount};
use tempfile::TempDir;

use crate::harness::{LIMIT, Running, eventually};
use crate::workload::workload;

/// Bytes of the disk: the least that ext4 has a journal on, and some.
const BYTES: usize = 32 * 1024 * 1024;

pub struct HungDisk {
    folder: TempDir,
    device: Option<String>,
    mounted: bool,
    /// Ends after everything that needs its answers.
    daemon: Running,
}

impl HungDisk {
    /// Makes and mounts it, answering; what is missing for that if it cannot.
    pub fn mount() -> Result<Self, String> {
        if !Path::new("/dev/fuse").exists() {
            return Err("no /dev/fuse".to_owned());
        }
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        for name in ["fuse", "at"] {
            fs::create_dir(folder.path().join(name)).map_err(|e| e.to_string())?;
        }
        let daemon = Running::start(&mut workload("serve_a_disk", folder.path().to_str().unwrap_or_default()));
        let mut disk = Self { folder, device: None, mounted: false, daemon };
        let image = disk.folder.path().join("fuse/disk");
        eventually("the daemon serves", || image.exists());
        run(Command::new("mkfs.ext4").args(["-q", "-F"]).arg(&image))?;
        let device = run(Command::new("losetup").args(["--find", "--show"]).arg(&image))?;
        run(Command::new("mount").arg(&device).arg(disk.at())).inspect(|_| disk.mounted = true)?;
        disk.device = Some(device);
        Ok(disk)
    }

    /// Where it is mounted.
    pub fn at(&self) -> PathBuf {
        self.folder.path().join("at")
    }

    /// The block device's name.
    pub fn device(&self) -> &str {
        self.device.as_deref().unwrap().trim_start_matches("/dev/")
    }

    /// The daemon that is to blame.
    pub fn daemon(&self) -> u32 {
        self.daemon.pid()
    }

    /// No read or write is answered from now on.
    pub fn hold(&self) {
        fs::write(self.folder.path().join("hold"), "").unwrap();
    }

    /// Everything is answered again.
    pub fn let_go(&self) {
        let _ = fs::remove_file(self.folder.path().join("hold"));
    }
}

impl Drop for HungDisk {
    fn drop(&mut self) {
        self.let_go();
        if self.mounted {
            unmount(&self.at());
        }
        if let Some(device) = &self.device {
            let _ = run(Command::new("losetup").args(["--detach", device]));
        }
        unmount(&self.folder.path().join("fuse"));
    }
}

/// Serves the file `disk` at `argument`/fuse; while `argument`/hold exists, reads and writes of it wait.
pub fn serve_a_disk(argument: &str) -> i32 {
    let folder = PathBuf::from(argument);
    let disk = Disk { bytes: vec![0; BYTES], hold: folder.join("hold") };
    let options = [MountOption::FSName("sysprobe-test".to_owned()), MountOption::AllowOther];
    i32::from(fuser::mount2(disk, folder.join("fuse"), &options).is_err())
}

struct Disk {
    bytes: Vec<u8>,
    hold: PathBuf,
}

const FILE: u64 = 2;
/// The file does not change by itself: the kernel may keep what it knows.
const KEEP: Duration = LIMIT;

impl Disk {
    fn wait(&self) {
        while self.hold.exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn attr(ino: u64) -> FileAttr {
        let is_file = ino == FILE;
        FileAttr {
            ino,
            size: if is_file { BYTES as u64 } else { 0 },
            blocks: 0,
            atime: UNIX_EPOCH,
            mtime: UNIX_EPOCH,
            ctime: UNIX_EPOCH,
            crtime: UNIX_EPOCH,
            kind: if is_file { FileType::RegularFile } else { FileType::Directory },
            perm: 0o700,
            nlink: 1,
            uid: 0,
            gid: 0,
            rdev: 0,
            blksize: 4096,
            flags: 0,
        }
    }
}

impl Filesystem for Disk {
    fn lookup(&mut self, _: &Request<'_>, _: u64, name: &OsStr, reply: ReplyEntry) {
        if name == "disk" { reply.entry(&KEEP, &Self::attr(FILE), 0) } else { reply.error(libc::ENOENT) }
    }

    fn getattr(&mut self, _: &Request<'_>, ino: u64, _: Option<u64>, reply: ReplyAttr) {
        reply.attr(&KEEP, &Self::attr(ino));
    }

    fn read(
        &mut self,
        _: &Request<'_>,
        _: u64,
        _: u64,
        offset: i64,
        size: u32,
        _: i32,
        _: Option<u64>,
        reply: ReplyData,
    ) {
        self.wait();
        let from = usize::try_from(offset).unwrap_or(BYTES).min(BYTES);
        reply.data(&self.bytes[from..(from + size as usize).min(BYTES)]);
    }

    fn write(
        &mut self,
        _: &Request<'_>,
        _: u64,
        _: u64,
        offset: i64,
        data: &[u8],
        _: u32,
        _: i32,
        _: Option<u64>,
        reply: ReplyWrite,
    ) {
        self.wait();
        let from = usize::try_from(offset).unwrap_or(BYTES);
        match self.bytes.get_mut(from..from + data.len()) {
            Some(at) => {
                at.copy_from_slice(data);
                reply.written(u32::try_from(data.len()).unwrap());
            }
            None => reply.error(libc::EFBIG),
        }
    }

    fn fsync(&mut self, _: &Request<'_>, _: u64, _: u64, _: bool, reply: fuser::ReplyEmpty) {
        self.wait();
        reply.ok();
    }

    fn fallocate(&mut self, _: &Request<'_>, _: u64, _: u64, _: i64, _: i64, _: i32, reply: fuser::ReplyEmpty) {
        reply.error(libc::EOPNOTSUPP);
    }
}
