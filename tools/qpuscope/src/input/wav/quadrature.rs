//! A look at two channels: whether they are I and Q of one complex signal.
//!
//! A tone above the centre frequency stands in I and a quarter of a turn later in Q, at the same
//! level; below it, a quarter earlier. So the cross spectrum of I and Q is imaginary wherever a
//! signal stands out. That of two microphones is real, or turns with frequency.

use reference_fft::{Complex, Direction};

use super::super::Samples;
use crate::failure::Result;

/// Frames of a block.
const BLOCK: usize = 1024;
/// Blocks that are looked at, spread over the recording.
const BLOCKS: u64 = 32;
/// The least share of the power in quadrature. A strong signal in noise of the same power has half.
const LEAST_IN_QUADRATURE: f64 = 0.35;
/// The most in phase, as a share of that.
const MOST_IN_PHASE: f64 = 0.25;
/// The largest ratio of the powers of both.
const LARGEST_RATIO: f64 = 1.6;

/// Returns whether two channels look like I and Q.
///
/// # Errors
/// Usage, when they cannot be read.
pub fn looks_like_iq(left: &Samples, right: &Samples) -> Result<bool> {
    let count = left.count();
    if count < BLOCK as u64 {
        return Ok(false);
    }
    let fft = reference_fft::plan(BLOCK, Direction::Forward);
    let mut cross = vec![Complex::new(0.0, 0.0); BLOCK / 2];
    let mut powers = [vec![0.0; BLOCK / 2], vec![0.0; BLOCK / 2]];
    let blocks = BLOCKS.min(count / BLOCK as u64);
    for block in 0..blocks {
        let first = (count - BLOCK as u64) / blocks.max(1) * block;
        let mut spectra = [vec![], vec![]];
        for (samples, spectrum) in [left, right].into_iter().zip(&mut spectra) {
            let values = samples.values(first, BLOCK as u64)?;
            let window =
                |at: usize| 0.5 - 0.5 * (std::f64::consts::TAU * at as f64 / BLOCK as f64).cos();
            *spectrum = (values.iter().enumerate())
                .map(|(at, x)| Complex::new(x * window(at), 0.0))
                .collect();
            fft.process(spectrum);
        }
        // Bins at the edge and around 0 Hz hold means and hum.
        for bin in 3..BLOCK / 2 {
            let [l, r] = [spectra[0][bin], spectra[1][bin]];
            cross[bin] += l.conj() * r;
            powers[0][bin] += l.norm_sqr();
            powers[1][bin] += r.norm_sqr();
        }
    }
    let sum = |powers: &[f64]| powers.iter().sum::<f64>();
    let [l, r] = [sum(&powers[0]), sum(&powers[1])];
    if l <= 0.0 || r <= 0.0 || l.max(r) / l.min(r) > LARGEST_RATIO {
        return Ok(false);
    }
    let whole: f64 = powers[0]
        .iter()
        .zip(&powers[1])
        .map(|(l, r)| (l * r).sqrt())
        .sum();
    let quadrature: f64 = cross.iter().map(|x| x.im.abs()).sum();
    let in_phase: f64 = cross.iter().map(|x| x.re.abs()).sum();
    Ok(quadrature > LEAST_IN_QUADRATURE * whole && in_phase < MOST_IN_PHASE * quadrature)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::tests::mutate::Random;

    const FRAMES: usize = 32 * 1024;

    fn both(frame: impl Fn(f64, &mut Random) -> [f64; 2]) -> bool {
        let mut random = Random::new(7);
        let frames: Vec<[f64; 2]> = (0..FRAMES).map(|t| frame(t as f64, &mut random)).collect();
        let channel = |side: usize| {
            let values: Vec<f64> = frames.iter().map(|frame| frame[side]).collect();
            Samples::of_f64(&values)
        };
        looks_like_iq(&channel(0), &channel(1)).expect("samples")
    }

    fn noise(random: &mut Random) -> f64 {
        (0..12)
            .map(|_| random.below(1001) as f64 / 1000.0 - 0.5)
            .sum()
    }

    #[test]
    fn signals_on_both_sides_in_noise_are_found() {
        assert!(both(|t, random| {
            let (above, below) = (0.3 * t, -0.9 * t);
            [
                2.0 * above.cos() + below.cos() + 0.3 * noise(random),
                2.0 * above.sin() + below.sin() + 0.3 * noise(random),
            ]
        }));
    }

    #[test]
    fn sound_is_not_taken_for_it() {
        // The same in both; on two microphones a few samples apart; two instruments; noise.
        assert!(!both(|t, random| {
            let tone = (0.3 * t).sin();
            [tone + 0.1 * noise(random), 0.9 * tone + 0.1 * noise(random)]
        }));
        assert!(!both(|t, random| {
            let tones = |t: f64| {
                (1..20)
                    .map(|k| (0.11 * f64::from(k) * t).sin())
                    .sum::<f64>()
            };
            [tones(t) + 0.1 * noise(random), tones(t - 5.0)]
        }));
        assert!(!both(|t, _| [(0.3 * t).sin(), (0.7 * t).sin()]));
        assert!(!both(|_, random| [noise(random), noise(random)]));
        assert!(!both(|t, _| [(0.3 * t).sin(), 0.0]));
    }
}
