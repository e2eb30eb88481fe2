//! The schema in docs/ is current, and what the writers write validates and reads back the same.

mod validate;

use std::path::Path;

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::enrich::ProcessInfo;
use crate::event::WaitSplit;
use crate::explain::cause::{Confidence, Evidence, Link};
use crate::explain::oom::{Dominant, Scope};

const SCHEMA_PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/schema/v1.json");

fn process() -> ProcessInfo {
    ProcessInfo {
        pid: 42,
        tid: 43,
        start_ns: Some(12_340_000_000),
        comm: Some("we\"ird".into()),
        cmdline: Some("a b".into()),
        ..ProcessInfo::default()
    }
}

fn typed(process: ProcessInfo) -> SyscallRecord {
    SyscallRecord {
        process,
        name: "openat".into(),
        args: vec!["AT_FDCWD</tmp>".into(), "\"a\\nb\"".into(), "O_RDONLY".into()],
        ret: Some(-2),
        errno: Some("ENOENT".into()),
        duration_ns: 10,
        wait: Wait { running_ns: 1, runnable_ns: 2, blocked_ns: 3, sleeping_ns: 4, cause: Some("disk".into()) },
        in_progress: false,
    }
}

/// A typed record, written by hand.
fn by_hand(unix_ns: i64, record: &SyscallRecord) -> String {
    let process = serde_json::to_string(&record.process).unwrap();
    let fields = SyscallFields {
        unix_ns,
        process: &process,
        name: &record.name,
        ret: record.ret,
        errno: record.errno.as_deref(),
        duration_ns: record.duration_ns,
        wait: WaitSplit {
            running_ns: record.wait.running_ns,
            runnable_ns: record.wait.runnable_ns,
            blocked_ns: record.wait.blocked_ns,
            sleeping_ns: record.wait.sleeping_ns,
        },
        cause: record.wait.cause.as_deref(),
        in_progress: record.in_progress,
    };
    let mut out = Vec::new();
    SyscallWriter::new("h\"1").write(&mut out, &fields, record.args.iter().map(String::as_str));
    String::from_utf8(out).unwrap()
}

fn by_serde(unix_ns: i64, body: Body) -> String {
    let mut out = Vec::new();
    RecordWriter::new("h\"1").write(&mut out, unix_ns, body);
    String::from_utf8(out).unwrap()
}

fn episode(phase: Phase) -> Episode {
    Episode {
        phase,
        id: "exit-42-5".into(),
        severity: Severity::Warning,
        duration_ns: Some(0),
        cause: CauseRecord {
            class: "killed".into(),
            summary: "killed by SIGKILL".into(),
            confidence: Confidence::High,
            chain: vec![Link::new("sender", "x")],
        },
        evidence: Evidence::default(),
        advice: None,
    }
}

/// One of each type.
fn samples() -> Vec<Body> {
    let unfinished = SyscallRecord { ret: None, errno: None, args: Vec::new(), in_progress: true, ..typed(process()) };
    vec![
        Body::Syscall(typed(process())),
        Body::Syscall(unfinished),
        Body::SyscallSummary(SyscallSummaryRecord {
            name: "read".into(),
            calls: 3,
            errors: 1,
            duration_ns: 30,
            wait: Wait::default(),
            p50_ns: 9,
            p99_ns: 12,
            max_ns: 12,
        }),
        Body::CloseWaitLeak(Box::new(CloseWaitRecord {
            process: process(),
            episode: episode(Phase::Open),
            sockets: SocketFacts {
                count: 2,
                per_minute: Some(1.5),
                fds: vec![5, 6],
                local: "127.0.0.1:80".into(),
                peers: vec![PeerCount { addr: "10.0.0.9".into(), count: 2 }],
                holders: vec![HolderRecord { pid: 42, comm: Some("srv".into()), count: 2, fds: vec![5, 6] }],
                fd_limit_in_s: Some(60),
                ..SocketFacts::default()
            },
        })),
        Body::Exit(Box::new(ExitRecord {
            process: process(),
            episode: episode(Phase::Close),
            exit: ExitFacts {
                signal: Some("SIGKILL".into()),
                sender: Some(ExitSender { pid: 7, comm: "bash".into(), ..ExitSender::default() }),
                fault: Some(Fault { code: "SEGV_MAPERR".into(), address: "0x0".into() }),
                ..ExitFacts::default()
            },
        })),
        Body::OomKill(Box::new(OomKillRecord {
            process: process(),
            episode: Episode {
                phase: Phase::Close,
                id: "oom-42-5".into(),
                severity: Severity::Critical,
                duration_ns: Some(0),
                cause: CauseRecord {
                    class: "oom-memcg".into(),
                    summary: "the limit of cgroup /x was met".into(),
                    confidence: Confidence::High,
                    chain: vec![Link::new("limit", "x")],
                },
                evidence: Evidence::default(),
                advice: Some("look".into()),
            },
            oom: OomFacts {
                scope: Scope::Memcg,
                memcg: Some("/x".into()),
                trigger: Some(OomTrigger { pid: Some(7), comm: "a".into(), ..OomTrigger::default() }),
                victim: Some(OomVictim { pid: 42, comm: "b".into(), ..OomVictim::default() }),
                dominant: Some(Dominant::Shmem),
                candidates: vec![OomCandidate { pid: 42, comm: "b".into(), rss_bytes: 1, ..OomCandidate::default() }],
                growth: vec![OomGrowth { pid: 42, comm: "b".into(), to_bytes: 9, ..OomGrowth::default() }],
                innocent: Some(true),
                why: "why".into(),
                ..OomFacts::default()
            },
        })),
        Body::Loss(LossRecord { site: "calls_lost".into(), probe: Some("sys_exit".into()), lost: 7 }),
        Body::Summary(SummaryRecord {
            seen: 5,
            delivered: 5,
            counters: [("calls_seen".to_owned(), 5)].into(),
            sinks: vec![SinkSummary { name: "ndjson".into(), written: 5, dropped: 0 }],
            probes: vec![ProbeCost { name: "sys_exit".into(), runs: 5, run_ns: 900 }],
            exit_code: Some(0),
            ..SummaryRecord::default()
        }),
    ]
}

#[test]
fn the_hand_written_form_is_byte_for_byte_the_typed_one() {
    for body in samples() {
        if let Body::Syscall(record) = &body {
            assert_eq!(by_hand(1_796_098_560_000_000_007, record), by_serde(1_796_098_560_000_000_007, body.clone()));
        }
    }
}

#[test]
fn every_type_reads_back_the_same() {
    for body in samples() {
        let line = by_serde(5, body.clone());
        assert!(line.ends_with('\n') && line.matches('\n').count() == 1);
        let back: Record = serde_json::from_str(&line).unwrap();
        assert_eq!((back.v, back.host.as_str(), back.body), (SCHEMA_VERSION, "h\"1", body));
    }
}

#[test]
fn every_type_validates_against_the_published_schema() {
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(SCHEMA_PATH).unwrap()).unwrap();
    for body in samples() {
        let value: Value = serde_json::from_str(&by_serde(5, body)).unwrap();
        assert_eq!(validate::check(&schema, &schema, &value), Ok(()), "{value}");
        for field in ["v", "ts", "host", "type"] {
            let mut without = value.clone();
            without.as_object_mut().unwrap().remove(field);
            assert!(validate::check(&schema, &schema, &without).is_err(), "{field} is required");
        }
    }
    for wrong in [
        r#"{"v":1,"ts":"2026-12-01T00:00:00Z","host":"h","type":"nonsense"}"#,
        r#"{"v":1,"ts":"2026-12-01T00:00:00Z","host":"h","type":"loss","site":"x","probe":null,"lost":-1}"#,
        r#"{"v":1,"ts":"2026-12-01T00:00:00Z","host":"h","type":"loss","site":7,"probe":null,"lost":1}"#,
    ] {
        let value: Value = serde_json::from_str(wrong).unwrap();
        assert!(validate::check(&schema, &schema, &value).is_err(), "{wrong}");
    }
}

/// With SYSPROBE_UPDATE_DOCS=1 the file is written instead.
#[test]
fn the_published_schema_is_current() {
    let mut schema = schemars::schema_for!(Record);
    schema.insert("$id".to_owned(), "urn:sysprobe:record:v1".into());
    schema.insert("title".to_owned(), "sysprobe record, version 1".into());
    let current = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
    if std::env::var_os("SYSPROBE_UPDATE_DOCS").is_some() {
        std::fs::create_dir_all(Path::new(SCHEMA_PATH).parent().unwrap()).unwrap();
        std::fs::write(SCHEMA_PATH, &current).unwrap();
    }
    let published = std::fs::read_to_string(SCHEMA_PATH).unwrap_or_default();
    assert!(published == current, "docs/schema/v1.json is old: run the tests once with SYSPROBE_UPDATE_DOCS=1");
}

proptest! {
    #[test]
    fn any_text_gives_one_valid_line(name in ".*", args in prop::collection::vec(".*", 0..6), ret in any::<Option<i64>>(), ns in any::<i64>()) {
        let record = SyscallRecord { name, args, ret, ..typed(process()) };
        let line = by_hand(ns, &record);
        prop_assert_eq!(line.matches('\n').count(), 1);
        let back: Record = serde_json::from_str(&line).unwrap();
        prop_assert_eq!(back.body, Body::Syscall(record));
    }
}
