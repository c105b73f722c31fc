//! Passes over bins: from half a transform to a real one and back, and power spectra.
//!
//! N real points are M = N/2 complex points z\[n\] = x\[2n\] + i x\[2n+1\] in the same memory, with
//! the transform Z. A real spectrum X, bins 0 to M, follows bin by bin from Z, and Z from X:
//!
//! X\[k\] = (Z\[k\] + conj Z\[M-k\])/2 - i/2 · W_N^k · (Z\[k\] - conj Z\[M-k\]), Z\[M\] = Z\[0\];
//!
//! Z\[k\] = (X\[k\] + conj X\[M-k\]) + i · W_N^-k · (X\[k\] - conj X\[M-k\]), which is 2 Z.
//!
//! One program does both: with A = Z\[k\], B = Z\[M-k\] and D = A - conj B it adds
//! (c Im D - s Re D) - i (c Re D + s Im D) to A + conj B, where the table has s = sin 2πk/N and c =
//! cos 2πk/N for the first and -cos 2πk/N for the second formula. The factor 1/2 is one of its
//! output.
//!
//! # Units
//!
//! A program works on *groups* of sixteen bins, one in each lane. Its bins are two *runs*
//! ([`runs`]) which mirror each other: what one reads as Z\[k\] the other reads as Z\[M-k\], at the
//! same time, so that memory is read once. The second run reads the table backwards, c with the
//! other sign.
//!
//! | program | bins of a run | rows of 64 bytes | group in the lanes | stores |
//! |---|---|---|---|---|
//! | split | 128 | 16: interleaved points of eight bins | 2 i + r: bin 8 r + i | one of each run |
//! | short split | 16 or 32 | 2 or 4: as above | 2 i + r | one of each run, bin M behind the second |
//! | product | 256, one run | 32: interleaved points of eight bins | 2 i + r: bin 8 r + i | one |
//! | power | 256 or 64, one run | 16 or 4: powers of sixteen bins | bin | one |
//! | split and power | 64 or 16 | 4 or 1: powers of sixteen bins | bin | one of each run |
//! | power, both detectors | 128, one run | 8 and 8: powers of sixteen bins | bin | two |
//! | split and power, both | 32 | 2 and 2: powers of sixteen bins | bin | two of each run |
//!
//! The programs of powers take multiples of bin 0 from other bins where a constant is to be
//! removed, and add up several spectra, or keep the greatest or least of each bin; what they find
//! is combined with what is in memory already, and may be stored in decibels too. Those of both
//! detectors add up and keep the greatest, and store both.

#[cfg(feature = "generate")]
pub(super) mod code;
pub mod power;
pub(crate) mod product;
pub mod real_split;
mod runs;
mod short_split;
mod uniforms;

use qpu::machine::LANES;
use uniforms::{Record, Row, Start, Stream};

/// The task of a program over bins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bins {
    /// Real spectra from transforms of half the length, or those from real spectra.
    Split,
    /// The counterpart of [`Bins::Split`] for few bins, on QPUs that work independently.
    ShortSplit {
        /// Groups of a run, 1 or 2.
        groups: u8,
    },
    /// Products of complex bins.
    Product,
    /// Powers.
    Power {
        /// Of real spectra, from transforms of half the length; else of complex bins.
        is_real: bool,
        /// Decibels beside powers.
        decibels: bool,
        /// The units, and the bins from which multiples of bin 0 are taken.
        way: PowerWay,
    },
}

/// The units of a program of powers, and the bins from which it takes multiples of bin 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PowerWay {
    /// In units of 256 complex bins, of real spectra 128, with multiples of bin 0 taken from those
    /// near it.
    Long,
    /// The counterpart of [`PowerWay::Long`] in units of 64 bins, or 32.
    Short,
    /// In long units, with multiples of bin 0 taken from every bin.
    Everywhere,
    /// In units of 128 bins, of real spectra twice 32, the greatest of each bin beside the mean.
    Both,
}

impl Bins {
    /// All programs.
    pub fn all() -> impl Iterator<Item = Self> {
        /// The ways, and if decibels are stored beside powers.
        const POWERS: [(PowerWay, bool); 7] = [
            (PowerWay::Long, false),
            (PowerWay::Long, true),
            (PowerWay::Short, false),
            (PowerWay::Short, true),
            (PowerWay::Everywhere, false),
            (PowerWay::Everywhere, true),
            (PowerWay::Both, false),
        ];
        let powers = [false, true].into_iter().flat_map(|is_real| {
            POWERS.map(|(way, decibels)| Self::Power {
                is_real,
                decibels,
                way,
            })
        });
        let others = [
            Self::Split,
            Self::ShortSplit { groups: 1 },
            Self::ShortSplit { groups: 2 },
            Self::Product,
        ];
        others.into_iter().chain(powers)
    }

    /// Runs of a unit.
    #[must_use]
    pub const fn runs(self) -> u8 {
        match self {
            Self::Product | Self::Power { is_real: false, .. } => 1,
            Self::Split | Self::ShortSplit { .. } | Self::Power { .. } => 2,
        }
    }

    /// Groups of a run.
    #[must_use]
    pub const fn groups(self) -> u8 {
        match self {
            Self::Split => 8,
            Self::ShortSplit { groups } => groups,
            Self::Product => 16,
            Self::Power { is_real, way, .. } => match (way, is_real) {
                (PowerWay::Long | PowerWay::Everywhere, false) => 16,
                (PowerWay::Long | PowerWay::Everywhere, true) | (PowerWay::Short, false) => 4,
                (PowerWay::Short, true) => 1,
                (PowerWay::Both, false) => 8,
                (PowerWay::Both, true) => 2,
            },
        }
    }

    /// Bins of a run.
    #[must_use]
    pub const fn run_bins(self) -> u32 {
        LANES * self.groups() as u32
    }

    /// True if decibels are stored beside powers.
    #[must_use]
    pub const fn has_decibels(self) -> bool {
        matches!(self, Self::Power { decibels: true, .. })
    }

    /// True if it makes powers in this way.
    #[must_use]
    pub const fn is_way(self, wanted: PowerWay) -> bool {
        matches!(self, Self::Power { way, .. } if way as u8 == wanted as u8)
    }

    /// Stores of a unit: of each run, and of its decibels or its greatest.
    #[must_use]
    pub const fn stores(self) -> u8 {
        self.runs() * (1 + (self.has_decibels() || self.is_way(PowerWay::Both)) as u8)
    }
}

/// The name of the program, as in file names.
impl core::fmt::Display for Bins {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match *self {
            Self::Split => f.write_str("split"),
            Self::ShortSplit { .. } => write!(f, "split-{}", self.run_bins()),
            Self::Product => f.write_str("product"),
            Self::Power {
                is_real,
                decibels,
                way,
            } => {
                let split = if is_real { "split-" } else { "" };
                let units = match (way, is_real) {
                    (PowerWay::Long, _) => "",
                    (PowerWay::Short, false) => "-64",
                    (PowerWay::Short, true) => "-16",
                    (PowerWay::Everywhere, _) => "-all",
                    (PowerWay::Both, _) => "-both",
                };
                let levels = if decibels { "-db" } else { "" };
                write!(f, "{split}power{units}{levels}")
            }
        }
    }
}
