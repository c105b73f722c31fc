//! The meter of a frame clock: DMA's place against the system timer.
//!
//! Both come from clocks of their own, so a rate has an uncertainty: the words by which DMA's place
//! may be off, and the time that it takes to read it, over the time that was measured. The system
//! timer counts the board's crystal, whose own error the meter cannot see.

use wire::Rate;

use super::port::{JITTER_WORDS, Place};

/// A rate that was measured.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::instrument) struct Measured {
    pub rate: Rate,
    /// The true rate is not further away than this, by the board's crystal.
    pub within_hz: f64,
}

impl Measured {
    /// A rate that needs no measurement.
    pub(in crate::instrument) const fn exact(rate: Rate) -> Self {
        Self {
            rate,
            within_hz: 0.0,
        }
    }

    /// Reports if another rate is as far away as `percent` of it, and certainly not the same.
    pub(in crate::instrument) fn differs(&self, from: &Self, percent: f64) -> bool {
        let away = (self.rate.to_hz() - from.rate.to_hz()).abs();
        away > from.rate.to_hz() * percent / 100.0 + self.within_hz + from.within_hz
    }
}

/// A moment of the ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Mark {
    written: u64,
    place: Place,
}

/// Counts frames over time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Meter {
    frame_bytes: u32,
    first: Option<Mark>,
    last: Option<Mark>,
    /// The place and the time when the ring last grew.
    grown: Option<Mark>,
}

impl Meter {
    pub(super) const fn new(frame_bytes: u32) -> Self {
        Self {
            frame_bytes,
            first: None,
            last: None,
            grown: None,
        }
    }

    /// Takes in bytes that have been written since the start.
    pub(super) fn note(&mut self, written: u64, place: Place) {
        let mark = Mark { written, place };
        // The first words come when the FIFO has filled for the first time.
        if written == 0 {
            self.grown = self.grown.or(Some(mark));
            return;
        }
        self.first = self.first.or(Some(mark));
        // A clock that has stopped is no slow one.
        if self.last.is_none_or(|last| last.written < written) {
            self.last = Some(mark);
        }
        if self.grown.is_none_or(|grown| grown.written < written) {
            self.grown = Some(mark);
        }
    }

    /// Microseconds since the ring last grew.
    pub(super) fn idle_us(&self, now_us: u64) -> u64 {
        self.grown
            .map_or(0, |grown| now_us.saturating_sub(grown.place.at_us))
    }

    /// When the ring last grew.
    pub(super) fn grown_us(&self) -> Option<u64> {
        self.grown.map(|grown| grown.place.at_us)
    }

    /// The mean rate since the first words came.
    pub(super) fn measured(&self) -> Option<Measured> {
        let (first, last) = (self.first?, self.last?);
        let us = last.place.at_us.checked_sub(first.place.at_us)?;
        let bytes = last.written - first.written;
        let rate = Rate::new(bytes * 1_000_000, us * u64::from(self.frame_bytes))?;
        let frames = f64::from(2 * 4 * JITTER_WORDS) / f64::from(self.frame_bytes);
        let within_us = f64::from(first.place.within_us + last.place.within_us);
        let seconds = us as f64 / 1e6;
        Some(Measured {
            rate,
            within_hz: (frames + rate.to_hz() * within_us / 1e6) / seconds,
        })
    }

    /// Begins anew with the next words.
    pub(super) const fn begin_again(&mut self) {
        self.first = None;
        self.last = None;
    }

    /// Begins anew at the last moment.
    pub(super) const fn restart(&mut self) {
        self.first = self.last;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(at_us: u64) -> Place {
        Place {
            bytes: 0,
            at_us,
            within_us: 2,
            is_overrun: false,
        }
    }

    #[test]
    fn the_true_rate_lies_within_what_is_stated_and_closer_with_time() {
        for true_hz in [8000u64, 47_998, 50_000, 383_999] {
            let mut meter = Meter::new(8);
            let mut widths = vec![];
            for at_us in (0..2_000_000).step_by(10_000) {
                // DMA's place lags by up to a request, and is read late.
                let jitter = at_us / 10_000 % 5 * 8;
                let written = (true_hz * 8 * at_us / 1_000_000 / 8 * 8).saturating_sub(jitter);
                meter.note(written, place(at_us + at_us / 10_000 % 3));
                if let Some(measured) = meter.measured() {
                    let off = (measured.rate.to_hz() - true_hz as f64).abs();
                    assert!(
                        off <= measured.within_hz,
                        "{true_hz} at {at_us}: {measured:?}"
                    );
                    widths.push(measured.within_hz);
                }
            }
            assert!(widths[20] > widths[180] * 7.0);
        }
    }

    #[test]
    fn two_percent_differ_and_what_may_be_the_same_does_not() {
        let measured = |hz, within_hz| Measured {
            rate: Rate::hz(hz),
            within_hz,
        };
        let wanted = measured(50_000, 0.0);
        assert!(measured(49_000, 100.0).differs(&wanted, 1.0));
        assert!(!measured(49_000, 600.0).differs(&wanted, 1.0));
        assert!(!measured(49_000, 0.0).differs(&measured(50_000, 600.0), 1.0));
        assert!(!measured(50_400, 0.0).differs(&wanted, 1.0));
    }

    #[test]
    fn a_clock_that_stops_is_idle() {
        let mut meter = Meter::new(4);
        meter.note(0, place(5));
        assert_eq!(meter.idle_us(1005), 1000);
        meter.note(64, place(10));
        meter.note(64, place(30));
        assert_eq!(meter.idle_us(40), 30);
    }
}
