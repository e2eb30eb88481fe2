//! Kills with and without the log's report, in any order, late and lost.

use super::history::tests::{holds, sample};
use super::*;
use crate::analyze::fact::MemorySample;
use crate::enrich::{MemoryLimit, ProcessInfo};
use crate::event::{CgroupLevel, MemorySplit, ProcessMemory, Tgid, Tid};
use crate::explain::cause::Confidence;
use crate::explain::frame::Frame;
use crate::explain::line::Line;
use crate::explain::oom::{Dominant, Parser, Scope};
use crate::record::OomKillRecord;

const S: u64 = 1_000_000_000;
const MIB: u64 = 1 << 20;

fn comm(name: &str) -> [u8; 16] {
    let mut comm = [0; 16];
    comm[..name.len()].copy_from_slice(name.as_bytes());
    comm
}

/// The kill of process `pid`, which holds `mib`, by an allocation of process 2.
fn killed(pid: u32, at_ns: u64, mib: u64) -> Fact {
    let kill = OomKill {
        at_ns,
        tid: Tid(pid),
        tgid: Some(Tgid(pid)),
        start_ns: Some(5),
        lived_ns: Some(at_ns - 5),
        comm: comm(&format!("p{pid:03}")),
        uid: Some(0),
        oom_score_adj: Some(300),
        total_vm_bytes: None,
        pgtables_bytes: Some(4096),
        memory: Some(MemorySplit { anon_bytes: mib * MIB, ..MemorySplit::default() }),
        cgroup: vec![CgroupLevel { id: 9, name: "job".into() }],
        cgroup_cut: false,
        trigger: (Tid(22), Tgid(2)),
        trigger_comm: comm("p002"),
        kernel: Vec::new(),
    };
    let frames = ["mark_oom_victim", "out_of_memory", "mem_cgroup_out_of_memory", "do_anonymous_page"];
    let limit = MemoryLimit {
        path: "/job".into(),
        limit_bytes: Some(100 * MIB),
        usage_bytes: Some(100 * MIB),
        group: None,
        stat: vec!["anon 104857600".into(), "file 0".into()],
    };
    Fact::OomKilled(Box::new(OomKilled {
        kill,
        process: ProcessInfo { pid, tid: pid, ..ProcessInfo::default() },
        frames: frames.iter().filter_map(|name| Frame::new(name, None)).collect(),
        limits: vec![limit],
    }))
}

/// What the log says of the kill of process 1, and of others with it.
fn reported(at_ns: u64, others: &[u32]) -> Fact {
    let mut text = String::from(
        "p002 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0\n\
         CPU: 1 PID: 22 Comm: p002 Not tainted 6.18.0 #1\n\
         memory: usage 102400kB, limit 102400kB, failcnt 19\n\
         Memory cgroup stats for /job:\n\
         anon 104857600\n\
         file 0\n\
         Tasks state (memory values in pages):\n\
         [  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name\n\
         [      1]     0     1    20000    15360   139264        0           300 p001\n\
         [      2]     0     2    20000    10240   139264        0             0 p002\n\
         oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/job,task_memcg=/job,task=p001,pid=1,uid=0\n\
         Memory cgroup out of memory: Killed process 1 (p001) total-vm:80000kB, anon-rss:61440kB, file-rss:0kB, shmem-rss:0kB\n",
    );
    if !others.is_empty() {
        text.push_str("Tasks in /job are going to be killed due to memory.oom.group set\n");
    }
    for pid in others {
        text.push_str(&format!("Memory cgroup out of memory: Killed process {pid} (p{pid:03}) total-vm:8kB\n"));
    }
    let mut parser = Parser::default();
    for (number, line) in (1..).zip(text.lines()) {
        parser.feed(number, &Line::parse(line));
    }
    Fact::OomReported { at_ns, report: Box::new(parser.finish().unwrap()) }
}

/// What is told when these facts come one after the other.
fn told(facts: &[Fact]) -> Vec<OomKillRecord> {
    let mut analyzer = OomKills::default();
    let mut findings = Vec::new();
    for fact in facts {
        analyzer.take(fact, &mut findings);
    }
    let record = |finding: Finding| match finding.body {
        Body::OomKill(record) => *record,
        other => panic!("{other:?}"),
    };
    findings.into_iter().map(record).collect()
}

/// Process 1 holds 60 MiB and is quiet, process 2 grows by 2 MiB a second to 40 MiB.
fn quiet_and_growing() -> Vec<Fact> {
    (1..=20).map(|second| Fact::Memory(sample(second, vec![holds(1, 60), holds(2, 2 * second)]))).collect()
}

#[test]
fn record_and_report_make_one_finding_in_either_order() {
    let (kill, report) = (killed(1, 9 * S, 60), reported(9 * S + 1, &[]));
    let both = [vec![kill.clone(), report.clone()], vec![report, kill]].map(|facts| told(&facts));
    assert_eq!(both[0], both[1]);
    let [record] = both[0].as_slice() else { panic!("{both:?}") };
    assert_eq!((record.episode.phase, record.oom.scope, record.oom.logged), (Phase::Close, Scope::Memcg, true));
    assert_eq!((record.oom.memcg.as_deref(), record.oom.limit_bytes), (Some("/job"), Some(100 * MIB)));
    let trigger = record.oom.trigger.as_ref().unwrap();
    assert_eq!((trigger.pid, trigger.tid, trigger.order), (Some(2), Some(22), Some(0)));
    assert_eq!(record.oom.victim.as_ref().unwrap().oom_score_adj, Some(300));
    assert_eq!(
        (record.oom.dominant, record.oom.innocent),
        (Some(Dominant::Anon), Some(false)),
        "no history: the largest"
    );
}

#[test]
fn who_grew_last_is_to_blame_and_not_who_held_most() {
    let mut facts = quiet_and_growing();
    facts.extend([killed(1, 21 * S, 60), reported(21 * S, &[])]);
    let record = told(&facts).remove(0);
    assert_eq!(record.oom.innocent, Some(true));
    assert_eq!(
        record.oom.why,
        "p002[2] grew by 38.0 MiB in 20.0 s, the victim not at all, with 60.0 MiB resident; it was chosen for its oom_score_adj of 300"
    );
    assert_eq!((record.oom.growth.len(), record.oom.growth[0].pid), (1, 2));
    assert_eq!(record.oom.candidates[0].pid, 1);
}

#[test]
fn a_late_report_completes_what_went_out_in_time() {
    let tick = |ms: u64| Fact::Tick { at_ns: 9 * S + ms * 1_000_000 };
    let mut facts = vec![Fact::Memory(sample(8, vec![holds(1, 60), holds(2, 40)])), killed(1, 9 * S, 60)];
    facts.extend([tick(20), tick(70), tick(90)]);
    let early = told(&facts);
    let [open] = early.as_slice() else { panic!("{early:?}") };
    assert_eq!((open.episode.phase, open.oom.logged, open.oom.scope), (Phase::Open, false, Scope::Memcg));
    assert_eq!((open.oom.memcg.as_deref(), open.oom.dominant), (Some("/job"), Some(Dominant::Anon)));
    assert_eq!(open.oom.trigger.as_ref().unwrap().wanted.as_deref(), Some("anonymous memory (a page fault)"));
    assert_eq!(open.oom.candidates.len(), 2, "from the last sample");
    facts.push(reported(9 * S + 200_000_000, &[]));
    let all = told(&facts);
    assert_eq!((all.len(), all[1].episode.phase, all[1].oom.logged), (2, Phase::Close, true));
    assert_eq!(all[0].episode.id, all[1].episode.id);
    facts.truncate(5);
    facts.push(tick(2100));
    let never = told(&facts);
    assert_eq!((never.len(), never[1].episode.phase, never[1].oom.logged), (2, Phase::Close, false));
}

#[test]
fn a_kill_that_only_the_log_tells_of_is_told_of() {
    let facts = [
        reported(9 * S, &[]),
        Fact::Lost { at_ns: 9 * S, site: "oom_kills_lost", lost: 1 },
        Fact::Tick { at_ns: 12 * S },
    ];
    let all = told(&facts);
    let [record] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!((record.process.pid, record.oom.trigger.as_ref().unwrap().tid), (1, Some(22)));
    assert_eq!(record.episode.evidence.lost_events, 1);
}

#[test]
fn the_rest_of_a_killed_group_is_innocent() {
    let facts = [killed(1, 9 * S, 60), killed(7, 9 * S + 10, 1), reported(9 * S + 20, &[7])];
    let all = told(&facts);
    assert_eq!(all.len(), 2);
    assert!(all.iter().all(|record| record.oom.group));
    assert_eq!((all[1].process.pid, all[1].oom.innocent), (7, Some(true)));
    assert!(all[1].oom.why.contains("memory.oom.group") && all[1].oom.why.contains("p001[1]"), "{}", all[1].oom.why);
}

#[test]
fn a_report_without_the_list_of_processes_waits_for_a_sample() {
    let Fact::OomReported { report, .. } = reported(9 * S, &[]) else { panic!() };
    let mut short = *report;
    short.table = crate::explain::oom::Table::default();
    let short = Fact::OomReported { at_ns: 9 * S, report: Box::new(short) };
    let before = Fact::Memory(sample(8, vec![holds(1, 60)]));
    let mut facts = vec![before.clone(), killed(1, 9 * S, 60), short];
    assert_eq!(told(&facts), []);
    let mut late = facts.clone();
    late.push(Fact::Tick { at_ns: 9 * S + TELL_NS });
    let late = told(&late).remove(0);
    assert_eq!((late.episode.phase, late.episode.cause.confidence), (Phase::Close, Confidence::Medium));
    assert_eq!(late.oom.innocent, Some(false), "who asked is not in the sample: the largest");
    let grower = ProcessMemory { start_ns: 8 * S + S / 2, ..holds(2, 40) };
    facts.push(Fact::Memory(MemorySample { at_ns: 9 * S + 1, boot_ns: 9 * S + 1, ..sample(9, vec![grower]) }));
    let all = told(&facts);
    let [record] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!((record.oom.innocent, record.oom.candidates.len()), (Some(true), 2), "{}", record.oom.why);
}

#[test]
fn a_flood_of_kills_without_reports_is_bounded_and_told_of() {
    let mut facts: Vec<Fact> = (0..2000).map(|pid| killed(pid + 10, 9 * S + u64::from(pid), 1)).collect();
    facts.push(Fact::Tick { at_ns: 20 * S });
    assert_eq!(told(&facts).len(), 2000);
}
