//! The board's SDRAM: one memory that the ARM, V3D and the firmware share.
//!
//! Storage is always 512 MiB of zero pages that the host commits on first touch, so that a masked
//! page number is always in range and the ARM's fast path needs no bounds check. `size` is what the
//! board has; the code that translates an address compares with it.

/// One 4 KiB page as the words the ARM loads.
pub type Page = [u32; 1024];

/// Pages of the largest board.
pub const PAGES: usize = (512 << 20) / 4096;

/// The memory itself.
pub struct Memory {
    pages: Box<[Page; PAGES]>,
    size: u32,
}

impl Memory {
    /// Zeroed memory of `size` bytes, at most 512 MiB.
    pub fn new(size: u32) -> Self {
        let pages = vec![[0u32; 1024]; PAGES].into_boxed_slice();
        let Ok(pages) = pages.try_into() else {
            unreachable!("the vector was made with PAGES pages");
        };
        Self { pages, size }
    }

    /// Bytes of memory.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// A page by number; numbers wrap at 512 MiB.
    #[inline(always)]
    pub fn page(&self, number: u32) -> &Page {
        &self.pages[number as usize % PAGES]
    }

    /// A page by number, for writing.
    #[inline(always)]
    pub fn page_mut(&mut self, number: u32) -> &mut Page {
        &mut self.pages[number as usize % PAGES]
    }

    /// The aligned word that holds `address`.
    #[inline(always)]
    pub fn word(&self, address: u32) -> u32 {
        self.page(address >> 12)[(address as usize >> 2) % 1024]
    }

    /// The aligned word that holds `address`, for writing.
    #[inline(always)]
    pub fn word_mut(&mut self, address: u32) -> &mut u32 {
        &mut self.page_mut(address >> 12)[(address as usize >> 2) % 1024]
    }

    /// Copies bytes out, starting at any address.
    pub fn read(&self, address: u32, out: &mut [u8]) {
        let mut at = address;
        let mut rest = out;
        while !rest.is_empty() {
            let bytes = self.word(at).to_le_bytes();
            let from = (at & 3) as usize;
            let count = rest.len().min(4 - from);
            let (head, tail) = rest.split_at_mut(count);
            head.copy_from_slice(&bytes[from..from + count]);
            at = at.wrapping_add(count as u32);
            rest = tail;
        }
    }

    /// Copies bytes in, starting at any address.
    pub fn write(&mut self, address: u32, data: &[u8]) {
        let mut at = address;
        let mut rest = data;
        while !rest.is_empty() {
            let word = self.word_mut(at);
            let mut bytes = word.to_le_bytes();
            let from = (at & 3) as usize;
            let count = rest.len().min(4 - from);
            bytes[from..from + count].copy_from_slice(&rest[..count]);
            *word = u32::from_le_bytes(bytes);
            at = at.wrapping_add(count as u32);
            rest = &rest[count..];
        }
    }

    /// Forgets everything, as a power-on does; a watchdog reset does not.
    #[cfg(test)]
    pub fn clear(&mut self) {
        *self = Self::new(self.size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_cross_words_and_pages() {
        let mut memory = Memory::new(256 << 20);
        let data: Vec<u8> = (0..23).collect();
        memory.write(0x1ff5, &data);
        let mut back = vec![0; 23];
        memory.read(0x1ff5, &mut back);
        assert_eq!(back, data);
        assert_eq!(memory.word(0x1ff8), u32::from_le_bytes([3, 4, 5, 6]));
        memory.clear();
        assert_eq!(memory.word(0x1ff8), 0);
    }
}
