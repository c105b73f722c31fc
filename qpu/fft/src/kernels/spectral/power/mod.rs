//! The pass from transforms to powers: where everything lies, and what powers are multiplied by.
//!
//! K spectra become one row of powers: their mean, or the greatest or least of each bin. Powers are
//! stored in rows of sixteen bins, in order of frequency: bins 0 to N/2 of real input, the last of
//! them alone in the last row; bins -N/2 to N/2 - 1 of complex input. Any rows that follow each
//! other may be left out.
//!
//! What is in memory can be kept: it is multiplied by a weight and added, or the greater or lesser
//! of both stays. Two detectors at once ([`Detector::MeanMax`]) replace it; the greatest of a row
//! of powers is stored behind their mean.
//!
//! # Removing a constant
//!
//! A constant x adds x W\[k\] to the windowed spectrum X\[k\], W the window's own transform. X\[0\]
//! / W\[0\] is the mean of the samples weighted by the window, so X\[k\] - X\[0\] · W\[k\] / W\[0\]
//! is the spectrum of what is left when that mean is subtracted from each sample: exactly 0 for a
//! constant. No pass over the samples is needed. For any window that is a sum of cosines W\[k\] is
//! 0 but for a few bins next to 0; of others, such as Kaiser's, a program looks W\[k\] / W\[0\] up
//! for every bin ([`Removed`]).

mod layout;
pub(crate) mod multiples;
mod units;

pub use signal::Detector;

use super::{Bins, PowerWay};
use crate::kernels::sizes::POINT_BYTES;
use qpu::machine::{LANES, VECTOR_BYTES};

/// 10 log10 of a power is the SFU's log2 of it times the first, plus the second.
///
/// The SFU's log2 has 16 bits behind the point and is between 1.6e-4 too low and 0.2e-4 too high,
/// in octaves of power; the second number puts the middle of that right and leaves an error of
/// 0.0003 dB (v3d-sim's SFU, which reproduces words recorded on the chip).
pub const DECIBELS: [f32; 2] = [3.010_3, 0.000_2];
/// Longest spectra that are done in short units, in samples as a power of two: on more QPUs, which
/// is faster than fewer bytes a unit.
const MOST_LOG2_SHORT: u32 = 9;

/// The way new powers are combined with those in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Hold {
    /// They are multiplied by a weight and added: 0 replaces them.
    #[default]
    Add,
    /// The greater stays.
    Max,
    /// The lesser stays.
    Min,
}

/// The multiples of bin 0 that are taken from the bins of a segment before their powers are made.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Removed {
    /// W\[k\] / W\[0\] for k = 0.., as the bits of f32, from bins k and -k: all 0 when a constant
    /// is to stay.
    Near([u32; LANES as usize]),
    /// W\[k\] / W\[0\] from every bin, the window being symmetric, so that W is real. The plan
    /// finds them out ([`Plan::learn_window`](crate::Plan::learn_window)); until then nothing
    /// is removed.
    Everywhere,
}

impl Removed {
    /// A constant stays.
    pub const NOTHING: Self = Self::Near([0; LANES as usize]);
}

/// The powers that are made of the samples of a request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Powers {
    /// True if samples are real: then a spectrum has bins 0 to N/2, else -N/2 to N/2 - 1.
    pub is_real: bool,
    /// Samples of a segment, N, as a power of two.
    pub log2_points: u32,
    /// K: segments whose spectra become one row of powers.
    pub segments: u32,
    /// The way K spectra become one row of powers.
    pub detector: Detector,
    /// True if decibels are stored behind the powers of one detector.
    pub decibels: bool,
    /// The first bin that is wanted and the one behind the last; all where there is none. Rows of
    /// sixteen bins are stored ([`Powers::stored_bins`]).
    pub bins: Option<[i32; 2]>,
    /// Factor of |X|², as the bits of an f32; for real samples that of all bins but 0 and N/2,
    /// which have half of it.
    pub scale: u32,
    /// The contribution of a constant, where it is to be removed.
    pub removed: Removed,
}

impl Powers {
    /// |X|² of each segment of 2^`log2_points` samples, its mean over `segments`; nothing removed.
    #[must_use]
    pub const fn new(is_real: bool, log2_points: u32, segments: u32) -> Self {
        Self {
            is_real,
            log2_points,
            segments,
            detector: Detector::Mean,
            decibels: false,
            bins: None,
            scale: 1f32.to_bits(),
            removed: Removed::NOTHING,
        }
    }

    /// Points of the complex transforms, as a power of two.
    #[must_use]
    pub const fn log2_complex(&self) -> u32 {
        if self.is_real {
            self.log2_points.saturating_sub(1)
        } else {
            self.log2_points
        }
    }

    /// Numbers of the first bin of a whole spectrum and of the one behind the last.
    #[must_use]
    pub const fn all_bins(&self) -> [i32; 2] {
        let half = 1 << self.log2_points.saturating_sub(1);
        if self.is_real {
            [0, half + 1]
        } else {
            [-half, half]
        }
    }

    /// True if there are bins, and all are of the spectrum.
    #[must_use]
    pub const fn has_bins(&self) -> bool {
        let [least, most] = self.all_bins();
        match self.bins {
            Some([first, end]) => least <= first && first < end && end <= most,
            None => true,
        }
    }

    /// True if all factors of powers are finite numbers.
    #[must_use]
    pub fn has_finite_factors(&self) -> bool {
        let near = match &self.removed {
            Removed::Near(near) => near.as_slice(),
            Removed::Everywhere => &[],
        };
        let mut factors = near.iter().chain([&self.scale]);
        factors.all(|&word| f32::from_bits(word).is_finite())
    }

    /// True unless two detectors are wanted where there are no programs for them: with decibels, or
    /// with a constant removed from every bin.
    #[must_use]
    pub const fn has_detectors(&self) -> bool {
        match self.removed {
            _ if self.detector.second().is_none() => true,
            Removed::Near(_) => !self.decibels,
            Removed::Everywhere => false,
        }
    }

    /// The first row that is stored, and the one behind the last.
    const fn rows(&self) -> [u32; 2] {
        let [least, most] = self.all_bins();
        let [first, end] = match self.bins {
            Some(bins) => bins,
            None => [least, most],
        };
        let lanes = LANES as i32;
        let first = (first - least) / lanes;
        let end = (end - least + lanes - 1) / lanes;
        [first as u32, end as u32]
    }

    /// Numbers of the first bin that is stored and of the one behind the last: what is wanted, and
    /// what fills rows of sixteen.
    #[must_use]
    pub const fn stored_bins(&self) -> [i32; 2] {
        let [least, most] = self.all_bins();
        let [first, end] = self.rows();
        let lanes = LANES as i32;
        let end = least + end as i32 * lanes;
        [
            least + first as i32 * lanes,
            if end < most { end } else { most },
        ]
    }

    /// Bytes of a row of powers: those of its bins and what is left of a line of the caches.
    #[must_use]
    pub const fn power_bytes(&self) -> u32 {
        let [first, end] = self.rows();
        (end - first) * VECTOR_BYTES
    }

    /// Bytes of a row of powers and of the decibels or the second detector's powers behind it,
    /// which begin at [`Powers::power_bytes`].
    #[must_use]
    pub const fn output_bytes(&self) -> u32 {
        let is_double = self.decibels || self.detector.second().is_some();
        self.power_bytes() * (1 + is_double as u32)
    }
}

/// The pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PowerPass {
    /// The powers that it makes.
    pub powers: Powers,
    /// The way they are combined with powers in memory.
    pub hold: Hold,
    /// Weight of those, as the bits of an f32.
    pub old: u32,
    /// Weight of the new ones, as the bits of an f32.
    pub new: u32,
}

impl PowerPass {
    /// A pass that replaces what is in memory.
    #[must_use]
    pub const fn new(powers: Powers) -> Self {
        Self {
            powers,
            hold: Hold::Add,
            old: 0f32.to_bits(),
            new: 1f32.to_bits(),
        }
    }

    /// True unless the greatest is wanted in one place and the least in another, or two detectors
    /// and anything of what is in memory.
    #[must_use]
    pub const fn is_possible(&self) -> bool {
        match (self.powers.detector, self.hold) {
            (Detector::Max, Hold::Min) | (Detector::Min, Hold::Max) => false,
            (Detector::MeanMax, Hold::Add) => self.old == 0f32.to_bits(),
            (Detector::MeanMax, _) => false,
            _ => true,
        }
    }

    /// Points of the complex transforms that are read.
    const fn points(&self) -> u32 {
        1 << self.powers.log2_complex()
    }

    /// Bytes from one of them to the next.
    const fn pitch(&self) -> u32 {
        POINT_BYTES << self.powers.log2_complex()
    }

    /// The program that it takes.
    #[must_use]
    pub const fn bins(&self) -> Bins {
        let way = match self.powers.removed {
            _ if self.powers.detector.second().is_some() => PowerWay::Both,
            Removed::Everywhere => PowerWay::Everywhere,
            Removed::Near(_) if self.powers.log2_points <= MOST_LOG2_SHORT => PowerWay::Short,
            Removed::Near(_) => PowerWay::Long,
        };
        Bins::Power {
            is_real: self.powers.is_real,
            decibels: self.powers.decibels,
            way,
        }
    }
}
