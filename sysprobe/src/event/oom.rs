//! OOM kills as the kernel's probe saw them, and the memory of processes.

use sysprobe_common::event::{MmPagesRaw, OomKillRaw, ProcessMemoryRaw, UNKNOWN, UNKNOWN_ADJ};

use super::{Tgid, Tid, first, padded_text};

/// Bytes of a page on x86-64.
const PAGE_BYTES: u64 = 4096;

/// Memory by kind, bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemorySplit {
    /// Resident anonymous memory.
    pub anon_bytes: u64,
    /// Resident file pages.
    pub file_bytes: u64,
    /// Resident shared memory.
    pub shmem_bytes: u64,
    /// In swap.
    pub swap_bytes: u64,
}

impl MemorySplit {
    fn of(raw: &MmPagesRaw) -> Option<Self> {
        let bytes = |pages: u64| (pages != UNKNOWN).then(|| pages.saturating_mul(PAGE_BYTES));
        Some(Self {
            anon_bytes: bytes(raw.anon)?,
            file_bytes: bytes(raw.file)?,
            shmem_bytes: bytes(raw.shmem)?,
            swap_bytes: bytes(raw.swap)?,
        })
    }

    /// Resident memory of all kinds.
    pub fn rss_bytes(&self) -> u64 {
        self.anon_bytes.saturating_add(self.file_bytes).saturating_add(self.shmem_bytes)
    }

    /// Resident and in swap.
    pub fn held_bytes(&self) -> u64 {
        self.rss_bytes().saturating_add(self.swap_bytes)
    }
}

/// One level of a cgroup's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CgroupLevel {
    /// Its kernfs id (the inode number of its folder).
    pub id: u64,
    /// Its name, what is not UTF-8 replaced.
    pub name: String,
}

/// The kernel chose a process to kill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OomKill {
    /// CLOCK_MONOTONIC ns.
    pub at_ns: u64,
    /// The thread that stands for the victim in the kernel's log.
    pub tid: Tid,
    /// The victim's process; older kernels tell only the thread.
    pub tgid: Option<Tgid>,
    /// When it was born, CLOCK_BOOTTIME ns.
    pub start_ns: Option<u64>,
    /// How long it lived until the kill, ns.
    pub lived_ns: Option<u64>,
    /// Its name, NUL-padded.
    pub comm: [u8; 16],
    /// Its user.
    pub uid: Option<u32>,
    /// Its score adjustment.
    pub oom_score_adj: Option<i32>,
    /// Its address space.
    pub total_vm_bytes: Option<u64>,
    /// Its page tables.
    pub pgtables_bytes: Option<u64>,
    /// Its memory.
    pub memory: Option<MemorySplit>,
    /// Its memory cgroup and that one's parents, innermost first, without the root; empty: the root, or not known.
    pub cgroup: Vec<CgroupLevel>,
    /// The cgroup has more levels than are kept.
    pub cgroup_cut: bool,
    /// The thread whose allocation found no memory, and its process.
    pub trigger: (Tid, Tgid),
    /// That thread's name, NUL-padded.
    pub trigger_comm: [u8; 16],
    /// Its kernel return addresses, innermost first.
    pub kernel: Vec<u64>,
}

impl OomKill {
    pub(crate) fn of(raw: &OomKillRaw) -> Self {
        let known = |number: u64| (number != UNKNOWN).then_some(number);
        let levels = raw.cgroup_ids.iter().zip(&raw.cgroup_names).take(raw.cgroup_levels as usize);
        Self {
            at_ns: raw.header.ts_ns,
            tid: Tid(raw.header.tid),
            tgid: (raw.header.tgid != 0).then_some(Tgid(raw.header.tgid)),
            start_ns: known(raw.start_ns),
            lived_ns: known(raw.start_ns).and_then(|start| raw.boot_ns.checked_sub(start)),
            comm: raw.comm,
            uid: known(raw.uid).and_then(|uid| u32::try_from(uid).ok()),
            oom_score_adj: Some(raw.oom_score_adj).filter(|a| *a != UNKNOWN_ADJ).and_then(|a| i32::try_from(a).ok()),
            total_vm_bytes: known(raw.total_vm_pages).map(|pages| pages.saturating_mul(PAGE_BYTES)),
            pgtables_bytes: known(raw.pgtables_bytes),
            memory: MemorySplit::of(&raw.pages),
            cgroup: levels.map(|(id, name)| CgroupLevel { id: *id, name: padded_text(name) }).collect(),
            cgroup_cut: raw.cgroup_levels as usize >= raw.cgroup_ids.len(),
            trigger: (Tid(raw.trigger_tid), Tgid(raw.trigger_tgid)),
            trigger_comm: raw.trigger_comm,
            kernel: first(&raw.kernel, raw.kernel_len),
        }
    }

    /// The path of the victim's memory cgroup from the root; `None` where the kernel did not tell it or it is cut.
    pub fn cgroup_path(&self) -> Option<String> {
        if self.cgroup.is_empty() || self.cgroup_cut {
            return None;
        }
        Some(self.cgroup.iter().rev().map(|level| format!("/{}", level.name)).collect())
    }
}

/// A process and its memory, as one walk found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessMemory {
    /// The process.
    pub tgid: Tgid,
    /// When it was born, CLOCK_BOOTTIME ns.
    pub start_ns: u64,
    /// Its name, NUL-padded.
    pub comm: [u8; 16],
    /// Its memory.
    pub memory: MemorySplit,
    /// Its score adjustment.
    pub oom_score_adj: i32,
    /// The kernfs id of its memory cgroup.
    pub cgroup_id: Option<u64>,
}

impl ProcessMemory {
    /// Decodes one record of the walk; `None` for one that is too short or tells nothing.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.get(..size_of::<ProcessMemoryRaw>())?;
        // SAFETY: there are as many bytes as the record has, it holds only integers, and it is read unaligned.
        let raw = unsafe { bytes.as_ptr().cast::<ProcessMemoryRaw>().read_unaligned() };
        Some(Self {
            tgid: Tgid(raw.tgid),
            start_ns: raw.start_ns,
            comm: raw.comm,
            memory: MemorySplit::of(&raw.pages)?,
            oom_score_adj: raw.oom_score_adj,
            cgroup_id: (raw.cgroup_id != UNKNOWN).then_some(raw.cgroup_id),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_numbers_of_a_record_are_not_trusted() {
        // SAFETY: integers and byte arrays only.
        let raw: OomKillRaw = unsafe { std::mem::transmute([0xffu8; size_of::<OomKillRaw>()]) };
        let kill = OomKill::of(&raw);
        assert_eq!((kill.start_ns, kill.uid, kill.memory, kill.oom_score_adj), (None, None, None, Some(-1)));
        assert!(kill.cgroup.len() == raw.cgroup_ids.len() && kill.cgroup_path().is_none());
        assert_eq!(ProcessMemory::decode(&[0; size_of::<ProcessMemoryRaw>() - 1]), None);
    }
}
