//! ASB: the bridges between V3D and the rest of the chip.
//!
//! While the slave bridge stands, an access to V3D's registers never ends; while the master bridge
//! stands, V3D does not run, since it cannot reach memory. Requests are acknowledged at once. What
//! a board does when the ARM uses a bridge that stands is not documented; these are the strict
//! readings. Bridges of other blocks are not modelled.
//!
//! Source: Linux `bcm2835-power.c`.

use crate::config::V3dReset;
use crate::fault::FaultKind;

const PASSWORD: u32 = 0x5a00_0000;
const REQ_STOP: u32 = 1 << 0;
const ACK: u32 = 1 << 1;
/// "BRDG".
const BRIDGE_ID: u32 = 0x6272_6467;

/// Both bridges of V3D.
#[derive(Default)]
pub struct Asb {
    /// To V3D's registers.
    pub slave: Bridge,
    /// From V3D to memory.
    pub master: Bridge,
}

/// A bridge.
#[derive(Default)]
pub struct Bridge {
    asked: bool,
    /// What is behind it is cut off.
    pub stands: bool,
}

impl Bridge {
    fn read(&self) -> u32 {
        let bit = |set: bool, bit: u32| if set { bit } else { 0 };
        bit(self.asked, REQ_STOP) | bit(self.stands, ACK)
    }
}

impl Asb {
    /// Reads a register.
    pub fn read(&self, offset: u32) -> Result<u32, FaultKind> {
        Ok(match offset {
            0x08 => self.slave.read(),
            0x0c => self.master.read(),
            0x20 => BRIDGE_ID,
            _ => return Err(gap(offset)),
        })
    }

    /// Writes a register.
    pub fn write(&mut self, offset: u32, value: u32, reset: V3dReset) -> Result<(), FaultKind> {
        let bridge = match offset {
            0x08 => &mut self.slave,
            0x0c => &mut self.master,
            _ => return Err(gap(offset)),
        };
        if value & 0xff00_0000 != PASSWORD {
            return Ok(());
        }
        bridge.asked = value & REQ_STOP != 0;
        let obeys = match reset {
            V3dReset::NeverStops => offset != 0x08,
            V3dReset::NeverStarts => offset != 0x08 || bridge.asked,
            V3dReset::Works | V3dReset::NoEffect => true,
        };
        if obeys {
            bridge.stands = bridge.asked;
        }
        Ok(())
    }
}

fn gap(offset: u32) -> FaultKind {
    FaultKind::NotModelled(format!(
        "ASB register +{offset:#04x}; only V3D's bridges are"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bridge_stops_and_starts_when_asked_with_the_password() {
        let mut asb = Asb::default();
        asb.write(0x08, REQ_STOP, V3dReset::Works).unwrap();
        assert_eq!(asb.read(0x08), Ok(0));
        asb.write(0x08, PASSWORD | REQ_STOP, V3dReset::Works)
            .unwrap();
        assert_eq!(asb.read(0x08), Ok(REQ_STOP | ACK));
        assert!(asb.slave.stands && !asb.master.stands);
        asb.write(0x08, PASSWORD, V3dReset::Works).unwrap();
        assert_eq!(asb.read(0x08), Ok(0));
    }

    #[test]
    fn a_slave_bridge_may_not_stop_or_not_start() {
        let mut asb = Asb::default();
        let stop = PASSWORD | REQ_STOP;
        asb.write(0x08, stop, V3dReset::NeverStops).unwrap();
        assert_eq!(asb.read(0x08), Ok(REQ_STOP));
        asb.write(0x08, stop, V3dReset::NeverStarts).unwrap();
        asb.write(0x08, PASSWORD, V3dReset::NeverStarts).unwrap();
        assert_eq!(asb.read(0x08), Ok(ACK));
    }
}
