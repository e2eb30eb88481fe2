//! From the kernel's clock to the wall's, and the wall's time as text.

use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;
use rustix::time::{ClockId, clock_gettime};

const SECOND_NS: i64 = 1_000_000_000;

/// CLOCK_MONOTONIC anchored to the wall clock once: later steps of the wall clock do not move records.
#[derive(Clone, Copy, Debug)]
pub struct WallClock {
    /// Wall time less monotonic time, in ns.
    offset_ns: i64,
}

impl WallClock {
    /// An anchor taken now.
    pub fn now() -> Self {
        let read = |clock| {
            let time = clock_gettime(clock);
            time.tv_sec.saturating_mul(SECOND_NS).saturating_add(time.tv_nsec)
        };
        // The pair of reads that took the least time is the one least disturbed between them.
        let pairs = (0..5).map(|_| {
            let before = read(ClockId::Monotonic);
            let wall = read(ClockId::Realtime);
            let after = read(ClockId::Monotonic);
            (after - before, wall - (before + (after - before) / 2))
        });
        Self { offset_ns: pairs.min().map_or(0, |(_, offset)| offset) }
    }

    /// An anchor known from elsewhere: a recording, a test.
    pub fn with_offset(offset_ns: i64) -> Self {
        Self { offset_ns }
    }

    /// The wall time of a monotonic one, in ns since 1970.
    pub fn unix_ns(self, monotonic_ns: u64) -> i64 {
        i64::try_from(monotonic_ns).unwrap_or(i64::MAX).saturating_add(self.offset_ns)
    }
}

/// Writes times as `2026-12-01T04:16:00.123456789Z`. Times of one second share the work of the date.
#[derive(Debug, Default)]
pub struct Rfc3339 {
    second: Option<i64>,
    /// `2026-12-01T04:16:00.` of `second`.
    prefix: Vec<u8>,
}

impl Rfc3339 {
    /// Appends a time given in ns since 1970.
    pub fn write(&mut self, out: &mut Vec<u8>, unix_ns: i64) {
        let (second, ns) = (unix_ns.div_euclid(SECOND_NS), unix_ns.rem_euclid(SECOND_NS));
        if self.second != Some(second) {
            let time = Timestamp::from_second(second).unwrap_or(Timestamp::UNIX_EPOCH);
            self.prefix.clear();
            // Writing to memory cannot fail.
            let _ = DateTimePrinter::new().precision(Some(0)).print_timestamp(&time, &mut self.prefix);
            if self.prefix.last() == Some(&b'Z') {
                self.prefix.pop();
            }
            self.prefix.push(b'.');
            self.second = Some(second);
        }
        out.extend_from_slice(&self.prefix);
        let mut digits = [b'0'; 9];
        let mut rest = ns.unsigned_abs();
        for digit in digits.iter_mut().rev() {
            // A remainder by ten is a digit.
            *digit = b'0' + u8::try_from(rest % 10).unwrap_or(0);
            rest /= 10;
        }
        out.extend_from_slice(&digits);
        out.push(b'Z');
    }

    /// A time as text of its own.
    pub fn text(&mut self, unix_ns: i64) -> String {
        let mut out = Vec::with_capacity(32);
        self.write(&mut out, unix_ns);
        String::from_utf8_lossy(&out).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_with_nine_digits_whatever_the_second() {
        let mut times = Rfc3339::default();
        assert_eq!(times.text(0), "1970-01-01T00:00:00.000000000Z");
        assert_eq!(times.text(1_796_098_560_000_000_007), "2026-12-01T04:16:00.000000007Z");
        assert_eq!(times.text(1_796_098_560_999_999_999), "2026-12-01T04:16:00.999999999Z");
        assert_eq!(times.text(1_796_098_561_123_000_000), "2026-12-01T04:16:01.123000000Z");
        assert_eq!(times.text(-1), "1969-12-31T23:59:59.999999999Z");
        for extreme in [i64::MIN, i64::MAX] {
            assert!(times.text(extreme).parse::<Timestamp>().is_ok());
        }
    }

    #[test]
    fn the_anchor_maps_the_present_to_the_present() {
        let clock = WallClock::now();
        let before = Timestamp::now().as_nanosecond();
        let monotonic = clock_gettime(ClockId::Monotonic);
        let mapped = clock.unix_ns((monotonic.tv_sec * SECOND_NS + monotonic.tv_nsec).unsigned_abs());
        let after = Timestamp::now().as_nanosecond();
        let slack = 50_000_000;
        assert!((before - slack..=after + slack).contains(&i128::from(mapped)));
    }
}
