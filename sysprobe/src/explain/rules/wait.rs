//! The frames that only say *how* a task sleeps: the scheduler's and the wait primitives'.
//!
//! They are skipped to find the function that waits, and remembered as the kind of wait: the same caller means one
//! thing inside a mutex and another inside a page wait.

/// A set of kinds of wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitKinds(u16);

impl WaitKinds {
    /// A wait queue or a bare `schedule()`.
    pub const PLAIN: Self = Self(1);
    /// A bit of an object (`wait_on_bit`).
    pub const BIT: Self = Self(1 << 1);
    /// A bit of a page or folio: locked or under write-back.
    pub const PAGE: Self = Self(1 << 2);
    /// A mutex, plain, ww or real-time.
    pub const MUTEX: Self = Self(1 << 3);
    /// A reader-writer semaphore.
    pub const RWSEM: Self = Self(1 << 4);
    /// A counting semaphore.
    pub const SEMAPHORE: Self = Self(1 << 5);
    /// A per-CPU reader-writer semaphore.
    pub const PERCPU: Self = Self(1 << 6);
    /// A completion.
    pub const COMPLETION: Self = Self(1 << 7);
    /// A timed sleep.
    pub const SLEEP: Self = Self(1 << 8);
    /// Any lock.
    pub const LOCK: Self = Self(Self::MUTEX.0 | Self::RWSEM.0 | Self::SEMAPHORE.0 | Self::PERCPU.0);
    /// Anything but a lock.
    pub const NO_LOCK: Self = Self(Self::ANY.0 & !Self::LOCK.0);
    /// Anything.
    pub const ANY: Self = Self(u16::MAX);

    /// Whether the sets share a kind.
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Both sets.
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The scheduler itself and what always stands inside it: never evidence of a cause.
pub const SCHEDULER: &[&str] = &[
    "__schedule*",
    "schedule",
    "schedule_timeout*",
    "schedule_hrtimeout*",
    "schedule_preempt_disabled",
    "schedule_rtlock*",
    "io_schedule*",
    "do_sched_yield",
    "preempt_schedule*",
    "__switch_to*",
    "context_switch",
    "finish_task_switch",
    "rt_mutex_schedule",
    "__cond_resched*",
    "_cond_resched",
    "thread_return",
    "dump_backtrace",
    "sched_show_task",
];

/// Wait primitives and the kind of wait each is.
pub const PRIMITIVES: &[(&str, WaitKinds)] = &[
    ("__mutex_lock*", WaitKinds::MUTEX),
    ("mutex_lock*", WaitKinds::MUTEX),
    ("mutex_optimistic_spin", WaitKinds::MUTEX),
    ("__mutex_*_slowpath", WaitKinds::MUTEX),
    ("_mutex_lock*", WaitKinds::MUTEX),
    ("__ww_mutex_lock*", WaitKinds::MUTEX),
    ("ww_mutex_lock*", WaitKinds::MUTEX),
    ("__rt_mutex_*", WaitKinds::MUTEX),
    ("rt_mutex_lock*", WaitKinds::MUTEX),
    ("rt_mutex_slowlock*", WaitKinds::MUTEX),
    ("_rt_mutex_lock*", WaitKinds::MUTEX),
    ("rt_spin_lock*", WaitKinds::MUTEX),
    ("rtlock_slowlock*", WaitKinds::MUTEX),
    ("osq_lock", WaitKinds::MUTEX),
    ("rwsem_down_*", WaitKinds::RWSEM),
    ("rwsem_read_*", WaitKinds::RWSEM),
    ("rwsem_optimistic_spin", WaitKinds::RWSEM),
    ("call_rwsem_down_*", WaitKinds::RWSEM),
    ("rwbase_*", WaitKinds::RWSEM),
    ("down_read*", WaitKinds::RWSEM),
    ("down_write*", WaitKinds::RWSEM),
    ("__down_read*", WaitKinds::RWSEM),
    ("__down_write*", WaitKinds::RWSEM),
    ("_down_write_nest_lock", WaitKinds::RWSEM),
    ("down", WaitKinds::SEMAPHORE),
    ("down_killable", WaitKinds::SEMAPHORE),
    ("down_interruptible", WaitKinds::SEMAPHORE),
    ("down_timeout", WaitKinds::SEMAPHORE),
    ("__down", WaitKinds::SEMAPHORE),
    ("__down_common", WaitKinds::SEMAPHORE),
    ("___down_common", WaitKinds::SEMAPHORE),
    ("__down_killable", WaitKinds::SEMAPHORE),
    ("__down_interruptible", WaitKinds::SEMAPHORE),
    ("__down_timeout", WaitKinds::SEMAPHORE),
    ("percpu_rwsem_wait", WaitKinds::PERCPU),
    ("__percpu_down_read*", WaitKinds::PERCPU),
    ("percpu_down_read*", WaitKinds::PERCPU),
    ("percpu_down_write*", WaitKinds::PERCPU),
    ("__percpu_down_write*", WaitKinds::PERCPU),
    ("wait_for_completion*", WaitKinds::COMPLETION),
    ("__wait_for_common", WaitKinds::COMPLETION),
    ("wait_for_common*", WaitKinds::COMPLETION),
    ("do_wait_for_common", WaitKinds::COMPLETION),
    ("wait_on_page_bit*", WaitKinds::PAGE),
    ("__wait_on_page_bit*", WaitKinds::PAGE),
    ("folio_wait_bit*", WaitKinds::PAGE),
    ("folio_wait_private_2*", WaitKinds::PAGE),
    ("sleep_on_page*", WaitKinds::PAGE),
    ("sync_page*", WaitKinds::PAGE),
    ("__wait_on_bit*", WaitKinds::BIT),
    ("out_of_line_wait_on_bit*", WaitKinds::BIT),
    ("wait_on_bit*", WaitKinds::BIT),
    ("bit_wait*", WaitKinds::BIT),
    ("__wait_on_atomic_t", WaitKinds::BIT),
    ("out_of_line_wait_on_atomic_t", WaitKinds::BIT),
    ("__wait_var_event*", WaitKinds::BIT),
    ("__wait_event*", WaitKinds::PLAIN),
    ("do_wait_intr*", WaitKinds::PLAIN),
    ("sleep_on_common", WaitKinds::PLAIN),
    ("wait_woken", WaitKinds::PLAIN),
    ("closure_sync*", WaitKinds::PLAIN),
    ("__closure_sync*", WaitKinds::PLAIN),
    ("closure_wait", WaitKinds::PLAIN),
    ("msleep*", WaitKinds::SLEEP),
    ("usleep_range*", WaitKinds::SLEEP),
    ("ssleep", WaitKinds::SLEEP),
    ("fsleep", WaitKinds::SLEEP),
    ("do_nanosleep", WaitKinds::SLEEP),
    ("hrtimer_nanosleep*", WaitKinds::SLEEP),
];
