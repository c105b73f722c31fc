//! Snapshots: where samples come faster than blocks are done, the newest ones are taken when the
//! last are finished, and a record says its duty.
//!
//! Samples are left out between lots of blocks, before DMA can overtake any. So nothing is lost:
//! what is left out was not asked for. While blocks keep up with the samples, none is left out.

use super::Analyser;
use crate::dma_buf::LINE_BYTES;
use crate::engine::Fft;

/// The samples that records are made of, and those that came.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Newest {
    is_on: bool,
    /// Index behind the last sample of the blocks so far.
    reached: u64,
    /// Its value at the end of the record before.
    before: u64,
    /// Samples of this record, each once.
    taken: u64,
}

impl Newest {
    /// Begins at sample 0.
    pub(super) fn begin(is_on: bool) -> Self {
        Self {
            is_on,
            ..Self::default()
        }
    }

    /// Takes note of blocks that are done, from their first sample to before `end`.
    pub(super) fn take(&mut self, first: u64, end: u64) {
        self.taken += end.saturating_sub(self.reached.max(first));
        self.reached = self.reached.max(end);
    }

    /// Begins a record.
    pub(super) const fn begin_record(&mut self) {
        self.before = self.reached;
        self.taken = 0;
    }

    /// The share of the samples since the record before that this one has, in parts per million.
    pub(super) fn duty_ppm(&self) -> Option<u32> {
        let came = self.reached - self.before;
        let share = self.taken as f64 / came.max(1) as f64;
        self.is_on.then_some(libm::round(share * 1e6) as u32)
    }
}

impl<Q: Fft> Analyser<'_, Q> {
    /// Reports if more samples have come than the next two lots need.
    pub(super) fn is_behind(&self) -> bool {
        self.newest.is_on && self.waiting() >= 2 * self.needed()
    }

    /// Leaves out samples if it is behind and no blocks are under way: the next ones are the newest
    /// that are enough for a lot. Returns the index behind what will be in no record, less the
    /// samples that the record under way already has.
    pub(in crate::instrument) fn go_to_newest(&mut self) -> Option<u64> {
        let end = self.ring_end?;
        if self.lots() > 0 || !self.is_behind() {
            return None;
        }
        // Blocks that begin a line are read where they lie.
        let samples_in_line = (LINE_BYTES / self.shape.coding.bytes()).max(1) as u64;
        let newest = end - self.needed() as u64;
        let newest = newest - newest % samples_in_line;
        self.go_to(newest);
        self.note_ring(end);
        Some(newest.saturating_sub(self.newest.taken))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_duty_is_what_was_taken_of_what_came() {
        let mut newest = Newest::begin(true);
        newest.take(0, 1000);
        newest.take(500, 1500);
        assert_eq!(newest.duty_ppm(), Some(1_000_000));
        newest.begin_record();
        // 250 of 1000 samples, in two lots that share some.
        newest.take(2100, 2200);
        newest.take(2150, 2200);
        newest.take(2350, 2500);
        assert_eq!(newest.duty_ppm(), Some(250_000));
        newest.begin_record();
        // The first block shares samples with the record before.
        newest.take(2450, 2550);
        assert_eq!(newest.duty_ppm(), Some(1_000_000));
        let mut all = Newest::begin(false);
        all.take(0, 10);
        assert_eq!(all.duty_ppm(), None);
    }
}
