//! The report: `docs/performance.md`, the same on the terminal, JSON and CSV.
//!
//! Equal figures give equal text.

mod tables;
mod variants;

use crate::case::{Case, Kind, SEGMENTS};
use crate::copy::{Level, Rates};
use crate::row::{Row, geometric_mean};
use crate::side::{Side, microseconds};
use crate::tried::Tried;
use anyhow::{Context, Result};
use fidelity::report::table::{Table, figure, fill};
use qpu_fft::Direction;
use serde_json::{Value, json};
use std::fmt::Write;
use tables::{chosen, compared, decimals, share, side, time, walls};
use v3d_sim::{Board, Constants};

/// Certainty of the figures, until the bench itself computes a range.
const HOW_SURE: &str = include_str!("how_sure.md");

/// Everything that is reported.
pub struct Report<'a> {
    /// One for each case.
    pub rows: &'a [Row],
    /// Rates of memory.
    pub rates: &'a Rates,
    /// The constants of all runs.
    pub constants: &'a Constants,
    /// The runs with other constants; may be empty.
    pub tried: &'a [Tried],
    /// The source of the peer's figures, as a sentence.
    pub peer: &'a str,
    /// The sections of the ARM and of planes.
    pub beside: &'a str,
    /// The command that made it.
    pub command: &'a str,
}

impl Report<'_> {
    /// One JSON object: every row, with what V3D did besides.
    ///
    /// # Errors
    /// When a figure is no number that JSON has.
    pub fn json(&self) -> Result<String> {
        let rows = self.rows.iter().map(|row| {
            let work = |side: &Option<Side>| json!(side.as_ref().map(|side| &side.work));
            let figures = row.figures().into_iter();
            let works = [("work", work(&row.ours)), ("peer_work", work(&row.peer))];
            figures.chain(works).collect::<Value>()
        });
        let rates = Level::ALL.map(
            |level| json!({ "level": level.name(), "mb_per_s": megabytes_per_second(self.rates.of(level)) }),
        );
        Ok(serde_json::to_string_pretty(&json!({
            "rows": rows.collect::<Vec<_>>(),
            "rates": rates,
            "geometric_mean": self.geometric_mean(),
            "peer": self.peer,
        }))?)
    }

    /// A line a row, with a heading.
    ///
    /// # Errors
    /// When a row cannot be written.
    pub fn csv(&self) -> Result<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for (number, row) in self.rows.iter().enumerate() {
            let (names, values): (Vec<_>, Vec<_>) = row.figures().into_iter().unzip();
            if number == 0 {
                writer.write_record(names)?;
            }
            writer.write_record(values.iter().map(|value| match value {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                value => value.to_string(),
            }))?;
        }
        let bytes = writer.into_inner().context("writing CSV")?;
        Ok(String::from_utf8(bytes)?)
    }

    /// The geometric mean over the inverse complex transforms, because the peer runs only those.
    fn geometric_mean(&self) -> Option<f64> {
        geometric_mean(self.of(Direction::Inverse).filter_map(Row::ratio))
    }

    /// Complex transforms.
    fn of(&self, direction: Direction) -> impl Iterator<Item = &Row> {
        self.of_kind(Kind::Complex, direction)
    }

    fn of_kind(&self, kind: Kind, direction: Direction) -> impl Iterator<Item = &Row> {
        let wanted = move |case: &Case| (case.kind, case.direction) == (kind, direction);
        self.rows.iter().filter(move |row| wanted(&row.case))
    }

    /// The mean where all reads go through 0x4.
    fn mean_by_0x4(&self) -> Option<f64> {
        let allocating = self.rows.iter().filter_map(Row::allocating);
        geometric_mean(allocating.filter_map(|row| row.ratio()))
    }

    /// A line for the end of a terminal's output.
    #[must_use]
    pub fn verdict(&self) -> String {
        let absent = self.rows.iter().filter(|row| row.ours.is_none()).count();
        format!(
            "geometric mean of the ratios {}, with every read through 0x4 {}; {absent} of {} transforms are not planned",
            decimals(self.geometric_mean()),
            decimals(self.mean_by_0x4()),
            self.rows.len()
        )
    }

    /// The document.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut rates = Table::new(&["memory, as many bytes read as written", "MB/s together"]);
        for level in Level::ALL {
            let rate = megabytes_per_second(self.rates.of(level));
            rates.row(vec![level.name().into(), figure(rate.round())]);
        }
        let mut batches: Vec<u32> = self.rows.iter().map(|row| row.case.batch).collect();
        batches.sort_unstable();
        batches.dedup();
        let complex = [Direction::Inverse, Direction::Forward]
            .into_iter()
            .flat_map(|direction| batches.iter().map(move |batch| (direction, *batch)));
        let others = Kind::ALL.into_iter().filter(|kind| *kind != Kind::Complex);
        let others = others.flat_map(|kind| {
            [Direction::Forward, Direction::Inverse].map(|direction| (kind, direction))
        });
        let sections: Vec<String> = complex
            .filter_map(|(direction, batch)| self.section(direction, batch))
            .chain(others.filter_map(|(kind, direction)| self.section_of_kind(kind, direction)))
            .chain(self.bounds())
            .chain(variants::section(self.rows, self.tried))
            .collect();
        let values = [
            ("command", self.command.into()),
            ("peer", self.peer.into()),
            ("how sure", HOW_SURE.trim_end().into()),
            ("mean", decimals(self.geometric_mean())),
            ("mean by 0x4", decimals(self.mean_by_0x4())),
            ("table", chosen(&self.singles()).to_string()),
            ("rates", rates.to_string()),
            (
                "beside",
                match self.beside {
                    "" => String::new(),
                    beside => format!("{beside}\n\n"),
                },
            ),
            ("sections", sections.join("\n\n")),
        ];
        fill(include_str!("report.md"), &values)
    }

    /// Inverse complex transforms, one at a time.
    fn singles(&self) -> Vec<&Row> {
        let inverse = self.of(Direction::Inverse);
        inverse.filter(|row| row.case.batch == 1).collect()
    }

    fn section(&self, direction: Direction, batch: u32) -> Option<String> {
        let rows: Vec<&Row> = self
            .of(direction)
            .filter(|row| row.case.batch == batch)
            .collect();
        let name = capital(rows.first()?.case.direction_name());
        // The peer's forward transform is its inverse one with other signs in a table.
        let peer = match direction {
            Direction::Inverse => side("GPU_FFT 3.0", &rows, |row| row.peer.as_ref()),
            Direction::Forward => None,
        };
        let ours = side("qpuscope", &rows, |row| row.ours.as_ref());
        let tables = [Some(compared(&rows)), ours, walls(&rows), peer];
        let title = format!("## {name} transforms, batch {batch}");
        Some(join(title, tables.into_iter().flatten()))
    }

    /// Ours, of a kind that the peer does not have.
    fn section_of_kind(&self, kind: Kind, direction: Direction) -> Option<String> {
        let rows: Vec<&Row> = self.of_kind(kind, direction).collect();
        let name = capital(rows.first()?.case.direction_name());
        let mut title = format!("## {name}: {}", kind.title());
        if kind == Kind::Spectrum {
            let _ = write!(
                title,
                "\n\nThe mean power of {SEGMENTS} segments of N samples in a Hann window, which overlap by half; \
                 times are those of all segments.\n\
                 **GPU_FFT** is its complex transform of N points, alone and without window, powers and means.\n\
                 **ppm** are of powers."
            );
        }
        let mut head = vec![
            "log2 N",
            "us",
            "GPU_FFT us",
            "bound us",
            "share",
            "ppm",
            "random ppm",
        ];
        let segments = (kind == Kind::Spectrum).then_some(f64::from(SEGMENTS));
        if segments.is_some() {
            head.insert(2, "us a segment");
        }
        let mut table = Table::new(&head);
        for row in &rows {
            let ours = row.ours.as_ref();
            let us = ours.map(Side::us);
            let peer = self.of(Direction::Inverse).find(|peer| {
                (peer.case.log2n, peer.case.batch) == (row.case.log2n, row.case.batch)
            });
            let mut cells = vec![
                row.case.log2n.to_string(),
                time(us),
                time(peer.and_then(|peer| Some(peer.peer.as_ref()?.us()))),
                time(Some(microseconds(row.bound.clocks()))),
                decimals(row.share()),
                decimals(ours.map(|side| side.hello_ppm)),
                decimals(ours.map(|side| side.random_ppm)),
            ];
            if let Some(segments) = segments {
                cells.insert(2, time(us.map(|us| us / segments)));
            }
            table.row(cells);
        }
        let ours = side("qpuscope", &rows, |row| row.ours.as_ref());
        Some(join(title, [table].into_iter().chain(ours)))
    }

    /// The section with what each transform of ours spends its time on.
    fn bounds(&self) -> Option<String> {
        let rows = self.of(Direction::Inverse);
        let rows: Vec<(&Row, &Side)> = rows
            .filter_map(|row| Some((row, row.ours.as_ref()?)))
            .collect();
        if rows.is_empty() {
            return None;
        }
        let mut table = Table::new(&[
            "log2 N",
            "batch",
            "stores",
            "bytes a store",
            "lookups",
            "lines",
            "L2C hits",
            "busy",
            "executing",
            "waits",
        ]);
        for (row, ours) in rows {
            let work = &ours.work;
            let cycles = ours.cycles as f64;
            let lines = work.stored_bytes as f64 / 64.0;
            let Constants {
                vdw_start,
                vdw_row,
                tmu_lookup,
                ..
            } = self.constants;
            let stores = (vdw_start * work.stores as f64 + vdw_row * lines) / cycles;
            let lookups = tmu_lookup * work.tmu_lookups as f64 / (6.0 * cycles);
            let active = work.active.max(1) as f64;
            let mut stall: Vec<(&String, &u64)> = work.stall.iter().collect();
            stall.sort_by_key(|(_, clocks)| std::cmp::Reverse(**clocks));
            let waits = stall
                .iter()
                .take(4)
                .map(|(cause, clocks)| format!("{cause} {}", share(**clocks as f64 / active)));
            table.row(vec![
                row.case.log2n.to_string(),
                row.case.batch.to_string(),
                share(stores),
                figure((work.stored_bytes as f64 / work.stores.max(1) as f64).round()),
                share(lookups),
                figure(work.tmu_misses as f64),
                figure(work.l2c.0 as f64),
                share(work.active as f64 / (12.0 * cycles)),
                share(4.0 * ours.instructions as f64 / active),
                waits.collect::<Vec<_>>().join(", "),
            ]);
        }
        Some(fill(
            include_str!("bounds.md").trim_end(),
            &[("table", table.to_string())],
        ))
    }
}

/// A section: its title, and tables.
fn join(title: String, tables: impl Iterator<Item = Table>) -> String {
    let parts: Vec<String> = std::iter::once(title)
        .chain(tables.map(|table| table.to_string()))
        .collect();
    parts.join("\n\n")
}

/// MB/s from bytes a clock.
fn megabytes_per_second(rate: f64) -> f64 {
    rate * f64::from(Board::Pi1.clock_hz()) / 1e6
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::HOW_SURE;

    #[test]
    fn all_texts_say_the_same_range() {
        let report = include_str!("report.md");
        let readme = include_str!("../../../../README.md");
        for text in [report, HOW_SURE, readme] {
            assert!(
                text.contains("about 2.8 times") && text.contains("2.4 to 3.2"),
                "{text}"
            );
        }
    }
}
