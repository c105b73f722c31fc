//! The account of samples: those that the clock has called for, against those in memory.
//!
//! A sample that found the FIFO full left no trace, so it is found by counting. The samples that
//! are missing by a look, the *deficit*, follow a line: where the line begins is how much the FIFO
//! holds, and its slope is the error of the clock. A loss lifts the deficit above the line for
//! good.
//!
//! One look does not know the deficit, only bounds of it: the FIFO holds from none to all of its
//! words, and the moment of DMA's place is known to a microsecond or two. So the account keeps the
//! highest line that all looks so far allow. What lies above it is lost for certain, and counted.
//! The count is not too great, and it lags by no more than the two bounds are apart. While samples
//! are lost the slope is not learned, so what is not known of it adds to that lag.
//!
//! Where the board gives the clock, it comes from the crystal of the system timer, and only the
//! fraction of a PLL makes it differ. So the line is straight for ever, and its slope is at most
//! [`BOARD_SLOPE`]. The slope is found in time: the longer the line, the less a change of a few
//! samples turns it. An ADC's own crystal drifts, so there the line is that of the last seconds.

use wire::Rate;

use super::port::Place;

/// The greatest slope where the board gives the clock. PLLD is a multiple of 19.2 MHz with a
/// fraction of 20 bits, which makes it some 0.01 ppm wrong; ten times that.
const BOARD_SLOPE: f64 = 0.1e-6;
/// The change of an ADC's clock in the seconds of its line: 1 ppm in a second, as of a crystal that
/// warms up.
const DRIFT: f64 = 1e-6 * MARKS as f64;
/// The time of which the best bounds are kept, to find slopes.
const MARK_US: u64 = 1_000_000;
/// Such bounds of an ADC's line.
const MARKS: usize = 8;
/// The lowest upper bound of a time is at most so far from the deficit: a microsecond by which the
/// timer is read late, and a part of what the FIFO holds. Its least level is about the same in all
/// times, and far from that of a full one.
const MARK_LATE_US: f64 = 1.0;
const MARK_HELD: f64 = 1.0 / 8.0;

/// The clock that calls for samples.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Pace {
    /// The board's own.
    Board,
    /// The ADC's, whose rate is known to `within` of itself.
    Adc { within: f64 },
}

/// A bound of the deficit at a moment.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Bound {
    at_us: u64,
    samples: f64,
}

/// The best bounds of a time.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Mark {
    begun_us: u64,
    /// The lowest upper bound.
    above: Bound,
    /// The highest lower bound.
    below: Bound,
}

/// Samples that were lost, by the deficits of all looks so far.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Account {
    pace: Pace,
    /// Samples in a microsecond.
    rate: f64,
    /// Samples that the FIFO and DMA may hold.
    held: f64,
    /// The highest line begins here.
    ceiling: Option<Bound>,
    /// Its slope, in samples a microsecond.
    slope: f64,
    /// The greatest slope that the clock may have.
    steepest: f64,
    /// The bounds of the time under way.
    best: Option<Mark>,
    /// Those of times before, from which slopes are taken, the oldest first. Where the board gives
    /// the clock it is only the first: in later ones may be losses that are not counted yet.
    marks: heapless::Deque<Mark, MARKS>,
    /// Samples that are lost for certain.
    lost: u64,
}

impl Account {
    /// An account that begins with the next look. `held`: samples that FIFO and DMA may hold.
    pub(super) fn new(pace: Pace, rate: Rate, held: u32) -> Self {
        let rate = rate.to_hz() / 1e6;
        let part = match pace {
            Pace::Board => BOARD_SLOPE,
            Pace::Adc { within } => within,
        };
        Self {
            pace,
            rate,
            held: held.into(),
            ceiling: None,
            slope: part * rate,
            steepest: part * rate,
            best: None,
            marks: heapless::Deque::new(),
            lost: 0,
        }
    }

    /// Takes in that `received` samples were in memory at `place`; returns how many more are lost
    /// than were known.
    pub(super) fn note(&mut self, received: u64, place: Place) -> u64 {
        // The timer counted to `at_us` after the look.
        let at_us = place.at_us + 1;
        let highest = at_us as f64 * self.rate - (received + self.lost) as f64;
        let lowest = highest - f64::from(place.within_us) * self.rate - self.held;
        let line = self.line_at(at_us).unwrap_or(highest);
        let missing = (lowest - line).max(0.0) as u64;
        if missing > 0 {
            self.lost += missing;
            self.best = None;
            if self.pace != Pace::Board {
                self.marks.clear();
            }
        }
        let bound = Bound {
            at_us,
            samples: highest - missing as f64,
        };
        if self.ceiling.is_none() || bound.samples < line {
            self.ceiling = Some(bound);
            self.level(bound);
        }
        let samples = lowest - missing as f64;
        self.mark(bound, Bound { at_us, samples });
        missing
    }

    /// All samples that are lost for certain.
    pub(super) const fn lost(&self) -> u64 {
        self.lost
    }

    /// The highest line at a moment.
    fn line_at(&self, at_us: u64) -> Option<f64> {
        let Bound {
            at_us: from,
            samples,
        } = self.ceiling?;
        Some(samples + at_us.saturating_sub(from) as f64 * self.slope)
    }

    /// Lowers the slope where the line from the first mark to this bound is less steep.
    fn level(&mut self, bound: Bound) {
        let Some(Mark { above, below, .. }) = self.marks.front() else {
            return;
        };
        // A short line says nothing.
        if bound.at_us < above.at_us.max(below.at_us) + MARK_US {
            return;
        }
        let slope_from = |from: &Bound, margin: f64| {
            (bound.samples - from.samples + margin) / (bound.at_us - from.at_us) as f64
        };
        let margin = MARK_LATE_US * self.rate + MARK_HELD * self.held;
        let slope = slope_from(above, margin).min(slope_from(below, 0.0));
        self.slope = match self.pace {
            Pace::Board => self.slope.min(slope),
            Pace::Adc { .. } => self.steepest.min(slope + DRIFT * self.rate),
        };
    }

    /// Keeps the best bounds of each time.
    fn mark(&mut self, above: Bound, below: Bound) {
        let begins = Mark {
            begun_us: above.at_us,
            above,
            below,
        };
        let Some(best) = &mut self.best else {
            self.best = Some(begins);
            return;
        };
        if above.at_us < best.begun_us + MARK_US {
            if below.samples > best.below.samples {
                best.below = below;
            }
            if above.samples < best.above.samples {
                best.above = above;
            }
            return;
        }
        let ended = core::mem::replace(best, begins);
        if self.pace == Pace::Board && !self.marks.is_empty() {
            return;
        }
        if self.marks.is_full() {
            self.marks.pop_front();
        }
        let _ = self.marks.push_back(ended);
        // The line goes through the last seconds, whatever it was before.
        if self.pace != Pace::Board {
            self.ceiling = Some(ended.above);
            self.level(ended.above);
        }
    }
}
