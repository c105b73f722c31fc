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
use table::{Table, figure, fill, percent};
use v3d_sim::{Board, Constants};

/// Everything that is reported.
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
        let constants = self.constants;
        let mut values = vec![
            ("verdict", self.verdict()),
            ("outside", self.list_outside()),
            ("means", self.means().to_string()),
            ("direct_launch_us", figure(constants.direct_launch_us)),
            ("mailbox_launch_us", figure(constants.mailbox_launch_us)),
            ("programs", programs::timed().to_string()),
            ("products", programs::products().to_string()),
            ("other constants", self.other_constants()),
            ("descents", constants::found(constants).to_string()),
            ("rates", constants::rates(constants).to_string()),
            ("order", format!("{:?}", constants.launch_order)),
            (
                "replacement",
                format!("{:?}", constants.system_l2_replacement),
            ),
            ("constants", constants::all(constants).to_string()),
            ("boards", boards().to_string()),
        ];
        let section = |section: Section| (section.title(), self.section(section).to_string());
        values.extend(Section::ALL.map(section));
        fill(include_str!("report.md"), &values)
    }

    /// Rows outside their bands, as a paragraph; nothing where there are none.
    fn list_outside(&self) -> String {
        let line = |row: &Row| {
            format!(
                "* {}: {} {}, published {} (band {})\n",
                row.what,
                row.simulated.map_or_else(String::new, figure),
                row.unit,
                figure(row.published),
                row.band.text(row.unit)
            )
        };
        let lines: String = self.outside().map(line).collect();
        match lines.as_str() {
            "" => lines,
            _ => format!("Outside their bands:\n\n{lines}\n"),
        }
    }

    fn means(&self) -> Table {
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
        table
    }

    fn section(&self, section: Section) -> Table {
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
        for row in self.rows.iter().filter(|row| row.section == section) {
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
        table
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

    /// The section of other constants; nothing where they were not run.
    fn other_constants(&self) -> String {
        if self.variants.is_empty() {
            return String::new();
        }
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
        let line =
            |(variant, _): &(Variant, _)| format!("* **{}**: {}.\n", variant.name, variant.why);
        let values = [
            ("largest", LARGEST.to_string()),
            (
                "fitted",
                FITTING_LENGTHS.map(|log2n| log2n.to_string()).join(", "),
            ),
            ("list", self.variants.iter().map(line).collect()),
            ("variants", table.to_string()),
        ];
        fill(include_str!("variants.md"), &values)
    }
}

fn boards() -> Table {
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
    table
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_of_the_template_has_a_value() {
        let constants = Constants::recommended();
        let rows = crate::rows::rows(None, &constants);
        let report = Report {
            rows: &rows,
            aggregates: &crate::rows::aggregates(&rows),
            variants: &[],
            constants: &constants,
            recorded: &Recorded::last(),
        };
        assert!(!report.markdown().contains(['{', '}']));
    }
}
