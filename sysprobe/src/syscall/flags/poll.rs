//! Waiting for descriptors and for changes to files: epoll, poll, eventfd, inotify, fanotify.
//!
//! Source: include/uapi/linux/eventpoll.h, asm-generic/poll.h, linux/eventfd.h, inotify.h, fanotify.h.

use super::set::{FlagSet, names};

/// `epoll_ctl` operations.
pub static EPOLL_CTL: FlagSet = FlagSet::new(
    "EPOLL_CTL_???",
    names! {
        EPOLL_CTL_ADD, EPOLL_CTL_DEL, EPOLL_CTL_MOD,
    },
);

/// `epoll_create1`.
pub static EPOLL_CREATE: FlagSet = FlagSet::new(
    "EPOLL_???",
    names! {
        EPOLL_CLOEXEC,
    },
);

/// `epoll_event.events`.
pub static EPOLL_EVENTS: FlagSet = FlagSet::new(
    "EPOLL???",
    names! {
        EPOLLIN, EPOLLPRI, EPOLLOUT, EPOLLERR, EPOLLHUP, EPOLLNVAL = 0x20, EPOLLRDNORM, EPOLLRDBAND, EPOLLWRNORM,
        EPOLLWRBAND, EPOLLMSG, EPOLLRDHUP, EPOLLEXCLUSIVE, EPOLLWAKEUP, EPOLLONESHOT, EPOLLET,
    },
);

/// `pollfd.events` and `revents`.
pub static POLL: FlagSet = FlagSet::new(
    "POLL???",
    names! {
        POLLIN, POLLPRI, POLLOUT, POLLERR, POLLHUP, POLLNVAL, POLLRDNORM, POLLRDBAND, POLLWRNORM, POLLWRBAND,
        POLLMSG = 0x400, POLLREMOVE = 0x1000, POLLRDHUP, POLL_BUSY_LOOP = 0x8000,
    },
);

/// `eventfd2`.
pub static EVENTFD: FlagSet = FlagSet::new(
    "EFD_???",
    names! {
        EFD_SEMAPHORE, EFD_CLOEXEC, EFD_NONBLOCK,
    },
);

/// `inotify_init1`.
pub static INOTIFY_INIT: FlagSet = FlagSet::new(
    "IN_???",
    names! {
        IN_NONBLOCK, IN_CLOEXEC,
    },
);

/// `inotify_add_watch`: what to watch.
pub static INOTIFY: FlagSet = FlagSet::new(
    "IN_???",
    names! {
        IN_ACCESS, IN_MODIFY, IN_ATTRIB, IN_CLOSE_WRITE, IN_CLOSE_NOWRITE, IN_OPEN, IN_MOVED_FROM, IN_MOVED_TO,
        IN_CREATE, IN_DELETE, IN_DELETE_SELF, IN_MOVE_SELF, IN_UNMOUNT, IN_Q_OVERFLOW, IN_IGNORED, IN_ONLYDIR,
        IN_DONT_FOLLOW, IN_EXCL_UNLINK, IN_MASK_CREATE, IN_MASK_ADD, IN_ISDIR, IN_ONESHOT,
    },
);

/// `fanotify_init`: the class, then flags.
pub static FANOTIFY_INIT: FlagSet = FlagSet::new(
    "FAN_???",
    names! {
        FAN_CLOEXEC, FAN_NONBLOCK, FAN_UNLIMITED_QUEUE, FAN_UNLIMITED_MARKS, FAN_ENABLE_AUDIT, FAN_REPORT_PIDFD,
        FAN_REPORT_TID, FAN_REPORT_FID, FAN_REPORT_DIR_FID, FAN_REPORT_NAME, FAN_REPORT_TARGET_FID,
        FAN_REPORT_FD_ERROR = 0x2000, FAN_REPORT_MNT = 0x4000,
    },
)
.head(
    0xc,
    names! {
        FAN_CLASS_NOTIF, FAN_CLASS_CONTENT, FAN_CLASS_PRE_CONTENT,
    },
    "FAN_CLASS_???",
);

/// `fanotify_mark`.
pub static FANOTIFY_MARK: FlagSet = FlagSet::new(
    "FAN_MARK_???",
    names! {
        FAN_MARK_ADD, FAN_MARK_REMOVE, FAN_MARK_DONT_FOLLOW, FAN_MARK_ONLYDIR, FAN_MARK_MOUNT, FAN_MARK_IGNORED_MASK,
        FAN_MARK_IGNORED_SURV_MODIFY, FAN_MARK_FLUSH, FAN_MARK_FILESYSTEM, FAN_MARK_EVICTABLE, FAN_MARK_IGNORE,
    },
);

/// `fanotify_mark`: what to watch.
pub static FANOTIFY_EVENTS: FlagSet = FlagSet::new(
    "FAN_???",
    names! {
        FAN_ACCESS, FAN_MODIFY, FAN_ATTRIB, FAN_CLOSE_WRITE, FAN_CLOSE_NOWRITE, FAN_OPEN, FAN_MOVED_FROM,
        FAN_MOVED_TO, FAN_CREATE, FAN_DELETE, FAN_DELETE_SELF, FAN_MOVE_SELF, FAN_OPEN_EXEC, FAN_Q_OVERFLOW,
        FAN_FS_ERROR, FAN_OPEN_PERM, FAN_ACCESS_PERM, FAN_OPEN_EXEC_PERM, FAN_DIR_MODIFY = 0x8_0000, FAN_ONDIR,
        FAN_EVENT_ON_CHILD, FAN_RENAME, FAN_PRE_ACCESS = 0x10_0000, FAN_MNT_ATTACH = 0x100_0000,
        FAN_MNT_DETACH = 0x200_0000,
    },
)
.wide();
