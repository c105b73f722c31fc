//! ASB: the two bridges between V3D and the rest of the chip.
//!
//! V3D has a clock of its own, so its buses pass through asynchronous bridges: the slave bridge
//! carries the ARM's accesses to V3D's registers, the master bridge V3D's accesses to memory. A
//! block must not be reset while it has a transfer under way, so both are stopped first. While the
//! slave bridge stands, no register of V3D may be touched: nothing would answer.
//!
//! Sources: Linux bcm2835-power.c (offsets, bits, order, password); the address is that of
//! christinaa/rpi-open-firmware.

use tock_registers::interfaces::{ReadWriteable, Readable};
use tock_registers::registers::{ReadOnly, ReadWrite};
use tock_registers::{register_bitfields, register_structs};

use crate::mmio::Mmio;
use crate::timer::Clock;

register_bitfields! { u32,
    CTRL [
        PASSWORD OFFSET(24) NUMBITS(8) [ Key = 0x5a ],
        ACK OFFSET(1) NUMBITS(1) [],
        REQ_STOP OFFSET(0) NUMBITS(1) []
    ]
}

register_structs! {
    /// The registers of the bridges, as far as they are used.
    pub Registers {
        (0x00 => _reserved0),
        (0x08 => V3D_S_CTRL: ReadWrite<u32, CTRL::Register>),
        (0x0c => V3D_M_CTRL: ReadWrite<u32, CTRL::Register>),
        (0x10 => _reserved1),
        (0x20 => AXI_BRDG_ID: ReadOnly<u32>),
        (0x24 => @END),
    }
}

/// "BRDG".
const BRIDGE_ID: u32 = 0x6272_6467;

/// The time that a bridge may take to stop or start. Linux waits 1 us.
const ANSWER_US: u64 = 100;

type Control = ReadWrite<u32, CTRL::Register>;

/// V3D's bridges.
pub struct Asb {
    registers: Mmio<Registers>,
    clock: Clock,
}

impl Asb {
    /// Takes the bridges.
    #[must_use]
    pub const fn new(registers: Mmio<Registers>, clock: Clock) -> Self {
        Self { registers, clock }
    }

    /// Reports if the block identifies itself.
    #[must_use]
    pub fn is_there(&self) -> bool {
        self.registers
            .visit(|asb| asb.AXI_BRDG_ID.get() == BRIDGE_ID)
    }

    /// Reports if both bridges run.
    #[must_use]
    pub fn runs(&self) -> bool {
        self.registers
            .visit(|asb| !asb.V3D_S_CTRL.is_set(CTRL::ACK) && !asb.V3D_M_CTRL.is_set(CTRL::ACK))
    }

    /// Stops the slave bridge, then the master bridge. Where one does not stop, both run on, and it
    /// returns false.
    #[must_use]
    pub fn stop(&mut self) -> bool {
        let stopped =
            self.set(|asb| &asb.V3D_S_CTRL, true) && self.set(|asb| &asb.V3D_M_CTRL, true);
        if !stopped {
            let _ = self.start();
        }
        stopped
    }

    /// Starts the master bridge, then the slave bridge; returns whether both run.
    #[must_use]
    pub fn start(&mut self) -> bool {
        let master = self.set(|asb| &asb.V3D_M_CTRL, false);
        self.set(|asb| &asb.V3D_S_CTRL, false) && master
    }

    /// Stops or starts a bridge; returns whether it did.
    fn set(&mut self, bridge: fn(&Registers) -> &Control, stop: bool) -> bool {
        let request = CTRL::PASSWORD::Key + CTRL::REQ_STOP.val(stop.into());
        self.registers.visit(|asb| bridge(asb).modify(request));
        let has_stopped = || self.registers.visit(|asb| bridge(asb).is_set(CTRL::ACK));
        self.clock.wait_for(ANSWER_US, || has_stopped() == stop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mmio::fake;
    use core::mem::offset_of;

    #[test]
    fn registers_lie_where_linux_has_them() {
        assert_eq!(offset_of!(Registers, V3D_S_CTRL), 0x08);
        assert_eq!(offset_of!(Registers, V3D_M_CTRL), 0x0c);
        assert_eq!(offset_of!(Registers, AXI_BRDG_ID), 0x20);
    }

    #[test]
    fn a_request_carries_the_password_and_keeps_the_other_bits() {
        let (registers, words) = fake::zeros();
        words.set(0x08, 0xc);
        assert_eq!(
            (CTRL::PASSWORD::Key + CTRL::REQ_STOP::SET).value,
            0x5a00_0001
        );
        registers.visit(|asb: &Registers| {
            asb.V3D_S_CTRL
                .modify(CTRL::PASSWORD::Key + CTRL::REQ_STOP::SET);
        });
        assert_eq!(words.at(0x08), 0x5a00_000d);
    }

    #[test]
    fn zeros_are_no_bridges() {
        let (registers, words) = fake::zeros();
        let (counter, _) = fake::zeros();
        let asb = Asb::new(registers, Clock::new(counter));
        assert!(!asb.is_there());
        words.set(0x20, 0x6272_6467);
        assert!(asb.is_there() && asb.runs());
        words.set(0x0c, 2);
        assert!(!asb.runs());
    }
}
