//! Calls whose arguments depend on each other.

use super::ArgWriter;

/// `arch_prctl`.
pub fn arch_prctl(writer: &mut ArgWriter<'_>, first: usize) {
    writer.hex(first);
}

/// `clone`.
pub fn clone(writer: &mut ArgWriter<'_>, first: usize) {
    writer.hex(first);
}

/// `clone3`.
pub fn clone3(writer: &mut ArgWriter<'_>, first: usize) {
    writer.hex(first);
}

/// `epoll_ctl`.
pub fn epoll_ctl(writer: &mut ArgWriter<'_>, first: usize) {
    writer.hex(first);
}

/// `fcntl`.
pub fn fcntl(writer: &mut ArgWriter<'_>, first: usize) {
    writer.hex(first);
}

/// `futex`.
pub fn futex(writer: &mut ArgWriter<'_>, first: usize) {
    writer.hex(first);
}

/// `getsockopt`.
pub fn getsockopt(writer: &mut ArgWriter<'_>, first: usize) {
    writer.hex(first);
}

/// `ioctl`.
pub fn ioctl(writer: &mut ArgWriter<'_>, first: usize) {
    writer.hex(first);
}

/// `mremap`.
pub fn mremap(writer: &mut ArgWriter<'_>, first: usize) {
    writer.hex(first);
}

/// `open_flags`.
pub fn open_flags(writer: &mut ArgWriter<'_>, first: usize) {
    writer.hex(first);
}

/// `prctl`.
pub fn prctl(writer: &mut ArgWriter<'_>, first: usize) {
    writer.hex(first);
}

/// `pselect6`.
pub fn pselect6(writer: &mut ArgWriter<'_>, first: usize) {
    writer.hex(first);
}

/// `ptrace`.
pub fn ptrace(writer: &mut ArgWriter<'_>, first: usize) {
    writer.hex(first);
}

/// `select`.
pub fn select(writer: &mut ArgWriter<'_>, first: usize) {
    writer.hex(first);
}

/// `setsockopt`.
pub fn setsockopt(writer: &mut ArgWriter<'_>, first: usize) {
    writer.hex(first);
}

/// `shmget`.
pub fn shmget(writer: &mut ArgWriter<'_>, first: usize) {
    writer.hex(first);
}

/// `socket`.
pub fn socket(writer: &mut ArgWriter<'_>, first: usize) {
    writer.hex(first);
}

/// `socketpair`.
pub fn socketpair(writer: &mut ArgWriter<'_>, first: usize) {
    writer.hex(first);
}

/// `utime_pair`.
pub fn utime_pair(writer: &mut ArgWriter<'_>, first: usize) {
    writer.hex(first);
}

/// `vector_offset`.
pub fn vector_offset(writer: &mut ArgWriter<'_>, first: usize) {
    writer.hex(first);
}

/// `vector_offset_flags`.
pub fn vector_offset_flags(writer: &mut ArgWriter<'_>, first: usize) {
    writer.hex(first);
}
