//! Servers that leave connections in CLOSE_WAIT, each with its own clients, which close.

use std::fs;
use std::io::Read as _;
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::workload::Workload;

pub const WORKLOADS: [(&str, Workload); 2] = [("server", server), ("server_in_a_namespace", server_in_a_namespace)];

/// Between two clients, so that their number grows.
const PACE: Duration = Duration::from_millis(60);
/// What a slow but healthy server takes to close.
const SLOW: Duration = Duration::from_millis(300);

/// What a server does with its connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Habit {
    /// Keeps them, and reads nothing.
    Keep,
    /// Reads to their ends, and keeps them.
    Read,
    /// Gives each a thread, which reads to its end and keeps it.
    Threads,
    /// Reads to their ends, waits a little, and closes.
    Healthy,
    /// Keeps them, and has a child that holds them too.
    Fork,
    /// Never accepts them.
    Ignore,
}

/// How to be a server.
pub struct Server<'a> {
    pub habit: Habit,
    /// Where it listens, and where its clients go.
    pub listen: &'a str,
    pub reach: &'a str,
    pub connections: usize,
    /// Where it leaves `port` when it listens and `done` when all clients are gone, and waits for `close` and `end`.
    pub folder: &'a Path,
}

impl Server<'_> {
    /// As a workload's argument.
    pub fn argument(&self) -> String {
        let Self { habit, listen, reach, connections, folder } = self;
        format!("{habit:?} {listen} {reach} {connections} {}", folder.display())
    }
}

fn habit(name: &str) -> Habit {
    let all = [Habit::Keep, Habit::Read, Habit::Threads, Habit::Healthy, Habit::Fork, Habit::Ignore];
    all.into_iter().find(|habit| format!("{habit:?}") == name).unwrap()
}

/// The same in a network namespace of its own. Ends with 77 where it may not have one.
fn server_in_a_namespace(argument: &str) -> i32 {
    // SAFETY: no pointers.
    if unsafe { libc::unshare(libc::CLONE_NEWNET) } != 0 {
        return 77;
    }
    loopback_up();
    // Room for many clients of one address.
    fs::write("/proc/sys/net/ipv4/ip_local_port_range", "1024 65535").unwrap();
    server(argument)
}

fn loopback_up() {
    // SAFETY: a zeroed request is a valid one; the name fits; the descriptor is the call's own.
    unsafe {
        let mut request: libc::ifreq = std::mem::zeroed();
        for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
            *to = *from as libc::c_char;
        }
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        let socket = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        libc::ioctl(socket, libc::SIOCSIFFLAGS, &raw const request);
        libc::close(socket);
    }
}

/// Ends with 0 when it is told to.
fn server(argument: &str) -> i32 {
    let words: Vec<&str> = argument.split(' ').collect();
    let [how, listen, reach, connections, folder] = words[..] else { return 98 };
    let (how, connections, folder) = (habit(how), connections.parse::<usize>().unwrap(), Path::new(folder));
    limit_descriptors(2 * connections + 100);
    let listener = TcpListener::bind(listen).unwrap();
    let port = listener.local_addr().unwrap().port();
    fs::write(folder.join("port"), port.to_string()).unwrap();
    let at = SocketAddr::new(reach.parse::<IpAddr>().unwrap(), port);
    let pace = if connections > 1000 { Duration::ZERO } else { PACE };
    let (mut kept, mut clients) = (Vec::new(), Vec::new());
    for _ in 0..connections {
        let client = TcpStream::connect(at).unwrap();
        // An end without a close: closed ones are limited in number (tcp_max_orphans).
        client.shutdown(Shutdown::Write).unwrap();
        clients.push(client);
        if how != Habit::Ignore {
            handle(how, listener.accept().unwrap().0, &mut kept);
        }
        thread::sleep(pace);
    }
    if how == Habit::Fork {
        // SAFETY: this process has one thread; the child only waits to be killed with its parent.
        unsafe {
            if libc::fork() == 0 {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                wait_for(&folder.join("end"));
                libc::_exit(0);
            }
        }
    }
    fs::write(folder.join("done"), "").unwrap();
    wait_for(&folder.join("close"));
    // The listener's end ends those that nobody accepted.
    drop((kept, listener));
    wait_for(&folder.join("end"));
    0
}

fn handle(how: Habit, mut connection: TcpStream, kept: &mut Vec<TcpStream>) {
    match how {
        Habit::Keep | Habit::Fork | Habit::Ignore => kept.push(connection),
        Habit::Read => {
            while connection.read(&mut [0; 64]).is_ok_and(|read| read > 0) {}
            kept.push(connection);
        }
        Habit::Threads => {
            kept.push(connection.try_clone().unwrap());
            thread::spawn(move || while connection.read(&mut [0; 64]).is_ok_and(|read| read > 0) {});
        }
        Habit::Healthy => {
            thread::spawn(move || {
                while connection.read(&mut [0; 64]).is_ok_and(|read| read > 0) {}
                thread::sleep(SLOW);
            });
        }
    }
}

fn limit_descriptors(most: usize) {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call's own structure, valid in both calls.
    unsafe {
        libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit);
        limit.rlim_cur = most as u64;
        assert_eq!(libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit), 0, "{most} descriptors");
    }
}

fn wait_for(path: &Path) {
    while !path.exists() {
        thread::sleep(Duration::from_millis(2));
    }
}
