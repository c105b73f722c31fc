//! A guest that reads a parallel ADC into a ring of memory, by SMI and DMA.
//!
//! Registers and bits: Linux `bcm2835_smi.h`; iosoft's `rpi_smi_adc_test.c`.
#![allow(dead_code, missing_docs)]

use super::capture::{BLOCKS, BUS, CM, DMA, GPIO, RING};
use super::{Guest, PERIPHERALS, PERIPHERALS_BUS};

pub const SMI: u32 = PERIPHERALS + 0x60_0000;
/// Bus address of its FIFO.
const FIFO: u32 = PERIPHERALS_BUS + 0x60_000c;

/// ENABLE and PXLDAT; CLEAR; START.
pub const CS_ON: u32 = 1 | 1 << 14;
pub const CS_CLEAR: u32 = CS_ON | 1 << 4;
pub const CS_START: u32 = CS_ON | 1 << 3;

/// Settings that tests vary.
#[derive(Clone, Copy)]
pub struct Parallel {
    pub channel: u32,
    /// Setup, strobe and hold, in 10 ns.
    pub phases: [u32; 3],
    /// Words at which DMA is asked to read.
    pub threshold: u32,
    /// Words that DMA reads at once.
    pub burst: u32,
    /// Writes of 128 bits.
    pub wide: bool,
    pub length: u32,
    /// Bytes of each of the two control blocks; a ring of whole 256 samples would hide where DMA
    /// is.
    pub half: u32,
    /// A pin that is not routed.
    pub leave_out: u32,
}

impl Default for Parallel {
    fn default() -> Self {
        Self {
            channel: 5,
            phases: [1, 3, 1],
            threshold: 4,
            burst: 4,
            wide: true,
            length: u32::MAX,
            half: 4000,
            leave_out: 0,
        }
    }
}

impl Parallel {
    /// Routes GPIO 6 and 16 to 23.
    pub fn pins(&self, guest: &mut Guest) {
        let function = |pin: u32| if pin == self.leave_out { 0 } else { 5 };
        let of = |pins: std::ops::RangeInclusive<u32>| {
            pins.fold(0, |word, pin| word | function(pin) << (pin % 10 * 3))
        };
        guest
            .poke(GPIO, of(6..=6))
            .poke(GPIO + 4, of(16..=19))
            .poke(GPIO + 8, of(20..=23));
    }

    /// PLLD divided by five.
    pub fn clock(&self, guest: &mut Guest) {
        guest
            .poke(CM + 0xb4, 0x5a00_0000 | 5 << 12)
            .poke(CM + 0xb0, 0x5a00_0006)
            .poke(CM + 0xb0, 0x5a00_0016);
    }

    pub fn dsr(&self) -> u32 {
        let [setup, strobe, hold] = self.phases;
        1 << 30 | setup << 24 | hold << 16 | strobe
    }

    pub fn smi(&self, guest: &mut Guest) {
        guest
            .poke(SMI + 0x08, 0)
            .poke(SMI + 0x10, self.dsr())
            .poke(SMI + 0x30, 1 << 28 | 8 << 18 | self.threshold << 6)
            .poke(SMI + 0x04, self.length)
            .poke(SMI, CS_ON)
            .poke(SMI, CS_CLEAR);
    }

    pub fn blocks(&self, guest: &mut Guest) {
        let wide = u32::from(self.wide) << 5;
        let ti = 4 << 16 | (self.burst - 1) << 12 | 1 << 10 | wide | 1 << 4;
        for index in 0..2 {
            let at = BLOCKS + 32 * index;
            let to = BUS | (RING + index * self.half);
            let next = BUS | (BLOCKS + 32 * (1 - index));
            let words = [ti, FIFO, to, self.half, 0, next, 0, 0];
            for (word, value) in words.iter().enumerate() {
                guest.poke(at + 4 * word as u32, *value);
            }
        }
    }

    /// All of it.
    pub fn run(&self, guest: &mut Guest) {
        self.pins(guest);
        self.clock(guest);
        self.smi(guest);
        self.blocks(guest);
        self.start(guest);
    }

    /// Starts DMA and the reads.
    pub fn start(&self, guest: &mut Guest) {
        let dma = DMA + (self.channel << 8);
        guest
            .dsb()
            .poke(dma + 4, BUS | BLOCKS)
            .poke(dma, 1)
            .poke(SMI, CS_START);
    }
}
