//! PM: the watchdog, which is also how a board reboots, and the cause of the last reset.
//!
//! Writes without the password 0x5A in bits 31:24 have no effect, as on silicon. The power-domain
//! registers of this block are not modelled; V3D is powered through the mailbox.
//!
//! Source: Linux `bcm2835_wdt.c` and `bcm2835-pm.h`; reference/platform.md, register maps.

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

/// The block.
pub struct Pm {
    rstc: u32,
    rsts: u32,
    /// RSTS as the boot firmware found it. Reading clears the register, and it has read it.
    found: u32,
    /// Ticks written last.
    watchdog: u32,
    /// Clock of that write, or of the last `RSTC` that started it.
    started: u64,
    fired: bool,
}

impl Pm {
    /// As after power-on.
    pub fn new() -> Self {
        Self {
            rstc: RSTC_RESET,
            rsts: 0,
            found: HADPOR,
            watchdog: 0,
            started: 0,
            fired: false,
        }
    }

    /// As after a reset by the watchdog: RSTS survives and says so, to the firmware.
    pub fn after_watchdog(&self) -> Self {
        Self {
            found: self.rsts | HADWRF,
            ..Self::new()
        }
    }

    /// RSTS as the boot firmware found it (raspberrypi/linux 932).
    pub fn found(&self) -> u32 {
        self.found
    }

    fn expires(&self) -> u64 {
        if self.rstc & WRCFG != WRCFG_FULL_RESET {
            return NEVER;
        }
        self.started + u64::from(self.watchdog) * ARM_HZ / WATCHDOG_HZ
    }

    /// Whether the watchdog has reset the board.
    pub fn fired(&self) -> bool {
        self.fired
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
            _ => return Err(gap(offset)),
        })
    }

    /// Writes a register.
    pub fn write(&mut self, offset: u32, value: u32, now: u64) -> Result<(), FaultKind> {
        if !matches!(offset, 0x1c | 0x20 | 0x24) {
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
        assert!(!pm.fired());
        pm.advance(ARM_HZ + 700);
        assert!(pm.fired());
        assert_eq!(pm.found(), HADPOR);
        let after = pm.after_watchdog();
        assert_eq!((after.found(), after.read(0x20, 0)), (HADWRF, Ok(0)));
    }
}
