//! The task dump of a report, in whatever columns the kernel printed.
//!
//! The header names the columns; rows are read by it, the command name being whatever is left. Large dumps are kept up
//! to a bound, the largest processes first.

/// Rows kept; what is smaller than all of them is only counted.
const MAX_ROWS: usize = 16_384;

/// One process of the dump. Sizes in pages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The process id.
    pub pid: u32,
    /// The command name.
    pub comm: String,
    /// Address space.
    pub total_vm: u64,
    /// Resident.
    pub rss: u64,
    /// Resident anonymous memory, where printed (6.x).
    pub rss_anon: Option<u64>,
    /// Resident file pages.
    pub rss_file: Option<u64>,
    /// Resident shared memory.
    pub rss_shmem: Option<u64>,
    /// Resident on the nodes in question (patched kernels).
    pub node_rss: Option<u64>,
    /// In swap.
    pub swap: u64,
    /// The score adjustment.
    pub oom_score_adj: Option<i32>,
}

impl Row {
    /// What the process holds: resident and in swap, or on the nodes in question. Pages.
    pub fn held(&self) -> u64 {
        self.node_rss.unwrap_or(self.rss + self.swap)
    }
}

/// The dump.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    columns: Vec<Column>,
    /// The processes.
    pub rows: Vec<Row>,
    /// Processes not kept in `rows`.
    pub dropped: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    TotalVm,
    Rss,
    RssAnon,
    RssFile,
    RssShmem,
    NodeRss,
    Swap,
    Adj,
    Other,
}

impl Table {
    /// Takes the header of a dump: `[ pid ]   uid  tgid total_vm      rss nr_ptes swapents oom_score_adj name`.
    pub fn take_header(&mut self, text: &str) -> bool {
        let Some((first, rest)) = text.strip_prefix('[').and_then(|t| t.split_once(']')) else { return false };
        if first.trim() != "pid" {
            return false;
        }
        self.columns = rest.split_ascii_whitespace().filter(|w| *w != "name").map(column).collect();
        true
    }

    /// Takes a row.
    pub fn take_row(&mut self, text: &str) -> bool {
        if self.columns.is_empty() {
            return false;
        }
        let Some((first, mut rest)) = text.strip_prefix('[').and_then(|t| t.split_once(']')) else { return false };
        let Ok(pid) = first.trim().parse() else { return false };
        let mut row = Row { pid, ..Row::default() };
        for column in &self.columns {
            rest = rest.trim_start();
            let end = rest.find(' ').unwrap_or(rest.len());
            let (word, tail) = rest.split_at_checked(end).unwrap_or((rest, ""));
            rest = tail;
            let number = word.parse::<u64>().ok();
            match column {
                Column::TotalVm => row.total_vm = number.unwrap_or(0),
                Column::Rss => row.rss = number.unwrap_or(0),
                Column::RssAnon => row.rss_anon = number,
                Column::RssFile => row.rss_file = number,
                Column::RssShmem => row.rss_shmem = number,
                Column::NodeRss => row.node_rss = number,
                Column::Swap => row.swap = number.unwrap_or(0),
                Column::Adj => row.oom_score_adj = word.parse().ok(),
                Column::Other => {}
            }
        }
        row.comm = rest.trim().chars().take(64).collect();
        self.keep(row);
        true
    }

    fn keep(&mut self, row: Row) {
        if self.rows.len() < MAX_ROWS {
            self.rows.push(row);
            return;
        }
        self.dropped += 1;
        // Rare enough that a scan is fine: more than 16k processes in one dump.
        if let Some(smallest) = self.rows.iter_mut().min_by_key(|r| r.held())
            && smallest.held() < row.held()
        {
            *smallest = row;
        }
    }

    /// The row of a process.
    pub fn find(&self, pid: u32) -> Option<&Row> {
        self.rows.iter().find(|row| row.pid == pid)
    }

    /// Rows by what they hold, largest first.
    pub fn ranked(&self) -> Vec<&Row> {
        let mut rows: Vec<&Row> = self.rows.iter().collect();
        rows.sort_by(|a, b| b.held().cmp(&a.held()).then(a.pid.cmp(&b.pid)));
        rows
    }
}

fn column(name: &str) -> Column {
    match name {
        "total_vm" => Column::TotalVm,
        "rss" => Column::Rss,
        "rss_anon" => Column::RssAnon,
        "rss_file" => Column::RssFile,
        "rss_shmem" => Column::RssShmem,
        "swapents" => Column::Swap,
        "oom_score_adj" => Column::Adj,
        nodes if nodes.ends_with("nrss") => Column::NodeRss,
        _ => Column::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_every_layout_are_read_by_their_names() {
        for (header, row) in [
            (
                "[ pid ]   uid  tgid total_vm      rss cpu oom_adj oom_score_adj name",
                "[  7]  0  7  100  50  1  0  -17 a b",
            ),
            (
                "[ pid ]   uid  tgid total_vm      rss nr_ptes swapents oom_score_adj name",
                "[  7]  0  7  100  50  1  0  -17 a b",
            ),
            (
                "[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name",
                "[  7]  0  7  100  50  1  0  -17 a b",
            ),
            (
                "[  pid  ]   uid  tgid total_vm      rss rss_anon rss_file rss_shmem pgtables_bytes swapents oom_score_adj name",
                "[  7]  0  7  100  50 30 20 0  1  0  -17 a b",
            ),
        ] {
            let mut table = Table::default();
            assert!(table.take_header(header) && table.take_row(row), "{header}");
            let row = table.find(7).expect("the row");
            assert_eq!(
                (row.total_vm, row.rss, row.oom_score_adj, row.comm.as_str()),
                (100, 50, Some(-17), "a b"),
                "{header}"
            );
        }
    }
}
