//! The frames of one line, in the forms the kernel, crash, gdb, drgn, perf, ftrace, bpftrace and bcc print.
//!
//! A line is either frames or it is not; what is not is left to `tasks` and the log reader.

use crate::explain::frame::{Frame, is_symbol};

/// What one line of text holds of a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameLine {
    /// A frame; `false` when the unwinder doubts it (`?`).
    Kernel(Frame, bool),
    /// A frame of user space.
    User(String),
    /// A whole stack on one line, innermost first.
    Whole(Vec<Frame>),
    /// The end of a stack (`0xffffffffffffffff`).
    End,
}

/// Functions that stand outermost on a task's stack: what follows them is another stack.
pub fn is_outermost(name: &str) -> bool {
    const OUTERMOST: &[&str] = &[
        "ret_from_fork",
        "ret_from_fork_asm",
        "ret_from_fork_nospec_begin",
        "ret_from_fork_nospec_end",
        "ret_from_kernel_thread",
        "ret_from_kernel_user_thread",
        "start_kernel_thread",
        "kernel_thread_starter",
        "kernel_thread_helper",
        "child_rip",
        "system_call_fastpath",
        "system_call",
        "system_call_common",
        "system_call_vectored_common",
        "system_call_exception_end",
        "sysenter_do_call",
        "sysenter_dispatch",
        "ia32_sysret",
        "syscall_call",
        "tracesys",
        "el0_svc_naked",
        "el0_sync",
        "el0t_64_sync",
        "el0t_32_sync",
        "ret_fast_syscall",
        "__ret_fast_syscall",
        "ret_from_syscall",
        "ret_from_exception",
    ];
    name.starts_with("entry_SYSCALL") || name.starts_with("entry_SYSENTER") || OUTERMOST.contains(&name)
}

/// Reads the frames of one trimmed message. `bare` allows a line that is nothing but a name.
pub fn parse_frames(text: &str, bare: bool) -> Option<FrameLine> {
    let text = text.trim().trim_end_matches(',');
    if text.is_empty() || text.len() > 4096 {
        return None;
    }
    one_line_stack(text)
        .or_else(|| arm(text))
        .or_else(|| numbered(text))
        .or_else(|| with_address(text))
        .or_else(|| plain(text))
        .or_else(|| if bare { bare_name(text) } else { None })
}

/// `a+0x1/0x2[m]->b+0x3/0x4`, and bcc's folded `comm;outermost;..;innermost 12`.
fn one_line_stack(text: &str) -> Option<FrameLine> {
    let from = text.find("stack=").map_or(text, |at| text.get(at + 6..).unwrap_or(text));
    for arrow in ["->", "<-", " <= "] {
        if from.matches(arrow).count() >= 1 && from.contains("+0x") {
            let frames: Vec<Frame> = from.split(arrow).filter_map(|part| symbol_with_offset(part.trim())).collect();
            return (frames.len() >= 2).then_some(FrameLine::Whole(frames));
        }
    }
    let (stack, count) = text.rsplit_once(' ').unwrap_or((text, "0"));
    if stack.matches(';').count() < 2 || !count.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    // Folded stacks start with the command and may hold a `-` between user and kernel part.
    let parts: Vec<&str> = stack.split(';').skip(1).filter(|p| *p != "-" && *p != "--").collect();
    let frames: Vec<Frame> = parts.iter().rev().filter_map(|p| Frame::new(p.trim_end_matches("_[k]"), None)).collect();
    (frames.len() >= 2 && frames.len() * 2 >= parts.len()).then_some(FrameLine::Whole(frames))
}

/// 32-bit ARM: `[<807880e4>] (usb_kill_urb) from [<..>] (caller+0xc0/0xe0)` and ` schedule from io_schedule+0x1/0x2`.
fn arm(text: &str) -> Option<FrameLine> {
    let (callee, _) = text.split_once(" from ")?;
    let callee = strip_address(callee).trim_start_matches('(').trim_end_matches(')');
    let (name, module) = split_module(callee);
    let name = name.split('+').next().unwrap_or(name).trim();
    Frame::new(name, module).map(|frame| FrameLine::Kernel(frame, true))
}

/// crash `#1 [ffff..] schedule at ffffffff..`, gdb `#1  0xffff in schedule () at f.c:1`, drgn `#1  schedule (f.c:1:2)`,
/// kdb and pstack alike.
fn numbered(text: &str) -> Option<FrameLine> {
    let rest = text.strip_prefix('#')?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 || digits > 3 {
        return None;
    }
    let mut rest = rest.get(digits..)?.trim_start();
    if rest.starts_with('[') {
        rest = rest.split_once(']')?.1.trim_start();
    }
    if let Some((address, tail)) = rest.split_once(" in ")
        && address.starts_with("0x")
    {
        rest = tail.trim_start();
    }
    let module = rest.rsplit_once('[').and_then(|(_, m)| m.strip_suffix(']')).filter(|m| is_symbol(m));
    let name = rest.split([' ', '(', '+']).next()?;
    Frame::new(name, module).map(|frame| FrameLine::Kernel(frame, true))
}

/// `[<ffffffff8168dce9>] ? schedule+0x29/0x70 [mod]`, powerpc's two addresses, perf's `ffffffff81 f+0x1 (module)`,
/// systemtap's `0xffffffff81 : f+0x29/0x70 [kernel]`.
fn with_address(text: &str) -> Option<FrameLine> {
    let rest = strip_address(text);
    if rest.len() == text.len() {
        return perf(text);
    }
    if rest.trim_matches(['(', ')']).starts_with("0xffffffff") {
        return Some(FrameLine::End);
    }
    plain(rest).or_else(|| {
        // Some kernels hide offsets: `[<0>] name`.
        let (name, module) = split_module(rest.trim_start_matches("? "));
        Frame::new(name.trim(), module).map(|frame| FrameLine::Kernel(frame, !rest.starts_with('?')))
    })
}

fn perf(text: &str) -> Option<FrameLine> {
    let (address, rest) = text.split_once([' ', '\t'])?;
    let address = address.strip_prefix("0x").unwrap_or(address);
    if address.len() < 6 || !address.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let rest = rest.trim_start().trim_start_matches(": ");
    let (symbol, place) = match rest.rsplit_once(" (") {
        Some((symbol, place)) => (symbol, place.trim_end_matches(')')),
        None => (rest, "[kernel]"),
    };
    let kernel = place.starts_with("[kernel") || place.starts_with("[guest.kernel") || place.ends_with(".ko");
    let module = place.strip_prefix('[').and_then(|p| p.strip_suffix(']')).filter(|p| !p.starts_with("kernel"));
    if kernel || (module.is_some() && address.len() >= 12 && address.starts_with("ffff")) {
        let (name, own) = split_module(symbol);
        let name = name.split('+').next().unwrap_or(name).trim();
        let own = own.filter(|m| *m != "kernel").or(module);
        return Frame::new(name, own).map(|frame| FrameLine::Kernel(frame, true));
    }
    place.starts_with('/').then(|| FrameLine::User(symbol.split('+').next().unwrap_or(symbol).trim().to_owned()))
}

/// `? name+0x1/0x2 [mod] (T)`, `name+0x1/0x2 fs/x.c:12 [inline]`, `name file.c:12 [inline]`, ftrace's `=> name`,
/// bpftrace's `name+12`.
fn plain(text: &str) -> Option<FrameLine> {
    let text = text.trim().trim_start_matches('(').trim_end_matches(')');
    let (text, arrow) = match text.strip_prefix("=>") {
        Some(rest) => (rest.trim(), true),
        None => (text, false),
    };
    let (text, sure) = match text.strip_prefix("? ") {
        Some(rest) => (rest.trim_start(), false),
        None => (text, !text.ends_with("(unreliable") && !text.ends_with("(unreliable)")),
    };
    if let Some(frame) = symbol_with_offset(text) {
        return Some(FrameLine::Kernel(frame, sure));
    }
    if let Some(inlined) = text.strip_suffix(" [inline]") {
        let (name, place) = inlined.split_once(' ')?;
        return place.contains(':').then(|| Frame::new(name, None)).flatten().map(|f| FrameLine::Kernel(f, sure));
    }
    if arrow {
        return Frame::new(text, None).map(|frame| FrameLine::Kernel(frame, sure));
    }
    // bpftrace: a decimal offset, nothing else on the line.
    let (name, offset) = text.rsplit_once('+')?;
    (!offset.is_empty() && offset.len() <= 6 && offset.bytes().all(|b| b.is_ascii_digit()))
        .then(|| Frame::new(name, None))
        .flatten()
        .map(|frame| FrameLine::Kernel(frame, sure))
}

/// A symbol with a hexadecimal offset, and a module behind it when there is one.
fn symbol_with_offset(text: &str) -> Option<Frame> {
    let (name, rest) = text.split_once("+0x")?;
    if name.contains([' ', '\t', ':', '=']) {
        return None;
    }
    let offset = rest.bytes().take_while(|b| b.is_ascii_hexdigit() || *b == b'/' || *b == b'x').count();
    if offset == 0 {
        return None;
    }
    let tail = rest.get(offset..).unwrap_or("").trim_start();
    let module = tail.strip_prefix('[').and_then(|t| t.split([']', ' ']).next()).filter(|m| *m != "inline");
    Frame::new(name.strip_prefix("b'").unwrap_or(name), module)
}

/// A line that is one name; only asked for where nothing else can stand.
fn bare_name(text: &str) -> Option<FrameLine> {
    let (name, module) = split_module(text);
    let name = name.trim().trim_start_matches("b'").trim_end_matches(['\'', '(', ')']);
    let looks_like_code = name.len() >= 3 && name.bytes().any(|b| b.is_ascii_lowercase()) && !name.contains('-');
    looks_like_code.then(|| Frame::new(name, module)).flatten().map(|frame| FrameLine::Kernel(frame, true))
}

/// `name [mod]` or `name [mod buildid]` in its two parts.
fn split_module(text: &str) -> (&str, Option<&str>) {
    match text.split_once('[') {
        Some((name, module)) => (name.trim(), module.split([']', ' ']).next()),
        None => (text.trim(), None),
    }
}

/// Removes leading bracketed addresses: `[<..>]`, `([<..>]`, `[c000..]`; returns the text itself when there is none.
fn strip_address(text: &str) -> &str {
    let mut rest = text;
    for _ in 0..2 {
        let Some(open) = rest.trim_start_matches('(').strip_prefix('[') else { break };
        let Some((inner, tail)) = open.split_once(']') else { break };
        let inner = inner.trim_matches(['<', '>', '(', ')']);
        let is_address =
            inner == "ptrval" || inner == "0" || (inner.len() >= 7 && inner.bytes().all(|b| b.is_ascii_hexdigit()));
        if !is_address {
            break;
        }
        rest = tail.trim_start();
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name_of(text: &str) -> Option<(String, Option<String>, bool)> {
        match parse_frames(text, true)? {
            FrameLine::Kernel(frame, sure) => Some((frame.name, frame.module, sure)),
            _ => None,
        }
    }

    #[test]
    fn one_frame_reads_the_same_in_every_form() {
        for text in [
            "[<0>] xfs_buf_lock+0x31/0xe0 [xfs]",
            "[<ffffffffa04fab67>] xfs_buf_lock+0x97/0x130 [xfs]",
            "[<(ptrval)>] xfs_buf_lock+0x97/0x130 [xfs]",
            "xfs_buf_lock+0x31/0xe0 [xfs]",
            "xfs_buf_lock.isra.3+0x31/0xe0 [xfs]",
            "xfs_buf_lock+0x31/0xe0[xfs]",
            "xfs_buf_lock+0x31/0xe0 [xfs] (P)",
            "xfs_buf_lock+0x31/0xe0 [xfs 44d5c996b4a5499dc10a603d89b6a03ed29a0676]",
            "[<7f4ba618>] (xfs_buf_lock [xfs]) from [<8022e284>] (do_writepages+0x30/0x8c)",
            "#3 [ffff8803bd1a3b58] xfs_buf_lock at ffffffffa0 [xfs]",
            "ffffffffa04fab67 xfs_buf_lock+0x31 ([xfs])",
            "0xffffffffa04fab67 : xfs_buf_lock+0x31/0xe0 [xfs]",
            "[c00000037540f730] [c00000000127ec44] xfs_buf_lock+0x88/0xc4 [xfs]",
            "([<000003ff80112233>] xfs_buf_lock+0x31/0xe0 [xfs])",
        ] {
            assert_eq!(name_of(text), Some(("xfs_buf_lock".into(), Some("xfs".into()), true)), "{text}");
        }
        for text in [
            "#0  __schedule () at kernel/sched/core.c:123",
            "#1  0xffffffff81234567 in __schedule (x=1) at kernel/sched/core.c:123",
            "#0  __schedule (kernel/sched/core.c:6690:8)",
            "=> __schedule",
            "__schedule+721",
            "__schedule kernel/sched/core.c:5188 [inline]",
            "__schedule from schedule+0x50/0xa8",
            "[<0>] __schedule",
            "ffffffff81a2b3c4 __schedule+0x2d4 ([kernel.kallsyms])",
            "b'__schedule'",
            "__schedule",
        ] {
            assert_eq!(name_of(text), Some(("__schedule".into(), None, true)), "{text}");
        }
    }

    #[test]
    fn doubted_frames_are_told_apart() {
        for text in
            ["? f_g+0x1/0x2", "[<ffffffff81>] ? f_g+0x1/0x2", "[c00000037] [c000000012] f_g+0x88/0xc4 (unreliable)"]
        {
            assert_eq!(name_of(text), Some(("f_g".into(), None, false)), "{text}");
        }
    }

    #[test]
    fn a_stack_on_one_line_is_read_whole() {
        let want: Vec<Frame> = ["a_b", "c_d"].iter().filter_map(|n| Frame::new(n, None)).collect();
        assert_eq!(
            parse_frames("qemu pid 1 wchan=a_b stack=a_b+0x1/0x2->c_d+0x3/0x4", false),
            Some(FrameLine::Whole(want))
        );
        let folded: Vec<Frame> = ["a_b", "c_d", "e_f"].iter().filter_map(|n| Frame::new(n, None)).collect();
        assert_eq!(parse_frames("dd;e_f;c_d;a_b 12", false), Some(FrameLine::Whole(folded)));
    }

    #[test]
    fn other_lines_are_no_frames() {
        for text in [
            "ffff880da128f070 0000000000000082 ffff880f94a2eeb0",
            "RIP: 0010:__put_user_8+0x11/0x20",
            "Code: 84 00 00",
            "</TASK>",
            "Call Trace:",
            "INFO: task a:1 blocked for more than 120 seconds.",
            "Workqueue: events_unbound linkwatch_event",
            "memory: usage 307112kB, limit 307200kB, failcnt 35982",
            "[  957]     0   957     7321        5      19       33         -1000 systemd-udevd",
        ] {
            assert_eq!(parse_frames(text, false), None, "{text}");
        }
    }
}
