//! The report: `docs/performance.md`, the same on the terminal, JSON and CSV.
//!
//! It holds nothing that differs from run to run: equal programs and constants give equal files.

mod tables;
mod variants;

use crate::case::{Case, Kind, SEGMENTS};
use crate::row::{Met, Row, geometric_mean};
use crate::side::Side;
use crate::target;
use crate::variants::Tried;
use anyhow::{Context, Result};
use fidelity::report::table::{Table, figure};
use qpu::fft::Direction;
use qpu::fft::roofline::{Level, Roofline};
use serde_json::json;
use std::fmt::Write;
use tables::{compared, decimals, share, side, time, walls};
use v3d_sim::{Board, Constants};

/// Certainty of the figures, until the bench itself computes a range.
const HOW_SURE: &str = "\
**How sure the ratios are.** The geometric mean above is the point estimate of the documented\n\
constants, on which plans and schedules were tuned. A review at commit 628cdeb drew 32 constants of\n\
the cycle model at once, over wide ranges. It kept the 290 of 4,058 draws under which GPU_FFT 3.0\n\
stays within 15 % of its published times at 2^8, 2^10, 2^12, 2^14 and 2^16, and another author's\n\
matrix product stays near its own. Among these draws the documented constants are at the 95th\n\
percentile. Over all models that published figures allow, the mean is **about 2.8 times GPU_FFT,\n\
with a 90 % interval of 2.4 to 3.2**. 2^13 and 2^14 are the least sure (2.01 and 2.15, within 1.61\n\
to 2.34 and 1.50 to 2.63). 2^19 to 2^22 and batches were not drawn.\n\n\
**Code caches.** Below 2^12 half of the ratio is code that stays in the instruction caches.\n\
GPU_FFT's driver clears them at each launch, and ours does not.\n\
At 2^8, 2^9, 2^10, 2^11 and 2^12 the ratios of the documented constants are 2.18 2.43 2.36 2.67 3.10.\n\
When neither side clears the caches, they are 1.60 1.80 1.92 2.56 2.94.\n\
When both sides do, they are 1.29 1.64 1.54 1.96 2.68; these apply to a program that alternates \
lengths or kinds.";

/// Everything that is told.
pub struct Report<'a> {
    /// One for each case.
    pub rows: &'a [Row],
    /// Rates of memory.
    pub roofline: &'a Roofline,
    /// The constants of all runs.
    pub constants: &'a Constants,
    /// The runs with other constants; may be empty.
    pub tried: &'a [Tried],
    /// The source of the peer's figures, as a sentence.
    pub peer: &'a str,
    /// The command that made it.
    pub command: &'a str,
}

impl Report<'_> {
    /// One JSON object: every row, with what V3D did besides.
    ///
    /// # Errors
    /// When a figure is no number that JSON has.
    pub fn json(&self) -> Result<String> {
        let rows: Result<Vec<_>, serde_json::Error> = self
            .rows
            .iter()
            .map(|row| {
                let mut value = serde_json::to_value(row.figures())?;
                let work = |side: &Option<Side>| json!(side.as_ref().map(|side| &side.work));
                value["work"] = work(&row.ours);
                value["peer_work"] = work(&row.peer);
                Ok(value)
            })
            .collect();
        let rates = [Level::SystemL2, Level::Sdram].map(
            |level| json!({ "level": level.name(), "mb_per_s": megabytes_per_second(self.roofline.rate(level)) }),
        );
        Ok(serde_json::to_string_pretty(&json!({
            "rows": rows?,
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
        for row in self.rows {
            writer.serialize(row.figures())?;
        }
        let bytes = writer.into_inner().context("writing CSV")?;
        Ok(String::from_utf8(bytes)?)
    }

    /// The geometric mean over the inverse complex transforms, because the peer runs only those.
    fn geometric_mean(&self) -> Option<f64> {
        geometric_mean(self.of(Direction::Inverse), Row::ratio)
    }

    /// Complex transforms.
    fn of(&self, direction: Direction) -> impl Iterator<Item = &Row> {
        self.of_kind(Kind::Complex, direction)
    }

    fn of_kind(&self, kind: Kind, direction: Direction) -> impl Iterator<Item = &Row> {
        let wanted = move |case: &Case| (case.kind, case.direction) == (kind, direction);
        self.rows.iter().filter(move |row| wanted(&row.case))
    }

    /// A line for the end of a terminal's output.
    #[must_use]
    pub fn verdict(&self) -> String {
        let absent = self.rows.iter().filter(|row| row.ours.is_none()).count();
        let ceilings = geometric_mean(self.of(Direction::Inverse), Row::ceiling);
        let mean = self.geometric_mean().zip(ceilings).map_or_else(
            || "not known".to_owned(),
            |(mean, ceilings)| {
                let wanted = target::GEOMETRIC_MEAN;
                format!("{mean:.2} (wanted {wanted}; of the ceilings {ceilings:.2})")
            },
        );
        let mut verdict = format!(
            "met: speed {}, share of the floor {}, passes {}, errors {}; geometric mean of the ratios {mean}; \
             {absent} of {} transforms are not planned",
            count(self.rows, Row::ratio_met),
            count(self.rows, Row::share_met),
            count(self.rows, Row::passes_met),
            count(self.rows, Row::errors_met),
            self.rows.len()
        );
        let allocating: Vec<Row> = self.rows.iter().filter_map(Row::allocating).collect();
        if let Some(mean) = geometric_mean(&allocating, Row::ratio) {
            let speed = count(&allocating, Row::ratio_met);
            write!(
                verdict,
                "; of the inverse ones with every read through 0x4, speed {speed}, mean {mean:.2}"
            )
            .expect("strings take everything");
        }
        verdict
    }

    /// The document.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        self.head(&mut out);
        let mut batches: Vec<u32> = self.rows.iter().map(|row| row.case.batch).collect();
        batches.sort_unstable();
        batches.dedup();
        for direction in [Direction::Inverse, Direction::Forward] {
            for batch in &batches {
                self.section(direction, *batch, &mut out);
            }
        }
        for kind in Kind::ALL.into_iter().filter(|kind| *kind != Kind::Complex) {
            for direction in [Direction::Forward, Direction::Inverse] {
                self.section_of_kind(kind, direction, &mut out);
            }
        }
        self.missed(&mut out);
        self.bounds(&mut out);
        variants::write(self.rows, self.tried, &mut out);
        out
    }

    fn head(&self, out: &mut String) {
        let _ = writeln!(
            out,
            "# The FFT on the QPUs beside GPU_FFT\n\n\
             This page is written by `{}` and not edited by hand.\n\
             Every figure is simulated (v3d-sim, board pi1, V3D at 250 MHz); nothing here was run on a board.\n\
             [fidelity.md](fidelity.md) compares the simulator with published hardware figures.\n\n{}\n\n\
             * Times are from the first request to the end of the last program, for the whole batch, without the \
             ARM's share.\n  \
             **cold** is the first launch after the start; all other figures are of the second.\n  \
             Each side clears the caches that its own driver clears.\n\
             * **floor** is the larger of two times: 16 N bytes a pass at the rates below (one pass up to 2^8, \
             two up to 2^16, three above), and 5 N log2 N operations at 24 GFLOPS.\n  \
             **share** is the floor divided by our time, and **ceiling** is GPU_FFT's time divided by the floor.\n\
             * **target** is the ratio asked for, or 0.8 of the ceiling where that is less.\n\
             * Plans read input, scratch memory and tables through bus alias 0x8 wherever that is faster.\n  \
             This alias sees the system L2 and allocates nothing in it, according to Broadcom's chip header.\n  \
             The manual of BCM2835's peripherals exchanges the names of 0x4 and 0x8, and no published time \
             decides between them.\n  \
             **us by 0x4** is the same plan with every read through 0x4, which is how GPU_FFT reads.\n\
             * GFLOPS count 5 N log2 N operations, and half as many for real points.\n  \
             GB/s count input and output once, and the bytes written and read between passes.\n  \
             **slots** are instructions divided by the instructions that twelve QPUs could issue.\n\
             * Kinds that GPU_FFT does not have come after its own.\n  \
             Their floor counts the bytes of input and output as they are, and for real points half the complex \
             bytes between passes.\n  \
             They have one target: spectra of 2^12 samples take less time than GPU_FFT's complex transform.\n  \
             GPU_FFT's times beside them are of complex points.\n\
             * **wall** times are those that the firmware measures around a transform, with cache clears, \
             launches and polling, on the virtual Pi unless another port was named.\n\
             * **ppm** are relative rms errors compared with f64: with the stimulus of hello_fft, and with \
             uniform random numbers.\n\n{}.\n\n{HOW_SURE}\n",
            self.command,
            self.peer,
            self.verdict()
        );
        let mut table = Table::new(&["memory, as many bytes read as written", "MB/s together"]);
        for level in [Level::SystemL2, Level::Sdram] {
            let rate = megabytes_per_second(self.roofline.rate(level));
            table.row(vec![level.name().into(), figure(rate.round())]);
        }
        table.write(out);
    }

    fn section(&self, direction: Direction, batch: u32, out: &mut String) {
        let rows: Vec<&Row> = self
            .of(direction)
            .filter(|row| row.case.batch == batch)
            .collect();
        let Some(first) = rows.first() else {
            return;
        };
        let _ = writeln!(
            out,
            "## {} transforms, batch {batch}\n",
            capital(first.case.direction_name())
        );
        compared(&rows, out);
        side("qpuscope", &rows, |row| row.ours.as_ref(), out);
        walls(&rows, out);
        // The peer's forward transform is its inverse one with other signs in a table.
        if direction == Direction::Inverse {
            side("GPU_FFT 3.0", &rows, |row| row.peer.as_ref(), out);
        }
    }

    /// Ours, of a kind that the peer does not have.
    fn section_of_kind(&self, kind: Kind, direction: Direction, out: &mut String) {
        let rows: Vec<&Row> = self.of_kind(kind, direction).collect();
        let Some(first) = rows.first() else {
            return;
        };
        let (name, title) = (capital(first.case.direction_name()), kind.title());
        let _ = writeln!(out, "## {name}: {title}\n");
        if kind == Kind::Spectrum {
            let _ = writeln!(
                out,
                "The mean power of {SEGMENTS} segments of N samples in a Hann window, which overlap by half; times \
                 are those of all segments.\n\
                 **GPU_FFT** is its complex transform of N points, alone and without window, powers and means.\n\
                 **ppm** are of powers.\n"
            );
        }
        let mut head = vec![
            "log2 N",
            "us",
            "GPU_FFT us",
            "memory us",
            "arithmetic us",
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
            let figures = row.figures();
            let peer = self.of(Direction::Inverse).find(|peer| {
                (peer.case.log2n, peer.case.batch) == (row.case.log2n, row.case.batch)
            });
            let mut cells = vec![
                row.case.log2n.to_string(),
                time(figures.us),
                time(peer.and_then(|peer| peer.figures().peer_us)),
                time(Some(figures.memory_us)),
                time(Some(figures.arithmetic_us)),
                decimals(figures.share),
                decimals(figures.ppm),
                decimals(figures.random_ppm),
            ];
            if let Some(segments) = segments {
                cells.insert(2, time(figures.us.map(|us| us / segments)));
            }
            table.row(cells);
        }
        table.write(out);
        side("qpuscope", &rows, |row| row.ours.as_ref(), out);
    }

    fn missed(&self, out: &mut String) {
        let missed: Vec<String> = self
            .rows
            .iter()
            .filter(|row| !row.missed().is_empty())
            .map(|row| format!("* {}: {}", row.case.name(), row.missed().join("; ")))
            .collect();
        if missed.is_empty() {
            return;
        }
        let missed = missed.join("\n");
        let _ = writeln!(
            out,
            "## Below target\n\n[below-target.md](below-target.md) says what bounds them.\n\n{missed}\n"
        );
    }

    /// Writes the table of what each transform of ours spends its time on.
    fn bounds(&self, out: &mut String) {
        let rows: Vec<&Row> = self
            .of(Direction::Inverse)
            .filter(|row| row.ours.is_some())
            .collect();
        if rows.is_empty() {
            return;
        }
        out.push_str(
            "## What bounds them\n\nInverse transforms of qpuscope.\n\
             Stores and lookups are the shares of the time for which the store engine and the six TMUs have work \
             at their best rates.\n\
             **busy** is the part of the time of twelve QPUs in which they have programs, and waits are parts of \
             that.\n\n",
        );
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
        for row in rows {
            let Some(ours) = &row.ours else { continue };
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
        table.write(out);
    }
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

/// The number of rows that meet their target, of those that have one.
fn count(rows: &[Row], is_met: fn(&Row) -> Met) -> String {
    let with = |met| rows.iter().filter(|row| is_met(row) == Some(met)).count();
    format!("{} of {}", with(true), with(true) + with(false))
}

#[cfg(test)]
mod tests {
    use super::HOW_SURE;

    /// The document is written by hand where no run of the bench has written it since.
    #[test]
    fn the_documents_say_how_sure_the_ratios_are() {
        let document = include_str!("../../../docs/performance.md");
        assert!(document.contains(HOW_SURE));
        let readme = include_str!("../../../README.md");
        for text in [HOW_SURE, readme] {
            assert!(
                text.contains("about 2.8 times") && text.contains("2.4 to 3.2"),
                "{text}"
            );
        }
    }
}
