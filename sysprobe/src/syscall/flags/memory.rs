//! Mappings and advice on them, memory policies, sealing, protection keys.
//!
//! The huge page size of a mapping is a number in the top six bits, shown last.
//! Source: include/uapi/asm-generic/mman.h, mman-common.h, linux/mman.h, linux/mempolicy.h, linux/memfd.h.

use super::set::{FlagSet, Tail, names};

/// `mmap`, `mprotect`.
pub static PROT: FlagSet = FlagSet::new(
    "PROT_???",
    names! {
        PROT_READ, PROT_WRITE, PROT_EXEC, PROT_SEM = 8, PROT_GROWSDOWN, PROT_GROWSUP,
    },
)
.zero("PROT_NONE");

/// `mmap`: the type, flags, and the huge page size.
pub static MAP: FlagSet = FlagSet::new(
    "",
    names! {
        MAP_FIXED, MAP_ANONYMOUS, MAP_32BIT, MAP_NORESERVE, MAP_POPULATE, MAP_NONBLOCK, MAP_GROWSDOWN, MAP_DENYWRITE,
        MAP_EXECUTABLE, MAP_LOCKED, MAP_STACK, MAP_HUGETLB, MAP_SYNC, MAP_FIXED_NOREPLACE,
    },
)
.head(
    0xf,
    names! {
        MAP_FILE, MAP_SHARED, MAP_PRIVATE, MAP_SHARED_VALIDATE, MAP_DROPPABLE,
    },
    "MAP_???",
)
.tail(Tail::Shifted { mask: 0xfc00_0000, shift: 26, name: "MAP_HUGE_SHIFT" });

/// `mremap`.
pub static MREMAP: FlagSet = FlagSet::new(
    "MREMAP_???",
    names! {
        MREMAP_MAYMOVE, MREMAP_FIXED, MREMAP_DONTUNMAP,
    },
);

/// `madvise`, `process_madvise`.
pub static MADVISE: FlagSet = FlagSet::new(
    "MADV_???",
    names! {
        MADV_NORMAL, MADV_RANDOM, MADV_SEQUENTIAL, MADV_WILLNEED, MADV_DONTNEED, MADV_FREE, MADV_REMOVE,
        MADV_DONTFORK, MADV_DOFORK, MADV_MERGEABLE, MADV_UNMERGEABLE, MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_DONTDUMP,
        MADV_DODUMP, MADV_WIPEONFORK, MADV_KEEPONFORK, MADV_COLD, MADV_PAGEOUT, MADV_POPULATE_READ,
        MADV_POPULATE_WRITE, MADV_DONTNEED_LOCKED, MADV_COLLAPSE = 25, MADV_HWPOISON, MADV_SOFT_OFFLINE,
        MADV_GUARD_INSTALL = 102, MADV_GUARD_REMOVE = 103,
    },
);

/// `msync`.
pub static MSYNC: FlagSet = FlagSet::new(
    "MS_???",
    names! {
        MS_SYNC, MS_ASYNC, MS_INVALIDATE,
    },
);

/// `mlock2`.
pub static MLOCK2: FlagSet = FlagSet::new(
    "MLOCK_???",
    names! {
        MLOCK_ONFAULT,
    },
);

/// `mlockall`.
pub static MLOCKALL: FlagSet = FlagSet::new(
    "MCL_???",
    names! {
        MCL_CURRENT, MCL_FUTURE, MCL_ONFAULT,
    },
);

/// `membarrier` commands.
pub static MEMBARRIER: FlagSet = FlagSet::new(
    "MEMBARRIER_CMD_???",
    names! {
        MEMBARRIER_CMD_QUERY, MEMBARRIER_CMD_GLOBAL, MEMBARRIER_CMD_GLOBAL_EXPEDITED,
        MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, MEMBARRIER_CMD_PRIVATE_EXPEDITED,
        MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE,
        MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ,
        MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ,
    },
);

/// `membarrier`.
pub static MEMBARRIER_FLAGS: FlagSet = FlagSet::new(
    "MEMBARRIER_CMD_FLAG_???",
    names! {
        MEMBARRIER_CMD_FLAG_CPU = 1,
    },
);

/// `memfd_create`: flags and the huge page size.
pub static MEMFD: FlagSet = FlagSet::new(
    "MFD_???",
    names! {
        MFD_CLOEXEC, MFD_ALLOW_SEALING, MFD_HUGETLB, MFD_NOEXEC_SEAL, MFD_EXEC,
    },
)
.tail(Tail::Shifted { mask: 0xfc00_0000, shift: 26, name: "MFD_HUGE_SHIFT" });

/// `mbind`.
pub static MBIND: FlagSet = FlagSet::new(
    "MPOL_???",
    names! {
        MPOL_MF_STRICT = 1, MPOL_MF_MOVE = 2, MPOL_MF_MOVE_ALL = 4,
    },
);

/// `move_pages`.
pub static MOVE_PAGES: FlagSet = FlagSet::new(
    "MPOL_???",
    names! {
        MPOL_MF_MOVE = 2, MPOL_MF_MOVE_ALL = 4,
    },
);

/// `get_mempolicy`.
pub static MEMPOLICY_GET: FlagSet = FlagSet::new(
    "MPOL_???",
    names! {
        MPOL_F_NODE = 1, MPOL_F_ADDR = 2, MPOL_F_MEMS_ALLOWED = 4,
    },
);

/// `set_mempolicy`, `mbind`: the mode, then its flags.
pub static MEMPOLICY_MODE: FlagSet = FlagSet::new(
    "MPOL_???",
    names! {
        MPOL_F_STATIC_NODES, MPOL_F_RELATIVE_NODES, MPOL_F_NUMA_BALANCING,
    },
)
.head(
    0xffff_1fff,
    names! {
        MPOL_DEFAULT, MPOL_PREFERRED, MPOL_BIND, MPOL_INTERLEAVE, MPOL_LOCAL, MPOL_PREFERRED_MANY = 5,
        MPOL_WEIGHTED_INTERLEAVE = 6,
    },
    "",
);

/// `userfaultfd`.
pub static USERFAULTFD: FlagSet = FlagSet::new(
    "UFFD_???",
    names! {
        UFFD_USER_MODE_ONLY = 1, O_NONBLOCK, O_CLOEXEC,
    },
);

/// `pkey_alloc` rights.
pub static PKEY: FlagSet = FlagSet::new(
    "PKEY_???",
    names! {
        PKEY_DISABLE_ACCESS = 1, PKEY_DISABLE_WRITE = 2, PKEY_DISABLE_EXECUTE = 4,
    },
);
