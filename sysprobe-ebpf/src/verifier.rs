//! What LLVM must not be told, so that the verifier sees it.

use core::arch::asm;

/// `value`, of which LLVM knows nothing from here on: a bound tested or masked behind this call is tested in the register
/// that is then used, where the verifier looks for it.
///
// VERIFIER: not `black_box`, which goes through the stack: older verifiers forget a number's bounds there, and each use
// takes some of the 512 bytes that a chain of calls has. A move to itself and not nothing: two line numbers at one
// instruction are refused.
#[inline(always)]
pub fn opaque(mut value: u64) -> u64 {
    // SAFETY: changes nothing.
    unsafe { asm!("{0} = {0}", inout(reg) value, options(pure, nomem, nostack, preserves_flags)) };
    value
}
