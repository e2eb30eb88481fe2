//! What a wait means in a subsystem whose function no rule names: by the kind of wait, and never with high confidence.

use crate::explain::cause::Class;

/// A subsystem known by its functions' prefix or its module.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Patterns as in rules.
    pub frames: &'static [&'static str],
    /// Its name in sentences.
    pub name: &'static str,
    /// The class of a lock.
    pub lock: Class,
    /// The class of a page bit.
    pub page: Class,
    /// The class of a wait that the scheduler counts as I/O, or of a completion.
    pub io: Class,
    /// The class of any other wait.
    pub other: Class,
}

const fn one(frames: &'static [&'static str], name: &'static str, lock: Class, rest: Class) -> Family {
    Family { frames, name, lock, page: rest, io: rest, other: rest }
}

const fn disk_fs(frames: &'static [&'static str], name: &'static str, other: Class) -> Family {
    Family { frames, name, lock: Class::FsLock, page: Class::PageLock, io: Class::BlockIo, other }
}

/// All families, in the order they are tried.
pub const FAMILIES: &[Family] = &[
    disk_fs(&["xfs_*", "_xfs_*", "__xfs_*", "xlog_*", "@xfs"], "XFS", Class::FsLock),
    disk_fs(&["jbd2_*", "__jbd2_*", "@jbd2"], "the ext4 journal", Class::FsJournal),
    disk_fs(&["ext4_*", "__ext4_*", "ext3_*", "ext2_*", "@ext4", "@ext3"], "ext4", Class::FsJournal),
    disk_fs(&["btrfs_*", "__btrfs_*", "@btrfs"], "btrfs", Class::FsJournal),
    disk_fs(&["f2fs_*", "__f2fs_*", "@f2fs", "bch2_*", "__bch2_*", "@bcachefs"], "the file system", Class::FsJournal),
    disk_fs(
        &[
            "jfs_*",
            "@jfs",
            "reiserfs_*",
            "@reiserfs",
            "ntfs*",
            "@ntfs3",
            "@ufsd",
            "exfat_*",
            "@exfat",
            "fat_*",
            "@fat",
            "udf_*",
            "@udf",
            "nilfs_*",
            "@nilfs2",
            "squashfs_*",
            "@squashfs",
            "erofs_*",
            "@erofs",
            "isofs_*",
            "hfsplus_*",
            "hfs_*",
            "ubifs_*",
            "jffs2_*",
            "minix_*",
            "ovl_*",
            "@overlay",
            "aufs_*",
            "au_*",
            "@aufs",
            "@vxfs",
            "vx_*",
            "ecryptfs_*",
            "@ecryptfs",
        ],
        "the file system",
        Class::FsLock,
    ),
    one(&["@dm_*", "dm_*", "__dm_*"], "device mapper", Class::LockContention, Class::Dm),
    one(
        &["md_*", "__md_*", "mddev_*", "@md_mod", "@raid1", "@raid10", "@raid456", "@raid0"],
        "the RAID array",
        Class::LockContention,
        Class::Md,
    ),
    one(&["@usb*", "@btusb", "@bluetooth"], "its driver", Class::LockContention, Class::DeviceDriver),
];
