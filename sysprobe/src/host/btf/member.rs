//! Where a structure's member lies: paths of names, through anonymous members and through typedefs and qualifiers.

use super::KernelBtf;
use super::blob::{Kind, Type, word};

/// Anonymous members nest a few levels deep in kernels; a cycle of them would not end.
const MAX_DEPTH: u32 = 32;
/// Members looked at in one lookup: `task_struct` with all it embeds has about a thousand.
const MAX_STEPS: u32 = 100_000;

/// Why a member's place is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FieldError {
    /// No structure or union of this name is defined.
    #[error("this kernel has no struct {0}")]
    NoStruct(String),
    /// The structure has no such member.
    #[error("struct {of} has no member {path}")]
    NoMember {
        /// The structure.
        of: String,
        /// The path asked for, alternatives included.
        path: String,
    },
    /// The member is a bit-field: it has no byte offset.
    #[error("{of}.{path} is a bit-field")]
    BitField {
        /// The structure.
        of: String,
        /// The path that led to it.
        path: String,
    },
    /// Several structures of this name are defined, and they disagree.
    #[error("this kernel has several struct {of} that differ in {path}")]
    Ambiguous {
        /// The structure.
        of: String,
        /// The path that differs.
        path: String,
    },
}

/// A member's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Bytes from the start of the outermost structure.
    pub offset: u32,
    /// Its size in bytes; `None` for incomplete and flexible types.
    pub size: Option<u32>,
}

/// What one attempt at a path came to.
enum Found {
    At(Member),
    BitField,
    Nothing,
}

impl KernelBtf {
    /// The byte offset of a member. `path` is names separated by `.`, alternatives by `|` (the first that exists).
    ///
    /// # Errors
    /// See [`FieldError`].
    pub fn member_offset(&self, of: &str, path: &str) -> Result<u32, FieldError> {
        self.member(of, path).map(|m| m.offset)
    }

    /// A member's offset and size; see [`KernelBtf::member_offset`].
    ///
    /// # Errors
    /// See [`FieldError`].
    pub fn member(&self, of: &str, path: &str) -> Result<Member, FieldError> {
        if !self.has_struct(of) {
            return Err(FieldError::NoStruct(of.to_owned()));
        }
        for path in path.split('|') {
            let mut seen: Option<Member> = None;
            for record in self.records(of) {
                match self.follow(record, path) {
                    Found::BitField => return Err(FieldError::BitField { of: of.to_owned(), path: path.to_owned() }),
                    Found::At(m) if seen.is_some_and(|s| s.offset != m.offset) => {
                        return Err(FieldError::Ambiguous { of: of.to_owned(), path: path.to_owned() });
                    }
                    Found::At(m) => seen = Some(m),
                    Found::Nothing => {}
                }
            }
            if let Some(member) = seen {
                return Ok(member);
            }
        }
        Err(FieldError::NoMember { of: of.to_owned(), path: path.to_owned() })
    }

    /// Follows one path of names from one structure.
    fn follow(&self, record: Type<'_>, path: &str) -> Found {
        let mut at = Some(record);
        let mut bits: u64 = 0;
        let mut last = None;
        for name in path.split('.') {
            let Some(record) = at else { return Found::Nothing };
            let mut steps = MAX_STEPS;
            let Some(hit) = self.find(record, name.as_bytes(), 0, &mut steps) else { return Found::Nothing };
            bits += hit.bits;
            at = self.bare(hit.type_id).filter(|t| matches!(t.kind, Kind::Struct | Kind::Union));
            last = Some(hit);
        }
        let Some(hit) = last else { return Found::Nothing };
        if hit.bit_field || !bits.is_multiple_of(8) {
            return Found::BitField;
        }
        match u32::try_from(bits / 8) {
            Ok(offset) => Found::At(Member { offset, size: self.size_of(hit.type_id) }),
            Err(_) => Found::Nothing,
        }
    }

    /// The member of a name, directly in `record` or in its anonymous members.
    fn find(&self, record: Type<'_>, name: &[u8], depth: u32, steps: &mut u32) -> Option<Hit> {
        if depth > MAX_DEPTH {
            return None;
        }
        for entry in record.tail.chunks_exact(12) {
            *steps = steps.checked_sub(1)?;
            let (name_at, type_id, place) = (word(entry, 0)?, word(entry, 4)?, word(entry, 8)?);
            let (bits, field_bits) = if record.kind_flag { (place & 0x00ff_ffff, place >> 24) } else { (place, 0) };
            let its_name = self.string(name_at);
            if its_name == name {
                let bit_field = field_bits != 0 || self.is_partial_int(type_id);
                return Some(Hit { bits: bits.into(), type_id, bit_field });
            }
            if its_name.is_empty()
                && let Some(inner) = self.bare(type_id).filter(|t| matches!(t.kind, Kind::Struct | Kind::Union))
                && let Some(hit) = self.find(inner, name, depth + 1, steps)
            {
                return Some(Hit { bits: hit.bits + u64::from(bits), ..hit });
            }
        }
        None
    }

    /// Old encoders mark a bit-field by an integer type narrower than its size.
    fn is_partial_int(&self, type_id: u32) -> bool {
        self.bare(type_id).is_some_and(|t| {
            t.kind == Kind::Int
                && word(t.tail, 0)
                    .is_some_and(|w| w >> 16 & 0xff != 0 || u64::from(w & 0xff) != u64::from(t.size_or_type) * 8)
        })
    }

    /// The type behind typedefs, qualifiers and tags.
    pub(super) fn bare(&self, type_id: u32) -> Option<Type<'_>> {
        let mut id = type_id;
        for _ in 0..MAX_DEPTH {
            let ty = self.get(id)?;
            match ty.kind {
                Kind::Typedef | Kind::Volatile | Kind::Const | Kind::Restrict | Kind::TypeTag => id = ty.size_or_type,
                _ => return Some(ty),
            }
        }
        None
    }

    /// A type's size in bytes.
    fn size_of(&self, type_id: u32) -> Option<u32> {
        let mut id = type_id;
        let mut count: u32 = 1;
        for _ in 0..MAX_DEPTH {
            let ty = self.bare(id)?;
            let one = match ty.kind {
                Kind::Ptr => 8,
                Kind::Int | Kind::Struct | Kind::Union | Kind::Enum | Kind::Enum64 | Kind::Float => ty.size_or_type,
                Kind::Array => {
                    count = count.checked_mul(word(ty.tail, 8)?)?;
                    id = word(ty.tail, 0)?;
                    continue;
                }
                _ => return None,
            };
            return one.checked_mul(count).filter(|&n| n != 0);
        }
        None
    }
}

/// A member found: its place in bits from the structure searched.
struct Hit {
    bits: u64,
    type_id: u32,
    bit_field: bool,
}
