//! Signals to begin with.

use dsp::Complex;
use dsp::dft::root_of_unity;

/// A signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Preset {
    /// 1, and then nothing.
    Impulse,
    /// 1 in the first half, 0 in the second.
    Step,
    /// A cosine of so many periods; of complex samples, a tone that turns as often.
    Tone {
        /// Periods in the samples: the bin.
        bin: u32,
    },
    /// Numbers between -1 and 1 that follow from a seed.
    Noise {
        /// The seed: another one, other numbers.
        seed: u32,
    },
}

/// So many samples of a signal, between -1 and 1; imaginary parts of real ones are 0.
#[must_use]
pub fn samples(preset: Preset, points: u32, is_complex: bool) -> Vec<Complex<f64>> {
    let mut state = match preset {
        Preset::Noise { seed } => mixed(seed),
        _ => 0,
    };
    let sample = |index: u32| match preset {
        Preset::Impulse => real(index == 0),
        Preset::Step => real(index < points.div_ceil(2)),
        Preset::Tone { bin } => {
            let angle = u64::from(bin) * u64::from(index);
            let tone = root_of_unity(angle, u64::from(points)).conj();
            let im = if is_complex { tone.im } else { 0.0 };
            Complex::new(tone.re, im)
        }
        Preset::Noise { .. } => {
            let re = noise(&mut state);
            let im = noise(&mut state);
            Complex::new(re, if is_complex { im } else { 0.0 })
        }
    };
    (0..points).map(sample).collect()
}

fn real(is_one: bool) -> Complex<f64> {
    Complex::new(f64::from(u8::from(is_one)), 0.0)
}

/// A state that is not 0, which seeds that lie side by side do not share (splitmix32).
const fn mixed(seed: u32) -> u32 {
    let mut state = seed.wrapping_add(0x9e37_79b9);
    state = (state ^ (state >> 16)).wrapping_mul(0x21f0_aaad);
    state = (state ^ (state >> 15)).wrapping_mul(0x735a_2d97);
    (state ^ (state >> 15)) | 1
}

/// The next number between -1 and 1: xorshift32 (Marsaglia, 2003).
fn noise(state: &mut u32) -> f64 {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    f64::from(state.cast_signed()) / 2_147_483_648.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use dsp::Direction;
    use dsp::dft::naive;

    #[test]
    fn a_tone_is_in_its_bin_alone() {
        for points in [4u32, 16, 64] {
            for bin in 0..points {
                let mut bins = vec![Complex::ZERO; points as usize];
                naive(
                    Direction::Forward,
                    &samples(Preset::Tone { bin }, points, true),
                    &mut bins,
                );
                for (index, value) in (0..).zip(&bins) {
                    let expected = if index == bin { f64::from(points) } else { 0.0 };
                    let off = *value - Complex::new(expected, 0.0);
                    assert!(off.norm_sqr() < 1e-20, "{points} {bin}: {index}");
                }
                let cosine = samples(Preset::Tone { bin }, points, false);
                assert!(cosine.iter().all(|sample| sample.im == 0.0));
            }
        }
    }

    #[test]
    fn noise_is_of_its_seed() {
        let of = |seed| samples(Preset::Noise { seed }, 64, true);
        assert_eq!(of(3), of(3));
        assert_ne!(of(3), of(4));
        let parts = of(u32::MAX);
        assert!(
            parts
                .iter()
                .all(|sample| sample.re.abs() <= 1.0 && sample.im.abs() <= 1.0)
        );
    }

    #[test]
    fn impulse_and_step_are_what_they_are_called() {
        let re = |preset| -> Vec<f64> {
            samples(preset, 4, true)
                .iter()
                .map(|sample| sample.re)
                .collect()
        };
        assert_eq!(re(Preset::Impulse), [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(re(Preset::Step), [1.0, 1.0, 0.0, 0.0]);
    }
}
