//! The rows that GPU_FFT gives, and which of its batches have to be run for them.

use crate::gpu_fft::Shape;
use crate::gpu_fft::hello_fft::Outcome;
use crate::gpu_fft::plan::LaunchPath;
use crate::measure::{Measurements, Wanted};
use crate::published::{COUNTER_PAGE, FITTING_LENGTHS, Times, published};
use crate::row::{Band, Row, Section, mean_absolute_error};
use crate::userland::Release;
use std::collections::BTreeSet;
use v3d_sim::{Board, Constants};

/// The batch of the author's counter table; which it is follows from its counts.
const COUNTED: Shape = Shape::inverse(Release::V2, 12, 1);

/// The longest transform, as log2 of its points.
pub const LARGEST: u32 = 22;

/// Everything that the rows need up to 2^`largest` points a batch, once.
#[must_use]
pub fn wanted(largest: u32) -> BTreeSet<Wanted> {
    let mut wanted = timed(largest);
    let others = published().other_times.iter();
    wanted.extend(others.flat_map(|times| shapes(times, largest)));
    for errors in &published().errors {
        for (log2n, jobs, _) in &errors.figures {
            if u64::from(*jobs) << log2n > 10 << largest {
                continue;
            }
            let shape = Shape::inverse(errors.release, *log2n, *jobs);
            let timed = Wanted {
                shape,
                functional: false,
            };
            if !wanted.contains(&timed) {
                wanted.insert(Wanted {
                    functional: true,
                    ..timed
                });
            }
        }
    }
    wanted
}

/// The author's times up to 2^`largest` points, and the counter table.
#[must_use]
pub fn timed(largest: u32) -> BTreeSet<Wanted> {
    [&published().times_3, &published().times_2]
        .into_iter()
        .flat_map(|times| shapes(times, largest))
        .collect()
}

/// The runs that constants may be fitted to.
#[must_use]
pub fn fitting_set() -> BTreeSet<Wanted> {
    let lengths = FITTING_LENGTHS.map(|log2n| Shape::inverse(Release::V3, log2n, 1));
    let shapes = lengths.into_iter().chain([COUNTED]);
    shapes
        .map(|shape| Wanted {
            shape,
            functional: false,
        })
        .collect()
}

fn shapes(times: &'static Times, largest: u32) -> impl Iterator<Item = Wanted> {
    let release = times.release;
    let figures = times.figures.iter();
    figures
        .filter(move |(log2n, jobs, ..)| {
            u64::from(*jobs) << log2n <= 10 << largest && *log2n <= largest
        })
        .map(move |(log2n, jobs, ..)| Wanted {
            shape: Shape::inverse(release, *log2n, *jobs),
            functional: false,
        })
}

/// Microseconds of a transform as its caller sees it: V3D's time and the host's share of the call.
#[must_use]
pub fn microseconds(shape: Shape, clocks: u64, constants: &Constants) -> f64 {
    let launch = match shape.path() {
        LaunchPath::Direct => constants.direct_launch_us,
        LaunchPath::Mailbox => constants.mailbox_launch_us,
    };
    let us = clocks as f64 / f64::from(Board::Pi1.clock_hz()) * 1e6;
    (us + launch) / f64::from(shape.jobs)
}

/// All rows. Without measurements they have no simulated figures.
#[must_use]
pub fn rows(measurements: Option<&Measurements>, constants: &Constants) -> Vec<Row> {
    let figures = Figures {
        measurements,
        constants,
    };
    let mut rows = figures.errors();
    rows.extend(figures.instructions());
    rows.extend(figures.counters());
    rows.extend(figures.times(Section::Times3, &published().times_3));
    rows.extend(figures.times(Section::Times2, &published().times_2));
    for times in &published().other_times {
        rows.extend(figures.times(Section::OtherBoards, times));
    }
    rows
}

/// Mean absolute errors of the run times: release 3.0, 2.0, and both.
#[must_use]
pub fn aggregates(rows: &[Row]) -> Vec<Row> {
    let of = |sections: &[Section]| {
        let chosen = rows.iter().filter(|row| sections.contains(&row.section));
        mean_absolute_error(chosen).map(|error| 100.0 * error)
    };
    let row = |what: &str, band: Band, sections: &[Section]| {
        let section = *sections.last().unwrap_or(&Section::Times3);
        let what = format!("mean absolute error of {what}");
        let source = "all run times of the section";
        Row::new(section, what, source, (0.0, "%"), band, of(sections))
    };
    vec![
        row("release 3.0", Band::AtMost(6.0), &[Section::Times3]),
        row("release 2.0", Band::Reported, &[Section::Times2]),
        row(
            "both releases",
            Band::AtMost(7.5),
            &[Section::Times3, Section::Times2],
        ),
    ]
}

struct Figures<'a> {
    measurements: Option<&'a Measurements>,
    constants: &'a Constants,
}

impl Figures<'_> {
    fn measured(&self, shape: Shape) -> Option<&Outcome> {
        let all = self.measurements?;
        let find = |functional| all.get(&Wanted { shape, functional });
        find(false).or_else(|| find(true))
    }

    fn timed(&self, shape: Shape) -> Option<&Outcome> {
        let functional = false;
        self.measurements?.get(&Wanted { shape, functional })
    }

    fn errors(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        for errors in &published().errors {
            for (log2n, jobs, ppm) in &errors.figures {
                let shape = Shape::inverse(errors.release, *log2n, *jobs);
                rows.push(Row::new(
                    Section::Errors,
                    name(shape),
                    &errors.source,
                    (*ppm, "ppm"),
                    Band::TwoDigits,
                    self.measured(shape).map(|measured| measured.ppm),
                ));
            }
        }
        rows
    }

    fn instructions(&self) -> Vec<Row> {
        let table = &published().instructions_3;
        let row = |(log2n, count): &(u32, u64)| {
            let shape = Shape::inverse(Release::V3, *log2n, 1);
            let measured = self.measured(shape);
            Row::new(
                Section::Instructions,
                name(shape),
                &table.source,
                (*count as f64, ""),
                Band::Exact,
                measured.map(|measured| {
                    measured.run.statistics.instructions.iter().sum::<u64>() as f64
                }),
            )
        };
        table.figures.iter().map(row).collect()
    }

    fn counters(&self) -> Vec<Row> {
        let measured = self.timed(COUNTED);
        let count =
            |id: usize| measured.map(|measured| measured.run.statistics.counters[id] as f64);
        let row = |what: &str, published, band, simulated| {
            let section = Section::Counters;
            Row::new(section, what, COUNTER_PAGE, published, band, simulated)
        };
        let counter = |(id, what, published, band, fitted)| Row {
            fitted,
            ..row(&format!("{id}: {what}"), (published, ""), band, count(id))
        };
        let near = Band::Within(0.015);
        let counters = [
            (16, "clocks executing", 283_856.0, Band::Exact, false),
            (24, "TMU quads", 26_368.0, Band::Exact, false),
            (
                14,
                "clocks of all QPUs",
                427_996.0,
                Band::Within(0.05),
                true,
            ),
            (
                17,
                "clocks stalled on TMUs",
                35_320.0,
                Band::Factor(1.5),
                true,
            ),
            (25, "TMU cache misses", 5_327.0, near, true),
            (29, "L2C misses", 5_362.0, near, true),
            (28, "L2C hits", 75.0, Band::Reported, true),
        ];
        let ppm = measured.map(|measured| measured.ppm);
        let error = row("error", (2.8, "ppm"), Band::TwoDigits, ppm);
        counters.into_iter().map(counter).chain([error]).collect()
    }

    fn times(&self, section: Section, times: &'static Times) -> Vec<Row> {
        let row = |(log2n, jobs, shortest, longest): &(u32, u32, f64, f64)| {
            let shape = Shape::inverse(times.release, *log2n, *jobs);
            let range = if shortest == longest {
                String::new()
            } else {
                format!(", {shortest} to {longest}")
            };
            let measured = self.timed(shape);
            Row {
                fitted: section == Section::Times3 && *jobs == 1 && FITTING_LENGTHS.contains(log2n),
                ..Row::new(
                    section,
                    name(shape) + &range,
                    &times.source,
                    ((shortest + longest) / 2.0, "us"),
                    time_band(section, shape),
                    measured
                        .map(|measured| microseconds(shape, measured.run.clocks, self.constants)),
                )
            }
        };
        times.figures.iter().map(row).collect()
    }
}

/// The required nearness of a run time. 2^13 has a band of its own, at both batches: it is the
/// length that no variant of the study of docs/hardware/timing.md matched.
fn time_band(section: Section, shape: Shape) -> Band {
    match (section, shape.jobs, shape.log2n) {
        (Section::Times3, _, 13) => Band::Within(0.18),
        (Section::Times3, 1, 11) => Band::Within(0.15),
        (Section::Times3, 1, _) => Band::Within(0.12),
        (Section::Times3, ..) => Band::Within(0.13),
        (Section::Times2, _, 13) => Band::Within(0.20),
        (Section::Times2, ..) => Band::Within(0.15),
        _ => Band::Reported,
    }
}

fn name(shape: Shape) -> String {
    let Shape {
        release,
        log2n,
        jobs,
        ..
    } = shape;
    format!("{} 2^{log2n} batch {jobs}", release.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_figures_are_all_there() {
        let rows = rows(None, &Constants::recommended());
        let count = |section| rows.iter().filter(|row| row.section == section).count();
        assert_eq!(count(Section::Errors), 15 + 14 + 10);
        assert_eq!(count(Section::Instructions), 5);
        assert_eq!(count(Section::Counters), 8);
        assert_eq!(count(Section::Times3), 15 + 8);
        assert_eq!(count(Section::Times2), 22);
        assert_eq!(rows.iter().filter(|row| row.fitted).count(), 6 + 5);
        let keys: BTreeSet<(String, &str)> =
            rows.iter().map(|row| (row.key(), row.source)).collect();
        assert_eq!(keys.len(), rows.len());
    }

    #[test]
    fn a_batch_is_run_once() {
        let wanted = wanted(LARGEST);
        let shapes: BTreeSet<Shape> = wanted.iter().map(|wanted| wanted.shape).collect();
        assert_eq!(shapes.len(), wanted.len());
        assert!(fitting_set().is_subset(&wanted));
    }
}
