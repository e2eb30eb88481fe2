//! Mounting, old and new, swap and quotas.
//!
//! Source: include/uapi/linux/mount.h, quota.h, linux/swap.h, linux/statfs.h.

use super::set::{FlagSet, Tail, names};

/// `mount`: the old magic number of the upper half, if it is there, then flags.
pub static MOUNT: FlagSet = FlagSet::new(
    "MS_???",
    names! {
        MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_SYNCHRONOUS, MS_REMOUNT, MS_MANDLOCK, MS_DIRSYNC,
        MS_NOSYMFOLLOW, MS_NOATIME, MS_NODIRATIME, MS_BIND, MS_MOVE, MS_REC, MS_SILENT, MS_POSIXACL, MS_UNBINDABLE,
        MS_PRIVATE, MS_SLAVE, MS_SHARED, MS_RELATIME, MS_KERNMOUNT, MS_I_VERSION, MS_STRICTATIME, MS_LAZYTIME,
        MS_SUBMOUNT = 0x400_0000, MS_NOREMOTELOCK = 0x800_0000, MS_NOSEC = 0x1000_0000, MS_BORN = 0x2000_0000,
        MS_ACTIVE, MS_NOUSER,
    },
)
.head(
    0xffff_0000,
    names! {
        MS_MGC_VAL,
    },
    "",
);

/// `umount2`.
pub static UMOUNT: FlagSet = FlagSet::new(
    "MNT_???",
    names! {
        MNT_FORCE, MNT_DETACH, MNT_EXPIRE, UMOUNT_NOFOLLOW,
    },
);

/// `fsopen`.
pub static FSOPEN: FlagSet = FlagSet::new(
    "FSOPEN_???",
    names! {
        FSOPEN_CLOEXEC,
    },
);

/// `fsmount`.
pub static FSMOUNT: FlagSet = FlagSet::new(
    "FSMOUNT_???",
    names! {
        FSMOUNT_CLOEXEC,
    },
);

/// `mount_attr`, and the attributes of `fsmount`.
pub static MOUNT_ATTR: FlagSet = FlagSet::new(
    "MOUNT_ATTR_???",
    names! {
        MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID, MOUNT_ATTR_NODEV, MOUNT_ATTR_NOEXEC, MOUNT_ATTR_NOATIME,
        MOUNT_ATTR_STRICTATIME, MOUNT_ATTR_NODIRATIME, MOUNT_ATTR_IDMAP, MOUNT_ATTR_NOSYMFOLLOW,
    },
);

/// `fspick`.
pub static FSPICK: FlagSet = FlagSet::new(
    "FSPICK_???",
    names! {
        FSPICK_CLOEXEC, FSPICK_SYMLINK_NOFOLLOW, FSPICK_NO_AUTOMOUNT, FSPICK_EMPTY_PATH,
    },
);

/// `open_tree`.
pub static OPEN_TREE: FlagSet = FlagSet::new(
    "OPEN_TREE_???",
    names! {
        OPEN_TREE_CLONE, OPEN_TREE_CLOEXEC, AT_SYMLINK_NOFOLLOW, AT_REMOVEDIR, AT_SYMLINK_FOLLOW, AT_NO_AUTOMOUNT,
        AT_EMPTY_PATH, AT_RECURSIVE,
    },
);

/// `move_mount`.
pub static MOVE_MOUNT: FlagSet = FlagSet::new(
    "MOVE_MOUNT_???",
    names! {
        MOVE_MOUNT_F_SYMLINKS, MOVE_MOUNT_F_AUTOMOUNTS, MOVE_MOUNT_F_EMPTY_PATH, MOVE_MOUNT_T_SYMLINKS,
        MOVE_MOUNT_T_AUTOMOUNTS, MOVE_MOUNT_T_EMPTY_PATH, MOVE_MOUNT_SET_GROUP, MOVE_MOUNT_BENEATH,
    },
);

/// `mount_setattr`.
pub static MOUNT_SETATTR: FlagSet = FlagSet::new(
    "AT_???",
    names! {
        AT_SYMLINK_NOFOLLOW, AT_NO_AUTOMOUNT, AT_EMPTY_PATH, AT_RECURSIVE,
    },
);

/// `fsconfig` commands.
pub static FSCONFIG: FlagSet = FlagSet::new(
    "FSCONFIG_???",
    names! {
        FSCONFIG_SET_FLAG, FSCONFIG_SET_STRING, FSCONFIG_SET_BINARY, FSCONFIG_SET_PATH, FSCONFIG_SET_PATH_EMPTY,
        FSCONFIG_SET_FD, FSCONFIG_CMD_CREATE, FSCONFIG_CMD_RECONFIGURE, FSCONFIG_CMD_CREATE_EXCL,
    },
);

/// `swapon`: flags, then the priority in the low 15 bits.
pub static SWAP: FlagSet = FlagSet::new(
    "SWAP_FLAG_???",
    names! {
        SWAP_FLAG_PREFER = 0x8000, SWAP_FLAG_DISCARD = 0x1_0000, SWAP_FLAG_DISCARD_ONCE = 0x2_0000,
        SWAP_FLAG_DISCARD_PAGES = 0x4_0000,
    },
)
.tail(Tail::Number(0x7fff));

/// `quotactl` commands (the upper 24 bits).
pub static QUOTA: FlagSet = FlagSet::new(
    "Q_???",
    names! {
        Q_V1_SETQUOTA = 0x400, Q_XQUOTAON = 0x5801, Q_XQUOTAOFF = 0x5802, Q_XGETQUOTA = 0x5803, Q_XSETQLIM = 0x5804,
        Q_XGETQSTAT = 0x5805, Q_XQUOTARM = 0x5806, Q_XQUOTASYNC = 0x5807, Q_XGETQSTATV = 0x5808,
        Q_XGETNEXTQUOTA = 0x5809, Q_SYNC, Q_QUOTAON, Q_QUOTAOFF, Q_GETFMT, Q_GETINFO, Q_SETINFO, Q_GETQUOTA,
        Q_SETQUOTA, Q_GETNEXTQUOTA = 0x80_0009,
    },
);

/// `quotactl`: whose quota (the low 8 bits).
pub static QUOTA_TYPE: FlagSet = FlagSet::new(
    "???QUOTA",
    names! {
        USRQUOTA, GRPQUOTA, PRJQUOTA = 2,
    },
);

/// `statfs.f_flags`.
pub static STATFS: FlagSet = FlagSet::new(
    "",
    names! {
        ST_VALID = 0x20, ST_RDONLY, ST_NOSUID, ST_NODEV, ST_NOEXEC, ST_SYNCHRONOUS, ST_MANDLOCK, ST_NOATIME,
        ST_NODIRATIME, ST_RELATIME = 0x1000, ST_NOSYMFOLLOW = 0x2000,
    },
);

/// `statmount` masks.
pub static STATMOUNT: FlagSet = FlagSet::new(
    "STATMOUNT_???",
    names! {
        STATMOUNT_SB_BASIC = 1, STATMOUNT_MNT_BASIC = 2, STATMOUNT_PROPAGATE_FROM = 4, STATMOUNT_MNT_ROOT = 8,
        STATMOUNT_MNT_POINT = 0x10, STATMOUNT_FS_TYPE = 0x20, STATMOUNT_MNT_NS_ID = 0x40, STATMOUNT_MNT_OPTS = 0x80,
    },
);

/// `mount_attr.propagation`.
pub static PROPAGATION: FlagSet = FlagSet::new(
    "MS_???",
    names! {
        MS_UNBINDABLE, MS_PRIVATE, MS_SLAVE, MS_SHARED,
    },
)
.wide();
