//! Lines of the waterfall as pixels.

use std::collections::BTreeMap;

use crate::axis::{Axis, Span};
use crate::levels::{Ends, LOST, db_of};
use crate::palette::{self, Paper};
use crate::pool::{Merge, columns};
use crate::ring::{Content, Ring, Row};

/// Colours of levels.
const COLOURS: usize = 256;
/// Places of levels between the ends.
const PLACES: usize = 1024;
/// Pixels from one line of the hatching to the next.
const HATCH: u64 = 8;

type Pixel = [u8; 4];

/// The colours of lines.
#[derive(Clone, Debug)]
pub(crate) struct Colours {
    /// By place between the ends.
    levels: Vec<Pixel>,
    /// The background, where there is nothing.
    paper: Pixel,
    /// The hatching of what was lost.
    hatch: Pixel,
    /// The line at which another section begins.
    section: Pixel,
}

impl Colours {
    pub(crate) fn new(paper: Paper) -> Self {
        let opaque = |[red, green, blue]: [u8; 3]| [red, green, blue, 255];
        let scale: Vec<Pixel> = (0..COLOURS)
            .map(|index| {
                let share = index as f64 / (COLOURS - 1) as f64;
                opaque(palette::colour(paper, share))
            })
            .collect();
        let level = |place: usize| {
            let share = palette::place(place as f64 / PLACES as f64);
            scale[(share * (COLOURS - 1) as f64).round() as usize]
        };
        let (hatch, section) = match paper {
            Paper::Light => ([120, 126, 138], [180, 60, 10]),
            Paper::Dark => ([130, 138, 150], [255, 167, 89]),
        };
        Self {
            levels: (0..=PLACES).map(level).collect(),
            paper: scale[0],
            hatch: opaque(hatch),
            section: opaque(section),
        }
    }

    /// The colour of a level.
    fn of(&self, db: f64, ends: Ends) -> Pixel {
        let share = (db - ends.from_db) / (ends.to_db - ends.from_db);
        // A number that is none becomes 0.
        self.levels[((share * PLACES as f64) as usize).min(PLACES)]
    }

    /// The colours from the weakest level to the strongest, for a legend.
    pub(crate) fn legend(&self, pixels: usize) -> Vec<u8> {
        let place = |pixel: usize| pixel * PLACES / pixels.saturating_sub(1).max(1);
        (0..pixels)
            .flat_map(|pixel| self.levels[place(pixel).min(PLACES)])
            .collect()
    }
}

/// The rows, and the way to draw them.
pub(crate) struct Lines<'a> {
    pub(crate) ring: &'a Ring,
    pub(crate) axes: &'a BTreeMap<u32, Axis>,
    pub(crate) colours: &'a Colours,
    pub(crate) ends: Ends,
    pub(crate) span: Span,
    pub(crate) merge: Merge,
    /// Rows that share a line.
    pub(crate) rows_per_line: u64,
}

impl Lines<'_> {
    /// The pixels of lines, the last one first: four bytes each, red, green, blue and opaque.
    pub(crate) fn pixels(&self, numbers: std::ops::Range<u64>, width: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity((numbers.end - numbers.start) as usize * width * 4);
        let mut known: Option<(u32, Vec<std::ops::Range<usize>>)> = None;
        for line in numbers.rev() {
            let first = line * self.rows_per_line;
            let rows = (first..first + self.rows_per_line).filter_map(|row| self.ring.get(row));
            let rows: Vec<&Row> = rows.collect();
            let Some(section) = rows.last().map(|row| row.section) else {
                out.extend(std::iter::repeat_n(self.colours.paper, width).flatten());
                continue;
            };
            let is_known = known.as_ref().is_some_and(|(of, _)| *of == section);
            if !is_known && let Some(axis) = self.axes.get(&section) {
                known = Some((section, columns(axis, self.span, width)));
            }
            let Some((_, columns)) = &known else {
                out.extend(std::iter::repeat_n(self.colours.paper, width).flatten());
                continue;
            };
            self.line(line, &rows, section, columns, &mut out);
        }
        out
    }

    /// The pixels of a line. Of rows of two sections those of the later are shown; a gap and a new
    /// section are shown even where they share a line with records.
    fn line(
        &self,
        line: u64,
        rows: &[&Row],
        section: u32,
        columns: &[std::ops::Range<usize>],
        out: &mut Vec<u8>,
    ) {
        let has = |is: fn(&Content) -> bool| rows.iter().any(|row| is(&row.content));
        if has(|content| matches!(content, Content::Break)) {
            let dash = |x: usize| (x / HATCH as usize).is_multiple_of(2);
            let pixel = |x| {
                if dash(x) {
                    self.colours.section
                } else {
                    self.colours.paper
                }
            };
            out.extend((0..columns.len()).flat_map(pixel));
            return;
        }
        let is_gap = has(|content| matches!(content, Content::Gap));
        let bins = self.axes.get(&section).map_or(0, |axis| axis.bins);
        let records: Vec<&[u16]> = rows
            .iter()
            .filter(|row| row.section == section && !is_gap)
            .filter_map(|row| match &row.content {
                // The second detector, the greatest, where there are two.
                Content::Levels(steps) if steps.len() >= 2 * bins => steps.get(bins..2 * bins),
                Content::Levels(steps) => steps.get(..bins),
                Content::Gap | Content::Break => None,
            })
            .collect();
        for (x, range) in columns.iter().enumerate() {
            let pixel = if range.is_empty() && !is_gap {
                self.colours.paper
            } else {
                match self.level(&records, range.clone()) {
                    Some(db) => self.colours.of(db, self.ends),
                    // Hatched.
                    None if (x as u64 + line) % HATCH < 2 => self.colours.hatch,
                    None => self.colours.paper,
                }
            };
            out.extend(pixel);
        }
    }

    /// The level of bins of some records, unless all were lost.
    fn level(&self, records: &[&[u16]], range: std::ops::Range<usize>) -> Option<f64> {
        let steps = records
            .iter()
            .filter_map(|steps| steps.get(range.clone()))
            .flatten()
            .copied()
            .filter(|&step| step != LOST);
        match self.merge {
            Merge::Max => steps.max().map(db_of),
            Merge::Mean => {
                let powers = steps.map(|step| 10_f64.powf(db_of(step) / 10.0));
                let mean = Merge::Mean.of(powers);
                (!mean.is_nan()).then(|| crate::levels::decibels(mean))
            }
        }
    }
}
