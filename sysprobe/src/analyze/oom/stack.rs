//! What the stack of an OOM kill's trigger tells: whose limit was met, and what the memory was for.

use crate::explain::frame::Frame;
use crate::explain::oom::Scope;

/// What is behind the first of these functions on the stack is the kill itself.
const KILL: [&str; 2] = ["mark_oom_victim", "__oom_kill_process"];

/// What each function allocates for, the most telling first.
const WANTED: [(&[&str], &str); 12] = [
    (&["do_swap_page"], "a page to come back from swap"),
    (&["hugetlb_fault", "alloc_hugetlb_folio"], "a huge page"),
    (
        &["shmem_get_folio_gfp", "shmem_getpage_gfp", "shmem_fault", "shmem_write_begin"],
        "a page of shared memory or tmpfs",
    ),
    (&["filemap_fault", "filemap_add_folio", "add_to_page_cache_lru", "__filemap_get_folio"], "a page of a file"),
    (&["wp_page_copy", "do_cow_fault"], "its own copy of a page (copy on write)"),
    (&["do_anonymous_page", "do_huge_pmd_anonymous_page", "alloc_anon_folio"], "anonymous memory (a page fault)"),
    (&["copy_process", "dup_mm", "copy_page_range"], "a new process or thread"),
    (&["pte_alloc_one", "__pte_alloc", "__pmd_alloc", "__pud_alloc"], "page tables"),
    (&["sk_page_frag_refill", "tcp_sendmsg_locked", "__alloc_skb", "sock_alloc_send_pskb"], "network buffers"),
    (&["pipe_write", "anon_pipe_write"], "a pipe's buffer"),
    (
        &["__kmalloc", "kmem_cache_alloc", "kmem_cache_alloc_noprof", "__kmalloc_noprof", "obj_cgroup_charge"],
        "kernel memory",
    ),
    (&["handle_mm_fault"], "memory (a page fault)"),
];

/// The stack from the kill on; the probe's own frames are cut off.
pub(super) fn from_the_kill(frames: &[Frame]) -> &[Frame] {
    let at = frames.iter().position(|frame| KILL.contains(&frame.name.as_str()));
    frames.get(at.unwrap_or(0)..).unwrap_or_default()
}

/// Whose memory ran out; `None` where the stack does not tell.
pub(super) fn scope(frames: &[Frame]) -> Option<Scope> {
    let has = |name: &str| frames.iter().any(|frame| frame.name == name);
    if has("moom_callback") || has("sysrq_handle_moom") {
        return Some(Scope::Manual);
    }
    if has("mem_cgroup_out_of_memory") || has("mem_cgroup_oom_synchronize") {
        return Some(Scope::Memcg);
    }
    // Of a cpuset or a memory policy it looks the same; the log tells those.
    has("out_of_memory").then_some(Scope::Global)
}

/// What the memory was for.
pub(super) fn wanted(frames: &[Frame]) -> Option<&'static str> {
    let row = WANTED.iter().find(|(names, _)| frames.iter().any(|frame| names.contains(&frame.name.as_str())));
    row.map(|(_, words)| *words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(text: &str) -> Vec<Frame> {
        text.split(' ').filter_map(|name| Frame::new(name, None)).collect()
    }

    #[test]
    fn the_limit_and_the_purpose_are_read_from_the_stack() {
        let fault = frames(
            "bpf_trace_run2 mark_oom_victim __oom_kill_process oom_kill_process out_of_memory mem_cgroup_out_of_memory \
             try_charge_memcg charge_memcg do_anonymous_page handle_mm_fault exc_page_fault",
        );
        assert_eq!(from_the_kill(&fault)[0].name, "mark_oom_victim");
        assert_eq!((scope(&fault), wanted(&fault)), (Some(Scope::Memcg), Some("anonymous memory (a page fault)")));
        let tmpfs = frames("out_of_memory mem_cgroup_out_of_memory shmem_get_folio_gfp shmem_write_begin vfs_write");
        assert_eq!(wanted(&tmpfs), Some("a page of shared memory or tmpfs"));
        let machine = frames("out_of_memory __alloc_pages_slowpath __alloc_pages filemap_fault handle_mm_fault");
        assert_eq!((scope(&machine), wanted(&machine)), (Some(Scope::Global), Some("a page of a file")));
        assert_eq!(scope(&frames("out_of_memory moom_callback process_one_work")), Some(Scope::Manual));
        assert_eq!((scope(&[]), wanted(&[])), (None, None));
    }
}
