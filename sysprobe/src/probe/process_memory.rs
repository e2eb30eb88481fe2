//! The memory of every process now, by one walk of the task iterator.

use std::io;

use sysprobe_common::event::ProcessMemoryRaw;

use super::iterator::TaskIterator;
use crate::event::ProcessMemory;

/// Processes that one walk shows at most.
pub const MAX_PROCESSES: usize = 16_384;

/// The walk.
pub struct ProcessMemories {
    iterator: TaskIterator,
}

impl ProcessMemories {
    pub(super) fn new(iterator: TaskIterator) -> Self {
        Self { iterator }
    }

    /// Every process that has memory, at most [`MAX_PROCESSES`]; whether there were more.
    ///
    /// # Errors
    /// When the iterator cannot be read.
    pub fn read(&self) -> io::Result<(Vec<ProcessMemory>, bool)> {
        let mut processes = Vec::new();
        let cut = self.iterator.walk(size_of::<ProcessMemoryRaw>(), |record| {
            processes.extend(ProcessMemory::decode(record));
            processes.len() < MAX_PROCESSES
        })?;
        Ok((processes, cut))
    }
}
