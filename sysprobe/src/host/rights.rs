//! Giving up what is not needed once the probes are attached.
//!
//! Capabilities belong to threads, and new threads inherit them: whoever calls this does it before starting any thread
//! that stays, or in the thread itself.

use std::io;

use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

/// What the rest of a run needs: maps and iterators, kernel memory, other users' processes and files, kernel symbols.
const KEPT: CapabilitySet = CapabilitySet::BPF
    .union(CapabilitySet::PERFMON)
    .union(CapabilitySet::SYS_PTRACE)
    .union(CapabilitySet::DAC_READ_SEARCH)
    .union(CapabilitySet::SYSLOG);

/// Gives up every capability of this thread beyond [`KEPT`], for good: an `execve` as root does not bring them back.
///
/// # Errors
/// When the kernel refuses, which it has no reason to.
pub fn drop_rest() -> io::Result<()> {
    let held = capabilities(None)?;
    // Who may not change the bounding set holds no more than what it was given, and root's execve is no concern then.
    if held.effective.contains(CapabilitySet::SETPCAP) {
        for capability in CapabilitySet::all().difference(KEPT).iter() {
            match rustix::thread::remove_capability_from_bounding_set(capability) {
                // A capability that this kernel does not have.
                Ok(()) | Err(rustix::io::Errno::INVAL) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    let permitted = held.permitted.intersection(KEPT);
    let effective = held.effective.intersection(KEPT);
    set_capabilities(None, CapabilitySets { effective, permitted, inheritable: CapabilitySet::empty() })?;
    Ok(())
}
