//! GPIO: functions and levels of the 54 pins, and the record of the ACT LED.
//!
//! A pin that nothing drives has the level of its pull, and without one any level ([`Pulls`]).
//!
//! Source: BCM2835 ARM Peripherals, section 6.

use super::pull::{Pull, Pulls};
use crate::config::Config;
use crate::fault::FaultKind;
use crate::rules::BrokenRules;
use std::collections::VecDeque;

/// ACT LED of a Pi 1 Model B: lit while the pin is low.
const ACT_LED: u32 = 16;
/// Function code of an output.
const OUTPUT: u32 = 1;
/// Function code of ALT0, which on pins 14 and 15 is the PL011.
const ALT0: u32 = 4;
/// Changes of the LED that are remembered: firmware that blinks for every record makes thousands a
/// second, and a board may run for ever.
const MOST_CHANGES: usize = 4096;
/// Pins and functions that are RXD0 as well.
const OTHER_RXD0: [(u32, u32); 2] = [(33, ALT3), (37, 6)];
/// Function code of ALT3, which on pins 32 and 33 is the PL011.
const ALT3: u32 = 7;

/// Levels of pins that other blocks and parts drive, a bit for each.
#[derive(Clone, Copy, Default)]
pub struct OutsideLevels {
    /// Pins that are driven.
    pub driven: u64,
    /// Those that are high.
    pub high: u64,
}

impl OutsideLevels {
    /// Something drives a pin.
    pub fn drive(&mut self, pin: u32, high: bool) {
        self.driven |= 1 << pin;
        self.high |= u64::from(high) << pin;
    }
}

/// The pins.
pub struct Gpio {
    functions: [u32; 6],
    driven: u64,
    pulls: Pulls,
    /// The last [`MOST_CHANGES`] changes of the LED: clock and state.
    pub led: VecDeque<(u64, bool)>,
}

impl Gpio {
    /// The pins as the firmware leaves them: inputs, but for those of a Zero W's Bluetooth.
    pub fn new(config: &Config) -> Self {
        let mut functions = [0; 6];
        if config.uart_at_bluetooth {
            functions[3] = ALT3 << 6 | ALT3 << 9;
        }
        Self {
            functions,
            driven: 0,
            pulls: Pulls::new(config.no_pulls),
            led: VecDeque::new(),
        }
    }

    /// The pull of a pin, 0 to 53.
    pub fn pull(&self, pin: u32) -> Pull {
        self.pulls.of(pin)
    }

    /// Rules that were broken.
    pub fn broken(&mut self) -> &mut BrokenRules {
        &mut self.pulls.broken
    }

    /// Function code of a pin, 0 to 53.
    pub fn function(&self, pin: u32) -> u32 {
        self.functions[(pin / 10) as usize] >> (pin % 10 * 3) & 7
    }

    /// True if the PL011 drives GPIO 14.
    pub fn uart_sends(&self) -> bool {
        self.function(14) == ALT0
    }

    /// True if the PL011 hears GPIO 15. With a second pin in the same function which one it hears
    /// is not documented; here it is the other.
    pub fn uart_receives(&self) -> bool {
        let is_elsewhere = |&(pin, function)| self.function(pin) == function;
        self.function(15) == ALT0 && !OTHER_RXD0.iter().any(is_elsewhere)
    }

    /// Levels of all pins at `now`.
    fn levels(&self, outside: OutsideLevels, now: u64) -> u64 {
        let outputs = (0..54).filter(|&pin| self.function(pin) == OUTPUT);
        let outputs = outputs.fold(0, |pins, pin| pins | 1 << pin);
        let OutsideLevels { driven, high } = outside;
        let inputs = high & driven | self.pulls.levels(now) & !driven;
        self.driven & outputs | inputs & !outputs
    }

    fn note_led(&mut self, now: u64) {
        let lit = self.function(ACT_LED) == OUTPUT && self.driven & 1 << ACT_LED == 0;
        if lit != self.led.back().is_some_and(|&(_, lit)| lit) {
            if self.led.len() == MOST_CHANGES {
                self.led.pop_front();
            }
            self.led.push_back((now, lit));
        }
    }

    /// Reads a register at `now`.
    pub fn read(&self, offset: u32, outside: OutsideLevels, now: u64) -> Result<u32, FaultKind> {
        Ok(match offset {
            0x00..=0x14 => self.functions[offset as usize / 4],
            // GPSET and GPCLR are write-only and read as 0.
            0x1c | 0x20 | 0x28 | 0x2c => 0,
            0x34 => self.levels(outside, now) as u32,
            0x38 => (self.levels(outside, now) >> 32) as u32,
            0x94..=0x9c => self.pulls.read((offset as usize - 0x94) / 4),
            _ => return Err(gap(offset)),
        })
    }

    /// Writes a register.
    pub fn write(&mut self, offset: u32, value: u32, now: u64) -> Result<(), FaultKind> {
        match offset {
            0x00..=0x14 => self.functions[offset as usize / 4] = value & 0x3fff_ffff,
            0x1c => self.driven |= u64::from(value),
            0x20 => self.driven |= u64::from(value) << 32,
            0x28 => self.driven &= !u64::from(value),
            0x2c => self.driven &= !(u64::from(value) << 32),
            0x34 | 0x38 => {}
            0x94..=0x9c => self.pulls.write((offset as usize - 0x94) / 4, value, now),
            _ => return Err(gap(offset)),
        }
        self.note_led(now);
        Ok(())
    }
}

fn gap(offset: u32) -> FaultKind {
    match offset {
        0x40..=0x8c => {
            FaultKind::NotModelled(format!("GPIO event detection (register +{offset:#04x})"))
        }
        _ => FaultKind::Unmapped,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_led_is_lit_while_its_pin_is_low() {
        let mut gpio = Gpio::new(&Config::default());
        gpio.write(0x1c, 1 << 16, 1).unwrap();
        gpio.write(0x04, 1 << 18, 2).unwrap();
        let level = |pin: u32, high: bool| {
            let mut outside = OutsideLevels::default();
            outside.drive(pin, high);
            let levels = gpio.read(0x34, outside, 2).expect("GPLEV");
            levels & (1 << 16 | 1 << 18)
        };
        assert_eq!(level(18, true), 1 << 16 | 1 << 18);
        assert_eq!(level(16, false), 1 << 16, "an output is the pin's own");
        gpio.write(0x28, 1 << 16, 3).unwrap();
        gpio.write(0x1c, 1 << 16, 4).unwrap();
        assert!(gpio.led.iter().copied().eq([(3, true), (4, false)]));
    }

    #[test]
    fn of_a_led_that_blinks_for_ever_the_last_changes_are_known() {
        let mut gpio = Gpio::new(&Config::default());
        gpio.write(0x04, 1 << 18, 0).unwrap();
        let blinks = 10 * MOST_CHANGES as u64;
        for blink in 0..blinks {
            gpio.write(0x1c, 1 << 16, 2 * blink + 1).unwrap();
            gpio.write(0x28, 1 << 16, 2 * blink + 2).unwrap();
        }
        assert_eq!(gpio.led.len(), MOST_CHANGES);
        assert_eq!(gpio.led.back(), Some(&(2 * blinks, true)));
    }

    #[test]
    fn alt0_connects_the_uart() {
        let mut gpio = Gpio::new(&Config::default());
        gpio.write(0x04, 4 << 12 | 4 << 15, 0).unwrap();
        assert!(gpio.uart_sends() && gpio.uart_receives());
        gpio.write(0x0c, 7 << 9, 0).unwrap();
        assert!(gpio.uart_sends() && !gpio.uart_receives());
    }
}
