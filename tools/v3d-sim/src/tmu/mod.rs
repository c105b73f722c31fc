//! TMU lookups: sixteen addresses or coordinates in, sixteen words out.
//!
//! Each QPU has a request and a result FIFO for each of the two TMUs of its slice. Memory is read
//! when the request is written; results wait in order for `ldtmu`. Source: guide, "Texture and
//! memory lookup unit"; depths also vc4asm and Broadcom's compiler.

pub mod stale;
pub mod texture;

use crate::alu::Lanes;
use crate::event::{Access, FaultKind};
use crate::memory::Memory;
use crate::report::At;
use texture::Pending;

/// Requests that the FIFO holds; one more stalls its write.
pub const DEPTH: usize = 8;

/// Requests whose results are safe: the result FIFO is sized for them.
pub const SAFE_DEPTH: usize = 4;

/// The FIFOs of one QPU.
#[derive(Clone, Default, Debug)]
pub struct Tmus {
    results: [Fifo; 2],
    /// The words of the next texture lookup.
    pub pending: [Pending; 2],
    swap_disabled: bool,
}

/// A result that was not taken.
#[derive(Clone, Copy, Debug)]
struct Lookup {
    result: Lanes,
    at: At,
    /// Requests that it takes in the FIFO: one for each coordinate.
    words: usize,
}

/// Results in the order of their requests. No more than [`DEPTH`], for a write waits that finds so
/// many.
#[derive(Clone, Debug)]
struct Fifo {
    slots: [Lookup; DEPTH],
    first: usize,
    count: usize,
    /// Requests of all results.
    words: usize,
}

impl Default for Fifo {
    fn default() -> Self {
        let at = At {
            qpu: 0,
            pc: 0,
            word: None,
        };
        let none = Lookup {
            result: [0; 16],
            at,
            words: 0,
        };
        Self {
            slots: [none; DEPTH],
            first: 0,
            count: 0,
            words: 0,
        }
    }
}

impl Fifo {
    /// The slot behind the last result.
    #[inline]
    fn free(&mut self) -> &mut Lookup {
        debug_assert!(self.count < DEPTH, "the write waits");
        &mut self.slots[(self.first + self.count) % DEPTH]
    }

    /// The slot that was free is a result.
    #[inline]
    fn push(&mut self, at: At, words: usize) {
        let slot = self.free();
        (slot.at, slot.words) = (at, words);
        self.count += 1;
        self.words += words;
    }

    #[inline]
    fn oldest(&self) -> Option<&Lookup> {
        (self.count > 0).then(|| &self.slots[self.first % DEPTH])
    }

    /// The oldest is taken.
    #[inline]
    fn drop_oldest(&mut self) {
        self.words -= self.slots[self.first % DEPTH].words;
        self.first = (self.first + 1) % DEPTH;
        self.count -= 1;
    }
}

impl Tmus {
    /// Resets to the state at the start of a program: nothing outstanding, swap on. Returns the
    /// number of dropped results.
    pub fn reset(&mut self) -> usize {
        let dropped = self.results.iter().map(|fifo| fifo.count).sum();
        *self = Self::default();
        dropped
    }

    /// Write of `tmu_noswap`: a non-zero value stops swapping. Gives whether that changes anything.
    pub fn set_noswap(&mut self, value: u32) -> bool {
        let before = std::mem::replace(&mut self.swap_disabled, value != 0);
        before != self.swap_disabled
    }

    /// The TMU that serves an access to `addressed`: QPUs 2 and 3 of a slice use the other one.
    #[must_use]
    pub fn unit(&self, qpu: u8, addressed: u8) -> u8 {
        if qpu & 2 != 0 && !self.swap_disabled {
            addressed ^ 1
        } else {
            addressed
        }
    }

    /// Lookups on a TMU whose results have not been read.
    #[must_use]
    pub fn outstanding(&self, unit: u8) -> usize {
        self.results[usize::from(unit)].count
    }

    /// Looks up a word for each lane; the lowest two address bits are ignored.
    ///
    /// # Errors
    /// When a lane's word is not there.
    pub fn request(
        &mut self,
        unit: u8,
        addresses: &Lanes,
        at: At,
        memory: &mut impl Memory,
    ) -> Result<(), FaultKind> {
        let fifo = &mut self.results[usize::from(unit)];
        let aligned = addresses.map(|address| address & !3);
        memory
            .read_words(&aligned, &mut fifo.free().result)
            .map_err(|(lane, fault)| FaultKind::Memory(Access::Tmu(lane), fault))?;
        fifo.push(at, 1);
        Ok(())
    }

    /// A texture lookup: `texels` has for each lane an address or the border colour.
    ///
    /// # Errors
    /// When a lane's texel is not there.
    pub fn request_texels(
        &mut self,
        unit: u8,
        texels: &[Result<u32, u32>; 16],
        at: At,
        memory: &mut impl Memory,
    ) -> Result<(), FaultKind> {
        let pending = std::mem::take(&mut self.pending[usize::from(unit)]);
        let fifo = &mut self.results[usize::from(unit)];
        let result = &mut fifo.free().result;
        for (lane, (value, texel)) in result.iter_mut().zip(texels).enumerate() {
            *value = match texel {
                Ok(address) => memory
                    .read_word(*address)
                    .map_err(|fault| FaultKind::Memory(Access::Tmu(lane as u8), fault))?,
                Err(border) => *border,
            };
        }
        fifo.push(at, pending.words);
        Ok(())
    }

    /// Requests in the FIFO of a TMU whose results have not been read, and those to come with `s`.
    #[must_use]
    pub fn requests(&self, unit: u8) -> usize {
        let unit = usize::from(unit);
        self.results[unit].words + self.pending[unit].words
    }

    /// Puts the oldest result into `to`, and removes it. False when there is none.
    #[inline]
    pub fn pop(&mut self, unit: u8, to: &mut Lanes) -> bool {
        let fifo = &mut self.results[usize::from(unit)];
        let Some(lookup) = fifo.oldest() else {
            return false;
        };
        *to = lookup.result;
        fifo.drop_oldest();
        true
    }

    /// The lookup whose result is next.
    #[must_use]
    pub fn oldest(&self, unit: u8) -> Option<At> {
        self.results[usize::from(unit)]
            .oldest()
            .map(|lookup| lookup.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::SparseMemory;

    const AT: At = At {
        qpu: 0,
        pc: 0,
        word: None,
    };

    #[test]
    fn lanes_read_aligned_words_in_order_of_requests() {
        let mut memory = SparseMemory::new();
        memory.put(
            0,
            &(0..64u32).flat_map(u32::to_le_bytes).collect::<Vec<u8>>(),
        );
        let mut tmus = Tmus::default();
        tmus.request(
            0,
            &std::array::from_fn(|lane| 60 - 4 * lane as u32 + 3),
            AT,
            &mut memory,
        )
        .unwrap();
        tmus.request(0, &[8; 16], AT, &mut memory).unwrap();
        assert_eq!(tmus.outstanding(0), 2);
        let mut result = [0; 16];
        assert!(tmus.pop(0, &mut result));
        assert_eq!(result[..3], [15, 14, 13]);
        assert!(tmus.pop(0, &mut result));
        assert_eq!(result, [2; 16]);
        assert!(!tmus.pop(1, &mut result));
        let missing = tmus.request(
            1,
            &std::array::from_fn(|lane| if lane == 5 { 4096 } else { 0 }),
            AT,
            &mut memory,
        );
        assert!(matches!(missing, Err(FaultKind::Memory(Access::Tmu(5), _))));
    }

    #[test]
    fn qpus_2_and_3_of_a_slice_swap() {
        let mut tmus = Tmus::default();
        let units = |tmus: &Tmus| -> Vec<u8> { (0..8).map(|qpu| tmus.unit(qpu, 0)).collect() };
        assert_eq!(units(&tmus), [0, 0, 1, 1, 0, 0, 1, 1]);
        tmus.set_noswap(1);
        assert_eq!(units(&tmus), [0; 8]);
        tmus.set_noswap(0);
        assert_eq!(tmus.unit(10, 1), 0);
    }
}
