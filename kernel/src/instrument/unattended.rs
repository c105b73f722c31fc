//! Live streams that nobody asked for: they are tried again when their input has failed.
//!
//! A stream that `start=1` began has nobody who could start it again. So the board does, after 1,
//! 2, 4 and so on up to 60 s. The count of lost samples goes on: the time between is lost at the
//! rate that was known.

use wire::{Counters, Rate};

use super::board::SECOND_US;

const FIRST_PAUSE_US: u64 = SECOND_US;
const LONGEST_PAUSE_US: u64 = 60 * SECOND_US;
/// A stream that was there for so long begins with the first pause again.
const SOUND_US: u64 = 60 * SECOND_US;

/// The counts of a stream that ended, and since when it has no samples.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    pub counters: Counters,
    pub rate: Rate,
    pub since_us: u64,
}

impl Before {
    /// The losses by now, where others are all new.
    fn losses(&self, now_us: u64) -> Counters {
        let us = now_us.saturating_sub(self.since_us);
        let lost = (self.rate.to_hz() * us as f64 / 1e6) as u64;
        let Counters {
            overruns,
            left_out,
            clipped,
            dropped,
            ..
        } = self.counters;
        Counters {
            overruns: overruns.saturating_add(lost),
            left_out,
            clipped,
            dropped,
            ..Counters::default()
        }
    }
}

/// A stream that is begun again.
#[derive(Debug, Default)]
pub(super) struct Unattended {
    /// When it is tried again.
    next_us: Option<u64>,
    pause_us: u64,
    /// When it last began.
    begun_us: u64,
    before: Option<Before>,
}

impl Unattended {
    /// Reports if a stream is to be tried again.
    pub(super) const fn waits(&self) -> bool {
        self.next_us.is_some()
    }

    /// When there will be something to do.
    pub(super) fn next_event_us(&self) -> u64 {
        self.next_us.unwrap_or(u64::MAX)
    }

    /// Takes note of a failure; returns the seconds until the next try.
    pub(super) fn fail(&mut self, now_us: u64, before: Option<Before>) -> u64 {
        let was_sound = before.is_some() && now_us >= self.begun_us + SOUND_US;
        self.pause_us = match self.pause_us {
            0 => FIRST_PAUSE_US,
            _ if was_sound => FIRST_PAUSE_US,
            pause_us => (2 * pause_us).min(LONGEST_PAUSE_US),
        };
        self.next_us = Some(now_us + self.pause_us);
        self.before = before.or(self.before);
        self.pause_us / SECOND_US
    }

    /// Takes note that it is tried now.
    pub(super) const fn begin_try(&mut self) {
        self.next_us = None;
    }

    /// Takes note that it runs; returns the losses before.
    pub(super) fn begin(&mut self, now_us: u64) -> Option<Counters> {
        self.begun_us = now_us;
        let before = self.before.take()?;
        Some(before.losses(now_us))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_minute_and_begin_anew_after_a_sound_stream() {
        let mut unattended = Unattended::default();
        let pauses = [(); 9].map(|()| unattended.fail(0, None));
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
        let before = Before {
            counters: Counters::default(),
            rate: Rate::hz(50_000),
            since_us: 0,
        };
        unattended.begin(1000);
        assert_eq!(unattended.fail(5_000_000, Some(before)), 60);
        unattended.begin(5_000_000);
        assert_eq!(unattended.fail(65_000_000, Some(before)), 1);
    }

    #[test]
    fn the_time_between_is_lost_at_the_known_rate() {
        let before = Before {
            counters: Counters {
                overruns: u64::from(u32::MAX),
                left_out: 5,
                qpu_us: 7,
                ..Counters::default()
            },
            rate: Rate::hz(20_000_000),
            since_us: 1_000_000,
        };
        let losses = before.losses(3_000_000);
        assert_eq!(losses.overruns, u64::from(u32::MAX) + 40_000_000);
        assert_eq!((losses.left_out, losses.qpu_us), (5, 0));
    }
}
