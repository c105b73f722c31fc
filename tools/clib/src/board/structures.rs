//! The structures of boards in `qpuscope.h`, as they lie in memory.

use std::ffi::{c_char, c_void};

use crate::boundary::{Structure, cut};

/// `qpuscope_info`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// Bytes of this structure.
    pub struct_size: u32,
    /// Revision code of the board.
    pub board_revision: u32,
    /// Memory of the ARM in bytes.
    pub memory_bytes: u32,
    /// Rate of the line.
    pub baud: u32,
    /// Clock of the ARM in hertz; 0 where it is not known.
    pub arm_hz: u32,
    /// Clock of the core.
    pub core_hz: u32,
    /// Clock of V3D.
    pub v3d_hz: u32,
    /// Clock of the UART.
    pub uart_hz: u32,
    /// The engine in use: `qpu` or `cpu`.
    pub engine: [c_char; 16],
    /// The board's name.
    pub board: [c_char; 64],
    /// The firmware's version.
    pub firmware: [c_char; 32],
    /// `key=value` words.
    pub capabilities: [c_char; 1024],
}

// SAFETY: `repr(C)`, and the size comes first.
unsafe impl Structure for Info {}

/// `qpuscope_upload`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Upload {
    /// Bytes of this structure.
    pub struct_size: u32,
    /// u8, i16 or f32.
    pub format: u32,
    /// True if samples are pairs of I and Q.
    pub is_complex: u32,
    /// 0.
    pub reserved: u32,
    /// Samples in so many seconds as `rate_denominator` says.
    pub rate_numerator: u64,
    /// 0 for 1.
    pub rate_denominator: u64,
    /// The first sample.
    pub samples: *const c_void,
    /// Samples; a pair is one.
    pub count: u64,
}

// SAFETY: `repr(C)`, and the size comes first.
unsafe impl Structure for Upload {}

/// `qpuscope_spectrum`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Spectrum {
    /// Bytes of this structure.
    pub struct_size: u32,
    /// Points of the transform.
    pub points: u32,
    /// Bin number of the first power.
    pub first_bin: i32,
    /// Powers.
    pub bin_count: u32,
    /// True if the samples were complex.
    pub is_complex: u32,
    /// Blocks in it.
    pub averages: u32,
    /// Number in its stream.
    pub record: u32,
    /// True if the QPUs computed it.
    pub by_qpus: u32,
    /// Samples a second.
    pub rate_hz: f64,
    /// The frequency of bin 0 of a complex spectrum.
    pub centre_hz: f64,
    /// Equivalent noise bandwidth of the window, in bins.
    pub enbw_bins: f64,
    /// Seconds since the board started.
    pub device_s: f64,
    /// Linear power of each bin, ascending in frequency; NaN where it was lost.
    pub power: *const f64,
}

// SAFETY: `repr(C)`, and the size comes first.
unsafe impl Structure for Spectrum {}

/// A text in a field of fixed size, cut where it is longer, with its terminating 0.
pub fn field<const BYTES: usize>(text: &str) -> [c_char; BYTES] {
    let mut field = [0; BYTES];
    for (to, &byte) in field.iter_mut().zip(cut(text, BYTES - 1).as_bytes()) {
        *to = byte as c_char;
    }
    field
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    /// Offsets and sizes are those of the header on a machine with pointers of 64 bits; the C
    /// example `layout.c` checks the same.
    #[test]
    #[cfg(target_pointer_width = "64")]
    fn structures_are_laid_out_as_in_the_header() {
        assert_eq!(size_of::<Info>(), 1168);
        assert_eq!(offset_of!(Info, capabilities), 144);
        assert_eq!(size_of::<Upload>(), 48);
        assert_eq!(offset_of!(Upload, samples), 32);
        assert_eq!(size_of::<Spectrum>(), 72);
        assert_eq!(offset_of!(Spectrum, power), 64);
    }

    #[test]
    fn a_field_always_ends() {
        assert_eq!(
            field::<4>("ab"),
            [b'a', b'b', 0, 0].map(|byte| byte as c_char)
        );
        assert_eq!(
            field::<3>("abc"),
            [b'a', b'b', 0].map(|byte| byte as c_char)
        );
    }
}
