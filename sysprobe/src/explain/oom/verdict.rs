//! What a report means: whose limit, what fills the memory, who holds it, and whether the victim was to blame.
//!
//! The trigger is only the one who asked last; the limit is often a parent's; resident memory is not all (swap, shared
//! memory, another node); and where the kernel itself holds the memory no process is to blame. What the text does not
//! show stays unknown.

use super::{Dominant, Report, Row, Scope, Split, Table, Trigger, Victim};

/// The shares below which a victim does not explain a shortage, percent.
const SMALL_SHARE_PCT: u64 = 20;
/// Candidates listed.
const MAX_CANDIDATES: usize = 10;

/// A process that could have been chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The process id.
    pub pid: u32,
    /// The command name.
    pub comm: String,
    /// Resident memory.
    pub rss_bytes: u64,
    /// Memory in swap.
    pub swap_bytes: u64,
    /// The score adjustment.
    pub oom_score_adj: Option<i32>,
}

/// The verdict on one kill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whose memory ran out.
    pub scope: Scope,
    /// The cgroup whose limit was hit.
    pub memcg: Option<String>,
    /// Its limit.
    pub limit_bytes: Option<u64>,
    /// Its usage.
    pub usage_bytes: Option<u64>,
    /// Who asked for memory.
    pub trigger: Option<Trigger>,
    /// Who was killed.
    pub victim: Option<Victim>,
    /// What fills the memory.
    pub dominant: Option<Dominant>,
    /// Who holds the most, largest first.
    pub candidates: Vec<Candidate>,
    /// Whether the victim held the most.
    pub largest: Option<bool>,
    /// Whether the victim is not to blame.
    pub innocent: Option<bool>,
    /// Why, in words.
    pub why: String,
    /// What else misleads or matters here.
    pub notes: Vec<String>,
}

/// Judges a report.
pub fn judge(report: &Report) -> Verdict {
    let mut report = report.clone();
    learn_page_size(&mut report);
    let page = report.usage.page();
    let scope = scope(&report);
    let victim = report.victim.as_ref().map(|v| complete(v, &report.table, page, &report));
    let split = counters(&report, scope, page);
    let dominant = if scope == Scope::Manual { None } else { dominant(&report, split, victim.as_ref(), page) };
    let ranked = report.table.ranked();
    let row = victim.as_ref().and_then(|v| report.table.find(v.pid));
    let largest = row.map(|row| ranked.first().is_some_and(|first| first.held() <= row.held()));
    let (innocent, why) = blame(&report, scope, dominant, split, victim.as_ref(), row, largest, page);
    Verdict {
        scope,
        memcg: report.memcg.clone(),
        limit_bytes: report.usage.limit,
        usage_bytes: report.usage.usage,
        trigger: report.trigger.clone(),
        dominant,
        candidates: ranked.iter().take(MAX_CANDIDATES).map(|row| candidate(row, page)).collect(),
        largest,
        innocent,
        why,
        notes: notes(&report, scope, victim.as_ref(), split, page),
        victim,
    }
}

/// Report lines in kB over the dump's pages give the size of a page (64 KiB on some arm64 and ppc64 kernels).
fn learn_page_size(report: &mut Report) {
    let Some(victim) = &report.victim else { return };
    let Some(row) = report.table.find(victim.pid) else { return };
    let Some(bytes) = victim.total_vm_bytes.filter(|_| row.total_vm > 0) else { return };
    let page = bytes / row.total_vm;
    if bytes % row.total_vm == 0 && [4096, 16_384, 65_536].contains(&page) {
        report.usage.set_page(page);
    }
}

fn scope(report: &Report) -> Scope {
    report.scope.unwrap_or(if report.memcg.is_some() || report.usage.limit.is_some() {
        Scope::Memcg
    } else {
        Scope::Global
    })
}

/// The victim with what the dump adds to the kill line.
fn complete(victim: &Victim, table: &Table, page: u64, report: &Report) -> Victim {
    let mut victim = victim.clone();
    if let Some(row) = table.find(victim.pid) {
        victim.swap_bytes = Some(row.swap * page);
        victim.oom_score_adj = victim.oom_score_adj.or(row.oom_score_adj);
        victim.total_vm_bytes = victim.total_vm_bytes.or(Some(row.total_vm * page));
        victim.anon_rss_bytes = victim.anon_rss_bytes.or(row.rss_anon.map(|p| p * page));
        victim.file_rss_bytes = victim.file_rss_bytes.or(row.rss_file.map(|p| p * page));
        victim.shmem_rss_bytes = victim.shmem_rss_bytes.or(row.rss_shmem.map(|p| p * page));
    }
    let triggered = report.trigger.as_ref().is_some_and(|t| t.pid == Some(victim.pid));
    if triggered {
        victim.oom_score_adj = victim.oom_score_adj.or(report.trigger_adj);
    }
    victim
}

/// The counters, with swap of the cgroup's tasks added to anonymous memory.
fn counters(report: &Report, scope: Scope, page: u64) -> Option<Split> {
    if scope == Scope::Memcg && !report.usage.known() {
        return None;
    }
    let mut split = report.usage.split()?;
    if scope == Scope::Memcg {
        split.anon += report.table.rows.iter().map(|row| row.swap * page).sum::<u64>();
    }
    Some(split)
}

fn dominant(report: &Report, split: Option<Split>, victim: Option<&Victim>, page: u64) -> Option<Dominant> {
    if let Some(s) = split {
        let kinds = [
            (s.anon, Dominant::Anon),
            (s.file, Dominant::File),
            (s.shmem, Dominant::Shmem),
            (s.slab, Dominant::Slab),
            (s.kernel, Dominant::Kernel),
            (s.hugetlb, Dominant::Hugetlb),
        ];
        return kinds.iter().max_by_key(|(bytes, _)| *bytes).filter(|(bytes, _)| *bytes > 0).map(|(_, kind)| *kind);
    }
    // No counters: kernel memory against the rest of the cgroup's usage, and the victim's own split.
    let usage = report.usage.usage.unwrap_or(0);
    if usage > 0 && report.usage.kmem.unwrap_or(0) > usage / 2 {
        return Some(Dominant::Kernel);
    }
    let victim = victim?;
    let row = report.table.find(victim.pid);
    let swap = row.map_or(0, |r| r.swap * page);
    let anon = victim.anon_rss_bytes.unwrap_or(0);
    let shmem = victim.shmem_rss_bytes.unwrap_or(0);
    // Mapped files are charged to whoever read them first: they count only if they fit under the limit.
    let file = victim.file_rss_bytes.filter(|f| usage == 0 || *f <= usage).unwrap_or(0);
    let largest = anon.max(shmem).max(file);
    let decides = largest > 0 && (largest >= 1 << 20 || usage > 0);
    match () {
        () if !decides && swap < (64 << 20) => None,
        () if swap >= largest || anon == largest => Some(Dominant::Anon),
        () if shmem == largest => Some(Dominant::Shmem),
        () => Some(Dominant::File),
    }
}

#[expect(
    clippy::too_many_arguments,
    reason = "all of them are facts of one report, and only this function weighs them"
)]
fn blame(
    report: &Report,
    scope: Scope,
    dominant: Option<Dominant>,
    split: Option<Split>,
    victim: Option<&Victim>,
    row: Option<&Row>,
    largest: Option<bool>,
    page: u64,
) -> (Option<bool>, String) {
    let Some(victim) = victim else {
        let words = if report.panic {
            "the kernel panicked instead of killing a process"
        } else if report.nothing_killable {
            "no process could be killed: all that are left are protected (oom_score_adj -1000) or are kernel threads"
        } else {
            "the report ends before it names a victim"
        };
        return (None, words.to_owned());
    };
    if scope == Scope::Manual {
        return (
            Some(true),
            "somebody asked the kernel to kill a process (sysrq-f): memory need not have been short".to_owned(),
        );
    }
    let held = victim.rss_bytes().unwrap_or(0) + victim.swap_bytes.unwrap_or(0);
    match (dominant, split) {
        (Some(Dominant::Slab | Dominant::Kernel), _) => {
            return (
                Some(true),
                "the kernel itself holds the memory (slab, page tables, vmalloc or a leak): no process is to blame"
                    .to_owned(),
            );
        }
        (Some(Dominant::Hugetlb), _) => {
            return (Some(true), "huge pages set aside hold the memory: no process can give it back".to_owned());
        }
        (Some(Dominant::File), Some(split)) => {
            let dirty = split.dirty * 2 > split.file;
            let why = if dirty {
                format!(
                    "page cache holds the memory, {} of it dirty: the disk cannot write it as fast as it is dirtied",
                    bytes(split.dirty)
                )
            } else {
                "page cache holds the memory, which the kernel could not reclaim: no process is to blame".to_owned()
            };
            return (Some(true), why);
        }
        (Some(Dominant::Shmem), Some(split)) => {
            // Before 4.5 shared memory is printed as file-rss.
            let mapped = victim.shmem_rss_bytes.or(victim.file_rss_bytes).unwrap_or(0);
            if mapped * 2 < split.shmem {
                let why = format!(
                    "shared memory or tmpfs files hold {}, and the victim maps {} of it",
                    bytes(split.shmem),
                    bytes(mapped)
                );
                return (Some(true), why);
            }
            return (Some(false), format!("it maps {} of the shared memory that fills the limit", bytes(mapped)));
        }
        _ => {}
    }
    if dominant.is_none() && held < 16 << 20 && report.table.rows.len() <= 1 && row.is_some() {
        return (None, "the text does not show what held the memory".to_owned());
    }
    let Some(row) = row else {
        return match &report.trigger {
            Some(trigger) if trigger.comm == victim.comm => {
                (Some(false), "it asked for the memory that was not there, and the text names nobody else".to_owned())
            }
            _ if held > 0 && report.usage.limit.is_some_and(|limit| held * 2 > limit) => (
                Some(false),
                format!("it held {} of the limit of {}", bytes(held), bytes(report.usage.limit.unwrap_or(0))),
            ),
            _ => (None, "the text has no task dump to compare the victim with".to_owned()),
        };
    };
    if largest == Some(false) {
        return not_the_largest(report, scope, victim, row, page);
    }
    the_largest(report, row, held, page)
}

/// Somebody held more: was that one protected, on another node, or only barely larger?
fn not_the_largest(report: &Report, scope: Scope, victim: &Victim, row: &Row, page: u64) -> (Option<bool>, String) {
    let Some(first) = report.table.ranked().first().copied().cloned() else { return (None, String::new()) };
    let more = format!(
        "{}[{}] held {}, the victim {}",
        first.comm,
        first.pid,
        bytes(first.held() * page),
        bytes(row.held() * page)
    );
    if matches!(scope, Scope::Cpuset | Scope::Mempolicy) && row.node_rss.is_none() {
        return (None, format!("{more}, but the dump does not say on which nodes"));
    }
    let adj = victim.oom_score_adj.unwrap_or(0);
    if row.held().saturating_mul(2) > first.held() {
        return (Some(false), format!("it was among the largest: {more}"));
    }
    let why = if adj > 0 {
        format!("{more}; it was chosen for its oom_score_adj of {adj}")
    } else if first.oom_score_adj.unwrap_or(0) < adj {
        format!("{more}, and is protected by its oom_score_adj of {}", first.oom_score_adj.unwrap_or(0))
    } else if report.chosen.is_some() {
        format!("{more}; as a child of the chosen process it was sacrificed first")
    } else {
        more
    };
    (Some(true), why)
}

/// Nobody held more: then it is to blame, unless many small ones of another program together filled the memory.
fn the_largest(report: &Report, row: &Row, held: u64, page: u64) -> (Option<bool>, String) {
    let total: u64 = report.table.rows.iter().map(Row::held).sum::<u64>().max(1);
    let share = row.held().saturating_mul(100) / total;
    let (comm, count, sum) = largest_program(&report.table);
    if share < SMALL_SHARE_PCT && count > 1 && sum > row.held().saturating_mul(2) {
        let many = format!("{count} processes of {comm} hold {} together", bytes(sum * page));
        if comm == row.comm {
            return (Some(false), format!("no single culprit: {many}, the victim {}", bytes(row.held() * page)));
        }
        return (Some(true), format!("the largest single process, but with only {share} % of it: {many}"));
    }
    let held = held.max(row.held() * page);
    (Some(false), format!("it held the most: {} of the {} of all listed processes", bytes(held), bytes(total * page)))
}

/// The program whose processes hold the most together: name, processes, pages.
fn largest_program(table: &Table) -> (String, usize, u64) {
    let mut rows: Vec<&Row> = table.rows.iter().collect();
    rows.sort_by(|a, b| a.comm.cmp(&b.comm));
    rows.chunk_by(|a, b| a.comm == b.comm)
        .map(|same| {
            (same.first().map_or(String::new(), |r| r.comm.clone()), same.len(), same.iter().map(|r| r.held()).sum())
        })
        .max_by_key(|(_, _, sum)| *sum)
        .unwrap_or_default()
}

fn notes(report: &Report, scope: Scope, victim: Option<&Victim>, split: Option<Split>, page: u64) -> Vec<String> {
    let mut notes = Vec::new();
    if let (Some(limit), Some(own)) = (&report.memcg, &report.task_memcg)
        && own != limit
        && own.starts_with(limit.as_str())
        && scope == Scope::Memcg
    {
        notes.push(format!("the limit is on a parent of the victim's cgroup {own}"));
    }
    if let (Some(trigger), Some(victim)) = (&report.trigger, victim)
        && trigger.pid != Some(victim.pid)
        && trigger.comm != victim.comm
        && scope != Scope::Manual
    {
        notes.push(format!("{} only asked for memory at that moment; that does not make it the cause", trigger.comm));
    }
    if let (Some(free), Some(total)) = (report.usage.swap_free, report.usage.swap_total) {
        if total == 0 && scope == Scope::Global {
            notes.push("there is no swap".to_owned());
        } else if free < total / 50 && scope == Scope::Global {
            notes.push(format!("swap is full ({} of {} free)", bytes(free), bytes(total)));
        }
    }
    if let Some(swap) = victim.and_then(|v| v.swap_bytes).filter(|s| *s > 1 << 20) {
        notes
            .push(format!("{} of the victim's memory was in swap, which its resident size does not show", bytes(swap)));
    }
    if report.group {
        notes.push(format!("memory.oom.group: the whole cgroup was killed, {} processes", report.others.len() + 1));
    }
    if let Some((pid, comm)) = report.chosen.as_ref().filter(|_| victim.is_some()) {
        notes.push(format!("{comm}[{pid}] was chosen; a child of it was killed in its place"));
    }
    if let Some(order) = report.trigger.as_ref().and_then(|t| t.order).filter(|o| *o > 3) {
        notes.push(format!(
            "the allocation wanted {} in one piece (order {order}): memory may be fragmented rather than used up",
            bytes(page << order.min(20))
        ));
    }
    if let Some(free) = report.usage.free().filter(|_| scope == Scope::Manual) {
        notes.push(format!("{} were free", bytes(free)));
    }
    if matches!(scope, Scope::Cpuset | Scope::Mempolicy)
        && let Some(nodes) = &report.nodes
    {
        notes.push(format!("only memory of node {nodes} was allowed; other nodes may have had plenty"));
    }
    if let Some(split) = split.filter(|s| s.slab > 1 << 30 && s.slab > (s.anon + s.file + s.shmem) / 5) {
        notes.push(format!("slab holds {}", bytes(split.slab)));
    }
    notes
}

fn candidate(row: &Row, page: u64) -> Candidate {
    Candidate {
        pid: row.pid,
        comm: row.comm.clone(),
        rss_bytes: row.rss * page,
        swap_bytes: row.swap * page,
        oom_score_adj: row.oom_score_adj,
    }
}

/// A size for people: three digits and a binary unit.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let name = UNITS.get(unit).copied().unwrap_or("B");
    if unit == 0 || value >= 100.0 { format!("{value:.0} {name}") } else { format!("{value:.1} {name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_like_people_say_them() {
        for (count, text) in [(0, "0 B"), (4096, "4.0 KiB"), (307_200 * 1024, "300 MiB"), (9_234_320 * 1024, "8.8 GiB")]
        {
            assert_eq!(bytes(count), text);
        }
    }
}
