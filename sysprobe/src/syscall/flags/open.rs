//! How files are opened and looked up: open flags, `openat2`'s limits on resolution, `AT_*`, `statx`.
//!
//! `AT_REMOVEDIR` and `AT_EACCESS` share a bit: which it is depends on the call, so `faccessat2` has its own set.
//! Source: include/uapi/asm-generic/fcntl.h, linux/fcntl.h, linux/openat2.h, linux/stat.h.

use super::set::{FlagSet, names};

/// `open`, `openat`: the access mode, then flags.
pub static OPEN: FlagSet = FlagSet::new(
    "",
    names! {
        O_CREAT, O_EXCL, O_NOCTTY, O_TRUNC, O_APPEND, O_NONBLOCK, O_SYNC, O_DSYNC, O_DIRECT, O_LARGEFILE = 0x8000,
        O_NOFOLLOW, O_NOATIME, O_CLOEXEC, O_PATH, O_TMPFILE, O_DIRECTORY, FASYNC = 0x2000, __O_SYNC = 0x10_0000,
        __O_TMPFILE = 0x40_0000,
    },
)
.head(
    3,
    names! {
        O_RDONLY, O_WRONLY, O_RDWR, O_ACCMODE,
    },
    "O_???",
);

/// `open_how.resolve` of `openat2`.
pub static RESOLVE: FlagSet = FlagSet::new(
    "RESOLVE_???",
    names! {
        RESOLVE_NO_XDEV, RESOLVE_NO_MAGICLINKS, RESOLVE_NO_SYMLINKS, RESOLVE_BENEATH, RESOLVE_IN_ROOT,
        RESOLVE_CACHED,
    },
)
.wide();

/// `lseek`: where from.
pub static WHENCE: FlagSet = FlagSet::new(
    "SEEK_???",
    names! {
        SEEK_SET, SEEK_CUR, SEEK_END, SEEK_DATA, SEEK_HOLE,
    },
);

/// `access`, `faccessat`: what is asked.
pub static ACCESS: FlagSet = FlagSet::new(
    "?_OK",
    names! {
        R_OK, W_OK, X_OK,
    },
)
.zero("F_OK");

/// The `AT_*` flags of most calls.
pub static AT: FlagSet = FlagSet::new(
    "AT_???",
    names! {
        AT_SYMLINK_NOFOLLOW, AT_REMOVEDIR, AT_SYMLINK_FOLLOW, AT_NO_AUTOMOUNT, AT_EMPTY_PATH, AT_RECURSIVE,
    },
);

/// `faccessat2`.
pub static AT_ACCESS: FlagSet = FlagSet::new(
    "AT_???",
    names! {
        AT_SYMLINK_NOFOLLOW, AT_EACCESS, AT_EMPTY_PATH,
    },
);

/// `statx`.
pub static AT_STATX: FlagSet = FlagSet::new(
    "",
    names! {
        AT_SYMLINK_NOFOLLOW, AT_REMOVEDIR, AT_SYMLINK_FOLLOW, AT_NO_AUTOMOUNT, AT_EMPTY_PATH, AT_RECURSIVE,
    },
)
.head(
    0x6000,
    names! {
        AT_STATX_SYNC_AS_STAT, AT_STATX_FORCE_SYNC, AT_STATX_DONT_SYNC, AT_STATX_SYNC_TYPE,
    },
    "AT_STATX_???",
);

/// `name_to_handle_at`.
pub static AT_HANDLE: FlagSet = FlagSet::new(
    "AT_???",
    names! {
        AT_SYMLINK_FOLLOW, AT_EMPTY_PATH, AT_HANDLE_FID, AT_HANDLE_MNT_ID_UNIQUE, AT_HANDLE_CONNECTABLE,
    },
);

/// `execveat`.
pub static AT_EXEC: FlagSet = FlagSet::new(
    "AT_???",
    names! {
        AT_SYMLINK_NOFOLLOW, AT_REMOVEDIR, AT_SYMLINK_FOLLOW, AT_NO_AUTOMOUNT, AT_EMPTY_PATH, AT_RECURSIVE,
        AT_EXECVE_CHECK,
    },
);

/// `statx`: what is wanted.
pub static STATX_MASK: FlagSet = FlagSet::new(
    "STATX_???",
    names! {
        STATX_ALL, STATX_BASIC_STATS, STATX_TYPE, STATX_MODE, STATX_NLINK, STATX_UID, STATX_GID, STATX_ATIME,
        STATX_MTIME, STATX_CTIME, STATX_INO, STATX_SIZE, STATX_BLOCKS, STATX_BTIME, STATX_MNT_ID, STATX_DIOALIGN,
        STATX_MNT_ID_UNIQUE, STATX_SUBVOL, STATX_WRITE_ATOMIC, STATX_DIO_READ_ALIGN,
    },
);

/// `stx_attributes`.
pub static STATX_ATTR: FlagSet = FlagSet::new(
    "STATX_ATTR_???",
    names! {
        STATX_ATTR_COMPRESSED, STATX_ATTR_IMMUTABLE, STATX_ATTR_APPEND, STATX_ATTR_NODUMP, STATX_ATTR_ENCRYPTED,
        STATX_ATTR_AUTOMOUNT, STATX_ATTR_MOUNT_ROOT, STATX_ATTR_VERITY, STATX_ATTR_DAX, STATX_ATTR_WRITE_ATOMIC,
    },
)
.wide();

/// `renameat2`.
pub static RENAME: FlagSet = FlagSet::new(
    "RENAME_??",
    names! {
        RENAME_NOREPLACE, RENAME_EXCHANGE, RENAME_WHITEOUT,
    },
);

/// `setxattr`.
pub static XATTR: FlagSet = FlagSet::new(
    "XATTR_???",
    names! {
        XATTR_CREATE, XATTR_REPLACE,
    },
);
