//! Abnormal ends of processes in words: one line that says what killed whom, and what there is to it.

use std::io::{self, Write};

use super::{Page, alarm, span, sureness};
use crate::record::ExitRecord;

/// One end.
pub(super) fn write<W: Write>(page: &mut Page<W>, at_ns: u64, record: &ExitRecord) -> io::Result<()> {
    let (process, exit, episode) = (&record.process, &record.exit, &record.episode);
    let who = format!("{}[{}]", process.comm.as_deref().unwrap_or("?"), process.pid);
    let sure = sureness(episode.cause.confidence);
    let core = if exit.core_dumped { ", core dumped" } else { "" };
    let place = process.cgroup.as_deref().filter(|c| *c != "/").map_or(String::new(), |c| format!("cgroup {c}"));
    let head = format!("{who} {}{core}{sure}", after_subject(&episode.cause.summary));
    page.head(at_ns, alarm(episode.severity), "EXIT", &head, &place)?;
    for link in &episode.cause.chain {
        page.row(&link.kind, &link.summary)?;
    }
    let memory = exit.max_rss_bytes.map_or(String::new(), |b| format!(", {:.1} MiB at its most", b as f64 / MIB));
    page.row("lived", &format!("{}{memory}", span(Some(exit.lived_ns))))?;
    if let Some(oom) = &exit.oom_kill {
        page.row("see", oom)?;
    }
    if let Some(advice) = &episode.advice {
        page.row("try", advice)?;
    }
    page.gap()
}

const MIB: f64 = 1024.0 * 1024.0;

/// A summary as it goes on after the name.
fn after_subject(summary: &str) -> &str {
    summary.strip_prefix("it ").unwrap_or(summary)
}
