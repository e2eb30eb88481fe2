//! The arguments of one call, as text.

use crate::event::Syscall;

/// Writes the arguments of one call.
pub struct ArgWriter<'a> {
    out: &'a mut Vec<u8>,
    call: &'a Syscall<'a>,
}

impl ArgWriter<'_> {
    pub(super) fn hex(&mut self, arg: usize) {
        let value = self.call.args.get(arg).copied().unwrap_or(0);
        crate::syscall::flags::number::write_hex(self.out, value);
    }
}
