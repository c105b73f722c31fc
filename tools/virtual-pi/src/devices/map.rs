//! Blocks in the address map of the BCM2835 that this model does not have.
//!
//! Source: BCM2835 ARM Peripherals, section 1.2; reference/platform.md, register maps.

use crate::fault::FaultKind;

/// Blocks of the BCM2835 that are not modelled, by page.
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

/// The fault of an access to an address where this model has nothing.
pub fn missing(address: u32) -> FaultKind {
    match UNMODELLED
        .iter()
        .find(|(first, last, _)| (*first..=*last).contains(&address))
    {
        Some((.., name)) => FaultKind::NotModelled(format!("{name}, at {address:#010x}")),
        None => FaultKind::Unmapped,
    }
}
