//! Workloads that get stuck: each makes one call on the file `argument` that a hung or frozen file system holds up.

use std::fs::{self, File, OpenOptions};
use std::io::Read as _;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Threads of [`make_files`].
pub const MAKERS: usize = 500;

/// Reads a page. Ends with 10.
pub fn read_file(argument: &str) -> i32 {
    File::open(argument).and_then(|mut file| file.read_exact(&mut [0; 4096])).map_or(1, |()| 10)
}

/// Writes over the file's first page and waits for the disk. Ends with 11.
pub fn sync_file(argument: &str) -> i32 {
    let file = OpenOptions::new().write(true).open(argument);
    file.and_then(|file| file.write_all_at(&[1; 4096], 0).and_then(|()| file.sync_all())).map_or(1, |()| 11)
}

/// Makes the folder and waits for its parent's journal commit. Ends with 12.
pub fn sync_folder(argument: &str) -> i32 {
    let parent = Path::new(argument).parent().unwrap();
    fs::create_dir(argument).and_then(|()| File::open(parent)?.sync_all()).map_or(1, |()| 12)
}

/// Writes a few bytes in the middle of a page: where that is not in memory it must be read first, with the file's lock
/// held. Ends with 13.
pub fn write_part(argument: &str) -> i32 {
    let file = OpenOptions::new().write(true).open(argument);
    file.and_then(|file| file.write_all_at(b"part", 100)).map_or(1, |()| 13)
}

/// Writes over the file again and again, so much at a time that its lock is hardly ever free. Until it is killed.
pub fn write_much(argument: &str) -> i32 {
    let Ok(file) = OpenOptions::new().write(true).open(argument) else { return 1 };
    let much = vec![1; 512 * 1024 * 1024];
    while file.write_all_at(&much, 0).is_ok() {}
    1
}

/// Writes to the file from memory that nobody ever fills in (userfaultfd(2)): sleeps in the write, with the file's lock held,
/// until it is killed.
pub fn write_what_never_comes(argument: &str) -> i32 {
    /// `UFFDIO_API`, `UFFDIO_REGISTER`, their arguments and what they say (include/uapi/linux/userfaultfd.h).
    const API: libc::Ioctl = 0xc018_aa3f_u32 as libc::Ioctl;
    const REGISTER: libc::Ioctl = 0xc020_aa00_u32 as libc::Ioctl;
    const VERSION: u64 = 0xaa;
    const MODE_MISSING: u64 = 1;
    const LEN: usize = 4096;
    let Ok(file) = OpenOptions::new().write(true).open(argument) else { return 1 };
    // SAFETY: a mapping of our own, a descriptor of our own, and arguments of the sizes that the calls read and write.
    unsafe {
        let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let memory = libc::mmap(std::ptr::null_mut(), LEN, prot, flags, -1, 0);
        let fd = libc::syscall(libc::SYS_userfaultfd, libc::O_CLOEXEC) as i32;
        let mut api = [VERSION, 0, 0];
        let mut range = [memory.addr() as u64, LEN as u64, MODE_MISSING, 0];
        if libc::ioctl(fd, API, api.as_mut_ptr()) != 0 || libc::ioctl(fd, REGISTER, range.as_mut_ptr()) != 0 {
            return 2;
        }
        libc::pwrite(file.as_raw_fd(), memory, LEN, 0);
    }
    1
}

/// [`MAKERS`] threads make a file each in the folder. Ends with 14.
pub fn make_files(argument: &str) -> i32 {
    let failed = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for index in 0..MAKERS {
            let failed = &failed;
            let make = move || {
                if File::create(Path::new(argument).join(index.to_string())).is_err() {
                    failed.store(true, Ordering::Relaxed);
                }
            };
            if std::thread::Builder::new().stack_size(64 * 1024).spawn_scoped(scope, make).is_err() {
                failed.store(true, Ordering::Relaxed);
            }
        }
    });
    if failed.into_inner() { 1 } else { 14 }
}
