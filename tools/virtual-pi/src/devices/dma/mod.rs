//! DMA: channels 0 to 14. Channels 7 to 14 are lite ones.
//!
//! The firmware keeps some channels for itself; a channel that is not in its mask (property tag
//! 0x0006_0001) is not the ARM's, and starting it is a mistake.
//!
//! Sources: BCM2835 ARM Peripherals, chapter 4; Linux' device tree `bcm2835-common.dtsi` for the
//! interrupts: 16 to 26 for channels 0 to 10, and 27 for 11 to 14.

mod bus;
mod channel;
mod control_block;
mod paced;

pub use bus::{DmaBus, Writes};
use channel::Channel;
use control_block::misuse;
pub use paced::Paced;

use super::NEVER;
use crate::defect::Holds;
use crate::fault::FaultKind;
use crate::rules::{BlockRule, BrokenRules};

/// Channels that the firmware leaves to the ARM: 0, 2, 4, 5 and 8 to 14.
pub const FREE_CHANNELS: u32 = 0x7f35;
const CHANNELS: usize = 15;
/// DEST_AD of a channel.
const DEST_AD: u32 = 0x10;
const INT_STATUS: u32 = 0xfe0;
const ENABLE: u32 = 0xff0;
/// The first GPU interrupt, and the one that channels 11 to 14 share.
const FIRST_INTERRUPT: u32 = 16;
const SHARED_INTERRUPT: u32 = 27;

/// The controller.
pub struct Dma {
    channels: [Channel; CHANNELS],
    enable: u32,
    /// Bits of ENABLE that the program has set itself.
    enabled: u32,
    /// A bit for each channel that may have something to do.
    live: u32,
    /// The next read of a channel fails.
    pub fails: bool,
    /// The times at which no channel begins anything.
    pub holds: Holds,
    /// Rules that were broken.
    pub broken: BrokenRules,
}

impl Dma {
    /// The controller after reset.
    pub fn new(holds: Holds) -> Self {
        Self {
            channels: std::array::from_fn(|number| Channel::new(number as u32)),
            enable: 0x7fff,
            enabled: 0,
            live: 0,
            fails: false,
            holds,
            broken: BrokenRules::default(),
        }
    }

    /// The clock at which a channel does something.
    pub fn next_event(&self, paced: &Paced) -> u64 {
        let mut next = NEVER;
        let mut live = self.live;
        while live != 0 {
            let number = live.trailing_zeros();
            live &= live - 1;
            next = next.min(self.channels[number as usize].next_event(paced));
        }
        next
    }

    /// Does what is due at `now`.
    ///
    /// # Errors
    /// A mistake of the guest, with an address.
    pub fn act(
        &mut self,
        now: u64,
        paced: &mut Paced,
        bus: &mut DmaBus<'_>,
    ) -> Result<(), (FaultKind, u32)> {
        let held_until = self.holds.held_until(now);
        for (number, channel) in self.channels.iter_mut().enumerate() {
            if self.live >> number & 1 != 0 && channel.next_event(paced) <= now {
                channel.act(now, paced, bus, held_until, &mut self.fails)?;
                if !channel.is_live() {
                    self.live &= !(1 << number);
                }
            }
        }
        Ok(())
    }

    /// GPU interrupts.
    pub fn interrupts(&self) -> u64 {
        let lines = self.channels.iter().enumerate();
        lines
            .filter(|(_, channel)| channel.interrupts())
            .fold(0, |bits, (number, _)| {
                bits | 1 << (FIRST_INTERRUPT + number as u32).min(SHARED_INTERRUPT)
            })
    }

    /// Reads a register; time has been brought up to now.
    ///
    /// # Errors
    /// No such register.
    pub fn read(&mut self, offset: u32, paced: &Paced, now: u64) -> Result<u32, FaultKind> {
        match offset {
            INT_STATUS => {
                let lines = self.channels.iter().enumerate();
                let set = lines.filter(|(_, channel)| channel.interrupts());
                Ok(set.fold(0, |bits, (number, _)| bits | 1 << number))
            }
            ENABLE => Ok(self.enable),
            _ => match self.channels.get_mut(offset as usize >> 8) {
                Some(channel) => {
                    if offset & 0xff == DEST_AD && channel.is_live() {
                        self.holds.look(now);
                    }
                    channel.read(offset & 0xff, paced)
                }
                None => Err(FaultKind::Unmapped),
            },
        }
    }

    /// True if a write of this register may start a channel.
    pub fn starts(offset: u32, value: u32) -> bool {
        offset & 0xff == 0 && offset < 0xf00 && value & 1 != 0
    }

    /// Writes a register at `now`; time has been brought up to it.
    ///
    /// # Errors
    /// No such register, a channel of the firmware, or a change that the manual forbids.
    pub fn write(&mut self, offset: u32, value: u32, now: u64) -> Result<(), FaultKind> {
        let number = offset >> 8;
        match self.channels.get_mut(number as usize) {
            None if offset == ENABLE => {
                self.enable = value & 0x7fff;
                self.enabled |= self.enable;
            }
            None if offset == INT_STATUS => {}
            None => return Err(FaultKind::Unmapped),
            Some(_) if FREE_CHANNELS >> number & 1 == 0 => {
                return Err(misuse("this channel belongs to the firmware (tag 0x60001)"));
            }
            Some(_) if Self::starts(offset, value) && self.enable >> number & 1 == 0 => {
                return Err(misuse("the channel is switched off in ENABLE"));
            }
            Some(channel) => {
                self.live |= 1 << number;
                let is_enabled = self.enabled >> number & 1 != 0;
                self.broken.note_if(BlockRule::DmaEnable, !is_enabled);
                if let Some(rule) = channel.rule_broken_by(offset & 0xff, value, now) {
                    self.broken.note(rule);
                }
                channel.write(offset & 0xff, value, now)?;
            }
        }
        Ok(())
    }
}
