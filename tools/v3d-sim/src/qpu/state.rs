//! Registers of a QPU.
//!
//! All vectors that an ALU can read lie in one array, so that a decoded operand is a place in it:
//! both files, the accumulators, two constants, what ports and unpack have made for the current
//! instruction, and what the registers held that the previous instruction wrote.

use crate::alu::{LANES, LaneMask, Lanes};
use crate::decoded::{BY_R5, Code, NO_REGISTER};
use qpu::isa::{Cond, File, SmallImmediate};

/// A place in [`Registers`].
pub type Index = u8;

/// rb0; ra0 is at 0.
pub const FILE_B: Index = 32;
const ACCUMULATORS: Index = 64;
/// Element numbers.
pub const ELEMENT_NUMBER: Index = 70;
/// The number of the QPU in each lane.
pub const QPU_NUMBER: Index = 71;
/// Through port A, or unpacked.
pub const HELD_A: Index = 72;
/// Through port B.
pub const HELD_B: Index = 73;
/// r4, unpacked.
pub const HELD_R4: Index = 74;
/// The old value of the register of file A that the previous instruction wrote; file B's follows.
pub const OLD_A: Index = 75;
/// The first of the vectors that small immediates give, by their codes; file B's old value is
/// before it.
const IMMEDIATES: Index = OLD_A + 2;
/// The number of small immediates that differ: codes from 48 on, which rotate, are read as those 32
/// before.
const IMMEDIATE_COUNT: Index = 48;
/// The result of the add ALU for a unit; that of the mul ALU follows.
pub const FOR_UNIT: Index = IMMEDIATES + IMMEDIATE_COUNT;
/// A power of two above the last place, so that an index needs a mask and no check.
const COUNT: usize = 128;

// The place of what is written nowhere is nobody's.
const _: () = assert!(NO_REGISTER as usize % COUNT >= FOR_UNIT as usize + 2);

/// The index of a register of a file.
#[must_use]
pub const fn of_file(file: File, number: u8) -> Index {
    match file {
        File::A => number & 31,
        File::B => FILE_B + (number & 31),
    }
}

/// The index of one of r0..r5.
#[must_use]
pub const fn accumulator(number: u8) -> Index {
    ACCUMULATORS + number
}

/// The index of the value of a small immediate.
#[must_use]
pub const fn immediate(immediate: SmallImmediate) -> Index {
    let code = immediate.bits();
    IMMEDIATES
        + if code < IMMEDIATE_COUNT {
            code
        } else {
            code - 32
        }
}

/// Flags of all lanes: for each condition, by its code, the lanes in which it holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flags([LaneMask; 8]);

impl Flags {
    /// Z: the result was zero; N: its bit 31; C: carry, borrow, or what the operation makes of it.
    #[must_use]
    pub const fn new(z: LaneMask, n: LaneMask, c: LaneMask) -> Self {
        Self([0, LaneMask::MAX, z, !z, n, !n, c, !c])
    }

    /// Z, N and C.
    #[must_use]
    pub const fn bits(self) -> [LaneMask; 3] {
        [self.0[2], self.0[4], self.0[6]]
    }

    /// The lanes in which a condition holds.
    #[inline]
    #[must_use]
    pub fn of(&self, condition: Cond) -> LaneMask {
        self.0[usize::from(condition.bits() & 7)]
    }
}

/// Both files, accumulators and flags.
#[repr(align(64))]
pub struct Registers {
    /// By [`Index`].
    pub lanes: [Lanes; COUNT],
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
    /// The state that a power cycle leaves in QPU `number`: it is not known, so values that no
    /// program expects.
    #[must_use]
    pub fn garbage(number: u8) -> Self {
        let seed = u32::from(number);
        let garbage = |register: u32| -> Lanes {
            std::array::from_fn(|lane| {
                (seed << 16 | register << 8 | lane as u32 | 0x1000).wrapping_mul(0x9e37_79b1) | 1
            })
        };
        let mut lanes: [Lanes; COUNT] = std::array::from_fn(|index| match index as Index {
            ELEMENT_NUMBER => std::array::from_fn(|lane| lane as u32),
            QPU_NUMBER => [seed; LANES],
            HELD_A.. => [0; LANES],
            _ => garbage(index as u32),
        });
        for code in (0..IMMEDIATE_COUNT).filter_map(SmallImmediate::from_bits) {
            lanes[usize::from(immediate(code))] = [code.value(); LANES];
        }
        Self {
            lanes,
            flags: Flags::new(0x9669, 0x6996, 0x5aa5),
            ms_flags: [0; LANES],
            rev_flag: 0,
            last_port: [[0; 4]; 2],
            last_mul: [0; 4],
        }
    }

    /// The vector at a place.
    #[inline]
    #[must_use]
    pub fn at(&self, index: Index) -> &Lanes {
        &self.lanes[usize::from(index) % COUNT]
    }

    /// The vector at a place, for writing.
    #[inline]
    pub fn at_mut(&mut self, index: Index) -> &mut Lanes {
        &mut self.lanes[usize::from(index) % COUNT]
    }

    /// By how many lanes the mul result moves.
    #[inline]
    #[must_use]
    pub fn rotation(&self, code: &Code) -> u32 {
        match code.rotation {
            BY_R5 => self.at(accumulator(5))[0] & 15,
            by => u32::from(by),
        }
    }

    /// The lowest bit of register addresses is inverted at each program start (guide, "QPU register
    /// files"), so what a program left in rN its successor finds in r(N^1).
    pub fn invert_address(&mut self) {
        for pair in self.lanes[..usize::from(ACCUMULATORS)].chunks_exact_mut(2) {
            pair.swap(0, 1);
        }
    }
}

/// Elements 12..15.
#[must_use]
pub fn last_quad(value: &Lanes) -> [u32; 4] {
    [value[12], value[13], value[14], value[15]]
}

/// A quad repeated over all lanes.
#[must_use]
pub fn repeat_quad(quad: [u32; 4]) -> Lanes {
    std::array::from_fn(|lane| quad[lane & 3])
}
