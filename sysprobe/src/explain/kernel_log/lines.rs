//! Lines of any text in bounded memory: binary junk, a line of 100 MB, no line end at all.

use std::io::{self, BufRead};

/// What is kept of a line; kernel messages end near 1,000 bytes, a cgroup's statistics near 4,000.
pub const MAX_LINE: usize = 16 * 1024;

/// Reads a text line by line, never holding more than `MAX_LINE` bytes of one.
#[derive(Debug)]
pub struct Lines<R> {
    reader: R,
    kept: Vec<u8>,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    /// Lines of `reader`.
    pub fn new(reader: R) -> Self {
        Self { reader, kept: Vec::with_capacity(1024), number: 0 }
    }

    /// The next line's number, from 1, and its bytes without the line end; `None` at the end.
    pub fn next_line(&mut self) -> io::Result<Option<(u64, &[u8])>> {
        self.kept.clear();
        let mut any = false;
        loop {
            let chunk = match self.reader.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if chunk.is_empty() {
                break;
            }
            any = true;
            let end = chunk.iter().position(|b| *b == b'\n');
            let part = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or(chunk);
            let room = MAX_LINE.saturating_sub(self.kept.len());
            self.kept.extend_from_slice(part.get(..room.min(part.len())).unwrap_or(&[]));
            let used = end.map_or(chunk.len(), |at| at + 1);
            self.reader.consume(used);
            if end.is_some() {
                break;
            }
        }
        if !any {
            return Ok(None);
        }
        self.number += 1;
        Ok(Some((self.number, &self.kept)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_huge_line_is_cut_and_the_next_one_is_whole() {
        let mut text = vec![b'x'; 10 * MAX_LINE];
        text.extend_from_slice(b"\nshort\r\nlast");
        let mut lines = Lines::new(io::BufReader::with_capacity(64, text.as_slice()));
        assert_eq!(lines.next_line().expect("reads").map(|(n, l)| (n, l.len())), Some((1, MAX_LINE)));
        assert_eq!(lines.next_line().expect("reads").map(|(n, l)| (n, l.to_vec())), Some((2, b"short\r".to_vec())));
        assert_eq!(lines.next_line().expect("reads").map(|(n, l)| (n, l.to_vec())), Some((3, b"last".to_vec())));
        assert_eq!(lines.next_line().expect("reads"), None);
    }
}
