//! One picture of all records: frequency to the right, time downwards, level as colour.
//!
//! Records are taken in one by one and kept as rows of at most as many columns as the picture has.
//! When there are more rows than it can show, those of neighbouring times become one, so that a
//! recording of any length takes the same memory.

mod draw;
mod time_axis;

use std::collections::BTreeMap;

use crate::spectrum::Spectrum;
use crate::utc::Utc;

/// The place of a record in time, in microseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// Where its first sample lies.
    pub from_us: i64,
    /// Where the last one ends.
    pub to_us: i64,
}

/// The most rows that are kept: about two for each row of pixels.
const MOST_ROWS: usize = 1200;
/// The most columns, which is what the picture has.
const MOST_COLUMNS: usize = 1070;
/// Records whose distances say what a gap is.
const MOST_DISTANCES: usize = 1000;

/// The level of records and bins that share a pixel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum Merge {
    /// The greatest: no short or narrow signal is lost
    #[default]
    Max,
    /// The mean of their powers
    Mean,
}

impl Merge {
    /// Its name in a sentence.
    const fn name(self) -> &'static str {
        match self {
            Self::Max => "greatest",
            Self::Mean => "mean",
        }
    }

    /// Takes a power that stands for `more` others into one that stands for `count`. One that was
    /// lost changes nothing.
    fn add(self, power: &mut f32, count: f32, other: f32, more: f32) {
        *power = match self {
            _ if power.is_nan() => other,
            _ if other.is_nan() => *power,
            Self::Max => power.max(other),
            Self::Mean => (*power * count + other * more) / (count + more),
        };
    }
}

/// Records of neighbouring times.
#[derive(Clone, Debug)]
struct Row {
    /// The number of them.
    records: u64,
    /// The beginning of the first and of the last.
    from_us: i64,
    last_us: i64,
    /// Linear power of each column; NaN where it was lost.
    power: Vec<f32>,
}

impl Row {
    /// Takes another row in.
    fn merge(&mut self, other: &Self, merge: Merge) {
        let (count, more) = (self.records as f32, other.records as f32);
        for (power, other) in self.power.iter_mut().zip(&other.power) {
            merge.add(power, count, *other, more);
        }
        self.records += other.records;
        self.from_us = self.from_us.min(other.from_us);
        self.last_us = self.last_us.max(other.last_us);
    }
}

/// Records that become one picture.
#[derive(Clone, Debug)]
pub struct Waterfall {
    merge: Merge,
    /// The first record, which names axes and settings.
    first: Spectrum,
    /// The time of day at microsecond 0, where it is known.
    zero: Option<Utc>,
    records: u64,
    /// The width of a row in time; rows that are further apart stand apart.
    slot_us: i64,
    rows: BTreeMap<i64, Row>,
    /// Distances between the first records.
    distances: Vec<i64>,
    /// The time of the last record.
    last: Span,
}

impl Waterfall {
    /// A picture that begins with a record.
    #[must_use]
    pub fn new(first: &Spectrum, span: Span, zero: Option<Utc>, merge: Merge) -> Self {
        let mut waterfall = Self {
            merge,
            first: first.clone(),
            zero,
            records: 0,
            slot_us: 1,
            rows: BTreeMap::new(),
            distances: vec![],
            last: span,
        };
        waterfall.push(first, span);
        waterfall
    }

    /// Takes a record in whose axis and kind are those of the first, and that comes later than the
    /// last.
    pub fn push(&mut self, spectrum: &Spectrum, span: Span) {
        let row = Row {
            records: 1,
            from_us: span.from_us,
            last_us: span.from_us,
            power: self.columns(spectrum),
        };
        if self.records > 0 && self.distances.len() < MOST_DISTANCES {
            self.distances.push(span.from_us - self.last.from_us);
        }
        self.records += 1;
        self.last = span;
        self.put(row);
        while self.rows.len() > MOST_ROWS {
            self.slot_us *= 2;
            for row in std::mem::take(&mut self.rows).into_values() {
                self.put(row);
            }
        }
    }

    fn put(&mut self, row: Row) {
        let slot = row.from_us.div_euclid(self.slot_us);
        match self.rows.get_mut(&slot) {
            Some(present) => present.merge(&row, self.merge),
            None => {
                self.rows.insert(slot, row);
            }
        }
    }

    /// The bins of a record in the columns of a picture.
    fn columns(&self, spectrum: &Spectrum) -> Vec<f32> {
        let bins = spectrum.power.len();
        let columns = bins.min(MOST_COLUMNS);
        (0..columns)
            .map(|column| {
                let (from, to) = (column * bins / columns, (column + 1) * bins / columns);
                let mut all = f32::NAN;
                for (count, power) in spectrum.power[from..to].iter().enumerate() {
                    self.merge.add(&mut all, count as f32, *power as f32, 1.0);
                }
                all
            })
            .collect()
    }

    /// Rows in the order of time.
    fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.values()
    }

    /// The usual distance between records: the median of the first; of a single record its length.
    fn distance_us(&self) -> i64 {
        let mut distances = self.distances.clone();
        distances.sort_unstable();
        let median = distances.get(distances.len() / 2).copied();
        let length = self.last.to_us - self.last.from_us;
        median.unwrap_or(length).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::example;

    fn span(from_us: i64) -> Span {
        Span {
            from_us,
            to_us: from_us + 10,
        }
    }

    #[test]
    fn any_number_of_records_takes_the_same_memory() {
        for merge in [Merge::Max, Merge::Mean] {
            let mut record = example(64, false);
            record.power.fill(1.0);
            let mut waterfall = Waterfall::new(&record, span(0), None, merge);
            for index in 1..10_000 {
                record.power[7] = if index == 5_000 { 100.0 } else { 1.0 };
                waterfall.push(&record, span(index * 1000));
            }
            assert!(waterfall.rows.len() <= MOST_ROWS && waterfall.rows.len() > MOST_ROWS / 4);
            let records: u64 = waterfall.rows().map(|row| row.records).sum();
            assert_eq!((records, waterfall.records), (10_000, 10_000));
            let most = waterfall.rows().map(|row| row.power[7]).fold(0.0, f32::max);
            let merged = waterfall.rows().map(|row| row.records).max();
            let merged = merged.expect("rows") as f32;
            match merge {
                Merge::Max => assert_eq!(most, 100.0),
                Merge::Mean => assert!((most - (1.0 + 99.0 / merged)).abs() < 3.0, "{most}"),
            }
            assert_eq!(waterfall.distance_us(), 1000);
        }
    }

    #[test]
    fn bins_that_share_a_column_are_merged_and_lost_ones_left_out() {
        let mut record = example(8192, false);
        record.power.fill(2.0);
        record.power[0] = f64::NAN;
        record.power[2] = 5.0;
        let waterfall = Waterfall::new(&record, span(0), None, Merge::Max);
        let row = waterfall.rows().next().expect("a row");
        assert_eq!(row.power.len(), MOST_COLUMNS);
        assert_eq!(row.power[..2], [5.0, 2.0]);
        let waterfall = Waterfall::new(&record, span(0), None, Merge::Mean);
        let row = waterfall.rows().next().expect("a row");
        assert_eq!(row.power[1], 2.0);
        assert!(row.power[0] > 2.0 && row.power[0] < 5.0, "{}", row.power[0]);
    }
}
