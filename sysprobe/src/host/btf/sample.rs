//! Builds small BTF blobs for tests.

/// A blob under construction. Type numbers are handed out from 1 in the order of the calls.
pub(in crate::host) struct Sample {
    types: Vec<u8>,
    strings: Vec<u8>,
    count: u32,
}

impl Sample {
    pub(in crate::host) fn new() -> Self {
        Self { types: Vec::new(), strings: vec![0], count: 0 }
    }

    /// Adds a string; gives its offset.
    pub(in crate::host) fn name(&mut self, name: &str) -> u32 {
        if name.is_empty() {
            return 0;
        }
        let at = self.strings.len() as u32;
        self.strings.extend(name.as_bytes());
        self.strings.push(0);
        at
    }

    /// A type of any kind: `words` is what follows the head.
    pub(in crate::host) fn raw(
        &mut self,
        name: &str,
        kind: u32,
        flag: bool,
        count: u32,
        size: u32,
        words: &[u32],
    ) -> u32 {
        let name_at = self.name(name);
        let info = kind << 24 | count | u32::from(flag) << 31;
        for word in [name_at, info, size].iter().chain(words) {
            self.types.extend(word.to_le_bytes());
        }
        self.count += 1;
        self.count
    }

    pub(in crate::host) fn int(&mut self, name: &str, bytes: u32) -> u32 {
        self.raw(name, 1, false, 0, bytes, &[bytes * 8])
    }

    /// Typedef (8), const (10), volatile (9), pointer (2) or type tag (18) of another type.
    pub(in crate::host) fn refer(&mut self, name: &str, kind: u32, to: u32) -> u32 {
        self.raw(name, kind, false, 0, to, &[])
    }

    /// A structure; members are name, type, byte offset.
    pub(in crate::host) fn record(&mut self, name: &str, bytes: u32, members: &[(&str, u32, u32)]) -> u32 {
        let words: Vec<u32> = members.iter().flat_map(|&(n, ty, at)| [self.name(n), ty, at * 8]).collect();
        self.raw(name, 4, false, members.len() as u32, bytes, &words)
    }

    /// A tracepoint's typedef, pointer and prototype; the leading `void *` is added.
    pub(in crate::host) fn tracepoint(&mut self, name: &str, args: &[u32]) -> u32 {
        let data = self.refer("", 2, 0);
        let words: Vec<u32> = std::iter::once(data).chain(args.iter().copied()).flat_map(|ty| [0, ty]).collect();
        let proto = self.raw("", 13, false, args.len() as u32 + 1, 0, &words);
        let pointer = self.refer("", 2, proto);
        self.refer(&format!("btf_trace_{name}"), 8, pointer)
    }

    pub(in crate::host) fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend(0xeb9f_u16.to_le_bytes());
        out.extend([1, 0]);
        let (types, strings) = (self.types.len() as u32, self.strings.len() as u32);
        for word in [24, 0, types, types, strings] {
            out.extend(word.to_le_bytes());
        }
        out.extend(&self.types);
        out.extend(&self.strings);
        out
    }
}
