//! Stacks and kernel logs to causes: the classifier, the readers of pasted text, the OOM verdict, the advice.
//!
//! Pure code: it is given lines or frames and gives verdicts. It opens no file, keeps no clock and asks no kernel, so
//! the live analyzers, a replay and `explain --kernel-log` come to the same words.

pub mod advice;
pub mod cause;
pub mod classify;
pub mod context;
pub mod frame;
pub mod kernel_log;
pub mod line;
pub mod oom;
pub mod printable;
pub mod record;
pub mod rules;
pub mod stack;
pub mod text;
