//! The wires between the PCM block and a part: whose clock it is, and which bits arrive.

use crate::devices::NEVER;
use crate::devices::oscillation::Oscillation;
use crate::devices::pull::Pull;
use crate::parts::I2sPart;
use crate::parts::i2s::FRAME_CLOCKS;

/// The data line as the PCM block hears it.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// The same level all the time: it is stuck, or a pull has it.
    Level(bool),
    /// Any level: nothing drives it or pulls at it.
    Floating,
    /// A part in step with the frames. The left sample's half begins so many bit clocks into a
    /// frame of the PCM block.
    InStep {
        /// The part.
        part: Box<I2sPart>,
        /// 0 or 32.
        left_at: u32,
        /// The data changes when it is sampled: each bit is the right one or the one before.
        on_edge: bool,
    },
    /// A part that shifts by a bit clock of its own.
    OutOfStep {
        /// The part.
        part: Box<I2sPart>,
        /// Its bit clock.
        clock: Oscillation,
    },
}

impl Data {
    /// A line that nothing drives.
    pub fn undriven(pull: Pull) -> Self {
        match pull {
            Pull::Up => Self::Level(true),
            Pull::Down => Self::Level(false),
            Pull::Off => Self::Floating,
        }
    }
}

/// A running bit clock with its frames.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The bit clock.
    pub clock: Oscillation,
    /// The bit clock with which frame 0 begins, [`NEVER`] while no frames run.
    pub first: u64,
    /// Bit clocks of a frame.
    pub frame_clocks: u64,
    /// Bit clocks for which the frame clock is active, and its level then.
    pub sync: (u64, bool),
    /// The data line.
    pub data: Data,
}

impl Link {
    /// True if frames go on as they do in `other`, wherever they began and whatever they bring.
    pub fn goes_on_as(&self, other: &Self) -> bool {
        (self.clock, self.frame_clocks, self.sync) == (other.clock, other.frame_clocks, other.sync)
    }

    /// The `width` bits from bit `position` of frame `frame` on, the last in the lowest place.
    pub fn bits(&self, frame: u64, position: u64, width: u32) -> u32 {
        let mask = ((1_u64 << width) - 1) as u32;
        match &self.data {
            Data::Level(level) => {
                if *level {
                    mask
                } else {
                    0
                }
            }
            Data::Floating => mixed(frame * self.frame_clocks + position) & mask,
            Data::InStep {
                part,
                left_at,
                on_edge,
            } => {
                let hz = self.clock.hz();
                // Counted in bits of the part, frame `frame` begins before its left half does.
                let start = frame * FRAME_CLOCKS + position;
                let at = |start: u64| window(part, hz, start, width);
                // The frame of the part that `start` lies in, where its left half comes late.
                let start = (start + FRAME_CLOCKS).saturating_sub(u64::from(*left_at));
                let bits = at(start);
                let either = if *on_edge { mixed(start) } else { 0 };
                bits & !either | at(start - 1) & either
            }
            Data::OutOfStep { part, clock } => {
                let first = self.first + frame * self.frame_clocks + position;
                (0..u64::from(width)).fold(0, |bits, bit| {
                    let at = clock.cycles_at(self.clock.clock_after(first + bit));
                    bits << 1 | window(part, clock.hz(), at + FRAME_CLOCKS, 1)
                })
            }
        }
    }

    /// Levels of bit clock, frame clock and data line at `now`.
    pub fn levels(&self, now: u64) -> [bool; 3] {
        let (active_clocks, active) = self.sync;
        if self.first == NEVER {
            return [self.clock.is_high(now), !active, false];
        }
        let clocks = self.clock.cycles_at(now).saturating_sub(self.first);
        let (frame, bit) = (clocks / self.frame_clocks, clocks % self.frame_clocks);
        [
            self.clock.is_high(now),
            (bit < active_clocks) == active,
            self.bits(frame, bit, 1) != 0,
        ]
    }
}

/// Bits that a part shifts out; `start` is a frame, 64 bits, ahead of them.
fn window(part: &I2sPart, hz: f64, start: u64, width: u32) -> u32 {
    let (frame, bit) = (start / FRAME_CLOCKS, (start % FRAME_CLOCKS) as u32);
    // Before its first frame a part is silent.
    let of = |ahead: u64| {
        ahead
            .checked_sub(1)
            .map_or(0, |frame| part.frame(frame, hz))
    };
    let mut pair = u128::from(of(frame)) << 64;
    if bit + width > 64 {
        pair |= u128::from(of(frame + 1));
    }
    ((pair << bit) >> (128 - width)) as u32
}

/// Bits that look random and are the same in every run (splitmix64).
fn mixed(seed: u64) -> u32 {
    let mixed = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::{I2sRole, Signal};

    fn link(left_at: u32, on_edge: bool) -> Link {
        Link {
            clock: Oscillation::new(0, 3_200_000, 1),
            first: 0,
            frame_clocks: 64,
            sync: (32, false),
            data: Data::InStep {
                part: Box::new(I2sPart::new(I2sRole::Slave, Signal::Count)),
                left_at,
                on_edge,
            },
        }
    }

    #[test]
    fn samples_stand_a_clock_behind_the_edges() {
        let link = link(0, false);
        for frame in [0, 1, 70_000] {
            let [left, right] = Signal::Count.sample(frame, 50e3).map(|word| word as u32);
            assert_eq!(link.bits(frame, 1, 32), left);
            assert_eq!(link.bits(frame, 33, 32), right);
            assert_eq!(link.bits(frame, 1, 24), left >> 8);
        }
    }

    #[test]
    fn with_the_other_edge_the_right_sample_comes_first() {
        let link = link(32, false);
        let right_before = !(8_u32 << 8) & !0xff;
        assert_eq!(link.bits(9, 1, 32), right_before);
        assert_eq!(link.bits(9, 33, 32), 9 << 8);
    }

    #[test]
    fn a_wrong_edge_and_another_master_scramble_the_bits() {
        let right = link(0, false);
        let on_edge = link(0, true);
        let other = Link {
            data: Data::OutOfStep {
                part: Box::new(I2sPart::new(I2sRole::Slave, Signal::Count)),
                clock: Oscillation::new(0, 48_000 * 64, 1),
            },
            ..right.clone()
        };
        let same = |link: &Link| {
            let frames = 1000..1100;
            let is_same = |frame: &u64| link.bits(*frame, 1, 32) == right.bits(*frame, 1, 32);
            frames.filter(is_same).count()
        };
        assert!(same(&on_edge) < 20 && same(&other) < 20);
        assert_eq!(same(&right), 100);
    }

    #[test]
    fn the_frame_clock_is_low_for_the_left_half() {
        let link = link(0, false);
        // A bit clock is 218.75 ARM clocks.
        assert_eq!(link.levels(100)[..2], [true, false]);
        assert_eq!(link.levels(200)[..2], [false, false]);
        assert_eq!(link.levels(32 * 219 + 1)[..2], [true, true]);
    }
}
