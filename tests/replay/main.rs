//! Pasted text to verdicts: the labelled real stalls and OOM kills, and golden outputs. Needs nothing of this host.

mod known;
mod oom;
mod robust;
mod stall;

/// The folder of the labelled cases.
fn cases() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/replay/cases")
}
