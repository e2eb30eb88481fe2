//! Reads what a test binary prints: libtest's result line, and the `SKIP <test>: <reason>` lines of our own tests.
//!
//! libtest has no notion of a test that finds out at run time that it cannot run here; such a test prints a SKIP line
//! and returns, and is counted here as skipped, not as passed. Binaries run with `--show-output`, so that the lines of
//! passing tests are printed; the rest of what those print is dropped.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::AddAssign;

/// Tests counted over any number of binaries.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Totals {
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
}

impl Totals {
    /// A tier in which nothing ran showed nothing: that is a failure, said as one.
    pub fn fail_if_all_skipped(&mut self, tier: &str) {
        if self.passed == 0 && self.failed == 0 && self.skipped > 0 {
            println!("FAILED {tier}: everything skipped, so the tier showed nothing");
            self.failed += 1;
        }
    }
}

impl AddAssign for Totals {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

/// Takes a run's lines one by one; says which are worth showing and what they add up to.
#[derive(Default)]
pub struct Reader {
    in_successes: bool,
    finished: bool,
    counted: Totals,
    skips: BTreeSet<String>,
}

impl Reader {
    /// Whether the line should be shown.
    pub fn line(&mut self, line: &str) -> bool {
        if let Some(skip) = line.strip_prefix("SKIP ") {
            let test = skip.split(':').next().unwrap_or(skip);
            return self.skips.insert(test.trim().to_owned());
        }
        if let Some(counts) = line.strip_prefix("test result: ") {
            self.finished = true;
            self.in_successes = false;
            self.counted += counts_of(counts);
            return true;
        }
        match line {
            "successes:" => self.in_successes = true,
            "failures:" => self.in_successes = false,
            _ => {}
        }
        !(self.in_successes || line.is_empty() || line.starts_with("test ") && line.ends_with(" ... ok"))
    }

    /// The run's totals; a run that ended badly without a result line is one failure.
    pub fn totals(&self, ended_well: bool) -> Totals {
        let skips = self.skips.len();
        let mut totals = self.counted;
        totals.passed = totals.passed.saturating_sub(skips);
        totals.skipped += skips;
        if !ended_well && (!self.finished || totals.failed == 0) {
            totals.failed += 1;
        }
        totals
    }
}

fn counts_of(line: &str) -> Totals {
    let mut totals = Totals::default();
    for part in line.split(&['.', ';']) {
        let mut words = part.split_whitespace();
        let (Some(count), Some(what)) = (words.next().and_then(|word| word.parse::<usize>().ok()), words.next()) else {
            continue;
        };
        match what {
            "passed" => totals.passed = count,
            "failed" => totals.failed = count,
            "ignored" => totals.skipped = count,
            _ => {}
        }
    }
    totals
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str = "
running 4 tests
test a ... ok
test b ... ok
test c ... ignored
test d ... FAILED

successes:

---- b stdout ----
SKIP b: no loop device
noise

successes:
    a
    b

failures:

---- d stdout ----
assertion failed
test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s
";

    #[test]
    fn skip_lines_are_not_passes() {
        let mut reader = Reader::default();
        let shown: Vec<&str> = RUN.lines().filter(|line| reader.line(line)).collect();
        assert_eq!(reader.totals(false), Totals { passed: 1, failed: 1, skipped: 2 });
        assert!(shown.contains(&"SKIP b: no loop device"));
        assert!(shown.contains(&"assertion failed"));
        assert!(!shown.contains(&"noise"));
    }

    #[test]
    fn a_run_that_dies_without_a_result_is_a_failure() {
        let mut reader = Reader::default();
        reader.line("running 4 tests");
        assert_eq!(reader.totals(false), Totals { passed: 0, failed: 1, skipped: 0 });
        assert_eq!(reader.totals(true), Totals::default());
    }
}
