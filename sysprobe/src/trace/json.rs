//! A trace as records of schema v1.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::enrich::{ExecFacts, ProcessCache, ProcessReader};
use crate::event::{CallEnd, Syscall, TaskExec, TaskFork};
use crate::host::HostRoot;
use crate::probe::{CallSum, SelfCost};
use crate::record::{
    Body, LossRecord, ProbeCost, RecordWriter, SummaryRecord, SyscallFields, SyscallSummaryRecord, SyscallWriter, Wait,
    WallClock,
};
use crate::syscall::files::FileNames;
use crate::syscall::text::LineWriter;
use crate::syscall::{errno, table};

use super::label::monotonic_ns;
use super::totals::Totals;

/// Writes records.
pub struct JsonWriter {
    clock: WallClock,
    calls: SyscallWriter,
    records: RecordWriter,
    processes: ProcessCache,
    /// The arguments' texts of one call, one after the other, and where each ends.
    args: String,
    ends: Vec<usize>,
}

impl JsonWriter {
    /// A writer for this host.
    pub fn new() -> Self {
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        Self {
            clock: WallClock::now(),
            calls: SyscallWriter::new(&host),
            records: RecordWriter::new(&host),
            processes: ProcessCache::new(ProcessReader::new(Arc::new(HostRoot::live()), true)),
            args: String::new(),
            ends: Vec::new(),
        }
    }

    /// Appends a call's record.
    pub fn call(&mut self, out: &mut Vec<u8>, call: &Syscall<'_>, names: &FileNames, lines: &mut LineWriter) {
        self.args.clear();
        self.ends.clear();
        let Self { args, ends, .. } = self;
        lines.write_args(call, names, &mut |_, text| {
            args.push_str(&String::from_utf8_lossy(text));
            ends.push(args.len());
        });
        let (ret, errno) = match call.end {
            // As the caller saw it: -1, and the error's name.
            CallEnd::Returned(ret) if (-4095..0).contains(&ret) => (Some(-1), errno::name(-ret)),
            CallEnd::Returned(ret) => (Some(ret), None),
            CallEnd::Unfinished | CallEnd::InProgress => (None, None),
        };
        let unnamed;
        let name = match table::name(call.abi, call.nr) {
            Some(name) => name,
            None => {
                unnamed = format!("syscall_{:#x}", call.nr);
                &unnamed
            }
        };
        let fields = SyscallFields {
            unix_ns: self.clock.unix_ns(call.start_ns.saturating_add(call.duration_ns)),
            process: &self.processes.json(call.tgid, call.tid),
            name,
            ret,
            errno,
            duration_ns: call.duration_ns,
            wait: call.wait,
            cause: None,
            in_progress: call.end == CallEnd::InProgress,
        };
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let texts = starts.zip(&self.ends).map(|(start, end)| self.args.get(start..*end).unwrap_or_default());
        self.calls.write(out, &fields, texts);
    }

    /// Takes a birth in.
    pub fn forked(&mut self, fork: &TaskFork) {
        self.processes.forked(fork.tgid, fork.tid, fork.parent_tgid, fork.ns_tid, &fork.comm);
    }

    /// Takes a new program in.
    pub fn executed(&mut self, exec: &TaskExec<'_>) {
        self.processes
            .executed(exec.tgid, &ExecFacts { comm: &exec.comm, cmdline: exec.cmdline, cut: exec.cmdline_cut });
    }

    /// Appends a loss record.
    pub fn loss(&mut self, out: &mut Vec<u8>, lost: u64) {
        let body =
            Body::Loss(LossRecord { site: "bulk_ring_full".to_owned(), probe: Some("sys_exit".to_owned()), lost });
        self.records.write(out, self.clock.unix_ns(monotonic_ns()), body);
    }

    /// Appends a record of each call's sums.
    pub fn sums(&mut self, out: &mut Vec<u8>, sums: &[CallSum], name: impl Fn(u32) -> String) {
        let now = self.clock.unix_ns(monotonic_ns());
        for sum in sums {
            let waited = sum.runnable_ns + sum.blocked_ns + sum.sleeping_ns;
            let body = Body::SyscallSummary(SyscallSummaryRecord {
                name: name(sum.nr),
                calls: sum.calls,
                errors: sum.errors,
                duration_ns: sum.total_ns,
                wait: Wait {
                    running_ns: sum.total_ns.saturating_sub(waited),
                    runnable_ns: sum.runnable_ns,
                    blocked_ns: sum.blocked_ns,
                    sleeping_ns: sum.sleeping_ns,
                    cause: None,
                },
                p50_ns: sum.percentile_ns(50),
                p99_ns: sum.percentile_ns(99),
                max_ns: sum.max_ns,
            });
            self.records.write(out, now, body);
        }
    }

    /// Appends the summary.
    pub fn summary(&mut self, out: &mut Vec<u8>, totals: &Totals, costs: &[SelfCost], took: Duration) {
        let counters = BTreeMap::from([
            ("files_lost".to_owned(), totals.files_lost),
            ("task_events_lost".to_owned(), totals.tasks_lost),
            ("tasks_unfollowed".to_owned(), totals.unfollowed),
            ("malformed".to_owned(), totals.malformed),
        ]);
        let body = Body::Summary(SummaryRecord {
            duration_ns: u64::try_from(took.as_nanos()).unwrap_or(u64::MAX),
            seen: totals.seen,
            delivered: totals.delivered - totals.hidden,
            filtered: totals.filtered + totals.hidden,
            aggregated: totals.aggregated,
            lost: totals.lost,
            counters,
            sinks: Vec::new(),
            probes: costs.iter().map(ProbeCost::from).collect(),
            exit_code: None,
        });
        self.records.write(out, self.clock.unix_ns(monotonic_ns()), body);
    }
}
