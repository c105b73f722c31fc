//! The board: memory map of the BCM2835, and what a revision code says.
//!
//! Everything that depends on which Pi this is, is decided here, from the revision code that the
//! mailbox returns.
//!
//! Sources: BCM2835 ARM Peripherals, section 1.2; raspberrypi.com documentation, "Raspberry Pi
//! revision codes"; ACT LED by board: the Linux device trees bcm2835-rpi-*.dts; PCM pins
//! by board: the same, and Circle lib/sound/i2ssoundbasedevice.cpp.

/// ARM address of the peripherals (bus 0x7e00_0000).
pub const PERIPHERAL_BASE: usize = 0x2000_0000;

/// Bytes of the address space that the peripherals take.
pub const PERIPHERAL_BYTES: usize = 0x0100_0000;

/// Alias under which V3D and the VideoCore see the ARM's RAM: through the system L2, as the ARM
/// does on the BCM2835 (reference: BCM2835 ARM Peripherals, section 1.2.3).
pub const RAM_ALIAS: u32 = 0x4000_0000;

/// The place of the activity light.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ActLed {
    /// GPIO number.
    pub pin: u8,
    /// Lit when the pin is low.
    pub active_low: bool,
}

/// The pins of PCM: bit clock, frame clock, data input and data output, in this order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PcmPins {
    /// GPIO 18 to 21, of the header with 40 pins.
    Header,
    /// GPIO 28 to 31, of the holes P5 beside the header with 26 pins.
    P5,
}

/// A board revision code (mailbox tag 0x0001_0002).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Revision(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Model {
    A,
    B,
    APlus,
    BPlus,
    Cm1,
    Zero,
    ZeroW,
    Unknown,
}

impl Revision {
    const NEW_STYLE: u32 = 1 << 23;

    fn model(self) -> Model {
        if self.0 & Self::NEW_STYLE != 0 {
            return match (self.0 >> 4) & 0xff {
                0x00 => Model::A,
                0x01 => Model::B,
                0x02 => Model::APlus,
                0x03 => Model::BPlus,
                0x06 => Model::Cm1,
                0x09 => Model::Zero,
                0x0c => Model::ZeroW,
                _ => Model::Unknown,
            };
        }
        // Old codes; bit 24 and above say that the warranty is void.
        match self.0 & 0x00ff_ffff {
            0x02..=0x06 | 0x0d..=0x0f => Model::B,
            0x07..=0x09 => Model::A,
            0x10 | 0x13 => Model::BPlus,
            0x11 | 0x14 => Model::Cm1,
            0x12 | 0x15 => Model::APlus,
            _ => Model::Unknown,
        }
    }

    /// The name people use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.model() {
            Model::A => "Raspberry Pi 1 A",
            Model::B => "Raspberry Pi 1 B",
            Model::APlus => "Raspberry Pi 1 A+",
            Model::BPlus => "Raspberry Pi 1 B+",
            Model::Cm1 => "Compute Module 1",
            Model::Zero => "Raspberry Pi Zero",
            Model::ZeroW => "Raspberry Pi Zero W",
            Model::Unknown => "unknown board",
        }
    }

    /// The activity light. What a board that we do not know has at these pins may not like to be
    /// driven.
    #[must_use]
    pub fn act_led(self) -> Option<ActLed> {
        let (pin, active_low) = match self.model() {
            Model::A | Model::B => (16, true),
            Model::Zero | Model::ZeroW => (47, true),
            Model::APlus | Model::BPlus | Model::Cm1 => (47, false),
            Model::Unknown => return None,
        };
        Some(ActLed { pin, active_low })
    }

    /// The pins of PCM that the board brings out. The first Pi 1 B (codes 2 and 3) has no P5, and
    /// what an unknown board has at these pins is not known.
    #[must_use]
    pub fn pcm_pins(self) -> Option<PcmPins> {
        let is_first = matches!(self.0 & 0x00ff_ffff, 0x02 | 0x03);
        match self.model() {
            Model::B if is_first => None,
            Model::A | Model::B => Some(PcmPins::P5),
            Model::APlus | Model::BPlus | Model::Cm1 | Model::Zero | Model::ZeroW => {
                Some(PcmPins::Header)
            }
            Model::Unknown => None,
        }
    }

    /// Reports if the board brings out the pins of SMI, GPIO 6 and 16 to 23: the header with 40
    /// pins does, or the carrier of a Compute Module.
    #[must_use]
    pub fn has_smi_pins(self) -> bool {
        self.pcm_pins() == Some(PcmPins::Header)
    }

    /// Highest V3D clock the board's firmware runs by default, in Hz.
    #[must_use]
    pub fn v3d_hz(self) -> u32 {
        match self.model() {
            Model::Zero | Model::ZeroW => 300_000_000,
            _ => 250_000_000,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revision_codes_name_their_boards() {
        for (code, name) in [
            (0x0002, "Raspberry Pi 1 B"),
            (0x000e, "Raspberry Pi 1 B"),
            (0x0100_000f, "Raspberry Pi 1 B"),
            (0x0008, "Raspberry Pi 1 A"),
            (0x0010, "Raspberry Pi 1 B+"),
            (0x0012, "Raspberry Pi 1 A+"),
            (0x0014, "Compute Module 1"),
            (0x0090_0021, "Raspberry Pi 1 A+"),
            (0x0090_0032, "Raspberry Pi 1 B+"),
            (0x0092_0092, "Raspberry Pi Zero"),
            (0x0092_0093, "Raspberry Pi Zero"),
            (0x0090_00c1, "Raspberry Pi Zero W"),
            (0x00a0_2082, "unknown board"),
        ] {
            assert_eq!(Revision(code).name(), name, "{code:#x}");
        }
    }

    #[test]
    fn pcm_is_on_the_header_or_on_p5_or_nowhere() {
        for (code, pins) in [
            (0x0002, None),
            (0x0100_0003, None),
            (0x000e, Some(PcmPins::P5)),
            (0x0008, Some(PcmPins::P5)),
            (0x0010, Some(PcmPins::Header)),
            (0x0092_0093, Some(PcmPins::Header)),
            (0x00a0_2082, None),
        ] {
            assert_eq!(Revision(code).pcm_pins(), pins, "{code:#x}");
            let has_40_pins = pins == Some(PcmPins::Header);
            assert_eq!(Revision(code).has_smi_pins(), has_40_pins, "{code:#x}");
        }
    }

    #[test]
    fn the_light_is_where_the_board_has_it() {
        for (code, pin, active_low) in [
            (0x000e, 16, true),
            (0x0010, 47, false),
            (0x0092_0092, 47, true),
        ] {
            let led = Some(ActLed { pin, active_low });
            assert_eq!(Revision(code).act_led(), led, "{code:#x}");
        }
        for unknown in [0, 0x00a0_2082] {
            assert_eq!(Revision(unknown).act_led(), None, "{unknown:#x}");
        }
    }
}
