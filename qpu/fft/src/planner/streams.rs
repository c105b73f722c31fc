//! Reads of a plan that leave no lines in the system L2.
//!
//! The next pass reads what one pass stores, and as much of it as the L2 still holds need not come
//! from SDRAM. Input, and whatever else is read once, only takes the place of that. V3D has no
//! other choice than the bus alias of an address ([`BusAddr::streamed`]), and stores have none: so
//! it is made for each stream that a pass reads. What units read again, such as lines that two of
//! them share or a table that serves all transforms of a batch, is better left in the L2.

use qpu::job::BusAddr;

/// A bit for each pass of a plan, the first in bit 0: set if it reads past the L2. By default
/// everything stays in the L2 for as long as it may.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Streams {
    /// The points that the pass transforms.
    pub reads: u8,
    /// Its table of twiddles, and factors on samples.
    pub tables: u8,
    /// Its records.
    pub records: u8,
}

impl Streams {
    /// From one number, reads in its third byte, then tables, then records: the form of the table
    /// of splits.
    #[must_use]
    pub const fn from_bits(bits: u32) -> Self {
        let [records, tables, reads, _] = bits.to_le_bytes();
        Self {
            reads,
            tables,
            records,
        }
    }

    /// The best streams where nothing has been measured: units seldom read the same lines, and a
    /// single transform reads every part of a table once.
    #[must_use]
    pub const fn unmeasured(batch: u32) -> Self {
        Self {
            reads: u8::MAX,
            tables: if batch == 1 { u8::MAX } else { 0 },
            records: 0,
        }
    }

    /// The streams of these passes behind another, which reads everything once.
    #[must_use]
    pub const fn behind_another(self) -> Self {
        Self {
            reads: self.reads << 1 | 1,
            tables: self.tables << 1 | 1,
            records: self.records << 1,
        }
    }

    /// True for what pass number `pass` reads past the L2: points, table, records. Passes from 8 on
    /// read nothing past it.
    #[must_use]
    pub fn of(self, pass: usize) -> [bool; 3] {
        let masks = [self.reads, self.tables, self.records];
        masks.map(|mask| pass < u8::BITS as usize && mask >> pass & 1 == 1)
    }
}

/// The address, through the alias that leaves no line in the L2 where that is wanted.
#[must_use]
pub(super) const fn address(at: u32, is_streamed: bool) -> u32 {
    if is_streamed {
        BusAddr(at).streamed().0
    } else {
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_that_allocate_change() {
        for (at, streamed) in [
            (0x4000_1240, 0x8000_1240),
            (0x8000_1240, 0x8000_1240),
            (0xc000_1240, 0xc000_1240),
            (0x1240, 0x1240),
        ] {
            assert_eq!(address(at, true), streamed);
            assert_eq!(address(at, false), at);
        }
    }

    #[test]
    fn a_pass_has_a_bit_of_each() {
        let streams = Streams {
            reads: 0b10,
            tables: 0b01,
            records: 0b11,
        };
        let of = |pass| streams.of(pass);
        assert_eq!(of(0), [false, true, true]);
        assert_eq!(of(1), [true, false, true]);
        assert_eq!(of(2), [false; 3]);
        assert_eq!(of(64), [false; 3]);
        assert_eq!(Streams::from_bits(0x02_01_03), streams);
    }
}
