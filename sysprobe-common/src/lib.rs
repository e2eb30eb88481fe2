//! What the kernel programs and the user side agree on, written once.
//!
//! Records (`event`), capture plans (`plan`), the table of kernel fields (`fields`), per-thread state (`task`),
//! counters (`loss`) and the sizes of everything bounded (`limits`). Records hold only integers and byte arrays,
//! with explicit padding; sizes and offsets are asserted at compile time on both targets. Nothing here does I/O.
#![no_std]

pub mod event;
pub mod fields;
pub mod limits;
pub mod loss;
pub mod plan;
pub mod stats;
pub mod task;
