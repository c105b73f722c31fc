//! I2S parts: a microphone, and ADCs that follow the board's clocks or give their own.
//!
//! A frame is 64 bit clocks: the falling edge of the frame clock, a bit clock later the 24 bits of
//! the left sample, highest first, and 32 bit clocks later the right one (Philips I2S). The data
//! changes on the falling edge of the bit clock. Between samples the part lets go of the line,
//! which the Pi's pull-down holds at 0.
//!
//! Sources: datasheets of INMP441 (TDK: 64 clocks a frame, 0.5 to 3.2 MHz, 2^18 clocks of
//! start-up), ICS-43434 and PCM1808 (TI: 24 bits, 64 clocks a frame as master).

use super::feed::Feed;
use super::signal::Signal;

/// Bit clocks of a frame.
pub const FRAME_CLOCKS: u64 = 64;
/// The bit clock that a microphone works at, in hertz; INMP441.
const MICROPHONE_HZ: std::ops::RangeInclusive<f64> = 500e3..=3.2e6;
/// Bit clocks before a microphone puts out samples; INMP441.
const START_UP_CLOCKS: u64 = 1 << 18;

/// Pins that a part is wired to: bit clock, frame clock, data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum I2sPins {
    /// GPIO 18, 19 and 20, on the header with 40 pins.
    #[default]
    Header,
    /// GPIO 28, 29 and 30, on P5 of the first Pi 1 B.
    P5,
}

impl I2sPins {
    /// GPIO of the bit clock; the frame clock and the data follow.
    pub fn first(self) -> u32 {
        match self {
            Self::Header => 18,
            Self::P5 => 28,
        }
    }
}

/// The half of a frame in which a microphone talks, by its L/R pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MicrophoneSide {
    /// L/R at ground.
    Left,
    /// L/R at 3.3 V.
    Right,
}

/// Kind of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum I2sRole {
    /// A microphone: one channel, and silence until it has started.
    Microphone(MicrophoneSide),
    /// An ADC that takes both clocks from the board.
    Slave,
    /// An ADC that gives both clocks: its frame rate as a fraction, in hertz.
    Master(u64, u64),
}

/// Faults of the wiring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wiring {
    /// As it should be.
    #[default]
    Right,
    /// The wire of the bit clock is off.
    NoClock,
    /// The clock of a part that is a master is off by so many parts in a million; 20,000 are 2 %.
    ClockOff(i32),
    /// The part is strapped as a master though the board is one too: a frame rate as a fraction.
    MasterAgainstMaster(u64, u64),
    /// Left and right are swapped.
    Swapped,
    /// The data wire is stuck at this level.
    Stuck(bool),
    /// Nothing is there.
    Absent,
}

/// A part on the pins of the PCM block.
#[derive(Clone, Debug, PartialEq)]
pub struct I2sPart {
    /// Its pins.
    pub pins: I2sPins,
    /// Its kind.
    pub role: I2sRole,
    /// What is wrong with its wires.
    pub wiring: Wiring,
    /// What it measures.
    pub signal: Signal,
}

impl I2sPart {
    /// A part that is wired as it should be, on the header.
    pub fn new(role: I2sRole, signal: Signal) -> Self {
        Self {
            pins: I2sPins::Header,
            role,
            wiring: Wiring::Right,
            signal,
        }
    }

    /// An ADC on the header that gives the clocks, at a frame rate in hertz as a fraction, and
    /// plays what the host brings.
    pub fn fed(numerator: u64, denominator: u64, feed: Feed) -> Self {
        Self::new(I2sRole::Master(numerator, denominator), Signal::Fed(feed))
    }

    /// The queue of an ADC that gives the clocks, if it has one.
    pub(crate) fn feed(&self) -> Option<&Feed> {
        match (self.role, &self.signal) {
            (I2sRole::Master(..), Signal::Fed(feed)) => Some(feed),
            _ => None,
        }
    }

    /// The frame rate that it gives, as a fraction.
    pub fn own_rate(&self) -> Option<(u64, u64)> {
        match (self.role, self.wiring) {
            (_, Wiring::Absent) => None,
            (_, Wiring::MasterAgainstMaster(numerator, denominator)) => {
                Some((numerator, denominator))
            }
            (I2sRole::Master(numerator, denominator), Wiring::ClockOff(ppm)) => {
                let millionths = u64::try_from(1_000_000 + i64::from(ppm)).unwrap_or(1);
                Some((numerator * millionths.max(1), denominator * 1_000_000))
            }
            (I2sRole::Master(numerator, denominator), _) => Some((numerator, denominator)),
            _ => None,
        }
    }

    /// True if it drives the data pin of these.
    pub fn drives(&self, pins: I2sPins) -> bool {
        self.pins == pins && self.wiring != Wiring::Absent
    }

    /// The level at which its data line stands whatever happens, if it does.
    pub fn stuck(&self) -> Option<bool> {
        match self.wiring {
            Wiring::Stuck(level) => Some(level),
            _ => None,
        }
    }

    /// The words that it puts into frame `index`, left and right, with this bit clock.
    pub fn words(&self, index: u64, bit_hz: f64) -> [u32; 2] {
        let rate = bit_hz / FRAME_CLOCKS as f64;
        let sample = self.signal.sample(index, rate).map(|word| word as u32);
        let [left, right] = match self.role {
            I2sRole::Microphone(side) => {
                let starts = index * FRAME_CLOCKS < START_UP_CLOCKS;
                // Small boards round: what a crystal gives as 3.2 MHz is in.
                let asleep = !MICROPHONE_HZ.contains(&bit_hz);
                match side {
                    _ if starts || asleep => [0; 2],
                    MicrophoneSide::Left => [sample[0], 0],
                    MicrophoneSide::Right => [0, sample[0]],
                }
            }
            _ => sample,
        };
        match self.wiring {
            Wiring::Swapped => [right, left],
            _ => [left, right],
        }
    }

    /// The 64 bits of frame `index`, the first in the highest place. The first belongs to the right
    /// sample before.
    pub fn frame(&self, index: u64, bit_hz: f64) -> u64 {
        let [left, right] = self.words(index, bit_hz);
        u64::from(left) << 31 | u64::from(right >> 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_begins_a_clock_after_the_edge() {
        let frames = Signal::Frames(vec![[0x8000_0100_u32 as i32, 0x4000_0000]].into());
        let part = I2sPart::new(I2sRole::Slave, frames);
        let bits = part.frame(0, 3.2e6);
        let set: Vec<u32> = (0..64).filter(|bit| bits >> (63 - bit) & 1 != 0).collect();
        // Left: its first bit, and its 24th. Right: its second.
        assert_eq!(set, [1, 24, 34]);
    }

    #[test]
    fn a_microphone_starts_late_and_talks_in_its_half() {
        let mut part = I2sPart::new(I2sRole::Microphone(MicrophoneSide::Right), Signal::Count);
        assert_eq!(part.words(4095, 3.2e6), [0; 2]);
        assert_eq!(part.words(4097, 3.2e6), [0, 4097 << 8]);
        assert_eq!(part.words(4097, 3.21e6), [0; 2], "beyond its clock");
        part.wiring = Wiring::Swapped;
        assert_eq!(part.words(4097, 3.2e6), [4097 << 8, 0]);
    }

    #[test]
    fn a_clock_that_is_off_is_still_a_fraction() {
        let mut part = I2sPart::new(I2sRole::Master(48_000, 1), Signal::Count);
        part.wiring = Wiring::ClockOff(-20_000);
        assert_eq!(part.own_rate(), Some((48_000 * 980_000, 1_000_000)));
        part.wiring = Wiring::Absent;
        assert_eq!(part.own_rate(), None);
    }
}
