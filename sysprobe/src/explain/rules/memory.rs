//! Memory: dirty throttling, page locks, swap, reclaim, memory cgroups, user-space paging.

use super::wait::WaitKinds;
use super::{Rule, rule};
use crate::explain::cause::Class;

/// Waits that are over once the thing waited for is done; locks inside these functions mean something else.
const DONE: WaitKinds = WaitKinds::NO_LOCK;

/// Rules of this subsystem.
pub const RULES: &[Rule] = &[
    // Memory cgroups.
    rule(
        Class::MemcgThrottle,
        &["mem_cgroup_handle_over_high", "__mem_cgroup_handle_over_high"],
        "the penalty for being above memory.high to pass",
    )
    .wait(DONE)
    .killable(),
    rule(
        Class::MemcgOomWait,
        &[
            "mem_cgroup_oom_synchronize",
            "mem_cgroup_oom*",
            "mem_cgroup_handle_oom",
            "mem_cgroup_out_of_memory",
            "memcg_oom_*",
            "__mem_cgroup_handle_oom",
        ],
        "the OOM handling of its memory cgroup to make room",
    )
    .killable(),
    // User-space paging.
    rule(
        Class::Userfaultfd,
        &["handle_userfault", "userfaultfd_*", "hugetlb_handle_userfault", "handle_userfault_*"],
        "its user-space pager (userfaultfd) to supply the page",
    )
    .wait(DONE)
    .killable(),
    // Dirty throttling.
    rule(
        Class::WritebackThrottle,
        &["balance_dirty_pages*", "io_schedule_timeout_dirty", "btrfs_btree_balance_dirty*", "writeback_set_ratelimit"],
        "permission to dirty more pages (write-back is behind)",
    )
    .wait(DONE)
    .killable(),
    // Swap.
    rule(
        Class::SwapIn,
        &[
            "__folio_lock_or_retry",
            "__lock_page_or_retry",
            "folio_lock_or_retry",
            "wait_on_page_locked*",
            "__folio_lock*",
            "__lock_page*",
            "folio_put_wait_locked",
            "put_and_wait_on_page_locked",
        ],
        "a page to come back from swap",
    )
    .wait(DONE)
    .under(&["do_swap_page", "shmem_swapin*", "unuse_p*", "try_to_unuse", "unuse_mm"])
    .within(3),
    rule(
        Class::SwapIn,
        &[
            "swap_readpage*",
            "swap_read_folio*",
            "swapin_*",
            "do_swap_page",
            "shmem_swapin*",
            "read_swap_cache_*",
            "__read_swap_cache_async",
            "swap_cluster_readahead",
            "swap_vma_readahead",
            "shmem_unuse*",
            "try_to_unuse",
        ],
        "a page to come back from swap",
    )
    .wait(DONE),
    // Page and buffer locks.
    rule(
        Class::PageLock,
        &[
            "migration_entry_wait*",
            "__migration_entry_wait*",
            "pmd_migration_entry_wait",
            "softleaf_entry_wait*",
            "migration_entry_wait_on_locked",
        ],
        "a page that is being migrated",
    )
    .wait(DONE),
    rule(Class::Reclaim, PAGE_LOCKERS, "a page lock during memory reclaim")
        .wait(DONE)
        .under(&["shrink_*list", "shrink_lruvec", "shrink_node*"])
        .within(4),
    rule(
        Class::Smb,
        &["__lock_page", "__folio_lock"],
        "the lock of a page whose failed write the SMB client must send again",
    )
    .wait(DONE)
    .under(&["cifs_writev_requeue", "cifs_*_requeue"])
    .within(2),
    rule(
        Class::BlockIo,
        &["__lock_page_killable", "__folio_lock_killable", "lock_page_killable"],
        "a file page to be read from the disk",
    )
    .wait(DONE)
    .under(&["do_generic_file_read*", "generic_file_buffered_read*", "generic_file_aio_read", "filemap_get_pages"])
    .within(2)
    .medium(),
    rule(Class::PageLock, PAGE_LOCKERS, "the lock of a page that another task reads, writes or truncates").wait(DONE),
    rule(Class::Ceph, &["truncate_inode_pages*"], "a page that this very Ceph messenger thread must complete")
        .wait(WaitKinds::PAGE)
        .under(&["ceph_con_workfn"]),
    rule(
        Class::PageLock,
        &[
            "filemap_fault",
            "filemap_map_pages",
            "__filemap_get_folio*",
            "find_lock_page*",
            "find_lock_entr*",
            "pagecache_get_page",
            "find_get_pages*",
            "find_or_create_page",
            "grab_cache_page_write_begin",
            "__find_lock_page*",
            "truncate_inode_pages*",
            "truncate_inode_partial_folio",
            "invalidate_inode_pages2*",
            "invalidate_mapping_pages",
            "write_cache_pages",
            "writeback_iter",
            "writeback_get_folio",
            "mpage_prepare_extent_to_map",
            "extent_write_cache_pages",
            "extent_write_cache_pages*",
            "btree_write_cache_pages",
            "lock_delalloc_*",
            "migrate_pages*",
            "migrate_folio*",
            "__unmap_and_move",
            "unmap_and_move*",
            "split_huge_page*",
            "collapse_file",
            "hugetlb_fault",
            "hugetlb_wp",
            "hugetlb_no_page",
            "hugetlbfs_*",
            "do_wp_page",
            "wp_page_copy",
            "fault_dirty_shared_page",
            "__do_fault",
            "memory_failure*",
            "ksm_*",
            "shmem_fault",
            "shmem_get_folio*",
            "shmem_getpage*",
            "shmem_undo_range",
            "dax_*",
            "get_unlocked_entry",
            "wait_entry_unlocked",
            "ext4_mpage_*",
            "f2fs_write_cache_pages",
            "f2fs_get_*page*",
        ],
        "the lock of a page that another task reads, writes or truncates",
    )
    .wait(WaitKinds::PAGE.or(WaitKinds::BIT)),
    rule(
        Class::PageLock,
        &["filemap_fault", "dax_*", "get_unlocked_entry", "wait_entry_unlocked"],
        "a page of a mapped file",
    )
    .wait(WaitKinds::PLAIN)
    .medium(),
    // Reclaim.
    rule(
        Class::Reclaim,
        &[
            "reclaim_throttle",
            "consider_reclaim_throttle",
            "throttle_direct_reclaim",
            "throttle_vm_writeout",
            "wait_iff_congested",
            "congestion_wait*",
            "memalloc_retry_wait",
            "too_many_isolated",
        ],
        "memory reclaim to make progress",
    )
    .wait(DONE)
    .killable(),
    rule(
        Class::Reclaim,
        &["mempool_alloc*", "mempool_alloc_noprof", "bio_alloc_bioset*", "bio_alloc*", "crypt_alloc_buffer"],
        "an element of an exhausted memory pool (mempool)",
    ),
    rule(
        Class::Reclaim,
        &[
            "shrink_*",
            "try_to_free_*",
            "do_try_to_free_*",
            "try_charge*",
            "__mem_cgroup_try_charge",
            "mem_cgroup_*reclaim*",
            "balance_pgdat",
            "do_shrink_slab",
            "node_reclaim",
            "__node_reclaim",
            "zone_reclaim",
            "__zone_reclaim",
            "compact_zone*",
            "isolate_migratepages*",
            "__alloc_pages_*",
            "__alloc_pages_slowpath*",
            "out_of_memory",
            "pagefault_out_of_memory",
            "__perform_reclaim",
            "kmem_alloc",
            "kmem_zone_alloc",
            "kmem_alloc_large",
            "xfs_buf_alloc_pages",
            "evict_folios",
            "alloc_contig_range*",
            "try_to_compact_pages",
            "kcompactd_do_work",
            "memcg_exp_*",
            "lock_page_memcg",
        ],
        "free memory (reclaim)",
    )
    .wait(DONE),
    rule(Class::KthreadIdle, &["kswapd", "kcompactd", "khugepaged", "ksmd", "ksm_scan_thread"], "work (it idles)")
        .wait(WaitKinds::PLAIN.or(WaitKinds::SLEEP)),
];

const PAGE_LOCKERS: &[&str] = &[
    "__lock_page*",
    "lock_page*",
    "__folio_lock*",
    "folio_lock*",
    "wait_on_page_locked*",
    "folio_wait_locked*",
    "__lock_buffer",
    "lock_buffer",
    "lock_two_folios",
];
