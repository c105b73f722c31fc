//! The parts of a picture: traces, lines, marks, peaks, readings, and a table.

use super::{Found, Shot, View};
use crate::axis::Span;
use crate::csv;
use crate::ends::Scale;
use crate::levels::decibels;
use crate::markers::Reading;
use crate::marks::{self, Marks, TimeMarks};
use crate::peaks::{self, Bins};
use crate::pool;
use crate::ring::{Content, Row};
use crate::status::Gap;
use crate::time;
use crate::traces::Trace;
use crate::waterfall::Lines;

/// The most lines and columns that are made at once.
const MOST_PIXELS: usize = 1 << 24;

impl Shot {
    /// The bins of the last record.
    fn bins(&self) -> Bins<'_> {
        Bins {
            power: &self.traces.live,
            first_bin: self.axis.first_bin,
            n: self.axis.n,
            is_complex: self.axis.is_complex,
            window: self.descriptor.window,
        }
    }
}

impl View {
    /// The shown frequencies; none before the first record.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        let axis = self.shot()?.axis;
        Some(
            self.span
                .map_or_else(|| axis.whole(), |span| span.within(&axis)),
        )
    }

    /// The width of a bin.
    #[must_use]
    pub fn bin_hz(&self) -> Option<f64> {
        Some(self.shot()?.axis.bin_hz())
    }

    /// Points of a trace for so many columns of pixels: pairs of a place from 0 to `width`, and a
    /// level in dB that is NaN where bins were lost.
    #[must_use]
    pub fn points(&self, trace: Trace, width: usize) -> Vec<[f32; 2]> {
        let points = || {
            let (shot, span) = (self.shot()?, self.span()?);
            let powers = shot.traces.powers(trace)?;
            Some(pool::points(&powers, &shot.axis, span, width, self.merge))
        };
        points().unwrap_or_default()
    }

    /// Records that are held.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.shot().map_or(0, |shot| shot.traces.hold.records)
    }

    /// Level of the bin at a frequency, in dB.
    #[must_use]
    pub fn level_db(&self, trace: Trace, hz: f64) -> Option<f64> {
        let shot = self.shot()?;
        let power = *shot.traces.powers(trace)?.get(shot.axis.bin_at(hz)?)?;
        (!power.is_nan()).then(|| decibels(power))
    }

    /// Up to `count` peaks in the shown span, strongest first.
    #[must_use]
    pub fn peaks(&self, count: usize) -> Vec<Found> {
        let (Some(shot), Some(span)) = (self.shot(), self.span()) else {
            return vec![];
        };
        // Peaks of the whole spectrum, so that a peak does not depend on the zoom.
        let bins = shot.bins();
        let found = peaks::all(&bins).map(|peak| Found {
            hz: shot.axis.hz(peak.index as f64 + peak.offset),
            level_db: peak.level_db,
            bin: bins.bin(peak.index),
            bin_level_db: decibels(bins.power[peak.index]),
        });
        let is_shown = |hz: f64| (span.from_hz..=span.to_hz).contains(&hz);
        found.filter(|peak| is_shown(peak.hz)).take(count).collect()
    }

    /// Readings of all markers.
    #[must_use]
    pub fn readings(&self) -> Vec<Reading> {
        let Some(shot) = self.shot() else {
            return vec![];
        };
        let bins = shot.bins();
        let mut readings: Vec<Reading> = self
            .markers
            .list()
            .iter()
            .map(|marker| {
                let index = shot.axis.bin_at(marker.hz);
                let peak = index.and_then(|index| peaks::near(&bins, index));
                let bin = index.and_then(|index| bins.power.get(index));
                let (hz, level_db) = match (peak, index) {
                    (Some(peak), _) => {
                        let hz = shot.axis.hz(peak.index as f64 + peak.offset);
                        (hz, peak.level_db)
                    }
                    (None, Some(index)) => {
                        let level = bin.map_or(f64::NAN, |&power| decibels(power));
                        (shot.axis.hz(index as f64), level)
                    }
                    (None, None) => (marker.hz, f64::NAN),
                };
                Reading {
                    number: marker.number,
                    hz,
                    level_db,
                    is_peak: peak.is_some(),
                    is_reference: self.markers.is_reference(marker.number),
                    is_selected: self.markers.is_selected(marker.number),
                    difference: None,
                }
            })
            .collect();
        let reference = readings.iter().find(|it| it.is_reference).copied();
        if let Some(reference) = reference {
            for reading in readings.iter_mut().filter(|it| !it.is_reference) {
                let hz = reading.hz - reference.hz;
                reading.difference = Some((hz, reading.level_db - reference.level_db));
            }
        }
        readings
    }

    /// Gaps, the oldest first; only the last few.
    pub fn gaps(&self) -> impl Iterator<Item = &Gap> {
        self.gaps.iter()
    }

    /// A number that changes when all lines have to be drawn anew, and not only those that are new.
    #[must_use]
    pub const fn generation(&self) -> u32 {
        self.generation
    }

    /// Number of the first line of the waterfall that is not complete, or not shown.
    #[must_use]
    pub fn end_line(&self) -> u64 {
        let end = self.frozen.as_ref().map(|frozen| frozen.end);
        end.unwrap_or_else(|| self.ring.end()) / self.rows_per_line
    }

    /// Number of the first line that is kept.
    #[must_use]
    pub fn first_line(&self) -> u64 {
        self.ring.first().div_ceil(self.rows_per_line)
    }

    /// Bytes that rows take.
    #[must_use]
    pub const fn row_bytes(&self) -> usize {
        self.ring.bytes()
    }

    /// Pixels of the `count` lines before line `end`, the last one first: `width` times red, green,
    /// blue and opaque. Lines that are not kept any more are empty.
    #[must_use]
    pub fn lines(&self, end: u64, count: usize, width: usize) -> Vec<u8> {
        let Some(span) = self.span().filter(|_| count * width <= MOST_PIXELS) else {
            return vec![];
        };
        let end = end.min(self.end_line());
        let lines = Lines {
            ring: &self.ring,
            axes: &self.axes,
            colours: &self.colours,
            ends: self.levels.shown,
            span,
            merge: self.merge,
            rows_per_line: self.rows_per_line,
        };
        lines.pixels(end.saturating_sub(count as u64)..end, width)
    }

    /// The colours from the weakest level to the strongest, so many pixels.
    #[must_use]
    pub fn legend(&self, pixels: usize) -> Vec<u8> {
        self.colours.legend(pixels.min(MOST_PIXELS))
    }

    /// Marks of frequency, `most` of them or so.
    #[must_use]
    pub fn frequency_marks(&self, most: usize) -> Option<Marks> {
        let axis = self.shot()?.axis;
        Some(marks::frequency(&axis, self.span()?, most))
    }

    /// Marks of level from the top down, `most` of them or so.
    #[must_use]
    pub fn level_marks(&self, most: usize) -> Option<Marks> {
        let unit = self.shot()?.descriptor.unit.name();
        let Scale {
            reference_db,
            range_db,
            ..
        } = self.scale;
        Some(marks::level(reference_db, range_db, most, unit))
    }

    /// Marks of time of the `count` lines before the last, `most` of them or so. Times count from
    /// the first sample of each section; a mark stands where a round time lies between two lines,
    /// however far these are apart.
    #[must_use]
    pub fn time_marks(&self, count: usize, most: usize) -> Option<TimeMarks> {
        let end = self.end_line();
        let lines = end.saturating_sub(count as u64).max(self.first_line())..end;
        let rows: Vec<Option<&Row>> = lines
            .rev()
            .map(|line| self.ring.get(line * self.rows_per_line))
            .collect();
        let is_record = |row: &Row| matches!(row.content, Content::Levels(_));
        // The time of a line and of the one before it in the same section.
        let pairs = rows.windows(2).enumerate().filter_map(|(index, pair)| {
            let (now, before) = (pair[0]?, pair[1]?);
            let is_usable = is_record(now) && now.section == before.section;
            (is_usable && !matches!(before.content, Content::Break)).then_some((index, now, before))
        });
        let pairs: Vec<(usize, &Row, &Row)> = pairs.collect();
        let mut distances: Vec<f64> = pairs
            .iter()
            .filter(|(_, _, before)| is_record(before))
            .map(|(_, now, before)| now.from_s - before.from_s)
            .collect();
        distances.sort_unstable_by(f64::total_cmp);
        let usual_us = distances
            .get(distances.len() / 2)
            .map_or(0.0, |it| it * 1e6);
        if usual_us.is_nan() || usual_us <= 0.0 {
            return None;
        }
        let step_us = time::step(usual_us * count as f64 / most.max(1) as f64);
        let apart = count / most.max(1) / 2;
        let latest_us = pairs.first().map_or(0.0, |(_, now, _)| now.from_s * 1e6);
        let mut places: Vec<(usize, String)> = vec![];
        for (index, now, before) in pairs {
            let round = |row: &Row| (row.from_s * 1e6 / step_us + 1e-9).floor();
            let is_apart = places.last().is_none_or(|(last, _)| index >= last + apart);
            if round(now) > round(before) && is_apart {
                let us = round(now) * step_us;
                places.push((index, time::elapsed_beside(us, step_us, latest_us)));
            }
        }
        let name = time::name(step_us, latest_us);
        Some(TimeMarks { places, name })
    }

    /// The shown span as CSV: a line for each bin, a column for each trace.
    #[must_use]
    pub fn csv(&self) -> Option<String> {
        let (shot, status) = (self.shot()?, self.status()?);
        Some(csv::table(&status, &shot.traces, self.span()?))
    }
}
