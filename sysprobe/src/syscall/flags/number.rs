//! Numbers as strace writes them: `-1`, `0x2a` (zero is `0`), `0644`, `NULL` for a null pointer.
//!
//! Appends to a byte buffer and allocates nothing but that buffer's growth. Owns no names: see the sets for those.

/// Appends a signed decimal.
pub fn write_int(out: &mut Vec<u8>, value: i64) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends an unsigned decimal.
pub fn write_uint(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends `0x` and lower-case hexadecimal digits; zero is `0`, as C's `%#x` has it.
pub fn write_hex(out: &mut Vec<u8>, value: u64) {
    if value == 0 {
        out.push(b'0');
        return;
    }
    out.extend_from_slice(b"0x");
    write_hex_digits(out, value, 1);
}

/// Appends hexadecimal digits without a prefix, at least `width` of them (at most 16).
pub fn write_hex_digits(out: &mut Vec<u8>, value: u64, width: u32) {
    let used = (u64::BITS - value.leading_zeros()).div_ceil(4);
    for digit in (0..used.max(width).min(16)).rev() {
        let nibble = (value >> (digit * 4)) as u8 & 0xf;
        out.push(if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 });
    }
}

/// Appends octal digits after a leading zero, at least three characters in all (`000`, `0644`): modes and umasks.
pub fn write_octal(out: &mut Vec<u8>, value: u64) {
    out.push(b'0');
    let used = (u64::BITS - value.leading_zeros()).div_ceil(3);
    // 1 and 2 digits: C's `%#03o` counts the zero it adds as one of the three.
    for digit in (0..used.max(2)).rev() {
        out.push(b'0' + ((value >> (digit * 3)) as u8 & 7));
    }
}

/// Appends a pointer: `0x7ffd…` in hexadecimal, or `NULL`.
pub fn write_pointer(out: &mut Vec<u8>, value: u64) {
    if value == 0 {
        out.extend_from_slice(b"NULL");
    } else {
        write_hex(out, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: fn(&mut Vec<u8>, u64), value: u64) -> String {
        let mut out = Vec::new();
        write(&mut out, value);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_read_as_c_prints_them() {
        assert_eq!(text(write_hex, 0), "0");
        assert_eq!(text(write_hex, 0x10), "0x10");
        assert_eq!(text(write_hex, u64::MAX), "0xffffffffffffffff");
        assert_eq!(text(write_octal, 0), "000");
        assert_eq!(text(write_octal, 7), "007");
        assert_eq!(text(write_octal, 0o22), "022");
        assert_eq!(text(write_octal, 0o644), "0644");
        assert_eq!(text(write_octal, 0o4755), "04755");
        assert_eq!(text(write_pointer, 0), "NULL");
        assert_eq!(text(write_pointer, 0x7ffd), "0x7ffd");
    }
}
