//! Programs of two instructions (`r0 = 0; exit`) on tracepoints: what any probe there costs at least.
//!
//! Loaded by the bare system call: the comparison must not rest on what is compared.

use std::ffi::CString;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};

use anyhow::{Context, Result};

#[derive(clap::Args)]
pub struct Args {
    /// Tracepoints
    #[arg(required = true)]
    tracepoints: Vec<String>,
}

// Commands and types of bpf(2) (include/uapi/linux/bpf.h).
const BPF_PROG_LOAD: libc::c_int = 5;
const BPF_RAW_TRACEPOINT_OPEN: libc::c_int = 17;
const BPF_PROG_TYPE_RAW_TRACEPOINT: u32 = 17;
/// `r0 = 0` and `exit`.
const NOTHING: [u64; 2] = [0xb7, 0x95];

/// The first fields of `union bpf_attr` for `BPF_PROG_LOAD`.
#[repr(C)]
struct Load {
    prog_type: u32,
    insn_cnt: u32,
    insns: u64,
    license: u64,
}

/// `union bpf_attr` for `BPF_RAW_TRACEPOINT_OPEN`.
#[repr(C)]
struct Open {
    name: u64,
    prog_fd: u32,
    pad: u32,
}

pub fn main(args: &Args) -> Result<()> {
    let license = CString::new("GPL")?;
    let load = Load {
        prog_type: BPF_PROG_TYPE_RAW_TRACEPOINT,
        insn_cnt: NOTHING.len() as u32,
        insns: NOTHING.as_ptr() as u64,
        license: license.as_ptr() as u64,
    };
    let program = bpf(BPF_PROG_LOAD, &load).context("cannot load an eBPF program (as root?)")?;
    let mut attached = Vec::new();
    for tracepoint in &args.tracepoints {
        let name = CString::new(tracepoint.as_str())?;
        let open = Open { name: name.as_ptr() as u64, prog_fd: program.as_raw_fd() as u32, pad: 0 };
        attached.push(bpf(BPF_RAW_TRACEPOINT_OPEN, &open).with_context(|| tracepoint.clone())?);
    }
    println!("ready");
    std::io::stdout().flush()?;
    // Whoever started this closes the pipe when done, also by dying.
    std::io::stdin().read_to_end(&mut Vec::new())?;
    drop(attached);
    Ok(())
}

fn bpf<T>(command: libc::c_int, attributes: &T) -> Result<OwnedFd> {
    // SAFETY: the attributes are valid for the call, and what they point to outlives it.
    let fd = unsafe { libc::syscall(libc::SYS_bpf, command, std::ptr::from_ref(attributes), size_of::<T>()) };
    if fd < 0 {
        return Err(std::io::Error::last_os_error().into());
    }
    // SAFETY: a descriptor of our own, just made.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as i32) })
}
