//! Registers of a QPU.

use crate::alu::{LANES, LaneMask, Lanes};
use qpu::isa::File;

/// Flags of all lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flags {
    /// The result was zero.
    pub z: LaneMask,
    /// Bit 31 of the result.
    pub n: LaneMask,
    /// Carry, borrow, or what the operation makes of it.
    pub c: LaneMask,
}

/// Both files, accumulators and flags.
pub struct Registers {
    /// File A.
    pub a: [Lanes; 32],
    /// File B.
    pub b: [Lanes; 32],
    /// r0..r5.
    pub accumulators: [Lanes; 6],
    /// The flags.
    pub flags: Flags,
    /// `ms_flags`: 4 bits in each lane.
    pub ms_flags: Lanes,
    /// `rev_flag`: 1 bit.
    pub rev_flag: u32,
    /// Elements 12..15 of what was last read through each port.
    pub last_port: [[u32; 4]; 2],
    /// Elements 12..15 of the last mul result.
    pub last_mul: [u32; 4],
}

impl Registers {
    /// What a power cycle leaves: nobody knows, so values that no program expects.
    #[must_use]
    pub fn garbage(seed: u32) -> Self {
        let lanes = |register: u32| -> Lanes {
            std::array::from_fn(|lane| {
                (seed << 16 | register << 8 | lane as u32 | 0x1000).wrapping_mul(0x9e37_79b1) | 1
            })
        };
        Self {
            a: std::array::from_fn(|n| lanes(n as u32)),
            b: std::array::from_fn(|n| lanes(n as u32 + 32)),
            accumulators: std::array::from_fn(|n| lanes(n as u32 + 64)),
            flags: Flags {
                z: 0x9669,
                n: 0x6996,
                c: 0x5aa5,
            },
            ms_flags: [0; LANES],
            rev_flag: 0,
            last_port: [[0; 4]; 2],
            last_mul: [0; 4],
        }
    }

    /// A register file.
    pub fn file(&self, file: File) -> &[Lanes; 32] {
        match file {
            File::A => &self.a,
            File::B => &self.b,
        }
    }

    /// A register file, for writing.
    pub fn file_mut(&mut self, file: File) -> &mut [Lanes; 32] {
        match file {
            File::A => &mut self.a,
            File::B => &mut self.b,
        }
    }

    /// The lowest bit of register addresses is inverted at each program start (guide, "QPU register
    /// files"), so what a program left in rN its successor finds in r(N^1).
    pub fn invert_address(&mut self) {
        for pair in self.a.chunks_exact_mut(2).chain(self.b.chunks_exact_mut(2)) {
            pair.swap(0, 1);
        }
    }
}

/// Elements 12..15.
pub fn last_quad(value: &Lanes) -> [u32; 4] {
    [value[12], value[13], value[14], value[15]]
}

/// A quad repeated over all lanes.
pub fn repeat_quad(quad: [u32; 4]) -> Lanes {
    std::array::from_fn(|lane| quad[lane & 3])
}
