//! FUSE connections: how many requests wait for an answer, and which processes should give it.
//!
//! The control files in sysfs never wait for the daemon. Who serves a connection is told by fdinfo of newer kernels;
//! elsewhere everybody who has `/dev/fuse` open is a candidate, and the scene says that it is guessed.

use std::path::Path;

use super::processes;
use crate::analyze::fact::FuseAt;
use crate::event::Tid;
use crate::host::{HostFs, read_text};

/// Daemons kept of a connection.
const MAX_DAEMONS: usize = 8;

/// What is known of a connection.
pub fn read(fs: &dyn HostFs, connection: u32) -> FuseAt {
    let (mut sure, mut maybe) = (Vec::new(), Vec::new());
    for (pid, tells) in holders(fs) {
        match tells {
            Some(number) if number == connection => sure.push(pid),
            Some(_) => {}
            None => maybe.push(pid),
        }
    }
    let guessed = sure.is_empty() && maybe.len() > 1;
    let daemons = if sure.is_empty() { maybe } else { sure };
    FuseAt {
        waiting: waiting(fs, connection),
        daemons: daemons.into_iter().take(MAX_DAEMONS).map(Tid).collect(),
        guessed,
    }
}

/// Requests of a connection that wait for an answer.
pub fn waiting(fs: &dyn HostFs, connection: u32) -> Option<u64> {
    read_text(fs, &format!("/sys/fs/fuse/connections/{connection}/waiting"))?.parse().ok()
}

/// Processes with `/dev/fuse` open, each with the connection that its descriptor serves if the kernel tells.
fn holders(fs: &dyn HostFs) -> Vec<(u32, Option<u32>)> {
    let mut holders = Vec::new();
    for pid in processes(fs) {
        for fd in fs.list(&format!("/proc/{pid}/fd")).unwrap_or_default() {
            let is_fuse = fs.read_link(&format!("/proc/{pid}/fd/{fd}")).is_ok_and(|l| l == Path::new("/dev/fuse"));
            if is_fuse {
                let info = read_text(fs, &format!("/proc/{pid}/fdinfo/{fd}")).unwrap_or_default();
                let tells = info.lines().find_map(|l| l.strip_prefix("fuse_connection:")?.trim().parse().ok());
                if !holders.contains(&(pid, tells)) {
                    holders.push((pid, tells));
                }
            }
        }
    }
    holders.sort_unstable();
    holders
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::memory::MemoryHost;

    #[test]
    fn the_daemon_is_named_where_the_kernel_tells_and_guessed_where_not() {
        let host = MemoryHost::new([
            ("/sys/fs/fuse/connections/52/waiting", "2\n"),
            ("/proc/9/fd/3", "->/dev/fuse"),
            ("/proc/9/fdinfo/3", "pos:\t0\nfuse_connection:\t52\n"),
            ("/proc/10/fd/3", "->/dev/fuse"),
            ("/proc/10/fdinfo/3", "pos:\t0\n"),
            ("/proc/10/fd/4", "->/etc/hosts"),
        ]);
        assert_eq!(read(&host, 52), FuseAt { waiting: Some(2), daemons: vec![Tid(9)], guessed: false });
        assert_eq!(read(&host, 53), FuseAt { waiting: None, daemons: vec![Tid(10)], guessed: false });
        let host = host.with("/proc/11/fd/3", "->/dev/fuse");
        assert_eq!(read(&host, 53).daemons.len(), 2);
        assert!(read(&host, 53).guessed);
    }
}
