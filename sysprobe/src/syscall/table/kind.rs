//! What an argument or a result is: the words the call table is written in.
//!
//! A kind decides both what the kernel captures (`plan`) and how the argument reads (`text`). It holds no behaviour of its own.

use sysprobe_common::plan::CaptureOp;

use crate::syscall::flags::FlagSet;
use crate::syscall::structs::StructSpec;
use crate::syscall::text::ArgWriter;

/// Writes the arguments from `first` on, for calls whose arguments depend on each other.
pub type RestFn = fn(&mut ArgWriter<'_>, first: usize);

/// What one argument is. `u8` payloads name another argument (0 to 5).
#[derive(Clone, Copy)]
pub enum ArgKind {
    /// A signed 32-bit number.
    Int,
    /// An unsigned 32-bit number.
    Uint,
    /// A signed 64-bit number (offsets).
    Long,
    /// An unsigned 64-bit number (sizes).
    Ulong,
    /// A number read in hex.
    Hex,
    /// A 32-bit number read in hex.
    Hex32,
    /// An address nothing is read from.
    Ptr,
    /// Permission bits.
    Mode,
    /// A file type and permission bits (`mknod`).
    FileMode,
    /// A device number in the 32-bit user encoding (`mknod`).
    Dev,
    /// A user or group id; -1 leaves it as it is.
    Id,
    /// A signal's number.
    Signal,
    /// A file descriptor.
    Fd,
    /// A directory's descriptor or `AT_FDCWD`.
    DirFd,
    /// A path, shown in full.
    Path,
    /// A string, shown up to the limit.
    Str,
    /// A path the call returns, NUL-terminated, as long as the result says (`getcwd`).
    PathOut,
    /// Bytes given to the call; the payload names the length.
    BufIn(u8),
    /// Bytes the call filled in, as many as its result.
    BufOut,
    /// Like `BufOut`, and an address if the call only asked how long it is: the payload names the size given, 0 then.
    SizedOut(u8),
    /// Like `BufOut`, shown in hex (`getrandom`).
    BytesOut,
    /// A struct given to the call.
    Struct(&'static StructSpec),
    /// A struct given to the call that the call may overwrite: read at entry.
    StructEnter(&'static StructSpec),
    /// A struct the call fills in.
    StructOut(&'static StructSpec),
    /// A struct filled in only if the call was interrupted (`nanosleep`'s remainder).
    StructInterrupted(&'static StructSpec),
    /// A struct filled in only if the call returned more than zero (`wait4`'s usage).
    StructPositive(&'static StructSpec),
    /// An array given to the call; the payload names the argument with its length.
    Array(&'static StructSpec, u8),
    /// An array of fixed length given to the call (`utimensat`).
    ArrayFixed(&'static StructSpec, u8),
    /// An array the call fills in, with as many elements as its result.
    ArrayOut(&'static StructSpec),
    /// Or-ed flags.
    Flags(&'static FlagSet),
    /// One of a set of names.
    Enum(&'static FlagSet),
    /// Buffers given to the call; the payload names their number.
    IovecIn(u8),
    /// Buffers the call filled in.
    IovecOut(u8),
    /// A message to send.
    MsgIn,
    /// A message received.
    MsgOut,
    /// A program's argument vector.
    Argv,
    /// A program's environment: only counted.
    Envp,
    /// A `pollfd` array; the payload names its length.
    Pollfds(u8),
    /// A socket address given to the call; the payload names its length.
    SockaddrIn(u8),
    /// A socket address the call fills in; the payload names its `socklen_t *`.
    SockaddrOut(u8),
    /// A `socklen_t *`, given and filled in.
    SocklenInOut,
    /// A signal set given to the call.
    SigSet(&'static StructSpec),
    /// Two descriptors the call makes.
    FdPair,
    /// An `int *` given to the call.
    IntIn,
    /// An `int *` the call fills in.
    IntOut,
    /// An `unsigned int *` the call fills in.
    UintOut,
    /// A `long *` the call fills in.
    LongOut,
    /// A file offset, given and filled in.
    OffsetInOut,
    /// A CPU mask given to the call; the payload names its length.
    CpuSet(u8),
    /// A CPU mask the call fills in, as long as its result.
    CpuSetOut,
    /// Directory entries: only counted.
    Dirents,
    /// Group ids, as many as the payload's argument (given) says.
    IdsIn(u8),
    /// Group ids, as many as the result.
    IdsOut,
    /// This argument and all after it, written together.
    Rest(RestFn),
}

/// What a result is.
#[derive(Clone, Copy)]
pub enum Ret {
    /// A signed number.
    Signed,
    /// A file descriptor.
    Fd,
    /// An address.
    Hex,
    /// Permission bits.
    Octal,
    /// One of a set of names, shown beside the number.
    Enum(&'static FlagSet),
    /// Flags: in hex, with their names beside it.
    HexFlags(&'static FlagSet),
    /// Descriptors ready among `Pollfds`, shown beside the number.
    Poll,
    /// Descriptors ready in `select`'s sets.
    Select,
    /// Depends on the command (`fcntl`).
    Fcntl,
    /// Depends on the option (`prctl`).
    Prctl,
    /// A signal's number, named beside it.
    Signal,
    /// The call does not return.
    Never,
}

/// One hand-made row: how a call's arguments read.
#[derive(Clone, Copy)]
pub struct HandRow {
    /// The call's name in the x86-64 table.
    pub name: &'static str,
    /// Its arguments.
    pub args: &'static [ArgKind],
    /// Its result.
    pub ret: Ret,
    /// Captures beyond those the kinds imply, for `Rest` kinds.
    pub ops: &'static [CaptureOp],
    /// Bit n set: argument n is a descriptor, beyond those the kinds imply.
    pub fd_args: u8,
}

/// A row.
pub const fn row(name: &'static str, args: &'static [ArgKind], ret: Ret) -> HandRow {
    HandRow { name, args, ret, ops: &[], fd_args: 0 }
}

impl HandRow {
    /// With captures of its own.
    pub const fn ops(mut self, ops: &'static [CaptureOp]) -> Self {
        self.ops = ops;
        self
    }

    /// With descriptors among the arguments a `Rest` kind writes.
    pub const fn fds(mut self, fd_args: u8) -> Self {
        self.fd_args = fd_args;
        self
    }
}
