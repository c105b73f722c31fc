//! The picture of a waterfall: rows as points, axes, the scale of levels, and gaps.

use tiny_skia::{Pixmap, PremultipliedColorU8};

use super::super::axes::{Frame, frequency_axes, minus, subtitle};
use super::super::drawing::{Anchor, Drawing, Ink, Raster, Style};
use super::super::look::{LevelSpan, Look};
use super::super::theme::{COLOURS, Inks};
use super::super::{HEIGHT, WIDTH};
use super::time_axis::{TimeAxis, time_axis};
use super::{Row, Waterfall};
use crate::spectrum::decibels;
use common::quantity::ticks;

/// The place of the points.
const LEFT: u32 = 118;
const TOP: u32 = 96;
const COLUMNS: u32 = super::MOST_COLUMNS as u32;
const ROWS: u32 = HEIGHT - TOP - 74;
/// The width of the scale of levels, and its distance from the points.
const SCALE: [f32; 2] = [16.0, 14.0];
/// A distance between records that is a gap, in usual ones: one that is missing makes it 2.
const GAP: f64 = 1.75;
/// The share of points that lie below the scale, but for rounding: most points are noise, which is
/// to look like paper.
const BELOW: f64 = 0.5;
/// Most decibels of the scale: what lies below is rounding.
const RANGE_DB: f64 = 120.0;

/// The rows of the picture, and what they stand for.
struct Lines {
    from_us: f64,
    to_us: f64,
    /// From top to bottom; none where there is no record.
    rows: Vec<Option<Row>>,
}

impl Waterfall {
    /// Draws all records.
    #[must_use]
    pub fn draw(&self, look: &Look) -> Drawing {
        let (inks, spectrum) = (look.theme.inks(), &self.first);
        let title = match &look.title {
            Some(title) => title.clone(),
            None => format!("Waterfall of {}", spectrum.source),
        };
        let mut drawing = Drawing::new(WIDTH, HEIGHT, &title);
        drawing.paper = inks.paper;
        let half = spectrum.bin_hz() / 2.0;
        let last = spectrum.power.len().saturating_sub(1);
        let top = if spectrum.is_slow() { TOP + 42 } else { TOP };
        let frame = Frame {
            left: LEFT as f32,
            right: (LEFT + COLUMNS) as f32,
            top: top as f32,
            bottom: (TOP + ROWS) as f32,
            from_hz: spectrum.frequency_hz(0) - half,
            to_hz: spectrum.frequency_hz(last) + half,
        };
        let lines = self.lines((TOP + ROWS - top) as usize);
        let levels = look.levels.unwrap_or_else(|| levels(&lines.rows));
        let scale = look.theme.scale();
        if let Some(pixels) = points(&lines.rows, levels, &scale, &inks) {
            drawing.rasters.push(Raster {
                at: (LEFT, top),
                pixels,
                title: format!("levels of {} records", self.records),
            });
        }
        drawing.text(&title, (LEFT as f32, 40.0), 24.0, Anchor::Start, inks.text);
        let below = self.subtitle();
        let place = (LEFT as f32, 66.0);
        drawing.text(&below, place, 15.0, Anchor::Start, inks.faint_text);
        frequency_axes(&mut drawing, &frame, &inks, spectrum.is_slow());
        let axis = time_axis(lines.from_us, lines.to_us, 10, self.zero);
        put_time_axis(&mut drawing, &frame, &lines, &axis, &inks);
        put_scale(
            &mut drawing,
            &frame,
            levels,
            &scale,
            &inks,
            &spectrum.level_unit(),
        );
        put_border(&mut drawing, &frame, [frame.left, frame.right], &inks);
        let words = self.words(&lines);
        let place = (frame.right, HEIGHT as f32 - 9.0);
        drawing.text(&words, place, 13.0, Anchor::End, inks.faint_text);
        drawing
    }

    fn subtitle(&self) -> String {
        let plural = if self.records == 1 { "" } else { "s" };
        format!(
            "{} record{plural} · {}",
            self.records,
            subtitle(&self.first)
        )
    }

    /// The reference, what shares a pixel, and what a gap looks like.
    fn words(&self, lines: &Lines) -> String {
        let most = lines.rows.iter().flatten().map(|row| row.records).max();
        let most = most.unwrap_or(1);
        let bins = self.first.power.len().div_ceil(super::MOST_COLUMNS);
        let shared = match (most > 1, bins > 1) {
            (false, false) => None,
            (true, false) => Some(format!("{most} records")),
            (false, true) => Some(format!("{bins} bins")),
            (true, true) => Some(format!("{most} records and {bins} bins")),
        };
        let mut words = self.first.reference();
        if let Some(shared) = shared {
            let name = self.merge.name();
            words += &format!(" · a point is the {name} of up to {shared}");
        }
        if lines.rows.iter().any(Option::is_none) {
            words += " · hatched: no record";
        }
        words
    }

    /// The rows of the picture, `count` of them.
    fn lines(&self, count: usize) -> Lines {
        let distance = self.distance_us() as f64;
        let rows: Vec<&Row> = self.rows().collect();
        let from_us = rows.first().map_or(0, |row| row.from_us) as f64;
        let end = |row: &Row| row.last_us as f64 + distance;
        let to_us = rows.last().map_or(1.0, |row| end(row));
        let place = |us: f64| (us - from_us) / (to_us - from_us) * count as f64;
        let mut lines: Vec<Option<Row>> = vec![None; count];
        for (index, row) in rows.iter().enumerate() {
            // A row goes on to the next one unless that is too far away.
            let next = rows.get(index + 1).map(|next| next.from_us as f64);
            let is_gap = |next: f64| next - row.last_us as f64 > GAP * distance;
            let until = match next {
                Some(next) if !is_gap(next) => next,
                _ => end(row),
            };
            let first = (place(row.from_us as f64) as usize).min(count - 1);
            let behind = (place(until) as usize).clamp(first + 1, count);
            for line in &mut lines[first..behind] {
                match line {
                    Some(line) => line.merge(row, self.merge),
                    None => *line = Some((*row).clone()),
                }
            }
        }
        Lines {
            from_us,
            to_us,
            rows: lines,
        }
    }
}

/// The scale of levels: from the quietest points to the strongest, in steps of 5 dB.
fn levels(rows: &[Option<Row>]) -> LevelSpan {
    let points = rows.iter().flatten().flat_map(|row| &row.power);
    let mut levels: Vec<f32> = points
        .map(|&power| decibels(f64::from(power)) as f32)
        .filter(|level| level.is_finite() && *level > -299.0)
        .collect();
    let Some(highest) = levels.iter().copied().reduce(f32::max) else {
        return LevelSpan {
            from_db: -100.0,
            to_db: 0.0,
        };
    };
    let place = (levels.len() as f64 * BELOW) as usize;
    let lowest = *levels.select_nth_unstable_by(place, f32::total_cmp).1;
    let to_db = (f64::from(highest) / 5.0).ceil() * 5.0;
    let from_db = (f64::from(lowest) / 5.0).floor() * 5.0;
    LevelSpan {
        from_db: from_db.max(to_db - RANGE_DB).min(to_db - 20.0),
        to_db,
    }
}

/// The points of all rows; hatching where there is no record.
fn points(
    rows: &[Option<Row>],
    levels: LevelSpan,
    scale: &[Ink; COLOURS],
    inks: &Inks,
) -> Option<Pixmap> {
    let mut pixels = Pixmap::new(COLUMNS, u32::try_from(rows.len()).ok()?)?;
    let lines = pixels.pixels_mut().chunks_exact_mut(COLUMNS as usize);
    for (y, (line, row)) in lines.zip(rows).enumerate() {
        let count = row.as_ref().map_or(0, |row| row.power.len());
        for (x, point) in line.iter_mut().enumerate() {
            let power = row
                .as_ref()
                .and_then(|row| row.power.get(x * count / COLUMNS as usize));
            let ink = match power {
                Some(power) if !power.is_nan() => {
                    let level = decibels(f64::from(*power));
                    let share = (level - levels.from_db) / (levels.to_db - levels.from_db);
                    scale[(share.clamp(0.0, 1.0) * (COLOURS - 1) as f64).round() as usize]
                }
                _ if (x + y) % 8 == 0 => inks.faint_text,
                _ => inks.paper,
            };
            let Ink(red, green, blue, _) = ink;
            *point = PremultipliedColorU8::from_rgba(red, green, blue, 255)?;
        }
    }
    Some(pixels)
}

/// A border as high as the points.
fn put_border(drawing: &mut Drawing, frame: &Frame, [left, right]: [f32; 2], inks: &Inks) {
    let Frame { top, bottom, .. } = *frame;
    let sides = [(left, top), (right, top), (right, bottom), (left, bottom)];
    let corners: Vec<_> = sides.into_iter().chain([sides[0]]).collect();
    drawing.polygon(&corners, Style::Stroke(inks.axis, 1.0));
}

/// Marks and words left of the points.
fn put_time_axis(
    drawing: &mut Drawing,
    frame: &Frame,
    lines: &Lines,
    axis: &TimeAxis,
    inks: &Inks,
) {
    let height = frame.bottom - frame.top;
    for (time, words) in &axis.marks {
        let share = (time - lines.from_us) / (lines.to_us - lines.from_us);
        let y = frame.top + height * share as f32;
        drawing.line((frame.left - 5.0, y), (frame.left, y), inks.axis, 1.0);
        let place = (frame.left - 10.0, y + 5.0);
        drawing.text(words, place, 14.0, Anchor::End, inks.text);
    }
    let place = (26.0, (frame.top + frame.bottom) / 2.0);
    drawing.text_upwards(&axis.name, place, 16.0, Anchor::Middle, inks.text);
}

/// The scale of levels right of the points.
fn put_scale(
    drawing: &mut Drawing,
    frame: &Frame,
    levels: LevelSpan,
    scale: &[Ink; COLOURS],
    inks: &Inks,
    unit: &str,
) {
    let [width, apart] = SCALE;
    let left = frame.right + apart;
    let height = frame.bottom - frame.top;
    let y = |db: f64| {
        let share = (db - levels.from_db) / (levels.to_db - levels.from_db);
        frame.bottom - height * share as f32
    };
    if let Some(mut pixels) = Pixmap::new(width as u32, height as u32) {
        let lines = pixels.pixels_mut().chunks_exact_mut(width as usize);
        for (line, points) in lines.enumerate() {
            let share = 1.0 - line as f32 / height;
            let Ink(red, green, blue, _) = scale[(share * (COLOURS - 1) as f32) as usize];
            points
                .fill(PremultipliedColorU8::from_rgba(red, green, blue, 255).unwrap_or(points[0]));
        }
        drawing.rasters.push(Raster {
            at: (left as u32, frame.top as u32),
            pixels,
            title: "scale of levels".to_owned(),
        });
    }
    put_border(drawing, frame, [left, left + width], inks);
    let (marks, decimals) = ticks(levels.from_db, levels.to_db, 10);
    for level in marks {
        let (from, to) = (left + width, left + width + 4.0);
        drawing.line((from, y(level)), (to, y(level)), inks.axis, 1.0);
        let text = minus(&format!("{level:.decimals$}"));
        let place = (to + 4.0, y(level) + 5.0);
        drawing.text(&text, place, 13.0, Anchor::Start, inks.text);
    }
    let place = (left + width / 2.0, frame.top - 12.0);
    drawing.text(unit, place, 13.0, Anchor::Middle, inks.text);
}
