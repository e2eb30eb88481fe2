//! What became of a child, as `wait(2)` says it.

use crate::syscall::flags::number::{write_hex, write_uint};
use crate::syscall::signals::write_signal;

/// Appends `{WIFEXITED(s) && WEXITSTATUS(s) == 0}` and the like.
pub fn write_wait_status(out: &mut Vec<u8>, status: u32) {
    let signal = status & 0x7f;
    let upper = status >> 8 & 0xff;
    if signal == 0 {
        out.extend_from_slice(b"{WIFEXITED(s) && WEXITSTATUS(s) == ");
        write_uint(out, u64::from(upper));
        out.push(b'}');
        out.extend_from_slice(b"{WIFSTOPPED(s) && WSTOPSIG(s) == ");
        let traced = upper & 0x80 != 0;
        write_signal(out, (upper & 0x7f) as i32);
        out.extend_from_slice(if traced { b" | 0x80}" } else { b"}" });
        if status >> 16 != 0 {
            out.extend_from_slice(b" | ");
            write_hex(out, u64::from(status & !0xffff));
        }
    } else if status == 0xffff {
        out.extend_from_slice(b"{WIFCONTINUED(s)}");
    } else {
        out.extend_from_slice(b"{WIFSIGNALED(s) && WTERMSIG(s) == ");
        write_signal(out, signal as i32);
        out.extend_from_slice(if status & 0x80 != 0 { b" && WCOREDUMP(s)}" } else { b"}" });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_end_of_a_child_reads_as_strace_has_it() {
        for (status, text) in [
            (0, "{WIFEXITED(s) && WEXITSTATUS(s) == 0}"),
            (3 << 8, "{WIFEXITED(s) && WEXITSTATUS(s) == 3}"),
            (9, "{WIFSIGNALED(s) && WTERMSIG(s) == SIGKILL}"),
            (11 | 0x80, "{WIFSIGNALED(s) && WTERMSIG(s) == SIGSEGV && WCOREDUMP(s)}"),
            (0x137f, "{WIFSTOPPED(s) && WSTOPSIG(s) == SIGSTOP}"),
            (0x857f, "{WIFSTOPPED(s) && WSTOPSIG(s) == SIGTRAP | 0x80}"),
            (0xffff, "{WIFCONTINUED(s)}"),
        ] {
            let mut out = Vec::new();
            write_wait_status(&mut out, status);
            assert_eq!(String::from_utf8(out).unwrap(), text);
        }
    }
}
