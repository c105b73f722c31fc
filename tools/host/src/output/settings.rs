//! The fields of JSON that say how a spectrum was made.

use serde_json::{Value, json};

use crate::spectrum::Spectrum;

/// The fields that are equal for all bins: engine, board, rate, length, window, averages, unit,
/// counters.
#[must_use]
pub fn settings(spectrum: &Spectrum) -> Value {
    json!({
        "source": spectrum.source,
        "engine": spectrum.engine.name(),
        "engine_fallback": spectrum.fallback,
        "plan_replaced": spectrum.replaced,
        "doubt": spectrum.doubt.map(|doubt| json!({ "from": doubt.from, "until": doubt.until })),
        "duty": spectrum.duty_ppm.map(|ppm| f64::from(ppm) / 1e6),
        "board": spectrum.board,
        "firmware": spectrum.firmware,
        "sample_rate": { "num": spectrum.rate.num, "den": spectrum.rate.den },
        "n": spectrum.n,
        "complex": spectrum.complex,
        "window": spectrum.window.to_string(),
        "enbw_bins": spectrum.enbw_bins,
        "overlap": spectrum.overlap,
        "averages": spectrum.averages,
        "detector": spectrum.detector.name(),
        "exponential": spectrum.exponential,
        "dc": spectrum.dc.name(),
        "held": spectrum.held,
        "centre_hz": spectrum.centre_hz,
        "unit": spectrum.level_unit(),
        "reference": spectrum.reference(),
        "counters": spectrum.counters,
    })
}
