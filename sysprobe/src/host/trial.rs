//! What the kernel lets this process do, tried: a map, and an empty program of each kind attached and detached at once.
//!
//! Files cannot tell this: seccomp filters, security modules and hosts that refuse single attach types answer only
//! when asked. The trials touch a rare tracepoint and a rarely called function, change nothing and leave nothing behind.
//! A fixture host lists its answers in a file instead ([`TRIALS_FILE`]).

use std::collections::BTreeMap;
use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use serde::Serialize;

use super::btf::KernelBtf;
use super::root::{HostFs, read_number, read_text};

/// Where a fixture host keeps its answers: lines of a [`Trial`]'s name and `ok` or an error number.
pub const TRIALS_FILE: &str = "/trials";

/// Fires at each exec: often enough to be everywhere, rare enough to disturb nobody.
const TRACEPOINT: &CStr = c"sched_process_exec";
/// A function that every kernel has and that is called rarely.
const FUNCTION: &CStr = c"vfs_rmdir";

// include/uapi/linux/bpf.h
const BPF_MAP_CREATE: libc::c_long = 0;
const BPF_PROG_LOAD: libc::c_long = 5;
const BPF_RAW_TRACEPOINT_OPEN: libc::c_long = 17;
const BPF_MAP_TYPE_RINGBUF: u32 = 27;
const BPF_PROG_TYPE_RAW_TRACEPOINT: u32 = 17;
const BPF_PROG_TYPE_TRACING: u32 = 26;
const BPF_TRACE_RAW_TP: u32 = 23;
const BPF_TRACE_FENTRY: u32 = 24;
// include/uapi/linux/perf_event.h
const PERF_FLAG_FD_CLOEXEC: libc::c_ulong = 8;
/// `r0 = 0; exit`
const RETURN_ZERO: [u64; 2] = [0xb7, 0x95];

/// One thing tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Trial {
    /// A ring buffer map (5.8).
    RingBuffer,
    /// A BTF-typed tracepoint program.
    TpBtf,
    /// A raw tracepoint program.
    RawTp,
    /// A program at a function's entry.
    Fentry,
    /// A kprobe.
    Kprobe,
}

impl Trial {
    /// All of them, in the order tried.
    pub const ALL: [Self; 5] = [Self::RingBuffer, Self::TpBtf, Self::RawTp, Self::Fentry, Self::Kprobe];

    /// As `check` and the fixtures write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::RingBuffer => "ring_buffer",
            Self::TpBtf => "tp_btf",
            Self::RawTp => "raw_tp",
            Self::Fentry => "fentry",
            Self::Kprobe => "kprobe",
        }
    }
}

/// The answers: for each thing tried, `None` if it works, or the error's number.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Trials(BTreeMap<Trial, Option<i32>>);

impl Trials {
    /// Tries everything on the running kernel. What needs its types fails with ENOENT without them.
    pub fn run(fs: &dyn HostFs, btf: Option<&KernelBtf>) -> Self {
        let tracepoint = TRACEPOINT.to_str().ok().and_then(|name| btf?.tracepoint_id(name));
        let function = FUNCTION.to_str().ok().and_then(|name| btf?.function_id(name));
        let kprobe = read_number(fs, "/sys/bus/event_source/devices/kprobe/type").and_then(|n| u32::try_from(n).ok());
        let answer = |trial| match trial {
            Trial::RingBuffer => ring_buffer().map(drop),
            Trial::TpBtf => tracing(BPF_TRACE_RAW_TP, tracepoint),
            Trial::RawTp => raw_tracepoint(),
            Trial::Fentry => tracing(BPF_TRACE_FENTRY, function),
            Trial::Kprobe => open_kprobe(kprobe).map(drop),
        };
        let errno = |e: io::Error| e.raw_os_error().unwrap_or(libc::EIO);
        Self(Trial::ALL.into_iter().map(|trial| (trial, answer(trial).err().map(errno))).collect())
    }

    /// A fixture host's answers.
    pub fn from_fixture(fs: &dyn HostFs) -> Self {
        let text = read_text(fs, TRIALS_FILE).unwrap_or_default();
        let rows = text.lines().filter_map(|line| {
            let (name, answer) = line.split_once(' ')?;
            let trial = Trial::ALL.into_iter().find(|t| t.name() == name)?;
            Some((trial, answer.trim().parse().ok()))
        });
        Self(rows.collect())
    }

    /// Whether something works; `None` if it was not tried.
    pub fn works(&self, trial: Trial) -> Option<bool> {
        self.0.get(&trial).map(Option::is_none)
    }

    /// Why something does not work, in the system's words.
    pub fn reason(&self, trial: Trial) -> Option<String> {
        let text = self.error(trial)?.to_string();
        Some(text.split(" (os error").next().unwrap_or(&text).to_lowercase())
    }

    /// The error of something that does not work.
    pub fn error(&self, trial: Trial) -> Option<io::Error> {
        self.0.get(&trial).copied().flatten().map(io::Error::from_raw_os_error)
    }
}

/// The part of `union bpf_attr` that these commands read; the kernel takes what lies behind as zero.
#[repr(C)]
#[derive(Default)]
struct LoadAttr {
    prog_type: u32,
    insn_cnt: u32,
    insns: u64,
    license: u64,
    log: [u64; 2],
    kern_version: u32,
    prog_flags: u32,
    prog_name: [u8; 16],
    prog_ifindex: u32,
    expected_attach_type: u32,
    debug_info: [u64; 4],
    line_info_cnt: u32,
    attach_btf_id: u32,
}

const _: () = assert!(std::mem::offset_of!(LoadAttr, expected_attach_type) == 68);
const _: () = assert!(std::mem::offset_of!(LoadAttr, attach_btf_id) == 108);

/// Calls bpf(2) for a command that gives a descriptor.
fn bpf<T>(command: libc::c_long, attr: &T) -> io::Result<OwnedFd> {
    // SAFETY: the kernel reads `size_of::<T>()` bytes of `attr`, which holds only integers; the pointers among them
    // were made from constants that outlive the call.
    let fd = unsafe { libc::syscall(libc::SYS_bpf, command, std::ptr::from_ref(attr), size_of::<T>()) };
    new_descriptor(fd)
}

/// Owns the descriptor that a raw call returned.
fn new_descriptor(returned: libc::c_long) -> io::Result<OwnedFd> {
    match i32::try_from(returned) {
        // SAFETY: the kernel just gave this descriptor to us alone.
        Ok(fd) if fd >= 0 => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
        _ => Err(io::Error::last_os_error()),
    }
}

fn ring_buffer() -> io::Result<OwnedFd> {
    // map_type, key_size, value_size, max_entries (bytes, a multiple of the page size)
    let create = || bpf(BPF_MAP_CREATE, &[BPF_MAP_TYPE_RINGBUF, 0, 0, 65_536]);
    // Kernels before 5.11 charge maps to the user's locked memory and say EPERM for want of it: lift the limit and try
    // again, as the loading of the real maps does.
    let unlimited = rustix::process::Rlimit { current: None, maximum: None };
    let lift = || rustix::process::setrlimit(rustix::process::Resource::Memlock, unlimited).is_ok();
    create().or_else(|error| if error.raw_os_error() == Some(libc::EPERM) && lift() { create() } else { Err(error) })
}

fn load(prog_type: u32, expected_attach_type: u32, attach_btf_id: u32) -> io::Result<OwnedFd> {
    let attr = LoadAttr {
        prog_type,
        insn_cnt: 2,
        insns: RETURN_ZERO.as_ptr().addr() as u64,
        license: c"GPL".as_ptr().addr() as u64,
        expected_attach_type,
        attach_btf_id,
        ..LoadAttr::default()
    };
    bpf(BPF_PROG_LOAD, &attr)
}

/// Attaches a program where it was loaded for, or to a named raw tracepoint; dropping the result detaches it.
fn attach(name: Option<&CStr>, program: &OwnedFd) -> io::Result<OwnedFd> {
    let name = name.map_or(0, |n| n.as_ptr().addr() as u64);
    bpf(BPF_RAW_TRACEPOINT_OPEN, &[name, program.as_raw_fd().unsigned_abs().into()])
}

fn raw_tracepoint() -> io::Result<()> {
    attach(Some(TRACEPOINT), &load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0)?).map(drop)
}

fn tracing(attach_type: u32, btf_id: Option<u32>) -> io::Result<()> {
    let id = btf_id.ok_or_else(|| io::Error::from_raw_os_error(libc::ENOENT))?;
    attach(None, &load(BPF_PROG_TYPE_TRACING, attach_type, id)?).map(drop)
}

/// Opens a disabled kprobe event (perf_event_open(2), the kprobe device).
fn open_kprobe(device: Option<u32>) -> io::Result<OwnedFd> {
    let device = device.ok_or_else(|| io::Error::from_raw_os_error(libc::ENOENT))?;
    // struct perf_event_attr, version 1 (72 bytes): type and size, config, period, sample type, read format, flags
    // (bit 0: disabled), wake-up and breakpoint type, config1 (the function's name), config2 (offset).
    const BYTES: u64 = 72;
    let attr: [u64; 9] = [u64::from(device) | BYTES << 32, 0, 0, 0, 0, 1, 0, FUNCTION.as_ptr().addr() as u64, 0];
    // SAFETY: the kernel reads the 72 bytes that the attribute says it has; the name is a constant.
    let fd = unsafe { libc::syscall(libc::SYS_perf_event_open, attr.as_ptr(), -1, 0, -1, PERF_FLAG_FD_CLOEXEC) };
    new_descriptor(fd)
}

#[cfg(test)]
mod tests {
    use super::super::root::memory::MemoryHost;
    use super::*;

    #[test]
    fn a_fixture_host_answers_from_its_file() {
        let host = MemoryHost::new([(TRIALS_FILE, "ring_buffer ok\ntp_btf 1\nnonsense 3\n")]);
        let trials = Trials::from_fixture(&host);
        assert_eq!(trials.works(Trial::RingBuffer), Some(true));
        assert_eq!(trials.error(Trial::TpBtf).unwrap().raw_os_error(), Some(libc::EPERM));
        assert_eq!(trials.works(Trial::Fentry), None);
    }

    #[test]
    fn what_needs_types_fails_without_them() {
        let trials = Trials::run(&MemoryHost::default(), None);
        for trial in [Trial::TpBtf, Trial::Fentry, Trial::Kprobe] {
            assert_eq!(trials.error(trial).unwrap().raw_os_error(), Some(libc::ENOENT), "{}", trial.name());
        }
    }
}
