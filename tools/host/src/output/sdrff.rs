//! SDRFF records, the binary format of soapy_power, which QSpectrumAnalyzer reads.
//!
//! `SDRFF`, a version of 2, start and end of the record in seconds since 1970, the middle of the
//! first bin, one step behind the last, the step (f64 each), samples and bytes that follow (u64
//! each), two bytes of 0, then a level in dB (f32) for each bin; all little-endian.
//!
//! Times of our days have steps of 0.24 us in f64. A record that would have the end of the one
//! before ends a step later.
//!
//! Source: soapy_power 1.6.1, `writer.py`, `SoapyPowerBinFormat`: `<BdddddQQ2x`.

use super::Times;
use super::place::{SinkPlace, SinkStream};
use super::sink::{SinkRecord, SpectrumFormat, SpectrumSink};
use crate::spectrum::Spectrum;
use common::failure::Result;

const MAGIC: &[u8; 5] = b"SDRFF";
const VERSION: u8 = 2;

/// The format of soapy_power.
#[derive(Debug)]
pub(super) struct SdrffFormat;

impl SpectrumFormat for SdrffFormat {
    fn name(&self) -> &'static str {
        "sdrff"
    }

    fn alias(&self) -> Option<&'static str> {
        Some("soapy_power_bin")
    }

    fn read_help(&self) -> Option<&'static str> {
        Some("One binary record of soapy_power each")
    }

    fn fft_help(&self) -> Option<&'static str> {
        Some("Binary records of soapy_power")
    }

    fn endings(&self) -> &'static [&'static str] {
        &["sdrff"]
    }

    fn is_printed(&self) -> bool {
        true
    }

    fn is_dated(&self) -> bool {
        true
    }

    fn open(&self, place: &mut SinkPlace<'_>, _: &SinkRecord<'_>) -> Result<Box<dyn SpectrumSink>> {
        Ok(Box::new(SdrffSink {
            stream: place.stream("sdrff")?,
            records: Sdrff::default(),
        }))
    }
}

/// Records on their way out.
struct SdrffSink {
    stream: SinkStream,
    records: Sdrff,
}

impl SpectrumSink for SdrffSink {
    fn put(&mut self, record: &SinkRecord<'_>, _: &mut SinkPlace<'_>) -> Result<()> {
        let record = self.records.record(record.spectrum, record.times);
        self.stream.bytes(&record)
    }

    fn finish(self: Box<Self>, _: &mut SinkPlace<'_>) -> Result<()> {
        self.stream.finish()
    }
}

/// The writer of records.
#[derive(Clone, Debug, Default)]
struct Sdrff {
    /// Start and end of the record before.
    last: Option<[f64; 2]>,
}

impl Sdrff {
    /// A record. A bin that was lost is NaN.
    fn record(&mut self, spectrum: &Spectrum, times: &Times) -> Vec<u8> {
        let bins = spectrum.power.len();
        let mut record = MAGIC.to_vec();
        record.push(VERSION);
        let mut moments = times.moments(spectrum).map(seconds);
        if let Some(last) = self.last {
            moments = std::array::from_fn(|at| moments[at].max(last[at].next_up()));
        }
        self.last = Some(moments);
        let [from, to] = moments;
        let (start, stop) = (spectrum.frequency_hz(0), spectrum.frequency_hz(bins));
        for number in [from, to, start, stop, spectrum.bin_hz()] {
            record.extend(number.to_le_bytes());
        }
        record.extend(spectrum.samples().to_le_bytes());
        record.extend((4 * bins as u64).to_le_bytes());
        record.extend([0, 0]);
        for index in 0..bins {
            record.extend((spectrum.level_db(index) as f32).to_le_bytes());
        }
        record
    }
}

/// Seconds of picoseconds.
fn seconds(ps: i128) -> f64 {
    ps as f64 / 1e12
}

#[cfg(test)]
mod tests {
    use super::super::Clock;
    use super::*;
    use crate::example::example;

    #[test]
    fn a_record_has_a_head_of_64_bytes_and_a_float_for_each_bin() {
        let spectrum = example(16, false);
        let times = Times {
            clock: Clock::Samples,
            zero: None,
        };
        let record = Sdrff::default().record(&spectrum, &times);
        assert_eq!(record.len(), 64 + 4 * 9);
        assert_eq!(record[..6], *b"SDRFF\x02");
        let float = |at: usize| f64::from_le_bytes(record[at..at + 8].try_into().expect("8"));
        // 32 samples of 48 kHz, in nanoseconds.
        assert_eq!([float(6), (float(14) * 1e9).round()], [0.0, 666_667.0]);
        assert_eq!([float(22), float(30), float(38)], [0.0, 27_000.0, 3000.0]);
        assert_eq!(record[54..62], 36_u64.to_le_bytes());
        let level = f32::from_le_bytes(record[72..76].try_into().expect("4"));
        assert!((level + 6.0206).abs() < 1e-4, "{level}");
    }

    #[test]
    fn ends_grow_although_records_are_closer_than_a_step() {
        let mut spectrum = example(16, false);
        (spectrum.averages, spectrum.overlap) = (1, 15);
        spectrum.rate = signal::Rate::hz(20_000_000);
        let times = Times {
            clock: Clock::Samples,
            zero: Some(crate::utc::Utc(1_709_251_199_000_000)),
        };
        let mut writer = Sdrff::default();
        let spans: Vec<[f64; 2]> = (0..40)
            .map(|at| {
                spectrum.first_sample = at;
                let record = writer.record(&spectrum, &times);
                let float = |at: usize| record[at..at + 8].try_into().map(f64::from_le_bytes);
                [6, 14].map(|at| float(at).expect("8"))
            })
            .collect();
        for pair in spans.windows(2) {
            assert!(pair[0][0] < pair[1][0] && pair[0][1] < pair[1][1]);
        }
        assert!(spans[39][1] - 1_709_251_199.0 < 2e-5);
    }
}
