//! What a file descriptor stands for: its identity, and the description sent once for each identity.
//!
//! Paths are walked from dentry to root here, in the kernel, because a description read later from /proc would race
//! with `close` and could block on a hung file system.

use aya_ebpf::helpers::generated::bpf_probe_read_kernel_str;
use sysprobe_common::event::{FileKeyRaw, FileRaw, SocketRaw, file_kind, kind};
use sysprobe_common::fields::Field;
use sysprobe_common::limits::{MAX_PATH_DEPTH, NAME_BYTES};
use sysprobe_common::loss::Counter;

use crate::emit::{self, Record};
use crate::fields::{Near, Typed, address, container, get, get_into, has, read};
use crate::maps::{FILE_SCRATCH, SEEN_FILES};
use crate::verifier::opaque;

/// `AT_FDCWD` (include/uapi/linux/fcntl.h).
const AT_FDCWD: i32 = -100;
/// `SOCKFS_MAGIC` (include/uapi/linux/magic.h).
const SOCKFS_MAGIC: u64 = 0x534f_434b;
/// `AF_UNIX`, `AF_INET`, `AF_INET6` (include/linux/socket.h).
const AF_UNIX: u16 = 1;
const AF_INET: u16 = 2;
const AF_INET6: u16 = 10;
/// Bytes of `sun_path` (include/uapi/linux/un.h).
const SUN_PATH_BYTES: u32 = 108;

/// A file as far as a description needs it. Kernel addresses.
#[derive(Clone, Copy)]
struct Opened {
    mnt: u64,
    dentry: u64,
    inode: u64,
    /// `struct sock`, 0 if it is none.
    sock: u64,
}

/// The identity behind descriptor `fd` of the running thread (`AT_FDCWD`: its working directory), its description sent
/// if it was not yet.
#[inline(always)]
pub fn identify(fd: i32) -> Option<FileKeyRaw> {
    if identify_file(fd as u32 as u64) == 0 {
        return None;
    }
    let scratch = FILE_SCRATCH.get_ptr(0)?;
    // SAFETY: this CPU's own row, and programs are not preempted.
    Some(unsafe { (*scratch).key })
}

/// Leaves the identity in this CPU's row of [`FILE_SCRATCH`]; 0: there is none.
// VERIFIER: a global function: see `capture`.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn identify_file(fd: u64) -> u64 {
    let fd = fd as i32;
    let Some(opened) = (if fd == AT_FDCWD { working_directory() } else { opened(fd) }) else { return 0 };
    let Some(key) = key_of(&opened) else { return 0 };
    let Some(scratch) = FILE_SCRATCH.get_ptr_mut(0) else { return 0 };
    // SAFETY: as in `identify`.
    let last = unsafe { &mut (*scratch).key };
    if key != *last {
        *last = key;
        // SAFETY: the value is not used, only its presence.
        if unsafe { SEEN_FILES.get(key) }.is_none() {
            describe(&key, &opened);
        }
    }
    1
}

#[inline(always)]
fn opened(fd: i32) -> Option<Opened> {
    if fd < 0 {
        return None;
    }
    let table = Typed::current().follow(Field::TaskFiles)?.follow(Field::FilesFdt)?;
    if fd as u32 >= table.get::<u32>(Field::FdtableMaxFds)? {
        return None;
    }
    let array: u64 = table.get(Field::FdtableFd)?;
    let file: u64 = read(array + fd as u64 * 8)?;
    let file = Near::read(file, [Field::FilePathMnt, Field::FilePathDentry, Field::FileInode])?;
    let inode: u64 = file.get(Field::FileInode)?;
    let mut opened =
        Opened { mnt: file.get(Field::FilePathMnt)?, dentry: file.get(Field::FilePathDentry)?, inode, sock: 0 };
    let mode: u16 = get(inode, Field::InodeMode)?;
    if mode & 0xf000 == 0xc000 && super_magic(inode) == SOCKFS_MAGIC {
        let socket: u64 = file.get(Field::FilePrivateData)?;
        opened.sock = get(socket, Field::SocketSk).unwrap_or(0);
    }
    Some(opened)
}

#[inline(always)]
fn working_directory() -> Option<Opened> {
    let fs = Typed::current().follow(Field::TaskFs)?;
    let fs = Near::read(fs.address(), [Field::FsPwdMnt, Field::FsPwdDentry])?;
    let dentry: u64 = fs.get(Field::FsPwdDentry)?;
    Some(Opened { mnt: fs.get(Field::FsPwdMnt)?, dentry, inode: get(dentry, Field::DentryInode)?, sock: 0 })
}

#[inline(always)]
fn super_magic(inode: u64) -> u64 {
    get::<u64>(inode, Field::InodeSb).and_then(|sb| get(sb, Field::SuperMagic)).unwrap_or(0)
}

#[inline(always)]
fn key_of(opened: &Opened) -> Option<FileKeyRaw> {
    if opened.sock != 0 {
        // Addresses and state change with bind, connect and listen: another identity then.
        let daddr: u32 = get(opened.sock, Field::SockDaddr).unwrap_or(0);
        let dport: u16 = get(opened.sock, Field::SockDport).unwrap_or(0);
        let num: u16 = get(opened.sock, Field::SockNum).unwrap_or(0);
        let state: u8 = get(opened.sock, Field::SockState).unwrap_or(0);
        let ino: u64 = get(opened.inode, Field::InodeIno).unwrap_or(0);
        // Of the states only LISTEN (10) is shown.
        let listening = u64::from(state == 10) << 63;
        let version =
            u64::from(daddr) ^ u64::from(dport) << 32 ^ u64::from(num) << 46 ^ ino.rotate_left(21) ^ listening;
        return Some(FileKeyRaw { object: opened.sock, version });
    }
    let dentry = entry(opened.dentry)?;
    let hash_len: u64 = dentry.get(Field::DentryHashLen)?;
    let mut version = hash_len ^ opened.mnt.rotate_left(17);
    if hash_len as u32 == 0 {
        // Pipes, anonymous inodes, memfds: the name does not tell them apart.
        version ^= get::<u64>(opened.inode, Field::InodeIno).unwrap_or(0).rotate_left(40);
    }
    if is_deleted(opened.dentry, &dentry) {
        version ^= 1 << 63;
    }
    Some(FileKeyRaw { object: opened.dentry, version })
}

/// What is asked of a dentry here.
#[inline(always)]
fn entry(dentry: u64) -> Option<Near> {
    Near::read(dentry, [Field::DentryHashPprev, Field::DentryParent, Field::DentryHashLen])
}

/// Unhashed, and not a root (roots and pseudo files were never hashed).
#[inline(always)]
fn is_deleted(at: u64, dentry: &Near) -> bool {
    dentry.get::<u64>(Field::DentryHashPprev) == Some(0)
        && dentry.get::<u64>(Field::DentryParent).is_some_and(|parent| parent != at)
}

#[inline(always)]
fn describe(key: &FileKeyRaw, opened: &Opened) {
    let Some(mut record) = Record::new(&FILE_SCRATCH, size_of::<FileRaw>()) else { return };
    let header = emit::header(kind::FILE, 0);
    {
        // SAFETY: the size given to Record::new is FileRaw's.
        let raw = unsafe { record.fixed::<FileRaw>() };
        raw.header = header;
        raw.key = *key;
        raw.inode = get(opened.inode, Field::InodeIno).unwrap_or(0);
        raw.magic = super_magic(opened.inode);
        raw.mode = get::<u16>(opened.inode, Field::InodeMode).unwrap_or(0).into();
        raw.rdev = get(opened.inode, Field::InodeRdev).unwrap_or(0);
        let deleted = entry(opened.dentry).is_some_and(|dentry| is_deleted(opened.dentry, &dentry));
        raw.flags = if deleted { FileRaw::DELETED } else { 0 };
        raw.kind = file_kind::PATH;
    }
    if opened.sock != 0 {
        socket(&mut record, opened.sock);
        // SAFETY: as above.
        unsafe { record.fixed::<FileRaw>() }.kind = file_kind::SOCKET;
    } else if get::<u64>(opened.dentry, Field::DentryParent) == Some(opened.dentry)
        && get::<u64>(opened.mnt, Field::VfsmountRoot) != Some(opened.dentry)
    {
        component(&mut record, opened.dentry);
        // SAFETY: as above.
        unsafe { record.fixed::<FileRaw>() }.kind = file_kind::ANONYMOUS;
    } else if !path(&mut record, opened.mnt, opened.dentry) {
        // SAFETY: as above.
        unsafe { record.fixed::<FileRaw>() }.flags |= FileRaw::CUT;
    }
    let len = record.len() as u32;
    // SAFETY: as above.
    unsafe { record.fixed::<FileRaw>() }.header.len = len;
    if emit::send_bulk(record) {
        let _ = SEEN_FILES.insert(key, 0u8, 0);
    } else {
        emit::count(Counter::FilesLost);
    }
}

/// Appends a dentry's name and its NUL.
#[inline(always)]
fn component(record: &mut Record, dentry: u64) {
    let Some(name) = get::<u64>(dentry, Field::DentryName) else { return };
    // SAFETY: at least NAME_BYTES bytes follow any masked position.
    let n = unsafe { bpf_probe_read_kernel_str(record.tail().cast(), NAME_BYTES as u32, name as *const _) };
    if n > 0 {
        record.grow(n as u64);
    }
}

/// Appends the components from `dentry` to the root of its mount namespace; false when it is deeper than allowed.
#[inline(always)]
fn path(record: &mut Record, mnt: u64, dentry: u64) -> bool {
    if !has(Field::MountMnt) || !has(Field::MountParent) || !has(Field::MountMountpoint) {
        component(record, dentry);
        return false;
    }
    let mut mount = container(mnt, Field::MountMnt);
    let mut dentry = dentry;
    for _ in 0..MAX_PATH_DEPTH {
        let Some(root) = get::<u64>(address(mount, Field::MountMnt), Field::VfsmountRoot) else { return false };
        let Some(parent) = get::<u64>(dentry, Field::DentryParent) else { return false };
        if dentry == root || dentry == parent {
            let Some(above) = get::<u64>(mount, Field::MountParent) else { return false };
            if above == mount || above == 0 {
                return true;
            }
            let Some(point) = get::<u64>(mount, Field::MountMountpoint) else { return false };
            dentry = point;
            mount = above;
        } else {
            component(record, dentry);
            dentry = parent;
        }
    }
    false
}

/// Appends a [`SocketRaw`], and a unix socket's name.
#[inline(always)]
fn socket(record: &mut Record, sock: u64) {
    // VERIFIER: filled in place: the stack has no room for it.
    // SAFETY: SocketRaw fits behind any masked position, and no socket's record has anything before it that is not aligned.
    let raw = unsafe { &mut *record.word().cast::<SocketRaw>() };
    *raw = SocketRaw::default();
    get_into(sock, Field::SockFamily, &mut raw.family);
    get_into(sock, Field::SockType, &mut raw.sock_type);
    get_into(sock, Field::SockProtocol, &mut raw.protocol);
    raw.state = get::<u8>(sock, Field::SockState).unwrap_or(0).into();
    let family = raw.family;
    if family == AF_INET || family == AF_INET6 {
        get_into(sock, Field::SockNum, &mut raw.local_port);
        get_into(sock, Field::SockDport, &mut raw.peer_port);
        raw.peer_port = u16::from_be(raw.peer_port);
    }
    if family == AF_INET {
        get_into(sock, Field::SockRcvSaddr, first_four(&mut raw.local));
        get_into(sock, Field::SockDaddr, first_four(&mut raw.peer));
    } else if family == AF_INET6 {
        get_into(sock, Field::SockV6RcvSaddr, &mut raw.local);
        get_into(sock, Field::SockV6Daddr, &mut raw.peer);
    }
    record.grow(size_of::<SocketRaw>() as u64);
    if family == AF_UNIX {
        unix_name(record, sock);
    }
}

#[inline(always)]
fn first_four(address: &mut [u8; 16]) -> &mut [u8; 4] {
    // SAFETY: the first 4 of 16 bytes.
    unsafe { &mut *address.as_mut_ptr().cast() }
}

/// Appends `sun_path` of a bound unix socket.
#[inline(always)]
fn unix_name(record: &mut Record, sock: u64) {
    let Some(bound) = get::<u64>(sock, Field::UnixAddr) else { return };
    if bound == 0 || !has(Field::UnixAddressName) {
        return;
    }
    // The length counts the family's two bytes.
    let len: u32 = get::<i32>(bound, Field::UnixAddressLen).unwrap_or(0).clamp(2, 2 + SUN_PATH_BYTES as i32) as u32 - 2;
    let len = opaque(len.into()) & 0x7f;
    let name = address(bound, Field::UnixAddressName) + 2;
    // SAFETY: at most 0x7f bytes behind a masked position.
    let failed = unsafe {
        aya_ebpf::helpers::generated::bpf_probe_read_kernel(record.tail().cast(), len as u32, name as *const _)
    };
    if failed == 0 {
        record.grow(len);
    }
}
