//! A spectrum with a known shape, for tests of what draws and writes spectra.

use signal::Rate;
use wire::{Dc, Detector, Window};

use crate::input::Unit;
use crate::spectrum::{Counters, Engine, Spectrum, StreamTotals};

/// A spectrum of `n` points at 48 kS/s with a line of -6 dB at a quarter of its bins.
#[must_use]
pub fn example(n: u32, complex: bool) -> Spectrum {
    let bins = if complex {
        n as usize
    } else {
        n as usize / 2 + 1
    };
    let power = (0..bins)
        .map(|k| {
            if k == bins / 4 {
                0.25
            } else {
                1e-8 * (1.0 + (k % 7) as f64)
            }
        })
        .collect();
    Spectrum {
        source: "example.wav".into(),
        power,
        greatest: None,
        first_bin: if complex { -i64::from(n / 2) } else { 0 },
        n,
        complex,
        rate: Rate {
            num: 48_000,
            den: 1,
        },
        centre_hz: 0.0,
        window: Window::Hann,
        enbw_bins: 1.5,
        overlap: n / 2,
        averages: 3,
        detector: Detector::Mean,
        exponential: 0,
        dc: Dc::Keep,
        held: None,
        engine: Engine::Qpu,
        fallback: false,
        replaced: false,
        doubt: None,
        duty_ppm: None,
        board: "Raspberry Pi 1".into(),
        firmware: "0.1.0".into(),
        unit: Unit::FullScale,
        device_us: 1_500_000,
        stream: 0,
        record: 1,
        first_sample: 0,
        counters: Counters::NOTHING,
        totals: StreamTotals::default(),
    }
}
