//! Times, intervals and clock adjustment.
//!
//! Layouts: include/uapi/linux/time_types.h, time.h, timex.h, times.h, utime.h. Times to set on files carry the date, as local time.

use super::StructSpec;
use super::fields::{Fields, signed, unsigned};
use crate::syscall::flags::number::{write_int, write_uint};
use crate::syscall::flags::time;
use jiff::tz::TimeZone;
use std::io::Write as _;

/// `struct timespec`.
pub static TIMESPEC: StructSpec = StructSpec { size: 16, write: timespec };
/// `struct timeval`.
pub static TIMEVAL: StructSpec = StructSpec { size: 16, write: timeval };
/// `struct timezone`.
pub static TIMEZONE: StructSpec = StructSpec { size: 8, write: timezone };
/// `struct itimerspec`.
pub static ITIMERSPEC: StructSpec = StructSpec { size: 32, write: itimerspec };
/// `struct itimerval`.
pub static ITIMERVAL: StructSpec = StructSpec { size: 32, write: itimerval };
/// `struct tms`.
pub static TMS: StructSpec = StructSpec { size: 32, write: tms };
/// `struct timex`.
pub static TIMEX: StructSpec = StructSpec { size: 208, write: timex };
/// `struct utimbuf`.
pub static UTIMBUF: StructSpec = StructSpec { size: 16, write: utimbuf };
/// The two `timeval` of `utimes`: `[{..} /* 2023-11-14T22:13:20.000005+0000 */, {..}]`.
pub static UTIMES: StructSpec = StructSpec { size: 32, write: utimes };
/// The two `timespec` of `utimensat`: also `[UTIME_NOW, UTIME_OMIT]`.
pub static UTIMENS: StructSpec = StructSpec { size: 32, write: utimens };

fn timespec(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.int("tv_sec", 0, 8);
    fields.uint("tv_nsec", 8, 8);
    fields.close();
}

fn timeval(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.int("tv_sec", 0, 8);
    fields.uint("tv_usec", 8, 8);
    fields.close();
}

fn timezone(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.int("tz_minuteswest", 0, 4);
    fields.int("tz_dsttime", 4, 4);
    fields.close();
}

fn itimerspec(out: &mut Vec<u8>, bytes: &[u8]) {
    interval(out, bytes, timespec);
}

fn itimerval(out: &mut Vec<u8>, bytes: &[u8]) {
    interval(out, bytes, timeval);
}

fn interval(out: &mut Vec<u8>, bytes: &[u8], part: fn(&mut Vec<u8>, &[u8])) {
    let mut fields = Fields::open(out, bytes);
    fields.nested("it_interval", 0, 16, part);
    fields.nested("it_value", 16, 16, part);
    fields.close();
}

fn tms(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    for (at, name) in (0..).step_by(8).zip(["tms_utime", "tms_stime", "tms_cutime", "tms_cstime"]) {
        fields.with(name, at, 8, write_ticks);
    }
    fields.close();
}

/// Appends clock ticks, with what they are in seconds: `150 /* 1.50 s */`. User space always sees 100 ticks a second.
pub(super) fn write_ticks(out: &mut Vec<u8>, ticks: u64) {
    write_uint(out, ticks);
    if ticks > 0 {
        out.extend_from_slice(b" /* ");
        write_uint(out, ticks / 100);
        out.push(b'.');
        out.push(b'0' + (ticks % 100 / 10) as u8);
        out.push(b'0' + (ticks % 10) as u8);
        out.extend_from_slice(b" s */");
    }
}

fn timex(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.flags("modes", 0, 4, &time::ADJ);
    for (at, name) in (8..).step_by(8).zip(["offset", "freq", "maxerror", "esterror"]) {
        fields.int(name, at, 8);
    }
    fields.flags("status", 40, 4, &time::STA);
    for (at, name) in (48..).step_by(8).zip(["constant", "precision", "tolerance"]) {
        fields.int(name, at, 8);
    }
    fields.nested("time", 72, 16, timeval);
    for (at, name) in (88..).step_by(8).zip(["tick", "ppsfreq", "jitter"]) {
        fields.int(name, at, 8);
    }
    fields.int("shift", 112, 4);
    for (at, name) in (120..).step_by(8).zip(["stabil", "jitcnt", "calcnt", "errcnt", "stbcnt"]) {
        fields.int(name, at, 8);
    }
    fields.int("tai", 160, 4);
    fields.close();
}

fn utimbuf(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    for (at, name) in [(0, "actime"), (8, "modtime")] {
        fields.with_bytes(name, at, 8, |out, bytes| {
            write_int(out, signed(bytes));
            write_date(out, &TimeZone::system(), signed(bytes), 0, 0);
        });
    }
    fields.close();
}

fn utimes(out: &mut Vec<u8>, bytes: &[u8]) {
    pair(out, bytes, |out, bytes| {
        timeval(out, bytes);
        write_date_of(out, bytes, 6);
    });
}

fn utimens(out: &mut Vec<u8>, bytes: &[u8]) {
    pair(out, bytes, |out, bytes| match bytes.get(8..16).map(signed) {
        Some(libc::UTIME_NOW) => out.extend_from_slice(b"UTIME_NOW"),
        Some(libc::UTIME_OMIT) => out.extend_from_slice(b"UTIME_OMIT"),
        _ => {
            timespec(out, bytes);
            write_date_of(out, bytes, 9);
        }
    });
}

fn pair(out: &mut Vec<u8>, bytes: &[u8], show: fn(&mut Vec<u8>, &[u8])) {
    let (first, second) = bytes.split_at_checked(16).unwrap_or((bytes, &[]));
    out.push(b'[');
    show(out, first);
    if !second.is_empty() {
        out.extend_from_slice(b", ");
        show(out, second.get(..16).unwrap_or(second));
    } else {
        out.extend_from_slice(b", ...");
    }
    out.push(b']');
}

/// The date of a timespec (`digits` 9) or timeval (`digits` 6), if both words are whole.
fn write_date_of(out: &mut Vec<u8>, bytes: &[u8], digits: u32) {
    if let (Some(seconds), Some(fraction)) = (bytes.get(..8), bytes.get(8..16)) {
        write_date(out, &TimeZone::system(), signed(seconds), unsigned(fraction), digits);
    }
}

/// Appends ` /* 2023-11-14T22:13:20.000005+0000 */`; nothing for the epoch itself, or a time no calendar has.
fn write_date(out: &mut Vec<u8>, zone: &TimeZone, seconds: i64, fraction: u64, digits: u32) {
    if (seconds == 0 && fraction == 0) || fraction >= 10u64.pow(digits) {
        return;
    }
    let Ok(time) = jiff::Timestamp::from_second(seconds) else { return };
    let local = time.to_zoned_datetime(zone.clone());
    // Writing into a vector cannot fail; a format that could would only leave the date out.
    let _ = write!(out, " /* {}", local.strftime("%Y-%m-%dT%H:%M:%S"));
    if fraction > 0 {
        let _ = write!(out, ".{fraction:0width$}", width = digits as usize);
    }
    let _ = write!(out, "{} */", local.strftime("%z"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_set_on_files_carry_the_date_of_the_zone() {
        let date = |zone: &TimeZone, seconds, fraction, digits| {
            let mut out = Vec::new();
            write_date(&mut out, zone, seconds, fraction, digits);
            String::from_utf8(out).unwrap()
        };
        let east = TimeZone::fixed(jiff::tz::offset(2));
        assert_eq!(date(&TimeZone::UTC, 1_700_000_000, 5, 9), " /* 2023-11-14T22:13:20.000000005+0000 */");
        assert_eq!(date(&east, 1_700_000_000, 5, 6), " /* 2023-11-15T00:13:20.000005+0200 */");
        assert_eq!(date(&TimeZone::UTC, -5, 0, 9), " /* 1969-12-31T23:59:55+0000 */");
        for (seconds, fraction, digits) in [(0, 0, 9), (1 << 62, 0, 9), (5, 1 << 31, 9), (5, 1_000_000, 6)] {
            assert_eq!(date(&TimeZone::UTC, seconds, fraction, digits), "");
        }
    }
}
