//! Kernel addresses to function names, by the kernel's own list (`/proc/kallsyms`).
//!
//! Kept compact: names in one string, functions sorted by address. Read once, and again when an address lies in no
//! known function (a module was loaded), but not more often than a minute apart.

use std::time::{Duration, Instant};

use crate::explain::frame::Frame;
use crate::host::HostFs;

const KALLSYMS: &str = "/proc/kallsyms";
/// Bytes read of it: 200,000 symbols take 10 MB.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// A function is not longer than this: an address further on belongs to none.
const MAX_FUNCTION_BYTES: u64 = 1024 * 1024;
const REREAD: Duration = Duration::from_secs(60);

#[derive(Clone, Copy)]
struct Function {
    address: u64,
    name: u32,
    name_len: u8,
    module: u16,
}

/// The kernel's functions.
#[derive(Default)]
pub struct KernelSymbols {
    functions: Vec<Function>,
    names: String,
    modules: Vec<String>,
    read_at: Option<Instant>,
}

impl KernelSymbols {
    /// The functions of the running kernel; none where the kernel hides them (kptr_restrict(5)).
    pub fn read(fs: &dyn HostFs) -> Self {
        let text = fs.read(KALLSYMS, MAX_BYTES).unwrap_or_default();
        Self { read_at: Some(Instant::now()), ..Self::parse(&String::from_utf8_lossy(&text)) }
    }

    fn parse(text: &str) -> Self {
        let mut all = Self { modules: vec![String::new()], ..Self::default() };
        for line in text.lines() {
            let mut words = line.split_ascii_whitespace();
            let (Some(address), Some(kind), Some(name)) = (words.next(), words.next(), words.next()) else { continue };
            let Ok(address) = u64::from_str_radix(address, 16) else { continue };
            if address == 0 || !matches!(kind, "t" | "T" | "w" | "W") {
                continue;
            }
            let module = words.next().map_or("", |m| m.trim_matches(['[', ']']));
            all.add(address, name, module);
        }
        // Of several names at one address the first listed counts.
        all.functions.sort_by_key(|f| f.address);
        all.functions.dedup_by_key(|f| f.address);
        all.functions.shrink_to_fit();
        all.names.shrink_to_fit();
        all
    }

    fn add(&mut self, address: u64, name: &str, module: &str) {
        // Symbols of one module stand together.
        let module = match self.modules.iter().rposition(|m| m == module) {
            Some(at) => at,
            None => {
                self.modules.push(module.to_owned());
                self.modules.len() - 1
            }
        };
        let (Ok(at), Ok(name_len), Ok(module)) =
            (u32::try_from(self.names.len()), u8::try_from(name.len()), u16::try_from(module))
        else {
            return;
        };
        self.names.push_str(name);
        self.functions.push(Function { address, name: at, name_len, module });
    }

    /// Whether the kernel showed any function.
    pub fn is_known(&self) -> bool {
        !self.functions.is_empty()
    }

    /// The functions that addresses lie in; those of no function are left out.
    pub fn frames(&mut self, fs: &dyn HostFs, addresses: &[u64]) -> Vec<Frame> {
        let all_known = addresses.iter().all(|a| self.find(*a).is_some());
        if !all_known && self.read_at.is_none_or(|at| at.elapsed() > REREAD) {
            *self = Self::read(fs);
        }
        addresses.iter().filter_map(|address| self.frame(*address)).collect()
    }

    /// The same from what is known now, without a look at what the kernel may have loaded since.
    pub fn frames_known(&self, addresses: &[u64]) -> Vec<Frame> {
        addresses.iter().filter_map(|address| self.frame(*address)).collect()
    }

    fn frame(&self, address: u64) -> Option<Frame> {
        let function = self.find(address)?;
        let start = function.name as usize;
        let name = self.names.get(start..start + usize::from(function.name_len))?;
        let module = self.modules.get(usize::from(function.module)).filter(|m| !m.is_empty());
        Frame::new(name, module.map(String::as_str))
    }

    fn find(&self, address: u64) -> Option<&Function> {
        let after = self.functions.partition_point(|f| f.address <= address);
        let function = self.functions.get(after.checked_sub(1)?)?;
        (address - function.address < MAX_FUNCTION_BYTES).then_some(function)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::memory::MemoryHost;

    #[test]
    fn an_address_is_named_by_the_function_it_lies_in() {
        let host = MemoryHost::new([(
            KALLSYMS,
            "ffffffff81000000 T _text\nffffffff81000100 t do_read.isra.0\nffffffff81000080 D data\n\
             ffffffffc0000000 t fuse_get_req\t[fuse]\n0000000000000000 T hidden\nnonsense\n",
        )]);
        let mut symbols = KernelSymbols::read(&host);
        let frames = symbols.frames(&host, &[0xffff_ffff_8100_0150, 0xffff_ffff_c000_0004, 0x10]);
        let shown: Vec<String> = frames.iter().map(Frame::display).collect();
        assert_eq!(shown, ["do_read", "fuse_get_req [fuse]"]);
    }

    #[test]
    fn a_kernel_that_hides_its_addresses_names_nothing() {
        let host = MemoryHost::new([(KALLSYMS, "0000000000000000 T _text\n")]);
        let mut symbols = KernelSymbols::read(&host);
        assert!(!symbols.is_known() && symbols.frames(&host, &[0xffff_ffff_8100_0150]).is_empty());
    }
}
