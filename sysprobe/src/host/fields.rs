//! Looks the table of kernel fields up in this kernel's types.
//!
//! The result feeds the kernel programs' frozen global, and a report of what is missing and what that costs. Nothing
//! here decides whether a probe runs: that is the catalog's, from the same report.

use sysprobe_common::fields::{FIELD_COUNT, FIELDS, Field, FieldSpec, MISSING, Need};

use super::Shapes;
use super::btf::{FieldError, KernelBtf};

/// The table's fields in one kernel.
#[derive(Clone, Debug)]
pub struct ResolvedFields {
    /// Byte offsets in the order of `Field`; `MISSING` where this kernel lacks one.
    pub offsets: [u32; FIELD_COUNT],
    /// The ones it lacks.
    pub missing: Vec<MissingField>,
    /// What no offset can say.
    pub shapes: Shapes,
}

/// A field this kernel lacks.
#[derive(Clone, Debug)]
pub struct MissingField {
    /// The table's row: what the field is and what its absence costs.
    pub spec: FieldSpec,
    /// Why it is not known.
    pub why: FieldError,
}

impl ResolvedFields {
    /// Where a field lies, in bytes.
    pub fn offset(&self, field: Field) -> Option<u32> {
        self.offsets.get(field as usize).copied().filter(|&at| at != MISSING)
    }

    /// The missing fields without which nothing can be traced.
    pub fn missing_required(&self) -> impl Iterator<Item = &MissingField> {
        self.missing.iter().filter(|m| m.spec.need == Need::Required)
    }
}

/// Looks every row up.
pub fn resolve(btf: &KernelBtf) -> ResolvedFields {
    let mut resolved = ResolvedFields { offsets: [MISSING; FIELD_COUNT], missing: Vec::new(), shapes: Shapes::of(btf) };
    for (slot, spec) in resolved.offsets.iter_mut().zip(FIELDS) {
        match btf.member_offset(spec.of, spec.path) {
            Ok(offset) => *slot = offset,
            Err(why) => resolved.missing.push(MissingField { spec, why }),
        }
    }
    resolved
}

#[cfg(test)]
mod tests {
    use super::super::btf::sample::Sample;
    use super::*;

    #[test]
    fn absent_fields_are_reported_with_what_they_cost() {
        let mut s = Sample::new();
        let int = s.int("int", 4);
        s.record("task_struct", 64, &[("pid", int, 16), ("tgid", int, 20), ("state", int, 8)]);
        let resolved = resolve(&KernelBtf::parse(s.bytes()).unwrap());
        assert_eq!(resolved.offset(Field::TaskPid), Some(16));
        assert_eq!(resolved.offset(Field::TaskState), Some(8), "the older name counts");
        assert_eq!(resolved.offset(Field::TaskComm), None);
        let comm = resolved.missing_required().find(|m| m.spec.field == Field::TaskComm).unwrap();
        assert_eq!(comm.why.to_string(), "struct task_struct has no member comm");
        let upid = resolved.missing.iter().find(|m| m.spec.field == Field::UpidNr).unwrap();
        assert_eq!((upid.spec.need, upid.spec.feature), (Need::Optional, "pids inside containers"));
    }

    #[test]
    fn real_kernels_resolve_whole_and_keep_their_known_relations() {
        for (kernel, state) in [("linux-5.10", "state"), ("linux-6.12", "__state"), ("linux-7.3", "__state")] {
            let hosts = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/hosts");
            let path = format!("{hosts}/{kernel}/sys/kernel/btf/vmlinux");
            let btf = KernelBtf::load(path.as_ref()).unwrap();
            let resolved = resolve(&btf);
            let missing: Vec<_> = resolved.missing.iter().filter(|m| m.spec.need != Need::Newer).collect();
            assert!(missing.is_empty(), "{kernel}: {missing:?}; a new row? `cargo xtask fixtures`");
            let at = |field| resolved.offset(field).unwrap();
            assert_eq!(at(Field::TaskState), btf.member_offset("task_struct", state).unwrap(), "{kernel}");
            assert_eq!(at(Field::TaskTgid), at(Field::TaskPid) + 4, "{kernel}");
            assert_eq!((at(Field::SockDaddr), at(Field::SockRcvSaddr), at(Field::SockFamily)), (0, 4, 16), "{kernel}");
            let switch_args = btf.tracepoint_args("sched_switch").unwrap().len();
            assert_eq!(switch_args, if kernel == "linux-5.10" { 3 } else { 4 }, "{kernel}");
        }
    }
}
