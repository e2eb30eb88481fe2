//! Reads of kernel structure fields, at offsets that the user side found in the running kernel's BTF.

use aya_ebpf::helpers::{bpf_probe_read_kernel, generated};
use sysprobe_common::fields::{FIELD_COUNT, Field, MISSING};

/// Byte offsets in the order of [`Field`]; frozen before loading.
#[unsafe(no_mangle)]
static FIELD_OFFSETS: [u32; FIELD_COUNT] = [MISSING; FIELD_COUNT];

/// The field's offset, [`MISSING`] where this kernel has no such field.
#[inline(always)]
fn offset(field: Field) -> u32 {
    // SAFETY: in bounds by the enum; volatile, since the loader replaces the value.
    unsafe { core::ptr::read_volatile((&raw const FIELD_OFFSETS).cast::<u32>().add(field as usize)) }
}

/// Whether this kernel has the field.
#[inline(always)]
pub fn has(field: Field) -> bool {
    offset(field) != MISSING
}

/// The address of `field` in the structure at `base`.
#[inline(always)]
pub fn address(base: u64, field: Field) -> u64 {
    base + u64::from(offset(field))
}

/// The structure that holds `member` at `address` (the kernel's `container_of`).
#[inline(always)]
pub fn container(address: u64, member: Field) -> u64 {
    address - u64::from(offset(member))
}

/// The value of `field` in the structure at `base`; `None` for a missing field or a null or faulting pointer.
#[inline(always)]
pub fn get<T: Copy>(base: u64, field: Field) -> Option<T> {
    if !has(field) || base == 0 {
        return None;
    }
    read(address(base, field))
}

/// The `T` at a kernel address.
#[inline(always)]
pub fn read<T: Copy>(address: u64) -> Option<T> {
    // SAFETY: the helper checks the address and fails on a fault.
    unsafe { bpf_probe_read_kernel(address as *const T) }.ok()
}

/// The words `first` and `second` of the structure at `base`: in one read where they stand side by side, as on every
/// kernel known.
// VERIFIER: the offsets are constants, so that only one of the two ways is left in the program.
#[inline(always)]
pub fn get_pair(base: u64, first: Field, second: Field) -> Option<(u64, u64)> {
    if has(first) && base != 0 && offset(second) == offset(first) + 8 {
        let [first, second]: [u64; 2] = read(address(base, first))?;
        return Some((first, second));
    }
    Some((get(base, first)?, get(base, second)?))
}

/// Reads `field` of the structure at `base` into `to`, which stays as it is where that fails.
#[inline(always)]
pub fn get_into<T: Copy>(base: u64, field: Field, to: &mut T) {
    if has(field) && base != 0 {
        // SAFETY: `to` has the size given; the helper checks the address and fails on a fault.
        unsafe {
            generated::bpf_probe_read_kernel(
                core::ptr::from_mut(to).cast(),
                size_of::<T>() as u32,
                address(base, field) as *const _,
            )
        };
    }
}

/// The running thread's `task_struct`.
#[inline(always)]
pub fn current_task() -> u64 {
    // SAFETY: no arguments; always succeeds in process context.
    unsafe { generated::bpf_get_current_task() }
}
