//! The shown span as a table.

use std::fmt::Write;

use crate::axis::Span;
use crate::levels::decibels;
use crate::status::Status;
use crate::traces::{Trace, Traces};

/// A line for each bin in the span, a column for each trace. Lines that begin with `#` say what the
/// numbers are; a bin that was lost is left empty.
pub(crate) fn table(status: &Status, traces: &Traces, span: Span) -> String {
    let (axis, descriptor) = (&status.axis, &status.descriptor);
    let unit = status.unit();
    let columns: Vec<_> = Trace::ALL
        .into_iter()
        .filter_map(|trace| Some((trace, traces.powers(trace)?)))
        .collect();
    let mut out = String::new();
    let _ = writeln!(
        out,
        "# sample rate {} Hz, N = {} {}, window {} (ENBW {:.4} bins), {} samples overlap",
        axis.rate_hz(),
        axis.n,
        descriptor.domain.name(),
        descriptor.window,
        descriptor.enbw_bins,
        descriptor.overlap,
    );
    let _ = writeln!(
        out,
        "# {} of {} blocks, record {}, {} records held; engine {}, board {}, firmware {}",
        descriptor.detector.name(),
        status.head.blocks,
        status.head.record,
        traces.hold.records,
        status.head.engine.name(),
        descriptor.board,
        descriptor.firmware,
    );
    let _ = write!(out, "bin,frequency_hz");
    for (trace, _) in &columns {
        let _ = write!(out, ",{}_{unit}", trace.name().replace('-', "_"));
    }
    out.push('\n');
    for index in 0..axis.bins {
        let hz = axis.hz(index as f64);
        if !(span.from_hz..=span.to_hz).contains(&hz) {
            continue;
        }
        let _ = write!(out, "{},{hz}", axis.first_bin + index as i64);
        for (_, powers) in &columns {
            let _ = match powers.get(index) {
                Some(power) if !power.is_nan() => write!(out, ",{:.4}", decibels(*power)),
                _ => write!(out, ","),
            };
        }
        out.push('\n');
    }
    out
}
