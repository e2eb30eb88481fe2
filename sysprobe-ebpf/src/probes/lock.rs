//! `lock:contention_begin` and `_end`: which lock a waiter waits for; and who holds it, read from the lock's own word.
//!
//! Spinning locks are left at once. An owner word names a task whose memory may be gone by now; it is read with fault
//! checks, and the user side reads it again before it names anyone.

use aya_ebpf::helpers::bpf_get_current_pid_tgid;
use sysprobe_common::event::{ContendedRaw, LockRaw, lock_flags};
use sysprobe_common::fields::Field;
use sysprobe_common::loss::Counter;

use crate::emit;
use crate::fields::{container, get, has};
use crate::maps::CONTENDED;
use crate::probes::{Args, twins};

/// Flags in the low bits of `mutex.owner` (kernel/locking/mutex.h).
const MUTEX_FLAGS: u64 = 0x7;
/// `RWSEM_READER_OWNED` and `RWSEM_NONSPINNABLE` in `rw_semaphore.owner` (kernel/locking/rwsem.c).
const RWSEM_FLAGS: u64 = 0x3;
const RWSEM_READER_OWNED: u64 = 0x1;
/// Kinds in the low bits of `task_struct.blocker` (include/linux/hung_task.h).
const BLOCKER_KINDS: u64 = 0x3;

twins!(contention_begin, contention_begin_raw, "contention_begin", try_contention_begin, "A wait for a lock begins.");
twins!(contention_end, contention_end_raw, "contention_end", try_contention_end, "A wait for a lock ends.");

/// Arguments: `void *lock, unsigned int flags`.
#[inline(always)]
fn try_contention_begin(args: Args) -> Option<()> {
    let flags = args.get::<1>() as u32;
    if flags & lock_flags::SPIN != 0 {
        return None;
    }
    let tid = bpf_get_current_pid_tgid() as u32;
    let row = ContendedRaw { lock: args.get::<0>(), flags, pad: 0 };
    if CONTENDED.insert(tid, row, 0).is_err() {
        emit::count(Counter::LocksUnknown);
    }
    Some(())
}

/// Arguments: `void *lock, int ret`. A spinning lock taken while a sleeping one is waited for ends here too.
#[inline(always)]
fn try_contention_end(args: Args) -> Option<()> {
    let tid = bpf_get_current_pid_tgid() as u32;
    // SAFETY: rows are preallocated; only this thread changes its own.
    let row = unsafe { CONTENDED.get(tid) }?;
    if row.lock == args.get::<0>() {
        let _ = CONTENDED.remove(tid);
    }
    Some(())
}

/// The lock that a sleeping thread waits for, with its holder as far as the lock tells.
#[inline(always)]
pub fn of(tid: u32, task: u64) -> LockRaw {
    // SAFETY: rows are preallocated; the thread sleeps, so its row stays.
    let known = unsafe { CONTENDED.get(tid) };
    let (address, flags) = match known {
        Some(row) => (row.lock, row.flags),
        None => match blocker(task) {
            Some(known) => known,
            None => return LockRaw::default(),
        },
    };
    let mut lock = LockRaw { address, flags, ..LockRaw::default() };
    let owner = if flags & lock_flags::PERCPU != 0 {
        lock.frozen_dev = frozen_device(address).unwrap_or(0);
        None
    } else if flags & (lock_flags::MUTEX | lock_flags::RT) == lock_flags::MUTEX {
        get::<u64>(address, Field::MutexOwner).map(|word| word & !MUTEX_FLAGS)
    } else if flags & (lock_flags::READ | lock_flags::WRITE) != 0 {
        get::<u64>(address, Field::RwsemOwner).map(|word| {
            lock.by_readers = u32::from(word & RWSEM_READER_OWNED != 0);
            word & !RWSEM_FLAGS
        })
    } else if flags & lock_flags::RT == 0 {
        lock.flags |= lock_flags::LAST_HOLDER;
        get::<u64>(address, Field::SemaphoreLastHolder)
    } else {
        None
    };
    if let Some(owner) = owner {
        lock.owner_tid = get(owner, Field::TaskPid).unwrap_or(0);
        lock.owner_tgid = get(owner, Field::TaskTgid).unwrap_or(0);
    }
    lock
}

/// The device of the file system whose first lock against writers this is (`super_block.s_writers.rw_sem[0]`, the one that
/// system calls take), if it is frozen. Any other lock's surroundings are no frozen super block, or one that no mount has.
#[inline(always)]
fn frozen_device(lock: u64) -> Option<u32> {
    /// `SB_UNFROZEN` and `SB_FREEZE_COMPLETE` (include/linux/fs/super_types.h).
    const UNFROZEN: u16 = 0;
    const COMPLETE: u16 = 4;
    if !has(Field::SuperWriters) {
        return None;
    }
    let sb = container(lock, Field::SuperWriters);
    let frozen: u16 = get(sb, Field::SuperFrozen)?;
    if frozen == UNFROZEN || frozen > COMPLETE {
        return None;
    }
    get(sb, Field::SuperDevice)
}

/// The lock by the task's own `blocker` word, which newer kernels keep for their hung-task check.
#[inline(always)]
fn blocker(task: u64) -> Option<(u64, u32)> {
    let word: u64 = get(task, Field::TaskBlocker).filter(|word| *word != 0)?;
    let flags = match word & BLOCKER_KINDS {
        0 => lock_flags::MUTEX,
        1 => 0,
        2 => lock_flags::READ,
        _ => lock_flags::WRITE,
    };
    Some((word & !BLOCKER_KINDS, flags | lock_flags::BY_BLOCKER))
}
