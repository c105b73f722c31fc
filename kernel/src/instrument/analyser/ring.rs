//! Samples in the ring of a capture: the QPUs read them where they lie.
//!
//! A lot of blocks that begins a line is lent to the QPUs and nothing is copied. The history then
//! holds only what the ARM has to look at: a block that is checked, a lot that the QPUs have failed
//! to do or do not do at all, or one that begins inside a line.
//!
//! DMA goes on meanwhile. A lot that it has overtaken when the lot is finished is thrown away as a
//! whole, also where it was read in time.

use super::newest::Newest;
use super::{Analyser, Buffers, go_on};
use crate::dma_buf::LINE_BYTES;
use crate::engine::{Fft, Spectra};
use crate::instrument::board::Board;
use crate::instrument::capture::{Capture, Port};
use crate::instrument::settings::Mode;
use ::qpu::job::Buffer;

/// Samples that are looked at between two questions to the QPUs.
const LOOK: usize = 1024;

impl<Q: Fft> Analyser<'_, Q> {
    /// Begins anew with the samples of a ring, at sample 0.
    pub(in crate::instrument) fn read_ring(&mut self, mode: Mode) {
        self.ring_end = Some(0);
        self.newest = Newest::begin(mode == Mode::Snapshot);
        self.choose_lots();
    }

    /// Index of the first sample that is still needed.
    pub(in crate::instrument) const fn first_needed(&self) -> u64 {
        self.position
    }

    /// Takes note of the samples in the ring: all before index `end` are there.
    pub(in crate::instrument) fn note_ring(&mut self, end: u64) {
        self.ring_end = Some(end);
    }

    /// The greatest number of blocks, `most` at the most, behind which the next one begins a line;
    /// `most` where there is none.
    pub(super) fn aligned_lot(&self, most: u32) -> u32 {
        let hop_bytes = self.shape.hop() * self.shape.coding.bytes();
        // Lines have a power of two of bytes.
        let step = (LINE_BYTES as u32) >> hop_bytes.trailing_zeros().min(LINE_BYTES.ilog2());
        match most / step * step {
            0 => most,
            aligned => aligned,
        }
    }

    /// Lends the samples of the next blocks to the QPUs.
    pub(super) fn lend(
        &self,
        spectra: &Spectra,
        capture: &mut Capture,
        board: &mut impl Board,
    ) -> Option<Buffer> {
        if self.ring_end.is_none() || !spectra.is_in_words() {
            return None;
        }
        if !capture.still_has(board.port(), self.next_block()) {
            return None;
        }
        let memory = board.port().memory();
        capture
            .ring
            .lend(memory, self.next_block(), spectra.samples() as u64)
    }

    /// Has samples of a ring in the history, from index `first` on; those of other sources are
    /// there.
    pub(super) fn bring(
        &mut self,
        first: u64,
        count: usize,
        capture: &mut Capture,
        board: &mut impl Board,
    ) {
        if self.ring_end.is_none() {
            return;
        }
        // Otherwise they are thrown away when they are finished.
        let is_there = capture.still_has(board.port(), first);
        let Buffers { history, .. } = &mut self.buffers;
        let held = self.history_first..self.history_first + history.len() as u64;
        let mut next = first;
        if held.contains(&first) {
            history.discard((first - held.start) as usize);
            next = held.end;
        } else {
            history.begin(self.shape.coding);
        }
        self.history_first = first;
        let missing = (first + count as u64).saturating_sub(next);
        if !is_there {
            let bytes = self.shape.coding.bytes();
            for _ in 0..missing {
                history.extend(&[0; 16][..bytes]);
            }
            return;
        }
        capture
            .ring
            .read(board.port().memory(), next, missing, |words, range| {
                let mut bytes = [0; 256];
                for (word, bytes) in words.iter().zip(bytes.as_chunks_mut().0) {
                    *bytes = word.to_le_bytes();
                }
                history.extend(&bytes[range]);
            });
    }

    /// Reports if the first blocks under way are as they were: if their samples lie in a ring, DMA
    /// has not overtaken them until now.
    pub(super) fn still_has_first(&self, capture: &mut Capture, board: &mut impl Board) -> bool {
        self.ring_end.is_none() || capture.still_has(board.port(), self.position)
    }

    /// Counts the clipped samples of the next blocks that no blocks before them had, as far as the
    /// ARM looks at them ([`Capture::glance`]).
    pub(super) fn count_clipped(
        &mut self,
        spectra: &Spectra,
        capture: &mut Capture,
        board: &mut impl Board,
    ) -> u32 {
        if self.ring_end.is_none() || !capture.still_has(board.port(), self.next_block()) {
            return 0;
        }
        let (coding, next) = (self.shape.coding, self.next_block());
        let known = if next == self.origin {
            0
        } else {
            self.shape.overlap
        };
        let end = next + spectra.samples() as u64;
        let mut clipped = 0;
        for first in (next + known as u64..end).step_by(LOOK) {
            let count = (end - first).min(LOOK as u64);
            capture.glance(board.port(), first, count, |words, bytes| {
                clipped += coding.count_clipped(words, bytes);
            });
            go_on(&mut self.qpu);
        }
        clipped
    }
}
