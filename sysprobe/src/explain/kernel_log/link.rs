//! Joins the stalls of one report: waiter to holder to what the holder waits for, up to the root or round a cycle.
//!
//! A holder is named only where the kernel or lockdep names it; a journal's thread is named where there is exactly one.

use super::Stall;
use super::locks::Locks;
use crate::explain::cause::{Class, Link};

/// A chain is not followed further; real ones have three or four links.
const MAX_DEPTH: usize = 16;

/// A task that another waits for.
struct Next {
    tid: u32,
    comm: String,
    lock: Option<String>,
    kind: &'static str,
}

/// Completes the chains of stalls that were reported together.
pub fn complete(stalls: &mut [Stall], locks: &Locks) {
    let next: Vec<Option<Next>> = stalls.iter().map(|stall| next_of(stall, stalls, locks)).collect();
    let mut chains: Vec<(Vec<Link>, Option<String>)> = Vec::with_capacity(stalls.len());
    for at in 0..stalls.len() {
        chains.push(follow(at, stalls, &next));
    }
    for (stall, (links, root)) in stalls.iter_mut().zip(chains) {
        stall.cause.chain.extend(links);
        if root.is_some() {
            stall.root = root;
        }
    }
}

fn next_of(stall: &Stall, all: &[Stall], locks: &Locks) -> Option<Next> {
    let tid = stall.task.tid?;
    if let Some(blocker) = &stall.task.blocker
        && let Some((comm, owner)) = &blocker.owner
    {
        let kind = blocker.kind.as_str();
        return Some(Next {
            tid: *owner,
            comm: comm.clone(),
            lock: Some(stall.verdict.lock.unwrap_or(kind).to_owned()),
            kind: "holder",
        });
    }
    if let Some((lock, holder)) = locks.holder_of(tid) {
        return Some(Next {
            tid: holder.tid,
            comm: holder.comm.clone(),
            lock: Some(lock.name.clone()),
            kind: "holder",
        });
    }
    if stall.verdict.class != Class::FsJournal || stall.comm().starts_with("jbd2/") {
        return None;
    }
    let on_jbd2 = stall.task.frames.iter().any(|f| f.name.contains("jbd2") || f.name.contains("wait_transaction"));
    let mut threads = all.iter().filter(|s| s.comm().starts_with("jbd2/") && on_jbd2);
    let thread = threads.next().filter(|_| threads.next().is_none())?;
    Some(Next { tid: thread.task.tid?, comm: thread.comm().to_owned(), lock: None, kind: "work" })
}

/// Walks from one stall to its root; gives the links and the root's key, by which stalls are grouped.
fn follow(start: usize, stalls: &[Stall], next: &[Option<Next>]) -> (Vec<Link>, Option<String>) {
    let mut links = Vec::new();
    let mut root = None;
    let mut seen = vec![stalls.get(start).and_then(|s| s.task.tid)];
    let mut at = start;
    for _ in 0..MAX_DEPTH {
        let Some(Some(step)) = next.get(at) else { break };
        let found = stalls.iter().position(|s| s.task.tid == Some(step.tid));
        let holds = match (&step.lock, step.kind) {
            (Some(lock), _) => format!("{}[{}] likely holds {lock}", step.comm, step.tid),
            (None, _) => format!("the journal thread {}[{}]", step.comm, step.tid),
        };
        let words = match found.and_then(|i| stalls.get(i)) {
            Some(holder) => format!("{holds} and itself {}", holder.verdict.summary()),
            None => format!("{holds}; it is not among the blocked tasks of this report"),
        };
        let mut link = Link::new(step.kind, words);
        link.pid = Some(step.tid);
        link.lock = step.lock.clone();
        links.push(link);
        root = Some(format!("task {}", step.tid));
        if seen.contains(&Some(step.tid)) {
            links.push(Link::new("deadlock", format!("a cycle of {} tasks: none of them can go on", seen.len())));
            root = seen.iter().flatten().min().map(|tid| format!("deadlock {tid}"));
            break;
        }
        seen.push(Some(step.tid));
        let Some(found) = found else { break };
        at = found;
    }
    (links, root)
}
