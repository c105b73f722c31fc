//! The place of a plot, and its axes of frequency and level.

use super::drawing::{Anchor, Drawing, Ink};
use super::theme::Inks;
use crate::spectrum::Spectrum;
use common::quantity::{prefix, ticks};

const SECONDS_PER_DAY: f64 = 86_400.0;

/// The place of the plot and the frequencies at its sides.
pub(super) struct Frame {
    pub(super) left: f32,
    pub(super) right: f32,
    pub(super) top: f32,
    pub(super) bottom: f32,
    pub(super) from_hz: f64,
    pub(super) to_hz: f64,
}

impl Frame {
    pub(super) fn x(&self, hz: f64) -> f32 {
        let share = (hz - self.from_hz) / (self.to_hz - self.from_hz);
        self.left + (self.right - self.left) * share as f32
    }
}

/// A typographic minus sign.
pub(super) fn minus(number: &str) -> String {
    number.replace('-', "−")
}

/// Words under the title: what has been computed how, and where.
pub(super) fn subtitle(spectrum: &Spectrum) -> String {
    format!(
        "N = {} {} · {} window · {}, {:.0} % overlap · sampled at {} · engine {} · {}",
        spectrum.n,
        if spectrum.complex { "complex" } else { "real" },
        spectrum.window,
        spectrum.made_of(),
        100.0 * f64::from(spectrum.overlap) / f64::from(spectrum.n),
        sample_rate(spectrum),
        spectrum.engine.name().to_uppercase(),
        spectrum.board,
    )
}

/// `48 kHz`, or the fraction where the rate is one.
fn sample_rate(spectrum: &Spectrum) -> String {
    if spectrum.rate.den != 1 {
        return spectrum.rate.to_string();
    }
    let hz = spectrum.rate.to_hz();
    let (factor, prefix) = prefix(hz);
    format!("{} {prefix}Hz", hz / factor)
}

/// Hertz below; of a slow series cycles a day below and hertz above. Returns the places of the
/// ticks below.
pub(super) fn frequency_axes(
    drawing: &mut Drawing,
    frame: &Frame,
    inks: &Inks,
    is_slow: bool,
) -> Vec<f32> {
    let largest = frame.from_hz.abs().max(frame.to_hz.abs());
    let (factor, prefix) = prefix(largest);
    let hertz = format!("Frequency ({prefix}Hz)");
    let bottom = frame.bottom;
    let below = [bottom, bottom + 5.0, bottom + 22.0, bottom + 46.0];
    let (per_day, days) = (1.0 / SECONDS_PER_DAY, "Frequency (cycles per day)");
    let (unit, name) = if is_slow {
        (per_day, days)
    } else {
        (factor, &*hertz)
    };
    let style = (inks, [14.0, 16.0], inks.text);
    let places = frequency_axis(drawing, frame, unit, name, below, style);
    if is_slow {
        let top = frame.top;
        let above = [top - 5.0, top, top - 10.0, top - 30.0];
        drawing.line((frame.left, top), (frame.right, top), inks.axis, 1.0);
        let style = (inks, [13.0, 14.0], inks.faint_text);
        frequency_axis(drawing, frame, factor, &hertz, above, style);
    }
    places
}

/// An axis in a unit of so many hertz; the heights are those of both ends of a tick, of the numbers
/// and of the name. Returns the places of its ticks.
fn frequency_axis(
    drawing: &mut Drawing,
    frame: &Frame,
    unit: f64,
    name: &str,
    [from, to, numbers, title]: [f32; 4],
    (inks, sizes, ink): (&Inks, [f32; 2], Ink),
) -> Vec<f32> {
    let (from_unit, to_unit) = (frame.from_hz / unit, frame.to_hz / unit);
    // Many digits need room: there are fewer ticks then.
    let most = [12, 8, 5].into_iter().find(|&most| {
        let (positions, decimals) = ticks(from_unit, to_unit, most);
        let widths = positions
            .iter()
            .map(|position| super::font::width(&format!("{position:.decimals$}"), sizes[0]));
        widths.sum::<f32>() < 0.8 * (frame.right - frame.left)
    });
    let (positions, decimals) = ticks(from_unit, to_unit, most.unwrap_or(3));
    let middle = (frame.left + frame.right) / 2.0;
    let mut places = vec![];
    for position in positions {
        let x = frame.x(position * unit);
        drawing.line((x, from), (x, to), inks.axis, 1.0);
        let text = minus(&format!("{position:.decimals$}"));
        drawing.text(&text, (x, numbers), sizes[0], Anchor::Middle, ink);
        places.push(x);
    }
    drawing.text(name, (middle, title), sizes[1], Anchor::Middle, ink);
    places
}
