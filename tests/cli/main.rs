//! The binary from outside: exit codes and what it says. Needs no privilege and no particular kernel.
//!
//! `check` is judged on hosts kept as files (`tests/fixtures/hosts`): real kernels' types, cut down, and copies of them
//! with one thing broken each.

#![expect(clippy::unwrap_used, reason = "a test stops where its ground is not as expected")]

mod fixture;

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};

use fixture::Fixture;
use serde_json::Value;

const KERNELS: [&str; 3] = ["linux-5.10", "linux-6.12", "linux-7.3"];

fn sysprobe() -> Command {
    Command::new(env!("CARGO_BIN_EXE_sysprobe"))
}

fn run(args: &[&str]) -> Output {
    sysprobe().args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Runs `check` on a fixture host; gives the exit code, the text, and the last line of standard error.
fn check(root: &Path) -> (i32, String, String) {
    let output = sysprobe().args(["check", "--root"]).arg(root).output().unwrap();
    let errors = text(&output.stderr);
    (output.status.code().unwrap(), text(&output.stdout), errors.lines().last().unwrap_or_default().to_owned())
}

fn check_json(root: &Path) -> (i32, Value) {
    let output = sysprobe().args(["check", "--json", "--root"]).arg(root).output().unwrap();
    (output.status.code().unwrap(), serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn every_kernel_of_the_fixtures_can_trace() {
    for kernel in KERNELS {
        let host = Fixture::of(kernel);
        let (code, out, errors) = check(host.root());
        assert_eq!((code, errors.as_str()), (0, ""), "{kernel}: {out}");
        assert!(!out.contains('\x1b'), "no colour in a pipe");
        let (_, report) = check_json(host.root());
        let obstacles = report["obstacles"].as_array().unwrap();
        if kernel == "linux-5.10" {
            // The one thing it lacks, and what has it.
            assert_eq!(obstacles.len(), 2, "{out}");
            for obstacle in obstacles {
                assert!(obstacle["what"].as_str().unwrap().starts_with("probe contention_"), "{obstacle}");
                assert_eq!(obstacle["fix"], "Linux 5.19 and later have it");
            }
        } else {
            assert!(obstacles.is_empty() && out.ends_with("this host can trace everything\n"), "{kernel}: {out}");
        }
    }
}

#[test]
fn a_host_without_types_is_refused_with_what_to_boot() {
    let host = Fixture::of("linux-7.3").without("sys/kernel/btf/vmlinux");
    let (code, _, error) = check(host.root());
    assert_eq!(code, 3);
    assert!(error.contains("shows no types") && error.contains("CONFIG_DEBUG_INFO_BTF=y"), "{error}");
}

#[test]
fn broken_types_are_named_as_such() {
    for bytes in [&b"\x7fELF"[..], b"\x9f\xeb\x01\0\x18\0\0\0\0\0\0\0\xff\xff\0\0\0\0\0\0\0\0\0\0", b""] {
        let host = Fixture::of("linux-7.3").with("sys/kernel/btf/vmlinux", bytes);
        let (code, _, error) = check(host.root());
        assert_eq!(code, 3);
        assert!(error.contains("/sys/kernel/btf/vmlinux is"), "{error}");
    }
}

#[test]
fn missing_capabilities_are_named_with_the_command_that_grants_them() {
    let status = "Name:\tsysprobe\nUid:\t1000\t1000\t1000\t1000\nCapEff:\t0000000000000000\n";
    let host = Fixture::of("linux-6.12").with("proc/self/status", status.as_bytes());
    let (code, out, error) = check(host.root());
    assert_eq!(code, 3);
    assert!(error.starts_with("sysprobe: this host can't trace: CAP_BPF and CAP_PERFMON are missing"), "{error}");
    assert!(error.contains("sudo setcap cap_bpf,cap_perfmon,"), "{error}");
    assert!(out.contains("CAP_SYS_PTRACE is missing"), "{out}");
}

#[test]
fn the_five_capabilities_are_enough() {
    // CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE, CAP_SYSLOG, CAP_PERFMON, CAP_BPF
    let status = "Uid:\t1000\t1000\t1000\t1000\nCapEff:\t000000c400080004\n";
    let host = Fixture::of("linux-6.12").with("proc/self/status", status.as_bytes());
    let (code, out, _) = check(host.root());
    assert_eq!(code, 0, "{out}");
    assert!(out.ends_with("this host can trace everything\n"), "{out}");
}

#[test]
fn lockdown_that_hides_kernel_memory_is_a_refusal() {
    let host = Fixture::of("linux-7.3").with("sys/kernel/security/lockdown", b"none integrity [confidentiality]\n");
    let (code, _, error) = check(host.root());
    assert_eq!(code, 3);
    assert!(error.contains("lockdown (confidentiality)"), "{error}");
    let milder = Fixture::of("linux-7.3").with("sys/kernel/security/lockdown", b"none [integrity] confidentiality\n");
    assert_eq!(check(milder.root()).0, 0);
}

#[test]
fn refused_btf_tracing_falls_back_to_raw_tracepoints() {
    let host = Fixture::of("linux-6.12").with("trials", b"ring_buffer ok\ntp_btf 1\nraw_tp ok\n");
    let (code, report) = check_json(host.root());
    assert_eq!(code, 0);
    let probes = report["probes"].as_array().unwrap();
    assert!(
        !probes.is_empty() && probes.iter().all(|p| p["form"] == "raw_tp" && p["state"] == "attaches"),
        "{probes:?}"
    );
}

#[test]
fn a_kernel_that_refuses_every_way_is_a_refusal() {
    for (trials, said) in [
        ("ring_buffer 22\n", "Linux 5.8"),
        ("ring_buffer 38\n", "CONFIG_BPF_SYSCALL"),
        ("ring_buffer ok\ntp_btf 1\nraw_tp 1\n", "cannot be attached"),
    ] {
        let (code, _, error) = check(Fixture::of("linux-7.3").with("trials", trials.as_bytes()).root());
        assert_eq!(code, 3, "{trials}");
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn a_host_without_tracefs_traces_and_says_what_that_costs() {
    let host = Fixture::of("linux-7.3").without("sys/kernel/tracing");
    let (code, out, _) = check(host.root());
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("sudo mount -t tracefs tracefs /sys/kernel/tracing"), "{out}");
}

#[test]
fn a_missing_probe_costs_its_feature_and_an_essential_one_everything() {
    let without = |tracepoint: &str| {
        let host = Fixture::of("linux-7.3");
        let mut types = std::fs::read(host.root().join("sys/kernel/btf/vmlinux")).unwrap();
        let name = format!("btf_trace_{tracepoint}\0");
        let at = types.windows(name.len()).position(|w| w == name.as_bytes()).unwrap();
        types[at + 10] = b'X';
        host.with("sys/kernel/btf/vmlinux", &types)
    };
    let (code, report) = check_json(without("sched_switch").root());
    assert_eq!(code, 0);
    let obstacle = &report["obstacles"][0];
    assert_eq!(obstacle["weight"], "costs");
    assert!(obstacle["costs"].as_str().unwrap().contains("split of a call's time"), "{obstacle}");
    let (code, _, error) = check(without("sys_exit").root());
    assert_eq!(code, 3);
    assert!(error.contains("sys_exit: this kernel has no such tracepoint"), "{error}");
}

#[test]
fn the_report_on_this_host_agrees_with_its_exit_code() {
    let output = run(&["check", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["v"], 1);
    let expected = if report["can_trace"].as_bool().unwrap() { 0 } else { 3 };
    assert_eq!(output.status.code(), Some(expected), "{}", text(&output.stderr));
    for key in ["host", "privilege", "kernel_types", "tracefs", "trials", "probes", "obstacles"] {
        assert!(!report[key].is_null(), "{key}");
    }
}

#[test]
fn without_privilege_every_way_in_is_refused_with_the_fix() {
    let folder = tempfile::tempdir().unwrap();
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path(), open).unwrap();
    let program = folder.path().join("sysprobe");
    std::fs::copy(env!("CARGO_BIN_EXE_sysprobe"), &program).unwrap();
    for args in [&["check"][..], &["trace", "--", "/bin/true"]] {
        let mut command = Command::new(&program);
        command.args(args).current_dir("/");
        // Only root can drop to another user; anyone else is unprivileged already.
        if rustix::process::geteuid().is_root() {
            command.uid(65_534).gid(65_534);
        }
        let output = command.output().unwrap();
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{args:?}: {error}");
        assert!(error.lines().last().is_some_and(|l| l.contains("; ")), "what is missing and the fix: {error}");
    }
}

#[test]
fn wrong_command_lines_end_with_2_and_say_why() {
    for args in [&[][..], &["nonsense"], &["check", "--nonsense"], &["trace"], &["trace", "--pid", "x"]] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(!output.stderr.is_empty() && output.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn every_subcommand_has_help() {
    let help = run(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    let overview = text(&help.stdout);
    let (_, commands) = overview.split_once("Commands:\n").unwrap();
    let names: Vec<&str> =
        commands.lines().take_while(|l| l.starts_with("  ")).filter_map(|l| l.split_whitespace().next()).collect();
    assert!(names.contains(&"check") && names.contains(&"trace"), "{names:?}");
    for name in names {
        let output = run(&[name, "--help"]);
        assert_eq!(output.status.code(), Some(0), "{name}");
        assert!(text(&output.stdout).contains(&format!("Usage: sysprobe {name}")), "{name}");
    }
}
