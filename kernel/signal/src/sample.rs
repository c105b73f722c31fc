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
        /// Two's complement: x / 128. Not uploaded.
        I8 = 3 "i8",
    }
}

impl SampleFormat {
    /// The formats that an instrument takes, in order of their codes.
    pub const UPLOADED: [Self; 3] = [Self::U8, Self::I16, Self::F32];

    /// Bytes of a number.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::I16 => 2,
            Self::F32 => 4,
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
            Self::I8 => 128.0,
            Self::I16 => 32768.0,
            Self::F32 => 1.0,
        }
    }
}

impl fmt::Display for SampleFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
