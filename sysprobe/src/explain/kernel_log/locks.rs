//! lockdep's list of held locks in a hung-task report: who holds the lock that a task waits for.

/// Tasks remembered of one list.
const MAX_TASKS: usize = 512;
/// Locks a task may hold: the kernel's own bound.
const MAX_LOCKS: usize = 48;

/// One lock in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The instance's address as printed.
    pub address: String,
    /// The lock's class, such as `rtnl_mutex`.
    pub name: String,
}

/// One task in the list, its locks in the order taken; a waiter's last one is the lock it waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The command name.
    pub comm: String,
    /// The thread id.
    pub tid: u32,
    /// Its locks.
    pub locks: Vec<Held>,
}

/// The last list of a log.
#[derive(Debug, Default)]
pub struct Locks {
    holders: Vec<Holder>,
    open: bool,
}

impl Locks {
    /// Takes a line; says whether it belongs to a list.
    pub fn take(&mut self, text: &str) -> bool {
        if text.starts_with("Showing all locks held in the system") {
            self.holders.clear();
            self.open = true;
            return true;
        }
        if !self.open {
            return false;
        }
        if text.starts_with("=====") {
            self.open = false;
            return true;
        }
        if let Some((count, who)) = text.split_once(" held by ")
            && (count.ends_with(" lock") || count.ends_with(" locks"))
        {
            if let Some((comm, tid)) = who.trim_end_matches([':', '.']).rsplit_once('/')
                && let Ok(tid) = tid.parse()
                && self.holders.len() < MAX_TASKS
            {
                self.holders.push(Holder { comm: comm.to_owned(), tid, locks: Vec::new() });
            }
            return true;
        }
        let Some(lock) = lock(text) else { return false };
        if let Some(holder) = self.holders.last_mut().filter(|h| h.locks.len() < MAX_LOCKS) {
            holder.locks.push(lock);
        }
        true
    }

    /// The lock a task waits for and the task that holds it, when the list shows both.
    pub fn holder_of(&self, waiter: u32) -> Option<(&Held, &Holder)> {
        let wanted = self.holders.iter().find(|h| h.tid == waiter)?.locks.last()?;
        let holds = |h: &&Holder| {
            h.tid != waiter && h.locks.iter().any(|l| l.address == wanted.address) && h.locks.last() != Some(wanted)
        };
        // Another waiter shows the lock last as well; a holder that runs may do so too, but only when it is alone.
        let others: Vec<&Holder> = self
            .holders
            .iter()
            .filter(|h| h.tid != waiter && h.locks.iter().any(|l| l.address == wanted.address))
            .collect();
        let holder = others
            .iter()
            .copied()
            .find(|h| holds(h))
            .or_else(|| if others.len() == 1 { others.first().copied() } else { None })?;
        Some((wanted, holder))
    }
}

/// `#0: ffffffff8f86f4a8 (rtnl_mutex){+.+.}-{4:4}, at: rtnl_lock+0x20/0x30`.
fn lock(text: &str) -> Option<Held> {
    let rest = text.strip_prefix('#')?;
    let (index, rest) = rest.split_once(':')?;
    index.trim().parse::<u8>().ok()?;
    let rest = rest.trim_start();
    let open = rest.find('(')?;
    let address = rest.get(..open)?.trim();
    let name = rest.get(open + 1..)?.split(')').next()?;
    Some(Held { address: address.to_owned(), name: name.trim_start_matches('&').chars().take(64).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_holder_is_the_task_that_has_the_lock_and_went_on() {
        let mut locks = Locks::default();
        for line in [
            "Showing all locks held in the system:",
            "1 lock held by khungtaskd/34:",
            "#0: ffffffff80 (rcu_read_lock){....}-{1:3}, at: debug_show_all_locks+0x1/0x2",
            "3 locks held by kworker/u16:1/308:",
            "#0: ffff01 ((wq_completion)events){+.+.}-{0:0}, at: process_one_work+0x1/0x2",
            "#1: ffff02 (rtnl_mutex){+.+.}-{4:4}, at: rtnl_lock+0x20/0x30",
            "2 locks held by ip/899:",
            "#0: ffff02 (rtnl_mutex){+.+.}-{4:4}, at: rtnl_newlink+0x1/0x2",
            "#1: ffff03 (&dev->lock){+.+.}-{4:4}, at: usbnet_stop+0x1/0x2",
            "=============================================",
        ] {
            assert!(locks.take(line), "{line}");
        }
        let (lock, holder) = locks.holder_of(308).expect("a holder");
        assert_eq!((lock.name.as_str(), holder.comm.as_str(), holder.tid), ("rtnl_mutex", "ip", 899));
        assert!(!locks.take("after the list"));
    }
}
