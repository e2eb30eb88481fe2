//! The third argument of `socket`, by domain. Source: include/uapi/linux/in.h, netlink.h, if_ether.h.
//!
//! Packet sockets take an Ethernet type in network byte order, so that table is in that order too.

use super::number::write_uint;
use super::set::{FlagSet, names};
use super::write::write_value;

/// `IPPROTO_*`, for `AF_INET` and `AF_INET6`.
pub static INET: FlagSet = FlagSet::new(
    "IPPROTO_???",
    names! {
        IPPROTO_IP, IPPROTO_ICMP, IPPROTO_IGMP, IPPROTO_IPIP, IPPROTO_TCP, IPPROTO_EGP, IPPROTO_PUP, IPPROTO_UDP,
        IPPROTO_IDP, IPPROTO_TP, IPPROTO_DCCP, IPPROTO_IPV6, IPPROTO_ROUTING, IPPROTO_FRAGMENT, IPPROTO_RSVP,
        IPPROTO_GRE, IPPROTO_ESP, IPPROTO_AH, IPPROTO_ICMPV6, IPPROTO_NONE, IPPROTO_DSTOPTS, IPPROTO_MTP,
        IPPROTO_BEETPH, IPPROTO_ENCAP, IPPROTO_PIM, IPPROTO_COMP, IPPROTO_L2TP = 115, IPPROTO_SCTP, IPPROTO_MH,
        IPPROTO_UDPLITE, IPPROTO_MPLS, IPPROTO_ETHERNET, IPPROTO_RAW, IPPROTO_MPTCP,
    },
);

/// `NETLINK_*`.
pub static NETLINK: FlagSet = FlagSet::new(
    "NETLINK_???",
    names! {
        NETLINK_ROUTE, NETLINK_UNUSED, NETLINK_USERSOCK, NETLINK_FIREWALL, NETLINK_SOCK_DIAG, NETLINK_NFLOG,
        NETLINK_XFRM, NETLINK_SELINUX, NETLINK_ISCSI, NETLINK_AUDIT, NETLINK_FIB_LOOKUP, NETLINK_CONNECTOR,
        NETLINK_NETFILTER, NETLINK_IP6_FW, NETLINK_DNRTMSG, NETLINK_KOBJECT_UEVENT, NETLINK_GENERIC,
        NETLINK_SCSITRANSPORT, NETLINK_ECRYPTFS, NETLINK_RDMA, NETLINK_CRYPTO, NETLINK_SMC = 22,
    },
);

/// `ETH_P_*`, as `AF_PACKET` takes them: in network byte order.
pub static PACKET: FlagSet = FlagSet::new(
    "ETH_P_???",
    names! {
        "htons(ETH_P_PUP)" = 2, "htons(ETH_P_802_3_MIN)" = 6, "htons(ETH_P_IP)" = 8, "htons(ETH_P_IEEEPUP)" = 10,
        "htons(ETH_P_DEC)" = 96, "htons(ETH_P_8021Q)" = 129, "htons(ETH_P_LOOPBACK)" = 144,
        "htons(ETH_P_QINQ1)" = 145, "htons(ETH_P_QINQ2)" = 146, "htons(ETH_P_QINQ3)" = 147,
        "htons(ETH_P_802_3)" = 0x100, "htons(ETH_P_PUPAT)" = 0x102, "htons(ETH_P_IEEEPUPAT)" = 0x10a,
        "htons(ETH_P_DNA_DL)" = 0x160, "htons(ETH_P_DSA_A5PSW)" = 0x1e0, "htons(ETH_P_AX25)" = 0x200,
        "htons(ETH_P_DNA_RC)" = 0x260, "htons(ETH_P_CFM)" = 0x289, "htons(ETH_P_ALL)" = 0x300,
        "htons(ETH_P_DNA_RT)" = 0x360, "htons(ETH_P_802_2)" = 0x400, "htons(ETH_P_LAT)" = 0x460,
        "htons(ETH_P_SNAP)" = 0x500, "htons(ETH_P_X25)" = 0x508, "htons(ETH_P_BATMAN)" = 0x543,
        "htons(ETH_P_DIAG)" = 0x560, "htons(ETH_P_DDCMP)" = 0x600, "htons(ETH_P_ARP)" = 0x608,
        "htons(ETH_P_CUST)" = 0x660, "htons(ETH_P_FCOE)" = 0x689, "htons(ETH_P_WAN_PPP)" = 0x700,
        "htons(ETH_P_SCA)" = 0x760, "htons(ETH_P_PPP_MP)" = 0x800, "htons(ETH_P_PAUSE)" = 0x888,
        "htons(ETH_P_LOCALTALK)" = 0x900, "htons(ETH_P_SLOW)" = 0x988, "htons(ETH_P_CAN)" = 0xc00,
        "htons(ETH_P_CANFD)" = 0xd00, "htons(ETH_P_TDLS)" = 0xd89, "htons(ETH_P_CANXL)" = 0xe00,
        "htons(ETH_P_PPPTALK)" = 0x1000, "htons(ETH_P_TR_802_2)" = 0x1100, "htons(ETH_P_FIP)" = 0x1489,
        "htons(ETH_P_MOBITEX)" = 0x1500, "htons(ETH_P_IBOE)" = 0x1589, "htons(ETH_P_CONTROL)" = 0x1600,
        "htons(ETH_P_IRDA)" = 0x1700, "htons(ETH_P_80221)" = 0x1789, "htons(ETH_P_ECONET)" = 0x1800,
        "htons(ETH_P_HDLC)" = 0x1900, "htons(ETH_P_ARCNET)" = 0x1a00, "htons(ETH_P_DSA)" = 0x1b00,
        "htons(ETH_P_TRAILER)" = 0x1c00, "htons(ETH_P_HSR)" = 0x2f89, "htons(ETH_P_RARP)" = 0x3580,
        "htons(ETH_P_IPX)" = 0x3781, "htons(ETH_P_WCCP)" = 0x3e88, "htons(ETH_P_IFE)" = 0x3eed,
        "htons(ETH_P_MPLS_UC)" = 0x4788, "htons(ETH_P_MPLS_MC)" = 0x4888, "htons(ETH_P_ATMMPOA)" = 0x4c88,
        "htons(ETH_P_NSH)" = 0x4f89, "htons(ETH_P_TEB)" = 0x5865, "htons(ETH_P_LOOP)" = 0x6000,
        "htons(ETH_P_PPP_DISC)" = 0x6388, "htons(ETH_P_PPP_SES)" = 0x6488, "htons(ETH_P_LINK_CTL)" = 0x6c88,
        "htons(ETH_P_ATMFATE)" = 0x8488, "htons(ETH_P_PAE)" = 0x8e88, "htons(ETH_P_REALTEK)" = 0x9988,
        "htons(ETH_P_ATALK)" = 0x9b80, "htons(ETH_P_AOE)" = 0xa288, "htons(ETH_P_8021AD)" = 0xa888,
        "htons(ETH_P_802_EX1)" = 0xb588, "htons(ETH_P_ERSPAN)" = 0xbe88, "htons(ETH_P_PREAUTH)" = 0xc788,
        "htons(ETH_P_TIPC)" = 0xca88, "htons(ETH_P_LLDP)" = 0xcc88, "htons(ETH_P_EDSA)" = 0xdada,
        "htons(ETH_P_DSA_8021Q)" = 0xdbda, "htons(ETH_P_IPV6)" = 0xdd86, "htons(ETH_P_MRP)" = 0xe388,
        "htons(ETH_P_MACSEC)" = 0xe588, "htons(ETH_P_8021AH)" = 0xe788, "htons(ETH_P_ERSPAN2)" = 0xeb22,
        "htons(ETH_P_TSN)" = 0xf022, "htons(ETH_P_AARP)" = 0xf380, "htons(ETH_P_PHONET)" = 0xf500,
        "htons(ETH_P_MVRP)" = 0xf588, "htons(ETH_P_IEEE802154)" = 0xf600, "htons(ETH_P_CAIF)" = 0xf700,
        "htons(ETH_P_1588)" = 0xf788, "htons(ETH_P_XDSA)" = 0xf800, "htons(ETH_P_NCSI)" = 0xf888,
        "htons(ETH_P_MAP)" = 0xf900, "htons(ETH_P_MCTP)" = 0xfa00, "htons(ETH_P_PRP)" = 0xfb88,
        "htons(ETH_P_AF_IUCV)" = 0xfbfb, "htons(ETH_P_BPQ)" = 0xff08,
    },
);

/// `BTPROTO_*`.
pub static BLUETOOTH: FlagSet = FlagSet::new(
    "BTPROTO_???",
    names! {
        BTPROTO_L2CAP = 0, BTPROTO_HCI = 1, BTPROTO_SCO = 2, BTPROTO_RFCOMM = 3, BTPROTO_BNEP = 4, BTPROTO_CMTP = 5,
        BTPROTO_HIDP = 6, BTPROTO_AVDTP = 7,
    },
);

/// `CAN_*`.
pub static CAN: FlagSet = FlagSet::new(
    "CAN_???",
    names! {
        CAN_RAW, CAN_BCM, CAN_TP16, CAN_TP20, CAN_MCNET, CAN_ISOTP, CAN_J1939,
    },
);

/// Appends a protocol by its domain: `IPPROTO_TCP`, `NETLINK_ROUTE`, `htons(ETH_P_ALL)`; a number where a domain has no names.
pub fn write_protocol(out: &mut Vec<u8>, domain: u64, protocol: u64) {
    let set = match domain as u32 as i32 {
        libc::AF_INET | libc::AF_INET6 => &INET,
        libc::AF_NETLINK => &NETLINK,
        libc::AF_PACKET => &PACKET,
        libc::AF_BLUETOOTH => &BLUETOOTH,
        libc::AF_CAN => &CAN,
        _ => return write_uint(out, protocol & 0xffff_ffff),
    };
    write_value(out, set, protocol);
}
