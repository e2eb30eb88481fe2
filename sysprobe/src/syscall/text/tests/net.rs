//! Sockets.

use super::{call, capture};

fn inet(port: u16) -> Vec<u8> {
    let mut bytes = 2u16.to_ne_bytes().to_vec();
    bytes.extend(port.to_be_bytes());
    bytes.extend([127, 0, 0, 1]);
    bytes.resize(16, 0);
    bytes
}

const LOOPBACK: &str = r#"{sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("127.0.0.1")}"#;

#[test]
fn addresses_given_and_filled_in() {
    let connect = call("connect", &[3, 0x1000, 16]).exit(1, &inet(80)).ret(-111);
    assert_eq!(connect.line(), format!("connect(3, {LOOPBACK}, 16) = -1 ECONNREFUSED (Connection refused)"));
    let accept = |room: i32| {
        call("accept4", &[3, 0x1000, 0x2000, 0o2000000])
            .enter(2, &room.to_ne_bytes())
            .exit(1, &inet(80))
            .exit(2, &16i32.to_ne_bytes())
            .ret(4)
    };
    assert_eq!(accept(16).line(), format!("accept4(3, {LOOPBACK}, [16], SOCK_CLOEXEC) = 4"));
    assert_eq!(accept(128).line(), format!("accept4(3, {LOOPBACK}, [128 => 16], SOCK_CLOEXEC) = 4"));
    assert_eq!(call("accept", &[3, 0, 0]).ret(4).line(), "accept(3, NULL, NULL) = 4");
    let peer = call("getpeername", &[3, 0x1000, 0x2000]).enter(2, &16i32.to_ne_bytes()).exit(2, &16i32.to_ne_bytes());
    assert_eq!(
        peer.ret(-107).line(),
        "getpeername(3, 0x1000, [16]) = -1 ENOTCONN (Transport endpoint is not connected)"
    );
}

#[test]
fn data_and_messages() {
    assert_eq!(
        call("sendto", &[3, 0x1000, 3, 0x4000, 0, 0]).exit(1, b"hi\n").ret(3).line(),
        r#"sendto(3, "hi\n", 3, MSG_NOSIGNAL, NULL, 0) = 3"#
    );
    assert_eq!(
        call("recvfrom", &[3, 0x1000, 9, 0, 0, 0]).exit(1, b"hi").ret(2).line(),
        r#"recvfrom(3, "hi", 9, 0, NULL, NULL) = 2"#
    );
    let header =
        |name_len: u64, control: u64| [0x10u64, name_len, 0x9000, 1, 0x20, control, 0].map(u64::to_ne_bytes).concat();
    let array = [0x1000u64, 100].map(u64::to_ne_bytes).concat();
    let message = |header: &[u8]| {
        call("recvmsg", &[3, 0x8000, 0])
            .enter(1, &header[..16])
            .exit(1, &[&header[..8], &0u64.to_ne_bytes(), &header[16..]].concat())
            .part(1, capture::IOVECS, &array)
            .element(1, 0, b"abcd")
            .ret(4)
    };
    assert_eq!(
        message(&header(16, 0)).line(),
        r#"recvmsg(3, {msg_name=0x10, msg_namelen=16 => 0, msg_iov=[{iov_base="abcd", iov_len=100}], msg_iovlen=1, msg_controllen=0, msg_flags=0}, 0) = 4"#
    );
    assert_eq!(
        message(&header(0, 24)).ret(-11).line(),
        "recvmsg(3, {msg_namelen=0}, 0) = -1 EAGAIN (Resource temporarily unavailable)"
    );
    let sent = call("sendmsg", &[3, 0x8000, 0])
        .exit(1, &header(16, 0))
        .part(1, capture::NAME, &inet(80))
        .part(1, capture::IOVECS, &array)
        .element(1, 0, b"ab")
        .ret(2);
    assert_eq!(
        sent.line(),
        format!(
            r#"sendmsg(3, {{msg_name={LOOPBACK}, msg_namelen=16, msg_iov=[{{iov_base="ab", iov_len=100}}], msg_iovlen=1, msg_controllen=0, msg_flags=0}}, 0) = 2"#
        )
    );
}

#[test]
fn sockets_and_options_are_named() {
    assert_eq!(
        call("socket", &[2, 0o2000001, 6]).ret(3).line(),
        "socket(AF_INET, SOCK_STREAM|SOCK_CLOEXEC, IPPROTO_TCP) = 3"
    );
    assert_eq!(call("socket", &[16, 3, 0]).ret(3).line(), "socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE) = 3");
    let pair = [3i32, 4].map(i32::to_ne_bytes).concat();
    assert_eq!(
        call("socketpair", &[1, 1, 0, 0x1000]).exit(3, &pair).file(3, 0, 1).line(),
        "socketpair(AF_UNIX, SOCK_STREAM, 0, [3</etc/hosts>, 4]) = 0"
    );
    assert_eq!(
        call("setsockopt", &[3, 1, 2, 0x1000, 4]).exit(3, &1u32.to_ne_bytes()).line(),
        "setsockopt(3, SOL_SOCKET, SO_REUSEADDR, [1], 4) = 0"
    );
    assert_eq!(
        call("getsockopt", &[3, 1, 4, 0x1000, 0x2000])
            .enter(4, &4u32.to_ne_bytes())
            .exit(3, &0u32.to_ne_bytes())
            .exit(4, &4u32.to_ne_bytes())
            .line(),
        "getsockopt(3, SOL_SOCKET, SO_ERROR, [0], [4]) = 0"
    );
    assert_eq!(call("shutdown", &[3, 1]).line(), "shutdown(3, SHUT_WR) = 0");
}
