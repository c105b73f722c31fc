//! RXC: the channels that are cut out of a frame.
//!
//! Sources: BCM2835 ARM Peripherals, section 8.8, RXC_A; Linux `bcm2835-i2s.c`.

use super::receiver::{Channel, Format};
use super::{FRXP, RXSEX};

const CHWEX: u32 = 1 << 15;
const CHEN: u32 = 1 << 14;

/// The channels that RXC describes, as far as a frame has their first bit.
pub fn format(rxc: u32, mode: u32, cs: u32, frame_clocks: u64) -> Format {
    let channel = |half: u32| {
        let width = (half & 0xf) + 8 + if half & CHWEX != 0 { 16 } else { 0 };
        (half & CHEN != 0).then_some(Channel {
            position: u64::from(half >> 4 & 0x3ff),
            width: width.min(32),
        })
    };
    let mut channels: Vec<Channel> = [rxc >> 16, rxc & 0xffff]
        .into_iter()
        .filter_map(channel)
        .filter(|channel| channel.position < frame_clocks)
        .collect();
    channels.sort_by_key(|channel| channel.position);
    Format {
        channels,
        packed: mode & FRXP != 0,
        signed: cs & RXSEX != 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_channels_of_32_bits_fill_a_frame() {
        let half = |position: u32| CHWEX | CHEN | position << 4 | 8;
        let channel = |position| Channel {
            position,
            width: 32,
        };
        let found = format(half(1) << 16 | half(33), 0, RXSEX, 64);
        assert_eq!(found.channels, [channel(1), channel(33)]);
        assert!(found.signed && !found.packed);
        // The first channel of a frame comes first, whatever its number; one beyond it never does.
        let found = format(half(33) << 16 | half(1), FRXP, 0, 64);
        assert_eq!(found.channels, [channel(1), channel(33)]);
        assert!(found.packed);
        assert_eq!(
            format(half(1) << 16 | half(64), 0, 0, 64).channels,
            [channel(1)]
        );
        assert_eq!(format(CHEN | 8, 0, 0, 64).channels[0].width, 16);
    }
}
