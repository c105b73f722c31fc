//! The structures of the transforms in `qpuscope.h`, as they lie in memory.

use crate::boundary::Structure;

/// `qpuscope_fft_options`.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct FftOptions {
    /// Bytes of this structure.
    pub struct_size: u32,
    /// Complex, real, powers of complex or of real samples.
    pub kind: u32,
    /// Points of a transform.
    pub points: u32,
    /// Forward or inverse.
    pub direction: u32,
    /// Transforms at a time; 0 for 1.
    pub batch: u32,
    /// Segments in a mean of powers; 0 for 1.
    pub segments: u32,
    /// The factor of the inverse.
    pub scale: u32,
    /// Number of the board.
    pub board: u32,
    /// V3D clock in hertz; 0 for the board's.
    pub clock_hz: u32,
    /// Functional.
    pub flags: u32,
}

// SAFETY: `repr(C)`, and the size comes first.
unsafe impl Structure for FftOptions {}

/// `qpuscope_fft_sizes`.
#[repr(C)]
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct FftSizes {
    /// Bytes of this structure.
    pub struct_size: u32,
    /// 0.
    pub reserved: u32,
    /// Floats that an execution reads.
    pub input_count: u64,
    /// Floats from the start of one transform's input to the next one's.
    pub input_step: u64,
    /// Floats that an execution writes.
    pub output_count: u64,
    /// Floats from the start of one transform's output to the next one's.
    pub output_step: u64,
    /// Bytes of memory that the plan takes of a board.
    pub memory_bytes: u64,
}

// SAFETY: `repr(C)`, and the size comes first.
unsafe impl Structure for FftSizes {}

/// `qpuscope_transpose_options`.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct TransposeOptions {
    /// Bytes of this structure.
    pub struct_size: u32,
    /// Rows of the matrix.
    pub rows: u32,
    /// Columns of the matrix.
    pub columns: u32,
    /// Points from a row of the matrix to the next; 0 for its columns.
    pub from_step: u32,
    /// Points from a row of the transpose to the next; 0 for the matrix's rows.
    pub to_step: u32,
    /// Number of the board.
    pub board: u32,
    /// V3D clock in hertz; 0 for the board's.
    pub clock_hz: u32,
    /// Functional.
    pub flags: u32,
}

// SAFETY: `repr(C)`, and the size comes first.
unsafe impl Structure for TransposeOptions {}

/// `qpuscope_fft_result`.
#[repr(C)]
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct FftResult {
    /// Bytes of this structure.
    pub struct_size: u32,
    /// True if the cycle model was at work.
    pub timed: u32,
    /// V3D clock in hertz.
    pub clock_hz: u32,
    /// Programs that ended.
    pub programs: u32,
    /// V3D clocks.
    pub cycles: u64,
}

// SAFETY: `repr(C)`, and the size comes first.
unsafe impl Structure for FftResult {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    /// Offsets and sizes are those of the header; the C example `layout.c` checks the same.
    #[test]
    fn structures_are_laid_out_as_in_the_header() {
        assert_eq!(size_of::<FftOptions>(), 40);
        assert_eq!(size_of::<FftSizes>(), 48);
        assert_eq!(offset_of!(FftSizes, memory_bytes), 40);
        assert_eq!(size_of::<TransposeOptions>(), 32);
        assert_eq!(size_of::<FftResult>(), 24);
        assert_eq!(offset_of!(FftResult, cycles), 16);
    }
}
