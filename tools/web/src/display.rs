//! The picture of the page: what a user does goes in, and what is drawn comes out.
//!
//! Numbers that are drawn each frame are arrays; all else is one object as JSON, which the page
//! also shows to tests as its state.

use serde_json::{Value, json};
use view::markers::Towards;
use view::marks::{Marks, minus};
use view::palette::Paper;
use view::quantity::{frequency_by, period};
use view::{Ends, Merge, Reading, Span, Status, Trace};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::scope::Scope;

/// Peaks in the table.
const PEAKS: usize = 8;
/// The share of a bin to which the frequency of a peak is known, and shown.
const PRECISION_BINS: f64 = 0.1;

/// A level as people read it.
fn level_text(db: f64, unit: &str) -> String {
    if db.is_nan() {
        return "lost".to_owned();
    }
    format!("{} {unit}", minus(&format!("{db:.2}")))
}

fn frequency_text(hz: f64, bin_hz: f64) -> String {
    minus(&frequency_by(hz, PRECISION_BINS * bin_hz))
}

fn span(span: Span) -> Value {
    json!({ "fromHz": span.from_hz, "toHz": span.to_hz })
}

fn marks(marks: Option<Marks>) -> Value {
    marks.map_or(
        Value::Null,
        |marks| json!({ "name": marks.name, "places": marks.places }),
    )
}

/// The name of the record's source.
fn source(status: &Status) -> &'static str {
    match status.descriptor.source {
        wire::Source::Generator => "generator",
        wire::Source::Upload => "upload",
        wire::Source::I2s => "I2S input",
        wire::Source::Smi => "parallel ADC",
    }
}

fn stream(status: &Status) -> Value {
    let (descriptor, head, axis) = (&status.descriptor, &status.head, &status.axis);
    let counters = &head.counters;
    let bin_hz = axis.bin_hz();
    json!({
        "n": axis.n,
        "domain": descriptor.domain.name(),
        "rateHz": axis.rate_hz(),
        "rateText": frequency_by(axis.rate_hz(), bin_hz),
        "window": descriptor.window.to_string(),
        "binHz": bin_hz,
        "rbwHz": status.rbw_hz(),
        "rbwText": frequency_by(status.rbw_hz(), status.rbw_hz() / 100.0),
        "blocks": head.blocks,
        "overlap": descriptor.overlap,
        "detector": descriptor.detector.name(),
        "averaging": descriptor.averaging.name(),
        "unit": status.unit(),
        "engine": head.engine.name(),
        "fallback": head.fallback,
        "replaced": head.replaced,
        "doubt": head.doubt.is_some(),
        "duty": status.duty(),
        "record": head.record,
        "overruns": counters.overruns,
        "clipped": counters.clipped,
        "dropped": counters.dropped,
        "clamped": counters.clamped,
        "source": source(status),
        "board": descriptor.board.to_string(),
        "firmware": descriptor.firmware.to_string(),
        "sections": status.sections,
        "missingRecords": status.missing_records,
        "missingValues": status.missing_values,
    })
}

fn reading(reading: &Reading, bin_hz: f64, unit: &str) -> Value {
    let difference = reading.difference.map(|(hz, db)| {
        json!({
            "hz": hz,
            "db": db,
            "hzText": frequency_text(hz, bin_hz),
            "dbText": level_text(db, "dB"),
        })
    });
    json!({
        "number": reading.number,
        "hz": reading.hz,
        "levelDb": reading.level_db,
        "hzText": frequency_text(reading.hz, bin_hz),
        "levelText": level_text(reading.level_db, unit),
        "peak": reading.is_peak,
        "reference": reading.is_reference,
        "selected": reading.is_selected,
        "difference": difference,
    })
}

impl Scope {
    fn peaks(&self, bin_hz: f64, unit: &str, has_period: bool) -> Vec<Value> {
        let peaks = self.view.peaks(PEAKS).into_iter().map(|peak| {
            let period_s = (has_period && peak.hz != 0.0).then(|| (1.0 / peak.hz).abs());
            json!({
                "hz": peak.hz,
                "levelDb": peak.level_db,
                "bin": peak.bin,
                "binLevelDb": peak.bin_level_db,
                "hzText": frequency_text(peak.hz, bin_hz),
                "levelText": level_text(peak.level_db, unit),
                "periodText": period_s.map(period),
            })
        });
        peaks.collect()
    }
}

#[wasm_bindgen]
impl Scope {
    /// Everything that is shown, as JSON.
    pub fn picture(&self) -> String {
        let view = &self.view;
        let now = view.status();
        let axis = now.map(|status| status.axis);
        let bin_hz = axis.map_or(1.0, |axis| axis.bin_hz());
        let unit = now.map_or("dB", |status| status.unit());
        let is_slow = axis.is_some_and(|axis| axis.is_slow() && axis.centre_hz == 0.0);
        let readings = view.readings();
        let line = self.client.line();
        let gaps = view.gaps().map(
            |gap| json!({ "fromS": gap.from_s, "toS": gap.to_s, "reason": gap.reason.name() }),
        );
        let traces = Trace::ALL.map(|trace| (trace.name(), view.is_shown(trace)));
        let scale = view.scale();
        json!({
            "records": now.map_or(0, |status| status.records),
            "stream": now.as_ref().map(stream),
            "line": {
                "frames": line.frames,
                "damaged": line.damaged,
                "lostFrames": line.sequence_gaps,
                "restarts": line.restarts,
            },
            "peaks": self.peaks(bin_hz, unit, is_slow),
            "markers": readings
                .iter()
                .map(|each| reading(each, bin_hz, unit))
                .collect::<Vec<_>>(),
            "span": view.span().map(span),
            "whole": axis.map(|axis| span(axis.whole())),
            "paused": view.is_paused(),
            "hold": {
                "records": view.held(),
                "max": view.is_shown(Trace::HoldMax),
                "min": view.is_shown(Trace::HoldMin),
                "mean": view.is_shown(Trace::HoldMean),
            },
            "traces": traces.into_iter().collect::<std::collections::BTreeMap<_, _>>(),
            "levels": {
                "fromDb": view.levels().from_db,
                "toDb": view.levels().to_db,
                "locked": view.levels_are_locked(),
            },
            "scale": {
                "referenceDb": scale.reference_db,
                "rangeDb": scale.range_db,
                "automatic": scale.is_automatic,
            },
            "gaps": gaps.collect::<Vec<_>>(),
            "gapCount": now.map_or(0, |status| status.gaps),
            "rows": view.end_line(),
            "rowsKept": view.end_line().saturating_sub(view.first_line()),
            "rowBytes": view.row_bytes(),
        })
        .to_string()
    }

    /// Marks of the axes as JSON, so many of them or so: of frequency, of level, and of time for
    /// the last `lines` lines.
    pub fn marks(&self, frequencies: u32, levels: u32, times: u32, lines: u32) -> String {
        let view = &self.view;
        let times = view.time_marks(lines as usize, times as usize);
        json!({
            "frequency": marks(view.frequency_marks(frequencies as usize)),
            "level": marks(view.level_marks(levels as usize)),
            "time": times.map(|times| json!({ "name": times.name, "places": times.places })),
        })
        .to_string()
    }

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
        self.view.set_scale(reference_db, range_db);
    }

    /// Lets the scale of the spectrum follow the records.
    pub fn follow_levels(&mut self) {
        self.view.follow_levels();
    }

    /// Holds the levels of the waterfall's colours, or lets them follow.
    pub fn lock_levels(&mut self, is_locked: bool) {
        self.view.lock_levels(is_locked);
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
        self.view.select_marker(number);
    }

    /// Compares others with this marker.
    pub fn refer_to_marker(&mut self, number: u32) {
        self.view.refer_to_marker(number);
    }

    /// Takes a marker away.
    pub fn remove_marker(&mut self, number: u32) {
        self.view.remove_marker(number);
    }

    /// Takes all markers away.
    pub fn clear_markers(&mut self) {
        self.view.clear_markers();
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
