//! Where events are counted and where they can be lost, one row a site.
//!
//! Counters live in a per-CPU array indexed by [`Counter`]. Always: calls seen = records delivered + filtered + lost +
//! summed in `CALL_STATS` (`-c`).

/// A per-CPU counter's index in the `COUNTERS` map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Counter {
    /// System calls of followed threads that ended and were wanted.
    CallsSeen,
    /// Of those, left out by `--failed` or `--slower`.
    CallsFiltered,
    /// Of those, lost: no room in the bulk ring.
    CallsLost,
    /// File descriptions lost: no room in the bulk ring.
    FilesLost,
    /// Births, execs and exits of followed threads that were seen.
    TasksSeen,
    /// Of those, lost: no room in the critical ring.
    TasksLost,
    /// Children that could not be followed: the `TASKS` map was full.
    TasksUnfollowed,
    /// Signals delivered to followed threads.
    SignalsSeen,
    /// Of those, lost: no room in the critical ring.
    SignalsLost,
    /// Waits in D that began.
    WaitsSeen,
    /// Of those, not timed: the `BLOCKED` map was full.
    WaitsUntimed,
    /// Ends of waits in D beyond the threshold.
    StallEndsSeen,
    /// Of those, lost: no room in the critical ring.
    StallEndsLost,
    /// Waits for locks not remembered: the `CONTENDED` map was full.
    LocksUnknown,
    /// Processes that ended abnormally.
    ExitsSeen,
    /// Of those, lost: no room in the critical ring.
    ExitsLost,
    /// OOM kills.
    OomKillsSeen,
    /// Of those, lost: no room in the critical ring.
    OomKillsLost,
}

impl Counter {
    /// Number of counters (rows of the map).
    pub const COUNT: u32 = 18;

    /// Every counter, with the name that records and summaries use.
    pub const ALL: [(Counter, &'static str); Self::COUNT as usize] = [
        (Counter::CallsSeen, "calls_seen"),
        (Counter::CallsFiltered, "calls_filtered"),
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
