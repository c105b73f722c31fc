//! Virtual time: every constant that says how long something takes.
//!
//! Time is counted in ARM clocks since power-on. Where the evidence leaves a range, the slow end is
//! taken. That is no promise: a program which is in time here may be late on a board where nobody
//! has published how long something takes. All of these are modelled, none is measured on a board
//! by us.
//!
//! The ARM's way to memory follows the published times of one program on a Pi 1 at 700 MHz: a zlib
//! round trip of 8 KiB (dwelch67's `raspberrypi/twain`, README; gcc 4.6.1, 4.7.0 and 4.8.1 with
//! `-O2 -mcpu=arm1176jzf-s`), in ticks of the ARM timer at 250 MHz. docs/what-a-number-means.md
//! has them beside those that the same program takes here.

/// ARM1176 clock of a Pi 1. Source: `config.txt` documentation, default `arm_freq` (Pi 1: 700).
pub const ARM_HZ: u64 = 700_000_000;

/// Clocks for one instruction. The ARM1176 issues at most one a clock; loads, branches and the
/// VFP11's result latency of 8 bring compiled code to 1.3 .. 2 clocks (ARM1176JZF-S TRM, ch. 16).
/// The slow end.
pub const INSTRUCTION_CLOCKS: u64 = 2;

/// Clocks for a double-precision divide or square root. The VFP11 takes up to 33 when the next
/// instruction needs the result, but runs beside the integer pipeline; 8 is a choice, no
/// measurement.
pub const DOUBLE_DIVIDE_CLOCKS: u64 = 8;

/// One access to a peripheral, on top of its instruction. The bus to the peripherals costs tens of
/// nanoseconds; 50 ns is a choice, no measurement.
pub const MMIO_CLOCKS: u64 = ARM_HZ * 50 / 1_000_000_000;

/// A load or store that no cache holds, on top of its instruction. twain with the instruction cache
/// alone takes 31.1 to 31.7 ms longer than with both, and does 640,000 accesses: 49 to 50 ns each.
pub const UNCACHED_ACCESS_CLOCKS: u64 = ARM_HZ * 50 / 1_000_000_000;

/// A group of instructions that no cache holds, on top of what they do: from where a branch leads,
/// or from where the last group ended, to the end of a line. twain with no cache takes 9.8, 11.7 or
/// 13.3 ms longer than with the instruction cache alone, and comes to 434,000 groups: 22 to 31 ns.
pub const UNCACHED_FETCH_CLOCKS: u64 = (ARM_HZ * 31).div_ceil(1_000_000_000);

/// A line fill of the ARM that finds its line in the system L2: as long as V3D's read of a line
/// there, 22 of its clocks (`system_l2_hit` of [`v3d_sim::Constants`]), since nothing better is
/// published. The slow end: twain with both caches takes 7 % longer than on the slowest of its
/// boards.
pub const LINE_FILL_CLOCKS: u64 = 22 * ARM_HZ / V3D_HZ;

/// The same without the cycle model, where no line is in the system L2: longer by V3D's time to
/// open a row of SDRAM and read a line, 21 of its clocks.
pub const SDRAM_FILL_CLOCKS: u64 = LINE_FILL_CLOCKS + (21 * ARM_HZ).div_ceil(V3D_HZ);

/// V3D clock of a Pi 1. Source: `config.txt` documentation, default `v3d_freq` (Pi 1: 250).
pub const V3D_HZ: u64 = 250_000_000;

/// V3D clocks in one round, the time in which a QPU ends one instruction on sixteen elements.
/// Source: VideoCore IV 3D Architecture Reference Guide, "QPU": four quads, one a clock.
pub const V3D_CLOCKS_PER_ROUND: u64 = 4;

/// Distance that V3D may run ahead of or behind the ARM while the guest does not touch its
/// registers, in rounds. It bounds how late a V3D interrupt is seen and how old memory that V3D
/// writes may look to the ARM.
pub const V3D_QUANTUM_ROUNDS: u64 = 64;

/// The bound while no QPU can go on before the ARM does something: 1 ms.
pub const V3D_STUCK_ROUNDS: u64 = 62_500;

/// Time without power that V3D needs to lose its state. 50 ms have been enough on a Pi 3B (a VC4CL
/// fork); less has not been tried.
pub const V3D_OFF_CLOCKS: u64 = ARM_HZ / 1000 * 50;

/// System timer. Source: BCM2835 ARM Peripherals, section 12; Linux `bcm2835_timer`.
pub const SYSTEM_TIMER_HZ: u64 = 1_000_000;

/// Time from a request in the property mailbox to its answer. GPU_FFT's readme measured about 100
/// us of overhead for a mailbox call.
pub const MAILBOX_US: u32 = 100;

/// A word that DMA reads from a peripheral: as an access of the ARM ([`MMIO_CLOCKS`]). More than 80
/// ns would contradict 50 MB/s from the SMI block (iosoft's AD9226, 25 MS/s of 16 bits).
pub const DMA_PERIPHERAL_CLOCKS: u64 = ARM_HZ * 50 / 1_000_000_000;

/// Times as long as a full channel that a lite one takes for a read. Source: BCM2835 ARM
/// Peripherals, section 4.5: "about half the bandwidth".
pub const DMA_LITE_FACTOR: u64 = 2;

/// Up to 16 bytes that DMA reads from memory and hands on: the 100 ns between two writes of one
/// control block that hzeller's rpi-gpio-dma-demo measured on a Pi 1.
pub const DMA_MEMORY_CLOCKS: u64 = ARM_HZ * 100 / 1_000_000_000;

/// Time to load a control block. The same measurement shows a pause "lasting much longer" than 100
/// ns, without a figure; five times as long is assumed.
pub const DMA_BLOCK_CLOCKS: u64 = ARM_HZ * 500 / 1_000_000_000;

/// Time from a write of DMA to its arrival in memory: the simulator's way to SDRAM, 43 clocks of
/// 250 MHz, rounded up.
pub const DMA_WRITE_CLOCKS: u64 = ARM_HZ * 200 / 1_000_000_000;

/// Time for which an access of DMA or of the ARM has the system L2, for each 16 bytes, in
/// hundredths of a V3D clock. The bus is 128 bits wide (BCM2835 ARM Peripherals, section 4.3); an
/// AXI access has an address and data. The slow end: one after the other, two clocks.
pub const L2_BEAT: u64 = 200;

/// Hundredths of V3D clocks at an ARM clock.
pub fn v3d_ticks(clocks: u64) -> u64 {
    const TICKS: Ratio = Ratio::new(100 * V3D_HZ, ARM_HZ);
    TICKS.floor(clocks)
}

/// Ticks of the watchdog. Source: Linux `bcm2835_wdt.c` (`SECS_TO_WDOG_TICKS`: 2^16 a second).
pub const WATCHDOG_HZ: u64 = 65_536;

/// UART reference clock of current firmware (`init_uart_clock`).
pub const UART_HZ: u64 = 48_000_000;

/// Nanoseconds in ARM clocks.
const NANOSECONDS: Ratio = Ratio::new(1_000_000_000, ARM_HZ);
/// Rounds of V3D in ARM clocks.
const ROUNDS: Ratio = Ratio::new(V3D_HZ, ARM_HZ * V3D_CLOCKS_PER_ROUND);

/// Nanoseconds since power-on, rounded down.
pub fn ns_from_clocks(clocks: u64) -> u64 {
    NANOSECONDS.floor(clocks)
}

/// The first clock at or after `ns`.
pub fn clocks_from_ns(ns: u64) -> u64 {
    NANOSECONDS.inverse_ceil(ns)
}

/// Rounds that V3D ends in so many ARM clocks after its start.
pub fn rounds_in_clocks(clocks: u64) -> u64 {
    ROUNDS.floor(clocks)
}

/// The first ARM clock by which V3D has ended so many rounds.
pub fn clocks_for_rounds(rounds: u64) -> u64 {
    ROUNDS.inverse_ceil(rounds)
}

/// A factor, reduced. Products of up to 128 bits are right; those of up to 64 are divided as such,
/// which is several times as fast, on wasm32 most of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    numerator: u64,
    denominator: u64,
}

impl Ratio {
    /// `numerator / denominator`; neither is 0.
    pub const fn new(numerator: u64, denominator: u64) -> Self {
        let (mut a, mut b) = (numerator, denominator);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        Self {
            numerator: numerator / a,
            denominator: denominator / a,
        }
    }

    /// `value` times this, rounded down.
    #[inline]
    pub fn floor(self, value: u64) -> u64 {
        if fits(value, self.numerator) {
            value * self.numerator / self.denominator
        } else {
            narrow(wide(value, self.numerator) / u128::from(self.denominator))
        }
    }

    /// `value` divided by this, rounded up.
    #[inline]
    pub fn inverse_ceil(self, value: u64) -> u64 {
        if fits(value, self.denominator) {
            (value * self.denominator).div_ceil(self.numerator)
        } else {
            narrow(wide(value, self.denominator).div_ceil(self.numerator.into()))
        }
    }

    /// `value` times this; exact where the product and the result are whole numbers of 53 bits.
    pub fn times(self, value: f64) -> f64 {
        value * self.numerator as f64 / self.denominator as f64
    }
}

/// True if a product has at most 64 bits.
#[inline]
fn fits(a: u64, b: u64) -> bool {
    a.leading_zeros() + b.leading_zeros() >= u64::BITS
}

#[cold]
fn wide(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}

fn narrow(value: u128) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nanoseconds_and_clocks_agree() {
        assert_eq!(ns_from_clocks(ARM_HZ), 1_000_000_000);
        assert_eq!(MMIO_CLOCKS, 35);
        for ns in [0, 1, 2, 10, 999, 1_000_000_007] {
            let back = ns_from_clocks(clocks_from_ns(ns));
            assert!(back >= ns && back <= ns + 2, "{ns} -> {back}");
        }
    }

    #[test]
    fn wide_and_narrow_products_agree() {
        for ratio in [
            Ratio::new(3, 7),
            Ratio::new(384, 87_500),
            Ratio::new(1 << 40, 1 << 37 | 1),
        ] {
            for value in [0, 1, 6, 7, 8, 1 << 20, 1 << 56, u64::MAX / 9] {
                let [n, d, v] = [ratio.numerator, ratio.denominator, value].map(u128::from);
                assert_eq!(
                    u128::from(ratio.floor(value)),
                    (v * n / d).min(u64::MAX.into())
                );
                let inverse = (v * d).div_ceil(n).min(u64::MAX.into());
                assert_eq!(u128::from(ratio.inverse_ceil(value)), inverse);
            }
        }
        assert_eq!(Ratio::new(6, 4), Ratio::new(3, 2));
    }

    #[test]
    fn a_round_is_sixteen_nanoseconds() {
        assert_eq!(rounds_in_clocks(ARM_HZ), 62_500_000);
        for rounds in [1, 2, 5, 64, 12_345] {
            assert_eq!(rounds_in_clocks(clocks_for_rounds(rounds)), rounds);
            assert_eq!(rounds_in_clocks(clocks_for_rounds(rounds) - 1), rounds - 1);
        }
    }
}
