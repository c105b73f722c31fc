//! The bench as a picture: GFLOPS by length, and how many times as fast as the peer.

use crate::case::Kind;
use crate::row::Row;
use qpu::fft::Direction;
use qpuscope::picture::drawing::{Anchor, Drawing, Ink, Style};

const TEXT: Ink = Ink(31, 41, 55, 1.0);
const FAINT: Ink = Ink(107, 114, 128, 1.0);
const GRID: Ink = Ink(229, 231, 235, 1.0);
const OURS: Ink = Ink(29, 78, 160, 1.0);
const OURS_OF_TEN: Ink = Ink(96, 150, 220, 1.0);
const PEER: Ink = Ink(194, 65, 12, 1.0);
const LIMIT: Ink = Ink(148, 163, 184, 1.0);

const WIDTH: u32 = 1280;
const HEIGHT: u32 = 560;
const MARGIN: f32 = 70.0;
const GAP: f32 = 90.0;

/// One line of a panel.
struct Series {
    name: &'static str,
    ink: Ink,
    /// log2 of the length, and a figure.
    points: Vec<(u32, f64)>,
}

/// A coordinate system: lengths to the right, figures up, from 0.
struct Panel {
    left: f32,
    right: f32,
    top: f32,
    bottom: f32,
    lengths: (u32, u32),
    most: f64,
}

impl Panel {
    fn x(&self, log2n: u32) -> f32 {
        let (first, last) = self.lengths;
        let share = (log2n - first) as f32 / (last - first).max(1) as f32;
        self.left + (self.right - self.left) * share
    }

    fn y(&self, figure: f64) -> f32 {
        self.bottom - (self.bottom - self.top) * (figure / self.most) as f32
    }

    fn axes(&self, drawing: &mut Drawing, title: &str) {
        let step = step(self.most);
        let mut level = 0.0;
        while level <= self.most {
            let y = self.y(level);
            drawing.line((self.left, y), (self.right, y), GRID, 1.0);
            let at = (self.left - 8.0, y + 5.0);
            drawing.text(&format!("{level}"), at, 14.0, Anchor::End, TEXT);
            level += step;
        }
        for log2n in self.lengths.0..=self.lengths.1 {
            let x = self.x(log2n);
            drawing.line((x, self.bottom), (x, self.bottom + 5.0), FAINT, 1.0);
            let at = (x, self.bottom + 22.0);
            drawing.text(&format!("{log2n}"), at, 14.0, Anchor::Middle, TEXT);
        }
        let middle = (self.left + self.right) / 2.0;
        let below = (middle, self.bottom + 46.0);
        drawing.text("log2 of the length", below, 15.0, Anchor::Middle, TEXT);
        let above = (self.left, self.top - 16.0);
        drawing.text(title, above, 17.0, Anchor::Start, TEXT);
    }

    fn series(&self, drawing: &mut Drawing, all: &[Series]) {
        for (place, series) in all.iter().enumerate() {
            let at = |(log2n, figure): &(u32, f64)| (self.x(*log2n), self.y(*figure));
            let points: Vec<(f32, f32)> = series.points.iter().map(at).collect();
            drawing.polygon(&points, Style::Stroke(series.ink, 2.0));
            for (x, y) in points {
                let corners = [(x - 3.0, y), (x, y - 3.0), (x + 3.0, y), (x, y + 3.0)];
                drawing.polygon(&corners, Style::Fill(series.ink));
            }
            let y = self.top + legend_height(place) + 12.0;
            let x = self.right - 250.0;
            drawing.line((x, y - 5.0), (x + 26.0, y - 5.0), series.ink, 2.0);
            drawing.text(series.name, (x + 34.0, y), 14.0, Anchor::Start, TEXT);
        }
    }
}

/// Height of the legend of so many series.
const fn legend_height(series: usize) -> f32 {
    20.0 * series as f32
}

/// Distance of grid lines: 1, 2 or 5 times a power of ten, so that there are four to ten.
fn step(most: f64) -> f64 {
    let power = 10f64.powf((most / 4.0).log10().floor());
    let steps = [5.0, 2.0, 1.0].map(|factor| factor * power);
    steps
        .into_iter()
        .find(|step| most / step >= 4.0)
        .unwrap_or(power)
}

/// Draws the inverse complex transforms of `rows`.
#[must_use]
pub fn draw(rows: &[Row]) -> Drawing {
    let of = |batch: u32, figure: &dyn Fn(&Row) -> Option<f64>| -> Vec<(u32, f64)> {
        let wanted = (Kind::Complex, batch, Direction::Inverse);
        let of = |row: &&Row| (row.case.kind, row.case.batch, row.case.direction);
        let rows = rows.iter().filter(|row| of(row) == wanted);
        let points = rows.filter_map(|row| Some((row.case.log2n, figure(row)?)));
        points.filter(|(_, figure)| figure.is_finite()).collect()
    };
    let series = |name, ink, points| Series { name, ink, points };
    let limit = |row: &Row| Some(row.case.flops() as f64 / (row.floor.clocks() * 4.0));
    let ours = |row: &Row| Some(row.ours.as_ref()?.gflops(&row.case));
    let peer = |row: &Row| Some(row.peer.as_ref()?.gflops(&row.case));
    let speed = [
        series("floor of memory and arithmetic", LIMIT, of(1, &limit)),
        series("qpuscope, batch 1", OURS, of(1, &ours)),
        series("qpuscope, batch 10", OURS_OF_TEN, of(10, &ours)),
        series("GPU_FFT 3.0, batch 1", PEER, of(1, &peer)),
    ];
    let target = |row: &Row| row.target().map(|(_, reachable)| reachable);
    let ratios = [
        series("ceiling, batch 1", LIMIT, of(1, &Row::ceiling)),
        series("batch 1", OURS, of(1, &Row::ratio)),
        series("batch 10", OURS_OF_TEN, of(10, &Row::ratio)),
        series("target, batch 1", PEER, of(1, &target)),
    ];
    let mut drawing = Drawing::new(WIDTH, HEIGHT, "The FFT on the QPUs beside GPU_FFT 3.0");
    let width = (WIDTH as f32 - 2.0 * MARGIN - GAP) / 2.0 + 20.0;
    let panels = [
        (MARGIN, "GFLOPS by 5 N log2 N (simulated)", &speed),
        (
            WIDTH as f32 - 40.0 - width,
            "times as fast as GPU_FFT 3.0 (simulated)",
            &ratios,
        ),
    ];
    for (left, title, series) in panels {
        let points = || series.iter().flat_map(|series| &series.points);
        let lengths = points().map(|(log2n, _)| *log2n);
        let (Some(first), Some(last)) = (lengths.clone().min(), lengths.max()) else {
            continue;
        };
        let most = points().map(|(_, figure)| *figure).fold(1.0, f64::max);
        let (top, bottom) = (60.0, HEIGHT as f32 - 74.0);
        let panel = Panel {
            left,
            right: left + width,
            top,
            bottom,
            lengths: (first, last),
            // Every point is below the legend.
            most: most * f64::from((bottom - top) / (bottom - top - legend_height(series.len()))),
        };
        panel.axes(&mut drawing, title);
        panel.series(&mut drawing, series);
    }
    drawing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_have_four_to_ten_lines() {
        for most in [1.0, 2.3, 4.9, 7.0, 10.0, 24.0, 99.0] {
            let lines = most / step(most);
            assert!((4.0..=10.0).contains(&lines), "{most}: {lines}");
        }
    }

    #[test]
    fn nothing_measured_is_drawn_as_nothing() {
        assert!(draw(&[]).svg().ends_with("</svg>\n"));
    }
}
