//! A line of strace's form taken apart: what it is, of which call, with which arguments and result.

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    Call(Call),
    /// `--- SIGCHLD {..} ---`, without the dashes.
    Signal(String),
    /// `+++ exited with 0 +++`, without the crosses.
    Exit(String),
}

/// A system call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub name: String,
    pub args: Vec<String>,
    /// What stands behind `= `: `3</etc/hosts>`, `-1 ENOENT (No such file or directory)`, `?`. Empty while unfinished.
    pub result: String,
    /// What follows the result: `<0.000012> {blocked 1ms}`.
    pub took: String,
}

impl Call {
    /// The error's name.
    pub fn errno(&self) -> Option<&str> {
        self.result.strip_prefix("-1 ")?.split(' ').next()
    }
}

/// The lines of a file with the thread's id in front (`-o`), with their threads.
pub fn with_threads(text: &str) -> Vec<(u32, Line)> {
    let lines = text.lines().filter(|line| !line.starts_with("sysprobe: "));
    lines.map(|line| with_thread(line).unwrap_or_else(|| panic!("cannot be read: {line}"))).collect()
}

fn with_thread(line: &str) -> Option<(u32, Line)> {
    let (tid, rest) = line.split_once(' ')?;
    // `1234/7`: the second number is the thread's in its own pid namespace.
    let tid = tid.split('/').next()?.parse().ok()?;
    Some((tid, parse(rest.trim_start())?))
}

/// The calls among lines.
pub fn calls<'a>(lines: impl IntoIterator<Item = &'a (u32, Line)>) -> impl Iterator<Item = (u32, &'a Call)> {
    lines.into_iter().filter_map(|(tid, line)| match line {
        Line::Call(call) => Some((*tid, call)),
        _ => None,
    })
}

/// A line from its time of day on.
pub fn parse(line: &str) -> Option<Line> {
    let (_time, rest) = line.split_once(' ')?;
    if let Some(signal) = rest.strip_prefix("--- ") {
        return Some(Line::Signal(signal.strip_suffix(" ---")?.to_owned()));
    }
    if let Some(exit) = rest.strip_prefix("+++ ") {
        return Some(Line::Exit(exit.strip_suffix(" +++")?.to_owned()));
    }
    let (name, rest) = rest.split_once('(')?;
    let (args, rest) = arguments(rest);
    let rest = rest.trim_start_matches([')', ' ']);
    let (result, took) = match rest.strip_prefix("= ") {
        // The time taken is the last thing in angle brackets: a result may hold others.
        Some(rest) => match rest.rfind(" <").filter(|at| rest[at + 2..].starts_with(|c: char| c.is_ascii_digit())) {
            Some(at) => (&rest[..at], &rest[at + 1..]),
            None => (rest, ""),
        },
        None => ("", rest),
    };
    Some(Line::Call(Call { name: name.to_owned(), args, result: result.to_owned(), took: took.to_owned() }))
}

/// The arguments up to the parenthesis that ends them, and what follows.
fn arguments(text: &str) -> (Vec<String>, &str) {
    let (mut args, mut arg) = (Vec::new(), String::new());
    let (mut depth, mut quoted, mut escaped) = (0, false, false);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if !quoted && depth == 0 && (c == ')' || rest.starts_with(" <unfinished")) {
            break;
        }
        rest = &rest[c.len_utf8()..];
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                rest = rest.strip_prefix(' ').unwrap_or(rest);
                args.push(std::mem::take(&mut arg));
                continue;
            }
            _ => {}
        }
        arg.push(c);
    }
    if !arg.is_empty() || !args.is_empty() {
        args.push(arg);
    }
    (args, rest)
}

#[test]
fn lines_are_taken_apart() {
    let text = "7     10:00:00.000001 openat(AT_FDCWD</tmp>, \"a,)\\\"\", {x=[1, 2]}) = 3</tmp/a <b> <0.000003> {blocked 1us}\n\
                8/2   10:00:00.000002 poll([{fd=1}], 1, 5)      = 0 (Timeout) <0.005>\n\
                8     10:00:00.000003 --- SIGUSR1 {si_signo=SIGUSR1} ---\n\
                8     10:00:00.000004 read(0, <unfinished ...> <1.5+>\n\
                8     10:00:00.000005 +++ exited with 3 +++\n";
    let lines = with_threads(text);
    let Line::Call(open) = &lines[0].1 else { panic!("{lines:?}") };
    assert_eq!(open.args, ["AT_FDCWD</tmp>", "\"a,)\\\"\"", "{x=[1, 2]}"]);
    assert_eq!((open.result.as_str(), open.took.as_str()), ("3</tmp/a <b>", "<0.000003> {blocked 1us}"));
    let Line::Call(poll) = &lines[1].1 else { panic!("{lines:?}") };
    assert_eq!((lines[1].0, poll.result.as_str(), poll.args.len()), (8, "0 (Timeout)", 3));
    assert_eq!(lines[2].1, Line::Signal("SIGUSR1 {si_signo=SIGUSR1}".to_owned()));
    assert_eq!(lines[4].1, Line::Exit("exited with 3".to_owned()));
    assert_eq!(calls(&lines).count(), 3);
}
