//! The block layer and what stacks on it: requests, queues, error handling, RAID, device mapper, bcache, servers in user space.

use super::wait::WaitKinds;
use super::{Rule, lock, rule};
use crate::explain::cause::Class;

/// Rules of this subsystem.
pub const RULES: &[Rule] = &[
    // Error handling first: its threads wait inside ordinary requests.
    rule(
        Class::DeviceErrorHandling,
        &["blk_execute_rq*", "nvme_submit_sync_cmd", "__nvme_submit_sync_cmd", "scsi_execute*", "__scsi_execute"],
        "a command sent by the device's own reset or error recovery",
    )
    .wait(WaitKinds::NO_LOCK)
    .under(&[
        "nvme_reset_work",
        "nvme_*_reset_*",
        "nvme_*error_recovery*",
        "scsi_error_handler",
        "scsi_eh_*",
        "*_eh_*",
    ]),
    rule(
        Class::DeviceErrorHandling,
        &[
            "scsi_block_when_processing_errors",
            "scsi_error_handler",
            "scsi_unjam_host",
            "scsi_eh_*",
            "scsi_send_eh_cmnd",
            "scsi_try_*",
            "scsi_ioctl_reset",
            "ata_eh_*",
            "ata_port_wait_eh",
            "ata_scsi_*error*",
            "ata_do_eh",
            "ata_msleep",
            "ata_wait_*",
            "sata_link_*",
            "sata_pmp_*",
            "fc_block_*",
            "fc_eh_*",
            "iscsi_eh_*",
            "iscsi_session_recovery*",
            "sas_eh_*",
            "sas_scsi_recover_host",
            "ufshcd_err_handler",
            "ufshcd_eh_*",
            "*_eh_*reset*",
            "*_eh_abort*",
            "*_host_reset*",
            "*_bus_reset",
            "*_bus_reset_handler",
            "mpt3sas_*reset*",
            "megasas_reset_*",
            "megasas_wait_for_outstanding*",
            "qla2xxx_eh_*",
            "pqi_*reset*",
            "aac_eh_*",
            "storvsc_*reset*",
        ],
        "error recovery of the storage device (reset, abort, timeout handling)",
    )
    .wait(WaitKinds::NO_LOCK),
    rule(
        Class::DeviceErrorHandling,
        &[
            "nvme_reset_work",
            "nvme_reset_ctrl_sync",
            "nvme_timeout",
            "nvme_dev_disable",
            "nvme_disable_ctrl*",
            "nvme_enable_ctrl*",
            "nvme_wait_ready",
            "nvme_shutdown_ctrl",
            "nvme_wait_reset",
            "nvme_*_reset_*",
            "nvme_*error_recovery*",
            "blk_mq_timeout_work",
            "pcie_do_recovery",
        ],
        "an NVMe controller to be reset or to recover from a timeout",
    )
    .wait(WaitKinds::NO_LOCK),
    // Places in a queue.
    rule(
        Class::BlockQueue,
        &[
            "blk_mq_get_tag",
            "blk_mq_get_request",
            "blk_mq_alloc_request*",
            "__blk_mq_alloc_request*",
            "sbitmap_queue_*",
            "get_request",
            "get_request_wait",
            "blk_get_request*",
            "bt_get",
        ],
        "a free tag (request slot) of the device's queue",
    ),
    rule(
        Class::BlockQueue,
        &["rq_qos_wait", "wbt_wait", "__wbt_wait", "get_rq_wait", "__rq_qos_throttle"],
        "write-back throttling (wbt) of the device's queue",
    ),
    rule(
        Class::BlockQueue,
        &[
            "ioc_rqos_throttle",
            "blkcg_iolatency_throttle",
            "blkcg_maybe_throttle_current",
            "blkcg_maybe_throttle_blkg",
            "__blk_throtl_bio",
            "blk_throtl_bio",
        ],
        "an I/O controller of its cgroup (io.cost, io.latency, io.max) to let it go on",
    ),
    rule(
        Class::BlockQueue,
        &[
            "blk_mq_freeze_queue*",
            "__blk_mq_freeze_queue*",
            "__blk_freeze_queue*",
            "blk_freeze_queue*",
            "blk_drain_queue",
            "__blk_drain_queue",
            "blk_cleanup_queue",
            "queue_limits_commit_update_frozen",
        ],
        "the requests in flight on a queue to drain (queue freeze)",
    )
    .wait(WaitKinds::NO_LOCK),
    rule(
        Class::BlockQueue,
        &["blk_queue_enter", "__bio_queue_enter", "bio_queue_enter", "blk_mq_queue_enter", "blk_try_enter_queue"],
        "a frozen device queue to open again",
    ),
    rule(Class::BlockQueue, &["generic_make_request", "__submit_bio"], "a frozen device queue to open again")
        .wait(WaitKinds::PLAIN)
        .medium(),
    // Device mapper.
    rule(
        Class::DmSuspend,
        &["stop_sync_thread", "md_stop_writes", "__md_stop_writes", "mddev_suspend", "md_stop*"],
        "the RAID inside to stop while its dm device is suspended",
    )
    .under(&["dm_suspend", "__dm_suspend", "dm_table_*suspend*", "raid_*suspend"]),
    rule(
        Class::DmSuspend,
        &[
            "__dm_suspend",
            "dm_suspend",
            "dm_wait_for_completion",
            "dm_wait_for_bios_completion",
            "dm_internal_suspend*",
            "__dm_internal_suspend*",
            "dm_table_*suspend*",
            "dm_stop_queue",
            "dm_submit_bio_remap_suspended",
        ],
        "I/O in flight to drain from a device-mapper device that is being suspended",
    )
    .wait(WaitKinds::NO_LOCK),
    lock(
        Class::LockContention,
        &["dm_table_set_restrictions", "queue_limits_start_update", "blk_set_stacking_limits"],
        "the limits lock of a device's queue",
        "limits_lock",
    ),
    lock(
        Class::LockContention,
        &["dm_pool_*", "dm_thin_*", "thin_*", "pool_*"],
        "the metadata lock of a dm-thin pool",
        "pmd->root_lock",
    ),
    lock(
        Class::LockContention,
        &["dev_suspend", "dm_get_md*", "dm_suspend", "dm_resume", "dm_swap_table", "dm_lock_md_type", "__dm_destroy"],
        "the suspend lock of a device-mapper device",
        "md->suspend_lock",
    ),
    lock(
        Class::LockContention,
        &["dev_create", "dev_remove*", "dm_hash_*", "dm_find_*", "find_device", "__find_device_hash_cell", "table_*"],
        "the table of device-mapper devices",
        "_hash_lock",
    )
    .under(&["ctl_ioctl", "dm_ctl_ioctl", "dm_early_create"])
    .medium(),
    rule(
        Class::Dm,
        &[
            "dm_zone_*",
            "dm_bufio_*",
            "dm_io",
            "sync_io",
            "dm_kcopyd_*",
            "dm_old_*",
            "new_read",
            "crypt_*",
            "kcryptd_*",
            "dmcrypt_write",
            "integrity_*",
            "verity_*",
            "writecache_*",
            "snapshot_*",
            "origin_map",
            "__wait_for_in_progress",
            "wait_for_in_progress",
            "account_start_copy",
            "start_copy",
            "thin_*",
            "pool_*",
            "multipath_*",
            "dm_cache_*",
            "dm_btree_*",
            "dm_tm_*",
            "dm_sm_*",
            "sm_metadata_*",
            "clone_*_region*",
            "era_*",
        ],
        "a device-mapper target",
    )
    .wait(WaitKinds::NO_LOCK)
    .under(&["@dm_*", "dm_*", "__map_bio", "do_worker", "kthread", "ctl_ioctl", "process_one_work", "submit_bio*"]),
    rule(Class::Dm, &["account_start_copy", "start_copy"], "room among the copies of a dm snapshot")
        .wait(WaitKinds::SEMAPHORE),
    // RAID.
    rule(
        Class::Md,
        &["md_super_wait", "md_bitmap_wait_writes", "bitmap_wait_writes", "write_page", "filemap_write_page"],
        "the superblock or bitmap of the RAID array to be written to its members",
    )
    .wait(WaitKinds::NO_LOCK),
    rule(
        Class::Md,
        &["md_write_start", "md_write_inc", "md_allow_write"],
        "the RAID array to be marked dirty (superblock update) before the write",
    ),
    rule(
        Class::Md,
        &["md_bitmap_startwrite", "bitmap_startwrite", "llbitmap_startwrite", "md_bitmap_*", "bitmap_unplug"],
        "a slot in the write-intent bitmap of the RAID array",
    )
    .wait(WaitKinds::NO_LOCK),
    rule(
        Class::Md,
        &["md_handle_request", "md_make_request", "md_submit_bio", "md_flush_request", "md_wait_for_blocked_rdev"],
        "a suspended or blocked RAID array to take requests again",
    )
    .wait(WaitKinds::NO_LOCK),
    rule(
        Class::Md,
        &[
            "raid5_get_active_stripe",
            "__raid5_get_active_stripe",
            "get_active_stripe",
            "raid5_make_request",
            "add_stripe_bio",
            "make_stripe_request",
            "r5l_*",
            "r5c_*",
        ],
        "a free stripe of the RAID5/6 array",
    )
    .wait(WaitKinds::NO_LOCK),
    rule(
        Class::Md,
        &[
            "wait_barrier",
            "_wait_barrier",
            "wait_read_barrier",
            "regular_request_wait",
            "raise_barrier",
            "freeze_array",
            "wait_blocked_dev",
            "raid1_*",
            "raid10_*",
            "raid0_*",
            "raid5_*",
            "handle_stripe*",
            "raid5d",
            "raid1d",
            "raid10d",
            "flush_bio_list",
            "flush_pending_writes",
        ],
        "the RAID array (resync or recovery holds a barrier)",
    )
    .wait(WaitKinds::NO_LOCK),
    rule(
        Class::Md,
        &[
            "stop_sync_thread",
            "md_stop*",
            "__md_stop*",
            "mddev_suspend",
            "md_reap_sync_thread",
            "md_unregister_thread",
            "md_do_sync",
            "md_check_recovery",
            "md_set_readonly",
            "md_update_sb",
            "idle_sync_thread",
            "frozen_sync_thread",
        ],
        "the sync thread of the RAID array",
    )
    .wait(WaitKinds::NO_LOCK),
    // Block servers outside.
    rule(
        Class::BlockVirtual,
        &["nbd_*", "recv_work", "sock_xmit", "ublk_*", "__ublk_*", "tcmu_*", "@nbd", "@ublk_drv", "@target_core_user"],
        "the user-space block server (nbd, ublk) behind the device",
    )
    .wait(WaitKinds::NO_LOCK),
    rule(Class::BlockVirtual, &["ublk_*"], "the ublk device, which its server or another command holds").medium(),
    rule(
        Class::BlockVirtual,
        &["drbd_*", "__drbd_*", "_drbd_*", "@drbd", "inc_ap_bio", "wait_until_outdated"],
        "DRBD: its peer or its own congestion (suspended or slow replication)",
    ),
    // bcache.
    rule(
        Class::Bcache,
        &["@bcache", "bch_*", "__bch_*", "cached_dev_*", "bcache_*", "mca_*", "btree_node_alloc_fail"],
        "bcache (its writeback lock, its journal or its btree)",
    ),
    rule(
        Class::BlockIo,
        &["exit_aio", "aio_read_events", "wait_on_sync_kiocb"],
        "its asynchronous I/O (aio) to complete",
    )
    .wait(WaitKinds::NO_LOCK)
    .medium(),
    // Requests of the task's own.
    rule(Class::SwapIn, &["submit_bio_wait", "bio_await"], "a page to be read back from swap")
        .under(&["swap_readpage*", "swap_read_folio*", "do_swap_page"])
        .within(3),
    rule(
        Class::BlockIo,
        &["submit_bio_wait", "bio_await", "blk_io_schedule", "blk_wait_io", "submit_bio_noacct_wait"],
        "a block request it submitted itself",
    ),
    rule(
        Class::BlockIo,
        &[
            "blk_execute_rq*",
            "__blk_execute_rq*",
            "nvme_submit_user_cmd",
            "__nvme_submit_sync_cmd",
            "nvme_execute_rq",
            "nvme_execute_passthru_rq",
            "scsi_execute*",
            "__scsi_execute",
            "scsi_test_unit_ready",
            "sg_io",
            "blk_end_sync_rq",
        ],
        "a command it sent to the device",
    )
    .wait(WaitKinds::NO_LOCK),
    rule(
        Class::BlockIo,
        &[
            "blkdev_issue_discard",
            "__blkdev_issue_discard",
            "blkdev_issue_zeroout",
            "blkdev_issue_secure_erase",
            "blkdev_issue_write_same",
            "discard_swap*",
            "swap_do_scheduled_discard",
        ],
        "a discard or zero-out of the device",
    ),
    rule(Class::BlockIo, &["blkdev_issue_flush*", "blkdev_fsync"], "a cache flush of the device"),
    rule(
        Class::BlockIo,
        &[
            "__wait_on_buffer",
            "wait_on_buffer",
            "sync_buffer",
            "sleep_on_buffer",
            "__bread*",
            "bh_read*",
            "__bh_read*",
            "__sync_dirty_buffer",
            "sync_dirty_buffer",
            "bh_submit_read",
            "fsync_buffers_list",
            "osync_buffers_list",
        ],
        "a disk buffer to be read or written",
    )
    .wait(WaitKinds::NO_LOCK),
    rule(
        Class::BlockIo,
        &[
            "do_blockdev_direct_IO",
            "__blockdev_direct_IO*",
            "dio_await_*",
            "dio_bio_complete",
            "__iomap_dio_rw",
            "iomap_dio_rw",
            "__blkdev_direct_IO*",
            "blkdev_direct_IO*",
            "ext4_direct_IO*",
            "ext4_file_read_iter",
            "inode_dio_wait*",
            "__inode_dio_wait",
        ],
        "direct I/O (O_DIRECT) to complete",
    )
    .wait(WaitKinds::NO_LOCK),
    rule(
        Class::BlockIo,
        &[
            "do_read_cache_page",
            "do_read_cache_folio",
            "read_cache_page*",
            "read_cache_folio",
            "read_part_sector",
            "read_dev_sector",
            "adfspart_check_*",
            "check_partition",
            "bdev_disk_changed",
        ],
        "a page to be read from the disk",
    )
    .wait(WaitKinds::NO_LOCK),
];
