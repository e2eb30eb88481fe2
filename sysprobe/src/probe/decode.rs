//! Bytes from a ring to typed events. Every length is checked; integers are read unaligned; nothing is cast in place.

use std::fmt;

use sysprobe_common::event::{
    EventHeader, FLAG_KTHREAD, FileRaw, OomKillRaw, ProcessExitRaw, SYSCALL_BEFORE_ATTACH, SYSCALL_COMPAT,
    SYSCALL_UNFINISHED, SignalRaw, StallEndRaw, SyscallRaw, TaskExecRaw, TaskExitRaw, TaskForkRaw, kind,
};

use crate::event::{
    Abi, CallEnd, Captures, Event, FileDescription, Lock, OomKill, ProcessExit, SignalDelivered, StallEnd, Syscall,
    TaskExec, TaskExit, TaskFork, TaskState, Tgid, Tid, WaitSplit, first,
};

/// Bit 30 of an x32 call's number (`__X32_SYSCALL_BIT`, arch/x86/include/uapi/asm/unistd.h).
const X32_BIT: u32 = 1 << 30;

/// Why a record was refused.
#[derive(Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// Fewer bytes than its kind needs.
    Short {
        /// The kind, if even that could be read.
        kind: Option<u16>,
        /// How many bytes there are.
        len: usize,
    },
    /// No such kind.
    UnknownKind(u16),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short { kind, len } => write!(f, "a record of kind {kind:?} with only {len} bytes"),
            Self::UnknownKind(kind) => write!(f, "a record of unknown kind {kind}"),
        }
    }
}

impl std::error::Error for DecodeError {}

/// A record without padding that is made of integers and byte arrays only: any bytes are a valid one.
///
/// # Safety
/// Only for `repr(C)` types of sysprobe-common's `event` module.
unsafe trait Plain: Copy {}
// SAFETY: integers and byte arrays, explicit padding, asserted there.
unsafe impl Plain for EventHeader {}
// SAFETY: as above.
unsafe impl Plain for SyscallRaw {}
// SAFETY: as above.
unsafe impl Plain for FileRaw {}
// SAFETY: as above.
unsafe impl Plain for SignalRaw {}
// SAFETY: as above.
unsafe impl Plain for StallEndRaw {}
// SAFETY: as above.
unsafe impl Plain for OomKillRaw {}
// SAFETY: as above.
unsafe impl Plain for TaskForkRaw {}
// SAFETY: as above.
unsafe impl Plain for TaskExecRaw {}
// SAFETY: as above.
unsafe impl Plain for TaskExitRaw {}
// SAFETY: as above.
unsafe impl Plain for ProcessExitRaw {}

/// The fixed part of a record, and what follows it.
fn split<T: Plain>(kind: Option<u16>, bytes: &[u8]) -> Result<(T, &[u8]), DecodeError> {
    let short = DecodeError::Short { kind, len: bytes.len() };
    let (head, tail) = bytes.split_at_checked(size_of::<T>()).ok_or(short)?;
    // SAFETY: head holds size_of::<T>() bytes, and any bytes are a T.
    Ok((unsafe { head.as_ptr().cast::<T>().read_unaligned() }, tail))
}

/// Decodes one record.
///
/// # Errors
/// [`DecodeError`] for a record that is too short or of no known kind.
pub fn decode(bytes: &[u8]) -> Result<Event<'_>, DecodeError> {
    let (header, _) = split::<EventHeader>(None, bytes)?;
    let kind = Some(header.kind);
    match header.kind {
        kind::SYSCALL => {
            let (raw, tail) = split::<SyscallRaw>(kind, bytes)?;
            Ok(Event::Syscall(syscall(&raw, tail)))
        }
        kind::FILE => {
            let (raw, payload) = split::<FileRaw>(kind, bytes)?;
            Ok(Event::File(FileDescription { raw, payload }))
        }
        kind::TASK_FORK => {
            let (raw, _) = split::<TaskForkRaw>(kind, bytes)?;
            Ok(Event::Fork(TaskFork {
                ts_ns: raw.header.ts_ns,
                tid: Tid(raw.header.tid),
                tgid: Tgid(raw.header.tgid),
                parent_tid: Tid(raw.parent_tid),
                parent_tgid: Tgid(raw.parent_tgid),
                ns_tid: (raw.ns_tid != 0).then_some(raw.ns_tid),
                comm: raw.comm,
            }))
        }
        kind::TASK_EXEC => {
            let (raw, cmdline) = split::<TaskExecRaw>(kind, bytes)?;
            Ok(Event::Exec(TaskExec {
                ts_ns: raw.header.ts_ns,
                tid: Tid(raw.header.tid),
                tgid: Tgid(raw.header.tgid),
                old_tid: Tid(raw.old_tid),
                comm: raw.comm,
                cmdline,
                cmdline_cut: u64::from(raw.cmdline_bytes) > cmdline.len() as u64,
            }))
        }
        kind::TASK_EXIT => {
            let (raw, _) = split::<TaskExitRaw>(kind, bytes)?;
            Ok(Event::Exit(TaskExit {
                ts_ns: raw.header.ts_ns,
                tid: Tid(raw.header.tid),
                tgid: Tgid(raw.header.tgid),
                wait_status: raw.exit_code,
                last_of_process: raw.group_dead != 0,
                comm: raw.comm,
            }))
        }
        kind::SIGNAL => {
            let (raw, _) = split::<SignalRaw>(kind, bytes)?;
            Ok(Event::Signal(SignalDelivered { raw, tid: Tid(raw.header.tid), tgid: Tgid(raw.header.tgid) }))
        }
        kind::STALL_END => {
            let (raw, _) = split::<StallEndRaw>(kind, bytes)?;
            Ok(Event::StallEnd(Box::new(stall_end(&raw))))
        }
        kind::PROCESS_EXIT => {
            let (raw, _) = split::<ProcessExitRaw>(kind, bytes)?;
            Ok(Event::ProcessExit(Box::new(ProcessExit::of(&raw))))
        }
        kind::OOM_KILL => {
            let (raw, _) = split::<OomKillRaw>(kind, bytes)?;
            Ok(Event::OomKill(Box::new(OomKill::of(&raw))))
        }
        other => Err(DecodeError::UnknownKind(other)),
    }
}

fn stall_end(raw: &StallEndRaw) -> StallEnd {
    StallEnd {
        tid: Tid(raw.header.tid),
        tgid: Tgid(raw.header.tgid),
        comm: raw.comm,
        kthread: raw.task_flags & FLAG_KTHREAD != 0,
        state: TaskState(raw.state),
        since_ns: raw.since_ns,
        woken_ns: raw.header.ts_ns,
        lock: Lock::of(&raw.lock),
        waker: (raw.waker_tid != 0).then_some((Tid(raw.waker_tid), Tgid(raw.waker_tgid))),
        waker_comm: raw.waker_comm,
        kernel: first(&raw.kernel, raw.kernel_len),
        user: first(&raw.user, raw.user_len),
    }
}

fn syscall<'a>(raw: &SyscallRaw, tail: &'a [u8]) -> Syscall<'a> {
    let duration_ns = raw.header.ts_ns.saturating_sub(raw.start_ns);
    let waited = raw.runnable_ns.saturating_add(raw.blocked_ns).saturating_add(raw.sleeping_ns);
    let (abi, nr) = if raw.header.flags & SYSCALL_COMPAT != 0 {
        (Abi::I386, raw.nr)
    } else if raw.nr & X32_BIT != 0 && raw.nr != u32::MAX {
        (Abi::X32, raw.nr & !X32_BIT)
    } else {
        (Abi::X86_64, raw.nr)
    };
    Syscall {
        tid: Tid(raw.header.tid),
        tgid: Tgid(raw.header.tgid),
        abi,
        nr,
        args: raw.args,
        start_ns: raw.start_ns,
        duration_ns,
        wait: WaitSplit {
            running_ns: duration_ns.saturating_sub(waited),
            runnable_ns: raw.runnable_ns,
            blocked_ns: raw.blocked_ns,
            sleeping_ns: raw.sleeping_ns,
        },
        end: if raw.header.flags & SYSCALL_UNFINISHED != 0 { CallEnd::Unfinished } else { CallEnd::Returned(raw.ret) },
        began_before_attach: raw.header.flags & SYSCALL_BEFORE_ATTACH != 0,
        captures: Captures::new(tail),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_bytes_decode_or_are_refused(mut bytes in prop::collection::vec(any::<u8>(), 0..2000), kind in 0u16..11) {
            if bytes.len() >= 2 {
                bytes[..2].copy_from_slice(&kind.to_ne_bytes());
            }
            if let Ok(Event::Syscall(call)) = decode(&bytes) {
                prop_assert!(call.captures.iter().count() <= bytes.len());
            }
        }
    }

    #[test]
    fn a_short_record_is_refused_by_kind() {
        let mut bytes = vec![0; size_of::<SyscallRaw>() - 1];
        bytes[..2].copy_from_slice(&kind::SYSCALL.to_ne_bytes());
        assert_eq!(decode(&bytes).unwrap_err(), DecodeError::Short { kind: Some(kind::SYSCALL), len: bytes.len() });
        assert_eq!(decode(&[0xff; 24]).unwrap_err(), DecodeError::UnknownKind(0xffff));
    }
}
