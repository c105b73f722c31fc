//! Interrupt controller: which of the 64 GPU and 8 ARM sources reach the core, as IRQ or FIQ.
//!
//! Source: BCM2835 ARM Peripherals, section 7; register map of docs/hardware/platform.md.

use crate::fault::FaultKind;

/// GPU sources that have a bit of their own in the basic pending register, from bit 10 on.
const SHORTCUTS: [u32; 11] = [7, 9, 10, 18, 19, 53, 54, 55, 56, 57, 62];

/// The controller. Sources are levels, given anew at each look.
#[derive(Default)]
pub struct InterruptController {
    enabled: u64,
    enabled_basic: u32,
    fiq_control: u32,
    sources: u64,
    sources_basic: u32,
}

impl InterruptController {
    /// Takes the levels of the sources; returns (IRQ, FIQ).
    pub fn update(&mut self, gpu: u64, basic: u32) -> (bool, bool) {
        self.sources = gpu;
        self.sources_basic = basic;
        let fiq = self.fiq_control & 1 << 7 != 0
            && match self.fiq_control & 0x7f {
                source @ 0..=63 => gpu >> source & 1 != 0,
                source @ 64..=71 => basic >> (source - 64) & 1 != 0,
                _ => false,
            };
        (
            gpu & self.enabled != 0 || basic & self.enabled_basic != 0,
            fiq,
        )
    }

    /// Reads a register.
    pub fn read(&self, offset: u32) -> Result<u32, FaultKind> {
        let pending = self.sources & self.enabled;
        Ok(match offset {
            0x00 => self.basic_pending(pending),
            0x04 => pending as u32,
            0x08 => (pending >> 32) as u32,
            0x0c => self.fiq_control,
            0x10 | 0x1c => self.enabled as u32,
            0x14 | 0x20 => (self.enabled >> 32) as u32,
            0x18 | 0x24 => self.enabled_basic,
            _ => return Err(FaultKind::Unmapped),
        })
    }

    /// Writes a register.
    pub fn write(&mut self, offset: u32, value: u32) -> Result<(), FaultKind> {
        match offset {
            0x0c => self.fiq_control = value & 0xff,
            0x10 => self.enabled |= u64::from(value),
            0x14 => self.enabled |= u64::from(value) << 32,
            0x18 => self.enabled_basic |= value & 0xff,
            0x1c => self.enabled &= !u64::from(value),
            0x20 => self.enabled &= !(u64::from(value) << 32),
            0x24 => self.enabled_basic &= !value,
            0x00..=0x08 => {}
            _ => return Err(FaultKind::Unmapped),
        }
        Ok(())
    }

    /// Bits 8 and 9 say that other sources of the two registers are pending.
    fn basic_pending(&self, pending: u64) -> u32 {
        let mut value = self.sources_basic & self.enabled_basic;
        let mut others = pending;
        for (bit, source) in SHORTCUTS.iter().enumerate() {
            value |= ((pending >> source & 1) as u32) << (10 + bit);
            others &= !(1 << source);
        }
        value | u32::from(others as u32 != 0) << 8 | u32::from(others >> 32 != 0) << 9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_enabled_sources_reach_the_core() {
        let mut controller = InterruptController::default();
        assert_eq!(controller.update(1 << 57 | 1 << 1, 0), (false, false));
        controller.write(0x14, 1 << 25).unwrap();
        assert_eq!(controller.update(1 << 57 | 1 << 1, 0), (true, false));
        assert_eq!(controller.read(0x00), Ok(1 << 19));
        assert_eq!(controller.read(0x08), Ok(1 << 25));
        controller.write(0x10, 2).unwrap();
        assert_eq!(controller.read(0x00), Ok(1 << 19 | 1 << 8));
        controller.write(0x20, 1 << 25).unwrap();
        controller.write(0x1c, 2).unwrap();
        controller.write(0x0c, 0x80 | 57).unwrap();
        assert_eq!(controller.update(1 << 57, 0), (false, true));
    }
}
