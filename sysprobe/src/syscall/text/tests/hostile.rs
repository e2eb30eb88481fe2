//! Any bytes, any numbers: text comes out, and nothing that a terminal would obey.

use proptest::prelude::*;

use super::{names, writer};
use crate::event::{Abi, CallEnd, Captures, Syscall, Tgid, Tid, WaitSplit};
use crate::syscall::files::FileNames;
use crate::syscall::text::{PidColumn, TextSettings};
use sysprobe_common::event::{EventHeader, FileKeyRaw, FileRaw, SignalRaw, capture};

/// Captures with well-formed heads about half of the time, so that the decoders behind them are reached.
fn captures() -> impl Strategy<Value = Vec<u8>> {
    let one = (0u8..7, 0u8..9, 0u8..4, 0u8..2, 0u16..12, prop::collection::vec(any::<u8>(), 0..160)).prop_map(
        |(arg, kind, status, phase, elem, payload)| {
            let mut bytes = vec![arg, kind, status, phase];
            bytes.extend((payload.len() as u16).to_ne_bytes());
            bytes.extend(elem.to_ne_bytes());
            bytes.extend(payload);
            bytes.resize(bytes.len().next_multiple_of(8), 0);
            bytes
        },
    );
    // A handful of plain data on every argument reaches most decoders.
    let data = (0u8..6, 0u8..2, prop::collection::vec(any::<u8>(), 0..400)).prop_map(|(arg, phase, payload)| {
        let mut bytes = vec![arg, capture::DATA, 0, phase];
        bytes.extend((payload.len() as u16).to_ne_bytes());
        bytes.extend([0, 0]);
        bytes.extend(payload);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes
    });
    prop_oneof![
        prop::collection::vec(prop_oneof![one, data], 0..9).prop_map(|captures| captures.concat()),
        prop::collection::vec(any::<u8>(), 0..256),
    ]
}

fn registers() -> impl Strategy<Value = [u64; 6]> {
    prop::array::uniform6(prop_oneof![
        0u64..130,
        any::<u64>(),
        any::<u32>().prop_map(u64::from),
        any::<i8>().prop_map(|v| v as u64)
    ])
}

fn ends() -> impl Strategy<Value = CallEnd> {
    prop_oneof![
        (-600i64..600).prop_map(CallEnd::Returned),
        any::<i64>().prop_map(CallEnd::Returned),
        Just(CallEnd::Unfinished),
        Just(CallEnd::InProgress),
    ]
}

fn harmless(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| !text.chars().any(char::is_control))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(700))]

    #[test]
    fn any_call_becomes_one_harmless_line(
        nr in prop_oneof![0u32..480, any::<u32>()],
        abi in prop_oneof![8 => Just(Abi::X86_64), 1 => Just(Abi::I386), 1 => Just(Abi::X32)],
        args in registers(),
        end in ends(),
        bytes in captures(),
        times in prop::array::uniform5(any::<u64>()),
        string_limit in prop_oneof![Just(32usize), 0usize..5000, Just(usize::MAX)],
    ) {
        let [start_ns, duration_ns, runnable_ns, blocked_ns, sleeping_ns] = times;
        let call = Syscall {
            tid: Tid(1), tgid: Tgid(1234), abi, nr, args, start_ns, duration_ns,
            wait: WaitSplit { running_ns: duration_ns, runnable_ns, blocked_ns, sleeping_ns },
            end, began_before_attach: nr & 1 == 1, captures: Captures::new(&bytes),
        };
        let mut names = names();
        names.note_call(&call);
        let settings = TextSettings { string_limit, pid_column: PidColumn::Bracketed, ..TextSettings::default() };
        let mut writer = writer(settings);
        let mut out = Vec::new();
        writer.write_call(&mut out, &call, &names);
        prop_assert_eq!(out.pop(), Some(b'\n'));
        prop_assert!(harmless(&out), "{}", String::from_utf8_lossy(&out));
        let mut joined: Vec<u8> = Vec::new();
        writer.write_args(&call, &names, &mut |index, text| {
            if index > 0 {
                joined.extend(b", ");
            }
            joined.extend(text);
        });
        let line = String::from_utf8(out).unwrap();
        prop_assert!(line.contains(std::str::from_utf8(&joined).unwrap()), "{} has not {}", line, String::from_utf8_lossy(&joined));
    }

    #[test]
    fn any_file_signal_and_end_is_harmless(
        kind in 0u32..5, mode in any::<u32>(), rdev in any::<u32>(), flags in any::<u32>(),
        magic in prop_oneof![Just(0x5049_5045u64), Just(0x0904_1934), Just(0x0102_1994), Just(0x6e73_6673), any::<u64>()],
        payload in prop::collection::vec(any::<u8>(), 0..300),
        family in prop_oneof![Just(1u16), Just(2), Just(10), Just(16), any::<u16>()],
        signo in any::<i32>(), code in any::<i32>(), status in any::<u32>(), fields in prop::array::uniform32(any::<u8>()),
    ) {
        let mut payload = payload;
        if let Some(head) = payload.get_mut(..2) {
            head.copy_from_slice(&family.to_ne_bytes());
        }
        let key = FileKeyRaw { object: 9, version: 9 };
        let mut names = FileNames::new();
        names.learn(&FileRaw { key, kind, mode, rdev, flags, magic, inode: 42, ..FileRaw::default() }, &payload);
        let mut out = Vec::new();
        names.write_fd(&mut out, 3, Some(key));
        prop_assert!(harmless(&out), "{}", String::from_utf8_lossy(&out));
        let header = EventHeader { tid: 1, ts_ns: u64::from(rdev), ..EventHeader::default() };
        let mut writer = writer(TextSettings::default());
        out.clear();
        writer.write_signal(&mut out, &SignalRaw { header, signo, errno: code, code, pad: 0, fields });
        writer.write_exit(&mut out, Tid(1), 0, status);
        prop_assert_eq!(out.iter().filter(|byte| **byte == b'\n').count(), 2);
        out.retain(|byte| *byte != b'\n');
        prop_assert!(harmless(&out), "{}", String::from_utf8_lossy(&out));
    }
}
