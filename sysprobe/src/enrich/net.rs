//! Network namespaces: which there are, by a process in each.

use std::collections::BTreeMap;

use super::processes;
use crate::host::HostFs;

/// The number in a namespace's link (`net:[4026531840]`).
fn number(link: &str) -> Option<u32> {
    link.strip_prefix("net:[")?.strip_suffix(']')?.parse().ok()
}

/// The namespace that a process is in.
pub fn of(fs: &dyn HostFs, pid: u32) -> Option<u32> {
    number(&fs.read_link(&format!("/proc/{pid}/ns/net")).ok()?.to_string_lossy())
}

/// The namespace that the calling thread is in.
pub fn own(fs: &dyn HostFs) -> Option<u32> {
    number(&fs.read_link("/proc/thread-self/ns/net").ok()?.to_string_lossy())
}

/// Every namespace that a process is in, with the first such process.
pub fn namespaces(fs: &dyn HostFs) -> BTreeMap<u32, u32> {
    let mut found = BTreeMap::new();
    for pid in processes(fs) {
        if let Some(net) = of(fs, pid) {
            found.entry(net).or_insert(pid);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::host::HostRoot;
    use crate::host::memory::MemoryHost;

    #[test]
    fn namespaces_are_named_by_their_first_process() {
        let host = MemoryHost::new([
            ("/proc/1/ns/net", "->net:[100]"),
            ("/proc/7/ns/net", "->net:[200]"),
            ("/proc/9/ns/net", "->net:[100]"),
            ("/proc/11/ns/net", "->nonsense"),
        ]);
        assert_eq!(namespaces(&host), [(100, 1), (200, 7)].into());
    }

    #[test]
    fn this_thread_is_in_one_of_them() {
        let host: Arc<dyn HostFs> = Arc::new(HostRoot::live());
        assert_eq!(own(host.as_ref()), of(host.as_ref(), std::process::id()));
    }
}
