//! The state of the picture as JSON, with numbers also as people read them.

use serde_json::{Value, json};
use view::marks::{Marks, minus};
use view::quantity::{frequency_by, period};
use view::{Reading, Span, Status, Trace};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::scope::Scope;

/// Peaks in the table.
const PEAKS: usize = 8;
/// The share of a bin to which the frequency of a peak is known, and shown.
const PRECISION_BINS: f64 = 0.1;

/// A level as people read it.
pub(super) fn level_text(db: f64, unit: &str) -> String {
    if db.is_nan() {
        return "lost".to_owned();
    }
    format!("{} {unit}", minus(&format!("{db:.2}")))
}

/// A frequency with a digit more than tells bins apart.
pub(super) fn frequency_text(hz: f64, bin_hz: f64) -> String {
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
        "leftOut": counters.left_out,
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
        let scale = view.scale;
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
                "fromDb": view.levels.shown.from_db,
                "toDb": view.levels.shown.to_db,
                "locked": view.levels.is_locked,
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
        let scale = view.scale;
        json!({
            "frequency": marks(view.frequency_marks(frequencies as usize)),
            "level": marks(view.level_marks(levels as usize)),
            "time": times.map(|times| json!({ "name": times.name, "places": times.places })),
            "scale": { "referenceDb": scale.reference_db, "rangeDb": scale.range_db },
        })
        .to_string()
    }
}
