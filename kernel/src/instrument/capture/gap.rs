//! Gaps: places of the ring before which samples are missing.
//!
//! A look that finds samples missing does not know where: somewhere behind the look before, and
//! before what FIFO and DMA still hold. No block may have samples from both sides.

use super::Capture;
use super::account::Account;
use super::port::Place;
use super::ring::Gap;

impl Capture {
    /// Brings the account up to a look.
    pub(super) fn settle(&mut self, place: Place, held_words: u32) {
        let frames = self.ring.received() / u64::from(self.wiring.frame_bytes());
        let missing = match &mut self.account {
            // The first words come when the FIFO has filled for the first time.
            Some(account) if frames > 0 => account.note(frames, place),
            _ => 0,
        };
        if missing > 0 {
            self.uncounted += missing;
            self.widen_gap(held_words);
        } else if self.gap.is_none() && !place.is_overrun {
            self.whole = self.ring.frames();
        }
    }

    /// Lets the gap reach from what was whole to what is yet to come.
    pub(super) fn widen_gap(&mut self, held_words: u32) {
        let end = self.ring.beyond(held_words);
        let start = self.gap.map_or(self.whole, |gap| gap.start);
        self.gap = Some(Gap { start, end });
    }

    /// Index behind the last sample that blocks may have now: those up to the gap, if there is one.
    pub(in crate::instrument) fn whole_end(&self) -> u64 {
        self.gap.map_or(self.ring.frames(), |gap| gap.start)
    }

    /// The gap that is to be passed over.
    pub(in crate::instrument) const fn gap(&self) -> Option<Gap> {
        self.gap
    }

    /// Goes on behind the gap. `left_out`: samples that came and are in no block because of it.
    pub(in crate::instrument) fn pass_gap(&mut self, left_out: u64) {
        self.forget_gap();
        self.left_out += left_out;
    }

    /// Takes the gap for passed over.
    pub(super) fn forget_gap(&mut self) {
        let end = self.gap.take().map_or(0, |gap| gap.end);
        self.whole = self.ring.frames().max(end);
    }

    /// The number of samples by which the stream is ahead of the ring's index: those that were
    /// lost, less those that DMA has passed over.
    pub(in crate::instrument) fn ahead(&self) -> i64 {
        let lost = self.account.as_ref().map_or(0, Account::lost);
        lost as i64 - self.ring.frames_passed() as i64
    }

    /// Takes the number of samples that were lost since the last call.
    pub(in crate::instrument) const fn take_lost(&mut self) -> u64 {
        core::mem::replace(&mut self.uncounted, 0)
    }
}
