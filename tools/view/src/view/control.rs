//! Commands of a user: zoom, pause, hold, levels, markers.

use super::{Frozen, View};
use crate::axis::Span;
use crate::ends::Scale;
use crate::levels::Ends;
use crate::markers::Towards;
use crate::palette::Paper;
use crate::pool::Merge;
use crate::traces::Trace;
use crate::waterfall::Colours;

/// The most rows that share a line.
const MOST_ROWS_PER_LINE: u64 = 1024;
/// Peaks among which a marker moves.
const PEAKS: usize = 64;

impl View {
    /// Everything of the waterfall has to be drawn anew.
    fn draw_anew(&mut self) {
        self.generation = self.generation.wrapping_add(1);
    }

    /// Stops the picture, or lets it go on with the records that have come since.
    pub fn pause(&mut self, is_paused: bool) {
        if is_paused == self.is_paused() {
            return;
        }
        self.frozen = match (&self.shot, is_paused) {
            (Some(shot), true) => Some(Frozen {
                shot: shot.clone(),
                end: self.ring.end(),
            }),
            _ => None,
        };
        if !self.is_paused() {
            self.draw_anew();
        }
    }

    /// Returns whether the picture stands.
    #[must_use]
    pub const fn is_paused(&self) -> bool {
        self.frozen.is_some()
    }

    /// Shows these frequencies, as far as there are any.
    pub fn set_span(&mut self, span: Span) {
        self.span = Some(span);
        if let Some(axis) = self.shot().map(|shot| shot.axis) {
            let within = span.within(&axis);
            self.span = (within != axis.whole()).then_some(within);
        }
        self.draw_anew();
    }

    /// Shows all frequencies.
    pub fn show_all(&mut self) {
        self.span = None;
        self.draw_anew();
    }

    /// Divides the shown width by `factor`; the frequency at `share` of it stays in its place.
    pub fn zoom(&mut self, factor: f64, share: f64) {
        if let Some(span) = self.span() {
            self.set_span(span.zoomed(factor, share));
        }
    }

    /// Moves the span by a share of its width.
    pub fn pan(&mut self, share: f64) {
        if let (Some(span), Some(shot)) = (self.span(), self.shot()) {
            self.set_span(span.moved(share, &shot.axis));
        }
    }

    /// Forgets what is held.
    pub fn reset_hold(&mut self) {
        if let Some(shot) = &mut self.shot {
            shot.traces.reset_hold();
        }
        if let Some(frozen) = &mut self.frozen {
            frozen.shot.traces.reset_hold();
        }
    }

    /// Shows a trace, or hides it.
    pub fn show(&mut self, trace: Trace, is_shown: bool) {
        self.shown[trace as usize] = is_shown;
    }

    /// Returns whether a trace is to be drawn.
    #[must_use]
    pub const fn is_shown(&self, trace: Trace) -> bool {
        self.shown[trace as usize]
    }

    /// Sets the value of bins and rows that share a pixel.
    pub fn set_merge(&mut self, merge: Merge) {
        self.merge = merge;
        self.draw_anew();
    }

    /// Rows that share a line of the waterfall.
    pub fn set_rows_per_line(&mut self, rows: u32) {
        self.rows_per_line = u64::from(rows).clamp(1, MOST_ROWS_PER_LINE);
        self.draw_anew();
    }

    /// The background for which the waterfall is made.
    pub fn set_paper(&mut self, paper: Paper) {
        self.colours = Colours::new(paper);
        self.draw_anew();
    }

    /// Sets the levels of the waterfall and holds them.
    pub fn set_levels(&mut self, ends: Ends) {
        self.levels.set(ends);
        self.draw_anew();
    }

    /// Lets the scale of the spectrum follow the records.
    pub fn follow_levels(&mut self) {
        self.scale = Scale::default();
        self.scale.forget();
        self.follow_scale();
    }

    /// Adds a marker; returns its number. A peak within `reach_hz` attracts it.
    pub fn add_marker(&mut self, hz: f64, reach_hz: f64) -> Option<u32> {
        if !hz.is_finite() {
            return None;
        }
        let hz = self.attracted(hz, reach_hz);
        Some(self.markers.add(hz))
    }

    /// Moves a marker. A peak within `reach_hz` attracts it.
    pub fn move_marker(&mut self, number: u32, hz: f64, reach_hz: f64) {
        if hz.is_finite() {
            let hz = self.attracted(hz, reach_hz);
            self.markers.place(number, hz);
            self.markers.select(number);
        }
    }

    /// The frequency of the strongest peak near a frequency, or that frequency.
    fn attracted(&self, hz: f64, reach_hz: f64) -> f64 {
        let peaks = self.peaks(PEAKS).into_iter();
        let mut near = peaks.filter(|peak| (peak.hz - hz).abs() <= reach_hz);
        near.next().map_or(hz, |peak| peak.hz)
    }

    /// Moves the selected marker, or a new one, to a peak in the shown span. Nothing happens where
    /// there is none.
    pub fn move_to_peak(&mut self, towards: Towards) {
        let (peaks, bin_hz) = (self.peaks(PEAKS), self.bin_hz().unwrap_or(0.0));
        let selected = self.markers.selected();
        let place = match (selected, towards) {
            (None, _) | (_, Towards::Strongest) => peaks.first(),
            (Some(marker), Towards::Higher) => peaks
                .iter()
                .filter(|peak| peak.hz > marker.hz + bin_hz)
                .min_by(|a, b| a.hz.total_cmp(&b.hz)),
            (Some(marker), Towards::Lower) => peaks
                .iter()
                .filter(|peak| peak.hz < marker.hz - bin_hz)
                .max_by(|a, b| a.hz.total_cmp(&b.hz)),
        };
        match (place, selected) {
            (Some(peak), Some(marker)) => self.markers.place(marker.number, peak.hz),
            (Some(peak), None) => {
                self.markers.add(peak.hz);
            }
            (None, _) => {}
        }
    }

    /// Moves the selected marker by bins.
    pub fn nudge_marker(&mut self, bins: f64) {
        if let (Some(marker), Some(bin_hz)) = (self.markers.selected(), self.bin_hz())
            && bins.is_finite()
        {
            self.markers.place(marker.number, marker.hz + bins * bin_hz);
        }
    }
}
