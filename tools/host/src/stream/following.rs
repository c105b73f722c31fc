//! A record beside the one before: its own counts, and a time of its own.
//!
//! On the wire counts run over a stream, and records that a board finishes together may have one
//! time. Here a record gets what was counted since the record before it that has come. Those
//! between that were lost on the line are part of that. The first of a stream counts from its
//! start. One whose stream began before anybody listened has no such counts.

use crate::spectrum::{Spectrum, StreamTotals};

/// The last record that has come.
#[derive(Clone, Copy)]
struct Predecessor {
    stream: u16,
    record: u32,
    first_sample: u64,
    totals: StreamTotals,
    /// Its time as the board said it.
    said_us: u64,
    /// Its time as it was handed on.
    device_us: u64,
}

/// The records of a line, one after the other.
#[derive(Default)]
pub(super) struct Following {
    last: Option<Predecessor>,
}

impl Following {
    /// Gives a record its own counts, and a time after that of the one before.
    pub(super) fn take(&mut self, spectrum: &mut Spectrum) {
        let said_us = spectrum.device_us;
        // The board's clock goes back when it starts, and where another recording follows.
        let last = self.last.filter(|last| said_us >= last.said_us);
        if let Some(last) = last {
            spectrum.device_us = said_us.max(last.device_us.saturating_add(1));
        }
        let before = match spectrum.record {
            0 => Some(StreamTotals::default()),
            record => last
                .filter(|last| {
                    last.stream == spectrum.stream
                        && last.record < record
                        && last.first_sample <= spectrum.first_sample
                })
                .map(|last| last.totals),
        };
        let now = spectrum.totals;
        // A count of 32 bits stays at its end.
        let narrow = |now: u32, before: u32| match now {
            u32::MAX => None,
            now => now.checked_sub(before).map(u64::from),
        };
        let counters = &mut spectrum.counters;
        if let Some(before) = before {
            counters.overruns = now.overruns.checked_sub(before.overruns);
            counters.left_out = now.left_out.checked_sub(before.left_out);
            counters.clipped = narrow(now.clipped, before.clipped);
            counters.dropped_records = narrow(now.dropped_records, before.dropped_records);
        }
        self.last = Some(Predecessor {
            stream: spectrum.stream,
            record: spectrum.record,
            first_sample: spectrum.first_sample,
            totals: now,
            said_us,
            device_us: spectrum.device_us,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::example;
    use crate::spectrum::Counters;

    /// Record numbers with the stream's overruns and clipped samples so far, as the line says them.
    fn follow(records: &[(u32, u64, u64, u32)]) -> Vec<Spectrum> {
        let mut following = Following::default();
        let take = |&(record, device_us, overruns, clipped): &(u32, u64, u64, u32)| {
            let mut spectrum = example(16, false);
            (spectrum.record, spectrum.device_us) = (record, device_us);
            spectrum.counters = Counters::default();
            (spectrum.totals.overruns, spectrum.totals.clipped) = (overruns, clipped);
            following.take(&mut spectrum);
            spectrum
        };
        records.iter().map(take).collect()
    }

    fn counts(records: &[(u32, u64, u64, u32)]) -> Vec<Option<(u64, u64)>> {
        let of = |spectrum: &Spectrum| {
            let Counters {
                overruns, clipped, ..
            } = spectrum.counters;
            overruns.zip(clipped)
        };
        follow(records).iter().map(of).collect()
    }

    #[test]
    fn a_record_has_what_was_counted_since_the_one_before() {
        let all = counts(&[(0, 10, 2, 5), (1, 20, 2, 5), (2, 30, 9, 6)]);
        assert_eq!(all, [Some((2, 5)), Some((0, 0)), Some((7, 1))]);
        // Record 1 was lost on the line; what it counted is with the next that came.
        let all = counts(&[(0, 10, 2, 5), (2, 30, 9, 6)]);
        assert_eq!(all, [Some((2, 5)), Some((7, 1))]);
    }

    #[test]
    fn the_first_record_of_a_stream_that_began_before_has_no_counts() {
        let all = counts(&[(7, 10, 90, 5), (8, 20, 91, 5)]);
        assert_eq!(all, [None, Some((1, 0))]);
        // Another stream: its start was seen or not.
        let all = counts(&[(7, 10, 90, 5), (0, 20, 3, 1), (1, 30, 3, 1)]);
        assert_eq!(all, [None, Some((3, 1)), Some((0, 0))]);
        assert_eq!(counts(&[(7, 10, 1, 1), (3, 20, 90, 5)]), [None, None]);
        // Another recording, whose clock is before that of the first.
        assert_eq!(counts(&[(7, 10, 1, 1), (8, 5, 90, 5)]), [None, None]);
    }

    #[test]
    fn counts_that_cannot_be_known_are_none() {
        let all = counts(&[(0, 10, 0, 7), (1, 20, 0, 4), (2, 30, 0, u32::MAX)]);
        assert_eq!(all, [Some((0, 7)), None, None]);
    }

    #[test]
    fn records_of_one_moment_get_times_that_grow_until_the_clock_starts_again() {
        let times = |said: &[u64]| -> Vec<u64> {
            let records: Vec<_> = (0..).zip(said).map(|(at, us)| (at, *us, 0, 0)).collect();
            let spectra = follow(&records);
            spectra.iter().map(|spectrum| spectrum.device_us).collect()
        };
        assert_eq!(times(&[5, 5, 5, 6, 9]), [5, 6, 7, 8, 9]);
        assert_eq!(times(&[5, 5, 1, 1]), [5, 6, 1, 2]);
    }
}
