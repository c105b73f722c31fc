//! From transforms to power spectra: scaling, one-sided or two-sided order, detectors, DC removal.
//!
//! A full-scale sine on a bin (real: amplitude 1; complex: magnitude 1) has power 1 in every
//! window: |X|^2 is divided by the square of the window's sum, and a real spectrum carries the
//! power of both halves, relative to that of the sine, 1/2.

pub use signal::{Detector, Domain};

use crate::Complex;

/// The slice of each part of a detector, all of the same length.
fn parts(
    detector: Detector,
    len: usize,
) -> impl Iterator<Item = (Detector, core::ops::Range<usize>)> {
    let parts = detector.parts();
    let bins = len / parts.len();
    let ranges = (0..).map(move |part| part * bins..(part + 1) * bins);
    parts.iter().copied().zip(ranges)
}

/// Fills `held` with what the first block is taken into.
pub fn begin(detector: Detector, held: &mut [f64]) {
    for (detector, range) in parts(detector, held.len()) {
        held[range].fill(detector.start());
    }
}

/// Lets `held`, which has [`Domain::bins`] entries in order of frequency for each of the detector's
/// parts, take |X|^2 of the transform `data`. Of double precision, so that long averages lose
/// nothing.
pub fn accumulate(domain: Domain, detector: Detector, data: &[Complex<f32>], held: &mut [f64]) {
    for (detector, range) in parts(detector, held.len()) {
        accumulate_part(domain, detector, data, &mut held[range]);
    }
}

fn accumulate_part(domain: Domain, detector: Detector, data: &[Complex<f32>], held: &mut [f64]) {
    let half = data.len() / 2;
    let take = |held: &mut [f64], data: &[Complex<f32>]| {
        for (held, value) in held.iter_mut().zip(data) {
            let (re, im) = (f64::from(value.re), f64::from(value.im));
            detector.take(held, re * re + im * im);
        }
    };
    match domain {
        Domain::Real => take(held, data),
        Domain::Complex => {
            let (negative, positive) = held.split_at_mut(half);
            take(negative, &data[half..]);
            take(positive, &data[..half]);
        }
    }
}

/// Lets `held` take |X|^2 of two blocks of real samples, which were the real and the imaginary part
/// of the points that `data` is the transform of. Takes half the time of two transforms.
pub fn accumulate_pair(detector: Detector, data: &[Complex<f32>], held: &mut [f64]) {
    for (detector, range) in parts(detector, held.len()) {
        let mirrored = data.first().into_iter().chain(data.iter().rev());
        for ((held, z), mirror) in held[range].iter_mut().zip(data).zip(mirrored) {
            let [re, im] = [z.re, z.im].map(f64::from);
            let [mirror_re, mirror_im] = [mirror.re, mirror.im].map(f64::from);
            // Twice the transform of each block, but for a factor of magnitude 1.
            for (re, im) in [
                (re + mirror_re, im - mirror_im),
                (re - mirror_re, im + mirror_im),
            ] {
                detector.take(held, (re * re + im * im) / 4.0);
            }
        }
    }
}

/// Bins between two pauses of [`power`].
const PIECE: usize = 256;

/// Turns what a detector holds after `blocks` blocks of `n` points into powers, those of each part
/// behind those of the one before. `coherent_gain` is the window's
/// ([`Gain::coherent`](crate::Gain)). `pause` is called every few hundred bins, for other work.
#[expect(
    clippy::too_many_arguments,
    reason = "each is a number of the formula, but for the pause"
)]
pub fn power(
    domain: Domain,
    detector: Detector,
    coherent_gain: f64,
    n: usize,
    blocks: u32,
    held: &[f64],
    power: &mut [f32],
    mut pause: impl FnMut(),
) {
    let window_sum = coherent_gain * n as f64;
    let [sides, sides_at_ends] = match domain {
        Domain::Complex => [1.0; 2],
        Domain::Real => [4.0, 2.0],
    };
    for (detector, range) in parts(detector, held.len().min(power.len())) {
        let (held, power) = (&held[range.clone()], &mut power[range]);
        let two_sided = 1.0 / (window_sum * window_sum * f64::from(detector.count(blocks)));
        let factor = sides * two_sided;
        for (power, held) in power.chunks_mut(PIECE).zip(held.chunks(PIECE)) {
            for (power, held) in power.iter_mut().zip(held) {
                *power = (factor * held) as f32;
            }
            pause();
        }
        for bin in [0, n / 2] {
            if let (Some(power), Some(held)) = (power.get_mut(bin), held.get(bin)) {
                *power = (sides_at_ends * two_sided * held) as f32;
            }
        }
    }
}

/// Takes the mean of a block away, as the window weighs it: from samples times `window`, a multiple
/// of the window, so that their sum (bin 0 of the transform) becomes 0. Real and imaginary part
/// apart.
pub fn remove_mean(window: &[f32], coherent_gain: f64, block: &mut [Complex<f32>]) {
    let add = |(re, im): (f64, f64), x: &Complex<f32>| (re + f64::from(x.re), im + f64::from(x.im));
    let (re, im) = block.iter().fold((0.0, 0.0), add);
    let window_sum = coherent_gain * block.len() as f64;
    let mean = Complex::new((re / window_sum) as f32, (im / window_sum) as f32);
    for (x, w) in block.iter_mut().zip(window) {
        *x = *x - mean.scale(*w);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dft::{naive, root_of_unity};
    use crate::{Direction, Window, level};

    fn levels(domain: Domain, window: Window, samples: &[Complex<f32>]) -> Vec<f64> {
        let n = samples.len();
        let mut table = vec![0f32; n];
        window.fill(&mut table);
        let block: Vec<_> = samples
            .iter()
            .zip(&table)
            .map(|(sample, w)| sample.scale(*w))
            .collect();
        let mut bins = vec![Complex::ZERO; n];
        naive(Direction::Forward, &block, &mut bins);
        let bins: Vec<_> = bins
            .iter()
            .map(|z| Complex::new(z.re as f32, z.im as f32))
            .collect();
        let mut sums = vec![0.0; domain.bins(n)];
        let mut power = vec![0.0; domain.bins(n)];
        for _ in 0..3 {
            accumulate(domain, Detector::Mean, &bins, &mut sums);
        }
        let gain = window.gain(&table).coherent;
        super::power(domain, Detector::Mean, gain, n, 3, &sums, &mut power, || ());
        power.iter().map(|power| level::decibels(*power)).collect()
    }

    #[test]
    fn a_full_scale_sine_on_a_bin_reads_zero_in_every_window() {
        for window in Window::ALL {
            for bin in [5usize, 9, 27] {
                let tone: Vec<_> = (0..64)
                    .map(|i| root_of_unity((i * bin) as u64, 64).conj())
                    .map(|z| Complex::new(z.re as f32, z.im as f32))
                    .collect();
                let level = levels(Domain::Complex, window, &tone)[32 + bin];
                assert!(level.abs() < 0.0005, "{window:?} {bin} {level}");
                let real: Vec<_> = tone.iter().map(|z| Complex::new(z.re, 0.0)).collect();
                let level = levels(Domain::Real, window, &real)[bin];
                // The image ten bins away is not in a zero of Kaiser's window, but 80 dB lower.
                let image = match window {
                    Window::Kaiser(_) => 0.0005,
                    _ => 0.0,
                };
                assert!(level.abs() < 0.0005 + image, "{window:?} {bin} {level}");
            }
        }
    }

    #[test]
    fn negative_frequencies_come_first() {
        let tone: Vec<_> = (0..16)
            .map(|i| root_of_unity(3 * i, 16))
            .map(|z| Complex::new(z.re as f32, z.im as f32))
            .collect();
        let levels = levels(Domain::Complex, Window::Rectangular, &tone);
        assert!(levels[8 - 3].abs() < 0.0005);
        assert!(levels[8 + 3] < -100.0);
    }

    #[test]
    fn a_constant_has_twice_the_power_of_a_sine() {
        let ones = [Complex::new(1.0, 0.0); 32];
        let level = levels(Domain::Real, Window::Hann, &ones)[0];
        assert!((level - 3.0103).abs() < 0.0005, "{level}");
        let alternating: Vec<_> = (0..32)
            .map(|i| Complex::new(if i % 2 == 0 { 1.0 } else { -1.0 }, 0.0))
            .collect();
        let level = levels(Domain::Real, Window::Hann, &alternating)[16];
        assert!((level - 3.0103).abs() < 0.0005, "{level}");
    }

    #[test]
    fn detectors_hold_the_mean_the_greatest_or_the_least() {
        let (domain, gain) = (Domain::Complex, 1.0);
        for (detector, wanted) in [
            // 50 / 4 blocks / 2^2 points, 36 / 2^2 and 1 / 2^2.
            (Detector::Mean, &[3.125, 0.25][..]),
            (Detector::Max, &[9.0, 0.25]),
            (Detector::Min, &[0.25, 0.25]),
            (Detector::MeanMax, &[3.125, 0.25, 9.0, 0.25]),
        ] {
            let mut held = vec![f64::NAN; wanted.len()];
            begin(detector, &mut held);
            for size in [6.0, 2.0, 1.0, 3.0] {
                let data = [Complex::new(0.0, 1.0), Complex::new(size, 0.0)];
                accumulate(domain, detector, &data, &mut held);
            }
            let mut power = vec![0.0; wanted.len()];
            super::power(domain, detector, gain, 2, 4, &held, &mut power, || ());
            assert_eq!(power, wanted, "{detector:?}");
        }
    }

    #[test]
    fn a_pair_of_real_blocks_has_the_powers_of_both() {
        const N: usize = 32;
        let mut generator = crate::generator::Generator::new();
        let pair: [Complex<f32>; N] = core::array::from_fn(|_| generator.complex());
        let transformed = |block: &[Complex<f32>; N]| {
            let mut bins = [Complex::ZERO; N];
            naive(Direction::Forward, block, &mut bins);
            bins.map(|z| Complex::new(z.re as f32, z.im as f32))
        };
        let bins = Domain::Real.bins(N);
        for detector in Detector::ALL {
            let mut held = vec![0.0; bins * detector.parts().len()];
            begin(detector, &mut held);
            let mut wanted = held.clone();
            for block in [pair.map(|z| z.re), pair.map(|z| z.im)] {
                let block = transformed(&block.map(|x| Complex::new(x, 0.0)));
                accumulate(Domain::Real, detector, &block, &mut wanted);
            }
            accumulate_pair(detector, &transformed(&pair), &mut held);
            for (bin, (held, wanted)) in held.iter().zip(&wanted).enumerate() {
                let error = (held - wanted).abs();
                assert!(
                    error < 1e-5 * (1.0 + wanted),
                    "{detector:?} {bin}: {held} {wanted}"
                );
            }
        }
    }

    #[test]
    fn the_mean_as_the_window_weighs_it_is_taken_away() {
        for window in Window::ALL {
            let mut table = [0f32; 64];
            window.fill(&mut table);
            let gain = window.gain(&table).coherent;
            let offset = Complex::new(0.5, -0.25);
            let mut block = [offset; 64];
            for (x, w) in block.iter_mut().zip(&table) {
                *x = x.scale(*w);
            }
            remove_mean(&table, gain, &mut block);
            let most = block.iter().map(|x| x.re.abs().max(x.im.abs()));
            assert!(most.fold(0.0, f32::max) < 1e-7, "{window:?}");
        }
    }
}
