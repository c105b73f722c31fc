//! Memory that notices writes to watched places.

use v3d_sim::{Memory, MemoryFault};

/// The bits of a bus address below the alias.
const ALIAS_MASK: u32 = 0x3fff_ffff;

/// A memory, and the ranges whose writes are of interest.
pub struct Watched<M> {
    inner: M,
    /// Name of the watch, first byte, bytes.
    ranges: Vec<(u32, u32, u32)>,
    /// Watchpoint, address and bytes of the first write to a watched range since the last look.
    hit: Option<(u32, u32, u32)>,
}

impl<M> Watched<M> {
    /// A memory of which nothing is watched.
    pub fn new(inner: M) -> Self {
        Self {
            inner,
            ranges: vec![],
            hit: None,
        }
    }

    /// Another memory, of which nothing is watched, under the watches of this one.
    pub fn replace(&mut self, other: Self) {
        self.inner = other.inner;
        self.hit = None;
    }

    /// Watches `bytes` bytes from `addr` on, through every alias.
    pub fn watch(&mut self, id: u32, addr: u32, bytes: u32) {
        self.ranges.push((id, addr & ALIAS_MASK, bytes));
    }

    /// Forgets a watch.
    pub fn unwatch(&mut self, id: u32) {
        self.ranges.retain(|(other, ..)| *other != id);
    }

    /// The watch, address and bytes of the first write to a watched range since the last call.
    pub fn take_hit(&mut self) -> Option<(u32, u32, u32)> {
        self.hit.take()
    }

    fn note(&mut self, addr: u32, bytes: u32) {
        let start = u64::from(addr & ALIAS_MASK);
        let end = start + u64::from(bytes);
        let touched = self.ranges.iter().find(|(_, at, count)| {
            let at = u64::from(*at);
            start < at + u64::from(*count) && at < end
        });
        if let Some((id, ..)) = touched {
            self.hit.get_or_insert((*id, addr, bytes));
        }
    }
}

impl<M: Memory> Memory for Watched<M> {
    fn read(&mut self, addr: u32, out: &mut [u8]) -> Result<(), MemoryFault> {
        self.inner.read(addr, out)
    }

    fn write(&mut self, addr: u32, data: &[u8]) -> Result<(), MemoryFault> {
        if !self.ranges.is_empty() {
            self.note(addr, data.len() as u32);
        }
        self.inner.write(addr, data)
    }

    fn read_word(&mut self, addr: u32) -> Result<u32, MemoryFault> {
        self.inner.read_word(addr)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use v3d_sim::SparseMemory;

    #[test]
    fn a_write_that_touches_a_watched_byte_is_noticed_through_every_alias() {
        let mut inner = SparseMemory::new();
        inner.put_zero(0x1000, 4096);
        let mut memory = Watched::new(inner);
        memory.watch(7, 0x4000_1010, 4);
        memory.write(0xc000_1000, &[1; 16]).expect("memory");
        assert_eq!(memory.take_hit(), None);
        memory.write(0xc000_1000, &[1; 17]).expect("memory");
        assert_eq!(memory.take_hit(), Some((7, 0xc000_1000, 17)));
        assert_eq!(memory.take_hit(), None);
        memory.unwatch(7);
        memory.write(0x1010, &[1]).expect("memory");
        assert_eq!(memory.take_hit(), None);
    }
}
