//! A small encoder of ARM instructions, so that tests can be guests of a few lines.
//!
//! Encodings are from the ARM Architecture Reference Manual (DDI 0100I), chapter A3 and part C.
#![allow(dead_code, missing_docs)]

/// Address at which the image is loaded and starts.
pub const BASE: u32 = 0x8000;
/// Address at which [`Guest::with_mmu`] puts its page table.
const TABLE: u32 = 0x1_0000;

pub mod capture;
pub mod parallel;

/// ARM address of the peripherals, and their bus address.
pub const PERIPHERALS: u32 = 0x2000_0000;
pub const PERIPHERALS_BUS: u32 = 0x7e00_0000;

pub const UART: u32 = PERIPHERALS + 0x20_1000;
pub const MAILBOX: u32 = PERIPHERALS + 0xb880;
pub const TIMER: u32 = PERIPHERALS + 0x3000;
pub const INTC: u32 = PERIPHERALS + 0xb200;
pub const PM: u32 = PERIPHERALS + 0x10_0000;
pub const V3D: u32 = PERIPHERALS + 0xc0_0000;
pub const ASB: u32 = PERIPHERALS + 0xa000;

/// Descriptors of 1 MiB sections, full access, domain 0.
pub const WRITE_BACK: u32 = 0x0000_1c0e;
pub const UNCACHED: u32 = 0x0000_1c02;
pub const WRITE_THROUGH: u32 = 0x0000_0c0a;
pub const DEVICE: u32 = 0x0000_0c16;
pub const STRONGLY_ORDERED: u32 = 0x0000_0c12;

/// Code under construction.
#[derive(Default)]
pub struct Guest {
    words: Vec<u32>,
    table: Option<Vec<u32>>,
}

impl Guest {
    /// A guest with MMU and caches off.
    pub fn new() -> Self {
        Self::default()
    }

    /// A guest that starts by turning on the MMU and the caches, SCTLR.U and .XP: MiB 0 to 255 are
    /// write-back memory, the peripherals Device, all others fault. `change` edits the 4096
    /// entries.
    pub fn with_mmu(change: impl FnOnce(&mut Vec<u32>)) -> Self {
        let mut table: Vec<u32> = vec![0; 4096];
        for (mib, entry) in table.iter_mut().enumerate() {
            *entry = match mib as u32 {
                mib @ 0..=255 => mib << 20 | WRITE_BACK,
                mib if mib >> 4 == PERIPHERALS >> 24 => mib << 20 | DEVICE,
                _ => 0,
            };
        }
        change(&mut table);
        let mut guest = Self {
            table: Some(table),
            ..Self::default()
        };
        guest
            .set(0, 0)
            .cp15(0, 7, 7, 0) // invalidate both caches
            .cp15(0, 8, 7, 0) // and the TLB
            .cp15(0, 7, 10, 4) // DSB
            .set(1, TABLE)
            .cp15(1, 2, 0, 0) // TTBR0
            .set(1, 1)
            .cp15(1, 3, 0, 0) // DACR: domain 0 is a client
            .set(
                1,
                0x0005_0078 | 1 << 23 | 1 << 22 | 1 << 12 | 1 << 11 | 1 << 2 | 1,
            )
            .cp15(1, 1, 0, 0) // SCTLR: XP, U, I, Z, C, M
            .cp15(0, 7, 5, 4); // prefetch flush
        guest
    }

    /// VFP on, with this FPSCR.
    pub fn vfp(&mut self, fpscr: u32) -> &mut Self {
        self.set(0, 0x00f0_0000)
            .word(0xee01_0f50) // mcr p15, 0, r0, c1, c0, 2
            .set(0, 1 << 30)
            .word(0xeee8_0a10) // fmxr fpexc, r0
            .set(0, fpscr)
            .word(0xeee1_0a10) // fmxr fpscr, r0
    }

    /// The address of the next instruction.
    pub fn here(&self) -> u32 {
        BASE + 4 * self.words.len() as u32
    }

    /// Any instruction.
    pub fn word(&mut self, word: u32) -> &mut Self {
        self.words.push(word);
        self
    }

    /// rd = value, in four instructions.
    pub fn set(&mut self, rd: u32, value: u32) -> &mut Self {
        self.word(0xe3a0_0000 | rd << 12 | value & 0xff); // mov rd, #
        for byte in 1..4 {
            let rotation = 16 - 4 * byte;
            self.word(
                0xe380_0000 | rd << 16 | rd << 12 | rotation << 8 | value >> (8 * byte) & 0xff,
            );
        }
        self
    }

    /// ldr rd, [rn, #offset]
    pub fn ldr(&mut self, rd: u32, rn: u32, offset: u32) -> &mut Self {
        self.word(0xe590_0000 | rn << 16 | rd << 12 | offset)
    }

    /// str rd, [rn, #offset]
    pub fn str(&mut self, rd: u32, rn: u32, offset: u32) -> &mut Self {
        self.word(0xe580_0000 | rn << 16 | rd << 12 | offset)
    }

    /// mcr p15, 0, rd, c<crn>, c<crm>, op2
    pub fn cp15(&mut self, rd: u32, crn: u32, crm: u32, op2: u32) -> &mut Self {
        self.word(0xee00_0f10 | crn << 16 | rd << 12 | op2 << 5 | crm)
    }

    /// Stores `value` at `address`; clobbers r0 and r1.
    pub fn poke(&mut self, address: u32, value: u32) -> &mut Self {
        self.set(0, value).set(1, address).str(0, 1, 0)
    }

    /// Loads from `address` into r0, with a DMB behind it; leaves `address` in r1.
    pub fn peek(&mut self, address: u32) -> &mut Self {
        self.set(1, address).ldr(0, 1, 0);
        self.set(1, 0).cp15(1, 7, 10, 5).set(1, address)
    }

    /// Data synchronisation barrier; clobbers r0.
    pub fn dsb(&mut self) -> &mut Self {
        self.set(0, 0).cp15(0, 7, 10, 4)
    }

    /// Cleans the line of `address`; clobbers r0.
    pub fn clean(&mut self, address: u32) -> &mut Self {
        self.set(0, address).cp15(0, 7, 10, 1)
    }

    /// Invalidates the line of `address`; clobbers r0.
    pub fn invalidate(&mut self, address: u32) -> &mut Self {
        self.set(0, address).cp15(0, 7, 6, 1)
    }

    /// Waits for an interrupt; clobbers r0.
    pub fn wfi(&mut self) -> &mut Self {
        self.set(0, 0).cp15(0, 7, 0, 4)
    }

    /// Branches to `target` when `condition` (14: always) is met.
    pub fn branch(&mut self, condition: u32, target: u32) -> &mut Self {
        let offset = target.wrapping_sub(self.here() + 8) >> 2 & 0x00ff_ffff;
        self.word(condition << 28 | 0x0a00_0000 | offset)
    }

    /// Stays here for ever, asleep.
    pub fn hang(&mut self) -> &mut Self {
        let top = self.here();
        self.wfi().branch(14, top)
    }

    /// Loops until `register & mask` at `address` is not 0 (`set`) or 0, with a DMB behind it;
    /// clobbers r0, r1 and r2.
    pub fn poll(&mut self, address: u32, mask: u32, set: bool) -> &mut Self {
        self.set(1, address).set(2, mask);
        let top = self.here();
        self.ldr(0, 1, 0)
            .word(0xe110_0002) // tst r0, r2
            .branch(if set { 0 } else { 1 }, top)
            .set(1, 0)
            .cp15(1, 7, 10, 5)
    }

    /// Sends one property tag with the arguments in `values`, in a buffer at `buffer` (below 1 MiB,
    /// uncached or with the MMU off), and waits for the answer; clobbers r0, r1 and r2.
    pub fn property(&mut self, buffer: u32, tag: u32, values: &[u32]) -> &mut Self {
        let bytes = 4 * values.len() as u32;
        let mut words = vec![bytes + 24, 0, tag, bytes, bytes];
        words.extend(values);
        words.push(0);
        for (index, word) in words.iter().enumerate() {
            self.poke(buffer + 4 * index as u32, *word);
        }
        self.dsb()
            .poke(MAILBOX + 0x20, buffer | 0x4000_0000 | 8)
            .poll(MAILBOX + 0x18, 1 << 30, false)
            .peek(MAILBOX)
    }

    /// GPIO 14 and 15 to ALT0, 115,200 baud from 48 MHz, FIFOs on; clobbers r0 and r1.
    pub fn uart(&mut self) -> &mut Self {
        self.poke(capture::GPIO + 0x04, 4 << 12 | 4 << 15)
            .poke(UART + 0x24, 26)
            .poke(UART + 0x28, 3)
            .poke(UART + 0x2c, 0x70)
            .poke(UART + 0x30, 0x301)
    }

    /// The flat image, with the page table behind the code.
    pub fn image(&self) -> Vec<u8> {
        let mut words = self.words.clone();
        if let Some(table) = &self.table {
            words.resize((TABLE - BASE) as usize / 4, 0);
            words.extend(table);
        }
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}
