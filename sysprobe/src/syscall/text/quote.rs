//! Strings as strace quotes them: printable ASCII as it is, C escapes, the rest in octal. No control byte gets through.

/// What each byte becomes: 0 itself, 1 octal, else a backslash and this letter.
static ESCAPES: [u8; 256] = {
    let mut table = [1u8; 256];
    let mut byte = 0x20;
    while byte < 0x7f {
        table[byte] = 0;
        byte += 1;
    }
    table[b'"' as usize] = b'"';
    table[b'\\' as usize] = b'\\';
    table[b'\n' as usize] = b'n';
    table[b'\t' as usize] = b't';
    table[b'\r' as usize] = b'r';
    table[0x0b] = b'v';
    table[0x0c] = b'f';
    table
};

/// Appends `bytes` with escapes, without quotes. Bytes of `also` are written in octal too.
pub fn write_escaped(out: &mut Vec<u8>, bytes: &[u8], also: &[u8]) {
    let mut rest = bytes;
    while !rest.is_empty() {
        let plain =
            rest.iter().position(|byte| ESCAPES[usize::from(*byte)] != 0 || also.contains(byte)).unwrap_or(rest.len());
        let (head, tail) = rest.split_at(plain);
        out.extend_from_slice(head);
        let Some((byte, after)) = tail.split_first() else { return };
        match ESCAPES[usize::from(*byte)] {
            0 | 1 => write_octal_escape(out, *byte, after.first().copied()),
            letter => out.extend_from_slice(&[b'\\', letter]),
        }
        rest = after;
    }
}

/// `\0`, `\33`, `\303`: as short as may be, three digits before another octal digit.
fn write_octal_escape(out: &mut Vec<u8>, byte: u8, next: Option<u8>) {
    let digits = [b'0' + (byte >> 6), b'0' + (byte >> 3 & 7), b'0' + (byte & 7)];
    let full = matches!(next, Some(b'0'..=b'7'));
    let skip = match digits {
        _ if full => 0,
        [b'0', b'0', _] => 2,
        [b'0', ..] => 1,
        _ => 0,
    };
    out.push(b'\\');
    out.extend_from_slice(digits.get(skip..).unwrap_or(&digits));
}

/// Appends `"bytes"`, at most `limit` of them; `"..."...` if there were more, here or (`cut`) where they came from.
pub fn write_quoted(out: &mut Vec<u8>, bytes: &[u8], limit: usize, cut: bool) {
    let shown = bytes.get(..limit).unwrap_or(bytes);
    out.push(b'"');
    write_escaped(out, shown, b"");
    out.push(b'"');
    if cut || shown.len() < bytes.len() {
        out.extend_from_slice(b"...");
    }
}

/// Like [`write_quoted`], every byte in hex (`"\x1f\x8b"`).
pub fn write_quoted_hex(out: &mut Vec<u8>, bytes: &[u8], limit: usize, cut: bool) {
    let shown = bytes.get(..limit).unwrap_or(bytes);
    out.push(b'"');
    for byte in shown {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digit = |nibble: u8| DIGITS[usize::from(nibble & 15)];
        out.extend_from_slice(&[b'\\', b'x', digit(byte >> 4), digit(*byte)]);
    }
    out.push(b'"');
    if cut || shown.len() < bytes.len() {
        out.extend_from_slice(b"...");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(bytes: &[u8], limit: usize, cut: bool) -> String {
        let mut out = Vec::new();
        write_quoted(&mut out, bytes, limit, cut);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn strings_are_escaped_as_strace_does() {
        assert_eq!(quoted(b"a\"b\\c\n\t\r\x0b\x0c", 32, false), r#""a\"b\\c\n\t\r\v\f""#);
        assert_eq!(quoted(b"\0", 32, false), r#""\0""#);
        assert_eq!(quoted(b"\x001\x008\x1bx\x7f", 32, false), r#""\0001\08\33x\177""#);
        assert_eq!(quoted("é".as_bytes(), 32, false), r#""\303\251""#);
    }

    #[test]
    fn long_and_cut_strings_are_marked() {
        assert_eq!(quoted(b"abcd", 3, false), r#""abc"..."#);
        assert_eq!(quoted(b"abc", 3, false), r#""abc""#);
        assert_eq!(quoted(b"abc", 9, true), r#""abc"..."#);
        assert_eq!(quoted(b"abc", 0, false), r#"""..."#);
    }

    #[test]
    fn hex_strings_show_every_byte_by_its_number() {
        let mut out = Vec::new();
        write_quoted_hex(&mut out, b"\x00a\xff", 2, false);
        assert_eq!(out, br#""\x00\x61"..."#);
    }
}
