//! The fields of `struct termios`.
//!
//! Source: include/uapi/asm-generic/termbits.h, termbits-common.h.

use super::set::{FlagSet, names};

/// `c_iflag`.
pub static INPUT: FlagSet = FlagSet::new(
    "",
    names! {
        IGNBRK, BRKINT, IGNPAR, PARMRK, INPCK, ISTRIP, INLCR, IGNCR, ICRNL, IUCLC, IXON, IXANY, IXOFF, IMAXBEL,
        IUTF8,
    },
);

/// `c_oflag`, without its delays.
pub static OUTPUT: FlagSet = FlagSet::new(
    "",
    names! {
        OPOST, OLCUC, ONLCR, OCRNL, ONOCR, ONLRET, OFILL, OFDEL,
    },
);

/// The `NLDLY` field of `c_oflag`.
pub static DELAY_NL: FlagSet = FlagSet::new(
    "",
    names! {
        NL0, NL1,
    },
);

/// The `CRDLY` field of `c_oflag`.
pub static DELAY_CR: FlagSet = FlagSet::new(
    "",
    names! {
        CR0, CR1, CR2, CR3,
    },
);

/// The `TABDLY` field of `c_oflag`.
pub static DELAY_TAB: FlagSet = FlagSet::new(
    "",
    names! {
        TAB0, TAB1, TAB2, XTABS,
    },
);

/// The `BSDLY` field of `c_oflag`.
pub static DELAY_BS: FlagSet = FlagSet::new(
    "",
    names! {
        BS0, BS1,
    },
);

/// The `VTDLY` field of `c_oflag`.
pub static DELAY_VT: FlagSet = FlagSet::new(
    "",
    names! {
        VT0, VT1,
    },
);

/// The `FFDLY` field of `c_oflag`.
pub static DELAY_FF: FlagSet = FlagSet::new(
    "",
    names! {
        FF0, FF1,
    },
);

/// The `CBAUD` field of `c_cflag`.
pub static SPEED: FlagSet = FlagSet::new(
    "",
    names! {
        B0, B50, B75, B110, B134, B150, B200, B300, B600, B1200, B1800, B2400, B4800, B9600, B19200, B38400, BOTHER,
        B57600, B115200, B230400, B460800, B500000, B576000, B921600, B1000000, B1152000, B1500000, B2000000,
        B2500000, B3000000, B3500000, B4000000,
    },
);

/// `c_cflag`, without speeds and character size.
pub static CONTROL: FlagSet = FlagSet::new(
    "",
    names! {
        CSTOPB, CREAD, PARENB, PARODD, HUPCL, CLOCAL, CMSPAR, CRTSCTS,
    },
);

/// `c_lflag`.
pub static LOCAL: FlagSet = FlagSet::new(
    "",
    names! {
        ISIG, ICANON, XCASE, ECHO, ECHOE, ECHOK, ECHONL, NOFLSH, IEXTEN, ECHOCTL, ECHOPRT, ECHOKE, FLUSHO, PENDIN,
        TOSTOP, EXTPROC,
    },
);
