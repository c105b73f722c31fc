//! Pull resistors of the pins: what an input reads that nothing drives.
//!
//! A pull is set in steps: GPPUD, 150 cycles, GPPUDCLK with the pins, 150 cycles, and both back.
//! The manual does not say which cycles; Linux says that the VideoCore's own program waits for
//! about as many of its clock, 250 MHz. Here pins keep their pulls when a step comes sooner.
//!
//! Sources: BCM2835 ARM Peripherals, section 6.1, GPPUDCLK, and table 6-31 for the pulls after
//! reset; Linux `pinctrl-bcm2835.c` for the clock.

use crate::clock::ARM_HZ;
use crate::parts::signal::mixed;
use crate::rules::{BlockRule, BrokenRules};

/// A step of the sequence: 150 cycles of 250 MHz.
const STEP_CLOCKS: u64 = ARM_HZ * 150 / 250_000_000;

/// Pins that are pulled up after reset: 0 to 8, 34 to 36 and 46 to 53.
const UP_AT_RESET: u64 = 0x1ff | 7 << 34 | 0xff << 46;
/// Pins that are pulled down: 9 to 27, 30 to 33 and 37 to 43. 28, 29, 44 and 45 have no pull.
const DOWN_AT_RESET: u64 = 0x7_ffff << 9 | 0xf << 30 | 0x7f << 37;

/// Codes of GPPUD.
const DOWN: u32 = 1;
const UP: u32 = 2;

/// The pull of a pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pull {
    /// None: the pin floats.
    Off,
    /// To ground.
    Down,
    /// To 3.3 V.
    Up,
}

/// The pulls of all pins, and the registers that set them.
pub struct Pulls {
    up: u64,
    down: u64,
    control: u32,
    pins: [u32; 2],
    /// Clock of the last step.
    step_at: u64,
    /// Each step of the sequence under way came in time.
    in_time: bool,
    /// What GPPUD was when the pins were given.
    latched: u32,
    /// Rules that were broken.
    pub broken: BrokenRules,
}

impl Pulls {
    /// The pulls after reset, or none at all.
    pub fn new(none: bool) -> Self {
        let (up, down) = if none {
            (0, 0)
        } else {
            (UP_AT_RESET, DOWN_AT_RESET)
        };
        Self {
            up,
            down,
            control: 0,
            pins: [0; 2],
            step_at: 0,
            in_time: true,
            latched: 0,
            broken: BrokenRules::default(),
        }
    }

    /// The pull of a pin.
    pub fn of(&self, pin: u32) -> Pull {
        match (self.up >> pin & 1, self.down >> pin & 1) {
            (1, _) => Pull::Up,
            (_, 1) => Pull::Down,
            _ => Pull::Off,
        }
    }

    /// The levels at `now` of pins that nothing drives.
    pub fn levels(&self, now: u64) -> u64 {
        self.up | mixed(now) & !self.down
    }

    /// GPPUD or a GPPUDCLK, by its place.
    pub fn read(&self, place: usize) -> u32 {
        match place {
            0 => self.control,
            _ => self.pins[place - 1],
        }
    }

    /// Writes GPPUD or a GPPUDCLK, by its place, at `now`.
    pub fn write(&mut self, place: usize, value: u32, now: u64) {
        let is_clocked = self.pins != [0; 2];
        let too_soon = now.saturating_sub(self.step_at) < STEP_CLOCKS;
        if place == 0 {
            // Taken back while pins are clocked, or the first step.
            self.in_time = !is_clocked || self.in_time && !too_soon;
            self.broken
                .note_if(BlockRule::GpioPull, is_clocked && too_soon);
            self.control = value & 3;
            // The clock may go right after it.
            if !is_clocked {
                self.step_at = now;
            }
            return;
        }
        let pins = &mut self.pins[place - 1];
        let before = std::mem::replace(pins, value);
        if value == before {
            return;
        }
        self.broken.note_if(BlockRule::GpioPull, too_soon);
        self.in_time &= !too_soon;
        if value != 0 {
            self.latched = self.control;
            self.step_at = now;
        } else {
            let pins = u64::from(before) << (32 * (place - 1));
            if self.in_time {
                self.set(pins);
            }
            self.in_time = true;
        }
    }

    fn set(&mut self, pins: u64) {
        self.up &= !pins;
        self.down &= !pins;
        match self.latched {
            UP => self.up |= pins,
            DOWN => self.down |= pins,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sets a pull with a wait of `wait` clocks after GPPUD and `hold` after GPPUDCLK.
    fn sequence(pulls: &mut Pulls, start: u64, control: u32, wait: u64, hold: u64) {
        pulls.write(0, control, start);
        pulls.write(1, 1 << 18, start + wait);
        pulls.write(0, 0, start + wait + hold);
        pulls.write(1, 0, start + wait + hold + 4);
    }

    #[test]
    fn pins_have_the_pulls_of_the_table_and_two_of_p5_have_none() {
        let pulls = Pulls::new(false);
        for (pin, pull) in [
            (0, Pull::Up),
            (8, Pull::Up),
            (9, Pull::Down),
            (27, Pull::Down),
            (28, Pull::Off),
            (29, Pull::Off),
            (30, Pull::Down),
            (34, Pull::Up),
            (43, Pull::Down),
            (44, Pull::Off),
            (53, Pull::Up),
        ] {
            assert_eq!(pulls.of(pin), pull, "{pin}");
        }
        let changes = (0..64).fold(0, |seen, now| seen | pulls.levels(now) ^ pulls.levels(0));
        assert_eq!(changes & ((1 << 46) - 1), 3 << 28 | 3 << 44);
    }

    #[test]
    fn a_sequence_in_time_sets_a_pull_and_a_hasty_one_does_not() {
        let long = STEP_CLOCKS;
        for (wait, hold, taken) in [
            (long, long, true),
            (long - 1, long, false),
            (long, long - 1, false),
            (4, 4, false),
        ] {
            let mut pulls = Pulls::new(false);
            sequence(&mut pulls, 10_000, UP, wait, hold);
            assert_eq!(pulls.of(18) == Pull::Up, taken, "{wait} and {hold}");
            assert_eq!(pulls.broken.take_messages().count() == 0, taken);
            // The next one does not suffer from it.
            sequence(&mut pulls, 20_000, UP, long, long);
            assert_eq!(pulls.of(18), Pull::Up);
            sequence(&mut pulls, 30_000, 0, long, long);
            assert_eq!(pulls.of(18), Pull::Off);
        }
    }

    #[test]
    fn the_clock_may_go_without_the_control_as_in_linux() {
        let mut pulls = Pulls::new(false);
        pulls.write(0, UP, 0);
        pulls.write(1, 1 << 18, STEP_CLOCKS);
        pulls.write(1, 0, 2 * STEP_CLOCKS);
        assert_eq!(pulls.of(18), Pull::Up);
    }
}
