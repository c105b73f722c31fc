//! Samples: real or complex, and the format of their numbers.

use core::fmt;

crate::code! {
    /// The kind of samples: real or complex.
    Domain, "domain" {
        /// One number a sample; spectra have bins 0 to N/2.
        #[default] Real = 0 "real",
        /// In-phase and quadrature; spectra have bins -N/2 to N/2 - 1.
        Complex = 1 "complex",
    }
}

impl Domain {
    /// Numbers that make a sample.
    #[must_use]
    pub const fn components(self) -> u32 {
        match self {
            Self::Real => 1,
            Self::Complex => 2,
        }
    }

    /// Bins of a spectrum of `n` points.
    #[must_use]
    pub const fn bins(self, n: usize) -> usize {
        match self {
            Self::Real => n / 2 + 1,
            Self::Complex => n,
        }
    }

    /// The number of the first bin of a spectrum of `n` points.
    #[must_use]
    pub const fn first_bin(self, n: usize) -> i32 {
        match self {
            Self::Real => 0,
            Self::Complex => -((n / 2) as i32),
        }
    }
}

crate::code! {
    /// The format of a number; a complex sample is two of these, in-phase first.
    SampleFormat, "sample format" {
        /// Offset binary: (x - 127.5) / 127.5.
        U8 = 0 "u8",
        /// Little-endian two's complement: x / 32768.
        #[default] I16 = 1 "i16",
        /// Little-endian IEEE single precision, as it is.
        F32 = 2 "f32",
        /// Little-endian two's complement: x / 2^31. Of numbers with more than 24 significant bits
        /// 24 count.
        I32 = 3 "i32",
        /// Offset binary in the upper byte of little-endian 16 bits: ((x >> 8) - 127.5) / 127.5.
        U8High = 4 "u8-high",
        /// Two's complement: x / 128. Not uploaded.
        I8 = 255 "i8",
    }
}

/// The numbers in memory that are the components of samples, where these do not simply follow each
/// other. Of frames of two numbers, such as I2S brings them, one or both.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Channels {
    /// All numbers, in order.
    #[default]
    All,
    /// Real samples: the first number of each frame.
    First,
    /// Real samples: the second number of each frame.
    Second,
    /// Complex samples of which the second number of each frame is the in-phase part.
    Swapped,
}

impl Channels {
    /// Every choice.
    pub const ALL: [Self; 4] = [Self::All, Self::First, Self::Second, Self::Swapped];

    /// True if samples of `domain` can be chosen so.
    #[must_use]
    pub const fn suits(self, domain: Domain) -> bool {
        match self {
            Self::All => true,
            Self::First | Self::Second => matches!(domain, Domain::Real),
            Self::Swapped => matches!(domain, Domain::Complex),
        }
    }

    /// Numbers from a component to that of the same kind behind it, for each that is taken: 2 where
    /// every other number is left out.
    #[must_use]
    pub const fn step(self) -> u32 {
        match self {
            Self::All | Self::Swapped => 1,
            Self::First | Self::Second => 2,
        }
    }

    /// The place, among all numbers, of number `index` of those that are taken.
    #[must_use]
    pub const fn place(self, index: u32) -> u32 {
        match self {
            Self::All => index,
            Self::First => 2 * index,
            Self::Second => 2 * index + 1,
            Self::Swapped => index ^ 1,
        }
    }
}

impl SampleFormat {
    /// The formats that an instrument takes, in order of their codes.
    pub const UPLOADED: [Self; 5] = [Self::U8, Self::I16, Self::F32, Self::I32, Self::U8High];

    /// Bytes of a number.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::I16 | Self::U8High => 2,
            Self::F32 | Self::I32 => 4,
        }
    }

    /// Bytes of a sample.
    #[must_use]
    pub const fn sample_bytes(self, domain: Domain) -> usize {
        (domain.components() * self.bytes()) as usize
    }

    /// The number that becomes 1.0, counted from the middle.
    #[must_use]
    pub const fn full_scale(self) -> f64 {
        match self {
            Self::U8 => 127.5,
            // With the lower byte in the middle.
            Self::U8High => 32640.0,
            Self::I8 => 128.0,
            Self::I16 => 32768.0,
            Self::I32 => 2_147_483_648.0,
            Self::F32 => 1.0,
        }
    }
}

impl fmt::Display for SampleFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
