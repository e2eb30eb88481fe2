//! Text of others made safe for a terminal: command names, paths and log lines never reach it raw.

/// The text with control characters, invisible characters and direction overrides shown as `\xNN` or `\u{..}`.
pub fn printable(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        let invisible = matches!(
            c,
            '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        );
        if c.is_control() || invisible || c == char::REPLACEMENT_CHARACTER {
            safe.extend(c.escape_default());
        } else {
            safe.push(c);
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_do_not_survive() {
        let safe = printable("a\u{1b}[31m\r\n\u{9b}1m\u{202e}b é");
        assert!(safe.chars().all(|c| !c.is_control() && c != '\u{202e}'), "{safe:?}");
        assert!(safe.starts_with('a') && safe.ends_with("b é"));
    }
}
