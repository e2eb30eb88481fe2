//! All that is known of a host, read once.

use serde::Serialize;

use super::btf::{BtfError, KernelBtf, MAX_BTF_BYTES, VMLINUX_BTF};
use super::fields::{ResolvedFields, resolve};
use super::{Features, HostFs, HostRoot, Privilege, Tracefs, TracefsAccess, Trials};

/// The kernel's types, or why they are not to be had.
pub enum Types {
    /// Read and indexed, with the table of fields looked up in them.
    Known(Box<KernelBtf>, Box<ResolvedFields>),
    /// The kernel shows none.
    Absent,
    /// There is a file, and something is wrong with it.
    Unusable(BtfError),
}

/// What tracefs offers.
#[derive(Clone, Debug, Serialize)]
pub struct TracefsFacts {
    /// How it is reached.
    pub access: TracefsAccess,
    /// Why not, if not.
    pub why_not: Option<String>,
    /// How many kinds of system call it describes.
    pub syscall_formats: usize,
}

/// A host.
pub struct HostFacts {
    /// Kernel, machine, surroundings.
    pub features: Features,
    /// What this process may do.
    pub privilege: Privilege,
    /// The kernel's types.
    pub types: Types,
    /// What tracefs offers.
    pub tracefs: TracefsFacts,
    /// What the kernel let us do when tried; empty where it was not.
    pub trials: Trials,
}

impl HostFacts {
    /// Reads a host's facts without trying anything on its kernel.
    pub fn read(root: &HostRoot) -> Self {
        let types = read_types(root);
        let tracefs = Tracefs::open(root, root.is_live());
        let syscall_formats = tracefs.names("syscalls").iter().filter(|n| n.starts_with("sys_enter_")).count();
        Self {
            features: Features::read(root),
            privilege: Privilege::read(root),
            types,
            tracefs: TracefsFacts {
                access: tracefs.access(),
                why_not: tracefs.why_not().map(str::to_owned),
                syscall_formats,
            },
            trials: Trials::default(),
        }
    }

    /// Reads a host's facts and tries what its kernel allows (a fixture host's answers come from its file).
    pub fn read_and_try(root: &HostRoot) -> Self {
        let mut facts = Self::read(root);
        facts.trials = if root.is_live() { Trials::run(root, facts.btf()) } else { Trials::from_fixture(root) };
        facts
    }

    /// The kernel's types, if they are known.
    pub fn btf(&self) -> Option<&KernelBtf> {
        match &self.types {
            Types::Known(btf, _) => Some(btf),
            _ => None,
        }
    }

    /// Where the kernel's fields lie, if its types are known.
    pub fn fields(&self) -> Option<&ResolvedFields> {
        match &self.types {
            Types::Known(_, fields) => Some(fields),
            _ => None,
        }
    }
}

fn read_types(root: &dyn HostFs) -> Types {
    if !root.exists(VMLINUX_BTF) {
        return Types::Absent;
    }
    match root.read(VMLINUX_BTF, MAX_BTF_BYTES + 1).map_err(BtfError::Io).and_then(KernelBtf::parse) {
        Ok(btf) => {
            let fields = resolve(&btf);
            Types::Known(Box::new(btf), Box::new(fields))
        }
        Err(error) => Types::Unusable(error),
    }
}
