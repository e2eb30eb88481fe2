//! Records on their way into a ring: a scratch record under construction, and the counters.

use aya_ebpf::bindings::BPF_RB_NO_WAKEUP;
use aya_ebpf::helpers::{bpf_get_current_pid_tgid, bpf_ktime_get_ns};
use aya_ebpf::maps::{PerCpuArray, RingBuf};
use sysprobe_common::event::EventHeader;
use sysprobe_common::loss::Counter;

use crate::maps::{BULK, COUNTERS, CRITICAL, SCRATCH_MASK, Scratch};
use crate::verifier::opaque;

/// A record in a per-CPU scratch buffer.
///
// VERIFIER: the length lives in the buffer, not in a register: read back it is any number, so that the verifier sees
// one state after each capture instead of one for each way it may have gone, and loops over captures converge.
pub struct Record {
    scratch: *mut Scratch,
}

impl Record {
    /// A record in this CPU's row of `map`, with room for a fixed part of `fixed` bytes.
    #[inline(always)]
    pub fn new(map: &PerCpuArray<Scratch>, fixed: usize) -> Option<Self> {
        let record = Self { scratch: map.get_ptr_mut(0)? };
        record.set_len(fixed as u64);
        Some(record)
    }

    /// The record under construction in this CPU's row of `map`.
    #[inline(always)]
    pub fn resume(map: &PerCpuArray<Scratch>) -> Option<Self> {
        Some(Self { scratch: map.get_ptr_mut(0)? })
    }

    /// Bytes so far; a multiple of 8 between captures.
    #[inline(always)]
    pub fn len(&self) -> u64 {
        // SAFETY: the row outlives the program's run.
        unsafe { core::ptr::read_volatile(&raw const (*self.scratch).len) }
    }

    /// Sets the number of bytes.
    #[inline(always)]
    pub fn set_len(&self, len: u64) {
        // SAFETY: as above.
        unsafe { core::ptr::write_volatile(&raw mut (*self.scratch).len, len) };
    }

    /// Adds `more` bytes that were written at the tail.
    #[inline(always)]
    pub fn grow(&self, more: u64) {
        self.set_len(self.len() + more);
    }

    /// See [`Scratch::remaining`].
    #[inline(always)]
    pub fn remaining(&self) -> u64 {
        // SAFETY: as above.
        unsafe { core::ptr::read_volatile(&raw const (*self.scratch).remaining) }
    }

    /// See [`Scratch::remaining`].
    #[inline(always)]
    pub fn set_remaining(&self, bytes: u64) {
        // SAFETY: as above.
        unsafe { core::ptr::write_volatile(&raw mut (*self.scratch).remaining, bytes) };
    }

    /// Where the next byte goes. Up to `SCRATCH_BYTES - SCRATCH_MASK` bytes may be written from here.
    #[inline(always)]
    pub fn tail(&self) -> *mut u8 {
        self.at(self.len())
    }

    /// The byte at `position`, masked into the buffer.
    #[inline(always)]
    pub fn at(&self, position: u64) -> *mut u8 {
        // VERIFIER: the mask is what proves the bound.
        let position = opaque(position) & SCRATCH_MASK;
        // SAFETY: SCRATCH_MASK < SCRATCH_BYTES.
        unsafe { (&raw mut (*self.scratch).bytes).cast::<u8>().add(position as usize) }
    }

    /// Where the next word goes, while the length is a multiple of 8.
    #[inline(always)]
    pub fn word(&self) -> *mut u64 {
        self.word_at(self.len())
    }

    /// The word at `position`, a multiple of 8.
    // VERIFIER: the mask also shows LLVM that it is aligned: the BPF target stores to any other address byte by byte.
    #[inline(always)]
    pub fn word_at(&self, position: u64) -> *mut u64 {
        let position = opaque(position) & SCRATCH_MASK & !7;
        // SAFETY: SCRATCH_MASK < SCRATCH_BYTES.
        unsafe { (&raw mut (*self.scratch).bytes).cast::<u8>().add(position as usize).cast() }
    }

    /// The fixed part at the record's start.
    ///
    /// # Safety
    /// `T` must be the integers-only record whose size was given to [`Record::new`].
    #[inline(always)]
    pub unsafe fn fixed<T>(&mut self) -> &mut T {
        // SAFETY: the bytes are 8-aligned and more than any record has; the caller vouches for T.
        unsafe { &mut *(&raw mut (*self.scratch).bytes).cast::<T>() }
    }

    /// Sends the record.
    #[inline(always)]
    pub fn send(self, ring: &RingBuf, flags: u32) -> bool {
        // VERIFIER: the length's bound must be seen in the register that the helper gets.
        let len = (opaque(self.len()) & SCRATCH_MASK) as usize;
        // SAFETY: there are SCRATCH_BYTES bytes and len is below that.
        let bytes = unsafe { core::slice::from_raw_parts((&raw const (*self.scratch).bytes).cast::<u8>(), len) };
        ring.output::<[u8]>(bytes, u64::from(flags)).is_ok()
    }
}

/// Sends a flood record: the user side polls, so nobody is woken.
#[inline(always)]
pub fn send_bulk(record: Record) -> bool {
    record.send(&BULK, BPF_RB_NO_WAKEUP)
}

/// Sends a rare record.
#[inline(always)]
pub fn send_critical(record: Record) -> bool {
    record.send(&CRITICAL, 0)
}

/// Sends a rare record of fixed size.
#[inline(always)]
pub fn send_critical_fixed<T>(record: &T) -> bool {
    CRITICAL.output::<T>(record, 0).is_ok()
}

/// One more of `counter`.
#[inline(always)]
pub fn count(counter: Counter) {
    if let Some(value) = COUNTERS.get_ptr_mut(counter as u32) {
        // SAFETY: this CPU's own row, and programs are not preempted.
        unsafe { *value += 1 };
    }
}

/// A head for the running thread, now.
#[inline(always)]
pub fn header(kind: u16, len: usize) -> EventHeader {
    let id = bpf_get_current_pid_tgid();
    EventHeader { kind, flags: 0, len: len as u32, ts_ns: now_ns(), tid: id as u32, tgid: (id >> 32) as u32 }
}

/// CLOCK_MONOTONIC in ns.
#[inline(always)]
pub fn now_ns() -> u64 {
    // SAFETY: no arguments, no failure.
    unsafe { bpf_ktime_get_ns() }
}
