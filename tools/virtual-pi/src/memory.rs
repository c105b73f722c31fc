//! The board's SDRAM: one memory that the ARM, V3D and the firmware share.
//!
//! Pages of 4 KiB are made when they are first written; a page that never was reads as zeros.
//! `size` is what the board has; the code that translates an address compares with it.

use crate::pages::Pages;

pub use crate::pages::NOT_MADE;

/// Bytes of a page.
const PAGE_BYTES: usize = 4096;
const WORDS: usize = PAGE_BYTES / 4;

/// The memory itself.
pub struct Memory {
    /// Words, as the ARM loads them.
    pages: Pages<u32, WORDS>,
    size: u32,
}

impl Memory {
    /// Zeroed memory of `size` bytes, at most 512 MiB.
    pub fn new(size: u32) -> Self {
        Self {
            pages: Pages::new(&[[0; WORDS]]),
            size,
        }
    }

    /// Bytes of memory.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Pages that were made.
    pub fn pages_made(&self) -> usize {
        self.pages.count()
    }

    /// Where the page with `address` starts among the words that are kept, for [`Memory::at`];
    /// [`NOT_MADE`] if it was never written. Addresses wrap at 512 MiB.
    #[inline(always)]
    pub fn start(&self, address: u32) -> u32 {
        self.pages.start(address >> 12)
    }

    /// The word with number `index` of the page that starts at `start`.
    #[inline(always)]
    pub fn at(&self, start: u32, index: usize) -> u32 {
        *self.pages.at(start, index)
    }

    /// A word of a page that was made, for writing.
    #[inline(always)]
    pub fn at_mut(&mut self, start: u32, index: usize) -> &mut u32 {
        self.pages.at_mut(start, index)
    }

    /// The aligned word that holds `address`.
    #[inline(always)]
    pub fn word(&self, address: u32) -> u32 {
        self.at(self.start(address), address as usize >> 2)
    }

    /// The aligned word that holds `address`, for writing.
    #[inline(always)]
    pub fn word_mut(&mut self, address: u32) -> &mut u32 {
        let start = self.pages.make(address >> 12);
        self.pages.at_mut(start, address as usize >> 2)
    }

    /// Copies bytes out, starting at any address.
    pub fn read(&self, address: u32, out: &mut [u8]) {
        let mut at = address;
        let mut rest = out;
        while !rest.is_empty() {
            let (head, tail) = rest.split_at_mut(rest.len().min(left_in_page(at)));
            let words = self.pages.rest(at >> 12, at as usize >> 2);
            let first = at as usize % 4;
            at = at.wrapping_add(head.len() as u32);
            if (first, head.len() % 4) == (0, 0) {
                for (four, word) in head.as_chunks_mut().0.iter_mut().zip(words) {
                    *four = word.to_le_bytes();
                }
            } else {
                for (index, byte) in (first..).zip(head) {
                    *byte = words[index / 4].to_le_bytes()[index % 4];
                }
            }
            rest = tail;
        }
    }

    /// Copies bytes in, starting at any address.
    pub fn write(&mut self, address: u32, data: &[u8]) {
        let mut at = address;
        let mut rest = data;
        while !rest.is_empty() {
            let (head, tail) = rest.split_at(rest.len().min(left_in_page(at)));
            let words = self.pages.rest_mut(at >> 12, at as usize >> 2);
            let first = at as usize % 4;
            at = at.wrapping_add(head.len() as u32);
            if (first, head.len() % 4) == (0, 0) {
                for (four, word) in head.as_chunks().0.iter().zip(words) {
                    *word = u32::from_le_bytes(*four);
                }
            } else {
                for (index, byte) in (first..).zip(head) {
                    let word = &mut words[index / 4];
                    let mut bytes = word.to_le_bytes();
                    bytes[index % 4] = *byte;
                    *word = u32::from_le_bytes(bytes);
                }
            }
            rest = tail;
        }
    }
}

/// Bytes from an address to the end of its page.
fn left_in_page(address: u32) -> usize {
    PAGE_BYTES - address as usize % PAGE_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_cross_words_and_pages() {
        let mut memory = Memory::new(256 << 20);
        let data: Vec<u8> = (0..23).collect();
        for address in [0x1ff5, 0x3ff4, 0x5ffe] {
            memory.write(address, &data);
            for from in 0..20 {
                let mut back = vec![0; 23 - from];
                memory.read(address + from as u32, &mut back);
                assert_eq!(back, data[from..], "{address:#x} + {from}");
            }
        }
        assert_eq!(memory.word(0x1ff8), u32::from_le_bytes([3, 4, 5, 6]));
        assert_eq!(memory.word(0x1ff4), u32::from_le_bytes([0, 0, 1, 2]));
        memory.write(0x1ff8, &[9; 4]);
        assert_eq!(memory.word(0x1ff8), 0x0909_0909);
        assert_eq!(memory.word(0x1ff4), u32::from_le_bytes([0, 0, 1, 2]));
    }

    #[test]
    fn reads_make_no_pages() {
        let mut memory = Memory::new(512 << 20);
        let mut back = vec![1; 1 << 20];
        memory.read(0x100_0123, &mut back);
        assert!(back.iter().all(|byte| *byte == 0));
        assert_eq!((memory.word(0x1000), memory.pages_made()), (0, 0));
        memory.write(0x1_fffc, &[1; 8]);
        assert_eq!(memory.pages_made(), 2);
    }
}
