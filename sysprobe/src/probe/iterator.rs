//! A BPF iterator over tasks, walked again and again: each walk runs its program once a task.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, AsRawFd as _, FromRawFd as _, OwnedFd};

use aya::programs::ProgramFd;

/// Bytes read at once: the kernel's own buffer is 8 pages.
const READ_BYTES: usize = 32 * 1024;

/// An attached iterator.
pub(super) struct TaskIterator {
    link: OwnedFd,
}

impl TaskIterator {
    /// Attaches a loaded program: `BPF_LINK_CREATE` of bpf(2). aya keeps such a link's descriptor to itself, and each walk
    /// needs it.
    pub(super) fn attach(program: &ProgramFd) -> io::Result<Self> {
        const BPF_LINK_CREATE: libc::c_long = 28;
        const BPF_TRACE_ITER: u32 = 28;
        // prog_fd, target_fd, attach_type, flags; then no parameters: all tasks.
        let attr = [program.as_fd().as_raw_fd().unsigned_abs(), 0, BPF_TRACE_ITER, 0, 0, 0, 0, 0];
        Ok(Self { link: bpf(BPF_LINK_CREATE, &attr)? })
    }

    /// Hands every record of `size` bytes that a walk gives to `each`, until that says `false`; whether it did.
    pub(super) fn walk(&self, size: usize, mut each: impl FnMut(&[u8]) -> bool) -> io::Result<bool> {
        let mut file = File::from(self.open()?);
        let mut bytes = Vec::with_capacity(2 * READ_BYTES);
        loop {
            let start = bytes.len();
            bytes.resize(start + READ_BYTES, 0);
            let read = file.read(bytes.get_mut(start..).unwrap_or_default())?;
            bytes.truncate(start + read);
            if !bytes.chunks_exact(size).all(&mut each) {
                return Ok(true);
            }
            if read == 0 {
                return Ok(false);
            }
            bytes.drain(..bytes.len() / size * size);
        }
    }

    /// A new walk: `BPF_ITER_CREATE` of bpf(2).
    fn open(&self) -> io::Result<OwnedFd> {
        const BPF_ITER_CREATE: libc::c_long = 33;
        bpf(BPF_ITER_CREATE, &[self.link.as_raw_fd().unsigned_abs(), 0])
    }
}

fn bpf<const N: usize>(command: libc::c_long, attr: &[u32; N]) -> io::Result<OwnedFd> {
    // SAFETY: the kernel reads `N * 4` bytes of `attr`, in which there is no pointer.
    let fd = unsafe { libc::syscall(libc::SYS_bpf, command, attr.as_ptr(), size_of_val(attr)) };
    match i32::try_from(fd) {
        // SAFETY: the kernel just gave this descriptor to us alone.
        Ok(fd) if fd >= 0 => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
        _ => Err(io::Error::last_os_error()),
    }
}
