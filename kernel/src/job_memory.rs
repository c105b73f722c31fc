//! The memory that jobs on the QPUs are made in: buffers one after the other, given back all at
//! once.
//!
//! Every write reaches RAM before it returns and every read comes from RAM ([`crate::dma_buf`]), so
//! between calls the ARM's cache holds nothing that V3D could miss or be missed by.

use qpu::job::{Buffer, BusAddr};

use crate::dma_buf::{DmaBuf, LINE_BYTES};

/// A block of memory and how much of it is given out.
pub struct JobMemory {
    memory: DmaBuf,
    used_bytes: u32,
}

impl JobMemory {
    /// All of `memory`, unused.
    #[must_use]
    pub const fn new(memory: DmaBuf) -> Self {
        Self {
            memory,
            used_bytes: 0,
        }
    }

    /// The next `bytes` bytes, in whole lines and aligned to `align`, a power of two; `None` when
    /// there are not as many.
    pub fn alloc(&mut self, bytes: u32, align: u32) -> Option<Buffer> {
        let bytes = bytes.checked_next_multiple_of(LINE_BYTES as u32)?;
        let base = self.memory.bus();
        let align = align.max(LINE_BYTES as u32);
        let free = base.0.checked_add(self.used_bytes)?;
        let start = free.checked_next_multiple_of(align)? - base.0;
        let end = start.checked_add(bytes)?;
        if end as usize > 4 * self.memory.len() {
            return None;
        }
        self.used_bytes = end;
        Some(Buffer {
            addr: base.offset(start),
            bytes,
        })
    }

    /// Gives back every buffer.
    pub const fn release_all(&mut self) {
        self.used_bytes = 0;
    }

    /// Writes `words` from word `first` of `buffer` on; `None` when they do not fit, or the buffer
    /// is not one that is given out.
    pub fn write(&mut self, buffer: Buffer, first: u32, words: &[u32]) -> Option<()> {
        let at = self.place(buffer, first, words.len())?;
        self.memory.write(at, words).then_some(())
    }

    /// Reads `words` from word `first` of `buffer` on; `None` as for [`JobMemory::write`].
    pub fn read(&mut self, buffer: Buffer, first: u32, words: &mut [u32]) -> Option<()> {
        let at = self.place(buffer, first, words.len())?;
        self.memory.read(at, words).then_some(())
    }

    /// Index of word `first` of `buffer`, when `count` words from there lie in it.
    fn place(&self, buffer: Buffer, first: u32, count: usize) -> Option<usize> {
        let BusAddr(base) = self.memory.bus();
        let offset = buffer.addr.0.wrapping_sub(base);
        let given_out = offset.is_multiple_of(4)
            && u64::from(offset) + u64::from(buffer.bytes) <= u64::from(self.used_bytes);
        let inside = u64::from(first) + count as u64 <= u64::from(buffer.bytes) / 4;
        (given_out && inside).then(|| (offset / 4 + first) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> JobMemory {
        JobMemory::new(DmaBuf::fake(4096))
    }

    #[test]
    fn buffers_are_aligned_apart_and_end_with_the_memory() {
        let mut memory = memory();
        let first = memory.alloc(1, 1).expect("there are 16 KiB");
        let second = memory.alloc(100, 4096).expect("there are 16 KiB");
        assert_eq!((first.bytes, second.bytes), (64, 128));
        assert_eq!(second.addr.0 % 4096, 0);
        assert!(second.addr.0 >= first.addr.0 + first.bytes);
        assert_eq!(memory.alloc(16 * 1024, 64), None);
        assert_eq!(memory.alloc(u32::MAX, 64), None);
        memory.release_all();
        assert!(memory.alloc(16 * 1024, 1).is_some());
    }

    #[test]
    fn words_come_back_from_the_buffer_they_went_to() {
        let mut memory = memory();
        let first = memory.alloc(64, 64).expect("there are 16 KiB");
        let second = memory.alloc(64, 64).expect("there are 16 KiB");
        let mut out = [0; 2];
        assert!(memory.write(first, 14, &[1, 2]).is_some());
        assert!(memory.write(second, 0, &[3]).is_some());
        assert!(memory.read(first, 14, &mut out).is_some());
        assert_eq!(out, [1, 2]);
        assert!(memory.read(second, 0, &mut out).is_some());
        assert_eq!(out, [3, 0]);
    }

    #[test]
    fn nothing_outside_a_buffer_can_be_touched() {
        let mut memory = memory();
        let buffer = memory.alloc(64, 64).expect("there are 16 KiB");
        assert!(memory.write(buffer, 15, &[1, 2]).is_none());
        assert!(memory.write(buffer, u32::MAX, &[1]).is_none());
        for stray in [
            Buffer {
                bytes: 128,
                ..buffer
            },
            Buffer {
                addr: buffer.addr.offset(2),
                bytes: 4,
            },
            Buffer {
                addr: BusAddr(buffer.addr.0.wrapping_sub(4)),
                bytes: 4,
            },
        ] {
            assert!(memory.read(stray, 0, &mut [0]).is_none(), "{stray:?}");
        }
        memory.release_all();
        assert!(memory.read(buffer, 0, &mut [0]).is_none(), "given back");
    }
}
