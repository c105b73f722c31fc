//! VDR: DMA from memory into the VPM.
//!
//! NROWS rows of ROWLEN elements, their starts a pitch apart in memory and VPITCH apart in the VPM.
//! Source: guide, "VPM DMA load"; py-videocore's and asurati's examples were run on hardware.

use super::setup::Mode;
use super::{Pace, Shape, Transfer, or_most};
use crate::conflicts::{Conflicts, VdrPitchBits, VdrVerticalPitch};
use crate::event::Access;
use crate::memory::{Memory, MemoryFault};
use crate::vpm::Vpm;

/// The part of MPITCHB that the stride word keeps: as many bits as VDW's STRIDE has.
/// [`VdrPitchBits`] says how many of them count.
const MPITCHB: u32 = 0xffff;

/// The part of it that programs on hardware show: see [`VdrPitchBits`].
const MPITCHB_MEASURED: u32 = 0x3fff;

/// The part of it that the guide prints.
const MPITCHB_OF_GUIDE: u32 = 0x1fff;

/// The VDR setup of a QPU. Words stay until they are written again, whatever program runs.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Setup {
    /// The last basic word.
    pub basic: u32,
    /// MPITCHB of the last pitch word.
    pub mpitchb: u32,
    /// True if the program that runs has written the basic word.
    pub basic_given: bool,
    /// True if it has written the pitch word.
    pub pitch_given: bool,
}

impl Setup {
    /// A new program starts; what the one before left as pitch has no effect on it.
    pub fn start_program(&mut self) {
        self.mpitchb = 0;
        (self.basic_given, self.pitch_given) = (false, false);
    }

    /// Takes a setup word with bit 31 set.
    pub fn write(&mut self, word: u32) {
        if word >> 28 == 9 {
            (self.mpitchb, self.pitch_given) = (word & MPITCHB, true);
        } else {
            (self.basic, self.basic_given) = (word, true);
        }
    }

    /// True if a load would use a word that the program has not written.
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        !self.basic_given || (self.needs_pitch() && !self.pitch_given)
    }

    /// True if a load uses the pitch word: it has several rows, and MPITCH does not say how far
    /// apart.
    fn needs_pitch(&self) -> bool {
        self.basic >> 24 & 15 == 0 && self.basic >> 16 & 15 != 1
    }

    /// True if a load uses a pitch that is longer than the guide allows.
    #[must_use]
    pub fn has_wide_pitch(&self) -> bool {
        self.needs_pitch() && self.mpitchb > MPITCHB_OF_GUIDE
    }

    /// The bytes of the pitch word that count.
    #[must_use]
    pub fn counted_pitch(&self, conflicts: &Conflicts) -> u32 {
        let bits = match conflicts.vdr_pitch_bits {
            VdrPitchBits::Fourteen => MPITCHB_MEASURED,
            VdrPitchBits::Sixteen => MPITCHB,
            VdrPitchBits::Thirteen => MPITCHB_OF_GUIDE,
        };
        self.mpitchb & bits
    }

    /// A load from `memory` with the setup as it is now.
    #[must_use]
    pub fn start(&self, memory: u32, conflicts: &Conflicts) -> Load {
        let mut load = Load::new(self.basic, self.counted_pitch(conflicts), memory);
        let steps_columns = conflicts.vdr_vertical_pitch == VdrVerticalPitch::Columns;
        load.steps_columns = load.shape.vertical && steps_columns;
        load
    }
}

/// A load with its setup as it was at its start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Load {
    shape: Shape,
    /// Y with the element's part of a word below it: the unit of VPITCH.
    y_part: u32,
    x: u32,
    vpm_pitch: u32,
    /// VPITCH is added to X.
    steps_columns: bool,
}

impl Load {
    /// The load from `memory` that `basic` and MPITCHB describe.
    #[must_use]
    pub fn new(basic: u32, mpitchb: u32, memory: u32) -> Self {
        let mode = Mode::from_bits(basic >> 28 & 7)
            .expect("1 selects the pitch word, which is not kept here");
        let mpitch = basic >> 24 & 15;
        Self {
            shape: Shape {
                memory,
                pitch: if mpitch == 0 { mpitchb } else { 8 << mpitch },
                rows: or_most(basic >> 16 & 15, 16),
                elements: or_most(basic >> 20 & 15, 16),
                mode,
                vertical: basic & 1 << 11 != 0,
            },
            y_part: (basic >> 4 & 0x7f) << mode.width.per_word_log2() | mode.part,
            x: basic & 15,
            vpm_pitch: or_most(basic >> 12 & 15, 16),
            steps_columns: false,
        }
    }
}

impl Transfer for Load {
    /// 61 + 19.4 clocks a row, the line through rates measured on a Pi 2 by Terminus-IMRC, in
    /// rounds.
    const PACE: Pace = Pace { start: 15, row: 5 };
    const ACCESS: Access = Access::Vdr;

    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn row_start(&self, row: u32) -> (u32, u32, u32) {
        let log2 = self.shape.mode.width.per_word_log2();
        let step = row * self.vpm_pitch;
        let (start, x) = if self.steps_columns {
            (self.y_part, (self.x + step) & 15)
        } else {
            (self.y_part + step, self.x)
        };
        (start >> log2, x, start & ((1 << log2) - 1))
    }

    fn move_row(
        &self,
        row: u32,
        vpm: &mut Vpm,
        memory: &mut impl Memory,
    ) -> Result<(), MemoryFault> {
        let mut bytes = [0; 64];
        let bytes = &mut bytes[..self.row_bytes() as usize];
        memory.read(self.row_address(row), bytes)?;
        let start = self.row_start(row);
        let width = self.shape.mode.width.bytes() as usize;
        for (element, bytes) in bytes.chunks_exact(width).enumerate() {
            let value = bytes
                .iter()
                .rev()
                .fold(0, |value, byte| value << 8 | u32::from(*byte));
            let place = self.place(start, element);
            let word = vpm.linear_mut(place.word);
            *word = *word & !(place.mask << place.shift) | value << place.shift;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::SparseMemory;

    /// Memory whose word at 4n is n, and the VPM after a load from its start.
    fn load(basic: u32, mpitchb: u32) -> Vpm {
        let mut memory = SparseMemory::new();
        let words: Vec<u8> = (0..4096u32).flat_map(u32::to_le_bytes).collect();
        memory.put(0x4000_0000, &words);
        let load = Load::new(basic, mpitchb, 0x4000_0000);
        let mut vpm = Vpm::default();
        for row in 0..load.rows() {
            load.move_row(row, &mut vpm, &mut memory).unwrap();
        }
        vpm
    }

    fn word(vpm: &Vpm, y: usize, x: usize) -> u32 {
        vpm.linear(y * 16 + x)
    }

    #[test]
    fn rows_of_sixteen_words() {
        let vpm = load(0x8300_1000 | 5 << 4, 0);
        for y in 0..16 {
            for x in 0..16 {
                assert_eq!(word(&vpm, 5 + y, x), (y * 16 + x) as u32);
            }
        }
    }

    /// py-videocore, run on hardware: vertical, 4 rows of 16, VPITCH 0 fills a column over all 64
    /// rows; asurati's 0x8304080f is the same in column 15.
    #[test]
    fn vertical_rows_go_down_one_column() {
        let vpm = load(0x8304_080f, 0);
        for y in 0..64 {
            assert_eq!(word(&vpm, y, 15), y as u32);
            assert_eq!(word(&vpm, y, 14), 0);
        }
    }

    /// py-videocore, run on hardware: an 8 x 8 block at (4, 4), pitch 32 bytes.
    #[test]
    fn a_block_inside_the_vpm() {
        let vpm = load(0x8288_1044, 0);
        for y in 0..8 {
            for x in 0..8 {
                assert_eq!(word(&vpm, 4 + y, 4 + x), (y * 8 + x) as u32);
            }
        }
        assert_eq!(word(&vpm, 4, 3) | word(&vpm, 4, 12) | word(&vpm, 12, 4), 0);
    }

    /// QPULib: 16 rows of one word, VPITCH 1, fill one column.
    #[test]
    fn one_word_rows_with_vpitch_1() {
        let vpm = load(0x8310_1802, 0);
        for y in 0..16 {
            assert_eq!(word(&vpm, y, 2), 16 * y as u32);
        }
    }

    /// Broadcom: 2 rows at Y 15 with VPITCH 0 go to rows 15 and 31; 3 rows of 2 with MPITCHB.
    #[test]
    fn vpitch_carries_and_mpitchb_counts_bytes() {
        let vpm = load(0x8302_00f0, 0);
        assert_eq!((word(&vpm, 15, 1), word(&vpm, 31, 1)), (1, 17));
        let vpm = load(0x8023_5000, 8);
        for row in 0..3 {
            assert_eq!(word(&vpm, row * 5, 0), row as u32 * 2);
            assert_eq!(word(&vpm, row * 5, 1), row as u32 * 2 + 1);
        }
    }

    #[test]
    fn a_pitch_may_have_more_bits_than_the_guide_prints() {
        let mut setup = Setup::default();
        setup.write(0x8002_1000);
        setup.write(0x9000_0000 | 12_288);
        assert!(setup.has_wide_pitch() && !setup.is_incomplete());
        let second_row = |setup: &Setup| {
            let load = setup.start(0x4000_0000, &Conflicts::default());
            load.row_address(1)
        };
        assert_eq!(second_row(&setup), 0x4000_3000);
        // QMKL's sgemm, rows of 4608 and of 15,360 words.
        setup.write(0x9000_0000 | 18_432);
        assert_eq!(second_row(&setup), 0x4000_0800);
        setup.write(0x9000_0000 | 61_440);
        assert_eq!(second_row(&setup), 0x4000_3000);
    }

    #[test]
    fn halves_and_bytes_are_packed_from_their_part_of_a_word() {
        // 16 bit, half 1, one row of 4, from word X = 2 of row 3.
        let vpm = load(0xb141_0000 | 3 << 4 | 2, 0);
        assert_eq!(
            [word(&vpm, 3, 2), word(&vpm, 3, 3), word(&vpm, 3, 4)],
            [0, 1 << 16, 0]
        );
        // 8 bit, byte 3: memory bytes 0 0 0 0 1.
        let vpm = load(0xf151_0000, 0);
        assert_eq!([word(&vpm, 0, 0), word(&vpm, 0, 1)], [0, 1 << 24]);
    }

    #[test]
    fn what_the_warnings_ask() {
        assert!(!Load::new(0x8301_1000, 0, 0).row_wraps());
        assert!(Load::new(0x8301_1001, 0, 0).row_wraps());
        assert!(Load::new(0xa301_1800, 0, 0).is_subword_vertical());
        assert!(
            Load::new(0x8301_1000, 0, 2).row_bytes() == 64
                && !Load::new(0x8301_1000, 0, 2).is_aligned()
        );
    }
}
