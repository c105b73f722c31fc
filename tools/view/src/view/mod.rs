//! The state machine: records in.
//!
//! Records of another kind (length, rate, domain, window, source, stream) begin a new section; a
//! record that is missing becomes a gap. What is shown stands while the view is paused, and records
//! go on into the rows behind it.

mod arrived;
mod control;
mod show;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};

use signal::Rate;
use wire::{Descriptor, RecordHead};

use crate::axis::{Axis, Span};
use crate::ends::Scale;
use crate::levels::{self, Levels, decibels};
use crate::markers::Markers;
use crate::palette::Paper;
use crate::pool::Merge;
use crate::ring::{Content, Ring, Row};
use crate::section::{Follows, Section};
use crate::status::{Gap, Reason, Status};
use crate::traces::{Trace, Traces};
use crate::waterfall::Colours;

pub use arrived::Arrived;
use arrived::power_of;

/// Bytes of rows that are kept: three minutes of 25 records a second with 2049 bins, and more.
const ROW_BYTES: usize = 32 << 20;
/// Rows of a gap at the most; the marks of the time axis say how long it was.
const MOST_GAP_ROWS: u64 = 24;
/// Rows between two sections.
const BREAK_ROWS: u64 = 3;
/// Gaps that are remembered.
const MOST_GAPS: usize = 32;

/// A peak in hertz.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Found {
    /// Its frequency between bins.
    pub hz: f64,
    /// Its level in dB, corrected by the shape of the window.
    pub level_db: f64,
    /// Number of the bin in which it stands.
    pub bin: i64,
    /// Level of that bin in dB.
    pub bin_level_db: f64,
}

/// The last record, and what is held.
#[derive(Clone, Debug)]
struct Shot {
    descriptor: Descriptor,
    axis: Axis,
    head: RecordHead,
    traces: Traces,
}

/// The picture that stands while the view is paused.
#[derive(Debug)]
struct Frozen {
    shot: Shot,
    /// Number of the first row that is not shown.
    end: u64,
}

/// Counts since the view was made.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    records: u64,
    missing_records: u64,
    missing_values: u64,
    gaps: u64,
}

/// The state of a display.
pub struct View {
    section: Option<Section>,
    sections: u32,
    axes: BTreeMap<u32, Axis>,
    ring: Ring,
    shot: Option<Shot>,
    frozen: Option<Frozen>,
    counts: Counts,
    gaps: VecDeque<Gap>,
    /// The line has been down since the last record.
    was_down: bool,
    multiplier: Rate,
    /// All of the axis, or a part of it.
    span: Option<Span>,
    /// The levels at the ends of the waterfall's colours. [`View::set_levels`] sets them, since
    /// lines are drawn anew then.
    pub levels: Levels,
    /// The scale of levels of the spectrum.
    pub scale: Scale,
    shown: [bool; Trace::ALL.len()],
    merge: Merge,
    rows_per_line: u64,
    colours: Colours,
    /// Places on the frequency axis.
    pub markers: Markers,
    generation: u32,
}

impl Default for View {
    fn default() -> Self {
        Self::new(ROW_BYTES)
    }
}

impl View {
    /// An empty display that keeps at most so many bytes of rows.
    #[must_use]
    pub fn new(row_bytes: usize) -> Self {
        Self {
            section: None,
            sections: 0,
            axes: BTreeMap::new(),
            ring: Ring::new(row_bytes),
            shot: None,
            frozen: None,
            counts: Counts::default(),
            gaps: VecDeque::new(),
            was_down: false,
            multiplier: Rate::hz(1),
            span: None,
            levels: Levels::default(),
            scale: Scale::default(),
            shown: Trace::ALL.map(|trace| matches!(trace, Trace::Live | Trace::Greatest)),
            merge: Merge::Max,
            rows_per_line: 1,
            colours: Colours::new(Paper::Dark),
            markers: Markers::default(),
            generation: 0,
        }
    }

    /// Says that the line was down: the time until the next record is a gap that the line made.
    pub fn line_was_down(&mut self) {
        self.was_down = true;
    }

    /// Says that the samples of the next records stand for others: a file that is played at 1/50 of
    /// its speed has a multiplier of 50. Frequencies are multiplied and times divided by it.
    pub fn set_multiplier(&mut self, multiplier: Rate) {
        if multiplier.num > 0 && multiplier.den > 0 {
            self.multiplier = multiplier;
        }
    }

    /// Takes a record in. One that was there already, or that does not agree with its descriptor,
    /// changes nothing.
    pub fn push(&mut self, arrived: Arrived, descriptor: &Descriptor) {
        let Arrived {
            stream,
            head,
            missing,
            values,
        } = arrived;
        let mut live: Vec<f64> = values.map(|value| power_of(value, descriptor)).collect();
        if live.is_empty() || live.len() != descriptor.values() as usize {
            return;
        }
        let follows = self.section.as_ref().map_or(Follows::Other, |section| {
            section.follows(&head, descriptor, stream, self.multiplier)
        });
        match follows {
            Follows::Again => return,
            Follows::Next if self.was_down => self.put_gap(&head, 1, Reason::Line),
            Follows::Next => {}
            Follows::Gap { records, .. } if self.was_down => {
                self.put_gap(&head, records, Reason::Line);
            }
            Follows::Gap {
                records,
                is_overrun,
            } => {
                let reason = self.reason(&head, is_overrun);
                self.put_gap(&head, records, reason);
            }
            Follows::Other => self.begin(descriptor, stream),
        }
        self.was_down = false;
        let Some(section) = &mut self.section else {
            return;
        };
        if let Some(last) = section.last() {
            let missing = head.record.saturating_sub(last.record).saturating_sub(1);
            self.counts.missing_records += u64::from(missing);
        }
        let from_s = section.take(&head, descriptor);
        let (number, axis) = (section.number, section.axis);
        self.axes.insert(number, axis);
        self.counts.records += 1;
        self.counts.missing_values += u64::from(missing);

        let steps: Box<[u16]> = live.iter().map(|&power| levels::step_of(power)).collect();
        let has_changed = self.levels.take(&steps[..axis.bins], self.frozen.is_none());
        self.generation += u32::from(has_changed);
        let second = live.split_off(axis.bins);
        let greatest = descriptor.detector.second().map(|_| second);
        let mut traces = self.shot.take().map(|shot| shot.traces).unwrap_or_default();
        traces.take(live, greatest);
        self.shot = Some(Shot {
            descriptor: *descriptor,
            axis,
            head,
            traces,
        });
        self.put(Row {
            section: number,
            from_s,
            content: Content::Levels(steps),
        });
        self.follow_scale();
    }

    /// Begins a section. What is held goes on if its spectra are of the same kind, and of the same
    /// board: behind a line that was down there may be another one.
    fn begin(&mut self, descriptor: &Descriptor, stream: u16) {
        let before = self.section.take();
        let section = Section::new(self.sections, descriptor, stream, self.multiplier);
        let is_like = before
            .as_ref()
            .is_some_and(|before| before.is_like(descriptor, self.multiplier) && !self.was_down);
        if !is_like {
            if let Some(shot) = &mut self.shot {
                shot.traces.reset_hold();
            }
            self.levels.forget();
            self.scale.forget();
            self.generation += u32::from(self.frozen.is_none());
        }
        if before.is_some() {
            for _ in 0..BREAK_ROWS {
                self.put(Row {
                    section: section.number,
                    from_s: 0.0,
                    content: Content::Break,
                });
            }
        }
        self.axes.insert(section.number, section.axis);
        self.sections += 1;
        self.section = Some(section);
    }

    /// The reason of a gap before a record.
    fn reason(&self, head: &RecordHead, is_overrun: bool) -> Reason {
        let dropped = self.section.as_ref().and_then(Section::last);
        let dropped = dropped.map_or(0, |last| last.counters.dropped);
        match is_overrun {
            true => Reason::Overrun,
            false if head.counters.dropped > dropped => Reason::Dropped,
            false => Reason::Line,
        }
    }

    /// Rows for so many records that are missing before this one.
    fn put_gap(&mut self, head: &RecordHead, records: u64, reason: Reason) {
        let Some(section) = &self.section else { return };
        let Some(last) = section.last() else { return };
        let number = section.number;
        let from_s = section.time_s(last.first_sample) + section.length_s(last.blocks);
        let to_s = section.time_s(head.first_sample);
        let gap = Gap {
            from_s: from_s.min(to_s),
            to_s,
            reason,
        };
        self.counts.gaps += 1;
        if self.gaps.len() == MOST_GAPS {
            self.gaps.pop_front();
        }
        self.gaps.push_back(gap);
        let rows = records.clamp(1, MOST_GAP_ROWS);
        for row in 0..rows {
            let share = row as f64 / rows as f64;
            self.put(Row {
                section: number,
                from_s: gap.from_s + share * (gap.to_s - gap.from_s),
                content: Content::Gap,
            });
        }
    }

    /// Keeps a row, and the axes of those rows that are kept.
    fn put(&mut self, row: Row) {
        self.ring.push(row);
        if let Some(oldest) = self.ring.oldest() {
            let oldest = oldest.section;
            self.axes.retain(|&number, _| number >= oldest);
        }
    }

    /// Lets the scale of levels follow the traces that are shown.
    fn follow_scale(&mut self) {
        let Some(shot) = self.shot.as_ref().filter(|_| self.frozen.is_none()) else {
            return;
        };
        let highest = Trace::ALL
            .into_iter()
            .filter(|&trace| self.shown[trace as usize])
            .filter_map(|trace| shot.traces.powers(trace))
            .flat_map(|powers| powers.iter().copied().reduce(f64::max))
            .reduce(f64::max);
        if let (Some(highest), Some(ends)) = (highest, self.levels.found) {
            self.scale.follow(decibels(highest), ends.from_db);
        }
    }

    /// The status of what is shown.
    #[must_use]
    pub fn status(&self) -> Option<Status> {
        let shot = self.shot()?;
        Some(Status {
            descriptor: shot.descriptor,
            head: shot.head,
            axis: shot.axis,
            records: self.counts.records,
            missing_records: self.counts.missing_records,
            missing_values: self.counts.missing_values,
            gaps: self.counts.gaps,
            sections: self.sections,
        })
    }

    /// The record that is shown.
    fn shot(&self) -> Option<&Shot> {
        let frozen = self.frozen.as_ref().map(|frozen| &frozen.shot);
        frozen.or(self.shot.as_ref())
    }
}
