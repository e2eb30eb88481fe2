//! What is done with an open descriptor: `fcntl` and its arguments, locks, seals, advice, splicing.
//!
//! Source: include/uapi/linux/fcntl.h, asm-generic/fcntl.h, linux/falloc.h, linux/fs.h.
//! The flags of `pipe2` and `dup3` are open flags without an access mode.

use super::set::{FlagSet, names};

/// `fallocate` modes.
pub static FALLOCATE: FlagSet = FlagSet::new(
    "FALLOC_FL_???",
    names! {
        FALLOC_FL_KEEP_SIZE, FALLOC_FL_PUNCH_HOLE, FALLOC_FL_NO_HIDE_STALE = 4, FALLOC_FL_COLLAPSE_RANGE,
        FALLOC_FL_ZERO_RANGE, FALLOC_FL_INSERT_RANGE, FALLOC_FL_UNSHARE_RANGE,
    },
);

/// `close_range`.
pub static CLOSE_RANGE: FlagSet = FlagSet::new(
    "CLOSE_RANGE_???",
    names! {
        CLOSE_RANGE_UNSHARE, CLOSE_RANGE_CLOEXEC,
    },
);

/// `sync_file_range`.
pub static SYNC_FILE_RANGE: FlagSet = FlagSet::new(
    "SYNC_FILE_RANGE_???",
    names! {
        SYNC_FILE_RANGE_WAIT_BEFORE, SYNC_FILE_RANGE_WRITE, SYNC_FILE_RANGE_WAIT_AFTER,
    },
);

/// `splice`, `tee`, `vmsplice`.
pub static SPLICE: FlagSet = FlagSet::new(
    "SPLICE_F_???",
    names! {
        SPLICE_F_MOVE, SPLICE_F_NONBLOCK, SPLICE_F_MORE, SPLICE_F_GIFT,
    },
);

/// `fadvise64`.
pub static FADVISE: FlagSet = FlagSet::new(
    "POSIX_FADV_???",
    names! {
        POSIX_FADV_NORMAL, POSIX_FADV_RANDOM, POSIX_FADV_SEQUENTIAL, POSIX_FADV_WILLNEED, POSIX_FADV_DONTNEED,
        POSIX_FADV_NOREUSE,
    },
);

/// `preadv2`, `pwritev2`.
pub static RWF: FlagSet = FlagSet::new(
    "RWF_???",
    names! {
        RWF_HIPRI, RWF_DSYNC, RWF_SYNC, RWF_NOWAIT, RWF_APPEND, RWF_NOAPPEND, RWF_ATOMIC, RWF_DONTCACHE,
    },
);

/// `flock`.
pub static FLOCK: FlagSet = FlagSet::new(
    "LOCK_???",
    names! {
        LOCK_SH, LOCK_EX, LOCK_NB, LOCK_UN, LOCK_MAND = 0x20, LOCK_RW = 0xc0, LOCK_READ = 0x40, LOCK_WRITE = 0x80,
    },
);

/// `fcntl`, `fcntl64` commands.
pub static FCNTL: FlagSet = FlagSet::new(
    "F_???",
    names! {
        F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW, F_SETOWN, F_GETOWN, F_SETSIG = 10,
        F_GETSIG = 11, F_GETLK64 = 12, F_SETLK64 = 13, F_SETLKW64 = 14, F_SETOWN_EX = 15, F_GETOWN_EX = 16,
        F_GETOWNER_UIDS = 17, F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW, F_SETLEASE, F_GETLEASE, F_NOTIFY,
        F_DUPFD_QUERY = 1027, F_CREATED_QUERY = 1028, F_CANCELLK, F_DUPFD_CLOEXEC, F_SETPIPE_SZ, F_GETPIPE_SZ,
        F_ADD_SEALS, F_GET_SEALS,
    },
);

/// `F_SETFD`, `F_GETFD`.
pub static FD_FLAGS: FlagSet = FlagSet::new(
    "FD_???",
    names! {
        FD_CLOEXEC,
    },
);

/// `l_type` of `struct flock`.
pub static LOCK_TYPE: FlagSet = FlagSet::new(
    "F_???",
    names! {
        F_RDLCK, F_WRLCK, F_UNLCK, F_EXLCK = 4,
    },
);

/// `F_SETLEASE`.
pub static LEASE: FlagSet = FlagSet::new(
    "F_???",
    names! {
        F_RDLCK, F_WRLCK, F_UNLCK, F_EXLCK = 4,
    },
);

/// `F_ADD_SEALS`, `F_GET_SEALS`.
pub static SEALS: FlagSet = FlagSet::new(
    "F_SEAL_???",
    names! {
        F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_WRITE, F_SEAL_FUTURE_WRITE, F_SEAL_EXEC,
    },
);

/// `F_NOTIFY`.
pub static NOTIFY: FlagSet = FlagSet::new(
    "DN_???",
    names! {
        DN_ACCESS = 1, DN_MODIFY = 2, DN_CREATE = 4, DN_DELETE = 8, DN_RENAME = 0x10, DN_ATTRIB = 0x20,
        DN_MULTISHOT = 0x8000_0000,
    },
);

/// `f_owner_ex.type`.
pub static OWNER: FlagSet = FlagSet::new(
    "F_OWNER_???",
    names! {
        F_OWNER_TID = 0, F_OWNER_PID = 1, F_OWNER_PGRP = 2,
    },
);

/// `pipe2`.
pub static PIPE: FlagSet = FlagSet::new(
    "O_???",
    names! {
        O_CREAT, O_EXCL, O_NOCTTY, O_TRUNC, O_APPEND, O_NONBLOCK, O_SYNC, O_DSYNC, O_DIRECT, O_LARGEFILE = 0x8000,
        O_NOFOLLOW, O_NOATIME, O_CLOEXEC, O_PATH, O_TMPFILE, O_DIRECTORY, FASYNC = 0x2000, __O_SYNC = 0x10_0000,
        __O_TMPFILE = 0x40_0000,
    },
);
