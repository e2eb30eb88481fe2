//! The uncompressed kernel out of a bzImage, so that qemu can start it at its PVH entry.
//!
//! Under emulation the kernel's own decompression costs more than the rest of the boot. Layout: the x86 boot protocol
//! (Documentation/arch/x86/boot.rst), `setup_sects` at 0x1f1, `payload_offset` and `payload_length` at 0x248.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Writes the ELF image inside `bzimage` to `out`.
pub fn extract(bzimage: &Path, out: &Path) -> Result<()> {
    let image = std::fs::read(bzimage).with_context(|| bzimage.display().to_string())?;
    let payload = payload(&image).with_context(|| format!("{} is no bzImage", bzimage.display()))?;
    let (tool, args) = tool_for(payload).with_context(|| format!("{}: unknown compression", bzimage.display()))?;
    let mut child = Command::new(tool)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start {tool}"))?;
    let mut stdin = child.stdin.take().context("no pipe")?;
    let input = payload.to_vec();
    // The tool may end before it has read the four bytes of length that follow the stream: that is no error.
    let feeder = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let kernel = child.wait_with_output()?.stdout;
    // A feeder that panicked leaves a kernel cut short, which the check below finds.
    let _ = feeder.join();
    if !kernel.starts_with(b"\x7fELF") {
        bail!("{tool} did not find a kernel in {}", bzimage.display());
    }
    std::fs::write(out, kernel).with_context(|| out.display().to_string())
}

fn payload(image: &[u8]) -> Option<&[u8]> {
    let word = |at: usize| Some(u32::from_le_bytes(image.get(at..at + 4)?.try_into().ok()?) as usize);
    // Zero means four, for images older than the field.
    let setup_sectors = match usize::from(*image.get(0x1f1)?) {
        0 => 4,
        sectors => sectors,
    };
    let start = (setup_sectors + 1) * 512 + word(0x248)?;
    image.get(start..start + word(0x24c)?)
}

fn tool_for(payload: &[u8]) -> Option<(&'static str, &'static [&'static str])> {
    const MAGICS: [(&[u8], &str, &[&str]); 4] = [
        (b"\xfd7zXZ\0", "xz", &["-dc", "--single-stream"]),
        (b"\x28\xb5\x2f\xfd", "zstd", &["-dc"]),
        (b"\x1f\x8b", "gzip", &["-dc"]),
        (b"\x02\x21\x4c\x18", "lz4", &["-dc"]),
    ];
    MAGICS.iter().find(|(magic, ..)| payload.starts_with(magic)).map(|(_, tool, args)| (*tool, *args))
}
