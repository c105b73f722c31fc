//! Memory on the VideoCore bus, as V3D reaches it.
//!
//! V3D has no MMU: code, uniforms, TMU lanes and both DMA engines use bus addresses, alias bits
//! included. Who implements [`Memory`] decides what an alias means.

use std::borrow::Cow;

/// Memory that V3D reads and writes. Addresses carry their alias bits.
pub trait Memory {
    /// Reads `out.len()` bytes from `addr` on.
    ///
    /// # Errors
    /// When any of the bytes is not there; `out` is then undefined.
    fn read(&mut self, addr: u32, out: &mut [u8]) -> Result<(), MemoryFault>;

    /// Writes `data` from `addr` on.
    ///
    /// # Errors
    /// When any of the bytes is not there; nothing or a part is then written.
    fn write(&mut self, addr: u32, data: &[u8]) -> Result<(), MemoryFault>;

    /// Reads a little-endian word. `addr` is a multiple of 4.
    ///
    /// # Errors
    /// As [`Memory::read`].
    fn read_word(&mut self, addr: u32) -> Result<u32, MemoryFault> {
        let mut bytes = [0; 4];
        self.read(addr, &mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }
}

/// An access that no memory answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryFault {
    /// The first byte that is not there, as V3D asked for it.
    pub addr: u32,
    /// Why, as a part of a sentence: "no memory here".
    pub reason: Cow<'static, str>,
}

impl MemoryFault {
    /// A fault at `addr` with the plain reason.
    #[must_use]
    pub const fn absent(addr: u32) -> Self {
        Self {
            addr,
            reason: Cow::Borrowed("no memory here"),
        }
    }
}

/// The bits of a bus address below the alias.
pub(crate) const ALIAS_MASK: u32 = 0x3fff_ffff;

const PAGE_BYTES: usize = 4096;

/// Memory made of 4 KiB pages that exist only where something was put; all aliases are the same.
#[derive(Clone)]
pub struct SparseMemory {
    pages: Vec<Option<Box<[u8; PAGE_BYTES]>>>,
}

impl Default for SparseMemory {
    fn default() -> Self {
        Self::new()
    }
}

impl SparseMemory {
    /// Memory with nothing in it: every access faults.
    #[must_use]
    pub fn new() -> Self {
        Self {
            pages: vec![None; (ALIAS_MASK as usize + 1) / PAGE_BYTES],
        }
    }

    /// Puts `data` at `addr`, and memory around it where there is none (rounded out to 4 KiB).
    ///
    /// What wraps past the end of the 1 GiB behind the alias bits goes on at its start.
    pub fn put(&mut self, addr: u32, data: &[u8]) {
        self.for_each_page(addr, data.len(), true, |page, part| {
            page.copy_from_slice(&data[part]);
            Ok(())
        })
        .expect("absent pages are made");
    }

    /// Puts `bytes` zero bytes at `addr`, as [`SparseMemory::put`].
    pub fn put_zero(&mut self, addr: u32, bytes: usize) {
        self.for_each_page(addr, bytes, true, |page, _| {
            page.fill(0);
            Ok(())
        })
        .expect("absent pages are made");
    }

    /// The bytes `addr .. addr + bytes`.
    ///
    /// # Errors
    /// When some of them were never put there.
    pub fn get(&mut self, addr: u32, bytes: usize) -> Result<Vec<u8>, MemoryFault> {
        let mut out = vec![0; bytes];
        self.read(addr, &mut out)?;
        Ok(out)
    }

    /// Calls `each(bytes inside one page, their place in the whole)` for every page touched.
    fn for_each_page(
        &mut self,
        addr: u32,
        bytes: usize,
        make: bool,
        mut each: impl FnMut(&mut [u8], std::ops::Range<usize>) -> Result<(), MemoryFault>,
    ) -> Result<(), MemoryFault> {
        let mut done = 0;
        while done < bytes {
            let at = addr.wrapping_add(done as u32);
            let offset = (at & ALIAS_MASK) as usize % PAGE_BYTES;
            let count = (PAGE_BYTES - offset).min(bytes - done);
            let page = &mut self.pages[(at & ALIAS_MASK) as usize / PAGE_BYTES];
            if make && page.is_none() {
                *page = Some(Box::new([0; PAGE_BYTES]));
            }
            let page = page.as_mut().ok_or(MemoryFault::absent(at))?;
            each(&mut page[offset..offset + count], done..done + count)?;
            done += count;
        }
        Ok(())
    }
}

impl Memory for SparseMemory {
    fn read(&mut self, addr: u32, out: &mut [u8]) -> Result<(), MemoryFault> {
        self.for_each_page(addr, out.len(), false, |page, part| {
            out[part].copy_from_slice(page);
            Ok(())
        })
    }

    fn write(&mut self, addr: u32, data: &[u8]) -> Result<(), MemoryFault> {
        self.for_each_page(addr, data.len(), false, |page, part| {
            page.copy_from_slice(&data[part]);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_rounded_out_to_pages_and_seen_through_every_alias() {
        let mut memory = SparseMemory::new();
        memory.put(0x4000_1ffe, &[1, 2, 3, 4]);
        assert_eq!(memory.get(0xc000_1fff, 2).unwrap(), [2, 3]);
        assert_eq!(memory.get(0x0000_1000, 1).unwrap(), [0]);
        assert_eq!(memory.read_word(0x2ffc), Ok(0));
        assert_eq!(memory.read_word(0x3000), Err(MemoryFault::absent(0x3000)));
        assert_eq!(memory.write(0x0ffe, &[0; 4]).unwrap_err().addr, 0x0ffe);
    }

    #[test]
    fn later_puts_win() {
        let mut memory = SparseMemory::new();
        memory.put(0, &[9; 8192]);
        memory.put_zero(4092, 8);
        assert_eq!(
            memory.get(4088, 16).unwrap(),
            [9, 9, 9, 9, 0, 0, 0, 0, 0, 0, 0, 0, 9, 9, 9, 9]
        );
    }
}
