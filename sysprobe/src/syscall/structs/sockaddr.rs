//! Socket addresses by family.
//!
//! The length of the bytes is the address's length: a unix path ends with it, and an address too short for its family is shown
//! as raw data, as strace does. Interface indexes stay numbers except 1, which is the loopback interface in every network
//! namespace; names would be those of another namespace. Layouts: include/uapi/linux/in.h, in6.h, un.h, netlink.h, if_packet.h.

use super::StructSpec;
use super::fields::{Fields, unsigned, until_nul, write_quoted};
use crate::syscall::flags::number::{write_hex, write_hex_digits, write_uint};
use crate::syscall::flags::{link, net, protocol};
use std::io::Write as _;
use std::net::{Ipv4Addr, Ipv6Addr};

/// `struct sockaddr` of any family.
pub static SOCKADDR: StructSpec = StructSpec { size: 128, write: sockaddr };

fn sockaddr(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    let family = fields.peek(0, 2).unwrap_or(0) as i32;
    fields.value("sa_family", 0, 2, &net::DOMAIN);
    match (family, bytes.len()) {
        (libc::AF_UNIX, 3..) => unix(&mut fields, bytes.len() - 2),
        (libc::AF_INET, 16..) => inet(&mut fields),
        (libc::AF_INET6, 24..) => inet6(&mut fields, bytes.len()),
        (libc::AF_NETLINK, 12..) => netlink(&mut fields),
        (libc::AF_PACKET, 20..) => packet(&mut fields),
        (libc::AF_VSOCK, 16..) => vsock(&mut fields),
        (libc::AF_ALG, 88..) => algorithm(&mut fields),
        (_, 3..) => fields.with_bytes("sa_data", 2, bytes.len() - 2, write_quoted),
        _ => {}
    }
    fields.close();
}

fn unix(fields: &mut Fields<'_, '_>, len: usize) {
    fields.with_bytes("sun_path", 2, len, |out, path| match path.split_first() {
        Some((0, name)) => {
            out.push(b'@');
            write_quoted(out, name);
        }
        _ => write_quoted(out, until_nul(path)),
    });
}

fn inet(fields: &mut Fields<'_, '_>) {
    fields.with_bytes("sin_port", 2, 2, write_port);
    fields.with_bytes("sin_addr", 4, 4, write_inet_addr);
}

fn inet6(fields: &mut Fields<'_, '_>, len: usize) {
    fields.with_bytes("sin6_port", 2, 2, write_port);
    fields.with_bytes("sin6_flowinfo", 4, 4, |out, bytes| {
        out.extend_from_slice(b"htonl(");
        write_uint(out, big_endian(bytes));
        out.push(b')');
    });
    fields.bare(8, 16, |out, bytes| {
        out.extend_from_slice(b"inet_pton(AF_INET6, \"");
        if let Ok(octets) = <[u8; 16]>::try_from(bytes) {
            // Writing into a vector cannot fail.
            let _ = write!(out, "{}", Ipv6Addr::from(octets));
        }
        out.extend_from_slice(b"\", &sin6_addr)");
    });
    if len >= 28 {
        fields.with("sin6_scope_id", 24, 4, write_interface);
    }
}

fn netlink(fields: &mut Fields<'_, '_>) {
    if fields.peek(2, 2) != Some(0) {
        fields.hex("nl_pad", 2, 2);
    }
    fields.int("nl_pid", 4, 4);
    fields.with("nl_groups", 8, 4, |out, groups| {
        // C's `%#08x`, which strace uses here: the prefix counts as two of the eight, and zero has none.
        if groups == 0 {
            out.extend_from_slice(b"00000000");
        } else {
            out.extend_from_slice(b"0x");
            write_hex_digits(out, groups, 6);
        }
    });
}

fn packet(fields: &mut Fields<'_, '_>) {
    fields.with_bytes("sll_protocol", 2, 2, |out, bytes| match protocol::PACKET.name(unsigned(bytes)) {
        Some(name) => out.extend_from_slice(name.as_bytes()),
        None => {
            out.extend_from_slice(b"htons(");
            write_hex(out, big_endian(bytes));
            out.extend_from_slice(b" /* ETH_P_??? */)");
        }
    });
    fields.with("sll_ifindex", 4, 4, write_interface);
    fields.value("sll_hatype", 8, 2, &link::HARDWARE);
    fields.value("sll_pkttype", 10, 1, &link::PACKET_TYPE);
    fields.uint("sll_halen", 11, 1);
    let len = fields.peek(11, 1).unwrap_or(0).min(8) as usize;
    if len > 0 {
        fields.with_bytes("sll_addr", 12, len, |out, bytes| {
            for (at, byte) in bytes.iter().enumerate() {
                out.extend_from_slice(if at == 0 { b"[" } else { b", " });
                write_hex(out, u64::from(*byte));
            }
            out.push(b']');
        });
    }
}

fn vsock(fields: &mut Fields<'_, '_>) {
    fields.value("svm_cid", 8, 4, &link::VSOCK_CID);
    fields.with("svm_port", 4, 4, |out, port| match port {
        0xffff_ffff => out.extend_from_slice(b"VMADDR_PORT_ANY"),
        port => write_hex(out, port),
    });
    fields.flags("svm_flags", 12, 1, &link::VSOCK_FLAGS);
}

/// The kernel's cryptography: include/uapi/linux/if_alg.h.
fn algorithm(fields: &mut Fields<'_, '_>) {
    fields.with_bytes("salg_type", 2, 14, |out, name| write_quoted(out, until_nul(name)));
    fields.hex("salg_feat", 16, 4);
    fields.hex("salg_mask", 20, 4);
    fields.with_bytes("salg_name", 24, 64, |out, name| write_quoted(out, until_nul(name)));
}

/// Appends a port in network byte order: `htons(80)`.
pub(super) fn write_port(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(b"htons(");
    write_uint(out, big_endian(bytes));
    out.push(b')');
}

/// Appends an IPv4 address: `inet_addr("127.0.0.1")`.
pub(super) fn write_inet_addr(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(b"inet_addr(\"");
    // Writing into a vector cannot fail.
    let _ = write!(out, "{}", Ipv4Addr::from(big_endian(bytes) as u32));
    out.extend_from_slice(b"\")");
}

/// Appends an interface by its index.
fn write_interface(out: &mut Vec<u8>, index: u64) {
    match index {
        1 => out.extend_from_slice(b"if_nametoindex(\"lo\")"),
        index => write_uint(out, index),
    }
}

fn big_endian(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |value, byte| value << 8 | u64::from(*byte))
}
