//! PM: the watchdog, which is also how a board reboots, and the cause of the last reset.
//!
//! Writes without the password 0x5A in bits 31:24 have no effect, as on silicon. Of the
//! power-domain registers only PM_GRAFX is modelled, and of that only the reset line of V3D can be
//! moved; V3D is powered through the mailbox.
//!
//! Source: Linux `bcm2835_wdt.c`, `bcm2835-pm.h` and `bcm2835-power.c`; docs/hardware/platform.md,
//! register maps.

use super::NEVER;
use crate::clock::{ARM_HZ, WATCHDOG_HZ};
use crate::fault::FaultKind;

const PASSWORD: u32 = 0x5a00_0000;
/// RSTC.WRCFG.
const WRCFG: u32 = 3 << 4;
const WRCFG_FULL_RESET: u32 = 2 << 4;
/// RSTC after power-on.
const RSTC_RESET: u32 = 0x102;
/// RSTS: power-on reset.
const HADPOR: u32 = 1 << 12;
/// RSTS: full reset by the watchdog.
const HADWRF: u32 = 1 << 5;
const TICKS: u32 = 0xf_ffff;
/// PM_GRAFX without power: ENAB.
const GRAFX_OFF: u32 = 1 << 12;
/// PM_GRAFX with power: ISFUNC, MRDONE, MEMREP, ISPOW, POWOK, POWUP as well.
const GRAFX_ON: u32 = GRAFX_OFF | 0x3f;
/// PM_GRAFX: V3D is not held in reset.
const V3DRSTN: u32 = 1 << 6;

/// The block.
#[derive(Default)]
pub struct Pm {
    rstc: u32,
    rsts: u32,
    /// RSTS as the boot firmware found it (raspberrypi/linux 932). Reading clears the register, and
    /// it has read it.
    pub found: u32,
    /// Ticks written last.
    watchdog: u32,
    /// Clock of that write, or of the last `RSTC` that started it.
    started: u64,
    /// The watchdog has reset the board.
    pub fired: bool,
    v3d_powered: bool,
    /// V3D is held in reset.
    pub v3d_held: bool,
}

impl Pm {
    /// The state after power-on.
    pub fn new() -> Self {
        Self {
            rstc: RSTC_RESET,
            found: HADPOR,
            ..Self::default()
        }
    }

    /// The firmware switched V3D on, which lets go its reset line, or off.
    pub fn set_v3d_power(&mut self, powered: bool) {
        if powered && !self.v3d_powered {
            self.v3d_held = false;
        }
        self.v3d_powered = powered;
    }

    fn grafx(&self) -> u32 {
        match (self.v3d_powered, self.v3d_held) {
            (false, _) => GRAFX_OFF,
            (true, true) => GRAFX_ON,
            (true, false) => GRAFX_ON | V3DRSTN,
        }
    }

    /// The state after a reset by the watchdog: RSTS survives and says so, to the firmware.
    pub fn after_watchdog(&self) -> Self {
        Self {
            found: self.rsts | HADWRF,
            ..Self::new()
        }
    }

    fn expires(&self) -> u64 {
        if self.rstc & WRCFG != WRCFG_FULL_RESET {
            return NEVER;
        }
        self.started + u64::from(self.watchdog) * ARM_HZ / WATCHDOG_HZ
    }

    /// Fires when it is time; returns when it will be.
    pub fn advance(&mut self, now: u64) -> u64 {
        let expires = self.expires();
        self.fired |= now >= expires;
        expires
    }

    /// Reads a register.
    pub fn read(&self, offset: u32, now: u64) -> Result<u32, FaultKind> {
        Ok(match offset {
            0x1c => self.rstc,
            0x20 => self.rsts,
            0x24 if self.rstc & WRCFG == WRCFG_FULL_RESET => {
                let gone = (now - self.started) * WATCHDOG_HZ / ARM_HZ;
                self.watchdog.saturating_sub(gone as u32)
            }
            0x24 => self.watchdog,
            0x10c => self.grafx(),
            _ => return Err(gap(offset)),
        })
    }

    /// Writes a register.
    pub fn write(&mut self, offset: u32, value: u32, now: u64) -> Result<(), FaultKind> {
        if !matches!(offset, 0x1c | 0x20 | 0x24 | 0x10c) {
            return Err(gap(offset));
        }
        if value & 0xff00_0000 != PASSWORD {
            return Ok(());
        }
        let value = value & 0x00ff_ffff;
        match offset {
            0x1c => {
                if self.rstc & WRCFG != WRCFG_FULL_RESET {
                    self.started = now;
                }
                self.rstc = value;
            }
            0x20 => self.rsts = value,
            0x10c if (value ^ self.grafx()) & !V3DRSTN != 0 => {
                return Err(FaultKind::NotModelled(format!(
                    "PM_GRAFX written with {value:#x}; only V3DRSTN (bit 6) can be changed"
                )));
            }
            0x10c => self.v3d_held = value & V3DRSTN == 0,
            _ => {
                self.watchdog = value & TICKS;
                self.started = now;
            }
        }
        Ok(())
    }
}

fn gap(offset: u32) -> FaultKind {
    FaultKind::NotModelled(format!(
        "PM register +{offset:#05x}; power V3D through the mailbox"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_watchdog_resets_when_armed_with_the_password() {
        let mut pm = Pm::new();
        pm.write(0x24, 16, 0).unwrap();
        pm.write(0x1c, 0x20, 0).unwrap();
        assert_eq!(pm.advance(0), NEVER);
        pm.write(0x24, PASSWORD | 65_536, 700).unwrap();
        pm.write(0x1c, PASSWORD | 0x20, 700).unwrap();
        assert_eq!(pm.advance(1000), ARM_HZ + 700);
        assert!(!pm.fired);
        pm.advance(ARM_HZ + 700);
        assert!(pm.fired);
        assert_eq!(pm.found, HADPOR);
        let after = pm.after_watchdog();
        assert_eq!((after.found, after.read(0x20, 0)), (HADWRF, Ok(0)));
    }

    #[test]
    fn the_reset_line_of_v3d_moves_with_the_password() {
        let mut pm = Pm::new();
        assert_eq!(pm.read(0x10c, 0), Ok(0x1000));
        pm.set_v3d_power(true);
        assert_eq!(pm.read(0x10c, 0), Ok(0x107f));
        pm.write(0x10c, 0x103f, 0).unwrap();
        assert!(!pm.v3d_held);
        pm.write(0x10c, PASSWORD | 0x103f, 0).unwrap();
        assert!(pm.v3d_held);
        pm.write(0x10c, PASSWORD | 0x107f, 0).unwrap();
        assert!(!pm.v3d_held);
        assert!(pm.write(0x10c, PASSWORD | 0x107e, 0).is_err());
    }
}
