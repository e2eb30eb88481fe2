//! From a call's C types to argument kinds, for the calls without a hand-made row.
//!
//! Types say most; where they say too little (`int` may be a number or a descriptor) the kernel's parameter names decide.

use super::kind::{ArgKind, Ret};
use crate::syscall::{flags, structs};

/// The kinds of the parameters in `signature` (`int dfd, const char *pathname`), and the kind of the result.
pub fn kinds(signature: &str) -> (Vec<ArgKind>, Ret) {
    let args = signature.split(", ").filter(|part| !part.is_empty()).map(kind).collect();
    (args, Ret::Signed)
}

fn kind(parameter: &str) -> ArgKind {
    let split = parameter.rfind([' ', '*']).map_or(0, |at| at + 1);
    let (ctype, name) = parameter.split_at_checked(split).unwrap_or(("", parameter));
    let ctype = ctype.trim().trim_start_matches("const ").trim_end_matches("const").trim();
    let constant = parameter.starts_with("const ");
    if ctype.ends_with('*') {
        return match ctype {
            "char *" if constant && is_path(name) => ArgKind::Path,
            "char *" if constant => ArgKind::Str,
            "struct __kernel_timespec *" if constant => ArgKind::Struct(&structs::TIMESPEC),
            _ => ArgKind::Ptr,
        };
    }
    match ctype {
        "int" | "unsigned int" | "unsigned" if name.ends_with("dfd") => ArgKind::DirFd,
        "int" | "unsigned int" | "unsigned" | "unsigned long" if is_fd(name) => ArgKind::Fd,
        "int" if name == "sig" => ArgKind::Signal,
        "int" | "pid_t" | "key_serial_t" | "timer_t" | "mqd_t" | "__s32" => ArgKind::Int,
        "unsigned int" | "unsigned" if !is_bits(name) => ArgKind::Uint,
        "unsigned int" | "unsigned" | "u32" | "__u32" | "rwf_t" | "key_t" => ArgKind::Hex32,
        "uid_t" | "gid_t" | "qid_t" => ArgKind::Id,
        "umode_t" => ArgKind::Mode,
        "size_t" => ArgKind::Ulong,
        "long" | "off_t" | "loff_t" => ArgKind::Long,
        "clockid_t" => ArgKind::Enum(&flags::time::CLOCK),
        _ => ArgKind::Hex,
    }
}

fn is_path(name: &str) -> bool {
    ["path", "filename", "pathname", "oldname", "newname", "library"].contains(&name.trim_start_matches('_'))
        || name.ends_with("_path")
}

fn is_fd(name: &str) -> bool {
    name == "fd" || name == "fildes" || name.ends_with("_fd") || name.ends_with("fd") && name.len() <= 5
}

fn is_bits(name: &str) -> bool {
    name.contains("flag") || name.contains("mask")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_names_decide() {
        let (args, _) = kinds("int dfd, const char *pathname, unsigned int at_flags, char *list, size_t size");
        assert!(matches!(args[..], [ArgKind::DirFd, ArgKind::Path, ArgKind::Hex32, ArgKind::Ptr, ArgKind::Ulong]));
        let (args, _) = kinds("const int ruleset_fd, const void *const rule_attr, const __u32 flags");
        assert!(matches!(args[..], [ArgKind::Fd, ArgKind::Ptr, ArgKind::Hex32]));
        assert!(kinds("").0.is_empty());
    }
}
