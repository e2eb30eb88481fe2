//! The labelled OOM reports: every field that a label gives is compared with the verdict.

use sysprobe::explain::line::Line;
use sysprobe::explain::oom::{Dominant, Parser, Verdict, judge};

use crate::cases;

/// One row of `oom-labels.tsv`, as words.
struct Label(Vec<String>);

impl Label {
    fn get(&self, at: usize) -> &str {
        self.0.get(at).map_or("", String::as_str)
    }
}

fn verdict(text: &str) -> Option<Verdict> {
    let mut parser = Parser::default();
    let mut reports = Vec::new();
    for (at, raw) in text.lines().enumerate() {
        reports.extend(parser.feed(at as u64 + 1, &Line::parse(raw)).0);
    }
    reports.extend(parser.finish());
    reports.first().map(judge)
}

/// `name(pid)`, `name` alone, or nothing.
fn who(label: &str) -> (Option<String>, Option<u32>) {
    match label.rsplit_once('(') {
        Some((name, pid)) => (Some(name.trim().to_owned()), pid.trim_end_matches(')').parse().ok()),
        None => (Some(label.to_owned()), None),
    }
}

fn first_word(text: &str) -> &str {
    text.split([' ', ':', ',', ';']).next().unwrap_or("")
}

/// What the label's consumer means in the words of the schema; `None` where it cannot be told.
fn consumer(label: &str) -> Option<Option<Dominant>> {
    Some(match first_word(label) {
        "anon" => Some(Dominant::Anon),
        "dirty" | "file" | "page" => Some(Dominant::File),
        "kernel" => Some(Dominant::Kernel),
        "shmem" | "tmpfs" => Some(Dominant::Shmem),
        "slab" => Some(Dominant::Slab),
        "hugetlb" => Some(Dominant::Hugetlb),
        "none" => None,
        _ => return None,
    })
}

/// Compares one field; says what differs.
fn check(name: &str, got: &dyn std::fmt::Debug, ok: bool, want: &str, file: &str, score: &mut (u32, u32)) {
    score.1 += 1;
    score.0 += u32::from(ok);
    if !ok {
        println!("!! {file}: {name}: want {want:?}, got {got:?}");
    }
}

#[test]
fn labelled_oom_reports_are_judged_right() {
    let table = std::fs::read_to_string(cases().join("oom-labels.tsv")).unwrap_or_default();
    let mut score = (0, 0);
    let mut files = 0;
    for row in table.lines().skip(1) {
        let label = Label(row.split('\t').map(str::to_owned).collect());
        let file = label.get(0);
        let text = String::from_utf8_lossy(&std::fs::read(cases().join(file)).unwrap_or_default()).into_owned();
        files += 1;
        let Some(got) = verdict(&text) else {
            println!("!! {file}: no report was found");
            score.1 += 10;
            continue;
        };
        let scope = match first_word(label.get(1)) {
            "none" => "manual",
            scope => scope,
        };
        check("scope", &got.scope, got.scope.as_str() == scope, scope, file, &mut score);
        let (comm, pid) = who(label.get(2));
        if comm.as_deref() != Some("unknown (header not in text)") && !label.get(2).starts_with("unknown") {
            let trigger = got.trigger.as_ref();
            let ok = trigger.map(|t| t.comm.as_str()) == comm.as_deref() && trigger.and_then(|t| t.pid) == pid;
            check("trigger", &trigger, ok, label.get(2), file, &mut score);
        }
        let (comm, pid) = who(label.get(3));
        let victim = got.victim.as_ref();
        let ok = victim.map(|v| v.comm.as_str()) == comm.as_deref() && victim.map(|v| v.pid) == pid;
        check("victim", &victim.map(|v| (&v.comm, v.pid)), ok, label.get(3), file, &mut score);
        let memcg = Some(first_word(label.get(4))).filter(|m| *m != "-");
        let memcg_got = got.memcg.as_deref();
        check("memcg", &memcg_got, memcg_got == memcg, label.get(4), file, &mut score);
        for (name, at, value) in [
            ("total_vm", 5, victim.and_then(|v| v.total_vm_bytes).map(|b| (b / 1024) as i64)),
            ("anon_rss", 6, victim.and_then(|v| v.anon_rss_bytes).map(|b| (b / 1024) as i64)),
            ("oom_score_adj", 7, victim.and_then(|v| v.oom_score_adj).map(i64::from)),
        ] {
            if let Ok(want) = first_word(label.get(at)).parse::<i64>() {
                check(name, &value, value == Some(want), label.get(at), file, &mut score);
            }
        }
        if let Some(want) = consumer(label.get(8)) {
            check("dominant", &got.dominant, got.dominant == want, label.get(8), file, &mut score);
        }
        let yes_or_no = |text: &str| match first_word(text) {
            "yes" | "mostly" => Some(true),
            "no" => Some(false),
            _ => None,
        };
        let largest = yes_or_no(label.get(9));
        if largest.is_some() && got.largest.is_some() {
            check("largest", &got.largest, got.largest == largest, label.get(9), file, &mut score);
        }
        let innocent = yes_or_no(label.get(10));
        check("innocent", &(got.innocent, &got.why), got.innocent == innocent, label.get(10), file, &mut score);
    }
    println!("{} of {} fields right in {files} reports", score.0, score.1);
    assert!(files >= 21, "only {files} reports were read");
    assert!(score.0 * 100 >= score.1 * 95, "{} of {} fields: below 95 %", score.0, score.1);
}
