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
