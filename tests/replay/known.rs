//! Kernel call paths that no labelled file shows, from the kernel's own source: a rule must hold for its whole kind.

use sysprobe::explain::cause::Class;
use sysprobe::explain::classify::classify;
use sysprobe::explain::frame::Frame;

/// Frames innermost first, and the class they mean.
const PATHS: &[(&str, Class)] = &[
    ("schedule down_read do_user_addr_fault exc_page_fault", Class::LockContention),
    ("schedule rwsem_down_write_slowpath down_write vm_mmap_pgoff ksys_mmap_pgoff", Class::LockContention),
    ("schedule __mutex_lock rtnl_newlink rtnetlink_rcv_msg", Class::LockContention),
    ("schedule __mutex_lock device_lock usb_disconnect", Class::LockContention),
    ("schedule __mutex_lock pipe_write vfs_write", Class::LockContention),
    ("schedule __lock_sock lock_sock_nested tcp_sendmsg", Class::LockContention),
    (
        "schedule percpu_rwsem_wait __percpu_down_read cgroup_threadgroup_change_begin copy_process",
        Class::LockContention,
    ),
    ("schedule percpu_rwsem_wait percpu_down_write freeze_super do_vfs_ioctl", Class::Freeze),
    ("schedule percpu_rwsem_wait __percpu_down_read vfs_write ksys_write", Class::Freeze),
    (
        "schedule io_schedule folio_wait_bit_common filemap_update_page filemap_get_pages filemap_read ext4_file_read_iter",
        Class::BlockIo,
    ),
    (
        "schedule io_schedule folio_wait_bit_common filemap_update_page filemap_get_pages filemap_read nfs_file_read",
        Class::Nfs,
    ),
    ("schedule io_schedule __iomap_dio_rw iomap_dio_rw xfs_file_dio_read", Class::BlockIo),
    ("schedule blk_io_schedule __blkdev_direct_IO_simple blkdev_read_iter", Class::BlockIo),
    (
        "schedule io_schedule bit_wait_io __wait_on_bit out_of_line_wait_on_bit do_get_write_access jbd2_journal_get_write_access",
        Class::FsJournal,
    ),
    (
        "schedule wait_transaction_locked add_transaction_credits start_this_handle jbd2__journal_start",
        Class::FsJournal,
    ),
    (
        "schedule wait_for_completion __flush_work xlog_cil_push_now xlog_cil_force_seq xfs_log_force_seq",
        Class::FsJournal,
    ),
    ("schedule wait_current_trans start_transaction btrfs_create_common", Class::FsJournal),
    ("schedule rwsem_down_read_slowpath down_read __btrfs_tree_read_lock btrfs_search_slot", Class::FsLock),
    ("schedule rwsem_down_write_slowpath down_write xfs_ilock xfs_file_buffered_write", Class::FsLock),
    (
        "schedule io_schedule folio_wait_bit_common folio_wait_writeback __filemap_fdatawait_range file_write_and_wait_range ext4_sync_file",
        Class::WritebackWait,
    ),
    (
        "schedule io_schedule_timeout balance_dirty_pages balance_dirty_pages_ratelimited_flags",
        Class::WritebackThrottle,
    ),
    ("schedule io_schedule folio_wait_bit_common __folio_lock_or_retry do_swap_page", Class::SwapIn),
    ("schedule schedule_timeout reclaim_throttle shrink_node do_try_to_free_pages", Class::Reclaim),
    ("schedule wait_for_response compound_send_recv cifs_send_recv SMB2_read", Class::Smb),
    ("schedule wait_for_completion_killable ceph_mdsc_wait_request ceph_mdsc_do_request", Class::Ceph),
    ("schedule wait_for_completion gfs2_glock_wait gfs2_glock_nq", Class::NetworkFsOther),
    ("schedule cv_wait_common __cv_wait txg_wait_open dmu_tx_wait", Class::Zfs),
    ("schedule wait_for_completion __wait_rcu_gp synchronize_rcu namespace_unlock", Class::Rcu),
    ("schedule wait_for_completion rcu_barrier kmem_cache_destroy", Class::Rcu),
    ("schedule wait_for_completion __flush_work lru_add_drain_all khugepaged", Class::WorkqueueFlush),
    ("schedule wait_for_completion_killable kernel_clone __x64_sys_vfork", Class::Vfork),
    ("schedule raid5_get_active_stripe raid5_make_request md_handle_request", Class::Md),
    ("schedule wait_barrier raid10_write_request raid10_make_request", Class::Md),
    ("schedule dm_wait_for_bios_completion __dm_suspend dm_suspend dev_suspend", Class::DmSuspend),
    ("schedule scsi_block_when_processing_errors sd_open blkdev_get_whole", Class::DeviceErrorHandling),
    ("schedule wait_for_completion blk_execute_rq __nvme_submit_sync_cmd nvme_reset_work", Class::DeviceErrorHandling),
    ("schedule wait_for_completion_io blk_execute_rq sg_io scsi_ioctl", Class::BlockIo),
    ("schedule io_schedule blkcg_maybe_throttle_current exit_to_user_mode_loop", Class::BlockQueue),
    ("schedule wait_for_completion drm_sched_entity_flush amdgpu_ctx_mgr_entity_flush", Class::GpuDriver),
    ("schedule rpm_suspend __pm_runtime_suspend", Class::PowerManagement),
    ("schedule tty_wait_until_sent set_termios tty_ioctl", Class::Tty),
    ("schedule io_ring_exit_work process_one_work", Class::IoUring),
    ("schedule exit_aio mmput do_exit", Class::BlockIo),
    ("schedule six_lock_slowpath bch2_btree_node_lock bch2_btree_iter_traverse", Class::FsLock),
    ("schedule completely_unheard_of_function another_unheard_of_function", Class::Unknown),
];

#[test]
fn call_paths_of_every_kind_mean_their_class() {
    let mut wrong = Vec::new();
    for (path, class) in PATHS {
        let frames: Vec<Frame> = path.split(' ').filter_map(|name| Frame::new(name, None)).collect();
        let got = classify(&frames, &[]);
        if got.class != *class {
            wrong.push(format!("{path}: want {}, got {}", class.as_str(), got.class.as_str()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
