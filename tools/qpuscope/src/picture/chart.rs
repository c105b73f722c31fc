//! The chart of one spectrum: axes, trace, marked lines.

use super::drawing::{Anchor, Drawing, Ink, Style};
use super::{HEIGHT, WIDTH};
use crate::lines::Line;
use crate::quantity::{frequency, period, prefix, ticks};
use crate::spectrum::Spectrum;

const TEXT: Ink = Ink(31, 41, 55, 1.0);
const FAINT_TEXT: Ink = Ink(107, 114, 128, 1.0);
const GRID: Ink = Ink(229, 231, 235, 1.0);
const AXIS: Ink = Ink(107, 114, 128, 1.0);
const TRACE: Ink = Ink(29, 78, 160, 1.0);
const SHADE: Ink = Ink(29, 78, 160, 0.10);
const MARK: Ink = Ink(194, 65, 12, 1.0);

/// Most decibels from top to bottom: what lies below is rounding.
const RANGE_DB: f64 = 160.0;

const SECONDS_PER_DAY: f64 = 86_400.0;

/// The place of the plot and what its edges mean.
struct Frame {
    left: f32,
    right: f32,
    top: f32,
    bottom: f32,
    from_hz: f64,
    to_hz: f64,
    from_db: f64,
    to_db: f64,
}

impl Frame {
    fn x(&self, hz: f64) -> f32 {
        let share = (hz - self.from_hz) / (self.to_hz - self.from_hz);
        self.left + (self.right - self.left) * share as f32
    }

    fn y(&self, db: f64) -> f32 {
        let share = (db - self.from_db) / (self.to_db - self.from_db);
        self.bottom - (self.bottom - self.top) * (share.clamp(0.0, 1.0) as f32)
    }
}

/// Draws the chart.
pub fn draw(spectrum: &Spectrum, lines: &[Line]) -> Drawing {
    let title = format!("Spectrum of {}", spectrum.source);
    let mut drawing = Drawing::new(WIDTH, HEIGHT, &title);
    let (from_db, to_db) = level_range(spectrum);
    let last = spectrum.power.len().saturating_sub(1);
    let (from_hz, mut to_hz) = (spectrum.frequency_hz(0), spectrum.frequency_hz(last));
    if to_hz <= from_hz {
        to_hz = from_hz + spectrum.bin_hz();
    }
    let frame = Frame {
        left: 92.0,
        right: WIDTH as f32 - 36.0,
        top: if spectrum.is_slow() { 138.0 } else { 96.0 },
        bottom: HEIGHT as f32 - 74.0,
        from_hz,
        to_hz,
        from_db,
        to_db,
    };
    drawing.text(&title, (frame.left, 40.0), 24.0, Anchor::Start, TEXT);
    drawing.text(
        &subtitle(spectrum),
        (frame.left, 66.0),
        15.0,
        Anchor::Start,
        FAINT_TEXT,
    );
    level_axis(&mut drawing, &frame, spectrum);
    frequency_axes(&mut drawing, &frame, spectrum);
    trace(&mut drawing, &frame, spectrum);
    for (side, ink) in [(frame.left, AXIS), (frame.right, GRID)] {
        drawing.line((side, frame.top), (side, frame.bottom), ink, 1.0);
    }
    drawing.line(
        (frame.left, frame.bottom),
        (frame.right, frame.bottom),
        AXIS,
        1.0,
    );
    mark_lines(&mut drawing, &frame, spectrum, lines);
    drawing.text(
        &spectrum.reference(),
        (frame.right, HEIGHT as f32 - 14.0),
        13.0,
        Anchor::End,
        FAINT_TEXT,
    );
    drawing
}

fn subtitle(spectrum: &Spectrum) -> String {
    format!(
        "N = {} {} · {} window · {}, {:.0} % overlap · sampled at {} · engine {} · {}",
        spectrum.n,
        if spectrum.complex { "complex" } else { "real" },
        spectrum.window,
        spectrum.made_of(),
        spectrum.overlap_percent(),
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

/// From just below the quietest hundredth to above the strongest bin, in steps of 10 dB.
fn level_range(spectrum: &Spectrum) -> (f64, f64) {
    let mut levels: Vec<f64> = (0..spectrum.power.len())
        .map(|at| spectrum.level_db(at))
        .filter(|level| level.is_finite() && *level > -299.0)
        .collect();
    levels.sort_by(f64::total_cmp);
    let Some((&highest, &lowest)) = levels.last().zip(levels.get(levels.len() / 100)) else {
        return (-100.0, 0.0);
    };
    // Head room for the labels of marked lines.
    let top = ((highest + 6.0) / 10.0).ceil() * 10.0;
    let bottom = ((lowest - 3.0) / 10.0).floor() * 10.0;
    (bottom.max(top - RANGE_DB).min(top - 20.0), top)
}

fn level_axis(drawing: &mut Drawing, frame: &Frame, spectrum: &Spectrum) {
    let (levels, decimals) = ticks(frame.from_db, frame.to_db, 10);
    for level in levels {
        let y = frame.y(level);
        drawing.line((frame.left, y), (frame.right, y), GRID, 1.0);
        let text = minus(&format!("{level:.decimals$}"));
        drawing.text(&text, (frame.left - 10.0, y + 5.0), 14.0, Anchor::End, TEXT);
    }
    drawing.text_upwards(
        &format!("Level ({})", spectrum.level_unit()),
        (30.0, (frame.top + frame.bottom) / 2.0),
        16.0,
        Anchor::Middle,
        TEXT,
    );
}

/// Hertz below; of a slow series cycles a day below and hertz above.
fn frequency_axes(drawing: &mut Drawing, frame: &Frame, spectrum: &Spectrum) {
    let largest = frame.from_hz.abs().max(frame.to_hz.abs());
    let (factor, prefix) = prefix(largest);
    let hertz = format!("Frequency ({prefix}Hz)");
    let bottom = frame.bottom;
    let below = [bottom, bottom + 5.0, bottom + 22.0, bottom + 46.0];
    let (per_day, days) = (1.0 / SECONDS_PER_DAY, "Frequency (cycles per day)");
    let is_slow = spectrum.is_slow();
    let (unit, name) = if is_slow {
        (per_day, days)
    } else {
        (factor, &*hertz)
    };
    for x in frequency_axis(drawing, frame, unit, name, below, ([14.0, 16.0], TEXT)) {
        drawing.line((x, frame.top), (x, bottom), GRID, 1.0);
    }
    if is_slow {
        let top = frame.top;
        let above = [top - 5.0, top, top - 10.0, top - 30.0];
        drawing.line((frame.left, top), (frame.right, top), AXIS, 1.0);
        frequency_axis(
            drawing,
            frame,
            factor,
            &hertz,
            above,
            ([13.0, 14.0], FAINT_TEXT),
        );
    }
}

/// An axis in a unit of so many hertz; the heights are those of both ends of a tick, of the numbers
/// and of the name. Returns the places of its ticks.
fn frequency_axis(
    drawing: &mut Drawing,
    frame: &Frame,
    unit: f64,
    name: &str,
    [from, to, numbers, title]: [f32; 4],
    (sizes, ink): ([f32; 2], Ink),
) -> Vec<f32> {
    let (positions, decimals) = ticks(frame.from_hz / unit, frame.to_hz / unit, 12);
    let middle = (frame.left + frame.right) / 2.0;
    let mut places = vec![];
    for position in positions {
        let x = frame.x(position * unit);
        drawing.line((x, from), (x, to), AXIS, 1.0);
        let text = minus(&format!("{position:.decimals$}"));
        drawing.text(&text, (x, numbers), sizes[0], Anchor::Middle, ink);
        places.push(x);
    }
    drawing.text(name, (middle, title), sizes[1], Anchor::Middle, ink);
    places
}

/// A typographic minus sign.
fn minus(number: &str) -> String {
    number.replace('-', "−")
}

/// The trace; where several bins share a column, their highest and lowest, so that no line is lost.
fn trace(drawing: &mut Drawing, frame: &Frame, spectrum: &Spectrum) {
    let columns = (frame.right - frame.left) as usize;
    let bins = spectrum.power.len();
    let place = |at: usize| {
        (
            frame.x(spectrum.frequency_hz(at)),
            frame.y(spectrum.level_db(at)),
        )
    };
    let mut points = vec![];
    if bins <= 2 * columns {
        points.extend((0..bins).map(place));
    } else {
        for column in 0..columns {
            let (from, to) = (column * bins / columns, (column + 1) * bins / columns);
            // A lost bin counts as nothing at all.
            let level = |at: usize| {
                if spectrum.power[at].is_nan() {
                    -1.0
                } else {
                    spectrum.power[at]
                }
            };
            let by_power = |&a: &usize, &b: &usize| level(a).total_cmp(&level(b));
            let low = (from..to).min_by(by_power).unwrap_or(from);
            let high = (from..to).max_by(by_power).unwrap_or(from);
            points.push(place(low.min(high)));
            points.push(place(low.max(high)));
        }
    }
    points.retain(|(x, y)| x.is_finite() && y.is_finite());
    if let [(first, _), .., (last, _)] = points[..] {
        let mut area = points.clone();
        area.extend([(last, frame.bottom), (first, frame.bottom)]);
        drawing.polygon(&area, Style::Fill(SHADE));
    }
    drawing.polygon(&points, Style::Stroke(TRACE, 1.4));
}

/// A triangle above each line, with its period or frequency; a label that would cover another is
/// left out.
fn mark_lines(drawing: &mut Drawing, frame: &Frame, spectrum: &Spectrum, lines: &[Line]) {
    let mut taken: Vec<(f32, f32, f32)> = vec![];
    for line in lines {
        let (x, y) = (frame.x(line.frequency), frame.y(line.level) - 5.0);
        let triangle = [(x, y), (x - 5.0, y - 8.0), (x + 5.0, y - 8.0)];
        drawing.polygon(&triangle, Style::Fill(MARK));
        let name = match line.period {
            Some(seconds) if spectrum.is_slow() => period(seconds),
            _ => frequency(line.frequency),
        };
        let text = minus(&format!("{name}, {:.1} dB", line.level));
        let half = super::font::width(&text, 14.0) / 2.0;
        let middle = x.clamp(frame.left + half + 4.0, frame.right - half - 4.0);
        let baseline = y - 13.0;
        let free = taken.iter().all(|&(other, other_half, other_baseline)| {
            (middle - other).abs() > half + other_half + 6.0
                || (baseline - other_baseline).abs() > 17.0
        });
        if free {
            drawing.text(&text, (middle, baseline), 14.0, Anchor::Middle, MARK);
            taken.push((middle, half, baseline));
        }
    }
}
