//! Programs as they are installed.

use super::{needs_strace, same_of_command};

#[test]
fn ls_reads_the_same() {
    needs_strace!();
    same_of_command(&["ls", "-l", "/etc"]);
}

#[test]
fn cp_reads_the_same() {
    needs_strace!();
    same_of_command(&["cp", "-a", "/etc/hosts", "copy"]);
}

#[test]
fn a_shell_with_a_pipe_reads_the_same() {
    needs_strace!();
    same_of_command(&["sh", "-c", "echo one two | cat > both; wc -c < both; rm both"]);
}

#[test]
fn a_chain_of_execs_reads_the_same() {
    needs_strace!();
    same_of_command(&["env", "A=1", "nice", "-n", "1", "nohup", "env", "-i", "true"]);
}

#[test]
fn the_start_of_python_reads_the_same() {
    needs_strace!();
    if !std::path::Path::new("/usr/bin/python3").exists() {
        crate::harness::skip!("no python3");
    }
    same_of_command(&["/usr/bin/python3", "-I", "-c", "import socket, subprocess, threading; print(sum(range(9)))"]);
}
