//! One decoded spectrum with everything needed to name its axes.
//!
//! Power is linear and relative to the reference: 1.0 is a sine that reads 0 dB. Bins stand in
//! ascending frequency, so a complex spectrum begins below its centre.

use crate::input::Unit;
use signal::Rate;

pub use view::levels::decibels;
pub use wire::{Dc, Detector, Engine, Window};

/// Counts of one record: since the record before that came of the same stream, or since the
/// stream's start. None where neither has been seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct Counters {
    /// Receive errors and samples lost at the input.
    pub overruns: Option<u64>,
    /// Samples that came and are in no block, because others near them were lost.
    pub left_out: Option<u64>,
    /// Samples at or beyond full scale.
    pub clipped: Option<u64>,
    /// Records that the line had no room for.
    pub dropped_records: Option<u64>,
    /// Values outside of the range of the encoding.
    pub clamped: u64,
    /// Time on the QPUs for this spectrum, in microseconds of the device's clock.
    pub qpu_us: u64,
    /// Time on the ARM for this spectrum, in microseconds of the device's clock.
    pub cpu_us: u64,
}

impl Counters {
    /// The counts of a record in which nothing was lost or clipped.
    pub const NOTHING: Self = Self {
        overruns: Some(0),
        left_out: Some(0),
        clipped: Some(0),
        dropped_records: Some(0),
        clamped: 0,
        qpu_us: 0,
        cpu_us: 0,
    };

    /// Adds those of another record. What one of them does not have, the sum has not either.
    pub fn add(&mut self, other: &Self) {
        let both = |one: Option<u64>, other: Option<u64>| Some(one?.saturating_add(other?));
        self.overruns = both(self.overruns, other.overruns);
        self.left_out = both(self.left_out, other.left_out);
        self.clipped = both(self.clipped, other.clipped);
        self.dropped_records = both(self.dropped_records, other.dropped_records);
        self.clamped = self.clamped.saturating_add(other.clamped);
        self.qpu_us = self.qpu_us.saturating_add(other.qpu_us);
        self.cpu_us = self.cpu_us.saturating_add(other.cpu_us);
    }
}

/// Counts of the device from the start of a stream to a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StreamTotals {
    /// Receive errors and samples lost at the input.
    pub overruns: u64,
    /// Samples that came and are in no block, because others near them were lost.
    pub left_out: u64,
    /// Samples at or beyond full scale; the largest number is that many or more.
    pub clipped: u32,
    /// Records that the line had no room for.
    pub dropped_records: u32,
}

/// Records of which the greatest or least of each bin was held.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Held {
    /// Which.
    pub hold: Hold,
    /// The number of records.
    pub records: u64,
}

/// The value of several records that is held.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Hold {
    /// The greatest of each bin so far
    Max,
    /// The least of each bin so far
    Min,
}

impl Hold {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Max => "max",
            Self::Min => "min",
        }
    }
}

/// One spectrum.
#[derive(Clone, PartialEq, Debug)]
pub struct Spectrum {
    /// The name of the transformed samples, for titles: a file's name, or the device's source.
    pub source: String,
    /// Linear power of each bin, ascending in frequency; 1.0 reads 0 dB. NaN where it was lost.
    pub power: Vec<f64>,
    /// The greatest power of each bin, where the record has it beside the mean.
    pub greatest: Option<Vec<f64>>,
    /// Bin number of `power[0]`; negative below the centre of a complex spectrum.
    pub first_bin: i64,
    /// Points of the transform.
    pub n: u32,
    /// True if the samples were complex.
    pub complex: bool,
    /// Samples a second.
    pub rate: Rate,
    /// The frequency at bin 0 of a complex spectrum; 0 where nobody said.
    pub centre_hz: f64,
    /// The window.
    pub window: Window,
    /// Equivalent noise bandwidth of the window, in bins.
    pub enbw_bins: f64,
    /// Samples that neighbouring blocks share.
    pub overlap: u32,
    /// Blocks in this spectrum.
    pub averages: u32,
    /// The detector that combined them.
    pub detector: Detector,
    /// Records of an exponential average of means; 0: none.
    pub exponential: u32,
    /// The treatment of the mean of each.
    pub dc: Dc,
    /// The combination of this record and others before it that the host made.
    pub held: Option<Held>,
    /// The engine that computed it.
    pub engine: Engine,
    /// The QPUs failed while it was made, and the ARM computed it instead.
    pub fallback: bool,
    /// The fastest plan failed a test on this board, and another one computed it.
    pub replaced: bool,
    /// Samples of the stream or upload whose results may be wrong, in records before this one or in
    /// this one.
    pub doubt: Option<wire::Doubt>,
    /// The share of the samples that was taken, in parts per million, if the stream leaves some
    /// out.
    pub duty_ppm: Option<u32>,
    /// The board's name as the firmware says it.
    pub board: String,
    /// The firmware's version.
    pub firmware: String,
    /// The reference, 0 dB.
    pub unit: Unit,
    /// Device time of the record's last chunk, in microseconds since it started.
    pub device_us: u64,
    /// The stream it belongs to, as the host numbered it with an upload.
    pub stream: u16,
    /// Number of the record in its stream.
    pub record: u32,
    /// Sample of its stream with which it begins.
    pub first_sample: u64,
    /// Losses and clipped samples of this record.
    pub counters: Counters,
    /// Those of its stream so far.
    pub totals: StreamTotals,
}

impl Spectrum {
    /// A warning of results that may be wrong.
    #[must_use]
    pub fn doubts(&self) -> Option<String> {
        let wire::Doubt { from, until } = self.doubt?;
        Some(format!(
            "samples {from} to {}: the results may be wrong, because the QPUs failed a check behind them; leave out the spectra of these samples, and send the board's `qpuscope report`",
            until.saturating_sub(1)
        ))
    }

    /// Width of a bin in hertz.
    #[must_use]
    pub fn bin_hz(&self) -> f64 {
        self.rate.to_hz() / f64::from(self.n)
    }

    /// Number of the bin at `index`.
    #[must_use]
    pub fn bin(&self, index: usize) -> i64 {
        self.first_bin + index as i64
    }

    /// Frequency of the bin at `index`, in hertz.
    #[must_use]
    pub fn frequency_hz(&self, index: usize) -> f64 {
        // One division at the end keeps the exact fraction exact.
        let over = self.bin(index) as f64 * self.rate.num as f64;
        self.centre_hz + over / (self.rate.den as f64 * f64::from(self.n))
    }

    /// The powers of both traces, one behind the other.
    pub(crate) fn powers(&self) -> impl Iterator<Item = &f64> {
        self.power.iter().chain(self.greatest.iter().flatten())
    }

    /// Level of the bin at `index`, in dB.
    #[must_use]
    pub fn level_db(&self, index: usize) -> f64 {
        decibels(self.power[index])
    }

    /// `dBFS`, or `dB re 1 degree`.
    #[must_use]
    pub fn level_unit(&self) -> String {
        match &self.unit {
            Unit::FullScale => "dBFS".to_owned(),
            Unit::One(unit) => format!("dB re 1 {unit}"),
        }
    }

    /// The reference, 0 dB, in words.
    #[must_use]
    pub fn reference(&self) -> String {
        match (&self.unit, self.complex) {
            (Unit::FullScale, false) => "0 dBFS is a sine of full-scale amplitude".to_owned(),
            (Unit::FullScale, true) => {
                "0 dBFS is a complex tone of full-scale magnitude".to_owned()
            }
            (Unit::One(unit), _) => {
                format!("0 dB is a sine with an amplitude of 1 {unit}")
            }
        }
    }

    /// Returns whether cycles a day say more than hertz: slower than one sample in ten seconds.
    #[must_use]
    pub fn is_slow(&self) -> bool {
        self.rate.to_hz() < 0.1
    }

    /// The blocks in it: `average of 16 blocks`, `max of 16 blocks, DC removed`.
    #[must_use]
    pub fn made_of(&self) -> String {
        let detector = match self.detector {
            Detector::Mean => "average",
            Detector::MeanMax => "average and max",
            Detector::Max | Detector::Min => self.detector.name(),
        };
        let mut text = match (self.averages, self.detector) {
            (1, _) => "1 block".to_owned(),
            (count, _) => format!("{detector} of {count} blocks"),
        };
        if self.exponential > 0 {
            let records = self.exponential;
            text += &format!(", average over {records} records (exponential)");
        }
        if self.dc == Dc::Remove {
            text += ", DC removed";
        }
        if let Some(ppm) = self.duty_ppm {
            text += &format!(", duty {:.1} %", f64::from(ppm) / 1e4);
        }
        if let Some(held) = self.held {
            let (hold, records) = (held.hold.name(), held.records);
            let plural = if records == 1 { "" } else { "s" };
            text += &format!(", {hold} of {records} record{plural}");
        }
        text
    }

    /// Returns whether another one has the same axis and is of the same kind, so that both may
    /// stand in one table or picture.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let axis = |of: &Self| (of.first_bin, of.n, of.complex, of.rate, of.power.len());
        let blocks = |of: &Self| (of.detector, of.exponential, of.dc, of.overlap);
        let kind = |of: &Self| (of.window, blocks(of), of.stream);
        axis(self) == axis(other)
            && kind(self) == kind(other)
            && (self.centre_hz, &self.unit) == (other.centre_hz, &other.unit)
    }

    /// Samples in it: of all blocks, each once.
    #[must_use]
    pub fn samples(&self) -> u64 {
        let more = u64::from(self.averages).saturating_sub(1);
        more * self.hop() + u64::from(self.n)
    }

    /// Samples from the beginning of one block to that of the next.
    #[must_use]
    pub fn hop(&self) -> u64 {
        u64::from(self.n.saturating_sub(self.overlap))
    }

    /// Lets what was held of records before this one, if it is of the same kind, have its part in
    /// it: a bin that was lost is the one before.
    pub fn hold(&mut self, hold: Hold, before: Option<&Self>) {
        let before = before.filter(|before| self.is_like(before));
        let powers = self
            .power
            .iter_mut()
            .chain(self.greatest.iter_mut().flatten());
        let held = before.iter().flat_map(|before| before.powers());
        for (power, held) in powers.zip(held) {
            // Of a number and NaN both give the number.
            *power = match hold {
                Hold::Max => power.max(*held),
                Hold::Min => power.min(*held),
            };
        }
        let records = before.and_then(|before| before.held);
        let records = 1 + records.map_or(0, |held| held.records);
        self.held = Some(Held { hold, records });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::example;

    #[test]
    fn axes_are_exact() {
        let mut spectrum = example(4096, false);
        spectrum.rate = Rate { num: 1, den: 3600 };
        assert_eq!(spectrum.frequency_hz(512), 1.0 / 28_800.0);
        assert!(spectrum.is_slow());
        let spectrum = example(1024, true);
        assert_eq!(spectrum.frequency_hz(0), -24_000.0);
        assert_eq!(spectrum.frequency_hz(512), 0.0);
    }

    #[test]
    fn zero_power_has_a_level() {
        assert_eq!(decibels(1.0), 0.0);
        assert_eq!(decibels(0.0), -300.0);
    }

    #[test]
    fn holds_keep_the_greatest_or_least_until_settings_change() {
        let with = |power: [f64; 3]| {
            let mut spectrum = example(4, false);
            spectrum.power = power.to_vec();
            spectrum
        };
        for (hold, wanted) in [(Hold::Max, [3.0, 2.0, 4.0]), (Hold::Min, [1.0, 2.0, 0.5])] {
            let mut first = with([1.0, f64::NAN, 4.0]);
            first.hold(hold, None);
            let mut second = with([3.0, 2.0, 0.5]);
            second.hold(hold, Some(&first));
            assert_eq!(second.power, wanted);
            let text = format!("average of 3 blocks, {} of 2 records", hold.name());
            assert_eq!(second.made_of(), text);
            let mut other = with([0.1, 0.2, 0.3]);
            (other.dc, other.detector, other.averages) = (Dc::Remove, Detector::Min, 16);
            other.hold(hold, Some(&second));
            assert_eq!(other.power, [0.1, 0.2, 0.3]);
            let text = format!("min of 16 blocks, DC removed, {} of 1 record", hold.name());
            assert_eq!(other.made_of(), text);
        }
    }
}
