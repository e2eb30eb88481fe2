//! Where events are counted and where they can be lost, one row a site.
//!
//! Counters live in a per-CPU array indexed by [`Counter`]. Always: `CALLS_SEEN` = records delivered +
//! `CALLS_FILTERED` + `CALLS_AGGREGATED` + `BULK_RING_FULL` (of calls).

/// A per-CPU counter's index in the `COUNTERS` map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Counter {
    /// System calls of followed threads that ended and were wanted.
    CallsSeen = 0,
    /// Of those, left out by `--failed` or `--slower`.
    CallsFiltered = 1,
    /// Of those, summed in the kernel (`-c`).
    CallsAggregated = 2,
    /// Of those, lost: no room in the bulk ring.
    CallsLost = 3,
    /// File descriptions lost: no room in the bulk ring.
    FilesLost = 4,
    /// Births, execs and exits of followed threads that were seen.
    TasksSeen = 5,
    /// Of those, lost: no room in the critical ring.
    TasksLost = 6,
    /// Children that could not be followed: the `TASKS` map was full.
    TasksUnfollowed = 7,
    /// Signals delivered to followed threads.
    SignalsSeen = 8,
    /// Of those, lost: no room in the critical ring.
    SignalsLost = 9,
    /// Waits in D that began.
    WaitsSeen = 10,
    /// Of those, not timed: the `BLOCKED` map was full.
    WaitsUntimed = 11,
    /// Ends of waits in D beyond the threshold.
    StallEndsSeen = 12,
    /// Of those, lost: no room in the critical ring.
    StallEndsLost = 13,
    /// Waits for locks not remembered: the `CONTENDED` map was full.
    LocksUnknown = 14,
    /// Processes that ended abnormally.
    ExitsSeen = 15,
    /// Of those, lost: no room in the critical ring.
    ExitsLost = 16,
    /// OOM kills.
    OomKillsSeen = 17,
    /// Of those, lost: no room in the critical ring.
    OomKillsLost = 18,
}

impl Counter {
    /// Number of counters (rows of the map).
    pub const COUNT: u32 = 19;

    /// Every counter, with the name that records and summaries use.
    pub const ALL: [(Counter, &'static str); Self::COUNT as usize] = [
        (Counter::CallsSeen, "calls_seen"),
        (Counter::CallsFiltered, "calls_filtered"),
        (Counter::CallsAggregated, "calls_aggregated"),
        (Counter::CallsLost, "calls_lost"),
        (Counter::FilesLost, "files_lost"),
        (Counter::TasksSeen, "tasks_seen"),
        (Counter::TasksLost, "tasks_lost"),
        (Counter::TasksUnfollowed, "tasks_unfollowed"),
        (Counter::SignalsSeen, "signals_seen"),
        (Counter::SignalsLost, "signals_lost"),
        (Counter::WaitsSeen, "waits_seen"),
        (Counter::WaitsUntimed, "waits_untimed"),
        (Counter::StallEndsSeen, "stall_ends_seen"),
        (Counter::StallEndsLost, "stall_ends_lost"),
        (Counter::LocksUnknown, "locks_unknown"),
        (Counter::ExitsSeen, "exits_seen"),
        (Counter::ExitsLost, "exits_lost"),
        (Counter::OomKillsSeen, "oom_kills_seen"),
        (Counter::OomKillsLost, "oom_kills_lost"),
    ];
}
