//! Reads of kernel structure fields, at offsets that the user side found in the running kernel's BTF.

use aya_ebpf::helpers::{bpf_get_current_pid_tgid, bpf_probe_read_kernel, generated};
use sysprobe_common::fields::{FIELD_COUNT, Field, MISSING};

use crate::settings;

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
    let offset = offset(field);
    if offset == MISSING || base == 0 {
        return None;
    }
    read(base + u64::from(offset))
}

/// The `T` at a kernel address.
#[inline(always)]
pub fn read<T: Copy>(address: u64) -> Option<T> {
    // SAFETY: the helper checks the address and fails on a fault.
    unsafe { bpf_probe_read_kernel(address as *const T) }.ok()
}

/// Bytes of a [`Near`].
const NEAR_BYTES: usize = 48;

/// Fields that stand close together, as on every kernel known, in one read: half of what a call costs is such reads.
// VERIFIER: the offsets are constants, so that only one of each two ways below is left in the program.
pub struct Near {
    base: u64,
    from: u32,
    bytes: [u64; NEAR_BYTES / 8],
}

impl Near {
    /// What stands from the first of `fields` on in the structure at `base`.
    #[inline(always)]
    pub fn read<const N: usize>(base: u64, fields: [Field; N]) -> Option<Self> {
        let mut from = MISSING;
        for field in fields {
            let offset = offset(field);
            if offset < from {
                from = offset;
            }
        }
        if from == MISSING || base == 0 {
            return None;
        }
        Some(Self { base, from, bytes: read(base + u64::from(from))? })
    }

    /// One of the fields: out of what was read, or with a read of its own where it stands elsewhere.
    #[inline(always)]
    pub fn get<T: Copy>(&self, field: Field) -> Option<T> {
        let at = offset(field).wrapping_sub(self.from) as usize;
        if at > NEAR_BYTES - size_of::<T>() {
            return get(self.base, field);
        }
        // SAFETY: inside `bytes`; fields are aligned, and so is `from`, the offset of a field of at least this alignment
        // or of a first word.
        Some(unsafe { core::ptr::read_volatile(self.bytes.as_ptr().cast::<u8>().add(at).cast::<T>()) })
    }
}

/// A structure whose type the verifier may know: then its fields are plain loads, which give 0 on a fault.
#[derive(Clone, Copy)]
pub struct Typed {
    base: u64,
    plain: bool,
}

impl Typed {
    /// `base`, of a type the verifier knows if `plain`, else an address like any other.
    #[inline(always)]
    pub fn new(base: u64, plain: bool) -> Self {
        Self { base, plain }
    }

    /// The running thread's `task_struct`.
    #[inline(always)]
    pub fn current() -> Self {
        if settings::typed_task() {
            // SAFETY: no arguments, no failure.
            Self { base: unsafe { generated::bpf_get_current_task_btf() } as u64, plain: true }
        } else {
            Self { base: current_task(), plain: false }
        }
    }

    /// Where it is.
    #[inline(always)]
    pub fn address(self) -> u64 {
        self.base
    }

    /// The value of `field`; `None` for a missing field. A pointer has its type here too, and can only be followed.
    #[inline(always)]
    pub fn get<T: Copy>(self, field: Field) -> Option<T> {
        if !self.plain {
            return get(self.base, field);
        }
        let offset = offset(field);
        if offset == MISSING {
            return None;
        }
        // SAFETY: the verifier vouches for the structure, and the kernel turns a fault into 0.
        Some(unsafe { core::ptr::read_volatile((self.base + u64::from(offset)) as *const T) })
    }

    /// The word at `offset`, which is part of the kernel's ABI.
    #[inline(always)]
    pub fn word(self, offset: u64) -> Option<u64> {
        if !self.plain {
            return read(self.base + offset);
        }
        // SAFETY: as in `get`.
        Some(unsafe { core::ptr::read_volatile((self.base + offset) as *const u64) })
    }

    /// The structure that the pointer in `field` leads to.
    #[inline(always)]
    pub fn follow(self, field: Field) -> Option<Self> {
        Some(Self { base: self.get(field)?, plain: self.plain })
    }
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

/// The running thread's id.
#[inline(always)]
pub fn current_tid() -> u32 {
    if settings::typed_task() {
        return Typed::current().get(Field::TaskPid).unwrap_or(0);
    }
    bpf_get_current_pid_tgid() as u32
}
