//! The bench as a picture: GFLOPS by length below their bound, and how many times as fast as the
//! peer.

use crate::case::Kind;
use crate::row::Row;
use crate::side::microseconds;
use host::picture::drawing::{Anchor, Drawing, Ink, Style};
use qpu_fft::Direction;

const TEXT: Ink = Ink(31, 41, 55, 1.0);
const FAINT: Ink = Ink(107, 114, 128, 1.0);
const GRID: Ink = Ink(229, 231, 235, 1.0);
const OURS: Ink = Ink(29, 78, 160, 1.0);
const OURS_OF_TEN: Ink = Ink(96, 150, 220, 1.0);
const PEER: Ink = Ink(194, 65, 12, 1.0);
const BOUND: Ink = Ink(148, 163, 184, 1.0);

const WIDTH: u32 = 1280;
const HEIGHT: u32 = 560;
const MARGIN: f32 = 70.0;
const GAP: f32 = 90.0;
/// Base lines of a panel's title and of the first name of its legend.
const TITLE: f32 = 36.0;
const LEGEND: f32 = 64.0;
const LEGEND_LINE: f32 = 20.0;

/// One line of a panel.
struct Series {
    name: &'static str,
    ink: Ink,
    /// log2 of the length, and a figure.
    points: Vec<(u32, f64)>,
}

/// The scale of the figures of a panel.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Scale {
    /// From 0 to the greatest figure.
    Linear(f64),
    /// Between these powers of two.
    Doubling(i32, i32),
}

impl Scale {
    /// The scale on which all these figures are, from 0.
    fn linear(figures: impl Iterator<Item = f64>) -> Self {
        Self::Linear(figures.fold(1.0, f64::max))
    }

    /// The scale on which all these figures are, a factor of two from line to line.
    fn doubling(figures: impl Iterator<Item = f64> + Clone) -> Self {
        let least = figures.clone().fold(1.0, f64::min).log2().floor();
        let most = figures.fold(2.0, f64::max).log2().ceil();
        Self::Doubling(least as i32, most as i32)
    }

    /// The place of a figure: 0 at the lower end, 1 at the upper one.
    fn place(self, figure: f64) -> f64 {
        match self {
            Self::Linear(most) => figure / most,
            Self::Doubling(least, most) => {
                (figure.log2() - f64::from(least)) / f64::from(most - least)
            }
        }
    }

    /// Figures with a grid line, and their labels.
    fn grid(self) -> Vec<(f64, String)> {
        match self {
            Self::Linear(most) => {
                let step = step(most);
                let lines = (0..=(most / step) as u32).map(|line| f64::from(line) * step);
                lines.map(|line| (line, format!("{line}"))).collect()
            }
            Self::Doubling(least, most) => {
                let label = |power: i32| match power {
                    0.. => format!("{}", 1u64 << power),
                    _ => format!("1/{}", 1u64 << -power),
                };
                let lines = least..=most;
                lines
                    .map(|power| (f64::from(power).exp2(), label(power)))
                    .collect()
            }
        }
    }
}

/// A coordinate system: lengths to the right, figures up. Its legend is above it.
struct Panel {
    left: f32,
    right: f32,
    top: f32,
    bottom: f32,
    lengths: (u32, u32),
    scale: Scale,
}

impl Panel {
    fn x(&self, log2n: u32) -> f32 {
        let (first, last) = self.lengths;
        let share = (log2n - first) as f32 / (last - first).max(1) as f32;
        self.left + (self.right - self.left) * share
    }

    fn y(&self, figure: f64) -> f32 {
        self.bottom - (self.bottom - self.top) * self.scale.place(figure) as f32
    }

    fn axes(&self, drawing: &mut Drawing, title: &str) {
        for (level, label) in self.scale.grid() {
            let y = self.y(level);
            drawing.line((self.left, y), (self.right, y), GRID, 1.0);
            let at = (self.left - 8.0, y + 5.0);
            drawing.text(&label, at, 14.0, Anchor::End, TEXT);
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
        let above = (self.left, TITLE);
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
            let (x, y) = (self.left, LEGEND + LEGEND_LINE * place as f32);
            drawing.line((x, y - 5.0), (x + 26.0, y - 5.0), series.ink, 2.0);
            drawing.text(series.name, (x + 34.0, y), 14.0, Anchor::Start, TEXT);
        }
    }
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
    let bound =
        |row: &Row| Some(row.case.flops() as f64 / (1e3 * microseconds(row.bound.clocks())));
    let ours = |row: &Row| Some(row.ours.as_ref()?.gflops(&row.case));
    let peer = |row: &Row| Some(row.peer.as_ref()?.gflops(&row.case));
    let speed = [
        series("bound: the output stored once", BOUND, of(1, &bound)),
        series("qpuscope, batch 1", OURS, of(1, &ours)),
        series("qpuscope, batch 10", OURS_OF_TEN, of(10, &ours)),
        series("GPU_FFT 3.0, batch 1", PEER, of(1, &peer)),
    ];
    let ratios = [
        series("qpuscope, batch 1", OURS, of(1, &Row::ratio)),
        series("qpuscope, batch 10", OURS_OF_TEN, of(10, &Row::ratio)),
    ];
    let mut drawing = Drawing::new(WIDTH, HEIGHT, "The FFT on the QPUs beside GPU_FFT 3.0");
    let width = (WIDTH as f32 - 2.0 * MARGIN - GAP) / 2.0 + 20.0;
    let panels = [
        (
            MARGIN,
            "GFLOPS by 5 N log2 N, twice as many from line to line (simulated)",
            &speed[..],
            true,
        ),
        (
            WIDTH as f32 - 40.0 - width,
            "times as fast as GPU_FFT 3.0, documented constants (simulated)",
            &ratios[..],
            false,
        ),
    ];
    for (left, title, series, doubles) in panels {
        let points = || series.iter().flat_map(|series| &series.points);
        let lengths = points().map(|(log2n, _)| *log2n);
        let (Some(first), Some(last)) = (lengths.clone().min(), lengths.max()) else {
            continue;
        };
        let figures = points().map(|(_, figure)| *figure);
        let panel = Panel {
            left,
            right: left + width,
            top: LEGEND + LEGEND_LINE * speed.len() as f32,
            bottom: HEIGHT as f32 - 74.0,
            lengths: (first, last),
            scale: match doubles {
                true => Scale::doubling(figures),
                false => Scale::linear(figures),
            },
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
    fn every_figure_is_within_its_scale() {
        let figures = [0.08, 2.3, 4.2, 15.3];
        let doubling = Scale::doubling(figures.into_iter());
        assert_eq!(doubling, Scale::Doubling(-4, 4));
        for scale in [doubling, Scale::linear(figures.into_iter())] {
            for figure in figures {
                assert!(
                    (0.0..=1.0).contains(&scale.place(figure)),
                    "{scale:?} {figure}"
                );
            }
            let grid = scale.grid();
            assert!(
                grid.iter()
                    .all(|(line, _)| (0.0..=1.0).contains(&scale.place(*line)))
            );
        }
        assert_eq!(doubling.grid()[0], (0.0625, "1/16".into()));
    }

    #[test]
    fn nothing_measured_is_drawn_as_nothing() {
        assert!(draw(&[]).svg().ends_with("</svg>\n"));
    }
}
