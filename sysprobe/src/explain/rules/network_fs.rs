//! File systems whose answer comes from somewhere else: NFS, SMB, Ceph, FUSE, 9p, Lustre, cluster file systems, and ZFS.

use super::wait::WaitKinds;
use super::{Rule, lock, rule};
use crate::explain::cause::Class;

/// Functions of the NFS client. The server's (`nfsd_*`) are no part of it.
pub const NFS: &[&str] = &["nfs_*", "nfs3_*", "nfs4_*", "_nfs4_*", "pnfs_*"];
/// Functions of the SMB client.
pub const SMB: &[&str] = &["cifs_*", "_cifs*", "smb2_*", "smb3_*", "SMB2_*", "@cifs"];
/// Functions of the Ceph client.
pub const CEPH: &[&str] = &["ceph_*", "@ceph", "@libceph", "@rbd"];
/// Functions of FUSE.
pub const FUSE: &[&str] = &["fuse_*", "__fuse_*", "virtio_fs_*", "@fuse"];
/// Functions of other network and cluster file systems.
pub const OTHER: &[&str] = &[
    "v9fs_*",
    "p9_*",
    "afs_*",
    "@kafs",
    "ll_*",
    "vvp_*",
    "osc_*",
    "gfs2_*",
    "ocfs2_*",
    "orangefs_*",
    "vboxsf_*",
    "@lustre",
    "@ptlrpc",
    "@obdclass",
    "@beegfs",
    "@mmfs*",
    "gpfs*",
];

/// Rules of this subsystem.
pub const RULES: &[Rule] = &[
    rule(
        Class::Nfs,
        &[
            "nfs4_wait_clnt_recover",
            "nfs4_client_recover_expired_lease",
            "nfs4_recover_expired_lease",
            "nfs4_handle_exception",
            "nfs4_do_handle_exception",
            "nfs4_delay",
            "nfs4_drain_*",
            "nfs4_begin_drain_session",
            "nfs41_*",
            "nfs4_state_manager",
            "nfs4_run_state_manager",
        ],
        "recovery of the NFSv4 client's state (its state manager)",
    )
    .wait(WaitKinds::NO_LOCK)
    .killable(),
    rule(
        Class::Nfs,
        &[
            "nfs_wait_on_request",
            "nfs_page_group_*",
            "nfs_lock_and_join_requests",
            "nfs_iocounter_wait",
            "nfs_lock_request",
        ],
        "an earlier NFS read or write of the same page",
    )
    .wait(WaitKinds::NO_LOCK)
    .killable(),
    rule(
        Class::Nfs,
        &[
            "rpc_wait_bit_killable",
            "__rpc_wait_for_completion_task",
            "rpc_wait_for_completion_task",
            "__rpc_execute",
            "rpc_execute",
            "rpc_run_task",
            "rpc_call_sync",
            "nfs_wait_bit_killable",
            "nfs_wait_bit_uninterruptible",
            "nfs4_call_sync*",
            "nfs4_do_call_sync",
        ],
        "a reply of the NFS server (RPC)",
    )
    .wait(WaitKinds::NO_LOCK)
    .killable(),
    rule(
        Class::Nfs,
        &["nfs_wait_client_init_complete", "nfs_match_client", "nfs_get_client"],
        "another mount that still talks to the same NFS server",
    )
    .wait(WaitKinds::NO_LOCK)
    .killable(),
    rule(
        Class::Nfs,
        &["gss_*upcall*", "gss_cred_init", "gss_refresh*"],
        "rpc.gssd to supply Kerberos credentials for NFS",
    ),
    rule(Class::Nfs, &["nlmclnt_*", "nlm_*", "nlmsvc_*", "@lockd"], "the NFS lock manager (lockd)")
        .wait(WaitKinds::NO_LOCK),
    rule(
        Class::Nfs,
        &["rpc_shutdown_client", "rpc_release_client", "xprt_destroy", "xs_*", "xprt_*", "rpc_*"],
        "RPC calls of an NFS mount to end",
    )
    .wait(WaitKinds::NO_LOCK)
    .medium(),
    lock(Class::Nfs, NFS, "a lock of the NFS client", "nfs").medium(),
    rule(Class::Nfs, NFS, "the NFS server").medium().killable(),
    // SMB.
    rule(
        Class::Smb,
        &["wait_for_response", "compound_send_recv", "cifs_send_recv", "SendReceive*", "smb2_wait_*"],
        "a reply of the SMB server",
    )
    .wait(WaitKinds::NO_LOCK)
    .under(SMB)
    .killable(),
    rule(
        Class::Smb,
        &["wait_for_free_credits", "wait_for_free_request", "wait_for_compound_request", "smbd_*"],
        "credits of the SMB server",
    )
    .killable(),
    lock(
        Class::Smb,
        &[
            "smb2_reconnect",
            "cifs_reconnect*",
            "smb2_reconnect_server",
            "cifs_setup_session",
            "cifs_negotiate_protocol",
        ],
        "the session lock while the SMB client reconnects to its server",
        "session_mutex",
    ),
    rule(
        Class::Smb,
        &["cifs_lock_*", "cifs_setlk", "cifs_posix_lock*"],
        "a byte-range lock on an SMB file held by another process",
    )
    .wait(WaitKinds::NO_LOCK),
    rule(Class::Smb, SMB, "the SMB server (or its client's locks)").medium(),
    // Ceph.
    rule(
        Class::Ceph,
        &[
            "ceph_mdsc_*",
            "ceph_osdc_*",
            "ceph_monc_*",
            "ceph_get_caps",
            "__ceph_get_caps",
            "ceph_wait_on_*",
            "wait_caps_flush",
            "wait_requests",
            "__ceph_open_session",
            "ceph_sync_*",
            "ceph_con_*",
            "rbd_*",
            "wait_generic_request",
        ],
        "a reply of the Ceph cluster (MDS, OSD or monitor)",
    )
    .wait(WaitKinds::NO_LOCK)
    .killable(),
    lock(Class::Ceph, CEPH, "a lock of the Ceph client", "ceph").medium(),
    rule(Class::Ceph, CEPH, "the Ceph cluster").wait(WaitKinds::NO_LOCK).medium(),
    // FUSE.
    rule(
        Class::Fuse,
        &[
            "request_wait_answer",
            "wait_answer_interruptible",
            "__fuse_request_send",
            "fuse_request_send",
            "fuse_simple_request",
            "__fuse_simple_request",
            "fuse_get_req*",
            "__fuse_get_req",
            "fuse_get_req_nofail*",
            "fuse_block_alloc",
        ],
        "the FUSE daemon to answer",
    )
    .killable(),
    rule(Class::Fuse, &["fuse_lock_inode", "fuse_readdir*"], "a FUSE inode lock whose holder waits for the daemon")
        .wait(WaitKinds::LOCK),
    rule(Class::Fuse, &["fuse_wait_aborted"], "an aborted FUSE connection to drop its last requests"),
    rule(
        Class::Fuse,
        &[
            "fuse_set_nowrite",
            "fuse_sync_writes",
            "fuse_wait_on_page_writeback",
            "fuse_wait_on_folio_writeback",
            "fuse_fsync*",
            "fuse_flush*",
            "fuse_file_cached_io_*",
            "fuse_dev_uring*",
            "fuse_uring_*",
        ],
        "writes to be answered by the FUSE daemon",
    ),
    rule(Class::Fuse, FUSE, "the FUSE daemon").medium(),
    // 9p, AFS, Lustre, cluster file systems.
    rule(
        Class::NetworkFsOther,
        &["p9_client_*", "p9_virtio_*", "p9_fd_*", "p9_*", "v9fs_*"],
        "a reply of the 9p server (the host)",
    )
    .wait(WaitKinds::NO_LOCK)
    .killable(),
    rule(
        Class::NetworkFsOther,
        &[
            "ldlm_*",
            "ptlrpc_*",
            "osc_*",
            "lov_*",
            "mdc_*",
            "mgc_*",
            "llog_*",
            "ll_*",
            "vvp_*",
            "cl_sync_*",
            "cl_io_*",
            "cl_lock_*",
            "class_config_*",
            "lnet_*",
            "kiblnd_*",
            "ksocknal_*",
            "obd_*",
            "mdt_*",
            "osp_*",
            "ofd_*",
            "tgt_*",
            "osd_*",
            "lod_*",
            "@lustre",
            "@ptlrpc",
            "@obdclass",
            "@ldlm",
            "@osc",
            "@lov",
            "@mdc",
            "@mgc",
            "@lmv",
            "@lnet",
            "@libcfs",
            "@mdt",
            "@ofd",
            "@osp",
            "@ost",
            "@osd_*",
            "@lod",
            "@lquota",
            "@fid",
            "@fld",
            "@mgs",
        ],
        "a Lustre server (MDS, OSS, MGS) or its locks",
    ),
    rule(
        Class::NetworkFsOther,
        &[
            "gfs2_glock_*",
            "gfs2_*",
            "glock_*",
            "wait_on_holder",
            "inode_go_*",
            "gdlm_*",
            "dlm_*",
            "ocfs2_*",
            "__ocfs2_*",
            "o2net_*",
            "o2cb_*",
            "@gfs2",
            "@dlm",
            "@ocfs2*",
        ],
        "a lock of the cluster file system (DLM), granted by another node",
    )
    .wait(WaitKinds::NO_LOCK),
    rule(
        Class::NetworkFsOther,
        &[
            "afs_*",
            "@kafs",
            "rxrpc_*",
            "orangefs_*",
            "vboxsf_*",
            "vbg_*",
            "coda_*",
            "netfs_*",
            "fscache_*",
            "cachefiles_*",
            "kxWait*",
            "_ZN6Thread*",
            "@mmfs*",
            "@mmfslinux",
            "@beegfs",
            "@wekafs*",
            "@panfs",
            "@vmhgfs",
            "@glusterfs",
            "ncp_*",
        ],
        "the server of a network file system",
    ),
    // ZFS: everything it waits for is its own.
    rule(
        Class::Zfs,
        &["txg_wait_*", "dmu_tx_wait", "dmu_tx_assign", "txg_quiesce*", "zil_commit*", "txg_sync_*"],
        "a ZFS transaction group to be written",
    ),
    rule(Class::Zfs, &["zio_wait", "zio_*", "__cv_wait_io", "dbuf_read*", "vdev_*"], "a ZFS pool's I/O to complete"),
    rule(Class::Zfs, &["arc_*", "l2arc_*", "arc_wait_for_eviction"], "the ZFS cache (ARC)"),
    rule(
        Class::Zfs,
        &[
            "cv_wait_*",
            "__cv_*wait*",
            "cv_timedwait*",
            "zfs_*",
            "zpl_*",
            "zvol_*",
            "dbuf_*",
            "dmu_*",
            "dnode_*",
            "dsl_*",
            "spa_*",
            "metaslab_*",
            "zil_*",
            "zap_*",
            "sa_*",
            "rrw_*",
            "rrm_*",
            "taskq_wait*",
            "spl_*",
            "spl_kmem_*",
            "@zfs",
            "@spl",
            "@zcommon",
        ],
        "ZFS (one of its locks or threads)",
    ),
];
