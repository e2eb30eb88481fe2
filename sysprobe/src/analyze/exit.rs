//! Abnormal ends of processes: what killed each, in words, as far as somebody saw the signal being sent.
//!
//! One finding an end. Not here: what an OOM kill was about; its victim's end names the finding that tells.

use std::collections::VecDeque;

use super::fact::{Exited, Fact};
use super::{Analyzer, Finding};
use crate::enrich::ProcessInfo;
use crate::event::{Ending, SignalSent, Tgid, padded_text};
use crate::explain::cause::{Confidence, Evidence, Link};
use crate::record::{Body, CauseRecord, Episode, ExitFacts, ExitRecord, ExitSender, Fault, Phase, Severity};
use crate::syscall::signals;
use crate::syscall::structs::code_name;

/// Daemons that kill for memory before the kernel has to, by name as the kernel cuts it.
const OOM_DAEMONS: [&str; 4] = ["systemd-oomd", "earlyoom", "oomd", "nohang"];

/// Victims remembered until they have ended.
const MAX_OOM_KILLED: usize = 256;

/// The analyzer.
#[derive(Debug, Default)]
pub struct Exits {
    /// Ends lost so far.
    lost: u64,
    /// Victims of OOM kills whose ends are to come: process, birth, the kill's id.
    oom_killed: VecDeque<(Tgid, u64, String)>,
}

impl Analyzer for Exits {
    fn take(&mut self, fact: &Fact, findings: &mut Vec<Finding>) {
        match fact {
            Fact::Exited(exited) => {
                let record = record(exited, self.lost, self.oom_kill(exited));
                findings.push(Finding { at_ns: exited.exit.ended_ns, body: Body::Exit(Box::new(record)) });
            }
            Fact::OomKilled(killed) => {
                let kill = &killed.kill;
                if let (Some(tgid), Some(start_ns)) = (kill.tgid, kill.start_ns) {
                    if self.oom_killed.len() >= MAX_OOM_KILLED {
                        self.oom_killed.pop_front();
                    }
                    self.oom_killed.push_back((tgid, start_ns, super::oom::id(kill)));
                }
            }
            Fact::Lost { site: "exits_lost", lost, .. } => self.lost += lost,
            _ => {}
        }
    }
}

impl Exits {
    /// The OOM kill that this is the end of.
    fn oom_kill(&mut self, exited: &Exited) -> Option<String> {
        let exit = &exited.exit;
        let is_it = |(tgid, start_ns, _): &(Tgid, u64, String)| *tgid == exit.tgid && *start_ns == exit.start_ns;
        let at = self.oom_killed.iter().position(is_it)?;
        self.oom_killed.remove(at).map(|(_, _, id)| id)
    }
}

/// What killed a process.
struct Verdict {
    class: &'static str,
    summary: String,
    confidence: Confidence,
    severity: Severity,
    advice: Option<String>,
}

fn record(exited: &Exited, lost_events: u64, oom_kill: Option<String>) -> ExitRecord {
    let exit = &exited.exit;
    let verdict = match exit.ending {
        Ending::Exited(code) => Verdict {
            class: "failed",
            summary: format!("it exited with {code}"),
            confidence: Confidence::High,
            severity: Severity::Warning,
            advice: Some("see its calls: sysprobe trace --failed -- COMMAND".to_owned()),
        },
        Ending::Killed { signo: signals::SIGKILL, .. } if oom_kill.is_some() => Verdict {
            class: "oom",
            summary: "killed by the kernel for want of memory".to_owned(),
            confidence: Confidence::High,
            severity: Severity::Warning,
            advice: Some("see why: sysprobe watch --only oom".to_owned()),
        },
        Ending::Killed { signo, core_dumped } => killed(exited, signo, core_dumped),
    };
    let sent = exit.sent.as_ref();
    let (code, signal, core_dumped) = match exit.ending {
        Ending::Exited(code) => (Some(code), None, false),
        Ending::Killed { signo, core_dumped } => (None, Some(signal_name(signo)), core_dumped),
    };
    ExitRecord {
        process: exited.process.clone(),
        episode: Episode {
            phase: Phase::Close,
            id: format!("exit-{}-{}", exit.tgid.0, exit.start_ns),
            severity: verdict.severity,
            duration_ns: Some(0),
            cause: CauseRecord {
                class: verdict.class.to_owned(),
                summary: verdict.summary,
                confidence: verdict.confidence,
                chain: chain(exited),
            },
            evidence: Evidence { lost_events, ..Evidence::default() },
            advice: verdict.advice,
        },
        exit: ExitFacts {
            code,
            signal,
            core_dumped,
            sent_by_kernel: sent.map(|s| s.by_kernel),
            sender: sent.map(|s| sender(s, exited.sender.as_ref())),
            fault: sent.and_then(|s| fault(exit.ending, s)),
            dying_ns: sent.map(|s| exit.ended_ns.saturating_sub(s.sent_ns)),
            asked_before_ns: sent.and_then(|s| asked_before(exit.ending, s)),
            lived_ns: exit.lived_ns,
            max_rss_bytes: exit.max_rss_bytes,
            oom_kill,
        },
    }
}

fn killed(exited: &Exited, signo: i32, core_dumped: bool) -> Verdict {
    let name = signal_name(signo);
    let asked = matches!(signo, signals::SIGHUP | signals::SIGINT | signals::SIGQUIT | signals::SIGTERM);
    let severity = if asked { Severity::Info } else { Severity::Warning };
    let verdict = |class, summary, confidence| Verdict { class, summary, confidence, severity, advice: None };
    let Some(sent) = &exited.exit.sent else {
        return verdict("signal", format!("killed by {name}; nobody saw it being sent"), Confidence::Low);
    };
    let who = format!("{}[{}]", padded_text(&sent.comm), sent.tgid.0);
    if let Some(fault) = fault(exited.exit.ending, sent) {
        let summary = format!("killed by {} at {} ({})", fault_words(signo), fault.address, fault.code);
        let advice = if core_dumped {
            "see where: coredumpctl debug, or gdb with the core that kernel.core_pattern names"
        } else {
            "to see where, run it again with cores allowed: ulimit -c unlimited"
        };
        return Verdict { advice: Some(advice.to_owned()), ..verdict("fault", summary, Confidence::High) };
    }
    if !sent.by_kernel {
        if sent.tgid == exited.exit.tgid {
            let what = if signo == signals::SIGABRT { "it aborted itself (SIGABRT)" } else { "it killed itself" };
            let summary = if signo == signals::SIGABRT { what.to_owned() } else { format!("{what} with {name}") };
            return verdict("self", summary, Confidence::High);
        }
        if sent.sender_ending && sent.tgid == exited.exit.ppid {
            let summary = format!("killed by {name} at the end of its parent {who} (PR_SET_PDEATHSIG)");
            return verdict("parent-death", summary, Confidence::High);
        }
        let details = details(sent, exited.sender.as_ref());
        if OOM_DAEMONS.contains(&padded_text(&sent.comm).as_str()) {
            let summary = format!("killed by {name} from {who} ({details}), which kills before memory runs out");
            return verdict("oom-daemon", summary, Confidence::High);
        }
        return verdict("killed", format!("killed by {name} from {who} ({details})"), Confidence::High);
    }
    match signo {
        signals::SIGHUP if sent.sender_ending => {
            verdict("terminal", format!("killed by SIGHUP as its session ended with {who}"), Confidence::High)
        }
        signals::SIGHUP => {
            verdict("terminal", format!("killed by SIGHUP at its terminal's end, closed by {who}"), Confidence::Medium)
        }
        signals::SIGINT | signals::SIGQUIT => {
            verdict("terminal", format!("killed by {name} typed at its terminal"), Confidence::Medium)
        }
        signals::SIGXCPU | signals::SIGXFSZ => {
            let what = if signo == signals::SIGXCPU { "CPU time (RLIMIT_CPU)" } else { "file size (RLIMIT_FSIZE)" };
            verdict("limit", format!("killed by {name}: it exceeded its limit of {what}"), Confidence::High)
        }
        signals::SIGKILL if sent.sender_ending => verdict(
            "pid-namespace",
            format!("killed by SIGKILL as its pid namespace ended with {who}"),
            Confidence::Medium,
        ),
        signals::SIGKILL => verdict(
            "kernel",
            "killed by SIGKILL from the kernel: out of memory, or over a hard limit".to_owned(),
            Confidence::Low,
        ),
        _ => verdict("kernel", format!("killed by {name} from the kernel"), Confidence::Medium),
    }
}

fn chain(exited: &Exited) -> Vec<Link> {
    let mut chain = Vec::new();
    let Some(sent) = &exited.exit.sent else { return chain };
    if let Some(before) = asked_before(exited.exit.ending, sent) {
        let words = format!("SIGTERM {:.1} s before: it did not end by itself", before as f64 / 1e9);
        chain.push(Link { since_ns: Some(before), ..Link::new("asked", words) });
    }
    if !sent.by_kernel && sent.tgid != exited.exit.tgid {
        let parent = format!("{}[{}]", padded_text(&sent.parent_comm), sent.parent.0);
        let words = format!("{}[{}], started by {parent}", padded_text(&sent.comm), sent.tgid.0);
        chain.push(Link { pid: Some(sent.tgid.0), ..Link::new("sender", words) });
    }
    chain
}

fn sender(sent: &SignalSent, info: Option<&ProcessInfo>) -> ExitSender {
    ExitSender {
        pid: sent.tgid.0,
        comm: padded_text(&sent.comm),
        uid: sent.uid,
        ppid: sent.parent.0,
        parent_comm: padded_text(&sent.parent_comm),
        cgroup: info.and_then(|i| i.cgroup.clone()),
        container: info.and_then(|i| i.container.clone()),
        job: info.and_then(|i| i.job.clone()),
    }
}

/// Whose the sender is.
fn details(sent: &SignalSent, info: Option<&ProcessInfo>) -> String {
    let place = info.and_then(|i| i.job.as_deref().or(i.container.as_deref()));
    let place = place.map_or(String::new(), |place| format!(", {place}"));
    format!("uid {}{place}", sent.uid)
}

/// How long before the last signal the process was asked to end.
fn asked_before(ending: Ending, sent: &SignalSent) -> Option<u64> {
    let by_another = !matches!(ending, Ending::Killed { signo: signals::SIGTERM, .. });
    sent.asked_ns.filter(|_| by_another).map(|asked| sent.sent_ns.saturating_sub(asked))
}

fn fault(ending: Ending, sent: &SignalSent) -> Option<Fault> {
    let Ending::Killed { signo, .. } = ending else { return None };
    let code = code_name(signo, sent.code).filter(|_| sent.by_kernel && sent.code > 0);
    // An address outside the address space comes as SI_KERNEL with no address.
    let code = code.or((sent.code == SI_KERNEL && is_fault(signo)).then_some("SI_KERNEL"))?;
    Some(Fault { code: code.to_owned(), address: format!("{:#x}", sent.address) })
}

const SI_KERNEL: i32 = 0x80;

fn is_fault(signo: i32) -> bool {
    matches!(
        signo,
        signals::SIGSEGV | signals::SIGBUS | signals::SIGILL | signals::SIGFPE | signals::SIGTRAP | signals::SIGSYS
    )
}

fn fault_words(signo: i32) -> &'static str {
    match signo {
        signals::SIGSEGV => "a segmentation fault (SIGSEGV)",
        signals::SIGBUS => "a bus error (SIGBUS)",
        signals::SIGILL => "an illegal instruction (SIGILL)",
        signals::SIGFPE => "an arithmetic fault (SIGFPE)",
        signals::SIGSYS => "a system call that its seccomp filter forbids (SIGSYS)",
        _ => "a trap (SIGTRAP)",
    }
}

fn signal_name(signo: i32) -> String {
    signals::name(signo).map_or_else(|| format!("signal {signo}"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{ProcessExit, Tid};

    fn comm(name: &str) -> [u8; 16] {
        let mut comm = [0; 16];
        comm[..name.len()].copy_from_slice(name.as_bytes());
        comm
    }

    fn sent(by: &str, code: i32) -> SignalSent {
        SignalSent {
            sent_ns: 900,
            asked_ns: None,
            code,
            address: 0x10,
            by_kernel: code > 0,
            sender_ending: false,
            tgid: Tgid(7),
            tid: Tid(7),
            uid: 1000,
            comm: comm(by),
            parent: Tgid(1),
            parent_comm: comm("init"),
        }
    }

    fn told(signo: i32, sent: Option<SignalSent>) -> ExitRecord {
        let exit = ProcessExit {
            tgid: Tgid(42),
            start_ns: 5,
            ended_ns: 1000,
            lived_ns: 990,
            max_rss_bytes: None,
            ending: Ending::Killed { signo, core_dumped: false },
            uid: 0,
            ppid: Tgid(7),
            comm: comm("victim"),
            sent,
        };
        record(&Exited { exit, process: ProcessInfo::default(), sender: None }, 0, None)
    }

    #[test]
    fn each_way_to_be_killed_has_its_words() {
        let by_kernel = |by| SignalSent { by_kernel: true, ..sent(by, 0) };
        let ending = |sent| SignalSent { sender_ending: true, ..sent };
        for (signo, sent, class, words) in [
            (signals::SIGKILL, Some(sent("bash", 0)), "killed", "killed by SIGKILL from bash[7] (uid 1000)"),
            (signals::SIGKILL, Some(sent("systemd-oomd", 0)), "oom-daemon", "from systemd-oomd[7]"),
            (signals::SIGKILL, None, "signal", "nobody saw it being sent"),
            (signals::SIGKILL, Some(by_kernel("x")), "kernel", "out of memory, or over a hard limit"),
            (
                signals::SIGKILL,
                Some(ending(by_kernel("init"))),
                "pid-namespace",
                "its pid namespace ended with init[7]",
            ),
            (signals::SIGTERM, Some(ending(sent("boss", 0))), "parent-death", "at the end of its parent boss[7]"),
            (signals::SIGHUP, Some(by_kernel("sshd")), "terminal", "its terminal's end, closed by sshd[7]"),
            (
                signals::SIGSEGV,
                Some(sent("victim", 1)),
                "fault",
                "a segmentation fault (SIGSEGV) at 0x10 (SEGV_MAPERR)",
            ),
            (signals::SIGSEGV, Some(sent("victim", 0x80)), "fault", "(SI_KERNEL)"),
            (signals::SIGSEGV, Some(sent("bash", 0)), "killed", "killed by SIGSEGV from bash[7]"),
            (signals::SIGABRT, Some(SignalSent { tgid: Tgid(42), ..sent("victim", -6) }), "self", "it aborted itself"),
        ] {
            let record = told(signo, sent);
            assert_eq!(record.episode.cause.class, class, "{:?}", record.episode.cause);
            assert!(record.episode.cause.summary.contains(words), "{:?}", record.episode.cause);
        }
    }

    #[test]
    fn a_kill_after_a_request_to_end_says_so() {
        let record = told(signals::SIGKILL, Some(SignalSent { asked_ns: Some(100), ..sent("systemd", 0) }));
        assert_eq!(record.exit.asked_before_ns, Some(800));
        assert_eq!(record.episode.cause.chain[0].kind, "asked");
        let record = told(signals::SIGTERM, Some(SignalSent { asked_ns: Some(900), ..sent("systemd", 0) }));
        assert_eq!(record.exit.asked_before_ns, None);
    }
}
