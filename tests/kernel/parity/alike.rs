//! Takes away from a line what differs between two runs of the same program, and what the two tracers show differently on purpose.

use std::collections::BTreeMap;

use crate::line::{Call, Line};

/// Calls whose results are times or use of resources: every number in them differs.
const MEASURES: [&str; 9] =
    ["clock_gettime", "gettimeofday", "getrusage", "times", "time", "sysinfo", "adjtimex", "getcpu", "clock_adjtime"];
/// Addresses of mappings, the heap and the stack have at least this many hex digits.
const ADDRESS_DIGITS: usize = 9;
/// The first port the kernel gives out by itself (ip_local_port_range).
const FIRST_EPHEMERAL: u64 = 32_768;
/// Bytes of a directory listing that sysprobe certainly reads whole.
const WHOLE_DIRENTS: usize = 3_900;

/// What is known of one run.
pub struct Alike {
    tids: BTreeMap<u64, String>,
    /// Inodes of pipes, sockets and the like by when they were first seen.
    inodes: BTreeMap<u64, usize>,
    /// The tracer's pid: the first thread's parent.
    tracer: Option<u64>,
}

impl Alike {
    /// `places`: threads by id, with their place in the tree.
    pub fn new(places: &BTreeMap<u32, String>) -> Self {
        let tids = places.iter().map(|(tid, place)| (u64::from(*tid), format!("TID{place}"))).collect();
        Self { tids, inodes: BTreeMap::new(), tracer: None }
    }

    /// A thread's lines.
    pub fn thread(&mut self, lines: &[Line]) -> Vec<String> {
        let (mut rest, mut late) = (Vec::new(), Vec::new());
        let mut children = 0;
        for line in lines {
            let is_call = |name: &str| matches!(line, Line::Call(call) if call.name == name);
            children += usize::from(["clone", "clone3", "fork", "vfork"].into_iter().any(is_call));
            let child_ended = matches!(line, Line::Signal(text) if text.starts_with("SIGCHLD"));
            if child_ended || is_call("rt_sigreturn") { late.push(line) } else { rest.push(line) }
        }
        // SIGCHLD comes when the child is gone: not at the same call in every run, and once for several that go together. So its
        // handler, if there is one, returns elsewhere. Where there are no children, all signals are compared, after the calls.
        if children == 0 {
            rest.extend(late);
        }
        rest.into_iter().map(|line| self.line(line)).collect()
    }

    fn line(&mut self, line: &Line) -> String {
        match line {
            Line::Call(call) => self.call(call),
            // CPU time used by the child.
            Line::Signal(text) => {
                format!("--- {} ---", self.words(&without_numbers(text, &["si_utime=", "si_stime="])))
            }
            Line::Exit(text) => format!("+++ {text} +++"),
        }
    }

    fn call(&mut self, call: &Call) -> String {
        if call.name == "getppid" && self.tracer.is_none() {
            let parent = call.result.parse().ok();
            self.tracer = parent.filter(|parent| !self.tids.contains_key(parent));
        }
        let mut args = call.args.clone();
        match call.name.as_str() {
            // The mask lies in the frame on the thread's stack, which sysprobe does not read.
            "rt_sigreturn" => args.clear(),
            "getrandom" => args[0] = "RANDOM".to_owned(),
            // sysprobe reads a part of a long list, and says "about" then.
            "getdents64" if call.result.parse::<usize>().is_ok_and(|result| result > WHOLE_DIRENTS) => {
                args[1] = "MANY ENTRIES".to_owned();
            }
            _ => {}
        }
        let text = format!("{}({}) = {}", call.name, args.join(", "), call.result);
        // sysprobe says that it could not be read, not only where it lies.
        let text = text.replace(" [unreadable]", "");
        let text = if MEASURES.contains(&call.name.as_str()) { numbers_gone(&text) } else { text };
        self.words(&sockets(&text))
    }

    /// Replaces ids, addresses, inodes and ports.
    fn words(&mut self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        while let Some(c) = rest.chars().next() {
            if !is_word(c) {
                out.push(c);
                rest = &rest[c.len_utf8()..];
                continue;
            }
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            let lead = if out.ends_with(":[") && after.starts_with(']') {
                ":["
            } else if out.ends_with("htons(") {
                "htons("
            } else {
                ""
            };
            out.push_str(&self.word(word, lead));
            rest = after;
        }
        out
    }

    fn word(&mut self, word: &str, after: &str) -> String {
        if word.strip_prefix("0x").is_some_and(|digits| digits.len() >= ADDRESS_DIGITS) {
            return "ADDRESS".to_owned();
        }
        let Ok(number) = word.parse::<u64>() else { return word.to_owned() };
        if after == ":[" {
            let next = self.inodes.len();
            return format!("inode {}", self.inodes.entry(number).or_insert(next));
        }
        if Some(number) == self.tracer {
            return "TRACER".to_owned();
        }
        if let Some(place) = self.tids.get(&number) {
            return place.clone();
        }
        if after == "htons(" && number >= FIRST_EPHEMERAL { "PORT".to_owned() } else { word.to_owned() }
    }
}

/// `3<TCP 127.0.0.1:80→127.0.0.1:4242>`, strace's `3<TCP:[127.0.0.1:80->127.0.0.1:4242]>` and its `3<socket:[42]>` as `3<socket>`:
/// sysprobe describes sockets from the kernel's own fields at the call, strace from a netlink dump made after it.
fn sockets(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    const KINDS: [&str; 6] = ["TCP", "UDP", "UNIX", "NETLINK", "socket:[", "PING"];
    while let Some(at) = rest.find('<') {
        let (before, inside) = rest.split_at(at + 1);
        out.push_str(before);
        rest = inside;
        if !KINDS.iter().any(|kind| inside.starts_with(kind)) {
            continue;
        }
        let Some(end) = inside.replace("->", "--").find('>') else { break };
        out.push_str("socket");
        rest = &inside[end..];
    }
    out + rest
}

/// Every number in the arguments gone.
fn numbers_gone(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if !c.is_ascii_digit() {
            out.push(c);
        } else if !out.ends_with('N') {
            out.push('N');
        }
    }
    out
}

/// The numbers behind `names` gone.
fn without_numbers(text: &str, names: &[&str]) -> String {
    let mut out = text.to_owned();
    for name in names {
        if let Some(at) = out.find(name) {
            let at = at + name.len();
            let end = out[at..].find(|c: char| !c.is_ascii_digit()).map_or(out.len(), |end| at + end);
            out.replace_range(at..end, "N");
        }
    }
    out
}
