//! The hooks: one family a file, each hook in two forms with one body.

mod blocked;
mod exit;
mod lock;
mod oom;
mod process_memory;
mod sched;
mod signal;
mod syscall;
mod task;
mod task_waits;
mod tcp;

use aya_ebpf::EbpfContext;

/// A tracepoint's arguments: the same array of words for `tp_btf` and `raw_tp`.
#[derive(Clone, Copy)]
pub struct Args(*const u64);

impl Args {
    /// The arguments behind a program's context.
    pub fn of(context: &impl EbpfContext) -> Self {
        Self(context.as_ptr().cast())
    }

    /// Argument `N`, counted from 0.
    #[inline(always)]
    pub fn get<const N: usize>(self) -> u64 {
        // SAFETY: the verifier checks that the tracepoint has that many arguments.
        unsafe { *self.0.add(N) }
    }
}

/// Declares a hook's two forms: `$name` by `tp_btf`, `$raw` by `raw_tp`, both running `$body`.
macro_rules! twins {
    ($name:ident, $raw:ident, $target:literal, $body:path, $doc:literal) => {
        #[doc = $doc]
        #[aya_ebpf::macros::btf_tracepoint(function = $target)]
        pub fn $name(context: aya_ebpf::programs::BtfTracePointContext) -> i32 {
            let _ = $body(crate::probes::Args::of(&context));
            0
        }

        #[doc = $doc]
        #[aya_ebpf::macros::raw_tracepoint(tracepoint = $target)]
        pub fn $raw(context: aya_ebpf::programs::RawTracePointContext) -> i32 {
            let _ = $body(crate::probes::Args::of(&context));
            0
        }
    };
}
pub(crate) use twins;
