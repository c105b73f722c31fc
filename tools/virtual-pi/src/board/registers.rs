//! The peripherals at their addresses.

use super::Board;
use crate::devices::dma::Dma;
use crate::devices::v3d::SRQPC;
use crate::fault::{Agent, FaultKind};

/// The SMI block.
const SMI: u32 = 0x2060_0000;
/// Blocks of the BCM2835 that are not modelled: their first and last address.
///
/// Source: BCM2835 ARM Peripherals, section 1.2; docs/hardware/platform.md, register maps.
const UNMODELLED: [(u32, u32, &str); 13] = [
    (0x2000_b400, 0x2000_b4ff, "the ARM timer"),
    (0x2010_4000, 0x2010_4fff, "the random number generator"),
    (0x2020_2000, 0x2020_2fff, "SDHOST"),
    (0x2020_4000, 0x2020_4fff, "SPI0"),
    (0x2020_5000, 0x2020_5fff, "I2C0"),
    (0x2020_c000, 0x2020_cfff, "PWM"),
    (0x2021_2000, 0x2021_2fff, "the temperature sensor"),
    (0x2021_4000, 0x2021_4fff, "the SPI slave"),
    (0x2021_5000, 0x2021_5fff, "AUX (mini UART, SPI1, SPI2)"),
    (0x2030_0000, 0x2030_0fff, "EMMC"),
    (0x2080_4000, 0x2080_4fff, "I2C1"),
    (0x2080_5000, 0x2080_5fff, "I2C2"),
    (0x2098_0000, 0x2099_ffff, "USB"),
];

impl Board {
    /// True if to read this register changes nothing, no event's time either: registers of the
    /// system timer, and the status of mailbox 0, which guests read again and again as they wait.
    pub const fn only_looks(address: u32) -> bool {
        matches!(address, 0x2000_3000..0x2000_4000 | 0x2000_b898)
    }

    /// Reads a peripheral register at its ARM address.
    ///
    /// # Errors
    /// Nothing there, not modelled, or another one has been read with no barrier since.
    pub fn read_register(&mut self, address: u32, now: u64) -> Result<u32, FaultKind> {
        self.check_order(address)?;
        let (page, offset) = (address & !0xfff, address & 0xfff);
        self.read_from = Some(page);
        self.bring(page, now);
        match page {
            0x2000_3000 => self.timer.read(offset),
            0x2000_b000 => match offset {
                0x200..=0x227 => {
                    self.advance(now);
                    self.interrupts();
                    self.intc.read(offset - 0x200)
                }
                0x880..=0x8bf => self.mailbox.read(offset - 0x880),
                _ => Err(missing(address)),
            },
            0x2000_a000 => self.asb.read(offset),
            0x2000_7000 => self.sampling.dma.read(offset, &self.sampling.paced, now),
            0x2010_0000 => self.pm.read(offset, now),
            0x2010_1000 => self.sampling.clocks.read(offset, now),
            0x2020_0000 => {
                let outside = self.sampling.levels(&self.gpio, now);
                self.gpio.read(offset, outside, now)
            }
            0x2020_3000 => self.sampling.paced.pcm.read(offset),
            SMI => self.sampling.paced.smi.read(offset),
            0x2020_1000 => self.uart.read(offset),
            0x20c0_0000 => Ok(self.v3d.read(offset)),
            _ => Err(missing(address)),
        }
    }

    /// Brings the block of a page to `now`.
    fn bring(&mut self, page: u32, now: u64) {
        match page {
            0x2000_3000 => {
                self.timer.advance(now);
            }
            0x2000_7000 | 0x2020_0000 | 0x2020_3000 | SMI => {
                self.advance_sampling(now);
            }
            0x2020_1000 => {
                self.uart.advance(now);
            }
            0x20c0_0000 => {
                self.v3d_at(now);
            }
            _ => {}
        }
    }

    /// Writes a peripheral register at its ARM address.
    ///
    /// # Errors
    /// Nothing there, not modelled, a start without a barrier, or another one has been read
    /// without.
    pub fn write_register(&mut self, address: u32, value: u32, now: u64) -> Result<(), FaultKind> {
        self.check_order(address)?;
        let (page, offset) = (address & !0xfff, address & 0xfff);
        match (page, offset) {
            (0x2000_b000, 0x8a0) => self.check_barrier(Agent::Mailbox)?,
            (0x2000_7000, _) if Dma::starts(offset, value) => self.check_barrier(Agent::Dma)?,
            (0x20c0_0000, SRQPC) => self.check_barrier(Agent::V3d)?,
            _ => {}
        }
        self.bring(page, now);
        match page {
            0x2000_3000 => self.timer.write(offset, value),
            0x2000_b000 => match offset {
                0x200..=0x227 => self.intc.write(offset - 0x200, value),
                0x880..=0x8bf => self.mailbox.write(offset - 0x880, value, now),
                _ => Err(missing(address)),
            },
            0x2000_7000 => self.sampling.dma.write(offset, value, now),
            0x2010_0000 => {
                self.note_password("PM", offset, value);
                let held = self.pm.v3d_held;
                self.pm.write(offset, value, now)?;
                if self.pm.v3d_held && !held {
                    self.reset_v3d();
                }
                Ok(())
            }
            0x2010_1000 => {
                self.note_password("the clock manager", offset, value);
                self.advance_sampling(now);
                self.sampling.clocks.write(offset, value, now)?;
                self.sampling.rewire(&self.gpio, now)
            }
            0x2020_3000 => {
                self.sampling.paced.pcm.write(offset, value, now)?;
                self.sampling.rewire(&self.gpio, now)
            }
            SMI => self.sampling.paced.smi.write(offset, value, now),
            0x2000_a000 => {
                self.v3d_at(now);
                self.asb.write(offset, value, self.config.v3d_reset)?;
                self.v3d.halted = self.asb.master.stands;
                Ok(())
            }
            0x2020_0000 => {
                self.uart.advance(now);
                self.gpio.write(offset, value, now)?;
                self.uart
                    .set_pins(self.gpio.uart_sends(), self.gpio.uart_receives());
                self.sampling.rewire(&self.gpio, now)
            }
            0x2020_1000 => self.uart.write(offset, value, now),
            0x20c0_0000 => {
                self.v3d.write(offset, value);
                Ok(())
            }
            _ => Err(missing(address)),
        }
    }

    /// DMB or DSB: what was read has arrived.
    pub fn barrier(&mut self) {
        self.read_from = None;
    }

    fn note_password(&mut self, block: &str, offset: u32, value: u32) {
        if value >> 24 != 0x5a {
            self.notes.push(format!(
                "{block}: a write to +{offset:#05x} without the password 0x5A has no effect"
            ));
        }
    }

    fn check_order(&self, address: u32) -> Result<(), FaultKind> {
        let is_other = |block| block != address & !0xfff;
        if self.config.checks.peripheral_order && self.read_from.is_some_and(is_other) {
            return Err(FaultKind::PeripheralOrder);
        }
        Ok(())
    }

    /// Check 5: V3D, DMA and the firmware read memory as soon as they are started, so that nothing
    /// may be on its way to memory: no cache clean and no store to write-through or uncached Normal
    /// memory since the last DSB. Stores that only the cache holds are check 1, when they are read.
    fn check_barrier(&self, agent: Agent) -> Result<(), FaultKind> {
        if self.config.checks.barrier && self.lines.undrained.is_some() {
            return Err(FaultKind::MissingBarrier(agent));
        }
        Ok(())
    }
}

/// The fault of an access to an address where this model has nothing.
fn missing(address: u32) -> FaultKind {
    let is_in = |(first, last, _): &&(u32, u32, &str)| (*first..=*last).contains(&address);
    match UNMODELLED.iter().find(is_in) {
        Some((.., name)) => FaultKind::NotModelled(format!("{name}, at {address:#010x}")),
        None => FaultKind::Unmapped,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;
    use crate::clock::ARM_HZ;

    #[test]
    fn a_register_that_only_looks_leaves_events_and_interrupts_as_they_are() {
        let mut board = Board::new(&Config::default());
        // A match of the timer in a second, and before it an answer of the mailbox.
        for (address, value) in [(0x2000_3010, 1_000_000), (0x2000_b8a0, 0x8008)] {
            board.barrier();
            board.write_register(address, value, 0).expect("a register");
        }
        let (next, interrupts) = (board.advance(0), board.interrupts());
        for address in (0x2000_3000..0x2000_301c).step_by(4).chain([0x2000_b898]) {
            assert!(Board::only_looks(address), "{address:#x}");
            board.barrier();
            board.read_register(address, next - 1).expect("a register");
            assert_eq!(board.advance(next - 1), next, "{address:#x}");
            assert_eq!(board.interrupts(), interrupts, "{address:#x}");
        }
        assert!(next < ARM_HZ, "the answer is before the match");
        assert!(!Board::only_looks(0x2000_b880), "it takes an answer out");
    }
}
