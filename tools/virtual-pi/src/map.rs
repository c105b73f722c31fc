//! The memory map of a board: its blocks of registers, and the aliases of its memory on the bus.
//!
//! A block has the same offset on each board, from a base that differs: [`MemoryMap`] has the
//! ARM's, and on the bus it is 0x7e00_0000. The rest of the model knows blocks and offsets in them.
//!
//! Sources: BCM2835 ARM Peripherals, sections 1.2.3 and 1.2; docs/hardware/platform.md, register
//! maps; docs/hardware/boards.md.

/// Places of peripherals and memory on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryMap {
    /// ARM address at which the peripherals begin.
    pub peripherals: u32,
    /// Top two bits of the bus addresses of memory, through which others see what the ARM writes.
    pub alias: u32,
}

/// A block of registers that is modelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    SystemTimer,
    Dma,
    Asb,
    Interrupts,
    Mailbox,
    Pm,
    ClockManager,
    Gpio,
    Uart,
    Pcm,
    Smi,
    V3d,
}

/// The blocks: first offset from the base, and bytes.
const BLOCKS: [(Block, u32, u32); 12] = [
    (Block::SystemTimer, 0x00_3000, 0x1000),
    (Block::Dma, 0x00_7000, 0x1000),
    (Block::Asb, 0x00_a000, 0x1000),
    (Block::Interrupts, 0x00_b200, 0x28),
    (Block::Mailbox, 0x00_b880, 0x40),
    (Block::Pm, 0x10_0000, 0x1000),
    (Block::ClockManager, 0x10_1000, 0x1000),
    (Block::Gpio, 0x20_0000, 0x1000),
    (Block::Uart, 0x20_1000, 0x1000),
    (Block::Pcm, 0x20_3000, 0x1000),
    (Block::Smi, 0x60_0000, 0x1000),
    (Block::V3d, 0xc0_0000, 0x1000),
];

/// Blocks of the BCM2835 that are not modelled: first offset, bytes and name.
const UNMODELLED: [(u32, u32, &str); 13] = [
    (0x00_b400, 0x100, "the ARM timer"),
    (0x10_4000, 0x1000, "the random number generator"),
    (0x20_2000, 0x1000, "SDHOST"),
    (0x20_4000, 0x1000, "SPI0"),
    (0x20_5000, 0x1000, "I2C0"),
    (0x20_c000, 0x1000, "PWM"),
    (0x21_2000, 0x1000, "the temperature sensor"),
    (0x21_4000, 0x1000, "the SPI slave"),
    (0x21_5000, 0x1000, "AUX (mini UART, SPI1, SPI2)"),
    (0x30_0000, 0x1000, "EMMC"),
    (0x80_4000, 0x1000, "I2C1"),
    (0x80_5000, 0x1000, "I2C2"),
    (0x98_0000, 0x2_0000, "USB"),
];

/// Bus address at which the peripherals begin.
const BUS: u32 = 0x7e00_0000;
/// Bits of a bus address of memory that choose the alias.
const ALIAS_BITS: u32 = 0xc000_0000;
/// The alias of memory past the system L2.
pub(crate) const PAST_L2: u32 = 0xc000_0000;

impl MemoryMap {
    /// The BCM2835: Pi 1 and Zero, whose ARM reaches memory through the system L2.
    pub const BCM2835: Self = Self {
        peripherals: 0x2000_0000,
        alias: 0x4000_0000,
    };

    /// The block at an ARM address, and the offset in it.
    #[inline]
    pub(crate) fn block(self, address: u32) -> Option<(Block, u32)> {
        let offset = address.checked_sub(self.peripherals)?;
        let is_there =
            |(_, first, bytes): &&(Block, u32, u32)| offset.wrapping_sub(*first) < *bytes;
        let (block, first, _) = BLOCKS.iter().find(is_there)?;
        Some((*block, offset - first))
    }

    /// The ARM address at which a block begins.
    pub(crate) fn address(self, block: Block) -> u32 {
        self.peripherals + offset(block)
    }

    /// The name of the block at an ARM address where silicon has one and this model has none.
    pub(crate) fn unmodelled(self, address: u32) -> Option<&'static str> {
        let offset = address.checked_sub(self.peripherals)?;
        let is_there = |(first, bytes, _): &&(u32, u32, &str)| offset.wrapping_sub(*first) < *bytes;
        UNMODELLED.iter().find(is_there).map(|(.., name)| *name)
    }

    /// True for a bus address of memory past the system L2, through which this board's ARM goes.
    pub(crate) fn passes_l2(self, bus: u32) -> bool {
        alias(bus) == PAST_L2 && self.alias != PAST_L2
    }
}

/// The bus address at which a block begins.
pub(crate) const fn bus_address(block: Block) -> u32 {
    BUS + offset(block)
}

/// True for the bus address of a peripheral.
pub(crate) fn is_peripheral(bus: u32) -> bool {
    bus >> 24 == BUS >> 24
}

/// The alias in a bus address of memory.
pub(crate) fn alias(bus: u32) -> u32 {
    bus & ALIAS_BITS
}

/// A bus address of memory without its alias.
pub(crate) fn physical(bus: u32) -> u32 {
    bus & !ALIAS_BITS
}

const fn offset(block: Block) -> u32 {
    let mut row = 0;
    while BLOCKS[row].0 as u8 != block as u8 {
        row += 1;
    }
    BLOCKS[row].1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_blocks_overlap() {
        let modelled = BLOCKS.iter().map(|&(_, first, bytes)| (first, bytes));
        let others = UNMODELLED.iter().map(|&(first, bytes, _)| (first, bytes));
        let mut all: Vec<_> = modelled.chain(others).collect();
        all.sort_unstable();
        for pair in all.windows(2) {
            assert!(pair[0].0 + pair[0].1 <= pair[1].0, "{pair:x?}");
        }
    }

    #[test]
    fn a_block_has_its_registers_and_no_others() {
        let map = MemoryMap::BCM2835;
        for (block, _, bytes) in BLOCKS {
            let first = map.address(block);
            assert_eq!(map.block(first), Some((block, 0)));
            assert_eq!(map.block(first + bytes - 1), Some((block, bytes - 1)));
            assert_ne!(map.block(first - 1).map(|found| found.0), Some(block));
            assert_ne!(map.block(first + bytes).map(|found| found.0), Some(block));
            assert!(is_peripheral(bus_address(block)));
        }
        assert_eq!(map.block(0x1fff_ffff), None);
        assert_eq!(map.unmodelled(0x2099_ffff), Some("USB"));
    }
}
