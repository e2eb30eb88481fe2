//! The size of everything bounded: maps, rings, records. Units are in the names.

/// Threads followed at once (rows of the `TASKS` map).
pub const MAX_TASKS: u32 = 16_384;
/// System call numbers with a plan; x86-64 ends well below.
pub const MAX_CALLS: u32 = 512;
/// File identities remembered as described (rows of the `SEEN_FILES` map, least recently used leaves).
pub const MAX_SEEN_FILES: u32 = 16_384;

/// Threads in D whose wait is timed at once (rows of the `BLOCKED` map).
pub const MAX_BLOCKED: u32 = 16_384;
/// Threads that wait for a lock at once (rows of the `CONTENDED` map).
pub const MAX_CONTENDED: u32 = 16_384;
/// Threads asked for by id at one look (rows of the `WANTED` map).
pub const MAX_WANTED: u32 = 1024;
/// Processes whose last deadly signal is remembered (rows of the `SIGNALLED` map, least recently used leaves).
pub const MAX_SIGNALLED: u32 = 8192;
/// Processes of which every failure is told (rows of the `FOLLOWED` map).
pub const MAX_FOLLOWED: u32 = 1024;
/// Sockets in CLOSE_WAIT whose age is known (rows of the `CLOSE_WAITS` map, least recently used leaves).
pub const MAX_CLOSE_WAITS: u32 = 32_768;
/// Network namespaces whose sockets in CLOSE_WAIT are counted (rows of the `NETS` map, least recently used leaves).
pub const MAX_NETS: u32 = 1024;
/// Kernel frames kept of a stack.
pub const KERNEL_FRAMES: usize = 48;
/// Levels kept of a cgroup's path, innermost first.
pub const CGROUP_LEVELS: usize = 10;
/// Bytes kept of one level's name, its NUL included; a container's scope has 86.
pub const CGROUP_NAME_BYTES: usize = 96;
/// User frames kept of a stack.
pub const USER_FRAMES: usize = 24;

/// Bytes of the ring for rare events that must not be lost.
pub const CRITICAL_RING_BYTES: u32 = 1024 * 1024;
/// Bytes of the ring for floods (system calls, block I/O). A user-side mapping shows twice this.
pub const BULK_RING_BYTES: u32 = 32 * 1024 * 1024;

/// Captures one plan may ask for.
pub const MAX_OPS: usize = 4;
/// Bytes kept from a call's entry to its end (paths, and in/out arguments).
pub const ENTRY_BYTES: usize = 576;
/// Bytes of one string captured at entry, its NUL included; longer ones are read again at the end.
pub const ENTRY_STRING_BYTES: usize = 256;
/// Bytes of one string or buffer captured at the end of a call (`PATH_MAX`).
pub const CAPTURE_BYTES: usize = 4096;
/// Elements captured of one `iovec` array.
pub const MAX_IOVECS: usize = 8;
/// Strings captured of one argument vector.
pub const MAX_ARGV: usize = 33;
/// Environment pointers counted of a failed `execve`.
pub const MAX_ENVC: usize = 512;
/// Bytes of the longest record in a ring.
pub const RECORD_BYTES: usize = 12 * 1024;
/// Directory levels in a described path; deeper ones are cut at the root end and marked.
pub const MAX_PATH_DEPTH: usize = 40;
/// Bytes of one path component (`NAME_MAX` and its NUL).
pub const NAME_BYTES: usize = 256;
/// Bytes of a described path.
pub const FILE_PATH_BYTES: usize = 4096;
