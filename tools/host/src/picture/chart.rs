//! The chart of one spectrum: axes, trace, marked lines.

use super::axes::{Frame, frequency_axes, minus, subtitle};
use super::drawing::{Anchor, Drawing, Ink, Style};
use super::look::{LevelSpan, Look};
use super::theme::Inks;
use super::{HEIGHT, WIDTH};
use crate::lines::{Line, PRECISION_BINS};
use crate::spectrum::Spectrum;
use common::quantity::{frequency_by, period, ticks};

/// Most decibels from top to bottom: what lies below is rounding.
const RANGE_DB: f64 = 160.0;

/// The place of the plot and what its edges mean.
struct Plot {
    frame: Frame,
    from_db: f64,
    to_db: f64,
    inks: Inks,
}

impl Plot {
    fn x(&self, hz: f64) -> f32 {
        self.frame.x(hz)
    }

    fn y(&self, db: f64) -> f32 {
        let share = (db - self.from_db) / (self.to_db - self.from_db);
        let Frame { top, bottom, .. } = self.frame;
        bottom - (bottom - top) * (share.clamp(0.0, 1.0) as f32)
    }
}

/// The chart of a spectrum, with `lines` marked.
pub fn draw(spectrum: &Spectrum, lines: &[Line], look: &Look) -> Drawing {
    let inks = look.theme.inks();
    let title = match &look.title {
        Some(title) => title.clone(),
        None => format!("Spectrum of {}", spectrum.source),
    };
    let mut drawing = Drawing::new(WIDTH, HEIGHT, &title);
    drawing.paper = inks.paper;
    let greatest = spectrum.greatest_alone();
    let (from_db, mut to_db) = level_range(spectrum);
    if let Some(greatest) = &greatest {
        to_db = to_db.max(level_range(greatest).1);
    }
    let own = LevelSpan {
        from_db: from_db.max(to_db - RANGE_DB),
        to_db,
    };
    let LevelSpan { from_db, to_db } = look.levels.unwrap_or(own);
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
    };
    let (left, right, top, bottom) = (frame.left, frame.right, frame.top, frame.bottom);
    let plot = Plot {
        frame,
        from_db,
        to_db,
        inks,
    };
    drawing.text(&title, (left, 40.0), 24.0, Anchor::Start, inks.text);
    let below = subtitle(spectrum);
    drawing.text(&below, (left, 66.0), 15.0, Anchor::Start, inks.faint_text);
    level_axis(&mut drawing, &plot, spectrum);
    for x in frequency_axes(&mut drawing, &plot.frame, &inks, spectrum.is_slow()) {
        drawing.line((x, top), (x, bottom), inks.grid, 1.0);
    }
    if let Some(greatest) = &greatest {
        trace(&mut drawing, &plot, greatest, inks.greatest);
        legend(&mut drawing, &plot);
    }
    trace(&mut drawing, &plot, spectrum, inks.trace);
    for (side, ink) in [(left, inks.axis), (right, inks.grid)] {
        drawing.line((side, top), (side, bottom), ink, 1.0);
    }
    drawing.line((left, bottom), (right, bottom), inks.axis, 1.0);
    mark_lines(&mut drawing, &plot, spectrum, lines);
    let place = (right, HEIGHT as f32 - 14.0);
    let reference = spectrum.reference();
    drawing.text(&reference, place, 13.0, Anchor::End, inks.faint_text);
    drawing
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

fn level_axis(drawing: &mut Drawing, plot: &Plot, spectrum: &Spectrum) {
    let (levels, decimals) = ticks(plot.from_db, plot.to_db, 10);
    for level in levels {
        let y = plot.y(level);
        drawing.line(
            (plot.frame.left, y),
            (plot.frame.right, y),
            plot.inks.grid,
            1.0,
        );
        let text = minus(&format!("{level:.decimals$}"));
        drawing.text(
            &text,
            (plot.frame.left - 10.0, y + 5.0),
            14.0,
            Anchor::End,
            plot.inks.text,
        );
    }
    drawing.text_upwards(
        &format!("Level ({})", spectrum.level_unit()),
        (30.0, (plot.frame.top + plot.frame.bottom) / 2.0),
        16.0,
        Anchor::Middle,
        plot.inks.text,
    );
}

/// The names of both traces, in the upper right corner.
fn legend(drawing: &mut Drawing, plot: &Plot) {
    let Frame { right, top, .. } = plot.frame;
    let names = [("greatest", plot.inks.greatest), ("mean", plot.inks.trace)];
    for (row, (name, ink)) in (1u8..).zip(names) {
        let y = top + 20.0 * f32::from(row);
        drawing.line((right - 92.0, y - 5.0), (right - 72.0, y - 5.0), ink, 2.0);
        drawing.text(name, (right - 66.0, y), 14.0, Anchor::Start, plot.inks.text);
    }
}

/// A trace; where several bins share a column, their highest and lowest, so that no line is lost.
fn trace(drawing: &mut Drawing, plot: &Plot, spectrum: &Spectrum, ink: Ink) {
    let columns = (plot.frame.right - plot.frame.left) as usize;
    let bins = spectrum.power.len();
    let place = |at: usize| {
        (
            plot.x(spectrum.frequency_hz(at)),
            plot.y(spectrum.level_db(at)),
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
        area.extend([(last, plot.frame.bottom), (first, plot.frame.bottom)]);
        drawing.polygon(&area, Style::Fill(plot.inks.shade));
    }
    drawing.polygon(&points, Style::Stroke(ink, 1.4));
}

/// A triangle above each line, with its period or frequency; a label that would cover another is
/// left out.
fn mark_lines(drawing: &mut Drawing, plot: &Plot, spectrum: &Spectrum, lines: &[Line]) {
    let mut taken: Vec<(f32, f32, f32)> = vec![];
    for line in lines {
        let (x, y) = (plot.x(line.frequency), plot.y(line.level) - 5.0);
        let triangle = [(x, y), (x - 5.0, y - 8.0), (x + 5.0, y - 8.0)];
        drawing.polygon(&triangle, Style::Fill(plot.inks.mark));
        let name = match line.period {
            Some(seconds) if spectrum.is_slow() => period(seconds),
            _ => frequency_by(line.frequency, PRECISION_BINS * spectrum.bin_hz()),
        };
        let text = minus(&format!("{name}, {:.1} dB", line.level));
        let half = super::font::width(&text, 14.0) / 2.0;
        let middle = x.clamp(plot.frame.left + half + 4.0, plot.frame.right - half - 4.0);
        let baseline = y - 13.0;
        let free = taken.iter().all(|&(other, other_half, other_baseline)| {
            (middle - other).abs() > half + other_half + 6.0
                || (baseline - other_baseline).abs() > 17.0
        });
        if free {
            drawing.text(
                &text,
                (middle, baseline),
                14.0,
                Anchor::Middle,
                plot.inks.mark,
            );
            taken.push((middle, half, baseline));
        }
    }
}
