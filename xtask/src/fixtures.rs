//! `cargo xtask fixtures`: the kernel types kept for tests, cut again from Debian's kernels.
//!
//! A fixture host holds what sysprobe asks of its kernel's BTF and nothing else: the members in the field table, the
//! tracepoints of the probe catalog with their arguments, and what [`PLANNED`] names. To be run when any of these grows.
//! A kernel that the archive no longer has keeps the fixture it has.

mod btf;
mod trim;

use std::path::Path;

use anyhow::{Context, Result, bail};
use object::{Object, ObjectSection};
use syn::visit::{self, Visit};
use sysprobe_common::fields::FIELDS;

use self::btf::Btf;
use self::trim::Wanted;
use crate::vm::debian::Debian;
use crate::{packages, shell};

/// The series that fixture hosts stand for: the oldest supported kernel, a widespread one, and the newest when they were made.
const SERIES: [&str; 3] = ["5.10", "6.12", "7.3"];

/// Tracepoints and structures kept beyond the tables: what the next probes read, so that they find their fixtures made.
struct Planned {
    tracepoints: &'static [&'static str],
    members: &'static [(&'static str, &'static str)],
}

const PLANNED: Planned = Planned {
    tracepoints: &[
        "block_io_done",
        "block_io_start",
        "block_rq_complete",
        "block_rq_insert",
        "block_rq_issue",
        "contention_begin",
        "contention_end",
        "inet_sock_set_state",
        "mark_victim",
        "sched_waking",
        "signal_generate",
    ],
    members: &[
        ("bpf_iter__task", "meta"),
        ("bpf_iter__task", "task"),
        ("bpf_iter_meta", "seq"),
        ("bpf_iter_meta", "session_id"),
        ("bpf_iter_meta", "seq_num"),
        ("task_struct", "stack"),
        ("task_struct", "nvcsw"),
        ("task_struct", "nivcsw"),
        ("task_struct", "start_boottime"),
        ("task_struct", "real_parent"),
        ("task_struct", "blocker"),
        ("mutex", "owner.counter"),
        ("rw_semaphore", "owner.counter"),
        ("semaphore", "last_holder"),
    ],
};

pub fn main() -> Result<()> {
    packages::for_kernels()?;
    let dir = shell::target_dir()?.join("vm");
    std::fs::create_dir_all(&dir)?;
    let debian = Debian::open(&dir)?;
    let wanted = wanted()?;
    let mut made = 0;
    for series in SERIES {
        let kernel = match debian.kernel(series) {
            Ok(kernel) => kernel,
            Err(why) => {
                println!("linux-{series}: kept as it is: {why:#}");
                continue;
            }
        };
        let whole = types_of(&kernel.vmlinux)?;
        let (cut, absent) = trim::trim(&Btf::parse(&whole).with_context(|| kernel.release.clone())?, &wanted);
        let path = format!("tests/fixtures/hosts/linux-{series}/sys/kernel/btf/vmlinux");
        std::fs::write(shell::root()?.join(&path), &cut).with_context(|| path.clone())?;
        let lacks = if absent.is_empty() { "nothing".to_owned() } else { absent.join(", ") };
        println!("{path}: {} bytes of {} from {}; it lacks {lacks}", cut.len(), whole.len(), kernel.release);
        made += 1;
    }
    if made == 0 {
        bail!("no kernel could be had");
    }
    Ok(())
}

/// What the fixtures must keep, from the tables themselves.
fn wanted() -> Result<Wanted> {
    let mut wanted = Wanted::default();
    wanted.members.extend(FIELDS.iter().map(|row| (row.of, row.path)).chain(PLANNED.members.iter().copied()));
    wanted.tracepoints.extend(PLANNED.tracepoints.iter().map(|name| (*name).to_owned()));
    // The catalog is read as text: linking it would build the kernel programs first.
    let probe = shell::root()?.join("sysprobe/src/probe");
    let mut files = vec![probe.join("catalog.rs")];
    files.extend(std::fs::read_dir(probe.join("catalog")).into_iter().flatten().flatten().map(|entry| entry.path()));
    let mut rows = Tracepoints::default();
    for file in files.iter().filter(|file| file.is_file()) {
        let text = std::fs::read_to_string(file)?;
        rows.visit_file(&syn::parse_file(&text).with_context(|| file.display().to_string())?);
    }
    if rows.0.is_empty() {
        bail!("no tracepoint found in the probe catalog");
    }
    wanted.tracepoints.extend(rows.0);
    Ok(wanted)
}

/// The `tracepoint: "…"` fields of a source file.
#[derive(Default)]
struct Tracepoints(Vec<String>);

impl<'ast> Visit<'ast> for Tracepoints {
    fn visit_field_value(&mut self, field: &'ast syn::FieldValue) {
        if let (syn::Member::Named(name), syn::Expr::Lit(value)) = (&field.member, &field.expr)
            && let ("tracepoint", syn::Lit::Str(text)) = (name.to_string().as_str(), &value.lit)
        {
            self.0.push(text.value());
        }
        visit::visit_field_value(self, field);
    }
}

/// The `.BTF` section of a kernel image.
fn types_of(vmlinux: &Path) -> Result<Vec<u8>> {
    let image = std::fs::read(vmlinux).with_context(|| vmlinux.display().to_string())?;
    let file = object::File::parse(&*image)?;
    let section = file.section_by_name(".BTF").with_context(|| format!("{} has no types", vmlinux.display()))?;
    Ok(section.data()?.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogs_tracepoints_are_found() {
        let wanted = wanted().unwrap();
        for name in ["sys_enter", "sched_switch", "mark_victim"] {
            assert!(wanted.tracepoints.contains(name), "{name}");
        }
    }

    #[test]
    fn kept_fixtures_are_what_this_verb_writes() {
        for series in SERIES {
            let path = format!("tests/fixtures/hosts/linux-{series}/sys/kernel/btf/vmlinux");
            let kept = std::fs::read(shell::root().unwrap().join(path)).unwrap();
            let (again, _) = trim::trim(&Btf::parse(&kept).unwrap(), &wanted().unwrap());
            // Cut again, a fixture stays what it is: nothing in it that is not asked for, and nothing shifted.
            assert!(again == kept, "linux-{series}: run `cargo xtask fixtures`");
        }
    }
}
