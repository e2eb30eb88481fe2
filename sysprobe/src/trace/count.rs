//! The table of `-c`: calls by the time they took, with what strace's table has and what it has not.

use super::output::call_name;
use crate::probe::CallSum;

/// The table, worst first, with a line of totals.
pub fn table(sums: &[CallSum]) -> String {
    let mut sums: Vec<&CallSum> = sums.iter().collect();
    sums.sort_by_key(|sum| (std::cmp::Reverse(sum.total_ns), sum.nr));
    let all: u64 = sums.iter().map(|s| s.total_ns).sum();
    let mut out = String::from(
        "% time     seconds  usecs/call     calls    errors        p50        p99        max  running runnable  blocked sleeping syscall\n",
    );
    out.push_str(
        "------ ----------- ----------- --------- --------- ---------- ---------- ---------- -------- -------- -------- -------- ----------------\n",
    );
    for sum in &sums {
        let name = call_name(sum.nr);
        let [p50, p99, max] = [sum.percentile_ns(50), sum.percentile_ns(99), sum.max_ns].map(micros);
        out.push_str(&format!("{} {p50:>10} {p99:>10} {max:>10} {} {name}\n", left(sum, all), parts(sum)));
    }
    let mut total = CallSum::default();
    for sum in &sums {
        total.calls += sum.calls;
        total.errors += sum.errors;
        total.total_ns += sum.total_ns;
        total.runnable_ns += sum.runnable_ns;
        total.blocked_ns += sum.blocked_ns;
        total.sleeping_ns += sum.sleeping_ns;
    }
    out.push_str(
        "------ ----------- ----------- --------- --------- ---------- ---------- ---------- -------- -------- -------- -------- ----------------\n",
    );
    out.push_str(&format!("{} {:>32} {} total\n", left(&total, all), "", parts(&total)));
    out.push_str("p50, p99, max in microseconds; running, runnable (waiting for a CPU), blocked (D) and sleeping in % of the call's time\n");
    out
}

/// strace's columns.
fn left(sum: &CallSum, all_ns: u64) -> String {
    let seconds = sum.total_ns as f64 / 1e9;
    let each = (sum.total_ns / sum.calls.max(1)) as f64 / 1e3;
    let errors = if sum.errors > 0 { sum.errors.to_string() } else { String::new() };
    format!("{:6.2} {seconds:11.6} {each:11.1} {:9} {errors:>9}", percent(sum.total_ns, all_ns), sum.calls)
}

/// Where the time went.
fn parts(sum: &CallSum) -> String {
    let waited = sum.runnable_ns + sum.blocked_ns + sum.sleeping_ns;
    let parts = [sum.total_ns.saturating_sub(waited), sum.runnable_ns, sum.blocked_ns, sum.sleeping_ns];
    parts.map(|ns| format!("{:8.1}", percent(ns, sum.total_ns))).join(" ")
}

fn percent(part: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { part as f64 * 100.0 / of as f64 }
}

fn micros(ns: u64) -> String {
    format!("{:.1}", ns as f64 / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_call_comes_first_and_the_totals_add_up() {
        let sum = |nr, calls, total_ns, errors| {
            let mut sum = CallSum::default();
            (sum.nr, sum.calls, sum.total_ns, sum.errors, sum.max_ns) = (nr, calls, total_ns, errors, total_ns);
            sum
        };
        let text = table(&[sum(0, 10, 1_000_000, 0), sum(257, 2, 3_000_000, 1)]);
        let rows: Vec<&str> = text.lines().skip(2).collect();
        assert!(rows[0].ends_with("openat") && rows[0].trim_start().starts_with("75.00"), "{text}");
        assert!(rows[1].ends_with("read"), "{text}");
        let total: Vec<&str> = rows[3].split_ascii_whitespace().collect();
        assert_eq!((total[1], total[3], total[4]), ("0.004000", "12", "1"), "{text}");
    }
}
