//! The picture of the page: what a user does goes in, and what is drawn comes out.
//!
//! Numbers that are drawn each frame are arrays; all else is one object as JSON, which the page
//! also shows to tests as its state.

mod json;

use view::markers::Towards;
use view::palette::Paper;
use view::{Ends, Merge, Span, Trace};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::scope::Scope;
use json::{frequency_text, level_text};

#[wasm_bindgen]
impl Scope {
    /// Points of a trace by its name: a place from 0 to `width`, a level, and so on.
    pub fn points(&self, trace: &str, width: u32) -> Vec<f32> {
        let trace = Trace::from_name(trace);
        let points = trace.map(|trace| self.view.points(trace, width as usize));
        points.unwrap_or_default().into_flattened()
    }

    /// A number that changes when all lines have to be drawn anew.
    pub fn generation(&self) -> u32 {
        self.view.generation()
    }

    /// Lines of the waterfall so far.
    pub fn end_line(&self) -> f64 {
        self.view.end_line() as f64
    }

    /// Pixels of `count` lines before line `end`, the last one first.
    pub fn lines(&self, end: f64, count: u32, width: u32) -> Vec<u8> {
        self.view.lines(end as u64, count as usize, width as usize)
    }

    /// Colours of levels from the weakest to the strongest.
    pub fn legend(&self, pixels: u32) -> Vec<u8> {
        self.view.legend(pixels as usize)
    }

    /// Frequency and level at a place in the spectrum, as a sentence: for the pointer.
    pub fn place_text(&self, hz: f64) -> Option<String> {
        let status = self.view.status()?;
        let frequency = frequency_text(hz, status.axis.bin_hz());
        let level = self.view.level_db(Trace::Live, hz)?;
        Some(format!("{frequency}  {}", level_text(level, status.unit())))
    }

    /// The shown span as CSV; nothing before the first record.
    pub fn csv(&self) -> Option<String> {
        self.view.csv()
    }

    /// The samples of the next records stand for others, `over / under` times as fast.
    pub fn set_multiplier(&mut self, over: f64, under: f64) {
        if let Some(rate) = wire::Rate::new(over as u64, under as u64) {
            self.view.set_multiplier(rate);
        }
    }

    /// Stops the picture or lets it go on.
    pub fn pause(&mut self, is_paused: bool) {
        self.view.pause(is_paused);
    }

    /// Shows or hides a trace by its name.
    pub fn show_trace(&mut self, trace: &str, is_shown: bool) {
        if let Some(trace) = Trace::from_name(trace) {
            self.view.show(trace, is_shown);
        }
    }

    /// Forgets what is held.
    pub fn reset_hold(&mut self) {
        self.view.reset_hold();
    }

    /// Divides the shown width by a factor; the frequency at a share of it stays.
    pub fn zoom(&mut self, factor: f64, share: f64) {
        self.view.zoom(factor, share);
    }

    /// Moves the span by a share of its width.
    pub fn pan(&mut self, share: f64) {
        self.view.pan(share);
    }

    /// Shows these frequencies.
    pub fn set_span(&mut self, from_hz: f64, to_hz: f64) {
        self.view.set_span(Span { from_hz, to_hz });
    }

    /// Shows all frequencies.
    pub fn show_all(&mut self) {
        self.view.show_all();
    }

    /// Sets the level at the top of the spectrum and the range below it.
    pub fn set_scale(&mut self, reference_db: f64, range_db: f64) {
        self.view.scale.set(reference_db, range_db);
    }

    /// Lets the scale of the spectrum follow the records.
    pub fn follow_levels(&mut self) {
        self.view.follow_levels();
    }

    /// Holds the levels of the waterfall's colours, or lets them follow.
    pub fn lock_levels(&mut self, is_locked: bool) {
        self.view.levels.is_locked = is_locked;
    }

    /// Sets the levels of the waterfall's colours and holds them.
    pub fn set_levels(&mut self, from_db: f64, to_db: f64) {
        self.view.set_levels(Ends { from_db, to_db });
    }

    /// `mean` or `max` of the bins and rows that share a pixel.
    pub fn set_merge(&mut self, name: &str) {
        let is_mean = name == "mean";
        self.view
            .set_merge(if is_mean { Merge::Mean } else { Merge::Max });
    }

    /// Rows that share a line of the waterfall.
    pub fn set_rows_per_line(&mut self, rows: u32) {
        self.view.set_rows_per_line(rows);
    }

    /// The page's colours are dark.
    pub fn set_dark(&mut self, is_dark: bool) {
        let paper = if is_dark { Paper::Dark } else { Paper::Light };
        self.view.set_paper(paper);
    }

    /// Adds a marker; a peak within reach attracts it.
    pub fn add_marker(&mut self, hz: f64, reach_hz: f64) -> Option<u32> {
        self.view.add_marker(hz, reach_hz)
    }

    /// Moves a marker, and selects it.
    pub fn move_marker(&mut self, number: u32, hz: f64, reach_hz: f64) {
        self.view.move_marker(number, hz, reach_hz);
    }

    /// Selects a marker, which keys then move.
    pub fn select_marker(&mut self, number: u32) {
        self.view.markers.select(number);
    }

    /// Compares others with this marker.
    pub fn refer_to_marker(&mut self, number: u32) {
        self.view.markers.refer(number);
    }

    /// Takes a marker away.
    pub fn remove_marker(&mut self, number: u32) {
        self.view.markers.remove(number);
    }

    /// Takes all markers away.
    pub fn clear_markers(&mut self) {
        self.view.markers.clear();
    }

    /// Moves the selected marker to a peak: `lower`, `higher` or `strongest`.
    pub fn move_to_peak(&mut self, towards: &str) {
        self.view.move_to_peak(match towards {
            "lower" => Towards::Lower,
            "higher" => Towards::Higher,
            _ => Towards::Strongest,
        });
    }

    /// Moves the selected marker by bins.
    pub fn nudge_marker(&mut self, bins: f64) {
        self.view.nudge_marker(bins);
    }
}
