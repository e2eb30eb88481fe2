//! What a process's memory consists of, and whose account it is on: `mm_struct` and the memory cgroup.

use aya_ebpf::helpers::generated::bpf_probe_read_kernel_str;
use sysprobe_common::event::{MmPagesRaw, UNKNOWN};
use sysprobe_common::fields::Field;
use sysprobe_common::limits::{CGROUP_LEVELS, CGROUP_NAME_BYTES};

use crate::fields::{address, get, has, read};
use crate::settings;

/// `cgroup_subsys.name` of the memory controller with its NUL, and the byte after it masked out.
const MEMORY: u64 = u64::from_le_bytes(*b"memory\0\0");
const NAME_MASK: u64 = 0x00ff_ffff_ffff_ffff;
/// `memory_cgrp_id` is below this in every configuration (include/linux/cgroup_subsys.h).
const SUBSYSTEMS: u64 = 8;

/// Nothing known.
pub const NO_PAGES: MmPagesRaw = MmPagesRaw { file: UNKNOWN, anon: UNKNOWN, swap: UNKNOWN, shmem: UNKNOWN };

/// The pages of an `mm_struct`, in the order of `MM_FILEPAGES`, `MM_ANONPAGES`, `MM_SWAPENTS`, `MM_SHMEMPAGES`.
#[inline(always)]
pub fn pages(mm: u64) -> MmPagesRaw {
    if mm == 0 || !has(Field::MmRssStat) {
        return NO_PAGES;
    }
    let (first, stride) = if settings::rss_percpu() {
        if !has(Field::PercpuCounterCount) || !has(Field::PercpuCounterCounters) {
            return NO_PAGES;
        }
        // `counters`, a pointer, is the last member of `percpu_counter`.
        (address(0, Field::PercpuCounterCount), address(0, Field::PercpuCounterCounters) + 8)
    } else {
        (0, 8)
    };
    let at = address(mm, Field::MmRssStat) + first;
    // A count may be below zero for a moment: parts of it wait on other CPUs.
    let count = |index: u64| read::<i64>(at + index * stride).map_or(UNKNOWN, |pages| pages.max(0) as u64);
    MmPagesRaw { file: count(0), anon: count(1), swap: count(2), shmem: count(3) }
}

/// The kernfs node of a task's memory cgroup.
#[inline(always)]
pub fn cgroup(task: u64) -> Option<u64> {
    let set: u64 = get(task, Field::TaskCgroups)?;
    if set == 0 || !has(Field::CssSetSubsys) {
        return None;
    }
    let states = address(set, Field::CssSetSubsys);
    let mut index = 0;
    while index < SUBSYSTEMS {
        let state = read::<u64>(states + index * 8).unwrap_or(0);
        let subsystem = get::<u64>(state, Field::CssSubsystem).unwrap_or(0);
        let name = get::<u64>(subsystem, Field::SubsystemName).unwrap_or(0);
        if name != 0 && read::<u64>(name).unwrap_or(0) & NAME_MASK == MEMORY {
            return get(get::<u64>(state, Field::CssCgroup)?, Field::CgroupKernfs);
        }
        index += 1;
    }
    None
}

/// Ids and names of a kernfs node and its parents, innermost first, the root left out; gives how many.
#[inline(always)]
pub fn cgroup_path(
    node: u64,
    ids: &mut [u64; CGROUP_LEVELS],
    names: &mut [[u8; CGROUP_NAME_BYTES]; CGROUP_LEVELS],
) -> u32 {
    let mut node = node;
    let mut level = 0;
    while level < CGROUP_LEVELS {
        let Some(parent) = get::<u64>(node, Field::KernfsParent) else { break };
        if parent == 0 {
            break;
        }
        let Some(name) = get::<u64>(node, Field::KernfsName) else { break };
        // SAFETY: `level` is below the arrays' length; the helper ends the name with a NUL and checks the address.
        unsafe {
            *ids.as_mut_ptr().add(level) = get(node, Field::KernfsId).unwrap_or(UNKNOWN);
            let to = names.as_mut_ptr().add(level);
            bpf_probe_read_kernel_str(to.cast(), CGROUP_NAME_BYTES as u32, name as *const _);
        }
        node = parent;
        level += 1;
    }
    level as u32
}
