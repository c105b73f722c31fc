//! Sections: records of one kind, one behind the other, with one frequency axis and one time.
//!
//! A record's time is that of its first sample: its index divided by the rate. Where the board
//! measures the rate, its number becomes better now and then, by no more than the uncertainty that
//! it states; times then go on from the record before.

use signal::Rate;
use wire::{Descriptor, RecordHead};

use crate::axis::Axis;

/// Distances between records that say what the usual one is.
const DISTANCES: usize = 31;
/// Distances before which none is unusual.
const LEAST_DISTANCES: usize = 3;
/// The distance that is a gap, in usual ones: a record that is missing makes it 2.
const GAP: f64 = 1.75;

/// Records of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub(crate) number: u32,
    pub(crate) descriptor: Descriptor,
    pub(crate) axis: Axis,
    stream: u16,
    multiplier: Rate,
    /// A sample and its time in seconds.
    anchor: (u64, f64),
    last: Option<RecordHead>,
    /// The last distances between first samples.
    distances: Vec<u64>,
    next_distance: usize,
}

/// The place of a record after the one before.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Follows {
    /// It follows, or is the first.
    Next,
    /// So many records are missing; samples were lost at the input if `is_overrun`.
    Gap { records: u64, is_overrun: bool },
    /// It is one that was there already.
    Again,
    /// It belongs to another section.
    Other,
}

/// Returns whether spectra of two descriptors are of one kind, so that they may be held together.
fn is_like(a: &Descriptor, b: &Descriptor) -> bool {
    let axis = |of: &Descriptor| {
        (
            of.first_bin,
            of.bins,
            of.n,
            of.domain,
            of.centre_hz.to_bits(),
        )
    };
    let kind = |of: &Descriptor| (of.window, of.overlap, of.averaging, of.average_count, of.dc);
    let more = |of: &Descriptor| (of.detector, of.exponential, of.unit, of.source, of.board);
    let apart = (a.rate.to_hz() - b.rate.to_hz()).abs();
    let is_one_rate = a.rate == b.rate || apart <= a.rate_within_hz + b.rate_within_hz;
    axis(a) == axis(b) && kind(a) == kind(b) && more(a) == more(b) && is_one_rate
}

impl Section {
    /// A section that begins with a record.
    pub(crate) fn new(number: u32, descriptor: &Descriptor, stream: u16, multiplier: Rate) -> Self {
        Self {
            number,
            descriptor: *descriptor,
            axis: Axis::new(descriptor, multiplier),
            stream,
            multiplier,
            anchor: (0, 0.0),
            last: None,
            distances: vec![],
            next_distance: 0,
        }
    }

    /// Returns whether spectra of a descriptor are of this kind.
    pub(crate) fn is_like(&self, descriptor: &Descriptor, multiplier: Rate) -> bool {
        is_like(&self.descriptor, descriptor) && self.multiplier == multiplier
    }

    /// The place of a record in this section.
    pub(crate) fn follows(
        &self,
        head: &RecordHead,
        descriptor: &Descriptor,
        stream: u16,
        multiplier: Rate,
    ) -> Follows {
        if !self.is_like(descriptor, multiplier) || stream != self.stream {
            return Follows::Other;
        }
        let Some(last) = &self.last else {
            return Follows::Next;
        };
        if (head.record, head.first_sample) == (last.record, last.first_sample) {
            return Follows::Again;
        }
        let is_behind = head.record < last.record
            || head.first_sample < last.first_sample
            || head.counters.overruns < last.counters.overruns;
        if is_behind {
            return Follows::Other;
        }
        let is_overrun = head.counters.overruns > last.counters.overruns;
        let distance = head.first_sample - last.first_sample;
        let usual = self.usual_distance();
        let missing = (distance as f64 / usual).round() as u64;
        let is_far = self.distances.len() >= LEAST_DISTANCES && distance as f64 > GAP * usual;
        let is_jump = head.record - last.record > 1;
        match (is_overrun, is_far && is_jump) {
            (false, false) => Follows::Next,
            _ => Follows::Gap {
                records: missing.saturating_sub(1).max(1),
                is_overrun,
            },
        }
    }

    /// Takes a record in that follows; returns its time in seconds.
    pub(crate) fn take(&mut self, head: &RecordHead, descriptor: &Descriptor) -> f64 {
        if self.descriptor != *descriptor {
            if let Some(last) = &self.last {
                self.anchor = (last.first_sample, self.time_s(last.first_sample));
            }
            self.descriptor = *descriptor;
            self.axis = Axis::new(descriptor, self.multiplier);
        }
        if let Some(last) = &self.last {
            let distance = head.first_sample.saturating_sub(last.first_sample);
            if self.distances.len() < DISTANCES {
                self.distances.push(distance);
            } else {
                self.distances[self.next_distance] = distance;
            }
            self.next_distance = (self.next_distance + 1) % DISTANCES;
        }
        self.last = Some(*head);
        self.time_s(head.first_sample)
    }

    /// The last record.
    pub(crate) const fn last(&self) -> Option<&RecordHead> {
        self.last.as_ref()
    }

    /// The time of a sample in seconds.
    pub(crate) fn time_s(&self, sample: u64) -> f64 {
        let (anchor, seconds) = self.anchor;
        let since = sample as f64 - anchor as f64;
        seconds + since * self.axis.rate_under / self.axis.rate_over
    }

    /// Samples of a record: of all blocks, each once.
    fn samples(&self, blocks: u32) -> f64 {
        let (n, overlap) = (self.descriptor.n, self.descriptor.overlap);
        f64::from(n) + f64::from(blocks.saturating_sub(1)) * f64::from(n.saturating_sub(overlap))
    }

    /// The length of a record in seconds.
    pub(crate) fn length_s(&self, blocks: u32) -> f64 {
        self.samples(blocks) * self.axis.rate_under / self.axis.rate_over
    }

    /// The usual distance between records in samples: the median of the last.
    fn usual_distance(&self) -> f64 {
        let mut distances = self.distances.clone();
        distances.sort_unstable();
        let median = distances.get(distances.len() / 2).copied();
        let blocks = self.last.map_or(1, |last| last.blocks);
        median
            .map_or_else(|| self.samples(blocks), |median| median as f64)
            .max(1.0)
    }
}
