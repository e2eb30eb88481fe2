//! What the outer frames add to a verdict: the system call or work the task is in, the file system it came through.

use super::cause::{Class, Link};
use super::frame::Frame;
use super::rules;

/// Who the task was working for when it fell asleep, outermost knowledge last.
pub fn links(frames: &[Frame], class: Class) -> Vec<Link> {
    let mut links = Vec::new();
    for (patterns, kind, words) in THROUGH {
        if frames.iter().any(|f| patterns.iter().any(|p| rules::matches(p, f))) && !says_the_same(class, kind, words) {
            links.push(Link::new(kind, *words));
        }
    }
    links.extend(entry(frames).map(|words| Link::new("task", words)));
    links
}

/// The system call, fault or kernel work at the bottom of a stack, in words.
pub fn entry(frames: &[Frame]) -> Option<String> {
    if let Some(call) = syscall(frames) {
        return Some(format!("in the system call {call}()"));
    }
    let has = |names: &[&str]| frames.iter().any(|f| names.iter().any(|n| rules::matches(n, f)));
    if has(&["do_exit", "do_group_exit"]) {
        return Some("while it exits".to_owned());
    }
    if has(&[
        "asm_exc_page_fault",
        "page_fault",
        "do_page_fault",
        "exc_page_fault",
        "do_user_addr_fault",
        "el0_da",
        "do_mem_abort",
    ]) {
        return Some("in a page fault".to_owned());
    }
    if let Some(at) = frames.iter().position(|f| f.name == "process_one_work") {
        let work = at.checked_sub(1).and_then(|i| frames.get(i));
        return Some(work.map_or_else(|| "in a work item".to_owned(), |f| format!("in the work item {}", f.name)));
    }
    has(&["kthread", "kernel_thread_starter"]).then(|| "a kernel thread".to_owned())
}

fn syscall(frames: &[Frame]) -> Option<&str> {
    const PREFIXES: &[&str] = &[
        "__x64_sys_",
        "__ia32_sys_",
        "__arm64_sys_",
        "__s390x_sys_",
        "__riscv_sys_",
        "__do_sys_",
        "__se_sys_",
        "__do_compat_sys_",
        "SyS_",
        "SYSC_",
        "compat_sys_",
        "ksys_",
        "sys_",
    ];
    frames
        .iter()
        .rev()
        .find_map(|frame| PREFIXES.iter().find_map(|p| frame.name.strip_prefix(p)))
        .filter(|n| !n.is_empty())
}

fn says_the_same(class: Class, kind: &str, words: &str) -> bool {
    match class {
        Class::Nfs => words.contains("NFS mount"),
        Class::Smb => words.contains("SMB"),
        Class::Ceph => words.contains("Ceph"),
        Class::Fuse => words.contains("FUSE"),
        Class::Zfs => words.contains("ZFS"),
        Class::Reclaim | Class::MemcgOomWait => words.contains("reclaim"),
        Class::GpuDriver => kind == "gpu",
        Class::Dm | Class::DmSuspend => words.contains("device-mapper"),
        Class::Md => words.contains("RAID"),
        _ => false,
    }
}

/// Subsystems a stack passes through, from the device outwards.
const THROUGH: &[(&[&str], &str, &str)] = &[
    (
        &["dm_submit_bio", "dm_make_request", "__map_bio", "dm_request", "@dm_*"],
        "device",
        "through a device-mapper device",
    ),
    (
        &["md_submit_bio", "md_make_request", "md_handle_request", "raid*_make_request"],
        "device",
        "through a RAID array (md)",
    ),
    (&["cached_dev_*", "@bcache"], "device", "through bcache"),
    (&["swap_writepage*", "swap_writeout", "shrink_folio_list", "shrink_page_list"], "memory", "inside memory reclaim"),
    (&["try_to_free_mem_cgroup_pages", "mem_cgroup_shrink_node*"], "memory", "for the limit of a memory cgroup"),
    (&["jbd2_*", "@jbd2"], "filesystem", "on an ext4 journal (jbd2)"),
    (&["ext4_*", "__ext4_*", "@ext4"], "filesystem", "on ext4"),
    (&["xfs_*", "@xfs"], "filesystem", "on XFS"),
    (&["btrfs_*", "@btrfs"], "filesystem", "on btrfs"),
    (&["zfs_*", "zpl_*", "@zfs"], "filesystem", "on ZFS"),
    (&["nfs_*", "nfs4_*", "nfs3_*"], "filesystem", "on an NFS mount"),
    (&["cifs_*", "smb2_*", "SMB2_*"], "filesystem", "on an SMB mount"),
    (&["ceph_*", "@ceph"], "filesystem", "on a Ceph mount"),
    (&["fuse_*", "@fuse"], "filesystem", "on a FUSE mount"),
    (&["ovl_*", "@overlay"], "filesystem", "through overlayfs"),
    (&["nfsd_*", "nfsd4_*", "@nfsd"], "server", "for a client of the NFS server on this host"),
    (&["lo_*", "loop_*", "@loop"], "device", "for a loop device"),
    (&["kvm_*", "vmx_*", "svm_*vcpu*"], "guest", "for a virtual machine's CPU"),
    (&["drm_*", "amdgpu_*", "@nvidia*", "i915_*"], "gpu", "in a GPU driver"),
];
