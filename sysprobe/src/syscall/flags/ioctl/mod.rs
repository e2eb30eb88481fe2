//! Names of `ioctl` requests, one file a kind of device.
//!
//! A request without a name is taken apart: direction, type, number and size of its argument (include/uapi/asm-generic/ioctl.h).
//! That is what drivers with private requests, NVIDIA's among them, are shown by.

mod block;
mod device;
mod filesystem;
mod kernel;
mod machine;
mod net;
mod tty;

use super::number::write_hex;
use super::set::Flag;

/// The most used first.
static TABLES: [&[Flag]; 7] = [
    tty::REQUESTS,
    net::REQUESTS,
    filesystem::REQUESTS,
    block::REQUESTS,
    kernel::REQUESTS,
    device::REQUESTS,
    machine::REQUESTS,
];

/// The name of a request, if it has one.
pub fn name(request: u64) -> Option<&'static str> {
    let request = request & 0xffff_ffff;
    TABLES.iter().find_map(|table| {
        let at = table.binary_search_by_key(&request, |flag| flag.value).ok()?;
        table.get(at).map(|flag| flag.name)
    })
}

/// Appends a request: its name, or `_IOC(_IOC_READ|_IOC_WRITE, 0x46, 0x2a, 0x20)`.
pub fn write_request(out: &mut Vec<u8>, request: u64) {
    if let Some(name) = name(request) {
        out.extend_from_slice(name.as_bytes());
        return;
    }
    let direction = match request >> 30 & 3 {
        0 => "_IOC_NONE",
        1 => "_IOC_WRITE",
        2 => "_IOC_READ",
        _ => "_IOC_READ|_IOC_WRITE",
    };
    out.extend_from_slice(b"_IOC(");
    out.extend_from_slice(direction.as_bytes());
    for part in [request >> 8 & 0xff, request & 0xff, request >> 16 & 0x3fff] {
        out.extend_from_slice(b", ");
        write_hex(out, part);
    }
    out.push(b')');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(value: u64) -> String {
        let mut out = Vec::new();
        write_request(&mut out, value);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn tables_are_sorted_so_that_bisection_finds_every_row() {
        for table in TABLES {
            assert!(table.is_sorted_by_key(|flag| flag.value));
            for flag in table {
                assert_eq!(name(flag.value), Some(flag.name));
            }
        }
    }

    #[test]
    fn requests_read_as_strace_shows_them() {
        assert_eq!(request(0x5401), "TCGETS");
        assert_eq!(request(0x5402), "SNDCTL_TMR_START or TCSETS");
        assert_eq!(request(0x5413), "TIOCGWINSZ");
        assert_eq!(request(0x8912), "SIOCGIFCONF");
        assert_eq!(request(0x4020_940d), "BTRFS_IOC_CLONE_RANGE or FICLONERANGE");
        assert_eq!(request(0x2400), "PERF_EVENT_IOC_ENABLE");
        assert_eq!(request(0xffff_ffff_0000_2400), "PERF_EVENT_IOC_ENABLE");
    }

    #[test]
    fn a_driver_with_private_requests_is_taken_apart() {
        assert_eq!(request(0xc020_462a), "_IOC(_IOC_READ|_IOC_WRITE, 0x46, 0x2a, 0x20)");
        assert_eq!(request(3), "_IOC(_IOC_NONE, 0, 0x3, 0)");
    }
}
