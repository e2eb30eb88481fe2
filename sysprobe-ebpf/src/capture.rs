//! Runs a call's plan: copies what it names of the caller's memory into a record under construction.

//!
//! The record under construction is a call's: its fixed part stands first and holds the arguments.
//
// VERIFIER: captures are global functions (`extern "C"`, exported) with numbers for arguments and the record found again
// in each: the kernel then checks each function once, by itself, instead of along every path that leads to it.

use aya_ebpf::helpers::generated::{bpf_probe_read_user, bpf_probe_read_user_str};
use sysprobe_common::event::{CaptureRaw, FileKeyRaw, SyscallRaw, capture, status};
use sysprobe_common::limits::{CAPTURE_BYTES, ENTRY_STRING_BYTES, MAX_ARGV, MAX_ENVC, MAX_IOVECS, RECORD_BYTES};
use sysprobe_common::plan::{NO_ARG, PHASE_EXIT, op};

use crate::emit::Record;
use crate::file;
use crate::maps::{CALL_PLANS, SCRATCH};
use crate::verifier::opaque;

const HEAD: u64 = size_of::<CaptureRaw>() as u64;
/// No capture starts beyond this position, so that the longest still ends inside the record.
const LAST_START: u64 = (RECORD_BYTES - CAPTURE_BYTES - 2 * HEAD as usize) as u64;
/// Bytes of a `sockaddr_storage` (include/uapi/linux/socket.h).
const SOCKADDR_BYTES: u64 = 128;
/// Bytes of a `msghdr` (include/linux/socket.h) and of an `iovec`.
const MSGHDR_BYTES: u64 = 56;
const IOVEC_BYTES: u64 = 16;
/// Elements counted of a longer iovec array.
const COUNTED_IOVECS: u64 = 1024;

/// What became of an op: all there was, some of it, nothing could be read.
pub const WHOLE: u64 = 0;
/// See [`WHOLE`].
pub const CUT: u64 = 1;
/// See [`WHOLE`].
pub const UNREADABLE: u64 = 2;

/// A capture's head as the word that the captures below take: `len` and `status` come later.
#[inline(always)]
const fn word(arg: u8, kind: u8, phase: u8, elem: u16) -> u64 {
    arg as u64 | (kind as u64) << 8 | (phase as u64) << 24 | (elem as u64) << 48
}

#[inline(always)]
fn with_kind(head: u64, kind: u8, elem: u64) -> u64 {
    head & 0x0000_ffff_ffff_00ff | u64::from(kind) << 8 | elem << 48
}

/// Writes a head at the tail, and counts the payload that stands behind it in.
#[inline(always)]
fn close(record: &Record, head: u64, status: u8, len: u64) {
    let at = record.len();
    // SAFETY: a head fits behind any masked position.
    unsafe { record.word_at(at).write(head | u64::from(status) << 16 | (len & 0xffff) << 32) };
    record.set_len(at + HEAD + ((len + 7) & !7));
}

#[inline(always)]
fn payload(record: &Record) -> *mut u64 {
    record.word_at(record.len() + HEAD)
}

/// Appends the identity of a file.
#[inline(always)]
pub fn push_file(record: &Record, arg: u8, elem: u16, key: FileKeyRaw, phase: u8) {
    // SAFETY: a key fits behind any masked position.
    unsafe { payload(record).cast::<FileKeyRaw>().write(key) };
    close(record, word(arg, capture::FILE, phase, elem), status::WHOLE, size_of::<FileKeyRaw>() as u64);
}

/// Appends a number.
#[inline(always)]
pub fn push_count(record: &Record, arg: u8, value: u64, phase: u8) {
    // SAFETY: 8 bytes fit behind any masked position.
    unsafe { payload(record).write(value) };
    close(record, word(arg, capture::COUNT, phase, 0), status::WHOLE, 8);
}

/// Says that an argument could not be read.
#[inline(always)]
pub fn push_unreadable(record: &Record, arg: u8, phase: u8) {
    close(record, word(arg, capture::DATA, phase, 0), status::UNREADABLE, 0);
}

/// Appends the new image's command line, `len` bytes at `pointer`, as argument `arg`.
#[inline(always)]
pub fn push_command_line(arg: u8, pointer: u64, len: u64, limit: u64) {
    let _ = capture_bytes(word(arg, capture::CMDLINE, PHASE_EXIT, 0), pointer, len, limit);
}

/// Appends up to `limit` of the `len` user bytes at `pointer`.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn capture_bytes(head: u64, pointer: u64, len: u64, limit: u64) -> u64 {
    let Some(record) = Record::resume(&SCRATCH) else { return UNREADABLE };
    let take = if len < limit { len } else { limit };
    let take = if take > CAPTURE_BYTES as u64 { CAPTURE_BYTES as u64 } else { take };
    // The size's bound must be seen in the helper's own register.
    let size = opaque(take) & 0x1fff;
    // SAFETY: at most 0x1fff bytes behind a masked position.
    if unsafe { bpf_probe_read_user(payload(&record).cast(), size as u32, pointer as *const _) } != 0 {
        return UNREADABLE;
    }
    let outcome = if take < len { CUT } else { WHOLE };
    close(&record, head, outcome as u8, take);
    outcome
}

/// Appends the user string at `pointer`, its NUL left out.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn capture_string(head: u64, pointer: u64, limit: u64) -> u64 {
    let Some(record) = Record::resume(&SCRATCH) else { return UNREADABLE };
    let limit = if limit > CAPTURE_BYTES as u64 { CAPTURE_BYTES as u64 } else { limit };
    let size = opaque(limit) & 0x1fff;
    // SAFETY: at most 0x1fff bytes behind a masked position.
    let n = unsafe { bpf_probe_read_user_str(payload(&record).cast(), size as u32, pointer as *const _) };
    if n <= 0 {
        return UNREADABLE;
    }
    let with_nul = if n as u64 > size { size } else { n as u64 };
    // The helper ends a cut string with a NUL too: only the byte in memory tells.
    let cut = with_nul == size && read_user::<u8>(pointer + size - 1).is_none_or(|byte| byte != 0);
    let outcome = if cut { CUT } else { WHOLE };
    close(&record, head, outcome as u8, with_nul - 1);
    outcome
}

#[inline(always)]
fn read_user<T: Copy>(pointer: u64) -> Option<T> {
    // SAFETY: the helper checks the address and fails on a fault.
    unsafe { aya_ebpf::helpers::bpf_probe_read_user(pointer as *const T) }.ok()
}

/// Argument `index` of the call.
#[inline(always)]
fn arg(record: &Record, index: u8) -> u64 {
    if index > 5 {
        return 0;
    }
    let at = core::mem::offset_of!(SyscallRaw, args) as u64 + u64::from(index) * 8;
    // SAFETY: the fixed part stands at the record's start.
    unsafe { record.word_at(at).read() }
}

/// Runs op `index` of plan `row`. `ret` is the call's result; at entry (`entering` not 0) strings are limited to what
/// entry can keep.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn capture_op(row: u64, index: u64, ret: i64, entering: u64) -> u64 {
    let Some(record) = Record::resume(&SCRATCH) else { return UNREADABLE };
    let Some(plan) = CALL_PLANS.get(row as u32) else { return WHOLE };
    let Some(asked) = plan.ops.get((opaque(index) & 3) as usize) else { return WHOLE };
    let pointer = arg(&record, asked.arg);
    if pointer == 0 || record.len() > LAST_START {
        return WHOLE;
    }
    let head = word(asked.arg, capture::DATA, asked.phase, 0);
    let limit = u64::from(asked.max_len);
    let elem_size = if asked.elem_size == 0 { 1 } else { u64::from(asked.elem_size) };
    let filled = if asked.elem_size != 1 {
        u64::MAX
    } else if ret > 0 {
        ret as u64
    } else {
        0
    };
    match asked.kind {
        op::STRING => {
            let entry = ENTRY_STRING_BYTES as u64;
            capture_string(head, pointer, if entering != 0 && limit > entry { entry } else { limit })
        }
        op::FIXED => capture_bytes(head, pointer, limit, limit),
        op::LEN_ARG => {
            let elements = arg(&record, asked.len_arg);
            // More elements than any call takes: the limit decides anyway.
            let elements = if elements > u64::from(u32::MAX) { u64::from(u32::MAX) } else { elements };
            if elements == 0 { WHOLE } else { capture_bytes(head, pointer, elements * elem_size, limit) }
        }
        op::LEN_RET if ret > 0 => capture_bytes(head, pointer, ret as u64 * elem_size, limit),
        op::LEN_POINTER => match read_user::<u32>(arg(&record, asked.len_arg)) {
            Some(len) => capture_bytes(head, pointer, u64::from(len), limit),
            None => UNREADABLE,
        },
        op::IOVEC => {
            let count = if asked.len_arg == NO_ARG { 1 } else { arg(&record, asked.len_arg) };
            capture_array(head, pointer, count, limit, filled)
        }
        op::MSGHDR => capture_msghdr(head, pointer, limit, filled),
        op::STRINGS => capture_strings(head, pointer, limit),
        op::COUNT => capture_count(head, pointer),
        op::FD_PAIR if ret == 0 => capture_fd_pair(head, pointer),
        _ => WHOLE,
    }
}

/// An iovec array, then the head of each element's bytes; of all elements together `filled` bytes at most.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn capture_array(head: u64, pointer: u64, count: u64, limit: u64, filled: u64) -> u64 {
    let Some(record) = Record::resume(&SCRATCH) else { return UNREADABLE };
    let at = record.len() + HEAD;
    let counted = if count > COUNTED_IOVECS { COUNTED_IOVECS } else { count };
    let outcome = capture_bytes(head, pointer, counted * IOVEC_BYTES, MAX_IOVECS as u64 * IOVEC_BYTES);
    if outcome == UNREADABLE {
        return UNREADABLE;
    }
    record.set_remaining(filled);
    for elem in 0..MAX_IOVECS as u64 {
        if elem >= count || record.len() > LAST_START {
            break;
        }
        let element = record.word_at(at + elem * IOVEC_BYTES);
        // SAFETY: the element was copied there; a masked position leaves room for it.
        let (base, len) = unsafe { (element.read(), element.add(1).read()) };
        let remaining = record.remaining();
        let len = if len < remaining { len } else { remaining };
        record.set_remaining(remaining - len);
        if base == 0 || len == 0 {
            continue;
        }
        let head = with_kind(head, capture::ELEMENT, elem);
        if capture_bytes(head, base, len, limit) == UNREADABLE {
            close(&record, head, status::UNREADABLE, 0);
        }
    }
    outcome
}

/// A `msghdr`, its name, its array and the elements.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn capture_msghdr(head: u64, pointer: u64, limit: u64, filled: u64) -> u64 {
    let Some(record) = Record::resume(&SCRATCH) else { return UNREADABLE };
    let at = payload(&record);
    if capture_bytes(head, pointer, MSGHDR_BYTES, MSGHDR_BYTES) == UNREADABLE {
        return UNREADABLE;
    }
    // SAFETY: the header's 56 bytes were copied there; a masked position leaves room for it.
    let (name, name_len, vector, count) = unsafe { (at.read(), at.add(1).read(), at.add(2).read(), at.add(3).read()) };
    if name != 0 {
        let _ = capture_bytes(with_kind(head, capture::NAME, 0), name, name_len & 0xffff_ffff, SOCKADDR_BYTES);
    }
    if vector != 0 {
        let _ = capture_array(with_kind(head, capture::IOVECS, 0), vector, count, limit, filled);
    }
    WHOLE
}

/// Each string of a null-terminated pointer array.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn capture_strings(head: u64, pointer: u64, limit: u64) -> u64 {
    let Some(record) = Record::resume(&SCRATCH) else { return UNREADABLE };
    for elem in 0..MAX_ARGV as u64 {
        let Some(each) = read_user::<u64>(pointer + elem * 8) else {
            return if elem == 0 { UNREADABLE } else { CUT };
        };
        if each == 0 {
            return WHOLE;
        }
        if record.len() > LAST_START {
            return CUT;
        }
        let head = with_kind(head, capture::ELEMENT, elem);
        if capture_string(head, each, limit) == UNREADABLE {
            close(&record, head, status::UNREADABLE, 0);
        }
    }
    CUT
}

/// How many pointers stand before the null.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn capture_count(head: u64, pointer: u64) -> u64 {
    let Some(record) = Record::resume(&SCRATCH) else { return UNREADABLE };
    record.set_remaining(0);
    if read_user::<u64>(pointer).is_none() {
        return UNREADABLE;
    }
    for index in 0..MAX_ENVC as u64 {
        if read_user::<u64>(pointer + index * 8).unwrap_or(0) == 0 {
            break;
        }
        record.set_remaining(index + 1);
    }
    push_count(&record, head as u8, record.remaining(), PHASE_EXIT);
    WHOLE
}

/// The two new descriptors, and what they are.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn capture_fd_pair(head: u64, pointer: u64) -> u64 {
    let outcome = capture_bytes(head, pointer, 8, 8);
    let Some(record) = Record::resume(&SCRATCH) else { return UNREADABLE };
    for elem in 0..2u64 {
        let Some(fd) = read_user::<i32>(pointer + elem * 4) else { return outcome };
        if let Some(key) = file::identify(fd) {
            push_file(&record, head as u8, elem as u16, key, PHASE_EXIT);
        }
    }
    outcome
}
