//! The loaded object: maps set up, probes attached in the form this kernel takes, detached when dropped.
//!
//! Nothing is pinned: when the process ends, however it ends, the kernel drops programs, links and maps with it.

use std::fmt;

use anyhow::Context as _;
use aya::maps::{Array, MapData, PerCpuArray, RingBuf};
use aya::programs::{BtfTracePoint, Iter, ProgramError, RawTracePoint};
use aya::{Btf, Ebpf, EbpfLoader, Pod};
use sysprobe_common::fields::{FIELD_COUNT, FIELDS, MISSING};
use sysprobe_common::limits::{
    BULK_RING_BYTES, MAX_BLOCKED, MAX_CALLS, MAX_CLOSE_WAITS, MAX_CONTENDED, MAX_SEEN_FILES, MAX_SIGNALLED, MAX_TASKS,
};
use sysprobe_common::plan::CallPlan;

use super::catalog::{Command, Form, ProbeRow};
use super::connections::Connections;
use super::health::{AttachVia, ProbeHealth, Verdict};
use super::iterator::TaskIterator;
use super::process_memory::ProcessMemories;
use super::rings::Rings;
use super::tables::{CallSums, Counters, TaskTable};
use super::task_waits::TaskWaits;
use crate::host::Shapes;
use crate::host::fields::ResolvedFields;

static OBJECT: &[u8] = aya::include_bytes_aligned!(concat!(env!("OUT_DIR"), "/sysprobe.bpf.o"));

/// What is frozen into the programs before they load.
#[derive(Clone, Debug)]
pub struct KernelSettings {
    /// Offsets in the order of `sysprobe_common::fields::FIELDS`.
    pub field_offsets: [u32; FIELD_COUNT],
    /// Report only calls that failed.
    pub failed_only: bool,
    /// Leave out calls shorter than this, in ns.
    pub slower_ns: u64,
    /// Sum calls in the kernel instead of reporting each.
    pub aggregate: bool,
    /// Bytes of the bulk ring: a power of two, at least a page.
    pub bulk_ring_bytes: u32,
    /// Report the end of waits in D of at least this many ns.
    pub stall_over_ns: u64,
    /// What no offset can say of this kernel.
    pub shapes: Shapes,
    /// The commands whose maps get their full size; the others' shrink to next to nothing.
    pub commands: &'static [Command],
}

impl KernelSettings {
    /// Everything reported, for these commands, with room for `BULK_RING_BYTES`.
    pub fn new(fields: &ResolvedFields, commands: &'static [Command]) -> Self {
        Self {
            field_offsets: fields.offsets,
            shapes: fields.shapes,
            failed_only: false,
            slower_ns: 0,
            aggregate: false,
            bulk_ring_bytes: BULK_RING_BYTES,
            stall_over_ns: u64::MAX,
            commands,
        }
    }
}

/// Why the object could not be loaded at all.
#[derive(Debug)]
pub enum LoadError {
    /// Not enough privilege.
    Denied(String),
    /// Anything else.
    Failed(anyhow::Error),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Denied(what) => write!(f, "the kernel does not let this process load eBPF ({what})"),
            Self::Failed(error) => write!(f, "{error:#}"),
        }
    }
}

impl std::error::Error for LoadError {}

/// [`CallPlan`] as a map value.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct PlanValue(CallPlan);
// SAFETY: integers only, no padding (asserted in sysprobe-common).
unsafe impl Pod for PlanValue {}

/// The kernel side, loaded.
pub struct Kernel {
    ebpf: Ebpf,
    btf: Option<Btf>,
}

impl Kernel {
    /// Loads the object; nothing is attached yet.
    ///
    /// # Errors
    /// [`LoadError::Denied`] without the privilege, [`LoadError::Failed`] when maps cannot be created.
    pub fn load(settings: &KernelSettings) -> Result<Self, LoadError> {
        let btf = Btf::from_sys_fs().ok();
        let failed_only = u32::from(settings.failed_only);
        let aggregate = u32::from(settings.aggregate);
        let rss_percpu = u32::from(settings.shapes.rss_percpu);
        let typed_task = u32::from(settings.shapes.typed_task);
        let victim_by_pid = u32::from(settings.shapes.victim_by_pid);
        let rows = |command: Command, rows: u32| if settings.commands.contains(&command) { rows } else { 1 };
        let mut loader = EbpfLoader::new();
        loader
            .btf(btf.as_ref())
            .override_global("FIELD_OFFSETS", &settings.field_offsets[..], true)
            .override_global("FAILED_ONLY", &failed_only, true)
            .override_global("SLOWER_NS", &settings.slower_ns, true)
            .override_global("AGGREGATE", &aggregate, true)
            .override_global("STALL_OVER_NS", &settings.stall_over_ns, true)
            .override_global("RSS_PERCPU", &rss_percpu, true)
            .override_global("VICTIM_BY_PID", &victim_by_pid, true)
            .override_global("TYPED_TASK", &typed_task, true)
            .map_max_entries("TASKS", rows(Command::Trace, MAX_TASKS))
            .map_max_entries("SEEN_FILES", rows(Command::Trace, MAX_SEEN_FILES))
            .map_max_entries("BLOCKED", rows(Command::Watch, MAX_BLOCKED))
            .map_max_entries("CONTENDED", rows(Command::Watch, MAX_CONTENDED))
            .map_max_entries("SIGNALLED", rows(Command::Watch, MAX_SIGNALLED))
            .map_max_entries("CLOSE_WAITS", rows(Command::Watch, MAX_CLOSE_WAITS))
            .map_max_entries("BULK", settings.bulk_ring_bytes)
            .map_max_entries("CALL_STATS", if settings.aggregate { MAX_CALLS } else { 1 });
        let ebpf = loader.load(OBJECT).map_err(|error| {
            let text = format!("{:#}", anyhow::Error::new(error));
            if text.contains("Operation not permitted") || text.contains("Permission denied") {
                LoadError::Denied(text)
            } else {
                LoadError::Failed(anyhow::anyhow!(text).context("cannot load the eBPF object"))
            }
        })?;
        Ok(Self { ebpf, btf })
    }

    /// Loads and attaches one probe: by BTF, else by its twin.
    pub fn attach(&mut self, row: &'static ProbeRow, offsets: &[u32; FIELD_COUNT]) -> ProbeHealth {
        if let Some(field) = row.fields.iter().find(|f| offsets.get(**f as usize).is_none_or(|o| *o == MISSING)) {
            let name = FIELDS.get(*field as usize).map_or(String::new(), |s| format!("{}.{}", s.of, s.path));
            return ProbeHealth { row, verdict: Verdict::Unsupported(format!("this kernel has no {name}")) };
        }
        let by_btf = match (&self.btf, row.form) {
            (Some(btf), Form::Tracepoint) => attach_btf(&mut self.ebpf, row, btf),
            (Some(btf), Form::Iterator) => attach_iterator(&mut self.ebpf, row, btf),
            (None, _) => Err("no BTF".to_owned()),
        };
        let verdict = match by_btf {
            Ok(()) if row.form == Form::Iterator => Verdict::Attached(AttachVia::Iterator),
            Ok(()) => Verdict::Attached(AttachVia::Btf),
            Err(reason) if row.form == Form::Iterator => Verdict::Broken(reason),
            Err(btf_reason) => match attach_raw(&mut self.ebpf, row) {
                Ok(()) => Verdict::Attached(AttachVia::Raw),
                Err(raw_reason) => Verdict::Broken(format!("tp_btf: {btf_reason}; raw_tp: {raw_reason}")),
            },
        };
        ProbeHealth { row, verdict }
    }

    /// Fills the table of capture plans.
    ///
    /// # Errors
    /// When the map cannot be written.
    pub fn set_plans(&mut self, plans: &[CallPlan]) -> anyhow::Result<()> {
        let mut map: Array<_, PlanValue> = Array::try_from(self.map_mut("CALL_PLANS")?)?;
        for (nr, plan) in (0u32..).zip(plans.iter().take(MAX_CALLS as usize)) {
            map.set(nr, PlanValue(*plan), 0).with_context(|| format!("cannot set the plan of call {nr}"))?;
        }
        Ok(())
    }

    /// Has every failure of these processes told, not only their deaths by signal.
    ///
    /// # Errors
    /// When the map cannot be written, as when there are more than `MAX_FOLLOWED`.
    pub fn follow(&mut self, pids: &[u32]) -> anyhow::Result<()> {
        let mut followed: aya::maps::HashMap<_, u32, u8> = aya::maps::HashMap::try_from(self.map_mut("FOLLOWED")?)?;
        pids.iter().try_for_each(|pid| followed.insert(pid, 1, 0)).context("cannot follow so many processes")
    }

    /// Takes the rings out, to be drained by one thread.
    ///
    /// # Errors
    /// When called twice.
    pub fn take_rings(&mut self) -> anyhow::Result<Rings> {
        let critical = RingBuf::try_from(self.take_map("CRITICAL")?)?;
        let bulk = RingBuf::try_from(self.take_map("BULK")?)?;
        Ok(Rings::new(critical, bulk))
    }

    /// Takes the table of followed threads out.
    ///
    /// # Errors
    /// When called twice.
    pub fn take_tasks(&mut self) -> anyhow::Result<TaskTable> {
        Ok(TaskTable::new(aya::maps::HashMap::try_from(self.take_map("TASKS")?)?))
    }

    /// Takes the counters out.
    ///
    /// # Errors
    /// When called twice.
    pub fn take_counters(&mut self) -> anyhow::Result<Counters> {
        Ok(Counters::new(PerCpuArray::try_from(self.take_map("COUNTERS")?)?))
    }

    /// Takes the sums of `-c` out.
    ///
    /// # Errors
    /// When called twice.
    pub fn take_sums(&mut self) -> anyhow::Result<CallSums> {
        Ok(CallSums::new(PerCpuArray::try_from(self.take_map("CALL_STATS")?)?))
    }

    /// Takes the table of waits in D out, with the iterator that looks at them.
    ///
    /// # Errors
    /// When called twice, or when the iterator is not attached.
    pub fn take_waits(&mut self) -> anyhow::Result<TaskWaits> {
        let blocked = aya::maps::HashMap::try_from(self.take_map("BLOCKED")?)?;
        let wanted = aya::maps::HashMap::try_from(self.take_map("WANTED")?)?;
        Ok(TaskWaits::new(blocked, wanted, self.iterator("task_waits")?))
    }

    /// Attaches the iterator over the memory of processes; `None` where its program did not load.
    pub fn process_memories(&mut self) -> Option<ProcessMemories> {
        self.iterator("process_memory").ok().map(ProcessMemories::new)
    }

    fn iterator(&mut self, name: &str) -> anyhow::Result<TaskIterator> {
        let program: &mut Iter = program_of(&mut self.ebpf, name).map_err(anyhow::Error::msg)?;
        TaskIterator::attach(program.fd()?).with_context(|| format!("cannot attach the task iterator {name}"))
    }

    /// Takes the tables of connections in CLOSE_WAIT out.
    ///
    /// # Errors
    /// When called twice.
    pub fn take_connections(&mut self) -> anyhow::Result<Connections> {
        let close_waits = aya::maps::HashMap::try_from(self.take_map("CLOSE_WAITS")?)?;
        Ok(Connections::new(close_waits, aya::maps::HashMap::try_from(self.take_map("NETS")?)?))
    }

    /// The loaded programs' (name, file descriptor information), for self-cost.
    pub(super) fn ebpf(&self) -> &Ebpf {
        &self.ebpf
    }

    fn take_map(&mut self, name: &str) -> anyhow::Result<aya::maps::Map> {
        self.ebpf.take_map(name).with_context(|| format!("the eBPF object has no map {name} left"))
    }

    fn map_mut(&mut self, name: &str) -> anyhow::Result<&mut aya::maps::Map> {
        self.ebpf.map_mut(name).with_context(|| format!("the eBPF object has no map {name}"))
    }
}

fn attach_btf(ebpf: &mut Ebpf, row: &ProbeRow, btf: &Btf) -> Result<(), String> {
    let program: &mut BtfTracePoint = program_of(ebpf, row.name)?;
    program.load(row.tracepoint, btf).map_err(|e| reason(&e))?;
    program.attach().map_err(|e| reason(&e))?;
    Ok(())
}

/// Loads an iterator. Each reader attaches for itself.
fn attach_iterator(ebpf: &mut Ebpf, row: &ProbeRow, btf: &Btf) -> Result<(), String> {
    let program: &mut Iter = program_of(ebpf, row.name)?;
    program.load(row.tracepoint, btf).map_err(|e| reason(&e))
}

fn attach_raw(ebpf: &mut Ebpf, row: &ProbeRow) -> Result<(), String> {
    let program: &mut RawTracePoint = program_of(ebpf, row.twin)?;
    program.load().map_err(|e| reason(&e))?;
    program.attach(row.tracepoint).map_err(|e| reason(&e))?;
    Ok(())
}

fn program_of<'a, P>(ebpf: &'a mut Ebpf, name: &str) -> Result<&'a mut P, String>
where
    &'a mut P: TryFrom<&'a mut aya::programs::Program, Error = ProgramError>,
{
    let program = ebpf.program_mut(name).ok_or_else(|| format!("the eBPF object has no program {name}"))?;
    program.try_into().map_err(|e: ProgramError| e.to_string())
}

/// An error and its causes in one line; of a verifier's log the last lines, where the refusal is.
fn reason(error: &ProgramError) -> String {
    if let ProgramError::LoadError { io_error, verifier_log } = error {
        let log = verifier_log.to_string();
        if std::env::var_os("SYSPROBE_VERIFIER_LOG").is_some() {
            eprintln!("{log}");
        }
        let tail: Vec<&str> = log.lines().rev().filter(|l| !l.starts_with("processed ")).take(2).collect();
        let tail: Vec<&str> = tail.into_iter().rev().collect();
        return format!("{io_error}: {}", tail.join(" / "));
    }
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let more = inner.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = inner.source();
    }
    text
}

/// A map's data, owned.
pub(super) type Owned = MapData;
