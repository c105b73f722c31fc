//! The RAM of a [`crate::SimRunner`]: buffers that are there, and nothing else.
//!
//! It answers at bus aliases 0x4 and 0x8 only, and only inside a buffer: a lane or a row that
//! leaves its buffer is a fault, not a wrong number. Fresh memory holds a pattern that is no
//! program and no small number.

use crate::memory::{ALIAS_MASK, Memory, MemoryFault, follow_each_other, words_from};
use std::borrow::Cow;
use std::ops::Range;

/// Bus address of the first byte.
const BASE: u32 = 0x4000_0000;
/// Bus address of that byte for accesses that do not allocate in the system L2.
const STREAMED: u32 = 0x8000_0000;

/// Granularity of buffers: a line of V3D's caches.
pub const LINE_BYTES: u32 = 64;

/// The word that fills fresh memory: as code a tile-buffer signal, as a float NaN.
const FRESH: u32 = 0x7fc0_dead;

/// Bytes, and which lines of 64 belong to a buffer.
pub struct Ram {
    bytes: Vec<u8>,
    allocated: Vec<bool>,
    /// Ranges of the buffers, in ascending order.
    buffers: Vec<Range<u32>>,
    /// The least address at which the next buffer may start; the first line is never part of one.
    next: u32,
}

impl Ram {
    /// RAM with room for buffers of `bytes` bytes in all, a line between each two.
    pub fn new(bytes: u32) -> Self {
        let lines = (bytes / LINE_BYTES + 2) as usize;
        Self {
            bytes: FRESH.to_le_bytes().repeat(lines * LINE_BYTES as usize / 4),
            allocated: vec![false; lines],
            buffers: Vec::new(),
            next: LINE_BYTES,
        }
    }

    /// Takes a buffer; `None` when it does not fit. Gives its bus address.
    pub fn alloc(&mut self, bytes: u32, align: u32) -> Option<u32> {
        let start = self.next.checked_next_multiple_of(align.max(LINE_BYTES))?;
        let end = start
            .checked_add(bytes)?
            .checked_next_multiple_of(LINE_BYTES)?;
        if end as usize > self.bytes.len() {
            return None;
        }
        self.allocated[(start / LINE_BYTES) as usize..(end / LINE_BYTES) as usize].fill(true);
        self.buffers.push(start..end);
        self.next = end + LINE_BYTES;
        Some(BASE + start)
    }

    /// Bytes that a buffer could still have.
    pub fn free(&self) -> u32 {
        (self.bytes.len() as u32).saturating_sub(self.next)
    }

    /// Gives back all buffers; the memory is fresh again.
    pub fn release_all(&mut self) {
        *self = Self::new((self.allocated.len() as u32 - 2) * LINE_BYTES);
    }

    /// The bytes of the buffer in which words at all of these addresses are, through one alias.
    fn buffer_of(&self, addresses: &[u32; 16]) -> Option<Range<usize>> {
        let first = addresses[0];
        let start = first & ALIAS_MASK;
        let place = self.buffers.partition_point(|buffer| buffer.end <= start);
        let buffer = self.buffers.get(place)?;
        let (from, bytes) = (
            buffer.start | first & !ALIAS_MASK,
            buffer.end - buffer.start,
        );
        let mut outside = !is_alias(first);
        for addr in addresses {
            outside |= addr.wrapping_sub(from) >= bytes;
        }
        (!outside).then_some(buffer.start as usize..buffer.end as usize)
    }

    /// The place of `count` bytes at `addr`.
    fn range(&self, addr: u32, count: usize) -> Result<Range<usize>, MemoryFault> {
        if !is_alias(addr) {
            let reason = Cow::Borrowed("bus addresses of this memory start with 0x4 or 0x8");
            return Err(MemoryFault { addr, reason });
        }
        let start = (addr & ALIAS_MASK) as usize;
        let end = start + count;
        for line in start / LINE_BYTES as usize..end.div_ceil(LINE_BYTES as usize) {
            if !self.allocated.get(line).is_some_and(|allocated| *allocated) {
                let addr = addr.max(BASE + (line as u32) * LINE_BYTES);
                return Err(MemoryFault {
                    addr,
                    reason: Cow::Borrowed("outside every buffer"),
                });
            }
        }
        Ok(start..end)
    }
}

/// True if an address is of the memory: both aliases go through the system L2.
const fn is_alias(addr: u32) -> bool {
    matches!(addr & !ALIAS_MASK, BASE | STREAMED)
}

impl Memory for Ram {
    fn read(&mut self, addr: u32, out: &mut [u8]) -> Result<(), MemoryFault> {
        let range = self.range(addr, out.len())?;
        out.copy_from_slice(&self.bytes[range]);
        Ok(())
    }

    fn write(&mut self, addr: u32, data: &[u8]) -> Result<(), MemoryFault> {
        let range = self.range(addr, data.len())?;
        self.bytes[range].copy_from_slice(data);
        Ok(())
    }

    fn read_word(&mut self, addr: u32) -> Result<u32, MemoryFault> {
        let start = (addr & ALIAS_MASK) as usize;
        // A word that is aligned lies in one line.
        let is_there = is_alias(addr)
            && addr & 3 == 0
            && self.allocated.get(start / LINE_BYTES as usize) == Some(&true);
        let range = if is_there {
            start..start + 4
        } else {
            self.range(addr, 4)?
        };
        Ok(u32::from_le_bytes(
            self.bytes[range].try_into().expect("4 bytes"),
        ))
    }

    fn read_words(
        &mut self,
        addresses: &[u32; 16],
        words: &mut [u32; 16],
    ) -> Result<(), (u8, MemoryFault)> {
        if follow_each_other(addresses)
            && let Ok(range) = self.range(addresses[0], 64)
        {
            words_from(&self.bytes[range], words);
            return Ok(());
        }
        if let Some(buffer) = self.buffer_of(addresses) {
            let first = buffer.start as u32 | addresses[0] & !ALIAS_MASK;
            let held = self.bytes[buffer].as_chunks().0;
            for (word, addr) in words.iter_mut().zip(addresses) {
                let bytes = held.get(addr.wrapping_sub(first) as usize / 4);
                *word = bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes));
            }
            return Ok(());
        }
        // In several, or one is in none: which, and why.
        for (lane, (word, addr)) in words.iter_mut().zip(addresses).enumerate() {
            *word = self.read_word(*addr).map_err(|fault| (lane as u8, fault))?;
        }
        Ok(())
    }

    fn is_there(&self, addr: u32, bytes: u32) -> bool {
        self.range(addr, bytes as usize).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_buffers_are_there() {
        let mut ram = Ram::new(4096);
        let first = ram.alloc(100, 4).unwrap();
        let second = ram.alloc(64, 256).unwrap();
        assert_eq!(second % 256, 0);
        assert!(ram.write(first, &[1; 128]).is_ok());
        assert_eq!(ram.write(first, &[1; 129]).unwrap_err().addr, first + 128);
        assert!(ram.read_word(second).is_ok());
        assert!(ram.read_word(second & ALIAS_MASK | STREAMED).is_ok());
        assert!(ram.read_word(second & ALIAS_MASK).is_err());
        assert!(ram.read_word(second | 0xc000_0000).is_err());
        assert_eq!(ram.alloc(8192, 64), None);
        ram.release_all();
        assert!(ram.read_word(first).is_err());
    }

    #[test]
    fn all_of_it_can_be_one_buffer() {
        assert!(Ram::new(4096).alloc(4096, 64).is_some());
    }
}
