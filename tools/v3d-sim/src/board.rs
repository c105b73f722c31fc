//! Boards: the clock of their V3D, and how it reaches memory.
//!
//! All five have the same V3D. What differs is its clock (a setting of the firmware, so a setting
//! here), and whether its accesses with alias 0x4 or 0x8 go through the 128 KiB L2 of the system:
//! on BCM2835 the ARM's own accesses do, so V3D's have to; on BCM2836 and BCM2837 the ARM goes
//! around it, and programs there use alias 0xC.
//!
//! Sources: docs/hardware/qpu.md sections 0.1, 7.1 and 8.4 with what they cite (GPU_FFT's choice of
//! alias by board, VC4CL, V3DLib, Ishii's notes on Zero, 2B and 3B).

/// A board that a simulated V3D sits on. The default is the Pi 1, which published figures are for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Board {
    /// Raspberry Pi 1: BCM2835.
    #[default]
    Pi1,
    /// Raspberry Pi 2: BCM2836.
    Pi2,
    /// Raspberry Pi Zero and Zero W: BCM2835.
    Zero,
    /// Raspberry Pi 3: BCM2837.
    Pi3,
    /// Raspberry Pi Zero 2 W: BCM2837 in RP3A0.
    Zero2,
}

impl Board {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Pi1, Self::Pi2, Self::Zero, Self::Pi3, Self::Zero2];

    /// Its name in a job file: `pi1`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pi1 => "pi1",
            Self::Pi2 => "pi2",
            Self::Zero => "zero",
            Self::Pi3 => "pi3",
            Self::Zero2 => "zero2",
        }
    }

    /// The board of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|board| board.name() == name)
    }

    /// The V3D clock in hertz that it has unless a user says otherwise.
    #[must_use]
    pub const fn clock_hz(self) -> u32 {
        match self {
            Self::Pi1 | Self::Pi2 => 250_000_000,
            Self::Zero | Self::Zero2 => 300_000_000,
            Self::Pi3 => 400_000_000,
        }
    }

    /// The alias, bits 31:30 of bus addresses, that its programs use.
    #[must_use]
    pub const fn alias(self) -> u32 {
        if self.has_system_l2() {
            0x4000_0000
        } else {
            0xc000_0000
        }
    }

    /// True if aliases 0x4 and 0x8 go through the L2 of the system. Alias 0xC never does.
    #[must_use]
    pub const fn has_system_l2(self) -> bool {
        matches!(self, Self::Pi1 | Self::Zero)
    }

    /// The behaviour that sources agree on.
    #[must_use]
    pub const fn known(self) -> &'static str {
        match self {
            Self::Pi1 => {
                "250 MHz with the firmware of its time; the ARM and V3D share the system L2 (alias 0x4)"
            }
            Self::Pi2 => {
                "250 MHz; the ARM goes around the system L2 (alias 0xC); DMA rates were measured here"
            }
            Self::Zero => "the chip of the Pi 1 with a later firmware: alias 0x4",
            Self::Pi3 | Self::Zero2 => "the V3D of the Pi 1; alias 0xC",
        }
    }

    /// The assumption.
    #[must_use]
    pub const fn assumed(self) -> &'static str {
        match self {
            Self::Pi1 => "nothing else uses SDRAM or the system L2 while programs run",
            Self::Pi2 => {
                "SDRAM as fast as the Pi 1's; alias 0x4 goes to SDRAM like 0xC; nothing else uses it"
            }
            Self::Zero => {
                "300 MHz (sources say 250 to 300); SDRAM takes as many nanoseconds as the Pi 1's"
            }
            Self::Pi3 => {
                "400 MHz (sources say 300 to 400); SDRAM takes as many nanoseconds as the Pi 1's, though a QPU \
                 that waited for it alone waited longer"
            }
            Self::Zero2 => {
                "300 MHz (sources say 250 to 400); SDRAM takes as many nanoseconds as the Pi 1's"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_both_ways_and_the_alias_follows_the_l2() {
        for board in Board::ALL {
            assert_eq!(Board::from_name(board.name()), Some(board));
            assert_eq!(board.has_system_l2(), board.alias() == 0x4000_0000);
        }
        assert_eq!(Board::from_name("pi4"), None);
    }
}
