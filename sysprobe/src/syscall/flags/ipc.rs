//! System V IPC, message queues and the older asynchronous I/O.
//!
//! Source: include/uapi/linux/ipc.h, sem.h, shm.h, msg.h, aio_abi.h.

use super::set::{FlagSet, Tail, names};

/// `msgget`, `semget`, above the mode in the low 9 bits.
pub static IPC_GET: FlagSet = FlagSet::new(
    "",
    names! {
        IPC_CREAT, IPC_EXCL, IPC_NOWAIT,
    },
)
.tail(Tail::Mode);

/// `shmget`, above the mode in the low 9 bits.
pub static SHM_GET: FlagSet = FlagSet::new(
    "",
    names! {
        IPC_CREAT, IPC_EXCL, SHM_HUGETLB, SHM_NORESERVE,
    },
)
.tail(Tail::Mode);

/// `shmat`.
pub static SHM_AT: FlagSet = FlagSet::new(
    "SHM_???",
    names! {
        SHM_RDONLY, SHM_RND, SHM_REMAP, SHM_EXEC,
    },
);

/// `semctl` commands.
pub static SEMCTL: FlagSet = FlagSet::new(
    "SEM_???",
    names! {
        IPC_RMID, IPC_SET, IPC_STAT, IPC_INFO, GETPID, GETVAL, GETALL, GETNCNT, GETZCNT, SETVAL, SETALL, SEM_STAT,
        SEM_INFO, SEM_STAT_ANY,
    },
);

/// `shmctl` commands.
pub static SHMCTL: FlagSet = FlagSet::new(
    "SHM_???",
    names! {
        IPC_RMID, IPC_SET, IPC_STAT, IPC_INFO, SHM_LOCK, SHM_UNLOCK, SHM_STAT = 13, SHM_INFO = 14, SHM_STAT_ANY = 15,
    },
);

/// `msgctl` commands.
pub static MSGCTL: FlagSet = FlagSet::new(
    "MSG_???",
    names! {
        IPC_RMID, IPC_SET, IPC_STAT, IPC_INFO, MSG_STAT, MSG_INFO, MSG_STAT_ANY = 13,
    },
);

/// `msgrcv`, `msgsnd`.
pub static MSG_RCV: FlagSet = FlagSet::new(
    "MSG_???",
    names! {
        MSG_NOERROR, MSG_EXCEPT, MSG_COPY, IPC_NOWAIT,
    },
);

/// `sembuf.sem_flg`.
pub static SEMOP: FlagSet = FlagSet::new(
    "SEM_???",
    names! {
        SEM_UNDO, IPC_NOWAIT,
    },
);

/// `iocb.aio_lio_opcode`.
pub static AIO: FlagSet = FlagSet::new(
    "IOCB_CMD_???",
    names! {
        IOCB_CMD_PREAD = 0, IOCB_CMD_PWRITE = 1, IOCB_CMD_FSYNC = 2, IOCB_CMD_FDSYNC = 3, IOCB_CMD_POLL = 5,
        IOCB_CMD_NOOP = 6, IOCB_CMD_PREADV = 7, IOCB_CMD_PWRITEV = 8,
    },
);

/// The key of `semget` and the like.
pub static PRIVATE_KEY: FlagSet = FlagSet::new(
    "",
    names! {
        IPC_PRIVATE,
    },
);
