//! The wire between the board and the host: what one side receives of what the other sends.
//!
//! A receiver samples in the middle of each bit as its own rate counts them. With equal rates that
//! gives the byte; with different ones it gives what the wire held at those times, the same at each
//! run. Beyond 3 % the byte also counts as a framing error, whatever the stop bit showed: the room
//! for that is used up by edges and start-bit detection.

use crate::clock::ARM_HZ;

/// Binary places of [`BitTime`].
const FRACTION: u32 = 16;
/// Bits on the wire for 8N1.
pub const FRAME_BITS: u32 = 10;

/// Length of a bit in ARM clocks, with 16 binary places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BitTime(u64);

impl BitTime {
    /// The bit time of a rate in baud, which is not 0.
    pub fn from_baud(baud: u32) -> Self {
        Self((ARM_HZ << FRACTION) / u64::from(baud.max(1)))
    }

    /// The bit time of a PL011: 16 reference clocks times its divisor, which has 6 binary places.
    pub fn from_divisor(divisor_64ths: u32, uart_hz: u32) -> Self {
        let numerator = u128::from(ARM_HZ << FRACTION) * u128::from(divisor_64ths);
        Self((numerator / (4 * u128::from(uart_hz.max(1)))) as u64)
    }

    /// ARM clocks of so many bits, at least 1.
    pub fn clocks(self, bits: u32) -> u64 {
        ((self.0 * u64::from(bits)) >> FRACTION).max(1)
    }

    /// More than 3 % apart.
    fn differs(self, other: Self) -> bool {
        self.0.abs_diff(other.0) * 100 > self.0.max(other.0) * 3
    }
}

/// Output of a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// The eight data bits.
    pub value: u8,
    /// The stop bit was not where it should be.
    pub framing: bool,
    /// The line was low all the time.
    pub line_break: bool,
}

/// The wire as a pattern: bit 0 is the start bit; `bits` of them, then the idle line.
fn sample(pattern: u64, bits: u32, sender: BitTime, receiver: BitTime) -> Received {
    let mut samples = 0u32;
    for index in 0..FRAME_BITS {
        let at = (2 * u64::from(index) + 1) * receiver.0 / (2 * sender.0);
        let level = at >= u64::from(bits) || pattern >> at & 1 != 0;
        samples |= u32::from(level) << index;
    }
    Received {
        value: (samples >> 1) as u8,
        framing: samples >> 9 & 1 == 0 || sender.differs(receiver),
        line_break: samples == 0,
    }
}

/// A byte in 8N1.
pub fn byte(value: u8, sender: BitTime, receiver: BitTime) -> Received {
    sample(u64::from(value) << 1 | 1 << 9, FRAME_BITS, sender, receiver)
}

/// A break of so many bits of the sender.
pub fn line_break(bits: u32, sender: BitTime, receiver: BitTime) -> Received {
    sample(0, bits.min(60), sender, receiver)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rates_give_every_byte() {
        let host = BitTime::from_baud(115_200);
        // 48 MHz and the divisor 26 + 3/64 of a driver: 0.02 % off.
        let board = BitTime::from_divisor(26 * 64 + 3, 48_000_000);
        for value in 0..=255 {
            assert_eq!(
                byte(value, board, host),
                Received {
                    value,
                    framing: false,
                    line_break: false
                }
            );
            assert_eq!(byte(value, host, board).value, value);
        }
    }

    #[test]
    fn wrong_rates_garble_the_same_way_each_time() {
        let fast = BitTime::from_baud(115_200);
        let slow = BitTime::from_baud(9600);
        assert_eq!(
            byte(b'U', slow, fast),
            Received {
                value: 0,
                framing: true,
                line_break: true
            }
        );
        assert_eq!(byte(b'U', fast, slow).value, 0xff);
        assert!(byte(b'U', fast, slow).framing);
        let near = BitTime::from_baud(119_000);
        assert!(byte(0, fast, near).framing && byte(0, near, fast).framing);
        assert!(!byte(0, fast, BitTime::from_baud(113_000)).framing);
    }

    #[test]
    fn a_break_is_low_for_a_whole_frame() {
        let rate = BitTime::from_baud(115_200);
        assert!(line_break(20, rate, rate).line_break);
        assert!(!line_break(5, rate, rate).line_break);
    }
}
