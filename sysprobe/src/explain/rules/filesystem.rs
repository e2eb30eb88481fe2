//! Local file systems: internal locks, freezing, write-back and buffered reads. Journals have their own table.

use super::wait::WaitKinds;
use super::{Rule, lock, rule};
use crate::explain::cause::Class;

const START_WRITE: &[&str] = &[
    "mnt_want_write*",
    "__mnt_want_write*",
    "__sb_start_write",
    "sb_start_*",
    "file_start_write*",
    "vfs_write",
    "vfs_writev",
    "do_iter_write",
    "do_iter_readv_writev",
    "vfs_iter_write",
    "vfs_fallocate",
    "vfs_truncate",
    "do_sys_ftruncate",
    "do_ftruncate",
    "ksys_fallocate",
    "kiocb_start_write",
    "aio_write",
    "io_write",
    "do_splice*",
    "iter_file_splice_write",
    "vfs_copy_file_range",
    "vfs_clone_file_range",
    "do_clone_file_range",
    "file_update_time",
    "touch_atime",
    "open_last_lookups",
    "path_openat",
    "do_last",
    "lookup_open*",
    "filename_create",
    "do_unlinkat",
    "do_renameat2",
    "do_mkdirat",
    "do_rmdir",
    "do_fchmodat",
    "do_fchownat",
    "do_utimes*",
    "chmod_common",
    "ovl_*",
    "do_page_mkwrite",
    "*_page_mkwrite",
    "*filemap_fault",
    "xfs_trans_alloc*",
    "xfs_trans_*",
    "xfs_log_*worker",
    "xfs_fs_*",
    "xfs_*",
    "ext4_*",
    "__ext4_*",
    "btrfs_*",
    "start_transaction",
    "f2fs_*",
    "gfs2_*",
    "ocfs2_*",
    "jfs_*",
    "ext2_*",
];

/// Rules of this subsystem.
pub const RULES: &[Rule] = &[
    // Freezing.
    rule(Class::Freeze, START_WRITE, "a frozen file system to be thawed before it can write").wait(WaitKinds::PERCPU),
    rule(
        Class::Freeze,
        &["__sb_start_write", "sb_start_*", "mnt_want_write*", "vfs_check_frozen", "ext4_journal_check_start"],
        "a frozen file system to be thawed before it can write",
    ),
    rule(
        Class::Freeze,
        &["freeze_super", "sb_wait_write", "freeze_bdev", "bdev_freeze", "fs_bdev_freeze", "thaw_super*", "thaw_bdev"],
        "the writers of a file system to leave so that it can freeze or thaw",
    ),
    // XFS.
    lock(
        Class::FsLock,
        &["xfs_buf_lock", "xfs_buf_find*", "xfs_buf_get*", "xfs_buf_trylock"],
        "the lock of an XFS metadata buffer",
        "xfs_buf",
    ),
    rule(
        Class::FsLock,
        &["xfs_buf_lock", "xfs_iflock*", "__xfs_iflock", "xfs_dqflock*"],
        "the lock of an XFS metadata object",
    ),
    lock(
        Class::FsLock,
        &["xfs_ilock*", "xfs_lock_*", "xfs_iolock*", "xfs_file_*", "xfs_rwlock*"],
        "the lock of an XFS inode",
        "xfs_inode",
    ),
    rule(
        Class::BlockIo,
        &[
            "xfs_buf_iowait",
            "xfs_buf_submit_wait",
            "_xfs_buf_read",
            "xfs_buf_read*",
            "xfs_bwrite",
            "xfs_buf_delwri_*",
            "xfs_rw_bdev",
            "xlog_bread*",
            "xlog_bio_*",
            "xfs_wait_buftarg",
            "xfs_buftarg_wait",
            "xfs_buftarg_drain",
        ],
        "an XFS metadata buffer to be read or written",
    )
    .wait(WaitKinds::NO_LOCK),
    // btrfs.
    rule(
        Class::WritebackWait,
        &[
            "btrfs_wait_ordered_*",
            "btrfs_start_ordered_extent*",
            "btrfs_lock_and_flush_ordered_range",
            "btrfs_wait_on_delayed_iputs",
            "btrfs_wait_cache_io*",
            "__btrfs_wait_cache_io",
            "btrfs_start_delalloc_*",
            "start_delalloc_inodes",
            "wait_on_extent_buffer_writeback",
            "btrfs_wait_tree_*",
            "btrfs_wait_marked_extents",
            "btrfs_write_and_wait_transaction",
            "btrfs_wait_extents",
            "btrfs_wait_tree_block_writeback",
            "btrfs_wait_nocow_writers",
            "btrfs_wait_block_group_reservations",
        ],
        "btrfs data (an ordered extent) to reach the disk",
    )
    .wait(WaitKinds::NO_LOCK),
    rule(
        Class::FsLock,
        &[
            "btrfs_tree_lock*",
            "btrfs_tree_read_lock*",
            "__btrfs_tree_*lock*",
            "btrfs_lock_root_node",
            "btrfs_read_lock_root_node",
            "btrfs_lock_extent*",
            "lock_extent*",
            "wait_extent_bit",
            "btrfs_clear_lock_blocking*",
            "btrfs_drew_*",
            "btrfs_set_lock_blocking*",
            "btrfs_try_tree_*",
            "btrfs_search_slot",
        ],
        "a btrfs tree block or extent range that another task has locked",
    ),
    rule(
        Class::BlockIo,
        &[
            "read_extent_buffer_pages*",
            "btree_read_extent_buffer_pages",
            "btrfs_read_extent_buffer",
            "read_tree_block",
            "read_block_for_search",
            "btrfs_read_dev_*",
            "wait_dev_flush",
            "barrier_all_devices",
            "write_dev_supers",
            "wait_dev_supers",
            "write_all_supers",
            "scrub_*",
            "btrfs_map_bio",
            "wait_dev_supers",
            "lock_stripe_add",
            "btrfs_read_folio",
            "btrfs_bio_wait",
            "raid56_*",
            "btrfs_caching_ctl_wait_done",
            "btrfs_wait_block_group_cache_*",
        ],
        "a btrfs metadata block to be read or a super block to be written",
    )
    .wait(WaitKinds::NO_LOCK),
    // ext4.
    rule(
        Class::BlockIo,
        &[
            "ext4_read_bh*",
            "ext4_bread*",
            "ext4_sb_bread*",
            "ext4_wait_block_bitmap",
            "ext4_read_*_bitmap*",
            "__ext4_read_*",
            "__ext4_get_inode_loc*",
            "ext4_get_inode_loc",
            "__ext4_find_entry",
            "ext4_find_entry",
            "ext4_mb_*cache*",
            "ext4_block_write_begin",
            "ext4_multi_mount_protect",
            "read_mmp_block",
            "write_mmp_block",
            "ext4_iget",
            "__ext4_iget",
            "__read_extent_tree_block",
        ],
        "an ext4 metadata block to be read",
    )
    .wait(WaitKinds::BIT.or(WaitKinds::PAGE).or(WaitKinds::PLAIN).or(WaitKinds::COMPLETION)),
    rule(
        Class::WritebackWait,
        &[
            "ext4_ioend_wait",
            "ext4_ioend_shutdown",
            "ext4_unwritten_wait",
            "ext4_aiodio_wait",
            "ext4_flush_completed_IO",
            "ext4_flush_unwritten_io",
            "ext4_io_end_*",
        ],
        "ext4 data writes in flight to complete",
    )
    .wait(WaitKinds::NO_LOCK),
    // f2fs.
    rule(
        Class::WritebackWait,
        &["f2fs_wait_on_*", "f2fs_sync_*_pages", "f2fs_sync_meta_pages"],
        "f2fs pages to reach the disk",
    )
    .wait(WaitKinds::NO_LOCK),
    // Pages under write-back, by who waits.
    rule(Class::SwapIn, PAGE_WRITEBACK, "a page to leave swap write-back before it can be swapped in")
        .under(&["shmem_swapin*", "do_swap_page", "shmem_get_folio*", "shmem_getpage*"])
        .within(2),
    rule(Class::Reclaim, PAGE_WRITEBACK, "a page to be written back by memory reclaim").under(&[
        "shrink_*_list",
        "shrink_*list",
        "shrink_lruvec",
        "pageout",
        "migrate_*",
        "__alloc_contig*",
    ]),
    rule(Class::Nfs, PAGE_WRITEBACK, "dirty pages to be written to the NFS server").under(NFS).within(8).killable(),
    rule(Class::Smb, PAGE_WRITEBACK, "dirty pages to be written to the SMB server").under(SMB).within(8),
    rule(Class::Ceph, PAGE_WRITEBACK, "dirty pages to be written to the Ceph cluster").under(CEPH).within(8),
    rule(Class::Fuse, PAGE_WRITEBACK, "dirty pages to be written by the FUSE daemon").under(FUSE).within(8),
    rule(Class::NetworkFsOther, PAGE_WRITEBACK, "dirty pages to be written to the file system's server")
        .under(OTHER)
        .within(8),
    rule(Class::Zfs, PAGE_WRITEBACK, "dirty pages to be written by ZFS").under(&["zpl_*", "zfs_*"]).within(8),
    rule(Class::WritebackWait, PAGE_WRITEBACK, "dirty pages to reach the disk").wait(WaitKinds::NO_LOCK),
    rule(
        Class::WritebackWait,
        &[
            "wait_sb_inodes",
            "wb_wait_for_completion",
            "sync_inodes_sb",
            "writeback_inodes_sb*",
            "__writeback_inodes_sb_nr",
            "try_to_writeback_inodes_sb*",
            "bdi_sched_wait",
            "bdi_sync_writeback",
            "bdi_writeback_*",
            "inode_sleep_on_writeback",
            "inode_wait_for_writeback",
            "__inode_wait_for_writeback",
            "inode_wait_writeback",
            "write_inode_now",
            "sync_filesystem",
            "writeback_single_inode",
            "iomap_ioend*",
            "wb_shutdown",
            "cgroup_writeback_umount",
        ],
        "the flusher to write all dirty data of a file system",
    )
    .wait(WaitKinds::NO_LOCK),
    // Buffered reads, by who serves them.
    rule(Class::Nfs, BUFFERED_READ, "a page to be read from the NFS server").under(NFS).within(8).killable(),
    rule(Class::Smb, BUFFERED_READ, "a page to be read from the SMB server").under(SMB).within(8),
    rule(Class::Ceph, BUFFERED_READ, "a page to be read from the Ceph cluster").under(CEPH).within(8),
    rule(Class::Fuse, BUFFERED_READ, "a page to be read by the FUSE daemon").under(FUSE).within(8),
    rule(Class::NetworkFsOther, BUFFERED_READ, "a page to be read from the file system's server")
        .under(OTHER)
        .within(8),
    rule(Class::BlockIo, BUFFERED_READ, "a file page to be read from the disk")
        .wait(WaitKinds::PAGE.or(WaitKinds::PLAIN).or(WaitKinds::COMPLETION))
        .medium(),
    rule(
        Class::FsLock,
        &["six_lock_*", "__six_lock_*", "bch2_btree_node_lock*"],
        "a bcachefs btree node that another task has locked",
    ),
    // Inodes.
    rule(
        Class::FsLock,
        &[
            "__wait_on_freeing_inode",
            "wait_on_inode",
            "inode_wait",
            "find_inode*",
            "iget_locked",
            "iget5_locked*",
            "ilookup*",
            "insert_inode_locked*",
            "__iget",
            "inode_insert5",
            "wait_on_new_inode",
        ],
        "an inode that another task is loading or evicting",
    )
    .wait(WaitKinds::NO_LOCK)
    .medium(),
    rule(
        Class::FsLock,
        &["wait_on_dquot", "dqget", "dquot_acquire", "dquot_commit*", "dquot_release", "dquot_*"],
        "a disk quota record that another task has locked",
    )
    .medium(),
];

/// Functions that wait for write-back of a page.
const PAGE_WRITEBACK: &[&str] = &[
    "folio_wait_writeback*",
    "wait_on_page_writeback*",
    "wait_for_stable_page",
    "folio_wait_stable",
    "__filemap_fdatawait_range",
    "filemap_fdatawait*",
    "filemap_write_and_wait*",
    "file_write_and_wait_range",
    "end_page_writeback",
];

/// Functions in which a reader waits for a page of a file to arrive.
const BUFFERED_READ: &[&str] = &[
    "filemap_read",
    "filemap_get_pages",
    "filemap_update_page",
    "filemap_read_folio",
    "folio_put_wait_locked",
    "put_and_wait_on_page_locked",
    "generic_file_buffered_read*",
    "do_generic_file_read*",
    "generic_file_read_iter",
    "generic_file_aio_read",
    "wait_on_page_locked_killable",
    "__lock_page_killable",
    "lock_page_killable",
    "filemap_splice_read",
    "generic_file_splice_read",
    "__generic_file_splice_read",
    "page_cache_pipe_buf_confirm",
    "mpage_read*",
    "block_read_full_*",
    "iomap_read_folio*",
    "block_write_begin",
    "__block_write_begin*",
    "iomap_write_begin",
    "__iomap_write_begin",
    "wait_on_page_read",
];

use super::network_fs::{CEPH, FUSE, NFS, OTHER, SMB};
