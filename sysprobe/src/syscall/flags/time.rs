//! Clocks and timers.
//!
//! Source: include/uapi/linux/time.h, timerfd.h, timex.h.

use super::set::{FlagSet, names};

/// `clock_gettime` and the like.
pub static CLOCK: FlagSet = FlagSet::new(
    "CLOCK_???",
    names! {
        CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID, CLOCK_MONOTONIC_RAW,
        CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME, CLOCK_REALTIME_ALARM, CLOCK_BOOTTIME_ALARM,
        CLOCK_SGI_CYCLE = 10, CLOCK_TAI,
    },
);

/// `clock_nanosleep`.
pub static CLOCK_NANOSLEEP: FlagSet = FlagSet::new(
    "TIMER_???",
    names! {
        TIMER_ABSTIME,
    },
);

/// `timer_settime`.
pub static TIMER: FlagSet = FlagSet::new(
    "TIMER_???",
    names! {
        TIMER_ABSTIME,
    },
);

/// `timerfd_create`.
pub static TIMERFD: FlagSet = FlagSet::new(
    "TFD_???",
    names! {
        TFD_TIMER_ABSTIME, TFD_TIMER_CANCEL_ON_SET, TFD_CLOEXEC, TFD_NONBLOCK,
    },
);

/// `timerfd_settime`.
pub static TIMERFD_SET: FlagSet = FlagSet::new(
    "TFD_???",
    names! {
        TFD_TIMER_ABSTIME, TFD_TIMER_CANCEL_ON_SET, TFD_CLOEXEC, TFD_NONBLOCK,
    },
);

/// `setitimer`, `getitimer`.
pub static ITIMER: FlagSet = FlagSet::new(
    "ITIMER_???",
    names! {
        ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF,
    },
);

/// `timex.modes`.
pub static ADJ: FlagSet = FlagSet::new(
    "ADJ_???",
    names! {
        ADJ_OFFSET_SS_READ, ADJ_OFFSET_SINGLESHOT, ADJ_OFFSET, ADJ_FREQUENCY, ADJ_MAXERROR, ADJ_ESTERROR, ADJ_STATUS,
        ADJ_TIMECONST, ADJ_TAI, ADJ_SETOFFSET, ADJ_MICRO, ADJ_NANO, ADJ_TICK,
    },
);

/// `timex.status`.
pub static STA: FlagSet = FlagSet::new(
    "STA_???",
    names! {
        STA_PLL, STA_PPSFREQ, STA_PPSTIME, STA_FLL, STA_INS, STA_DEL, STA_UNSYNC, STA_FREQHOLD, STA_PPSSIGNAL,
        STA_PPSJITTER, STA_PPSWANDER, STA_PPSERROR, STA_CLOCKERR, STA_NANO, STA_MODE, STA_CLK,
    },
);

/// The result of `adjtimex`.
pub static TIME_STATE: FlagSet = FlagSet::new(
    "TIME_???",
    names! {
        TIME_OK, TIME_INS, TIME_DEL, TIME_OOP, TIME_WAIT, TIME_ERROR,
    },
);
