//! The report: `docs/fidelity.md`, the same on the terminal, or JSON.
//!
//! It holds nothing that differs from run to run: equal programs and constants give an equal file.

mod constants;
pub mod programs;
pub mod table;

use crate::published::FITTING_LENGTHS;
use crate::recorded::Recorded;
use crate::row::{Row, Section, mean_absolute_error};
use crate::variants::{LARGEST, Variant};
use std::fmt::Write;
use table::{Table, figure, percent};
use v3d_sim::{Board, Constants};

/// All that is told.
pub struct Report<'a> {
    /// One for each published figure.
    pub rows: &'a [Row],
    /// Mean errors.
    pub aggregates: &'a [Row],
    /// Run times with other constants; empty where they were not run.
    pub variants: &'a [(Variant, Vec<Row>)],
    /// The constants that `rows` were run with.
    pub constants: &'a Constants,
    /// The figures beside rows that were not run.
    pub recorded: &'a Recorded,
}

impl Report<'_> {
    fn all_rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().chain(self.aggregates)
    }

    /// Rows outside their bands.
    pub fn outside(&self) -> impl Iterator<Item = &Row> {
        self.all_rows().filter(|row| row.in_band() == Some(false))
    }

    /// True if every row was run.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.rows.iter().all(|row| row.simulated.is_some())
    }

    /// One JSON object: every row, and which were fitted.
    ///
    /// # Errors
    /// When a figure is no number that JSON has.
    pub fn json(&self) -> serde_json::Result<String> {
        let rows: Vec<_> = self.all_rows().map(Row::json).collect();
        serde_json::to_string_pretty(&serde_json::json!({ "rows": rows }))
    }

    /// A line for the end of a terminal's output.
    #[must_use]
    pub fn verdict(&self) -> String {
        let count = |verdict| {
            self.all_rows()
                .filter(|row| row.in_band() == verdict)
                .count()
        };
        let not_run = self
            .all_rows()
            .filter(|row| row.simulated.is_none())
            .count();
        format!(
            "{} rows in their bands, {} outside, {} without a band, {not_run} not run",
            count(Some(true)),
            count(Some(false)),
            count(None) - not_run,
        )
    }

    /// The document.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        self.head(&mut out);
        for section in Section::ALL {
            self.section(section, &mut out);
        }
        programs::write(&mut out);
        self.variants(&mut out);
        constants::found(self.constants, &mut out);
        constants::rates(self.constants, &mut out);
        constants::all(self.constants, &mut out);
        boards(&mut out);
        out
    }

    fn head(&self, out: &mut String) {
        out.push_str(
            "# The simulator against published hardware figures\n\n\
             This page is written by `cargo xtask fidelity` and not edited by hand.\n\
             Every published figure of a real board that was found has a row, or is under \"Whole programs of \
             others\", beside the result of v3d-sim for the same program.\n\
             Nothing here was run on a board.\n\n\
             * **error** is simulated / published - 1, and **band** is the greatest error allowed.\n  \
             A row without a band is only reported, because too little is known about its measurement.\n\
             * **fit** marks rows to which constants were fitted, or from which they were set.\n  \
             The other rows were not fitted, but they were known when the recommended constants were chosen \
             (\"How the constants were found\").\n  \
             Columns further down have the results of the fitting rows alone.\n\
             * Run times and counters of GPU_FFT come from its own shaders, from the checkout of \
             raspberrypi/userland that `QPUSCOPE_USERLAND` names.\n  \
             A published time has two digits: it may be off by 5 %.\n\n",
        );
        let _ = writeln!(out, "{}.\n", self.verdict());
        if self.outside().next().is_some() {
            out.push_str("Outside their bands:\n\n");
            for row in self.outside() {
                let _ = writeln!(
                    out,
                    "* {}: {} {}, published {} (band {})",
                    row.what,
                    row.simulated.map_or_else(String::new, figure),
                    row.unit,
                    figure(row.published),
                    row.band.text(row.unit)
                );
            }
            out.push('\n');
        }
        self.launches(out);
    }

    fn launches(&self, out: &mut String) {
        let mut table = Table::new(&[
            "mean absolute error of run times",
            "simulated",
            "band",
            "in?",
        ]);
        for row in self.aggregates {
            table.row(vec![
                row.what.replace("mean absolute error of ", ""),
                row.simulated
                    .map_or_else(not_run, |error| format!("{error:.1} %")),
                row.band.text(row.unit),
                verdict(row),
            ]);
        }
        table.write(out);
        let _ = writeln!(
            out,
            "A run time is V3D's time plus the host's share of the call: {} us when the ARM writes V3D's \
             registers and polls (batches of up to 20,480 points), {} us by mailbox.\n",
            figure(self.constants.direct_launch_us),
            figure(self.constants.mailbox_launch_us),
        );
    }

    fn section(&self, section: Section, out: &mut String) {
        let rows: Vec<&Row> = self
            .rows
            .iter()
            .filter(|row| row.section == section)
            .collect();
        let _ = writeln!(out, "## {}\n", section.title());
        if let Some(note) = note(section) {
            let _ = writeln!(out, "{note}\n");
        }
        let mut table = Table::new(&[
            "what",
            "board",
            "published",
            "simulated",
            "error",
            "band",
            "in?",
            "fit",
            "source",
        ]);
        for row in &rows {
            table.row(vec![
                row.what.clone(),
                row.board.name().into(),
                with_unit(row.published, row.unit),
                self.simulated(row),
                error(row),
                row.band.text(row.unit),
                verdict(row),
                if row.fitted { "fit" } else { "" }.into(),
                row.source.into(),
            ]);
        }
        table.write(out);
    }

    fn simulated(&self, row: &Row) -> String {
        match (row.simulated, row.recorded) {
            (Some(simulated), _) => figure(simulated),
            (None, Some(recorded)) => {
                format!("not run ({} on {})", figure(recorded), self.recorded.date)
            }
            (None, None) => not_run(),
        }
    }

    fn variants(&self, out: &mut String) {
        if self.variants.is_empty() {
            return;
        }
        let _ = writeln!(
            out,
            "## Run times with other constants\n\n\
             Errors of the run times up to 2^{LARGEST}, for constants that were considered.\n\
             The fitting set is release 3.0 at batch 1, 2^{}, and the counter table.\n",
            FITTING_LENGTHS.map(|log2n| log2n.to_string()).join(", ")
        );
        for (variant, _) in self.variants {
            let _ = writeln!(out, "* **{}**: {}.", variant.name, variant.why);
        }
        out.push('\n');
        let names = self.variants.iter().map(|(variant, _)| variant.name);
        let mut headings = vec!["what", "published", "recommended"];
        headings.extend(names);
        let mut table = Table::new(&headings);
        let mut columns: Vec<Vec<&Row>> = vec![self.rows.iter().collect()];
        columns.extend(self.variants.iter().map(|(_, rows)| rows.iter().collect()));
        let is_time = |row: &Row| matches!(row.section, Section::Times3 | Section::Times2);
        let is_counter =
            |row: &Row| row.section == Section::Counters && row.band != crate::row::Band::Exact;
        let shown: Vec<usize> = (0..self.rows.len())
            .filter(|i| is_time(&self.rows[*i]) || is_counter(&self.rows[*i]))
            .filter(|i| columns.iter().all(|rows| rows[*i].simulated.is_some()))
            .collect();
        for i in &shown {
            let row = &self.rows[*i];
            let mut cells = vec![row.what.clone(), with_unit(row.published, row.unit)];
            cells.extend(columns.iter().map(|rows| error(rows[*i])));
            table.row(cells);
        }
        let mut means = vec!["mean absolute error of these times".into(), String::new()];
        for rows in &columns {
            let times = shown.iter().map(|i| rows[*i]).filter(|row| is_time(row));
            let mean = mean_absolute_error(times);
            means.push(mean.map_or_else(String::new, |mean| format!("{:.1} %", 100.0 * mean)));
        }
        table.row(means);
        table.write(out);
    }
}

fn boards(out: &mut String) {
    out.push_str("## The boards\n\n");
    let mut table = Table::new(&["preset", "V3D clock", "alias", "known", "assumed"]);
    for board in Board::ALL {
        table.row(vec![
            board.name().into(),
            format!("{} MHz", board.clock_hz() / 1_000_000),
            format!("{:#x}", board.alias() >> 28),
            board.known().into(),
            board.assumed().into(),
        ]);
    }
    table.write(out);
}

/// A note for readers of a section.
fn note(section: Section) -> Option<&'static str> {
    Some(match section {
        Section::Errors => {
            "The author's own test: one tone in each transform, rms error relative to the signal.\n\
             Truncating arithmetic in the order of the shader gives these digits; no other rounding that was \
             tried does."
        }
        Section::Counters => "One inverse transform of 4096 points, release 2.0, eight QPUs.",
        Section::Times3 | Section::Times2 => {
            "Microseconds of one transform.\n\
             2^13 has a band of its own at both batches, 18 % (2.0: 20 %), because no variant of the study came \
             near it.\n\
             With this band for batch 1 alone, batch 10 would have 13 % (15 %), and 3.0's would be outside.\n\
             SDRAM's turnarounds explain a part of the difference; the rest is not explained."
        }
        Section::OtherBoards => {
            "Their clocks and settings are not stated, so they have no band. They show how much boards differ."
        }
        Section::Microbenchmarks => {
            "Small programs of ours that follow the published descriptions.\n\
             Two groups have no band, because the published figures contradict themselves or another figure.\n\
             *2n + 6 and 2n + 10*: eight clocks a row would be 2 GB/s, but 690 MB/s and 1.12 GB/s were the most \
             that was measured, so the rates are kept.\n\
             *Bursts of uniforms*: a burst of 32 crosses a line of the cache and loses nothing, although 64 back \
             to back lose 43 clocks a line; no cost of a line gives both.\n\
             The bursts must have found their uniforms in a cache, which the description does not say; here the \
             uniforms are fresh."
        }
        Section::CounterIdentities => {
            "One straight program on twelve QPUs; published is what the counter was seen to count."
        }
        Section::Instructions => return None,
    })
}

fn error(row: &Row) -> String {
    match row.error() {
        None => String::new(),
        Some(error) if row.published == 0.0 => figure(error),
        Some(error) => percent(error),
    }
}

fn with_unit(value: f64, unit: &str) -> String {
    format!("{} {unit}", figure(value)).trim_end().into()
}

fn not_run() -> String {
    "not run".into()
}

fn verdict(row: &Row) -> String {
    match row.in_band() {
        Some(true) => "in",
        Some(false) => "**OUT**",
        None => "",
    }
    .into()
}
