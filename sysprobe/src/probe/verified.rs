//! What each loaded program cost the verifier: the instructions it walked, and the size of what it let through.

use super::kernel::Kernel;

/// One program's size to the kernel.
#[derive(Clone, Debug)]
pub struct Verified {
    /// The program.
    pub program: String,
    /// Instructions the verifier walked, over all paths; not told before Linux 5.16.
    pub walked: Option<u32>,
    /// Instructions of the program as the kernel runs it.
    pub instructions: Option<u32>,
}

/// The programs that are loaded, by name.
pub fn verified(kernel: &Kernel) -> Vec<Verified> {
    let loaded = kernel.ebpf().programs().filter_map(|(name, program)| {
        // A program that was not loaded (its twin was) has no information.
        let info = program.info().ok()?;
        // An eBPF instruction has eight bytes.
        let instructions = info.size_translated().map(|bytes| bytes / 8);
        Some(Verified { program: name.to_owned(), walked: info.verified_instruction_count(), instructions })
    });
    let mut programs: Vec<Verified> = loaded.collect();
    programs.sort_by(|a, b| a.program.cmp(&b.program));
    programs
}
