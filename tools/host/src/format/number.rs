//! Numbers of samples: how each kind is written, and how it travels.
//!
//! Full scale is 1. Unsigned numbers are offset binary. The centre of 8 bits is 127.5, as RTL-SDR
//! programs have it, and of WAV files 128; of wider ones it is half their range.

/// The way in which a number is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    /// (x - 127.5) / 127.5.
    U8,
    /// (x - 128) / 128, as in WAV files.
    WavU8,
    /// ((x >> 8) - 127.5) / 127.5 of 16 bits: a parallel ADC on the upper half of SMI's pins.
    U8High,
    /// x / 2^7.
    I8,
    /// (x - 2^15) / 2^15.
    U16,
    /// x / 2^15.
    I16,
    /// x / 2^23, in three bytes.
    I24,
    /// (x - 2^31) / 2^31.
    U32,
    /// x / 2^31.
    I32,
    /// IEEE 754, single precision.
    F32,
    /// IEEE 754, double precision.
    F64,
}

impl Number {
    /// Bytes of one number.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::U8 | Self::WavU8 | Self::I8 => 1,
            Self::U8High | Self::U16 | Self::I16 => 2,
            Self::I24 => 3,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// True for numbers that have no largest one.
    #[must_use]
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// The wire's format that holds every such number, or the nearest.
    #[must_use]
    pub const fn on_wire(self) -> wire::SampleFormat {
        match self {
            Self::U8 | Self::U8High => wire::SampleFormat::U8,
            Self::WavU8 | Self::I8 | Self::U16 | Self::I16 => wire::SampleFormat::I16,
            Self::I24 | Self::U32 | Self::I32 => wire::SampleFormat::I32,
            Self::F32 | Self::F64 => wire::SampleFormat::F32,
        }
    }

    /// True if some of its numbers have more than the 24 significant bits that a board keeps.
    #[must_use]
    pub const fn is_finer_than_boards(self) -> bool {
        matches!(self, Self::U32 | Self::I32 | Self::F64)
    }

    /// The number that a value of 1 is above the one that is 0, and that number.
    #[must_use]
    pub const fn full_scale(self) -> (f64, f64) {
        match self {
            Self::U8 | Self::U8High => (127.5, 127.5),
            Self::WavU8 => (128.0, 128.0),
            Self::I8 => (128.0, 0.0),
            Self::U16 => (32_768.0, 32_768.0),
            Self::I16 => (32_768.0, 0.0),
            Self::I24 => (8_388_608.0, 0.0),
            Self::U32 => (2_147_483_648.0, 2_147_483_648.0),
            Self::I32 => (2_147_483_648.0, 0.0),
            Self::F32 | Self::F64 => (1.0, 0.0),
        }
    }

    /// The integer of a number that travels as i16: 32768 is full scale.
    ///
    /// For 16 bits and fewer; `bytes` are in little-endian order.
    pub(super) fn as_i16(self, bytes: [u8; 2]) -> i16 {
        let byte = i16::from(bytes[0]);
        match self {
            Self::WavU8 => (byte - 128) << 8,
            Self::I8 => i16::from(bytes[0].cast_signed()) << 8,
            Self::U16 => i16::from_le_bytes(bytes) ^ i16::MIN,
            _ => i16::from_le_bytes(bytes),
        }
    }
}
