//! From the kernel's clock to the time of day, cheaply: the zone's rules are asked once a second of output.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// A moment on both clocks: what turns CLOCK_MONOTONIC into wall time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockAnchor {
    /// CLOCK_MONOTONIC, ns.
    pub monotonic_ns: u64,
    /// The same moment since the epoch, ns.
    pub unix_ns: i64,
}

/// Writes times of day.
pub struct WallClock {
    anchor: ClockAnchor,
    zone: TimeZone,
    /// The second that `text` shows.
    second: i64,
    text: [u8; 8],
}

impl WallClock {
    /// Times in `zone`, by `anchor`.
    pub fn new(anchor: ClockAnchor, zone: TimeZone) -> Self {
        Self { anchor, zone, second: i64::MIN, text: *b"00:00:00" }
    }

    /// Takes a new anchor (after a step of the wall clock).
    pub fn set_anchor(&mut self, anchor: ClockAnchor) {
        self.anchor = anchor;
    }

    /// Appends `14:02:11.204123`.
    pub fn write(&mut self, out: &mut Vec<u8>, monotonic_ns: u64) {
        let since_anchor = monotonic_ns.wrapping_sub(self.anchor.monotonic_ns) as i64;
        let unix_ns = self.anchor.unix_ns.saturating_add(since_anchor);
        let second = unix_ns.div_euclid(1_000_000_000);
        if second != self.second {
            self.second = second;
            self.text = self.time_of_day(second);
        }
        out.extend_from_slice(&self.text);
        out.push(b'.');
        write_padded(out, (unix_ns.rem_euclid(1_000_000_000) / 1000) as u32);
    }

    fn time_of_day(&self, second: i64) -> [u8; 8] {
        // A time no calendar has (a hostile or broken clock) is shown as the epoch.
        let local = self.zone.to_datetime(Timestamp::from_second(second).unwrap_or_default());
        let pair = |value: i8| {
            let value = value.clamp(0, 99) as u8;
            [b'0' + value / 10, b'0' + value % 10]
        };
        let ([a, b], [c, d], [e, f]) = (pair(local.hour()), pair(local.minute()), pair(local.second()));
        [a, b, b':', c, d, b':', e, f]
    }
}

/// Appends six digits.
fn write_padded(out: &mut Vec<u8>, mut value: u32) {
    let mut digits = [b'0'; 6];
    for digit in digits.iter_mut().rev() {
        *digit += (value % 10) as u8;
        value /= 10;
    }
    out.extend_from_slice(&digits);
}

/// Appends seconds and microseconds (`0.000012`).
pub fn write_seconds(out: &mut Vec<u8>, ns: u64) {
    out.extend_from_slice(itoa::Buffer::new().format(ns / 1_000_000_000).as_bytes());
    out.push(b'.');
    write_padded(out, (ns % 1_000_000_000 / 1000) as u32);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_time_becomes_local_time_of_day() {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        let mut clock =
            WallClock::new(ClockAnchor { monotonic_ns: 5_000_000_000, unix_ns: 1_700_000_000_500_000_000 }, zone);
        let mut text = |ns| {
            let mut out = Vec::new();
            clock.write(&mut out, ns);
            String::from_utf8(out).unwrap()
        };
        // 1,700,000,000 s is 22:13:20 UTC.
        assert_eq!(text(5_000_000_000), "00:13:20.500000");
        assert_eq!(text(5_499_999_999), "00:13:20.999999");
        assert_eq!(text(5_500_001_000), "00:13:21.000001");
        assert_eq!(text(0), "00:13:15.500000");
        assert_eq!(text(u64::MAX).len(), 15);
    }

    #[test]
    fn durations_have_six_decimals() {
        let mut out = Vec::new();
        write_seconds(&mut out, 61_000_012_345);
        assert_eq!(out, b"61.000012");
    }
}
