//! The bytes of a BTF blob: header, sections, and where each type starts and ends.
//!
//! The number of members and the kind are read from 24 and 7 bits: newer formats widened both into bits that older
//! ones require to be zero, so one mask reads every version.

use super::BtfError;

/// `struct btf_header`, the part every version has.
const HEADER_BYTES: usize = 24;
/// `struct btf_type`.
const TYPE_BYTES: usize = 12;
const MAGIC: u16 = 0xeb9f;

/// `BTF_KIND_*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Int,
    Ptr,
    Array,
    Struct,
    Union,
    Enum,
    Fwd,
    Typedef,
    Volatile,
    Const,
    Restrict,
    Func,
    FuncProto,
    Var,
    Datasec,
    Float,
    DeclTag,
    TypeTag,
    Enum64,
}

impl Kind {
    fn of(number: u32) -> Option<Self> {
        Some(match number {
            1 => Self::Int,
            2 => Self::Ptr,
            3 => Self::Array,
            4 => Self::Struct,
            5 => Self::Union,
            6 => Self::Enum,
            7 => Self::Fwd,
            8 => Self::Typedef,
            9 => Self::Volatile,
            10 => Self::Const,
            11 => Self::Restrict,
            12 => Self::Func,
            13 => Self::FuncProto,
            14 => Self::Var,
            15 => Self::Datasec,
            16 => Self::Float,
            17 => Self::DeclTag,
            18 => Self::TypeTag,
            19 => Self::Enum64,
            _ => return None,
        })
    }

    /// Bytes that follow the type's head, for `count` members, parameters or values.
    fn tail_bytes(self, count: usize) -> usize {
        match self {
            Self::Int | Self::Var | Self::DeclTag => 4,
            Self::Array => 12,
            Self::Struct | Self::Union | Self::Datasec | Self::Enum64 => count * 12,
            Self::Enum | Self::FuncProto => count * 8,
            Self::Ptr
            | Self::Fwd
            | Self::Typedef
            | Self::Volatile
            | Self::Const
            | Self::Restrict
            | Self::Func
            | Self::Float
            | Self::TypeTag => 0,
        }
    }
}

/// One type's head, and the bytes that follow it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Type<'a> {
    pub(super) name_at: u32,
    pub(super) kind: Kind,
    /// For structures: member offsets hold a bit-field size in their upper byte.
    pub(super) kind_flag: bool,
    /// The size in bytes, or the number of the type referred to.
    pub(super) size_or_type: u32,
    pub(super) tail: &'a [u8],
}

/// Where the sections lie.
pub(super) struct Sections {
    /// Start and length of the types.
    types: (usize, usize),
    /// Start and length of the strings.
    pub(super) strings: (usize, usize),
}

/// The little-endian word at `at`. (The kernels traced are little-endian; `sections` refuses the others.)
pub(super) fn word(data: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(data.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

/// Reads the header and checks that the sections lie inside the blob.
pub(super) fn sections(data: &[u8]) -> Result<Sections, BtfError> {
    let magic = data.first_chunk::<2>().map(|b| u16::from_le_bytes(*b)).ok_or(BtfError::NotBtf)?;
    if magic == MAGIC.swap_bytes() {
        return Err(BtfError::ForeignEndian);
    }
    if magic != MAGIC {
        return Err(BtfError::NotBtf);
    }
    let field = |at: usize| word(data, at).map(|w| w as usize).ok_or(BtfError::Truncated);
    let header = field(4)?;
    if header < HEADER_BYTES {
        return Err(BtfError::Truncated);
    }
    // On 64-bit hosts three words of 32 bits cannot overflow the sum.
    let section = |off: usize, len: usize| -> Result<(usize, usize), BtfError> {
        let start = header.checked_add(off).ok_or(BtfError::Truncated)?;
        let end = start.checked_add(len).ok_or(BtfError::Truncated)?;
        if end > data.len() { Err(BtfError::Truncated) } else { Ok((start, len)) }
    };
    Ok(Sections { types: section(field(8)?, field(12)?)?, strings: section(field(16)?, field(20)?)? })
}

/// Where each type starts, and of the named structures, unions and typedefs the name's offset and the number.
pub(super) type Index = (Vec<u32>, Vec<(u32, u32)>);

/// Walks all types.
pub(super) fn index(data: &[u8], sections: &Sections) -> Result<Index, BtfError> {
    let (start, len) = sections.types;
    let end = start + len;
    let mut starts = Vec::with_capacity(len / 24);
    let mut named = Vec::new();
    let mut at = start;
    while at < end {
        let id = u32::try_from(starts.len() + 1).map_err(|_| BtfError::TooLarge)?;
        let Some(ty) = type_at(data, at) else {
            let kind = word(data, at + 4).map(|info| info >> 24 & 0x7f);
            return Err(match kind {
                Some(kind) if Kind::of(kind).is_none() => BtfError::UnknownKind { id, kind },
                _ => BtfError::Truncated,
            });
        };
        starts.push(u32::try_from(at).map_err(|_| BtfError::TooLarge)?);
        if ty.name_at != 0 && matches!(ty.kind, Kind::Struct | Kind::Union | Kind::Typedef) {
            named.push((ty.name_at, id));
        }
        at += TYPE_BYTES + ty.tail.len();
    }
    if at != end {
        return Err(BtfError::Truncated);
    }
    Ok((starts, named))
}

/// The type at a byte offset of the blob.
pub(super) fn type_at(data: &[u8], at: usize) -> Option<Type<'_>> {
    let info = word(data, at.checked_add(4)?)?;
    let count = (info & 0x00ff_ffff) as usize;
    let kind = Kind::of(info >> 24 & 0x7f)?;
    let tail_at = at.checked_add(TYPE_BYTES)?;
    Some(Type {
        name_at: word(data, at)?,
        kind,
        kind_flag: info >> 31 == 1,
        size_or_type: word(data, at.checked_add(8)?)?,
        tail: data.get(tail_at..tail_at.checked_add(kind.tail_bytes(count))?)?,
    })
}

/// The string at `at` of the string section, without its NUL; empty where there is none.
pub(super) fn string_at(data: &[u8], (start, len): (usize, usize), at: u32) -> &[u8] {
    let section = data.get(start..start.saturating_add(len)).unwrap_or(&[]);
    let rest = section.get(at as usize..).unwrap_or(&[]);
    let end = rest.iter().position(|&b| b == 0).unwrap_or(rest.len());
    rest.get(..end).unwrap_or(&[])
}
