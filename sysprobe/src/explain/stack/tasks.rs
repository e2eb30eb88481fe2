//! Lines that introduce a task: the hung-task check, sysrq's and crash's headers, `/proc/PID/status`, ps, watchdogs.
//!
//! Command names are hostile text: they may hold blanks, colons and anything else, so ids are found from the line's end.

/// What a header line says about a task; fields it does not mention stay empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The command name.
    pub comm: Option<String>,
    /// The thread id.
    pub tid: Option<u32>,
    /// The process id.
    pub tgid: Option<u32>,
    /// The parent's id.
    pub ppid: Option<u32>,
    /// The state letter.
    pub state: Option<char>,
    /// Blocked for at least so many seconds.
    pub blocked_for_s: Option<u64>,
    /// The line always starts a task; otherwise it adds to the one at hand.
    pub starts: bool,
    /// The hung-task check (or a watchdog like it) reports it.
    pub hung: bool,
}

/// What kind of lock a blocker line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockKind {
    /// A mutex.
    Mutex,
    /// A reader-writer semaphore.
    RwSemaphore,
    /// A semaphore.
    Semaphore,
}

impl LockKind {
    /// The kernel's word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mutex => "mutex",
            Self::RwSemaphore => "rw-semaphore",
            Self::Semaphore => "semaphore",
        }
    }
}

/// `INFO: task X:1 is blocked on a mutex likely owned by task Y:2.` (6.16 and later).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocker {
    /// The waiter.
    pub waiter: (String, u32),
    /// The kind of lock.
    pub kind: LockKind,
    /// The likely holder; `None` when the kernel could not tell.
    pub owner: Option<(String, u32)>,
}

/// Reads a line that names the holder of a lock.
pub fn parse_blocker(text: &str) -> Option<Blocker> {
    let rest = text.strip_prefix("INFO: task ")?;
    let (waiter, rest) = rest.split_once(" blocked on a")?;
    let waiter = waiter.strip_suffix(" is").unwrap_or(waiter);
    // `X:1 <writer>`: the side of an rw-semaphore.
    let waiter = waiter.split(" <").next().unwrap_or(waiter);
    let kind = if rest.contains("mutex") {
        LockKind::Mutex
    } else if rest.contains("rw-semaphore") || rest.contains("rwsem") {
        LockKind::RwSemaphore
    } else {
        LockKind::Semaphore
    };
    let owner = rest.split_once(" by task ").and_then(|(_, owner)| {
        let owner = owner.split(" <").next().unwrap_or(owner);
        comm_and_pid(owner.trim_end_matches('.'))
    });
    Some(Blocker { waiter: comm_and_pid(waiter)?, kind, owner })
}

/// Reads a line that introduces or describes a task.
pub fn parse_header(text: &str) -> Option<Header> {
    hung_task(text)
        .or_else(|| task_state(text))
        .or_else(|| crash(text))
        .or_else(|| service_thread(text))
        .or_else(|| old_state(text))
        .or_else(|| proc_status(text))
        .or_else(|| proc_path(text))
        .or_else(|| ps(text))
}

/// `INFO: task kworker/u16:26:5732 blocked for more than 120 seconds.`
fn hung_task(text: &str) -> Option<Header> {
    let at = text.find("INFO: task ")?;
    let rest = text.get(at + 11..)?;
    let (who, rest) = rest.split_once(" blocked ")?;
    let (_, seconds) = rest.split_once("for more than ")?;
    let (comm, tid) = comm_and_pid(who)?;
    Some(Header {
        comm: Some(comm),
        tid: Some(tid),
        state: Some('D'),
        blocked_for_s: leading_number(seconds),
        starts: true,
        hung: true,
        ..Header::default()
    })
}

/// `task:mount.nfs       state:D stack:    0 pid:13903 tgid:1 ppid: 13900 flags:0x00004000` (5.8 and later).
fn task_state(text: &str) -> Option<Header> {
    let rest = text.strip_prefix("task:")?;
    let at = rest.rfind(" state:").or_else(|| rest.rfind("state:"))?;
    let (comm, fields) = (rest.get(..at)?.trim(), rest.get(at..)?);
    let field = |name: &str| fields.split_once(name).and_then(|(_, v)| leading_number(v.trim_start()));
    Some(Header {
        comm: Some(comm.to_owned()),
        tid: field(" pid:").and_then(|v| u32::try_from(v).ok()),
        tgid: field(" tgid:").and_then(|v| u32::try_from(v).ok()),
        ppid: field(" ppid:").and_then(|v| u32::try_from(v).ok()),
        state: fields.split_once("state:").and_then(|(_, v)| v.chars().next()).filter(char::is_ascii_alphabetic),
        starts: true,
        ..Header::default()
    })
}

/// `PID: 1234   TASK: ffff8803  CPU: 3   COMMAND: "rsync"`.
fn crash(text: &str) -> Option<Header> {
    let rest = text.strip_prefix("PID:")?.trim_start();
    let (_, command) = rest.split_once("COMMAND:")?;
    Some(Header {
        comm: Some(command.trim().trim_matches('"').to_owned()),
        tid: leading_number(rest).and_then(|v| u32::try_from(v).ok()),
        starts: true,
        ..Header::default()
    })
}

/// Lustre's watchdog: `Pid: 1234, comm: ll_ost_io01_003 3.10.0 ..` behind "was inactive for 200.00s".
fn service_thread(text: &str) -> Option<Header> {
    let (pid, rest) = text.strip_prefix("Pid: ")?.split_once(", comm: ")?;
    Some(Header {
        comm: rest.split_ascii_whitespace().next().map(str::to_owned),
        tid: pid.trim().parse().ok(),
        starts: true,
        ..Header::default()
    })
}

/// `puppet          D    0  3836    541 0x00000000`, with or without an address after the state (before 5.8).
fn old_state(text: &str) -> Option<Header> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let (flags, rest) = words.split_last()?;
    if !flags.starts_with("0x") || flags.len() < 4 || !flags.bytes().skip(2).all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let (ppid, rest) = rest.split_last()?;
    let (pid, rest) = rest.split_last()?;
    let (free, rest) = rest.split_last()?;
    let ppid: u32 = ppid.parse().ok()?;
    let tid: u32 = pid.parse().ok()?;
    // The free stack is glued to the state when it needs five digits: `D20120`.
    let (state, comm) = if let Some(state) = glued_state(free) {
        (state, rest)
    } else {
        free.parse::<u32>().ok()?;
        let (last, rest) = rest.split_last()?;
        match one_state(last) {
            Some(state) => (state, rest),
            None => {
                let (state, rest) = rest.split_last()?;
                last.bytes().all(|b| b.is_ascii_hexdigit()).then_some(())?;
                (one_state(state)?, rest)
            }
        }
    };
    (!comm.is_empty()).then(|| Header {
        comm: Some(comm.join(" ")),
        tid: Some(tid),
        ppid: Some(ppid),
        state: Some(state),
        starts: true,
        ..Header::default()
    })
}

fn one_state(word: &str) -> Option<char> {
    let mut chars = word.chars();
    let state = chars.next()?;
    (chars.next().is_none() && "DRSTtXZPIKW".contains(state)).then_some(state)
}

fn glued_state(word: &str) -> Option<char> {
    let state = word.chars().next().filter(|c| "DRSTtXZPIKW".contains(*c))?;
    let digits = word.get(1..)?;
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then_some(state)
}

/// `Name:`, `State:`, `Pid:`, `PPid:`, `Tgid:` of `/proc/PID/status`, and the `pid: 1031` scripts print.
fn proc_status(text: &str) -> Option<Header> {
    let (key, value) = text.split_once(':')?;
    let value = value.trim();
    let mut header = Header::default();
    let number = || value.parse::<u32>().ok();
    match key {
        "Name" | "comm" | "Comm" | "command" => header.comm = Some(value.to_owned()),
        "State" | "state" => header.state = value.chars().next().filter(char::is_ascii_alphabetic),
        "Pid" | "pid" | "PID" | "tid" => {
            header.tid = Some(number()?);
            header.starts = key != "Pid";
        }
        "Tgid" => header.tgid = Some(number()?),
        "PPid" => header.ppid = Some(number()?),
        _ => return None,
    }
    Some(header)
}

/// `# cat /proc/855/task/856/stack`, `/proc/855/stack:`.
fn proc_path(text: &str) -> Option<Header> {
    let at = text.find("/proc/")?;
    let rest = text.get(at + 6..)?;
    let pid = leading_number(rest)?;
    let tid = rest.split_once("/task/").and_then(|(_, t)| leading_number(t)).unwrap_or(pid);
    // `/proc/1/task/2: md0_raid6 :`.
    let comm = rest.split_once(": ").map(|(_, c)| c.trim_end_matches([' ', ':'])).filter(|c| !c.is_empty());
    Some(Header {
        comm: comm.map(str::to_owned),
        tid: u32::try_from(tid).ok(),
        tgid: u32::try_from(pid).ok(),
        starts: true,
        ..Header::default()
    })
}

/// `   1015 ?        D      0:04 [md2_raid1]`.
fn ps(text: &str) -> Option<Header> {
    let mut words = text.split_ascii_whitespace();
    let tid: u32 = words.next()?.parse().ok()?;
    let (tty, stat, time) = (words.next()?, words.next()?, words.next()?);
    let tty_like = tty == "?" || tty.starts_with("pts/") || tty.starts_with("tty");
    let state = stat.chars().next().filter(|c| "DRSTtXZI".contains(*c))?;
    if !tty_like || !time.contains(':') {
        return None;
    }
    let comm: Vec<&str> = words.collect();
    let comm = comm.join(" ");
    let comm = comm.strip_prefix('[').and_then(|c| c.strip_suffix(']')).map_or(comm.as_str(), |c| c).to_owned();
    Some(Header { comm: Some(comm), tid: Some(tid), state: Some(state), starts: true, ..Header::default() })
}

/// `name:pid` with the id behind the last colon.
fn comm_and_pid(text: &str) -> Option<(String, u32)> {
    let (comm, pid) = text.rsplit_once(':')?;
    Some((comm.to_owned(), pid.trim().parse().ok()?))
}

fn leading_number(text: &str) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text.get(..digits)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn who(text: &str) -> Option<(String, u32, Option<char>)> {
        let header = parse_header(text)?;
        Some((header.comm?, header.tid?, header.state))
    }

    #[test]
    fn headers_of_every_kernel_name_the_task() {
        for (text, comm, pid) in [
            ("INFO: task kworker/u16:26:5732 blocked for more than 120 seconds.", "kworker/u16:26", 5732),
            ("INFO: task CPU 0/KVM:7834 blocked in I/O wait for more than 122 seconds.", "CPU 0/KVM", 7834),
            ("task:mount.nfs       state:D stack:    0 pid:13903 ppid: 13900 flags:0x00004000", "mount.nfs", 13903),
            ("task:a state:b state:D stack:0 pid:7 tgid:6 ppid:1 task_flags:0x400100 flags:0x0", "a state:b", 7),
            ("puppet          D    0  3836    541 0x00000000", "puppet", 3836),
            ("redis-server    D ffffffff8168bd60     0 16212  14347 0x00000004", "redis-server", 16212),
            ("gmain           D20120  1219      1 0x00004000", "gmain", 1219),
            ("CPU 0/KVM D 0000000000000000 0 404 2 0x00000000", "CPU 0/KVM", 404),
            ("1015 ?        D      0:04 [md2_raid1]", "md2_raid1", 1015),
        ] {
            assert_eq!(who(text), Some((comm.to_owned(), pid, Some('D'))), "{text}");
        }
        assert_eq!(
            who("PID: 1234   TASK: ffff8803bd1a3b58  CPU: 3   COMMAND: \"rsync\""),
            Some(("rsync".into(), 1234, None))
        );
    }

    #[test]
    fn the_holder_of_a_lock_is_named() {
        let line = "INFO: task kworker/u16:1:308 is blocked on a mutex likely owned by task ip:899.";
        let got = parse_blocker(line).expect("a blocker line");
        assert_eq!(got.waiter, ("kworker/u16:1".into(), 308));
        assert_eq!((got.kind, got.owner), (LockKind::Mutex, Some(("ip".into(), 899))));
        let line = "INFO: task a:1 <writer> blocked on an rw-semaphore likely owned by task b:2 <reader>";
        let got = parse_blocker(line).expect("a blocker line");
        assert_eq!((got.kind, got.owner), (LockKind::RwSemaphore, Some(("b".into(), 2))));
        let line = "INFO: task a:1 is blocked on a mutex, but the owner is not found.";
        assert_eq!(parse_blocker(line).expect("a blocker line").owner, None);
    }
}
