//! A guest that receives I2S samples into a ring of memory by DMA, as the manual has it.
//!
//! Registers and bits: BCM2835 ARM Peripherals, chapters 4, 6 and 8.
#![allow(dead_code, missing_docs)]

use super::{Guest, PERIPHERALS, PERIPHERALS_BUS};

pub const DMA: u32 = PERIPHERALS + 0x7000;
pub const CM: u32 = PERIPHERALS + 0x10_1000;
pub const GPIO: u32 = PERIPHERALS + 0x20_0000;
pub const PCM: u32 = PERIPHERALS + 0x20_3000;
/// Bus address of its FIFO.
const FIFO: u32 = PERIPHERALS_BUS + 0x20_3004;

/// Physical addresses of the control blocks and of the ring.
pub const BLOCKS: u32 = 0x0020_0000;
pub const RING: u32 = 0x0030_0000;
pub const BUS: u32 = 0x4000_0000;

/// EN and STBY; DMAEN and RXON.
pub const CS_ON: u32 = 1 | 1 << 25;
pub const CS_RECEIVE: u32 = CS_ON | 1 << 9 | 1 << 1;
/// SRC_DREQ of PCM's receiver, DEST_INC, WAIT_RESP.
pub const TI: u32 = 3 << 16 | 1 << 10 | 1 << 4 | 1 << 3;

/// Settings that tests vary.
#[derive(Clone, Copy)]
pub struct Capture {
    pub channel: u32,
    /// Alias of the ring and of the control blocks.
    pub alias: u32,
    /// Bytes of each of the two control blocks.
    pub half: u32,
    pub ti: u32,
    /// The clock's divider, whose source is the crystal; 0 for slave mode.
    pub divider: u32,
    /// GPIO 28 to 30 instead of 18 to 20.
    pub p5: bool,
    pub mode: u32,
}

impl Default for Capture {
    fn default() -> Self {
        Self {
            channel: 5,
            alias: BUS,
            half: 256,
            ti: TI,
            divider: 6,
            p5: false,
            // CLKI, FSI, 64 bit clocks, 32 of them active.
            mode: 1 << 22 | 1 << 20 | 63 << 10 | 32,
        }
    }
}

impl Capture {
    /// Registers of its channel.
    pub fn dma(&self) -> u32 {
        DMA + (self.channel << 8)
    }

    /// Routes the pins.
    pub fn pins(&self, guest: &mut Guest) {
        if self.p5 {
            guest.poke(GPIO + 8, 6 << 24 | 6 << 27).poke(GPIO + 12, 6);
        } else {
            guest.poke(GPIO + 4, 4 << 24 | 4 << 27).poke(GPIO + 8, 4);
        }
    }

    /// Starts the bit clock.
    pub fn clock(&self, guest: &mut Guest) {
        guest
            .poke(CM + 0x9c, 0x5a00_0000 | self.divider << 12)
            .poke(CM + 0x98, 0x5a00_0001)
            .poke(CM + 0x98, 0x5a00_0011);
    }

    /// Sets PCM up and clears its FIFO.
    pub fn pcm(&self, guest: &mut Guest) {
        let slave = if self.divider == 0 {
            1 << 23 | 1 << 21
        } else {
            0
        };
        let channel = |position: u32| 1 << 15 | 1 << 14 | position << 4 | 8;
        guest
            .poke(PCM + 0x08, self.mode | slave)
            .poke(PCM + 0x0c, channel(1) << 16 | channel(33))
            .poke(PCM, CS_ON)
            .poke(PCM, CS_ON | 1 << 4);
        if self.divider == 0 {
            // A while that is longer than three of the slowest bit clocks.
            guest.set(2, 2_000);
            let top = guest.here();
            guest.word(0xe252_2001).branch(1, top); // subs r2, r2, #1; bne
        } else {
            guest.poke(PCM, CS_ON | 1 << 24).poll(PCM, 1 << 24, true);
        }
    }

    /// Writes two control blocks that follow each other.
    pub fn blocks(&self, guest: &mut Guest) {
        for index in 0..2 {
            let at = BLOCKS + 32 * index;
            let words = [
                self.ti,
                FIFO,
                self.alias | (RING + index * self.half),
                self.half,
                0,
                self.alias | (BLOCKS + 32 * (1 - index)),
                0,
                0,
            ];
            for (word, value) in words.iter().enumerate() {
                guest.poke(at + 4 * word as u32, *value);
            }
        }
    }

    /// Starts DMA and reception.
    pub fn start(&self, guest: &mut Guest) {
        guest
            .dsb()
            .poke(self.dma() + 4, self.alias | BLOCKS)
            .poke(self.dma(), 1)
            .poke(PCM, CS_RECEIVE);
    }

    /// All of it.
    pub fn run(&self, guest: &mut Guest) {
        self.pins(guest);
        if self.divider != 0 {
            self.clock(guest);
        }
        self.pcm(guest);
        self.blocks(guest);
        self.start(guest);
    }
}
