//! The books of a trace: everything seen is shown, left out on request, summed or lost, and each is counted.

use sysprobe_common::loss::Counter;

use crate::probe::{CallSums, Counters};

/// Counts at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Calls that ended (or were cut short by a thread's end).
    pub seen: u64,
    /// Calls that reached user space.
    pub delivered: u64,
    /// Of those, not shown (`-e` on a call outside the x86-64 table).
    pub hidden: u64,
    /// Calls left out by `--failed` and `--slower`.
    pub filtered: u64,
    /// Calls summed by `-c`.
    pub aggregated: u64,
    /// Calls lost for want of room.
    pub lost: u64,
    /// Births, execs, ends and signals lost.
    pub tasks_lost: u64,
    /// File names lost.
    pub files_lost: u64,
    /// Children not followed: too many.
    pub unfollowed: u64,
    /// Records that could not be decoded.
    pub malformed: u64,
}

impl Totals {
    /// Takes the kernel's counters and sums in.
    pub fn read(&mut self, counters: &Counters, sums: &CallSums) {
        self.seen = counters.get(Counter::CallsSeen);
        self.filtered = counters.get(Counter::CallsFiltered);
        self.aggregated = sums.calls();
        self.lost = counters.get(Counter::CallsLost);
        self.files_lost = counters.get(Counter::FilesLost);
        self.tasks_lost = counters.get(Counter::TasksLost) + counters.get(Counter::SignalsLost);
        self.unfollowed = counters.get(Counter::TasksUnfollowed);
    }

    /// The one-line summary: the books, and whether they balance.
    pub fn line(&self) -> String {
        let mut parts = Vec::new();
        let shown = self.delivered - self.hidden;
        for (count, what) in [
            (shown, "shown"),
            (self.aggregated, "summed"),
            (self.filtered + self.hidden, "filtered"),
            (self.lost, "lost"),
        ] {
            if count > 0 || what == "lost" {
                parts.push(format!("{count} {what}"));
            }
        }
        let mut line = format!("{} calls = {}", self.seen, parts.join(" + "));
        let accounted = self.delivered + self.aggregated + self.filtered + self.lost;
        if accounted != self.seen {
            line.push_str(&format!(" ({} not accounted for)", self.seen.abs_diff(accounted)));
        }
        for (count, what) in [
            (self.tasks_lost, "task events lost"),
            (self.files_lost, "file names lost"),
            (self.unfollowed, "children not followed (too many)"),
            (self.malformed, "malformed records"),
        ] {
            if count > 0 {
                line.push_str(&format!("; {count} {what}"));
            }
        }
        if self.lost > 0 {
            line.push_str("; more room: --buffer, fewer calls: -e");
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_balances_or_says_that_it_does_not() {
        let mut totals = Totals { seen: 10, delivered: 6, filtered: 3, lost: 1, ..Totals::default() };
        assert_eq!(totals.line(), "10 calls = 6 shown + 3 filtered + 1 lost; more room: --buffer, fewer calls: -e");
        totals.delivered = 5;
        assert!(totals.line().contains("1 not accounted for"));
        let quiet = Totals { seen: 2, aggregated: 2, ..Totals::default() };
        assert_eq!(quiet.line(), "2 calls = 2 summed + 0 lost");
    }
}
