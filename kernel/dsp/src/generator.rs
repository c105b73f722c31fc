//! The built-in generator: a tone on a bin, a tone between bins, and seeded noise.
//!
//! What a board shows with nothing but a serial cable, so its answer is known: the same bits come
//! out on the board, in QEMU and on a host. Frequencies are exact fractions of the sample rate,
//! counted in a 32-bit phase; the first is an eighth of it, on a bin for every length.

use core::f64::consts::TAU;

use crate::Complex;

/// Samples a second.
pub const RATE_HZ: u64 = 51_200;
/// Amplitude of the tone on a bin: -6.02 dBFS.
pub const ON_BIN_AMPLITUDE: f64 = 0.5;
/// Phase step of the tone on a bin, in turns / 2^32: 6,400 Hz.
pub const ON_BIN_STEP: u32 = 1 << 29;
/// Amplitude of the tone between bins: -26.02 dBFS.
pub const OFF_BIN_AMPLITUDE: f64 = 0.05;
/// Phase step of the tone between bins: bin 250.37 of 1024, 12,518.5 Hz.
pub const OFF_BIN_STEP: u32 = 1_050_127_892;
/// Peak of the noise, which is uniform: -84.8 dBFS in all.
pub const NOISE_PEAK: f64 = 1e-4;

/// A source of samples that never ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generator {
    on_bin: u32,
    off_bin: u32,
    noise: u32,
}

impl Default for Generator {
    fn default() -> Self {
        Self::new()
    }
}

impl Generator {
    /// A generator at its first sample.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            on_bin: 0,
            off_bin: 0,
            noise: 0x7175_7075,
        }
    }

    /// Next value of the noise, -1 to 1: xorshift32 (Marsaglia, 2003).
    fn noise(&mut self) -> f64 {
        self.noise ^= self.noise << 13;
        self.noise ^= self.noise >> 17;
        self.noise ^= self.noise << 5;
        f64::from(self.noise as i32) / 2_147_483_648.0
    }

    fn step(&mut self) -> (f64, f64) {
        let angle = |phase: u32| TAU * f64::from(phase) / 4_294_967_296.0;
        let angles = (angle(self.on_bin), angle(self.off_bin));
        self.on_bin = self.on_bin.wrapping_add(ON_BIN_STEP);
        self.off_bin = self.off_bin.wrapping_add(OFF_BIN_STEP);
        angles
    }

    /// The next real sample.
    pub fn real(&mut self) -> f32 {
        let (on_bin, off_bin) = self.step();
        let tones = ON_BIN_AMPLITUDE * libm::cos(on_bin) + OFF_BIN_AMPLITUDE * libm::cos(off_bin);
        (tones + NOISE_PEAK * self.noise()) as f32
    }

    /// The next complex sample: both tones at positive frequencies, noise in both parts.
    pub fn complex(&mut self) -> Complex<f32> {
        let (on_bin, off_bin) = self.step();
        let (on_sin, on_cos) = libm::sincos(on_bin);
        let (off_sin, off_cos) = libm::sincos(off_bin);
        let re = ON_BIN_AMPLITUDE * on_cos + OFF_BIN_AMPLITUDE * off_cos;
        let im = ON_BIN_AMPLITUDE * on_sin + OFF_BIN_AMPLITUDE * off_sin;
        let re = re + NOISE_PEAK * self.noise();
        let im = im + NOISE_PEAK * self.noise();
        Complex::new(re as f32, im as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FNV-1a over the bits of the first samples. Recorded on x86-64; the QEMU and virtual Pi
    /// tests compare spectra made of the same samples.
    fn fingerprint(samples: impl Iterator<Item = f32>) -> u64 {
        samples
            .flat_map(|sample| sample.to_bits().to_le_bytes())
            .fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3)
            })
    }

    #[test]
    fn the_bits_never_change() {
        let mut generator = Generator::new();
        let real = fingerprint((0..4096).map(|_| generator.real()));
        let mut generator = Generator::new();
        let complex = fingerprint((0..4096).flat_map(|_| {
            let sample = generator.complex();
            [sample.re, sample.im]
        }));
        assert_eq!((real, complex), (REAL, COMPLEX));
    }

    const REAL: u64 = 4_204_134_922_955_841_478;
    const COMPLEX: u64 = 9_331_332_273_815_545_035;

    #[test]
    fn the_tones_have_their_levels() {
        let n = 1 << 16;
        let mut generator = Generator::new();
        let samples: Vec<_> = (0..n).map(|_| generator.complex()).collect();
        for (step, amplitude) in [
            (ON_BIN_STEP, ON_BIN_AMPLITUDE),
            (OFF_BIN_STEP, OFF_BIN_AMPLITUDE),
        ] {
            let mut sum = Complex::<f64>::ZERO;
            let mut phase = 0u32;
            for sample in &samples {
                let (sin, cos) = (TAU * f64::from(phase) / 4_294_967_296.0).sin_cos();
                sum = sum
                    + Complex::new(f64::from(sample.re), f64::from(sample.im))
                        * Complex::new(cos, -sin);
                phase = phase.wrapping_add(step);
            }
            let measured = sum.norm_sqr().sqrt() / f64::from(n);
            assert!(
                (measured - amplitude).abs() < 1e-4,
                "{measured} {amplitude}"
            );
        }
    }
}
