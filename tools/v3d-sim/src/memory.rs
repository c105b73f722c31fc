//! Memory on the VideoCore bus, as V3D reaches it.
//!
//! V3D has no MMU: code, uniforms, TMU lanes and both DMA engines use bus addresses, alias bits
//! included. Who implements [`Memory`] decides what an alias means.

use crate::sparse::Sparse;
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
    /// Like [`Memory::read`].
    fn read_word(&mut self, addr: u32) -> Result<u32, MemoryFault> {
        let mut bytes = [0; 4];
        self.read(addr, &mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    /// Reads a little-endian word for each of sixteen addresses, all multiples of 4.
    ///
    /// # Errors
    /// Like [`Memory::read`], with the place in `addresses` of the first that is not there.
    fn read_words(
        &mut self,
        addresses: &[u32; 16],
        words: &mut [u32; 16],
    ) -> Result<(), (u8, MemoryFault)> {
        for (lane, (word, addr)) in words.iter_mut().zip(addresses).enumerate() {
            *word = self.read_word(*addr).map_err(|fault| (lane as u8, fault))?;
        }
        Ok(())
    }

    /// True if all of `addr .. addr + bytes` can be read and written, and will be. False where that
    /// is not known, which makes simulation slower and changes nothing else.
    fn is_there(&self, addr: u32, bytes: u32) -> bool {
        let _ = (addr, bytes);
        false
    }

    /// True if something was put into the word at `addr`, which is there. True where that is
    /// not known.
    fn is_put(&self, addr: u32) -> bool {
        let _ = addr;
        true
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

/// True if sixteen addresses are those of words that follow each other.
#[inline]
pub(crate) fn follow_each_other(addresses: &[u32; 16]) -> bool {
    let mut difference = 0;
    for (lane, addr) in addresses.iter().enumerate() {
        difference |= addr ^ addresses[0].wrapping_add(4 * lane as u32);
    }
    difference == 0
}

/// Words from the bytes of as many.
#[inline]
pub(crate) fn words_from(bytes: &[u8], words: &mut [u32; 16]) {
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
}

const PAGE_BYTES: usize = 4096;

/// Pages of the bus behind the alias bits.
const PAGES: usize = (ALIAS_MASK as usize + 1) / PAGE_BYTES;

/// Words of a page.
const PAGE_WORDS: usize = PAGE_BYTES / 4;

/// A page that is kept.
#[derive(Clone)]
struct Page {
    bytes: [u8; PAGE_BYTES],
    /// A bit for each word of which a byte was put or written.
    put: [u64; PAGE_WORDS / 64],
}

impl Page {
    fn place(&mut self, offset: usize, data: &[u8]) {
        self.bytes[offset..offset + data.len()].copy_from_slice(data);
        self.mark(offset, data.len());
    }

    /// `bytes` is not 0.
    fn mark(&mut self, offset: usize, bytes: usize) {
        for word in offset / 4..=(offset + bytes - 1) / 4 {
            self.put[word / 64] |= 1 << (word % 64);
        }
    }
}

/// Memory made of 4 KiB pages that exist only where something was put; all aliases are the same.
#[derive(Clone)]
pub struct SparseMemory {
    pages: Sparse<Page>,
    /// A bit for each page that is there without being kept: all of it is 0 until it is written.
    zero: Vec<u64>,
}

static ZEROS: [u8; PAGE_BYTES] = [0; PAGE_BYTES];

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
            pages: Sparse::default(),
            zero: vec![0; PAGES / 64],
        }
    }

    /// Puts `data` at `addr`, and memory around it where there is none (rounded out to 4 KiB).
    ///
    /// What wraps past the end of the 1 GiB behind the alias bits goes on at its start.
    pub fn put(&mut self, addr: u32, data: &[u8]) {
        for (page, offset, part) in parts(addr, data.len()) {
            self.kept(page).place(offset, &data[part]);
        }
    }

    /// Puts `bytes` zero bytes at `addr`, as [`SparseMemory::put`]. Whole pages of zeros take no
    /// memory until they are written.
    pub fn put_zero(&mut self, addr: u32, bytes: usize) {
        for (page, offset, part) in parts(addr, bytes) {
            if part.len() == PAGE_BYTES {
                self.pages.take(page);
                self.zero[page / 64] |= 1 << (page % 64);
            } else if self.pages.get(page).is_some() || !self.is_zero(page) {
                let page = self.kept(page);
                page.bytes[offset..offset + part.len()].fill(0);
                page.mark(offset, part.len());
            }
        }
    }

    /// The bytes `addr .. addr + bytes`.
    ///
    /// # Errors
    /// When some of them were never put there.
    pub fn get(&mut self, addr: u32, bytes: usize) -> Result<Vec<u8>, MemoryFault> {
        self.check(addr, bytes)?;
        let mut out = vec![0; bytes];
        self.read(addr, &mut out)?;
        Ok(out)
    }

    /// True if all of `addr .. addr + bytes` is there.
    ///
    /// # Errors
    /// When some of it was never put there.
    pub fn check(&self, addr: u32, bytes: usize) -> Result<(), MemoryFault> {
        for (page, _, part) in parts(addr, bytes) {
            self.page(page)
                .ok_or_else(|| MemoryFault::absent(addr.wrapping_add(part.start as u32)))?;
        }
        Ok(())
    }

    /// The pages that are there, from the lowest: the address of each behind the alias bits, and
    /// its 4096 bytes.
    pub fn pages(&self) -> impl Iterator<Item = (u32, &[u8])> {
        (0..PAGES).filter_map(|page| {
            let bytes: &[u8] = self.page(page)?;
            Some(((page * PAGE_BYTES) as u32, bytes))
        })
    }

    fn is_zero(&self, page: usize) -> bool {
        self.zero[page / 64] & 1 << (page % 64) != 0
    }

    fn page(&self, page: usize) -> Option<&[u8; PAGE_BYTES]> {
        match self.pages.get(page) {
            Some(page) => Some(&page.bytes),
            None => self.is_zero(page).then_some(&ZEROS),
        }
    }

    /// A page to write to, made where there is none.
    fn kept(&mut self, page: usize) -> &mut Page {
        // All of a page of zeros was put.
        let put = if self.is_zero(page) { u64::MAX } else { 0 };
        self.pages.get_or_make(page, || {
            Box::new(Page {
                bytes: [0; PAGE_BYTES],
                put: [put; PAGE_WORDS / 64],
            })
        })
    }
}

/// For every page of a range: its number, the first of its bytes, and their place in the whole.
fn parts(addr: u32, bytes: usize) -> impl Iterator<Item = (usize, usize, std::ops::Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let at = (addr.wrapping_add(done as u32) & ALIAS_MASK) as usize;
        let offset = at % PAGE_BYTES;
        let count = (PAGE_BYTES - offset).min(bytes - done);
        done += count;
        (count > 0).then(|| (at / PAGE_BYTES, offset, done - count..done))
    })
}

impl Memory for SparseMemory {
    fn read(&mut self, addr: u32, out: &mut [u8]) -> Result<(), MemoryFault> {
        for (page, offset, part) in parts(addr, out.len()) {
            let bytes = self
                .page(page)
                .ok_or_else(|| MemoryFault::absent(addr.wrapping_add(part.start as u32)))?;
            out[part.clone()].copy_from_slice(&bytes[offset..offset + part.len()]);
        }
        Ok(())
    }

    fn write(&mut self, addr: u32, data: &[u8]) -> Result<(), MemoryFault> {
        for (page, offset, part) in parts(addr, data.len()) {
            if self.page(page).is_none() {
                return Err(MemoryFault::absent(addr.wrapping_add(part.start as u32)));
            }
            self.kept(page).place(offset, &data[part]);
        }
        Ok(())
    }

    fn read_word(&mut self, addr: u32) -> Result<u32, MemoryFault> {
        let at = (addr & ALIAS_MASK & !3) as usize;
        let bytes = self
            .page(at / PAGE_BYTES)
            .ok_or(MemoryFault::absent(addr))?;
        let word = &bytes[at % PAGE_BYTES..][..4];
        Ok(u32::from_le_bytes(word.try_into().expect("four bytes")))
    }

    fn read_words(
        &mut self,
        addresses: &[u32; 16],
        words: &mut [u32; 16],
    ) -> Result<(), (u8, MemoryFault)> {
        let start = (addresses[0] & ALIAS_MASK) as usize;
        let offset = start % PAGE_BYTES;
        if follow_each_other(addresses)
            && let Some(page) = self.page(start / PAGE_BYTES)
            && let Some(bytes) = page.get(offset..offset + 64)
        {
            words_from(bytes, words);
            return Ok(());
        }
        for (lane, (word, addr)) in words.iter_mut().zip(addresses).enumerate() {
            *word = self.read_word(*addr).map_err(|fault| (lane as u8, fault))?;
        }
        Ok(())
    }

    fn is_there(&self, addr: u32, bytes: u32) -> bool {
        self.check(addr, bytes as usize).is_ok()
    }

    fn is_put(&self, addr: u32) -> bool {
        let at = (addr & ALIAS_MASK) as usize;
        let word = at % PAGE_BYTES / 4;
        let page = self.pages.get(at / PAGE_BYTES);
        page.is_none_or(|page| page.put[word / 64] & 1 << (word % 64) != 0)
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
    fn zeros_are_kept_only_when_they_are_written() {
        let mut memory = SparseMemory::new();
        let kept = |memory: &SparseMemory| {
            (0..PAGES)
                .filter(|&page| memory.pages.get(page).is_some())
                .count()
        };
        memory.put_zero(0x4000_0800, 256 << 20);
        // The pages with the ends, of which some is not put.
        assert_eq!(kept(&memory), 2);
        assert_eq!(memory.check(0, 256 << 20), Ok(()));
        let end = (256 << 20) + 4096;
        assert_eq!(
            memory.check(0, end + 1),
            Err(MemoryFault::absent(end as u32))
        );
        memory.write(0x1_0ffe, &[1, 2, 3]).unwrap();
        assert_eq!(kept(&memory), 4);
        assert_eq!(memory.get(0x1_0ffc, 8).unwrap(), [0, 0, 1, 2, 3, 0, 0, 0]);
        memory.put_zero(0x1_0000, 4096);
        assert_eq!(kept(&memory), 3);
        assert_eq!(memory.get(0x1_0ffe, 3).unwrap(), [0, 0, 3]);
    }

    #[test]
    fn what_was_put_or_written_is_known_by_words() {
        let mut memory = SparseMemory::new();
        memory.put(0x4000_0ffe, &[1, 2, 3, 4]);
        memory.put_zero(0x2000, 8192 + 8);
        memory.write(0x1010, &[0]).unwrap();
        memory.write(0x2800, &[1]).unwrap();
        for (addr, is_put) in [
            (0x0ff8, false),
            (0x0ffc, true),
            (0x1000, true),
            (0x1004, false),
            (0xc000_1010, true),
            (0x2804, true),
            (0x3000, true),
            (0x4004, true),
            (0x4008, false),
        ] {
            assert_eq!(memory.is_put(addr), is_put, "{addr:#x}");
        }
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
