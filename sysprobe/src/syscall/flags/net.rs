//! Sockets: domains, types, message flags. Source: include/linux/socket.h, include/linux/net.h.
//!
//! Protocols depend on the domain and options on the level: see `protocol` and `sockopt`.

use super::set::{FlagSet, names};

/// `AF_*`: socket domains, the same numbers as address families.
pub static DOMAIN: FlagSet = FlagSet::new(
    "AF_???",
    names! {
        AF_UNSPEC, AF_UNIX, AF_INET, AF_AX25, AF_IPX, AF_APPLETALK, AF_NETROM, AF_BRIDGE, AF_ATMPVC, AF_X25,
        AF_INET6, AF_ROSE, AF_DECnet, AF_NETBEUI, AF_SECURITY, AF_KEY, AF_NETLINK, AF_PACKET, AF_ASH, AF_ECONET,
        AF_ATMSVC, AF_RDS, AF_SNA, AF_IRDA, AF_PPPOX, AF_WANPIPE, AF_LLC, AF_IB, AF_MPLS, AF_CAN, AF_TIPC,
        AF_BLUETOOTH, AF_IUCV, AF_RXRPC, AF_ISDN, AF_PHONET, AF_IEEE802154, AF_CAIF, AF_ALG, AF_NFC, AF_VSOCK,
        AF_KCM = 41, AF_QIPCRTR = 42, AF_SMC = 43, AF_XDP, AF_MCTP = 45,
    },
);

/// Socket types, then flags.
pub static SOCK: FlagSet = FlagSet::new(
    "SOCK_???",
    names! {
        SOCK_CLOEXEC, SOCK_NONBLOCK,
    },
)
.head(
    0xf,
    names! {
        SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_RDM, SOCK_SEQPACKET, SOCK_DCCP, SOCK_PACKET = 10,
    },
    "",
);

/// `accept4`.
pub static ACCEPT: FlagSet = FlagSet::new(
    "SOCK_???",
    names! {
        SOCK_CLOEXEC, SOCK_NONBLOCK,
    },
);

/// `send`, `recv` and the like.
pub static MSG: FlagSet = FlagSet::new(
    "MSG_???",
    names! {
        MSG_OOB, MSG_PEEK, MSG_DONTROUTE, MSG_CTRUNC, MSG_PROBE = 0x10, MSG_TRUNC, MSG_DONTWAIT, MSG_EOR,
        MSG_WAITALL, MSG_FIN, MSG_SYN, MSG_CONFIRM, MSG_RST, MSG_ERRQUEUE, MSG_NOSIGNAL, MSG_MORE, MSG_WAITFORONE,
        MSG_SENDPAGE_NOTLAST = 0x2_0000, MSG_BATCH = 0x4_0000, MSG_NO_SHARED_FRAGS = 0x8_0000, MSG_ZEROCOPY,
        MSG_FASTOPEN, MSG_CMSG_CLOEXEC, MSG_CMSG_COMPAT = 0x8000_0000,
    },
);

/// `shutdown`.
pub static SHUT: FlagSet = FlagSet::new(
    "SHUT_???",
    names! {
        SHUT_RD, SHUT_WR, SHUT_RDWR,
    },
);
