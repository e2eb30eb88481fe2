//! The hand-made rows: how the arguments of the calls that programs make most read, one file a family.
//!
//! A call without a row here is shown by its C types (`super::signature`). Names are those of the x86-64 table.

mod file;
mod identity;
mod io;
mod memory;
mod net;
mod process;
mod ready;
mod signal;
mod system;
mod time;

use sysprobe_common::plan::{CaptureOp, PHASE_ENTER, PHASE_EXIT, op};

use super::kind::HandRow;

/// All hand-made rows.
pub fn all() -> impl Iterator<Item = &'static HandRow> {
    [
        file::ROWS,
        identity::ROWS,
        io::ROWS,
        memory::ROWS,
        net::ROWS,
        process::ROWS,
        ready::ROWS,
        signal::ROWS,
        system::ROWS,
        time::ROWS,
    ]
    .into_iter()
    .flatten()
}

const NO_LEN: u8 = sysprobe_common::plan::NO_ARG;

/// `len` bytes of argument `arg`, read at the call's end.
const fn fixed(arg: u8, len: u16) -> CaptureOp {
    CaptureOp { kind: op::FIXED, arg, phase: PHASE_EXIT, len_arg: NO_LEN, max_len: len, elem_size: 0 }
}

/// `len` bytes of argument `arg`, read at the call's entry.
const fn enter(arg: u8, len: u16) -> CaptureOp {
    CaptureOp { kind: op::FIXED, arg, phase: PHASE_ENTER, len_arg: NO_LEN, max_len: len, elem_size: 0 }
}

/// As many bytes as argument `len_arg` says, at most `max`, read at the end.
const fn len_arg(arg: u8, len_arg: u8, max: u16) -> CaptureOp {
    CaptureOp { kind: op::LEN_ARG, arg, phase: PHASE_EXIT, len_arg, max_len: max, elem_size: 1 }
}

/// As many bytes as the `socklen_t` at argument `len_arg` says, at most `max`, read at the end.
const fn len_pointer(arg: u8, len_arg: u8, max: u16) -> CaptureOp {
    CaptureOp { kind: op::LEN_POINTER, arg, phase: PHASE_EXIT, len_arg, max_len: max, elem_size: 1 }
}

/// Two descriptors at argument `arg`.
const fn fd_pair(arg: u8) -> CaptureOp {
    CaptureOp { kind: op::FD_PAIR, arg, phase: PHASE_EXIT, len_arg: NO_LEN, max_len: 8, elem_size: 4 }
}
