//! Where a call's time went, as text: ` {running 12us, blocked 512.003ms}`.
//!
//! Shown only when some part besides running reached a microsecond; then all parts that did are listed. Units: `us` below a
//! millisecond, `ms` below a second, else `s`; up to three decimals, trailing zeros left out.

use crate::event::WaitSplit;

/// Appends the split, led by a space, or nothing.
pub fn write_wait(out: &mut Vec<u8>, wait: &WaitSplit) {
    let waits = [wait.runnable_ns, wait.blocked_ns, wait.sleeping_ns];
    if waits.iter().all(|ns| *ns < 1000) {
        return;
    }
    let parts = [
        (&b"running "[..], wait.running_ns),
        (b"runnable ", wait.runnable_ns),
        (b"blocked ", wait.blocked_ns),
        (b"sleeping ", wait.sleeping_ns),
    ];
    let mut lead: &[u8] = b" {";
    for (name, ns) in parts {
        if ns >= 1000 {
            out.extend_from_slice(lead);
            out.extend_from_slice(name);
            write_duration(out, ns);
            lead = b", ";
        }
    }
    out.push(b'}');
}

/// Appends a duration with its unit: `12us`, `512.003ms`, `1.2s`.
pub fn write_duration(out: &mut Vec<u8>, ns: u64) {
    let (unit_ns, unit) = match ns {
        0..1_000_000 => (1000, "us"),
        1_000_000..1_000_000_000 => (1_000_000, "ms"),
        _ => (1_000_000_000, "s"),
    };
    out.extend_from_slice(itoa::Buffer::new().format(ns / unit_ns).as_bytes());
    if unit_ns > 1000 {
        let mut thousandths = ns % unit_ns / (unit_ns / 1000);
        let mut width = 3;
        while thousandths != 0 && thousandths.is_multiple_of(10) {
            thousandths /= 10;
            width -= 1;
        }
        if thousandths != 0 {
            out.push(b'.');
            let mut scale = 10u64.pow(width - 1);
            while scale > 0 {
                out.push(b'0' + (thousandths / scale % 10) as u8);
                scale /= 10;
            }
        }
    }
    out.extend_from_slice(unit.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(running_ns: u64, runnable_ns: u64, blocked_ns: u64, sleeping_ns: u64) -> String {
        let mut out = Vec::new();
        write_wait(&mut out, &WaitSplit { running_ns, runnable_ns, blocked_ns, sleeping_ns });
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn parts_below_a_microsecond_are_left_out() {
        assert_eq!(text(900_000_000, 999, 0, 0), "");
        assert_eq!(
            text(12_345, 3_000, 512_003_000, 1_200_000_000),
            " {running 12us, runnable 3us, blocked 512.003ms, sleeping 1.2s}"
        );
        assert_eq!(text(999, 0, 0, 60_050_000_000), " {sleeping 60.05s}");
        assert_eq!(text(0, 0, 1_000_000, 0), " {blocked 1ms}");
        assert_eq!(text(0, 0, 1_010_999, 0), " {blocked 1.01ms}");
    }
}
