//! trace
use crate::host::{btf::KernelBtf, fields};
use crate::probe::{*, catalog::PROBES};
pub fn smoke() -> anyhow::Result<()> {
    let t0=std::time::Instant::now();
    let btf = KernelBtf::load(std::path::Path::new("/sys/kernel/btf/vmlinux"))?;
    let r = fields::resolve(&btf);
    eprintln!("btf {:?}", t0.elapsed());
    let offsets = r.offsets;
    let mut k = Kernel::load(&KernelSettings { field_offsets: offsets, failed_only: false, slower_ns: 0, aggregate: false, bulk_ring_bytes: 1<<25 })?;
    eprintln!("load {:?}", t0.elapsed());
    for row in PROBES { let h = k.attach(row, &offsets); eprintln!("{} {:?} {:?}", row.name, h.verdict, t0.elapsed()); }
    Ok(())
}
