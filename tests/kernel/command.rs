//! `trace -- CMD`: a command from its first call to its exit code.

use crate::harness::{Books, needs_root, run, trace};
use crate::line::{Line, calls, with_threads};
use crate::workload::on_workload;

const MARKS: u32 = 100;

#[test]
fn a_commands_calls_are_shown_in_order_from_its_execve_to_its_end() {
    needs_root!();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lines");
    let done = run(&mut on_workload(trace(&["-o", file.to_str().unwrap()]), "marks", &MARKS.to_string()));
    assert_eq!(done.code(), 7, "{}", done.stderr);

    let lines = with_threads(&std::fs::read_to_string(&file).unwrap());
    let all: Vec<_> = calls(&lines).map(|(_, call)| call).collect();
    assert_eq!((all[0].name.as_str(), all[0].result.as_str()), ("execve", "0"));
    let marks: Vec<_> =
        all.iter().filter(|call| call.args.first().is_some_and(|a| a.starts_with("\"/mark/"))).collect();
    let expected: Vec<_> = (0..MARKS).map(|index| format!("\"/mark/{index}\"")).collect();
    assert_eq!(marks.iter().map(|call| call.args[0].clone()).collect::<Vec<_>>(), expected);
    assert!(marks.iter().all(|call| call.errno() == Some("ENOENT")), "{marks:?}");
    let last = all.last().unwrap();
    assert_eq!((last.name.as_str(), last.args[0].as_str(), last.result.as_str()), ("exit_group", "7", "?"));
    assert_eq!(lines.last().unwrap().1, Line::Exit("exited with 7".to_owned()));

    let shown = all.len() as u64;
    assert_eq!(done.books(), Books { seen: shown, shown, ..Books::default() });
}

#[test]
fn a_commands_own_output_and_code_pass_through() {
    needs_root!();
    let done = run(trace(&["-e", "nanosleep", "--", "/bin/sh", "-c", "echo out; echo err >&2; exit 42"]).env_clear());
    assert_eq!((done.code(), done.stdout.as_str()), (42, "out\n"));
    assert!(done.stderr.starts_with("err\n"), "{}", done.stderr);
}

#[test]
fn a_command_that_a_signal_kills_ends_with_128_and_its_number() {
    needs_root!();
    let done = run(&mut trace(&["--", "/bin/sh", "-c", "kill -TERM $$"]));
    assert_eq!(done.code(), 128 + 15, "{}", done.stderr);
    assert!(done.stderr.contains("+++ killed by SIGTERM +++"), "{}", done.stderr);
}
