//! The counters of a report: `Mem-Info` of the machine, `memory:` and the statistics of a cgroup, v1 and v2.
//!
//! Everything is kept in bytes. Pages are 4 KiB until the report itself shows otherwise (`Usage::set_page`).

/// Limits larger than this are "none": the kernel prints its largest number, rounded to pages.
const UNLIMITED_BYTES: u64 = 1 << 60;

/// What fills the memory, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// Anonymous, resident.
    pub anon: u64,
    /// Page cache without shared memory.
    pub file: u64,
    /// Dirty or under write-back, part of `file`.
    pub dirty: u64,
    /// Shared memory and tmpfs.
    pub shmem: u64,
    /// Slab.
    pub slab: u64,
    /// Other kernel memory.
    pub kernel: u64,
    /// Huge pages set aside.
    pub hugetlb: u64,
}

/// The counters as printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The cgroup's usage.
    pub usage: Option<u64>,
    /// The cgroup's limit.
    pub limit: Option<u64>,
    /// The cgroup's swap usage (v2), or memory and swap together (v1, see `swap_is_sum`).
    pub swap_usage: Option<u64>,
    /// The limit of that.
    pub swap_limit: Option<u64>,
    /// Whether the two above count memory and swap together.
    pub swap_is_sum: bool,
    /// The cgroup's kernel memory.
    pub kmem: Option<u64>,
    /// Statistics of the cgroup by name, bytes.
    stats: Vec<(String, u64)>,
    /// Counters of the machine by name, pages.
    pages: Vec<(String, u64)>,
    /// Kernel stacks of all nodes.
    kernel_stack: u64,
    /// Huge pages of all nodes and sizes.
    hugetlb: u64,
    /// Free and total swap of the machine.
    pub swap_free: Option<u64>,
    /// Total swap of the machine.
    pub swap_total: Option<u64>,
    ram_pages: Option<u64>,
    reserved_pages: Option<u64>,
    page: u64,
}

impl Usage {
    /// Bytes of a page.
    pub fn page(&self) -> u64 {
        if self.page == 0 { 4096 } else { self.page }
    }

    /// Sets the size of a page once the report shows it.
    pub fn set_page(&mut self, bytes: u64) {
        self.page = bytes;
    }

    /// Memory the kernel manages.
    pub fn ram(&self) -> Option<u64> {
        Some(self.ram_pages?.saturating_sub(self.reserved_pages.unwrap_or(0)) * self.page())
    }

    /// Free memory of the machine.
    pub fn free(&self) -> Option<u64> {
        Some(self.counter("free")? * self.page())
    }

    /// Whether any counter says what fills the memory.
    pub fn known(&self) -> bool {
        !self.stats.is_empty() || self.counter("active_anon").is_some()
    }

    /// Takes one line when it is one of the counters'. `in_stats` says that the lines of a v2 cgroup follow.
    pub fn take(&mut self, text: &str, in_stats: bool) -> bool {
        self.take_limits(text) || self.take_machine(text) || (in_stats && self.take_stats(text))
    }

    fn take_limits(&mut self, text: &str) -> bool {
        let Some((name, rest)) = text.split_once(": usage ") else { return false };
        let usage = leading_kb(rest);
        let limit = rest.split_once("limit ").and_then(|(_, l)| leading_kb(l)).filter(|l| *l < UNLIMITED_BYTES);
        match name.trim() {
            "memory" => (self.usage, self.limit) = (usage, limit),
            "memory+swap" => (self.swap_usage, self.swap_limit, self.swap_is_sum) = (usage, limit, true),
            "swap" => (self.swap_usage, self.swap_limit) = (usage, limit),
            "kmem" => self.kmem = usage,
            _ => return false,
        }
        true
    }

    fn take_machine(&mut self, text: &str) -> bool {
        if let Some(rest) = text.strip_prefix("Node ") {
            return self.take_node(rest);
        }
        if let Some(kb) = text.strip_prefix("Free swap").map(|t| t.trim_start_matches([' ', '='])) {
            self.swap_free = leading_kb(kb);
            return true;
        }
        if let Some(kb) = text.strip_prefix("Total swap").map(|t| t.trim_start_matches([' ', '='])) {
            self.swap_total = leading_kb(kb);
            return true;
        }
        let pages = |suffix: &str| text.strip_suffix(suffix).and_then(|n| n.trim().parse::<u64>().ok());
        if let Some(ram) = pages(" pages RAM") {
            self.ram_pages = Some(ram);
            return true;
        }
        if let Some(reserved) = pages(" pages reserved") {
            self.reserved_pages = Some(reserved);
            return true;
        }
        // `active_anon:416825 inactive_anon:1538 isolated_anon:0`, in pages, on several lines.
        let counters = text.contains("_anon:")
            || text.starts_with("unevictable:")
            || text.starts_with("slab_reclaimable:")
            || text.starts_with("mapped:")
            || text.starts_with("free:")
            || text.starts_with("active_file:")
            || text.starts_with("sec_pagetables:")
            || text.starts_with("pagetables:");
        if !counters || text.contains("kB") || text.contains("KB") || self.pages.len() > 128 {
            return false;
        }
        for word in text.split_ascii_whitespace() {
            if let Some((name, value)) = word.split_once(':')
                && let Ok(value) = value.parse()
            {
                self.pages.push((name.to_owned(), value));
            }
        }
        true
    }

    /// `Node 0 .. kernel_stack:10592kB ..` and `Node 0 hugepages_total=0 .. hugepages_size=2048kB`.
    fn take_node(&mut self, rest: &str) -> bool {
        if let Some(total) = number_behind(rest, "hugepages_total=") {
            self.hugetlb +=
                total.saturating_mul(number_behind(rest, "hugepages_size=").unwrap_or(0)).saturating_mul(1024);
            return true;
        }
        let zone = ["DMA", "Normal", "HighMem", "Movable", "Device"].iter().any(|z| rest.contains(z));
        // Nodes sum their zones: count either, never both. Before 4.8 only zones print it.
        if zone && self.node_stacks_known() {
            return true;
        }
        self.kernel_stack += number_behind(rest, "kernel_stack:").unwrap_or(0) * 1024;
        if !zone && rest.contains("kernel_stack:") {
            self.pages.push(("node_stacks".to_owned(), 1));
        }
        true
    }

    fn node_stacks_known(&self) -> bool {
        self.counter("node_stacks").is_some()
    }

    /// v1: `cache:0KB rss:305804KB ..` on one line; v2: `anon 0` a line, or all of them on one.
    fn take_stats(&mut self, text: &str) -> bool {
        let mut words = text.split_ascii_whitespace();
        let mut any = false;
        while let Some(word) = words.next() {
            if self.stats.len() > 256 {
                break;
            }
            if let Some((name, value)) = word.split_once(':') {
                if let Some(kb) = value.strip_suffix("KB").and_then(|v| v.parse::<u64>().ok()) {
                    self.stats.push((name.to_owned(), kb.saturating_mul(1024)));
                    any = true;
                }
                continue;
            }
            let named = word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_' || b.is_ascii_digit());
            let value = words.next().and_then(|v| v.parse::<u64>().ok());
            let (true, Some(value)) = (named, value) else { break };
            self.stats.push((word.to_owned(), value));
            any = true;
        }
        any
    }

    fn stat(&self, name: &str) -> Option<u64> {
        self.stats.iter().find(|(n, _)| n == name).map(|(_, v)| *v)
    }

    fn counter(&self, name: &str) -> Option<u64> {
        self.pages.iter().find(|(n, _)| n == name).map(|(_, v)| *v)
    }

    /// What fills the cgroup, or the machine when the report is of no cgroup.
    pub fn split(&self) -> Option<Split> {
        if self.stats.is_empty() { self.machine_split() } else { Some(self.cgroup_split()) }
    }

    fn cgroup_split(&self) -> Split {
        // Version 1 prints a cgroup's own counters, and `total_` ones with its children, which the limit is on.
        let of = |name: &str| self.stat(&format!("total_{name}")).or(self.stat(name));
        let get = |name: &str| of(name).unwrap_or(0);
        let v1 = self.stat("cache").is_some() || self.stat("rss").is_some();
        let (anon, cache) = if v1 { (get("rss"), get("cache")) } else { (get("anon"), get("file")) };
        // Before 4.19 v1 does not print shmem: it is what sits on the anonymous lists without being anonymous.
        let lists = get("inactive_anon") + get("active_anon");
        let shmem = of("shmem").unwrap_or_else(|| if v1 { lists.saturating_sub(anon).min(cache) } else { 0 });
        let slab = self.stat("slab").unwrap_or(get("slab_reclaimable") + get("slab_unreclaimable"));
        let parts = get("kernel_stack")
            + get("pagetables")
            + get("sec_pagetables")
            + get("percpu")
            + get("sock")
            + get("vmalloc");
        let kernel_all = self.stat("kernel").or(self.kmem).unwrap_or(parts + slab).max(parts);
        let mut split = Split {
            anon,
            file: cache.saturating_sub(shmem),
            dirty: get("file_dirty") + get("file_writeback") + get("dirty") + get("writeback"),
            shmem,
            slab,
            kernel: kernel_all.saturating_sub(slab),
            hugetlb: get("hugetlb"),
        };
        // What the limit counts and no counter shows is the kernel's.
        let seen = split.anon + split.file + split.shmem + split.slab + split.kernel;
        let unseen = self.usage.unwrap_or(0).saturating_sub(seen);
        if !v1
            && unseen > self.usage.unwrap_or(0) / 2
            && get("swapcached") < unseen
            && get("inactive_anon") < unseen / 2
        {
            split.kernel += unseen;
        }
        split
    }

    fn machine_split(&self) -> Option<Split> {
        let page = self.page();
        let bytes = |name: &str| self.counter(name).unwrap_or(0) * page;
        self.counter("active_anon")?;
        let shmem = bytes("shmem");
        let anon_lists = bytes("active_anon") + bytes("inactive_anon") + bytes("isolated_anon");
        let mut split = Split {
            anon: anon_lists.saturating_sub(shmem),
            file: bytes("active_file") + bytes("inactive_file") + bytes("isolated_file"),
            dirty: bytes("dirty") + bytes("writeback"),
            shmem,
            slab: bytes("slab_reclaimable") + bytes("slab_unreclaimable"),
            kernel: bytes("pagetables") + bytes("sec_pagetables") + self.kernel_stack,
            hugetlb: self.hugetlb,
        };
        let seen = split.anon + split.file + shmem + split.slab + split.kernel + split.hugetlb;
        let apart = bytes("free") + bytes("free_pcp") + bytes("unevictable") + bytes("bounce");
        // Pages that no counter shows belong to drivers, vmalloc, or a leak.
        split.kernel += self.ram().unwrap_or(0).saturating_sub(seen + apart);
        Some(split)
    }
}

fn number_behind(text: &str, key: &str) -> Option<u64> {
    let (_, rest) = text.split_once(key)?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    rest.get(..digits)?.parse().ok()
}

/// `307112kB` in bytes.
pub fn leading_kb(text: &str) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text.get(..digits)?.parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unlimited_limit_is_none() {
        let mut usage = Usage::default();
        assert!(usage.take("memory+swap: usage 0kB, limit 9007199254740988kB, failcnt 0", false));
        assert!(usage.take("memory: usage 307112kB, limit 307200kB, failcnt 35982", false));
        assert_eq!((usage.limit, usage.swap_limit), (Some(307_200 * 1024), None));
    }

    #[test]
    fn shared_memory_of_old_kernels_is_found_on_the_anonymous_lists() {
        let mut usage = Usage::default();
        usage.take(
            "cache:101728KB rss:672KB mapped_file:101728KB swap:0KB inactive_anon:101712KB active_anon:600KB",
            true,
        );
        let split = usage.split().expect("counters");
        assert!(split.shmem > 99_000 * 1024 && split.file < 1024 * 1024, "{split:?}");
    }

    #[test]
    fn pages_no_counter_shows_are_the_kernels() {
        let mut usage = Usage::default();
        usage.take("active_anon:1000 inactive_anon:0 isolated_anon:0", false);
        usage.take("free:1000 free_pcp:0 free_cma:0", false);
        usage.take("1000000 pages RAM", false);
        assert!(usage.split().expect("counters").kernel > 900_000 * 4096);
    }
}
