//! Debian packages that a verb needs and the build does not, installed when they are missing.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::shell::{as_root, in_path, output, root_reachable, succeeds};

/// Programs, and the packages that have them.
type Needed = [(&'static str, &'static str)];

/// What unpacks kernels and modules.
const UNPACKERS: &Needed = &[("xz", "xz-utils"), ("zstd", "zstd"), ("lz4", "lz4"), ("dpkg-deb", "dpkg")];

/// What boots guests: an emulator, and a static shell for them.
const GUESTS: &Needed = &[("qemu-system-x86_64", "qemu-system-x86"), ("busybox", "busybox-static")];

/// What takes kernels apart.
pub fn for_kernels() -> Result<()> {
    let missing = missing(UNPACKERS);
    if missing.is_empty() { Ok(()) } else { install(&missing) }
}

/// What boots guests, and takes kernels apart for them.
pub fn for_vm() -> Result<()> {
    let mut missing = missing(&[GUESTS, UNPACKERS].concat());
    // The busybox of the plain package is linked to libraries that a guest does not have.
    if in_path("busybox") && !is_static(Path::new("/bin/busybox")) {
        missing.push("busybox-static");
    }
    if missing.is_empty() {
        return Ok(());
    }
    // A newer qemu-utils from elsewhere gives way to this emulator's; whoever had it gets the matching one back.
    let had_utils = in_path("qemu-img");
    install(&missing)?;
    if had_utils && !in_path("qemu-img") {
        install(&["qemu-utils"])?;
    }
    Ok(())
}

fn missing(needed: &Needed) -> Vec<&'static str> {
    needed.iter().filter(|(program, _)| !in_path(program)).map(|(_, package)| *package).collect()
}

/// Whether a program asks for no dynamic loader.
pub fn is_static(program: &Path) -> bool {
    use object::read::elf::{FileHeader, ProgramHeader};
    let is_static = || -> Option<bool> {
        let data = std::fs::read(program).ok()?;
        let header = object::elf::FileHeader64::<object::Endianness>::parse(&*data).ok()?;
        let endian = header.endian().ok()?;
        let segments = header.program_headers(endian, &*data).ok()?;
        Some(!segments.iter().any(|segment| segment.p_type(endian) == object::elf::PT_INTERP))
    };
    is_static().unwrap_or(false)
}

/// Installs packages as root, without a question; where that cannot be done, the error is the command to type.
fn install(packages: &[&str]) -> Result<()> {
    let typed = format!("apt-get install --no-install-recommends {}", packages.join(" "));
    if !in_path("apt-get") {
        bail!("needs {} and this machine has no apt-get", packages.join(", "));
    }
    if !root_reachable() {
        bail!("needs packages that only root can install; type: sudo {typed}");
    }
    eprintln!("$ {typed}");
    // Stale lists name point releases that are gone; if they cannot be refreshed, they may still do.
    if !succeeds(as_root("apt-get").args(["-qq", "update"])) {
        eprintln!("the package lists could not be refreshed");
    }
    let mut apt = as_root("env");
    apt.args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "-y", "install", "--no-install-recommends"]);
    output(apt.args(packages)).map(drop).with_context(|| format!("type: sudo {typed}"))
}
