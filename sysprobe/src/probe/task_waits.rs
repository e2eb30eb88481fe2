//! The threads in D now: the table that the scheduler's probes keep, and one look at all of them by the task iterator.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, AsRawFd as _, FromRawFd as _, OwnedFd};

use anyhow::Context as _;
use aya::Pod;
use aya::maps::HashMap;
use aya::programs::ProgramFd;
use sysprobe_common::event::{BlockedRaw, TaskWaitRaw};
use sysprobe_common::limits::MAX_WANTED;

use super::kernel::Owned;
use crate::event::{TaskWait, Tid};

/// Tasks shown by one look at most: beyond it the look says that it was cut.
const MAX_TASKS: usize = 8192;
/// Bytes read from the iterator at once: the kernel's own buffer is 8 pages.
const READ_BYTES: usize = 32 * 1024;

/// [`BlockedRaw`] as a map value.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct BlockedValue(BlockedRaw);
// SAFETY: integers only; the size is asserted in sysprobe-common.
unsafe impl Pod for BlockedValue {}

/// What one look found.
#[derive(Debug, Default)]
pub struct Look {
    /// Tasks in D, and those asked for.
    pub tasks: Vec<TaskWait>,
    /// There were more.
    pub cut: bool,
}

/// The waits in D.
pub struct TaskWaits {
    blocked: HashMap<Owned, u32, BlockedValue>,
    wanted: HashMap<Owned, u32, u8>,
    iterator: OwnedFd,
}

impl TaskWaits {
    pub(super) fn new(
        blocked: HashMap<Owned, u32, BlockedValue>,
        wanted: HashMap<Owned, u32, u8>,
        program: &ProgramFd,
    ) -> io::Result<Self> {
        Ok(Self { blocked, wanted, iterator: attach(program)? })
    }

    /// The waits that began at or before `before_ns` (CLOCK_MONOTONIC), each with its start.
    pub fn older_than(&self, before_ns: u64) -> Vec<(Tid, u64)> {
        let rows = self.blocked.keys().filter_map(Result::ok).filter_map(|tid| {
            let since_ns = self.blocked.get(&tid, 0).ok()?.0.since_ns;
            (since_ns <= before_ns).then_some((Tid(tid), since_ns))
        });
        // A walk over a table that changes may see a row twice.
        let mut waits: Vec<_> = rows.take(2 * MAX_TASKS).collect();
        waits.sort_unstable();
        waits.dedup();
        waits
    }

    /// Takes a row away whose thread is not in D any more: its end was missed.
    pub fn forget(&mut self, tid: Tid) {
        // Gone already is as good.
        let _ = self.blocked.remove(&tid.0);
    }

    /// Looks at every task in D and at those of `also`, at most [`MAX_WANTED`] of them.
    ///
    /// # Errors
    /// When the iterator cannot be read.
    pub fn look(&mut self, also: &[Tid]) -> anyhow::Result<Look> {
        for tid in also.iter().take(MAX_WANTED as usize) {
            self.wanted.insert(tid.0, 1, 0).context("cannot ask for a task")?;
        }
        let look = self.walk();
        for tid in also.iter().take(MAX_WANTED as usize) {
            // Asked for twice, it is gone already.
            let _ = self.wanted.remove(&tid.0);
        }
        look.context("cannot read the task iterator")
    }

    fn walk(&self) -> io::Result<Look> {
        let mut file = File::from(open(&self.iterator)?);
        let mut look = Look::default();
        let mut bytes = Vec::with_capacity(READ_BYTES);
        loop {
            let start = bytes.len();
            bytes.resize(start + READ_BYTES, 0);
            let read = file.read(bytes.get_mut(start..).unwrap_or_default())?;
            bytes.truncate(start + read);
            let whole = bytes.len() / size_of::<TaskWaitRaw>() * size_of::<TaskWaitRaw>();
            let tasks = bytes.chunks_exact(size_of::<TaskWaitRaw>()).filter_map(TaskWait::decode);
            look.tasks.extend(tasks);
            bytes.drain(..whole);
            if read == 0 {
                return Ok(look);
            }
            if look.tasks.len() >= MAX_TASKS {
                look.cut = true;
                return Ok(look);
            }
        }
    }
}

/// Attaches the loaded iterator program: `BPF_LINK_CREATE` of bpf(2). aya keeps such a link's descriptor to itself, and
/// each look needs it.
fn attach(program: &ProgramFd) -> io::Result<OwnedFd> {
    const BPF_LINK_CREATE: libc::c_long = 28;
    const BPF_TRACE_ITER: u32 = 28;
    // prog_fd, target_fd, attach_type, flags; then no parameters: all tasks.
    bpf(BPF_LINK_CREATE, &[program.as_fd().as_raw_fd().unsigned_abs(), 0, BPF_TRACE_ITER, 0, 0, 0, 0, 0])
}

/// A new walk: `BPF_ITER_CREATE` of bpf(2).
fn open(link: &OwnedFd) -> io::Result<OwnedFd> {
    const BPF_ITER_CREATE: libc::c_long = 33;
    bpf(BPF_ITER_CREATE, &[link.as_raw_fd().unsigned_abs(), 0])
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
