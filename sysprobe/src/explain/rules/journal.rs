//! Journals, logs and transactions of file systems: jbd2, the XFS log, btrfs, f2fs, bcachefs and the older ones.

use super::wait::WaitKinds;
use super::{Rule, lock, rule};
use crate::explain::cause::Class;

/// Rules of this subsystem.
pub const RULES: &[Rule] = &[
    // jbd and jbd2.
    rule(
        Class::FsJournal,
        &[
            "jbd2_log_wait_commit",
            "log_wait_commit",
            "__jbd2_log_wait_*",
            "jbd2_complete_transaction",
            "jbd2_log_start_commit",
            "jbd2_fc_*",
            "ext4_fc_commit",
            "ext4_force_commit",
            "jbd2_journal_force_commit*",
        ],
        "a journal (jbd2) transaction to be committed",
    ),
    rule(
        Class::FsJournal,
        &[
            "wait_transaction_locked",
            "wait_transaction_switching",
            "start_this_handle",
            "jbd2__journal_start",
            "jbd2_journal_start",
            "jbd2__journal_restart",
            "journal_start",
            "add_transaction_credits",
        ],
        "the running journal (jbd2) transaction to close before a new handle can start",
    ),
    rule(
        Class::FsJournal,
        &[
            "jbd2_log_do_checkpoint",
            "log_do_checkpoint",
            "__log_wait_for_space",
            "jbd2_journal_flush",
            "jbd2_cleanup_journal_tail",
        ],
        "space in the journal: older transactions must be checkpointed first",
    ),
    rule(
        Class::FsJournal,
        &[
            "do_get_write_access",
            "jbd2_journal_get_write_access",
            "jbd2_journal_get_create_access",
            "jbd2_journal_lock_updates",
            "jbd2_journal_wait_updates",
            "jbd2_journal_destroy",
            "journal_get_write_access",
        ],
        "the journal (jbd2) to release a buffer it is committing",
    ),
    rule(
        Class::WritebackWait,
        &[
            "jbd2_submit_inode_data",
            "jbd2_wait_inode_data",
            "journal_finish_inode_data_buffers",
            "jbd2_journal_finish_inode_data_buffers",
            "filemap_fdatawait_range_keep_errors",
            "filemap_fdatawait_keep_errors",
        ],
        "data pages of the transaction to be written before the journal commits",
    )
    .wait(WaitKinds::NO_LOCK),
    rule(
        Class::BlockIo,
        &["jbd2_journal_commit_transaction", "journal_commit_transaction"],
        "a journal block to be written",
    )
    .wait(WaitKinds::BIT.or(WaitKinds::PAGE)),
    rule(
        Class::FsJournal,
        &["jbd2_journal_commit_transaction", "journal_commit_transaction"],
        "the commit of a journal (jbd2) transaction: its handles to close or its blocks to be written",
    ),
    rule(Class::KthreadIdle, &["kjournald2", "kjournald"], "the next journal commit (it idles)").wait(WaitKinds::PLAIN),
    lock(Class::FsJournal, &["jbd2_*", "__jbd2_*"], "a lock of the journal (jbd2)", "j_checkpoint_mutex"),
    // XFS log.
    rule(
        Class::FsJournal,
        &["xlog_grant_*", "xfs_log_reserve", "xfs_log_regrant", "xfs_trans_reserve", "xfs_trans_roll*"],
        "free space in the XFS log",
    ),
    rule(
        Class::FsJournal,
        &["xfs_ail_push_all_sync", "xfs_ail_*", "xfs_trans_ail_*", "xfs_ail_push*"],
        "the XFS log's items (AIL) to be written back",
    ),
    rule(
        Class::FsJournal,
        &[
            "xfs_log_force*",
            "_xfs_log_force*",
            "__xfs_log_force*",
            "xlog_wait*",
            "xlog_state_*",
            "xlog_cil_*",
            "xlog_force*",
            "xlog_write*",
            "xlog_sync",
            "xfs_log_quiesce",
            "xfs_log_unmount*",
            "xfs_log_worker",
        ],
        "the XFS log to be written (log force)",
    ),
    rule(
        Class::FsJournal,
        &["xfs_iunpin_wait", "__xfs_iunpin_wait", "xfs_buf_wait_unpin", "xfs_qm_dqunpin_wait", "xfs_iunpin"],
        "the XFS log to be written so that an inode, buffer or quota is unpinned",
    ),
    rule(
        Class::FsJournal,
        &["flush_work", "__flush_work", "flush_workqueue", "__flush_workqueue", "start_flush_work"],
        "the XFS log's CIL push (a work item)",
    )
    .under(&["xlog_cil_*", "xfs_log_force*", "_xfs_log_force*"])
    .within(3),
    rule(Class::KthreadIdle, &["xfsaild"], "the next push of the XFS log (it idles)").wait(WaitKinds::PLAIN).medium(),
    // btrfs transactions.
    rule(
        Class::FsJournal,
        &[
            "wait_current_trans",
            "wait_for_commit",
            "btrfs_wait_for_commit",
            "btrfs_commit_transaction*",
            "start_transaction",
            "btrfs_start_transaction*",
            "join_transaction",
            "btrfs_join_transaction*",
            "btrfs_attach_transaction*",
            "btrfs_end_transaction*",
            "__btrfs_end_transaction",
            "btrfs_throttle",
            "btrfs_transaction_blocked",
            "wait_for_trans",
            "cleanup_transaction",
        ],
        "a btrfs transaction to commit",
    )
    .wait(WaitKinds::NO_LOCK),
    rule(
        Class::FsJournal,
        &["btrfs_sync_log", "wait_log_commit", "wait_for_writer", "btrfs_log_*", "btrfs_pin_log_trans"],
        "a commit of the btrfs log tree",
    )
    .wait(WaitKinds::NO_LOCK),
    rule(
        Class::FsJournal,
        &[
            "wait_reserve_ticket",
            "handle_reserve_ticket",
            "__reserve_bytes",
            "reserve_bytes",
            "btrfs_reserve_metadata_bytes",
            "reserve_metadata_bytes",
            "__reserve_metadata_bytes",
            "btrfs_reserve_data_bytes",
            "btrfs_block_rsv_*",
            "btrfs_delalloc_reserve_metadata",
            "btrfs_balance_delayed_items",
            "btrfs_async_run_delayed_*",
        ],
        "btrfs to free reserved metadata space (its flusher commits and reclaims)",
    )
    .wait(WaitKinds::NO_LOCK)
    .medium(),
    // f2fs and bcachefs.
    rule(
        Class::FsJournal,
        &[
            "f2fs_issue_checkpoint",
            "f2fs_write_checkpoint",
            "f2fs_sync_fs",
            "f2fs_flush_merged_writes",
            "f2fs_issue_flush",
            "bch2_journal_*",
            "__bch2_journal_*",
            "bch2_trans_commit*",
            "nilfs_segctor_*",
            "nilfs_transaction_*",
            "lmLogSync",
            "txBegin*",
            "txLock*",
            "do_journal_begin_r",
            "journal_begin",
            "flush_commit_list",
            "ubifs_run_commit",
        ],
        "a checkpoint or journal commit of the file system",
    )
    .wait(WaitKinds::NO_LOCK),
];
