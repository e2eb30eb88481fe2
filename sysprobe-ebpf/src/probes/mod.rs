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

use aya_ebpf::EbpfContext as _;
use aya_ebpf::programs::{BtfTracePointContext, RawTracePointContext};

use crate::fields::Typed;

/// A tracepoint's arguments: the same array of words for `tp_btf` and `raw_tp`.
#[derive(Clone, Copy)]
pub struct Args {
    words: *const u64,
    /// Pointers among them come with their types.
    typed: bool,
}

impl Args {
    /// The arguments behind a `tp_btf` program's context.
    #[inline(always)]
    pub fn typed(context: &BtfTracePointContext) -> Self {
        Self { words: context.as_ptr().cast(), typed: true }
    }

    /// The arguments behind a `raw_tp` program's context.
    #[inline(always)]
    pub fn raw(context: &RawTracePointContext) -> Self {
        Self { words: context.as_ptr().cast(), typed: false }
    }

    /// Argument `N`, counted from 0, a pointer to a structure.
    #[inline(always)]
    pub fn structure<const N: usize>(self) -> Typed {
        Typed::new(self.get::<N>(), self.typed)
    }

    /// Argument `N`, counted from 0.
    #[inline(always)]
    pub fn get<const N: usize>(self) -> u64 {
        // SAFETY: the verifier checks that the tracepoint has that many arguments.
        unsafe { *self.words.add(N) }
    }
}

/// Declares a hook's two forms: `$name` by `tp_btf`, `$raw` by `raw_tp`, both running `$body`.
macro_rules! twins {
    ($name:ident, $raw:ident, $target:literal, $body:path, $doc:literal) => {
        #[doc = $doc]
        #[aya_ebpf::macros::btf_tracepoint(function = $target)]
        pub fn $name(context: aya_ebpf::programs::BtfTracePointContext) -> i32 {
            let _ = $body(crate::probes::Args::typed(&context));
            0
        }

        #[doc = $doc]
        #[aya_ebpf::macros::raw_tracepoint(tracepoint = $target)]
        pub fn $raw(context: aya_ebpf::programs::RawTracePointContext) -> i32 {
            let _ = $body(crate::probes::Args::raw(&context));
            0
        }
    };
}
pub(crate) use twins;
