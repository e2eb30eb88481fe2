//! What a family of flags or an enumeration is, as data: names, values, and how leftovers are shown.
//!
//! A table keeps strace's order, for that is the order its flags are printed in. Enumerations are sorted by value.

/// A name and its value.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// The value; one bit, or several for a composite flag.
    pub value: u64,
    /// The name as in the kernel's headers.
    pub name: &'static str,
}

/// How wide the argument is: upper bits of an `int` argument's register mean nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// The low 32 bits count.
    Bits32,
    /// All 64 bits count.
    Bits64,
}

/// A multi-bit field printed before the single bits: an access mode, a mapping's type, a socket's type.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The field's bits.
    pub mask: u64,
    /// Its values.
    pub names: &'static [Flag],
    /// Shown beside a value without a name, such as `MAP_???`; if empty, such a value is left among the flags.
    pub unknown: &'static str,
}

/// A multi-bit field printed after the single bits.
#[derive(Clone, Copy, Debug)]
pub enum Tail {
    /// None.
    None,
    /// The low byte is a signal's number (`clone`).
    ExitSignal,
    /// The low 9 bits are a mode, always shown: `IPC_CREAT|0600`, `000`.
    Mode,
    /// A decimal number in these low bits, always shown after flags: `SWAP_FLAG_PREFER|5`.
    Number(u64),
    /// A number shifted up: `21<<MAP_HUGE_SHIFT`.
    Shifted {
        /// The field's bits.
        mask: u64,
        /// How far it is shifted.
        shift: u32,
        /// The shift's name.
        name: &'static str,
    },
}

/// A family of flags, or an enumeration.
#[derive(Clone, Copy, Debug)]
pub struct FlagSet {
    /// Shown beside a value of which nothing has a name, such as `O_???`.
    pub unknown: &'static str,
    /// How much of the register counts.
    pub width: Width,
    /// The name of zero (`PROT_NONE`), if it has one.
    pub zero: Option<&'static str>,
    /// The field printed first, if any.
    pub head: Option<Field>,
    /// Flags in the order they are printed in, composites before their parts; an enumeration's values, sorted.
    pub names: &'static [Flag],
    /// Computed: `names` ascend by value, so one is found by bisection.
    sorted: bool,
    /// The field printed last.
    pub tail: Tail,
}

impl FlagSet {
    /// A set of 32-bit flags or values with neither head, tail nor a name for zero.
    pub const fn new(unknown: &'static str, names: &'static [Flag]) -> Self {
        Self {
            unknown,
            width: Width::Bits32,
            zero: None,
            head: None,
            names,
            sorted: is_sorted(names),
            tail: Tail::None,
        }
    }

    /// All 64 bits of the argument count.
    pub const fn wide(mut self) -> Self {
        self.width = Width::Bits64;
        self
    }

    /// Zero is shown by this name.
    pub const fn zero(mut self, name: &'static str) -> Self {
        self.zero = Some(name);
        self
    }

    /// The bits of `mask` are a field of its own, shown first. A value of it without a name is shown with `unknown`.
    pub const fn head(mut self, mask: u64, names: &'static [Flag], unknown: &'static str) -> Self {
        self.head = Some(Field { mask, names, unknown });
        self
    }

    /// What is shown last.
    pub const fn tail(mut self, tail: Tail) -> Self {
        self.tail = tail;
        self
    }

    /// The name of exactly this value, if the set or its head has one.
    pub fn name(&self, value: u64) -> Option<&'static str> {
        let value = self.cut(value);
        if value == 0 && self.zero.is_some() {
            return self.zero;
        }
        let named = if self.sorted {
            let at = self.names.binary_search_by_key(&value, |flag| flag.value).ok();
            at.and_then(|at| self.names.get(at)).map(|flag| flag.name)
        } else {
            find(self.names, value)
        };
        named.or_else(|| find(self.head?.names, value))
    }

    /// The part of a register that counts.
    pub(super) fn cut(&self, value: u64) -> u64 {
        match self.width {
            Width::Bits32 => value & 0xffff_ffff,
            Width::Bits64 => value,
        }
    }
}

/// The name of `value` in a table too short for order to matter.
pub(super) fn find(names: &'static [Flag], value: u64) -> Option<&'static str> {
    names.iter().find(|flag| flag.value == value).map(|flag| flag.name)
}

/// True if the values ascend.
const fn is_sorted(names: &[Flag]) -> bool {
    let mut at = 1;
    while at < names.len() {
        if names[at - 1].value >= names[at].value {
            return false;
        }
        at += 1;
    }
    true
}

/// The value of a libc constant of whatever integer type: a negative `int` keeps only its 32 bits.
pub(super) const fn bits(value: i64) -> u64 {
    if value < 0 && value >= i32::MIN as i64 { value as u64 & 0xffff_ffff } else { value as u64 }
}

/// A table of names: those libc knows alone, others with their number. A value that has several names at once is quoted.
macro_rules! names {
    ($($name:tt $(= $value:expr)?),* $(,)?) => {
        &[$($crate::syscall::flags::set::Flag {
            value: $crate::syscall::flags::set::names!(@value $name $($value)?),
            name: $crate::syscall::flags::set::names!(@name $name),
        }),*]
    };
    (@value $name:ident) => { $crate::syscall::flags::set::bits(libc::$name as i64) };
    (@value $name:tt $value:expr) => { $value };
    (@name $name:literal) => { $name };
    (@name $name:ident) => { stringify!($name) };
}
pub(super) use names;
