//! What a part measures: tones and noise, a count, or the samples of a file.
//!
//! A sample has 24 bits in the upper bits of an `i32`, for the left channel and the right one. It
//! depends on its index alone, so that runs are equal and a test can say what should have come.

use std::f64::consts::TAU;
use std::sync::Arc;

use super::feed::Feed;
use super::quantise;
use super::wav::{SignalError, Wav};

/// The bits below the 24 of a sample.
const BELOW: i32 = 0xff;

/// A tone, turning from left (cosine) to right (sine): a positive frequency of I/Q.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tone {
    /// Its frequency.
    pub hz: f64,
    /// Its level; 0 is full scale.
    pub dbfs: f64,
}

/// The samples of a part.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Signal {
    /// Zeros.
    #[default]
    Silence,
    /// The number of the sample, modulo 2^24, left, and its complement right: a sample that is
    /// missing, doubled or misplaced shows.
    Count,
    /// A sum of tones, and of noise of an even distribution.
    Tones {
        /// The tones.
        tones: Vec<Tone>,
        /// Level of the noise, as its RMS against a sine of full scale; none if `None`.
        noise_dbfs: Option<f64>,
        /// Seed of the noise.
        seed: u64,
    },
    /// Frames of left and right, which start again at their end.
    Frames(Arc<Vec<[i32; 2]>>),
    /// Bytes of offset binary on both channels, which start again at their end.
    Bytes(Arc<Vec<u8>>),
    /// A signal with bursts on top; the sum is clipped.
    WithBursts(Box<Signal>, Bursts),
    /// Frames that the host brings: of an I2S part that gives the clocks ([`I2sPart::fed`]). Any
    /// other part plays zeros where a frame has not come.
    ///
    /// [`I2sPart::fed`]: super::I2sPart::fed
    Fed(Feed),
}

/// Bursts of a tone, one in each period, at a place that a seed chooses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bursts {
    /// The tone; each burst begins with its phase at 0.
    pub tone: Tone,
    /// Samples of a burst, at least 1.
    pub samples: u64,
    /// Samples from the start of a period to the next, at least those of a burst.
    pub period: u64,
    /// Seed of the places.
    pub seed: u64,
}

impl Bursts {
    /// The first sample of burst `number`.
    pub fn start(&self, number: u64) -> u64 {
        let places = self.period.saturating_sub(self.samples).saturating_add(1);
        number * self.period + mixed(self.seed ^ number << 1) % places
    }

    /// The tone at sample `index`, left and right.
    fn sample(&self, index: u64, rate_hz: f64) -> [i32; 2] {
        let start = self.start(index / self.period.max(1));
        match index.checked_sub(start) {
            Some(into) if into < self.samples => self.tone.at(into, rate_hz).map(quantise),
            _ => [0; 2],
        }
    }
}

impl Tone {
    /// Its cosine and sine at sample `index`.
    fn at(&self, index: u64, rate_hz: f64) -> [f64; 2] {
        // Whole turns are dropped before they cost digits.
        let phase = (index as f64 * (self.hz / rate_hz)).rem_euclid(1.0);
        let (sine, cosine) = (phase * TAU).sin_cos();
        let level = 10f64.powf(self.dbfs / 20.0);
        [level * cosine, level * sine]
    }
}

impl Signal {
    /// The samples of a WAV file. Mono is played on both channels.
    ///
    /// # Errors
    /// A file that is no such thing, with what to give instead.
    pub fn wav(bytes: &[u8]) -> Result<Self, SignalError> {
        let wav = Wav::of(bytes)?;
        let frames = (0..).map_while(|index| wav.frame(bytes, index));
        Ok(Self::Frames(Arc::new(frames.collect())))
    }

    /// Raw frames: two little-endian i16 each.
    ///
    /// # Errors
    /// A file without a frame.
    pub fn raw_i16(bytes: &[u8]) -> Result<Self, SignalError> {
        let (frames, _) = bytes.as_chunks::<4>();
        let sample = |low, high| i32::from(i16::from_le_bytes([low, high])) << 16;
        let frames: Vec<[i32; 2]> = frames
            .iter()
            .map(|&[a, b, c, d]| [sample(a, b), sample(c, d)])
            .collect();
        if frames.is_empty() {
            return Err(SignalError::Empty);
        }
        Ok(Self::Frames(Arc::new(frames)))
    }

    /// Raw samples: a byte of offset binary each, which is played on both channels.
    ///
    /// # Errors
    /// An empty file.
    pub fn raw_u8(bytes: &[u8]) -> Result<Self, SignalError> {
        if bytes.is_empty() {
            return Err(SignalError::Empty);
        }
        Ok(Self::Bytes(Arc::new(bytes.to_vec())))
    }

    /// Sample `index` at `rate_hz`, left and right.
    pub fn sample(&self, index: u64, rate_hz: f64) -> [i32; 2] {
        match self {
            Self::Silence => [0; 2],
            Self::Count => {
                let count = (index << 8) as u32 as i32;
                [count, !count & !BELOW]
            }
            Self::Tones {
                tones,
                noise_dbfs,
                seed,
            } => {
                let mut sum = [0.0; 2];
                for tone in tones {
                    let [cosine, sine] = tone.at(index, rate_hz);
                    sum[0] += cosine;
                    sum[1] += sine;
                }
                if let Some(dbfs) = noise_dbfs {
                    // The RMS of a sine of full scale is 1/sqrt(2), that of -1 .. 1 1/sqrt(3).
                    let level = 10f64.powf(dbfs / 20.0) * 1.5f64.sqrt();
                    sum[0] += level * even(seed ^ index << 1);
                    sum[1] += level * even(seed ^ (index << 1 | 1));
                }
                sum.map(quantise)
            }
            Self::Frames(frames) => frames[(index % frames.len() as u64) as usize],
            Self::Bytes(bytes) => {
                let byte = bytes[(index % bytes.len() as u64) as usize];
                let steps = 2 * i64::from(byte) - 255;
                let value = (steps << 31) / 255;
                [i32::try_from(value).unwrap_or(i32::MAX) & !BELOW; 2]
            }
            Self::WithBursts(signal, bursts) => {
                let [left, right] = signal.sample(index, rate_hz);
                let burst = bursts.sample(index, rate_hz);
                [
                    left.saturating_add(burst[0]),
                    right.saturating_add(burst[1]),
                ]
                .map(|sum| sum & !BELOW)
            }
            Self::Fed(feed) => feed.frame(index).map(|word| word & !BELOW),
        }
    }
}

/// A number of -1 .. 1 from another.
fn even(seed: u64) -> f64 {
    mixed(seed) as i64 as f64 / i64::MAX as f64
}

/// A number that looks like chance, from another (splitmix64).
pub fn mixed(seed: u64) -> u64 {
    let mut mixed = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tone_of_full_scale_goes_from_left_to_right() {
        let tone = Signal::Tones {
            tones: vec![Tone {
                hz: 12_500.0,
                dbfs: 0.0,
            }],
            noise_dbfs: None,
            seed: 0,
        };
        let quarter = |index| tone.sample(index, 50_000.0).map(|word| word >> 8);
        let full = (1 << 23) - 1;
        assert_eq!(quarter(0), [full, 0]);
        assert_eq!(quarter(1), [0, full]);
        // A day later it is still where it should be.
        assert_eq!(quarter(4_320_000_002), [-full - 1, 0]);
    }

    #[test]
    fn noise_has_its_level() {
        let noise = Signal::Tones {
            tones: Vec::new(),
            noise_dbfs: Some(-20.0),
            seed: 5,
        };
        let power = |index| {
            let x = f64::from(noise.sample(index, 1.0)[0]) / 2f64.powi(31);
            2.0 * x * x
        };
        let mean = (0..100_000).map(power).sum::<f64>() / 1e5;
        assert!((10.0 * mean.log10() + 20.0).abs() < 0.05, "{mean}");
    }

    #[test]
    fn each_period_has_one_burst_at_its_place() {
        let bursts = Bursts {
            tone: Tone {
                hz: 0.0,
                dbfs: -6.0,
            },
            samples: 5,
            period: 50,
            seed: 9,
        };
        let signal = Signal::WithBursts(Box::new(Signal::Silence), bursts);
        for number in 0..200 {
            let start = bursts.start(number);
            assert!((number * 50..=number * 50 + 45).contains(&start));
            for index in number * 50..number * 50 + 50 {
                let is_on = signal.sample(index, 1.0)[0] != 0;
                assert_eq!(is_on, (start..start + 5).contains(&index), "{index}");
            }
        }
        let places: std::collections::HashSet<u64> =
            (0..200).map(|number| bursts.start(number) % 50).collect();
        assert!(places.len() > 40, "{} places", places.len());
    }

    #[test]
    fn samples_have_24_bits() {
        assert_eq!(quantise(1.0), 0x7fff_ff00);
        assert_eq!(quantise(-2.0), i32::MIN);
        for signal in [Signal::Count, Signal::raw_i16(&[1, 2, 3, 0xf4]).unwrap()] {
            for index in [0, 1, 0xff_ffff, 1 << 24] {
                let sample = signal.sample(index, 1.0);
                assert_eq!(
                    sample.map(|word| word & BELOW),
                    [0; 2],
                    "{signal:?} {index}"
                );
            }
        }
        assert_eq!(Signal::Count.sample(1 << 24, 1.0)[0], 0);
    }
}
