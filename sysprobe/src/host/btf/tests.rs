use proptest::prelude::*;

use super::sample::Sample;
use super::*;

fn sample() -> Sample {
    let mut s = Sample::new();
    let int = s.int("int", 4);
    let long = s.int("long unsigned int", 8);
    let volatile = s.refer("", 9, int);
    let state = s.refer("state_t", 8, volatile);
    let inner = s.record("", 16, &[("counter", state, 0), ("pad", long, 8)]);
    let outer = s.record("", 24, &[("first", int, 0), ("", inner, 8)]);
    let alias = s.refer("outer_t", 8, outer);
    s.record("task", 64, &[("flags", int, 0), ("", outer, 8), ("embedded", alias, 32)]);
    s.raw("bits", 4, true, 2, 8, &[0, int, 0, 0, int, 3 << 24 | 32]);
    s
}

#[test]
fn members_are_found_through_anonymous_ones_typedefs_and_qualifiers() {
    let btf = KernelBtf::parse(sample().bytes()).unwrap();
    assert_eq!(btf.member_offset("task", "flags"), Ok(0));
    assert_eq!(btf.member_offset("task", "counter"), Ok(16));
    assert_eq!(btf.member_offset("task", "embedded.pad"), Ok(48));
    assert_eq!(btf.member("task", "embedded.counter"), Ok(Member { offset: 40, size: Some(4) }));
    assert_eq!(btf.member("task", "embedded").unwrap().size, Some(24));
}

#[test]
fn the_first_alternative_that_exists_is_taken() {
    let btf = KernelBtf::parse(sample().bytes()).unwrap();
    assert_eq!(btf.member_offset("task", "__flags|flags"), Ok(0));
    assert_eq!(btf.member_offset("task", "embedded.none|embedded.first"), Ok(32));
    let missing = btf.member_offset("task", "a|b").unwrap_err();
    assert_eq!(missing.to_string(), "struct task has no member a|b");
    assert_eq!(btf.member_offset("nothing", "a"), Err(FieldError::NoStruct("nothing".into())));
}

#[test]
fn a_path_does_not_go_through_scalars() {
    let btf = KernelBtf::parse(sample().bytes()).unwrap();
    assert!(matches!(btf.member_offset("task", "flags.counter"), Err(FieldError::NoMember { .. })));
}

#[test]
fn bit_fields_are_refused() {
    let mut s = Sample::new();
    let int = s.int("int", 4);
    let narrow = s.raw("int", 1, false, 0, 4, &[3]);
    s.record("old", 8, &[("narrow", narrow, 0), ("whole", int, 4)]);
    let (whole, bit, odd) = (s.name("whole"), s.name("bit"), s.name("odd"));
    let members = [whole, int, 32, bit, int, 1 << 24 | 64, odd, int, 67];
    s.raw("new", 4, true, 3, 12, &members);
    let btf = KernelBtf::parse(s.bytes()).unwrap();
    assert_eq!(btf.member_offset("old", "whole"), Ok(4));
    assert_eq!(btf.member_offset("new", "whole"), Ok(4));
    for (of, path) in [("old", "narrow"), ("new", "bit"), ("new", "odd")] {
        let refused = btf.member_offset(of, path).unwrap_err();
        assert_eq!(refused.to_string(), format!("{of}.{path} is a bit-field"));
    }
}

#[test]
fn structures_of_one_name_that_disagree_are_ambiguous() {
    let mut s = Sample::new();
    let int = s.int("int", 4);
    s.record("twin", 8, &[("same", int, 0), ("x", int, 4)]);
    s.record("twin", 12, &[("same", int, 0), ("x", int, 8), ("only", int, 4)]);
    let btf = KernelBtf::parse(s.bytes()).unwrap();
    assert_eq!(btf.member_offset("twin", "same"), Ok(0));
    assert_eq!(btf.member_offset("twin", "only"), Ok(4));
    assert!(matches!(btf.member_offset("twin", "x"), Err(FieldError::Ambiguous { .. })));
}

#[test]
fn a_function_named_like_a_structure_does_not_hide_it() {
    let mut s = Sample::new();
    let int = s.int("int", 4);
    s.record("pid", 8, &[("level", int, 4)]);
    let proto = s.raw("", 13, false, 0, int, &[]);
    s.raw("pid", 12, false, 1, proto, &[]);
    s.refer("pid", 8, int);
    let btf = KernelBtf::parse(s.bytes()).unwrap();
    assert_eq!(btf.member_offset("pid", "level"), Ok(4));
}

#[test]
fn every_kind_is_passed_over_at_its_own_length() {
    let mut s = Sample::new();
    let int = s.int("int", 4);
    s.raw("", 3, false, 0, 0, &[int, int, 7]); // array
    s.raw("e", 6, false, 2, 4, &[0, 1, 0, 2]); // enum
    s.raw("f", 7, true, 0, 0, &[]); // fwd
    let proto = s.raw("", 13, false, 1, int, &[0, int]);
    s.raw("fn", 12, false, 1, proto, &[]); // func
    s.raw("v", 14, false, 0, int, &[1]); // var
    s.raw(".data", 15, false, 1, 4, &[7, 0, 4]); // datasec
    s.raw("double", 16, false, 0, 8, &[]); // float
    s.raw("tag", 17, false, 0, int, &[u32::MAX]); // decl tag
    s.refer("user", 18, int); // type tag
    s.raw("wide", 19, false, 1, 8, &[0, 1, 2]); // enum64
    s.refer("", 11, int); // restrict
    let last = s.record("last", 4, &[("x", int, 0)]);
    let btf = KernelBtf::parse(s.bytes()).unwrap();
    assert_eq!(btf.len(), last as usize);
    assert_eq!(btf.member_offset("last", "x"), Ok(0));
}

#[test]
fn tracepoint_arguments_are_named_without_the_leading_pointer() {
    let mut s = Sample::new();
    let bool_ = s.int("_Bool", 1);
    let named = s.refer("bool", 8, bool_);
    let task = s.record("task_struct", 8, &[]);
    let constant = s.refer("", 10, task);
    let pointer = s.refer("", 2, constant);
    s.tracepoint("sched_switch", &[named, pointer, pointer]);
    let btf = KernelBtf::parse(s.bytes()).unwrap();
    let args = btf.tracepoint_args("sched_switch").unwrap();
    let names: Vec<_> = args.iter().map(|a| a.type_name.as_str()).collect();
    assert_eq!(names, ["bool", "struct task_struct *", "struct task_struct *"]);
    assert_eq!(btf.tracepoint_args("sched_wakeup"), None);
}

#[test]
fn cycles_of_types_end() {
    let mut s = Sample::new();
    s.refer("loop", 8, 2);
    s.refer("loop", 8, 1);
    s.raw("deep", 4, false, 2, 8, &[0, 3, 0, 0, 3, 0]); // embeds itself, twice, without a name
    let btf = KernelBtf::parse(s.bytes()).unwrap();
    assert!(matches!(btf.member_offset("deep", "x"), Err(FieldError::NoMember { .. })));
    assert_eq!(btf.tracepoint_args("loop"), None);
}

#[test]
fn what_is_not_whole_btf_is_an_error() {
    let whole = sample().bytes();
    for cut in 0..whole.len() {
        assert!(KernelBtf::parse(whole[..cut].to_vec()).is_err(), "cut at {cut}");
    }
    let mut swapped = whole.clone();
    swapped.swap(0, 1);
    assert!(matches!(KernelBtf::parse(swapped), Err(BtfError::ForeignEndian)));
    assert!(matches!(KernelBtf::parse(b"\x7fELF".to_vec()), Err(BtfError::NotBtf)));
    let mut s = Sample::new();
    s.raw("new", 77, false, 0, 0, &[]);
    assert!(matches!(KernelBtf::parse(s.bytes()), Err(BtfError::UnknownKind { id: 1, kind: 77 })));
}

proptest! {
    #[test]
    fn hostile_bytes_never_panic(flips in prop::collection::vec((24usize..400, any::<u8>()), 1..12)) {
        let mut s = sample();
        let int = s.int("char", 1);
        s.tracepoint("x", &[int]);
        let mut bytes = s.bytes();
        for (at, value) in flips {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = value;
            }
        }
        if let Ok(btf) = KernelBtf::parse(bytes) {
            for path in ["flags", "counter", "embedded.pad", "x|y.z"] {
                let _ = btf.member("task", path);
            }
            let _ = btf.tracepoint_args("x");
            let _ = btf.has_struct("bits");
        }
    }
}
