//! sysprobe's kernel programs: one hook family a file under `probes/`.
//!
//! Each hook is attached as `tp_btf` or, where BTF tracing is refused, by its `_raw` twin with the same body.
//! A body does the cheapest test first and leaves: nothing is done for threads nobody asked about.
#![no_std]
#![no_main]
// The only way to an optimisation barrier that stays in a register; see `verifier`.
#![feature(asm_experimental_arch)]

mod capture;
mod emit;
mod fields;
mod file;
mod maps;
mod memory;
mod probes;
mod settings;
mod verifier;

/// Lets the kernel accept GPL-only helpers.
#[unsafe(no_mangle)]
#[unsafe(link_section = "license")]
static LICENSE: [u8; 13] = *b"Dual MIT/GPL\0";

#[panic_handler]
fn panic(_info: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
