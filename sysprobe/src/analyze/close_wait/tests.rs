//! Leaks and what only looks like one, second by second.

use std::time::Duration;

use super::*;
use crate::analyze::fact::SocketHolder;
use crate::enrich::ProcessInfo;

const SECOND: u64 = 1_000_000_000;

fn socket(number: u16, since_s: u64) -> CloseWaitSocket {
    CloseWaitSocket {
        net: 1,
        local: "127.0.0.1:80".parse().unwrap(),
        peer: SocketAddr::new("10.0.0.9".parse().unwrap(), number),
        since_ns: since_s * SECOND,
        exact: true,
        unread: 1,
        accepted: true,
        waiting: false,
        holders: vec![(7, i32::from(number))],
    }
}

fn look(at_s: u64, sockets: Vec<CloseWaitSocket>) -> Fact {
    let process = ProcessInfo { pid: 7, tid: 7, start_ns: Some(5), comm: Some("srv".into()), ..ProcessInfo::default() };
    let holder = SocketHolder { process, open_fds: Some(100), fd_limit: Some(1024) };
    Fact::CloseWaits(Box::new(CloseWaitLook {
        at_ns: at_s * SECOND,
        sockets,
        holders: [(7, holder)].into(),
        ..CloseWaitLook::default()
    }))
}

/// Looks every second at the connections that `at` gives for it; what was told, with the second.
fn watch(seconds: u64, at: impl Fn(u64) -> Vec<CloseWaitSocket>) -> Vec<(u64, CloseWaitRecord)> {
    let mut analyzer = CloseWaits::new(CloseWaitLimits::default());
    let mut told = Vec::new();
    for second in 1_000..1_000 + seconds {
        let mut findings = Vec::new();
        analyzer.take(&look(second, at(second - 1_000)), &mut findings);
        told.extend(findings.into_iter().filter_map(|finding| match finding.body {
            Body::CloseWaitLeak(record) => Some((second - 1_000, *record)),
            _ => None,
        }));
    }
    told
}

/// One more each second from second 0 on, each closed after `life` seconds.
fn one_a_second(second: u64, life: u64) -> Vec<CloseWaitSocket> {
    (0..=second).filter(|born| second - born < life).map(|born| socket(born as u16 + 1, 1_000 + born)).collect()
}

#[test]
fn a_leak_is_told_of_when_ten_are_old_and_the_number_grows() {
    let told = watch(60, |second| one_a_second(second, u64::MAX));
    let (second, open) = &told[0];
    assert!((19..=21).contains(second), "at {second}");
    assert_eq!((open.episode.phase, open.sockets.unread_eof), (Phase::Open, true));
    assert_eq!((open.sockets.per_minute, open.sockets.local.as_str()), (Some(60.0), "127.0.0.1:80"));
    let left = (1024 - 100) as f64;
    assert_eq!(open.sockets.fd_limit_in_s, Some(left as u64), "one a second");
    assert!(told[1..].iter().all(|(_, r)| r.episode.phase == Phase::Update && r.episode.id == open.episode.id));
    assert!(told.len() <= 3, "only when it doubles");
}

#[test]
fn a_server_that_closes_late_but_closes_is_none() {
    for life in [1, 5, 12, 18] {
        assert_eq!(watch(120, |second| one_a_second(second, life)), [], "after {life} s");
    }
}

#[test]
fn many_at_once_that_become_no_more_are_told_of_by_age_only() {
    let told = watch(320, |_| (1..50).map(|n| socket(n, 1_000)).collect());
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].0, 300);
    assert_eq!(told[0].1.sockets.per_minute, Some(0.0));
}

#[test]
fn the_end_is_told_once_and_a_relapse_has_the_same_name() {
    let told =
        watch(120, |second| if !(40..=60).contains(&second) { one_a_second(second, u64::MAX) } else { Vec::new() });
    let phases: Vec<Phase> = told.iter().map(|(_, r)| r.episode.phase).filter(|p| *p != Phase::Update).collect();
    assert_eq!(phases, [Phase::Open, Phase::Close, Phase::Open]);
    let close = &told.iter().find(|(_, r)| r.episode.phase == Phase::Close).unwrap().1;
    assert_eq!((close.sockets.count, close.sockets.most), (0, 40));
    assert_eq!(close.episode.duration_ns, Some(40 * SECOND));
}

#[test]
fn connections_of_its_own_making_are_one_leak_by_their_peer() {
    let mapped = |n: u16, since| CloseWaitSocket {
        accepted: false,
        local: SocketAddr::new("::ffff:10.0.0.1".parse().unwrap(), 40_000 + n),
        peer: "[::ffff:10.0.0.2]:443".parse().unwrap(),
        unread: 0,
        ..socket(n, since)
    };
    let told = watch(40, |second| (0..=second).map(|born| mapped(born as u16, 1_000 + born)).collect());
    let open = &told[0].1;
    assert_eq!((open.sockets.local.as_str(), open.sockets.accepted), ("10.0.0.1", false));
    assert_eq!(open.sockets.peers[0].addr, "10.0.0.2:443");
    assert_eq!((open.episode.cause.class.as_str(), open.sockets.unread_eof), ("not-closed", false));
    assert!(open.episode.cause.summary.contains("to 10.0.0.2:443"), "{}", open.episode.cause.summary);
}

#[test]
fn looks_are_often_enough_for_the_limits_and_not_more() {
    let limits = |over, any_over| CloseWaitLimits { count: 1, over, any_over }.period();
    assert_eq!(limits(Duration::from_secs(10), Duration::from_secs(300)), Duration::from_secs(2));
    assert_eq!(limits(Duration::from_secs(1), Duration::from_secs(300)), Duration::from_millis(200));
    assert_eq!(limits(Duration::from_secs(10), Duration::from_millis(1)), Duration::from_millis(100));
}
