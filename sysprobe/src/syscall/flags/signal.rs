//! Signal masks' operations, action and stack flags, and `si_code` by signal.
//!
//! Source: include/uapi/asm-generic/signal-defs.h, siginfo.h, asm/signal.h.

use super::set::{FlagSet, names};

/// `rt_sigprocmask`.
pub static HOW: FlagSet = FlagSet::new(
    "SIG_???",
    names! {
        SIG_BLOCK, SIG_UNBLOCK, SIG_SETMASK,
    },
);

/// `sa_flags`.
pub static SA: FlagSet = FlagSet::new(
    "SA_???",
    names! {
        SA_RESTORER = 0x400_0000, SA_ONSTACK, SA_RESTART, SA_INTERRUPT = 0x2000_0000, SA_NODEFER, SA_RESETHAND,
        SA_SIGINFO, SA_NOCLDSTOP, SA_NOCLDWAIT,
    },
);

/// `ss_flags` of `sigaltstack`.
pub static SS: FlagSet = FlagSet::new(
    "SS_???",
    names! {
        SS_ONSTACK, SS_DISABLE, SS_AUTODISARM = 0x8000_0000,
    },
);

/// `sigev_notify`.
pub static SIGEV: FlagSet = FlagSet::new(
    "SIGEV_???",
    names! {
        SIGEV_SIGNAL, SIGEV_NONE, SIGEV_THREAD, SIGEV_THREAD_ID,
    },
);

/// `signalfd4`.
pub static SIGNALFD: FlagSet = FlagSet::new(
    "SFD_???",
    names! {
        SFD_CLOEXEC, SFD_NONBLOCK,
    },
);

/// `si_code` of `SIGILL`.
pub static SI_ILL: FlagSet = FlagSet::new(
    "",
    names! {
        ILL_ILLOPC = 1, ILL_ILLOPN = 2, ILL_ILLADR = 3, ILL_ILLTRP = 4, ILL_PRVOPC = 5, ILL_PRVREG = 6,
        ILL_COPROC = 7, ILL_BADSTK = 8, ILL_BADIADDR = 9,
    },
);

/// `si_code` of `SIGFPE`.
pub static SI_FPE: FlagSet = FlagSet::new(
    "",
    names! {
        FPE_INTDIV = 1, FPE_INTOVF = 2, FPE_FLTDIV = 3, FPE_FLTOVF = 4, FPE_FLTUND = 5, FPE_FLTRES = 6,
        FPE_FLTINV = 7, FPE_FLTSUB = 8, FPE_FLTUNK = 14, FPE_CONDTRAP = 15,
    },
);

/// `si_code` of `SIGSEGV`.
pub static SI_SEGV: FlagSet = FlagSet::new(
    "",
    names! {
        SEGV_MAPERR = 1, SEGV_ACCERR = 2, SEGV_BNDERR = 3, SEGV_PKUERR = 4, SEGV_ACCADI = 5, SEGV_ADIDERR = 6,
        SEGV_ADIPERR = 7, SEGV_MTEAERR = 8, SEGV_MTESERR = 9,
    },
);

/// `si_code` of `SIGBUS`.
pub static SI_BUS: FlagSet = FlagSet::new(
    "",
    names! {
        BUS_ADRALN, BUS_ADRERR, BUS_OBJERR, BUS_MCEERR_AR, BUS_MCEERR_AO,
    },
);

/// `si_code` of `SIGTRAP`.
pub static SI_TRAP: FlagSet = FlagSet::new(
    "",
    names! {
        TRAP_BRKPT, TRAP_TRACE, TRAP_BRANCH, TRAP_HWBKPT, TRAP_UNK, TRAP_PERF,
    },
);

/// `si_code` of `SIGCHLD`.
pub static SI_CHLD: FlagSet = FlagSet::new(
    "",
    names! {
        CLD_EXITED, CLD_KILLED, CLD_DUMPED, CLD_TRAPPED, CLD_STOPPED, CLD_CONTINUED,
    },
);

/// `si_code` of `SIGIO`.
pub static SI_POLL: FlagSet = FlagSet::new(
    "",
    names! {
        POLL_IN = 1, POLL_OUT = 2, POLL_MSG = 3, POLL_ERR = 4, POLL_PRI = 5, POLL_HUP = 6,
    },
);

/// `si_code` of `SIGSYS`.
pub static SI_SYS: FlagSet = FlagSet::new(
    "",
    names! {
        SYS_SECCOMP = 1, SYS_USER_DISPATCH = 2,
    },
);

/// `si_code` of any signal: who sent it.
pub static SI: FlagSet = FlagSet::new(
    "",
    names! {
        SI_USER, SI_KERNEL, SI_ASYNCNL, SI_DETHREAD, SI_TKILL, SI_SIGIO, SI_ASYNCIO, SI_MESGQ, SI_TIMER, SI_QUEUE,
    },
);
