//! CLOSE_WAIT leaks in words: whose, how many, how fast they grow, and what their owner does not do.

use std::io::{self, Write};

use super::{GOOD, Page, alarm, span, sureness};
use crate::record::{CloseWaitRecord, Phase};

/// Descriptors and holders named.
const NAMED: usize = 12;

/// One leak.
pub(super) fn write<W: Write>(page: &mut Page<W>, at_ns: u64, record: &CloseWaitRecord) -> io::Result<()> {
    let (process, sockets, episode) = (&record.process, &record.sockets, &record.episode);
    let who = format!("{}[{}]", process.comm.as_deref().unwrap_or("?"), process.pid);
    let way = if sockets.accepted { "on" } else { "from" };
    if episode.phase == Phase::Close {
        let text =
            format!("{who}: the connections {way} {} in CLOSE_WAIT are gone, {} at most", sockets.local, sockets.most);
        return page.head(at_ns, GOOD, "ENDED", &text, &span(episode.duration_ns));
    }
    let word = if episode.phase == Phase::Open { "LEAK" } else { "STILL" };
    let least = if sockets.began_before { "at least " } else { "" };
    let head = format!(
        "{who}: {} connections {way} {} in CLOSE_WAIT, the oldest for {least}{}",
        sockets.count,
        sockets.local,
        span(Some(sockets.oldest_ns))
    );
    let place = process.cgroup.as_deref().filter(|c| *c != "/").map_or(String::new(), |c| format!("cgroup {c}"));
    page.head(at_ns, alarm(episode.severity), word, &head, &place)?;
    if let Some(rate) = sockets.per_minute.filter(|rate| *rate > 0.0) {
        let until = sockets
            .fd_limit_in_s
            .map_or(String::new(), |s| format!(", the limit in {}", span(Some(s.saturating_mul(1_000_000_000)))));
        page.row("grows", &format!("{rate} more a minute{until}"))?;
    }
    if let (Some(open), Some(limit)) = (sockets.open_fds, sockets.fd_limit) {
        page.row("descriptors", &format!("{open} open of {limit}; of these connections: {}", some(&sockets.fds)))?;
    }
    for link in &episode.cause.chain {
        page.row(if link.kind == "owner" { "which" } else { &link.kind }, &link.summary)?;
    }
    let others = sockets.holders.iter().filter(|h| h.pid != process.pid);
    let others: Vec<String> =
        others.take(NAMED).map(|h| format!("{}[{}] ({})", h.comm.as_deref().unwrap_or("?"), h.pid, h.count)).collect();
    if !others.is_empty() {
        page.row("held also by", &others.join(", "))?;
    }
    page.row("root cause", &format!("{}{}", episode.cause.summary, sureness(episode.cause.confidence)))?;
    if sockets.incomplete {
        page.row("evidence", "some connections, descriptors or namespaces could not be looked at")?;
    }
    if let Some(advice) = &episode.advice {
        page.row("try", advice)?;
    }
    page.gap()
}

fn some(fds: &[i32]) -> String {
    let shown: Vec<String> = fds.iter().take(NAMED).map(i32::to_string).collect();
    if shown.is_empty() {
        return "none".to_owned();
    }
    format!("{}{}", shown.join(" "), if fds.len() > NAMED { " .." } else { "" })
}
