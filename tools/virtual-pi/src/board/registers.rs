//! The peripherals at their addresses.

use super::Board;
use crate::devices::dma::Dma;
use crate::devices::mailbox;
use crate::devices::v3d::SRQPC;
use crate::fault::{Agent, FaultKind};
use crate::map::Block;

impl Board {
    /// True if to read this register changes nothing, no event's time either: registers of the
    /// system timer, and the status of mailbox 0, which guests read again and again as they wait.
    pub fn only_looks(&self, address: u32) -> bool {
        matches!(
            self.config.map.block(address),
            Some((Block::SystemTimer, _) | (Block::Mailbox, mailbox::STATUS))
        )
    }

    /// Reads a peripheral register at its ARM address.
    ///
    /// # Errors
    /// Nothing there, not modelled, or another one has been read with no barrier since.
    pub fn read_register(&mut self, address: u32, now: u64) -> Result<u32, FaultKind> {
        self.check_order(address)?;
        self.read_from = Some(page(address));
        let (block, offset) = self.block(address)?;
        self.bring(block, now);
        match block {
            Block::SystemTimer => self.timer.read(offset),
            Block::Interrupts => {
                self.advance(now);
                self.interrupts();
                self.intc.read(offset)
            }
            Block::Mailbox => self.mailbox.read(offset),
            Block::Asb => self.asb.read(offset),
            Block::Dma => self.sampling.dma.read(offset, &self.sampling.paced, now),
            Block::Pm => self.pm.read(offset, now),
            Block::ClockManager => self.sampling.clocks.read(offset, now),
            Block::Gpio => {
                let outside = self.sampling.levels(&self.gpio, now);
                self.gpio.read(offset, outside, now)
            }
            Block::Pcm => self.sampling.paced.pcm.read(offset),
            Block::Smi => self.sampling.paced.smi.read(offset),
            Block::Uart => self.uart.read(offset),
            Block::V3d => Ok(self.v3d.read(offset)),
        }
    }

    /// The block at an ARM address, and the offset in it.
    fn block(&self, address: u32) -> Result<(Block, u32), FaultKind> {
        let map = self.config.map;
        map.block(address)
            .ok_or_else(|| match map.unmodelled(address) {
                Some(name) => FaultKind::NotModelled(format!("{name}, at {address:#010x}")),
                None => FaultKind::Unmapped,
            })
    }

    /// Brings a block to `now`.
    fn bring(&mut self, block: Block, now: u64) {
        match block {
            Block::SystemTimer => {
                self.timer.advance(now);
            }
            Block::Dma | Block::Gpio | Block::Pcm | Block::Smi => {
                self.advance_sampling(now);
            }
            Block::Uart => {
                self.uart.advance(now);
            }
            Block::V3d => {
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
        let (block, offset) = self.block(address)?;
        match (block, offset) {
            (Block::Mailbox, mailbox::WRITE) => self.check_barrier(Agent::Mailbox)?,
            (Block::Dma, _) if Dma::starts(offset, value) => self.check_barrier(Agent::Dma)?,
            (Block::V3d, SRQPC) => self.check_barrier(Agent::V3d)?,
            _ => {}
        }
        self.bring(block, now);
        match block {
            Block::SystemTimer => self.timer.write(offset, value),
            Block::Interrupts => self.intc.write(offset, value),
            Block::Mailbox => self.mailbox.write(offset, value, now),
            Block::Dma => self.sampling.dma.write(offset, value, now),
            Block::Pm => {
                self.note_password("PM", offset, value);
                let held = self.pm.v3d_held;
                self.pm.write(offset, value, now)?;
                if self.pm.v3d_held && !held {
                    self.reset_v3d();
                }
                Ok(())
            }
            Block::ClockManager => {
                self.note_password("the clock manager", offset, value);
                self.advance_sampling(now);
                self.sampling.clocks.write(offset, value, now)?;
                self.sampling.rewire(&self.gpio, now)
            }
            Block::Pcm => {
                self.sampling.paced.pcm.write(offset, value, now)?;
                self.sampling.rewire(&self.gpio, now)
            }
            Block::Smi => self.sampling.paced.smi.write(offset, value, now),
            Block::Asb => {
                self.v3d_at(now);
                self.asb.write(offset, value, self.config.v3d_reset)?;
                self.v3d.halted = self.asb.master.stands;
                Ok(())
            }
            Block::Gpio => {
                self.uart.advance(now);
                self.gpio.write(offset, value, now)?;
                self.uart
                    .set_pins(self.gpio.uart_sends(), self.gpio.uart_receives());
                self.sampling.rewire(&self.gpio, now)
            }
            Block::Uart => self.uart.write(offset, value, now),
            Block::V3d => {
                self.v3d.write(offset, value);
                Ok(())
            }
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
        let is_other = |read| read != page(address);
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

/// The page of an address, which stands for its peripheral in the check of barriers. Mailbox and
/// interrupt controller share one and count as the same.
fn page(address: u32) -> u32 {
    address & !0xfff
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;
    use crate::clock::ARM_HZ;
    use crate::map::MemoryMap;

    #[test]
    fn a_register_that_only_looks_leaves_events_and_interrupts_as_they_are() {
        let mut board = Board::new(&Config::default());
        let map = board.config.map;
        let timer = map.address(Block::SystemTimer);
        let mailbox = map.address(Block::Mailbox);
        // A match of the timer in a second, and before it an answer of the mailbox.
        for (address, value) in [(timer + 0x10, 1_000_000), (mailbox + 0x20, 0x8008)] {
            board.barrier();
            board.write_register(address, value, 0).expect("a register");
        }
        let (next, interrupts) = (board.advance(0), board.interrupts());
        let looks = (timer..timer + 0x1c).step_by(4).chain([mailbox + 0x18]);
        for address in looks {
            assert!(board.only_looks(address), "{address:#x}");
            board.barrier();
            board.read_register(address, next - 1).expect("a register");
            assert_eq!(board.advance(next - 1), next, "{address:#x}");
            assert_eq!(board.interrupts(), interrupts, "{address:#x}");
        }
        assert!(next < ARM_HZ, "the answer is before the match");
        assert!(!board.only_looks(mailbox), "it takes an answer out");
    }

    #[test]
    fn a_board_answers_at_the_base_that_it_is_given() {
        let bases = [MemoryMap::BCM2835.peripherals, 0x3f00_0000];
        for (base, other) in [(bases[0], bases[1]), (bases[1], bases[0])] {
            let map = MemoryMap {
                peripherals: base,
                ..MemoryMap::BCM2835
            };
            let mut board = Board::new(&Config {
                map,
                ..Config::default()
            });
            // A compare of the timer, DREQ_A of PCM, and GPIO's functions.
            for (offset, value) in [(0x3010, 5), (0x20_3014, 0x20), (0x20_0000, 0o1234)] {
                board.write_register(base + offset, value, 0).unwrap();
                let unmapped = board.write_register(other + offset, 0, 0);
                assert_eq!(unmapped, Err(FaultKind::Unmapped));
                let unmapped = board.read_register(other + offset, 0);
                assert_eq!(unmapped, Err(FaultKind::Unmapped));
                board.barrier();
                assert_eq!(board.read_register(base + offset, 0), Ok(value));
                board.barrier();
            }
            // SPI0, which is not modelled.
            let gap = board.read_register(base + 0x20_4000, 0);
            assert!(matches!(gap, Err(FaultKind::NotModelled(_))));
            board.barrier();
            let unmapped = board.read_register(other + 0x20_4000, 0);
            assert_eq!(unmapped, Err(FaultKind::Unmapped));
        }
    }
}
