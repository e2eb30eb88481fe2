//! How this kernel shapes what no offset can say: the kind of a member, the kind of a tracepoint's argument.
//!
//! Looked up in BTF, never inferred from a version: distributions backport such changes.

use super::btf::KernelBtf;

/// The shapes that the programs ask about, frozen into them before they load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shapes {
    /// `mm_struct.rss_stat` is an array of `percpu_counter` (6.2) and not of plain numbers.
    pub rss_percpu: bool,
    /// `oom:mark_victim` passes the victim's number and not its `task_struct` (6.9, backported widely).
    pub victim_by_pid: bool,
    /// The running task comes with its type (`bpf_get_current_task_btf`, 5.11).
    pub typed_task: bool,
}

impl Shapes {
    /// Those of a kernel.
    pub fn of(btf: &KernelBtf) -> Self {
        let arguments = btf.tracepoint_args("mark_victim").unwrap_or_default();
        Self {
            rss_percpu: btf.member("mm_struct", "rss_stat.count").is_err(),
            victim_by_pid: arguments.first().is_some_and(|argument| !argument.type_name.ends_with('*')),
            typed_task: btf.function_id("bpf_get_current_task_btf").is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_kernels_are_told_apart() {
        let hosts = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/hosts");
        for (kernel, rss_percpu) in [("linux-5.10", false), ("linux-6.12", true), ("linux-7.3", true)] {
            let btf = KernelBtf::load(format!("{hosts}/{kernel}/sys/kernel/btf/vmlinux").as_ref()).unwrap();
            assert_eq!(Shapes::of(&btf), Shapes { rss_percpu, victim_by_pid: false, typed_task: false }, "{kernel}");
        }
    }
}
