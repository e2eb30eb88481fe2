//! Quantities with units on the command line: durations and sizes.

use std::time::Duration;

/// A duration such as `10ms`, `1.5s`, `2m`. A bare number is seconds.
///
/// # Errors
/// A line that says what is understood.
pub fn duration(text: &str) -> Result<Duration, String> {
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).map_err(|_| format!("{text} s is not a duration"));
    }
    if let Some((number, scale)) = [("us", 1e-6), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0)]
        .iter()
        .find_map(|(unit, scale)| Some((text.strip_suffix(unit)?.trim().parse::<f64>().ok()?, scale)))
    {
        return Duration::try_from_secs_f64(number * scale).map_err(|_| format!("{text} is not a duration"));
    }
    humantime::parse_duration(text)
        .map_err(|_| "a duration is a number and a unit: 500us, 10ms, 1.5s, 2m, 1h".to_owned())
}

/// A size in bytes such as `64MiB`, `512k`. A bare number is bytes; all units are powers of 1024.
///
/// # Errors
/// A line that says what is understood.
pub fn size(text: &str) -> Result<u64, String> {
    let wrong = || "a size is a number and a unit: 4096, 512KiB, 64MiB, 1GiB".to_owned();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let shift = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        _ => return Err(wrong()),
    };
    number.parse::<u64>().ok().and_then(|n| n.checked_mul(1 << shift)).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_take_units_and_fractions() {
        for (text, ns) in [
            ("10ms", 10_000_000),
            ("1.5s", 1_500_000_000),
            ("250us", 250_000),
            ("2", 2_000_000_000),
            ("1m", 60_000_000_000),
        ] {
            assert_eq!(duration(text).unwrap().as_nanos(), ns, "{text}");
        }
        assert_eq!(duration("1m 30s").unwrap().as_secs(), 90);
        for text in ["", "ms", "-1", "-3s", "1 fortnight", "1e400", "nan"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_powers_of_1024() {
        assert_eq!(size("64MiB").unwrap(), 64 << 20);
        assert_eq!(size("512k").unwrap(), 512 << 10);
        assert_eq!(size("4096").unwrap(), 4096);
        for text in ["", "MiB", "-1", "1TiB", "99999999999999999999", "17179869184GiB"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
