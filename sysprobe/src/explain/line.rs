//! One line of pasted text without what loggers put before it.
//!
//! Understands dmesg (plain, `-T`, `-x`, `-d`, caller ids), `/var/log` with classic and ISO stamps, journalctl's short
//! forms, raw `<4>` levels, quoted mail and lines whose first bytes were cut. It does not interpret the message.

/// A line split into what a logger added and what the kernel said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Line<'a> {
    /// The message, trimmed.
    pub text: &'a str,
    /// The stamp nearest to the message, as printed.
    pub time: Option<&'a str>,
    /// The host, where a syslog prefix names it.
    pub host: Option<&'a str>,
    /// Whether the whole line was blank (not merely its message).
    pub blank: bool,
}

/// How far into a line the tag `kernel:` is looked for.
const TAG_WITHIN: usize = 120;

impl<'a> Line<'a> {
    /// Splits one line; never fails.
    pub fn parse(raw: &'a str) -> Self {
        let mut line = Line { text: raw.trim(), blank: raw.trim().is_empty(), ..Line::default() };
        while let Some(rest) = line.text.strip_prefix('>') {
            line.text = rest.trim_start();
        }
        line.strip_level();
        line.strip_syslog();
        // Levels, stamps and caller ids come in any order and number.
        for _ in 0..6 {
            if !(line.strip_level() || line.strip_facility() || line.strip_bracket() || line.strip_cut_stamp()) {
                break;
            }
        }
        line.text = line.text.trim();
        line
    }

    fn strip_level(&mut self) -> bool {
        let Some((digits, rest)) = self.text.strip_prefix('<').and_then(|t| t.split_once('>')) else { return false };
        let level = !digits.is_empty() && digits.len() <= 3 && digits.bytes().all(|b| b.is_ascii_digit());
        if level {
            self.text = rest.trim_start();
        }
        level
    }

    /// `dmesg -x`: `kern  :err   : `.
    fn strip_facility(&mut self) -> bool {
        let Some(rest) = self.text.strip_prefix("kern").map(str::trim_start) else { return false };
        let Some((level, rest)) = rest.strip_prefix(':').and_then(|t| t.split_once(':')) else { return false };
        let known = matches!(level.trim(), "emerg" | "alert" | "crit" | "err" | "warn" | "notice" | "info" | "debug");
        if known {
            self.text = rest.trim_start();
        }
        known
    }

    /// Everything up to ` kernel: `, which holds the stamp and the host.
    fn strip_syslog(&mut self) {
        let Some(at) = tag_position(self.text) else {
            self.strip_iso();
            return;
        };
        let (Some(head), Some(tail)) = (self.text.get(..at), self.text.get(at..)) else { return };
        let rest = tail.find(": ").map_or_else(|| tail.strip_suffix(':').map(|_| ""), |colon| tail.get(colon + 2..));
        let Some(rest) = rest else { return };
        let head = head.trim_end();
        // An empty host leaves only the stamp before the tag.
        let (time, host) = match head.rsplit_once(' ') {
            Some((time, host)) if !host.is_empty() && !host.contains(':') && !host.ends_with(']') => {
                (time.trim(), Some(host))
            }
            _ => (head, None),
        };
        if !time.is_empty() {
            self.time = Some(time.trim_matches(['[', ']']).trim());
        }
        self.host = host.filter(|h| h.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b)));
        self.text = rest;
    }

    /// `dmesg --time-format iso`: `2026-01-02T03:04:05,678901+00:00 text`.
    fn strip_iso(&mut self) {
        let Some((stamp, rest)) = self.text.split_once(' ') else { return };
        let bytes = stamp.as_bytes();
        let is_iso = bytes.len() >= 19
            && bytes.get(4) == Some(&b'-')
            && bytes.get(10) == Some(&b'T')
            && bytes.get(13) == Some(&b':')
            && bytes.iter().all(|b| b.is_ascii_digit() || b"-:T+,.Z".contains(b));
        if is_iso {
            self.time = Some(stamp);
            self.text = rest.trim_start();
        }
    }

    /// `[ 123.456]`, `[Thu May 20 08:53:35 2021]`, `[  +0.000049]`, `[  T329]`.
    fn strip_bracket(&mut self) -> bool {
        let Some((inner, rest)) = self.text.strip_prefix('[').and_then(|t| t.split_once(']')) else { return false };
        let inner = inner.trim();
        let stamp = is_seconds(inner.strip_prefix('+').unwrap_or(inner)) || is_date(inner);
        if !stamp && !is_caller_id(inner) {
            return false;
        }
        if stamp {
            self.time = Some(inner);
        }
        self.text = rest.trim_start();
        true
    }

    /// `125545.834971] text`: the first byte was cut.
    fn strip_cut_stamp(&mut self) -> bool {
        let Some((inner, rest)) = self.text.split_once(']') else { return false };
        let cut = inner.len() <= 24 && (is_seconds(inner.trim()) || is_date(inner.trim()));
        if cut {
            self.time = Some(inner.trim());
            self.text = rest.trim_start();
        }
        cut
    }
}

/// Where the word `kernel` with its colon starts, when it is the tag of a syslog line.
fn tag_position(text: &str) -> Option<usize> {
    let at = text.find("kernel:").or_else(|| text.find("kernel["))?;
    if at > TAG_WITHIN || at == 0 {
        return None;
    }
    let head = text.get(..at)?;
    // A tag stands after a blank and behind something that looks like a stamp.
    (head.ends_with(' ') && head.bytes().filter(u8::is_ascii_digit).count() >= 4).then_some(at)
}

fn is_seconds(text: &str) -> bool {
    // Some locales print a comma.
    let Some((whole, part)) = text.split_once(['.', ',']) else { return false };
    !whole.is_empty()
        && (3..=9).contains(&part.len())
        && whole.len() <= 12
        && whole.bytes().chain(part.bytes()).all(|b| b.is_ascii_digit())
}

fn is_date(text: &str) -> bool {
    let mut words = text.split_ascii_whitespace();
    let weekday = words.next().unwrap_or("");
    let month = words.next().unwrap_or("");
    let named = |w: &str| w.len() == 3 && w.bytes().all(|b| b.is_ascii_alphabetic());
    named(weekday) && named(month) && words.any(|w| w.len() >= 8 && w.as_bytes().get(2) == Some(&b':'))
}

fn is_caller_id(text: &str) -> bool {
    let mut bytes = text.bytes();
    matches!(bytes.next(), Some(b'T' | b'C')) && text.len() > 1 && bytes.all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_logger_leaves_the_same_message() {
        let said = "INFO: task a:1 blocked for more than 120 seconds.";
        for prefix in [
            "",
            "> > ",
            "<3>",
            "[36247.368103] ",
            "<3>[36247.368103] ",
            "[ 1250.711454][  T329] ",
            "[  T41] ",
            "[Thu May 20 08:53:35 2021] ",
            "[  +0.000049] ",
            "[  +0,000049] ",
            "125545.834971] ",
            "kern  :err   : [  244.584098] ",
            "Apr  5 13:43:10 host1 kernel: [ 8701.053320] ",
            "Apr 05 13:43:10 host1 kernel: ",
            "Apr  5 13:43:10.123456 host1 kernel: ",
            "May 11 20:01:38  kernel: ",
            "2026-04-05T13:43:10+0200 host1 kernel: ",
            "2026-04-05T13:43:10.123456+00:00 host1 kernel: [ 8701.053320] ",
            "2026-04-05T13:43:10,123456+00:00 ",
            "[ 8701.053320] host1 kernel: ",
            "1775389390.123456 host1 kernel: ",
        ] {
            let raw = format!("{prefix}{said}\r");
            assert_eq!(Line::parse(&raw).text, said, "{prefix:?}");
        }
    }

    #[test]
    fn stamp_and_host_are_kept() {
        let line = Line::parse("Apr  5 13:43:10 host1 kernel: [ 8701.053320] x");
        assert_eq!((line.time, line.host), (Some("8701.053320"), Some("host1")));
        let line = Line::parse("Jan 15 14:22:39 host1 kernel: x");
        assert_eq!((line.time, line.host), (Some("Jan 15 14:22:39"), Some("host1")));
    }

    #[test]
    fn brackets_of_the_message_stay() {
        for text in
            ["[<0>] f+0x1/0x2", "[  957]     0   957 1 2 3 0 x", "[ pid ]   uid", "[c000000375] [c0000] f+0x1/0x2"]
        {
            assert_eq!(Line::parse(text).text, text);
        }
    }
}
