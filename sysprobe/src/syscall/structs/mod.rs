//! Structures behind pointers, written as strace 6.1 abbreviates them.
//!
//! One file a family. Each writer takes the captured bytes, whole or cut: it shows what is whole, then `...`, and never fails.

/// How to read and show a structure.
#[derive(Clone, Copy, Debug)]
pub struct StructSpec {
    /// Bytes of the whole structure as the kernel lays it out on x86-64.
    pub size: u16,
    /// Appends the structure's text. Any bytes are accepted, short ones too.
    pub write: fn(&mut Vec<u8>, &[u8]),
}
