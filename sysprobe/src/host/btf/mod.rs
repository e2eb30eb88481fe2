//! The running kernel's own type information: where members lie and what tracepoints pass.
//!
//! [`KernelBtf`] keeps the blob as it is and an index of where each type starts, so that opening the 5.5 MB of a
//! distribution kernel takes a few milliseconds and a lookup copies nothing. Every read is checked: the blob may
//! come from a fixture or a file the user named, and a malformed one gives an error, never a panic or a long loop.
//!
//! Why not a crate: `btf` 0.5 keeps one map of names for all kinds (a function or typedef named like a structure
//! hides it), copies every structure while parsing and multiplies sizes unchecked; `aya-obj` does not give out
//! member offsets; `btf-rs` is LGPL. The format: Documentation/bpf/btf.rst and include/uapi/linux/btf.h.

mod blob;
mod member;
mod proto;
#[cfg(test)]
pub(super) mod sample;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::Read;
use std::path::Path;

pub use member::{FieldError, Member};
pub use proto::TracepointArg;

use blob::{Kind, Type};

/// Where the kernel shows its types.
pub const VMLINUX_BTF: &str = "/sys/kernel/btf/vmlinux";

/// The largest blob read; debug kernels stay below 20 MB.
pub const MAX_BTF_BYTES: u64 = 256 * 1024 * 1024;

/// Why type information could not be had.
#[derive(Debug, thiserror::Error)]
pub enum BtfError {
    /// The file could not be read.
    #[error("cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// It does not begin as BTF does.
    #[error("is not BTF")]
    NotBtf,
    /// It was made for a machine of the other byte order.
    #[error("is BTF of the other byte order")]
    ForeignEndian,
    /// A section reaches beyond the end.
    #[error("is cut short or its header is wrong")]
    Truncated,
    /// A type of a kind this reader does not know, so the ones after it cannot be found.
    #[error("type {id} is of unknown kind {kind}")]
    UnknownKind {
        /// The type's number.
        id: u32,
        /// The kind's number.
        kind: u32,
    },
    /// Larger than any kernel's.
    #[error("is larger than 256 MiB")]
    TooLarge,
}

/// A kernel's types, indexed.
pub struct KernelBtf {
    data: Vec<u8>,
    /// Start and length of the string section in `data`.
    strings: (usize, usize),
    /// Where type `i + 1` starts in `data`; type 0 is `void` and not stored.
    starts: Vec<u32>,
    /// Named structures, unions and typedefs, sorted by name, then number.
    named: Vec<u32>,
}

impl KernelBtf {
    /// Reads and indexes the file at `path`, [`VMLINUX_BTF`] for the running kernel.
    ///
    /// # Errors
    /// When the file cannot be read or is not whole, well-formed BTF of this machine's byte order.
    pub fn load(path: &Path) -> Result<Self, BtfError> {
        let mut data = Vec::new();
        File::open(path)?.take(MAX_BTF_BYTES + 1).read_to_end(&mut data)?;
        Self::parse(data)
    }

    /// Indexes a blob.
    ///
    /// # Errors
    /// As [`KernelBtf::load`], less the reading.
    pub fn parse(data: Vec<u8>) -> Result<Self, BtfError> {
        if data.len() as u64 > MAX_BTF_BYTES {
            return Err(BtfError::TooLarge);
        }
        let layout = blob::sections(&data)?;
        let (starts, named) = blob::index(&data, &layout)?;
        let mut keyed: Vec<(&[u8], u32)> =
            named.iter().map(|&(name_at, id)| (blob::string_at(&data, layout.strings, name_at), id)).collect();
        keyed.sort_unstable();
        let named = keyed.into_iter().map(|(_, id)| id).collect();
        Ok(Self { data, strings: layout.strings, starts, named })
    }

    /// Number of types, `void` left out.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there are no types.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Whether a structure or union of this name is defined.
    pub fn has_struct(&self, name: &str) -> bool {
        self.records(name).next().is_some()
    }

    /// The structures and unions of a name. C lets different files define different ones, so there may be several.
    fn records<'a>(&'a self, name: &'a str) -> impl Iterator<Item = Type<'a>> {
        self.of_name(name).filter(|t| matches!(t.kind, Kind::Struct | Kind::Union))
    }

    /// Everything indexed under a name, in order of number.
    fn of_name<'a>(&'a self, name: &'a str) -> impl Iterator<Item = Type<'a>> {
        self.ids_of_name(name).filter_map(|id| self.get(id))
    }

    fn ids_of_name<'a>(&'a self, name: &'a str) -> impl Iterator<Item = u32> + 'a {
        let name = name.as_bytes();
        let from = self.named.partition_point(|&id| self.name_of(id) < name);
        let ids = self.named.get(from..).unwrap_or(&[]);
        ids.iter().copied().take_while(move |&id| self.name_of(id) == name)
    }

    fn name_of(&self, id: u32) -> &[u8] {
        self.get(id).map_or(&[], |t| self.string(t.name_at))
    }

    /// The type of a number; `None` for `void` and for numbers beyond the last.
    fn get(&self, id: u32) -> Option<Type<'_>> {
        let start = *self.starts.get(usize::try_from(id.checked_sub(1)?).ok()?)?;
        blob::type_at(&self.data, usize::try_from(start).ok()?)
    }

    /// The string at an offset of the string section, without its NUL; empty where there is none.
    fn string(&self, at: u32) -> &[u8] {
        blob::string_at(&self.data, self.strings, at)
    }
}

impl std::fmt::Debug for KernelBtf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KernelBtf").field("bytes", &self.data.len()).field("types", &self.starts.len()).finish()
    }
}
