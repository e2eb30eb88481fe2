//! `futex`: what each operation takes (futex(2)).

use crate::syscall::flags::futex as names;
use crate::syscall::flags::number::write_hex;
use crate::syscall::structs::TIMESPEC;
use crate::syscall::table::ArgKind;
use crate::syscall::text::ArgWriter;

/// The operation without its flags (`FUTEX_PRIVATE_FLAG`, `FUTEX_CLOCK_REALTIME`).
const OPERATION: u64 = 0x7f;

/// `futex`: from the operation on.
pub fn futex(w: &mut ArgWriter<'_>, first: usize) {
    let operation = w.arg(first) as i32 & OPERATION as i32;
    let (value, fourth, second_address, third_value) = (first + 1, first + 2, first + 3, first + 4);
    w.value(first, &names::FUTEX);
    match operation {
        libc::FUTEX_WAIT => {
            w.next(value, ArgKind::Uint);
            timeout(w, fourth);
        }
        libc::FUTEX_WAKE => w.next(value, ArgKind::Uint),
        libc::FUTEX_LOCK_PI | FUTEX_LOCK_PI2 => timeout(w, fourth),
        libc::FUTEX_UNLOCK_PI | libc::FUTEX_TRYLOCK_PI => {}
        libc::FUTEX_REQUEUE => {
            w.next(value, ArgKind::Uint);
            w.next(fourth, ArgKind::Uint);
            w.next(second_address, ArgKind::Ptr);
        }
        libc::FUTEX_CMP_REQUEUE | libc::FUTEX_CMP_REQUEUE_PI => {
            w.next(value, ArgKind::Uint);
            w.next(fourth, ArgKind::Uint);
            w.next(second_address, ArgKind::Ptr);
            w.next(third_value, ArgKind::Uint);
        }
        libc::FUTEX_WAKE_OP => {
            w.next(value, ArgKind::Uint);
            w.next(fourth, ArgKind::Uint);
            w.next(second_address, ArgKind::Ptr);
            wake_operation(w, third_value);
        }
        libc::FUTEX_WAIT_BITSET => {
            w.next(value, ArgKind::Uint);
            timeout(w, fourth);
            bitset(w, third_value);
        }
        libc::FUTEX_WAKE_BITSET => {
            w.next(value, ArgKind::Uint);
            bitset(w, third_value);
        }
        libc::FUTEX_WAIT_REQUEUE_PI => {
            w.next(value, ArgKind::Uint);
            timeout(w, fourth);
            w.next(second_address, ArgKind::Ptr);
        }
        _ => {
            w.next(value, ArgKind::Uint);
            for arg in fourth..6 {
                w.next(arg, ArgKind::Hex);
            }
        }
    }
}

const FUTEX_LOCK_PI2: i32 = 13;

fn timeout(w: &mut ArgWriter<'_>, arg: usize) {
    w.next(arg, ArgKind::Struct(&TIMESPEC));
}

fn bitset(w: &mut ArgWriter<'_>, arg: usize) {
    w.begin();
    match w.arg(arg) as u32 {
        u32::MAX => w.text("FUTEX_BITSET_MATCH_ANY"),
        bits => write_hex(w.out, u64::from(bits)),
    }
}

/// The operation, its comparison and their operands, packed in one number (futex(2), FUTEX_WAKE_OP).
fn wake_operation(w: &mut ArgWriter<'_>, arg: usize) {
    w.begin();
    let packed = w.arg(arg) as u32;
    let (operation, comparison) = (packed >> 28 & 7, packed >> 24 & 15);
    if packed >> 31 != 0 {
        w.text("FUTEX_OP_OPARG_SHIFT<<28|");
    }
    let name = ["FUTEX_OP_SET", "FUTEX_OP_ADD", "FUTEX_OP_OR", "FUTEX_OP_ANDN", "FUTEX_OP_XOR"].get(operation as usize);
    match name {
        Some(name) => w.text(name),
        None => write_hex(w.out, u64::from(operation)),
    }
    w.text("<<28|");
    write_hex(w.out, u64::from(packed >> 12 & 0xfff));
    w.text("<<12|");
    let name = [
        "FUTEX_OP_CMP_EQ",
        "FUTEX_OP_CMP_NE",
        "FUTEX_OP_CMP_LT",
        "FUTEX_OP_CMP_LE",
        "FUTEX_OP_CMP_GT",
        "FUTEX_OP_CMP_GE",
    ]
    .get(comparison as usize);
    match name {
        Some(name) => w.text(name),
        None => write_hex(w.out, u64::from(comparison)),
    }
    w.text("<<24|");
    write_hex(w.out, u64::from(packed & 0xfff));
}
