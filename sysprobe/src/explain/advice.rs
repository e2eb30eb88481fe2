//! What a person can do next, one text a class. It names commands that look, before commands that act.

use super::cause::Class;

/// The advice for a class; never empty.
pub fn for_class(class: Class) -> &'static str {
    match class {
        Class::BlockIo => {
            "look at the device: `iostat -x 1` and the kernel log for I/O errors or timeouts; with no request in flight the fault is in the driver below"
        }
        Class::BlockQueue => {
            "the device is saturated or its queue is frozen: look at `iostat -x 1`, at in-flight requests and at who writes; a frozen queue waits for requests that do not complete"
        }
        Class::BlockVirtual => {
            "look at the server process behind the device (nbd-client, ublk, DRBD's peer): is it alive, and can its network be reached"
        }
        Class::DeviceErrorHandling => {
            "the device timed out or failed: read the kernel log for the reset's outcome, check cable, path and `smartctl`; waiters go on when recovery ends"
        }
        Class::Md => {
            "look at `cat /proc/mdstat`: a resync, a failed member or a bitmap on a slow disk holds the array up"
        }
        Class::Dm => "look at `dmsetup status` and at the devices below the target",
        Class::DmSuspend => {
            "look at `dmsetup info`: a device left SUSPENDED goes on with `dmsetup resume NAME`; find who suspended it first"
        }
        Class::Bcache => {
            "look at the cache and backing devices in /sys/block/bcache*/bcache; a slow cache device or a full journal stalls all writers"
        }
        Class::FsJournal => {
            "find what the journal thread (jbd2/DEV, xfsaild, btrfs-transaction) waits for: it is the root; usually slow or stuck writes on that device"
        }
        Class::FsLock => {
            "another task holds the lock: look for the task on the same file system that waits for something else, it is the root"
        }
        Class::Freeze => {
            "a file system is frozen: thaw it with `fsfreeze -u MOUNTPOINT` (or `xfs_freeze -u`, `dmsetup resume`), and find the backup or snapshot job that froze it"
        }
        Class::WritebackWait => {
            "dirty data is being written: look at Dirty and Writeback in /proc/meminfo and at the device with `iostat -x 1`"
        }
        Class::WritebackThrottle => {
            "the disk cannot keep up with writers: find the top writer (`iotop -o`), look at the device and at vm.dirty_* limits; in a cgroup, at its memory limit"
        }
        Class::PageLock => {
            "another task holds the page: look for a task on the same file that waits for I/O or a server, it is the root"
        }
        Class::SwapIn => {
            "memory is short and swap is slow: look at `vmstat 1` (si, so) and at the swap device; give the process memory or move swap"
        }
        Class::Reclaim => {
            "memory is short: look at /proc/pressure/memory, at the memory cgroup's limit and events, and at who grows"
        }
        Class::MemcgThrottle => {
            "the cgroup is above memory.high: raise memory.high or make its processes use less; look at memory.events"
        }
        Class::Nfs => {
            "look whether the NFS server answers (`nfsstat -c`, `rpcinfo -t SERVER nfs`); kill -9 works on most waiters; `umount -f` fails their calls, `umount -l` only hides the mount"
        }
        Class::Smb => "look whether the SMB server answers (/proc/fs/cifs/DebugData shows requests in flight)",
        Class::Ceph => "look at `ceph -s`, and at /sys/kernel/debug/ceph/*/{mdsc,osdc} for the requests in flight",
        Class::Fuse => {
            "look at the FUSE daemon: is it alive and what does it wait for; `fusermount -uz MOUNTPOINT` or writing 1 to /sys/fs/fuse/connections/ID/abort makes the waiters fail"
        }
        Class::NetworkFsOther => "look whether the file system's server answers, and at its own log",
        Class::Zfs => {
            "look at `zpool status -v` and `zpool iostat -v 1`: a suspended pool or a slow vdev stalls every writer"
        }
        Class::LockContention => {
            "find the holder: the task that holds this lock waits for something else, and that is the root (`echo w > /proc/sysrq-trigger` lists all blocked tasks)"
        }
        Class::Rcu => {
            "a CPU or a reader does not leave its RCU section: look for RCU stall messages, soft lockups or a busy kernel thread; many barriers in a row are slow, not stuck"
        }
        Class::WorkqueueFlush => "find the kworker that runs the work item: what it waits for is the root",
        Class::Module => {
            "look at the modprobe or udev process and at the device being probed; the kernel log names the driver"
        }
        Class::Vfork => {
            "look at the child: it runs or waits between vfork and exec; killing the child or the parent ends it"
        }
        Class::Coredump => {
            "a thread of the process does not exit or the core dump's reader (systemd-coredump, apport) is stuck: look at its other threads"
        }
        Class::IoUring => {
            "a request of the ring does not complete: look at /proc/PID/fdinfo of the ring and at the device or socket behind it"
        }
        Class::Freezer => {
            "nothing is wrong with the task: thaw the cgroup (echo 0 > cgroup.freeze, or THAWED > freezer.state), `docker unpause`"
        }
        Class::CgroupTeardown => {
            "a task or an open file of the dying cgroup is left: find it in cgroup.procs of its children and among readers of its files"
        }
        Class::GpuDriver => {
            "look at the kernel log for Xid, ring timeout or GPU reset messages and at `nvidia-smi` (it may hang too); a lost GPU needs a reset or a reboot"
        }
        Class::DeviceDriver => {
            "the device or its firmware does not answer: look at the kernel log for that driver; unplugging or resetting the device often ends the wait"
        }
        Class::PowerManagement => {
            "a device does not suspend or resume: the kernel log names it; disable its runtime power management (power/control = on)"
        }
        Class::MemcgOomWait => {
            "the cgroup is out of memory and nothing could be killed: look at memory.oom_control (oom_kill_disable) and its user-space handler"
        }
        Class::Userfaultfd => {
            "look at the process that serves this userfaultfd (live migration, CRIU, a VM monitor): it does not answer"
        }
        Class::Tty => {
            "the terminal's other end does not read or does not let go: look at flow control (Ctrl-Q), at the serial line, at the process on the other side"
        }
        Class::KthreadIdle => "harmless: this kernel thread has nothing to do",
        Class::Unknown => {
            "no rule knows these frames; take several stacks to see whether they change (`cat /proc/PID/stack`), and the stacks of all blocked tasks (`echo w > /proc/sysrq-trigger`)"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_advice() {
        for class in Class::ALL {
            assert!(for_class(*class).len() > 20, "{class:?}");
        }
    }
}
