//! The reference itself, on signals whose level is known.

use crate::reference::power;
use reference_fft::Complex;
use std::f64::consts::TAU;
use wire::{Domain, Window};

#[test]
fn a_full_scale_sine_on_a_bin_is_one_in_every_window() {
    let n = 256;
    for kind in Window::ALL {
        let angle = |i: usize| TAU * 40.0 * i as f64 / n as f64 + 0.3;
        let real = (0..n).map(|i| Complex::new(angle(i).cos(), 0.0));
        let real: Vec<_> = real.collect();
        let spectrum = power(&real, Domain::Real, kind, n, 0);
        // The image is not in a zero of Kaiser's window.
        let image = match kind {
            Window::Kaiser(_) => 1e-4,
            _ => 1e-12,
        };
        assert!((spectrum[40] - 1.0).abs() < image, "{kind:?}");
        let complex: Vec<_> = (0..n).map(|i| Complex::cis(angle(i))).collect();
        let spectrum = power(&complex, Domain::Complex, kind, n, 0);
        assert!((spectrum[n / 2 + 40] - 1.0).abs() < 1e-12, "{kind:?}");
    }
}

#[test]
fn a_constant_has_twice_the_power_of_a_sine() {
    let ones = vec![Complex::new(1.0, 0.0); 64];
    let spectrum = power(&ones, Domain::Real, Window::Hann, 64, 0);
    assert!((spectrum[0] - 2.0).abs() < 1e-12);
}
