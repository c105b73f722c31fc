//! Bins in columns of pixels: the greatest or the mean of those that share one.

use std::ops::Range;

use crate::axis::{Axis, Span};

/// The value of bins, and of rows, that share a pixel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Merge {
    /// The greatest: no short or narrow signal is lost.
    #[default]
    Max,
    /// The mean of their powers.
    Mean,
}

impl Merge {
    /// The value of many powers; NaN if all of them were lost.
    pub(crate) fn of(self, powers: impl Iterator<Item = f64>) -> f64 {
        let (mut sum, mut greatest, mut count) = (0.0, f64::NAN, 0.0);
        for power in powers.filter(|power| !power.is_nan()) {
            sum += power;
            count += 1.0;
            // Of a number and NaN the greater is the number.
            greatest = power.max(greatest);
        }
        match self {
            Self::Max => greatest,
            Self::Mean if count > 0.0 => sum / count,
            Self::Mean => f64::NAN,
        }
    }
}

/// The bins of each of `width` columns: at least one, the one in which the column lies. None where
/// there is no bin.
pub(crate) fn columns(axis: &Axis, span: Span, width: usize) -> Vec<Range<usize>> {
    let edge = |column: usize| {
        let hz = span.at(column as f64 / width.max(1) as f64);
        let bin = (axis.index(hz) + 0.5).floor();
        // Far outside is outside.
        bin.clamp(-1.0, axis.bins as f64 + 1.0) as i64
    };
    let bins = axis.bins as i64;
    let mut from = edge(0);
    (0..width)
        .map(|column| {
            let next = edge(column + 1);
            let to = next.max(from + 1);
            let range = from.clamp(0, bins) as usize..to.clamp(0, bins) as usize;
            from = next;
            range
        })
        .collect()
}

/// The points of a trace in a span: pairs of a place from 0 to `width` and a level in dB, which is
/// NaN where bins were lost. A point a column where there are more bins than columns, else a point
/// a bin, and those beside the span.
pub(crate) fn points(
    power: &[f64],
    axis: &Axis,
    span: Span,
    width: usize,
    merge: Merge,
) -> Vec<[f32; 2]> {
    let db = |power: f64| crate::levels::decibels(power) as f32;
    let from = axis.index(span.from_hz).floor().max(0.0) as usize;
    let to = (axis.index(span.to_hz).ceil().max(0.0) as usize).min(power.len().saturating_sub(1));
    if from > to || power.is_empty() || width == 0 {
        return vec![];
    }
    if to - from > width {
        let columns = columns(axis, span, width).into_iter().enumerate();
        return columns
            .filter_map(|(column, range)| {
                let bins = power.get(range).filter(|bins| !bins.is_empty())?;
                let level = db(merge.of(bins.iter().copied()));
                Some([column as f32 + 0.5, level])
            })
            .collect();
    }
    let scale = width as f64 / span.width_hz();
    // A centre so high that its bins are one number has no picture.
    if !scale.is_finite() {
        return vec![];
    }
    (from..=to)
        .map(|bin| {
            let place = (axis.hz(bin as f64) - span.from_hz) * scale;
            [place as f32, db(power[bin])]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(bins: usize) -> Axis {
        Axis {
            first_bin: 0,
            bins,
            n: 2048,
            is_complex: false,
            centre_hz: 0.0,
            rate_over: 2048.0,
            rate_under: 1.0,
        }
    }

    #[test]
    fn every_bin_is_in_one_column() {
        let axis = axis(1025);
        for width in [1, 7, 300, 1024, 1025] {
            let columns = columns(&axis, axis.whole(), width);
            let mut next = 0;
            for range in &columns {
                assert_eq!(range.start, next, "{width}");
                next = range.end;
            }
            assert_eq!((columns.len(), next), (width, 1025), "{width}");
        }
        let wide = columns(&axis, axis.whole(), 4100);
        assert!(wide.iter().all(|range| range.len() == 1));
        let beside = Span {
            from_hz: 2000.0,
            to_hz: 3000.0,
        };
        assert!(columns(&axis, beside, 10).iter().all(Range::is_empty));
    }

    #[test]
    fn a_single_strong_bin_is_seen_in_any_width() {
        let axis = axis(1025);
        let mut power = vec![1e-9; 1025];
        power[700] = 1.0;
        power[10] = f64::NAN;
        for width in [50, 1000, 3000] {
            let points = points(&power, &axis, axis.whole(), width, Merge::Max);
            let [x, db] = points
                .into_iter()
                .max_by(|a, b| a[1].max(-400.0).total_cmp(&b[1].max(-400.0)))
                .expect("points");
            assert_eq!(db, 0.0, "{width}");
            let wanted = 700.5 / 1025.0 * width as f32;
            assert!((x - wanted).abs() <= 1.0, "{width}: {x}");
        }
        let mean = points(&power, &axis, axis.whole(), 50, Merge::Mean);
        let highest = mean.iter().map(|point| point[1]).fold(-400.0, f32::max);
        assert!(
            (highest + 13.0).abs() < 0.3,
            "1 of 20 or 21 bins: {highest}"
        );
    }
}
