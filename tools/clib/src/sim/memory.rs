//! A caller's memory at bus addresses, read and written in place.

use std::ptr;

use v3d_sim::{Memory, MemoryFault};

/// The bits of a bus address below the alias.
pub const ALIAS_MASK: u32 = 0x3fff_ffff;

/// A region that has been checked.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Its first address, below the alias.
    pub start: u32,
    /// Its bytes: at least 1, and `start + bytes` is at most 1 GiB.
    pub bytes: u32,
    /// Its first byte.
    pub data: *mut u8,
    /// True if programs may store to it.
    pub writable: bool,
}

impl Part {
    fn end(&self) -> u32 {
        self.start + self.bytes
    }
}

/// All regions, in the order of their addresses.
pub struct CallerMemory {
    parts: Vec<Part>,
    /// The part of the last access; the next is mostly in the same.
    last: usize,
}

impl CallerMemory {
    /// Memory that consists of `parts`. Gives two of them, by their places in the list, that share
    /// bus addresses or host memory, if any do.
    ///
    /// # Safety
    /// For as long as the memory lives, `data` of each part must be valid for reads of `bytes`
    /// bytes, for writes if it is writable, and nothing else may write them, nor read what is
    /// written.
    pub unsafe fn new(parts: Vec<Part>) -> Result<Self, (usize, usize)> {
        let overlap = |key: fn(&Part) -> (usize, usize)| {
            let mut order: Vec<usize> = (0..parts.len()).collect();
            order.sort_by_key(|index| key(&parts[*index]).0);
            let pairs = order.windows(2);
            pairs
                .filter(|pair| {
                    let (start, bytes) = key(&parts[pair[0]]);
                    start + bytes > key(&parts[pair[1]]).0
                })
                .map(|pair| (pair[0].min(pair[1]), pair[0].max(pair[1])))
                .next()
        };
        if let Some(pair) = overlap(|part| (part.start as usize, part.bytes as usize))
            .or_else(|| overlap(|part| (part.data as usize, part.bytes as usize)))
        {
            return Err(pair);
        }
        let mut parts = parts;
        parts.sort_by_key(|part| part.start);
        Ok(Self { parts, last: 0 })
    }

    /// The part with the byte at `at`, an address below the alias.
    fn find(&mut self, at: u32) -> Option<Part> {
        let holds = |part: &Part| (part.start..part.end()).contains(&at);
        if let Some(part) = self.parts.get(self.last).filter(|part| holds(part)) {
            return Some(*part);
        }
        let after = self.parts.partition_point(|part| part.start <= at);
        let index = after.checked_sub(1)?;
        let part = self.parts.get(index).filter(|part| holds(part))?;
        self.last = index;
        Some(*part)
    }

    /// Calls `each` with a pointer to every run of bytes in one part, how many it may touch, and
    /// their place in the whole.
    fn for_each_run(
        &mut self,
        addr: u32,
        bytes: usize,
        store: bool,
        mut each: impl FnMut(*mut u8, usize, usize),
    ) -> Result<(), MemoryFault> {
        let mut done = 0;
        while done < bytes {
            let at = addr.wrapping_add(done as u32);
            let below = at & ALIAS_MASK;
            let part = self.find(below).ok_or(MemoryFault::absent(at))?;
            if store && !part.writable {
                return Err(MemoryFault {
                    addr: at,
                    reason: "this memory is read-only".into(),
                });
            }
            let count = ((part.end() - below) as usize).min(bytes - done);
            let offset = (below - part.start) as usize;
            each(part.data.wrapping_add(offset), count, done);
            done += count;
        }
        Ok(())
    }
}

impl Memory for CallerMemory {
    fn read(&mut self, addr: u32, out: &mut [u8]) -> Result<(), MemoryFault> {
        self.for_each_run(addr, out.len(), false, |data, count, done| {
            let to = out[done..done + count].as_mut_ptr();
            // SAFETY: `data` points to `count` bytes inside a part, which the caller of `new`
            // promised to be readable; `to` is a slice of that length of the simulator's own.
            // Should they overlap all the same, `copy` allows it.
            unsafe { ptr::copy(data, to, count) }
        })
    }

    fn write(&mut self, addr: u32, bytes: &[u8]) -> Result<(), MemoryFault> {
        self.for_each_run(addr, bytes.len(), true, |data, count, done| {
            let from = bytes[done..done + count].as_ptr();
            // SAFETY: `data` points to `count` bytes inside a writable part, which the caller of
            // `new` promised to be; `from` is a slice of that length. Should they overlap, `copy`
            // allows it.
            unsafe { ptr::copy(from, data, count) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(start: u32, data: &mut [u8]) -> Part {
        Part {
            start,
            bytes: data.len() as u32,
            data: data.as_mut_ptr(),
            writable: true,
        }
    }

    #[test]
    fn an_access_may_cross_from_one_part_to_the_next() {
        let (mut low, mut high) = (vec![1; 16], vec![2; 16]);
        let parts = vec![part(0x1010, &mut high), part(0x1000, &mut low)];
        // SAFETY: both vectors outlive the memory, and nobody touches them meanwhile.
        let mut memory = unsafe { CallerMemory::new(parts) }.expect("no overlap");
        let mut out = [0; 4];
        assert_eq!(memory.read(0x4000_100e, &mut out), Ok(()));
        assert_eq!(out, [1, 1, 2, 2]);
        assert_eq!(memory.write(0xc000_100f, &[7, 8]), Ok(()));
        assert_eq!(memory.read(0x1020, &mut out).unwrap_err().addr, 0x1020);
        assert_eq!(memory.read(0x101e, &mut out).unwrap_err().addr, 0x1020);
        assert_eq!(memory.read(0x0ffe, &mut out).unwrap_err().addr, 0x0ffe);
        assert_eq!((low[15], high[0]), (7, 8));
    }

    #[test]
    fn parts_that_share_addresses_or_bytes_are_found() {
        let mut data = [0; 32];
        let (one, two) = (part(0x1000, &mut data[..16]), part(0x100c, &mut data[16..]));
        // SAFETY: neither memory is used.
        let overlapping = unsafe { CallerMemory::new(vec![two, one]) };
        assert_eq!(overlapping.err(), Some((0, 1)));
        let two = part(0x2000, &mut data[8..]);
        // SAFETY: as above.
        let overlapping = unsafe { CallerMemory::new(vec![one, two]) };
        assert_eq!(overlapping.err(), Some((0, 1)));
    }
}
