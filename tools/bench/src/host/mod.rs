//! `qpuscope read` on a recording, beside NumPy reading the same bytes.
//!
//! `cargo xtask bench --host` makes a recording of 10,000 spectra of 2,049 bins ([`recording`]),
//! and has `qpuscope read` write it in each format. Beside it a script of forty lines ([`PEER`])
//! does in Python and NumPy what a user without this tool would write: it splits the bytes,
//! undoes COBS, checks every checksum, and writes the levels by `numpy.save`, `numpy.savetxt` or
//! `json.dumps`. It finds no lines and draws no picture, so these have no peer but its reading.
//!
//! Figures are CPU seconds of whole processes, user and system, the least of some runs: other
//! work on the computer lengthens them less than wall times. Only their ratios are worth quoting.

pub mod child;
pub mod recording;

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use fidelity::report::table::Table;
use fidelity::repository::root;

/// The script that NumPy's side runs: the recording, and what to write.
const PEER: &str = include_str!("peer.py");

/// Runs of each; the least counts.
const RUNS: u32 = 2;

/// A format of `qpuscope read`, and what the script has that is like it.
const FORMATS: [(&str, Option<&str>); 9] = [
    ("none", Some("none")),
    ("table", None),
    ("csv", Some("csv")),
    ("json", Some("json")),
    ("npy", Some("npy")),
    ("rtl_power", None),
    ("sdrff", None),
    ("png", None),
    ("svg", None),
];

/// The times of a format.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HostRow {
    /// Its name.
    pub format: &'static str,
    /// CPU seconds of `qpuscope read`.
    pub ours: f64,
    /// CPU seconds of NumPy, for what is like it.
    pub numpy: Option<f64>,
}

/// The programs and files of a run.
#[derive(Clone, Copy, Debug)]
pub struct HostBench<'a> {
    /// `qpuscope`, optimized.
    pub tool: &'a Path,
    /// A Python that has NumPy; none where there is none.
    pub python: Option<&'a str>,
    /// The recording.
    pub file: &'a Path,
    /// A folder for what is written.
    pub out: &'a Path,
}

impl HostBench<'_> {
    /// Times every format. `progress` is told what is done.
    ///
    /// # Errors
    /// When a program cannot be started, or fails.
    pub fn time_all(&self, progress: &dyn Fn(&str)) -> Result<Vec<HostRow>> {
        let rows = FORMATS.iter().map(|&(format, peer)| {
            let (mut ours, mut numpy) = (f64::INFINITY, None::<f64>);
            for _ in 0..RUNS {
                ours = ours.min(child::cpu_seconds(&mut self.ours(format))?);
                if let (Some(python), Some(peer)) = (self.python, peer) {
                    let seconds = child::cpu_seconds(&mut self.numpy(python, peer))?;
                    numpy = Some(numpy.map_or(seconds, |least| least.min(seconds)));
                }
            }
            progress(format);
            Ok(HostRow {
                format,
                ours,
                numpy,
            })
        });
        rows.collect()
    }

    fn ours(&self, format: &str) -> Command {
        let mut command = Command::new(self.tool);
        command.arg("read").arg(self.file);
        command.args(["--quiet", "--format", format, "--out"]);
        command.arg(self.out);
        command
    }

    fn numpy(&self, python: &str, what: &str) -> Command {
        let mut command = Command::new(python);
        command.args(["-c", PEER]).arg(self.file).arg(what);
        command.arg(self.out.join("peer"));
        command
    }
}

/// Makes the recording, times everything, and returns the table. The optimized `qpuscope` lies
/// beside this program, where `cargo xtask bench --host` builds it.
///
/// # Errors
/// When files cannot be written, or a program fails.
pub fn run(python: &str, progress: &dyn Fn(&str)) -> Result<Table> {
    let tool = std::env::current_exe()?.with_file_name("qpuscope");
    let out = root().join("target/bench/host");
    let file = out.join("recording.bin");
    std::fs::create_dir_all(&out)
        .with_context(|| format!("cannot make the folder {}", out.display()))?;
    let created = File::create(&file)
        .and_then(|created| recording::write(&mut BufWriter::new(created), recording::RECORDS));
    created.with_context(|| format!("cannot write {}", file.display()))?;
    let python = Some(python).filter(|python| has_numpy(python));
    if python.is_none() {
        progress("nothing of NumPy, which is not there: name a Python that has it with --python");
    }
    let bench = HostBench {
        tool: &tool,
        python,
        file: &file,
        out: &out,
    };
    let bytes = std::fs::metadata(&file)?.len();
    let rows = bench.time_all(progress);
    // They are some 400 MB.
    let _ = std::fs::remove_dir_all(&out);
    Ok(table(&rows?, bytes))
}

/// Returns whether a Python is there and has NumPy.
fn has_numpy(python: &str) -> bool {
    let mut command = Command::new(python);
    command.args(["-c", "import numpy"]);
    child::cpu_seconds(&mut command).is_ok()
}

/// The table of a run on a recording of so many bytes.
#[must_use]
pub fn table(rows: &[HostRow], bytes: u64) -> Table {
    let mut table = Table::new(&[
        "format",
        "CPU s",
        "MB a CPU s",
        "times `none`",
        "NumPy CPU s",
        "NumPy / qpuscope",
    ]);
    let none = rows.first().map_or(f64::NAN, |row| row.ours);
    for row in rows {
        let dash = || "-".to_owned();
        table.row(vec![
            format!("`{}`", row.format),
            format!("{:.2}", row.ours),
            format!("{:.0}", bytes as f64 / 1e6 / row.ours),
            format!("{:.1}", row.ours / none),
            row.numpy.map_or_else(dash, |numpy| format!("{numpy:.2}")),
            row.numpy
                .map_or_else(dash, |numpy| format!("{:.1}", numpy / row.ours)),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_ratios_to_reading_alone_and_to_numpy() {
        let row = |format, ours, numpy| HostRow {
            format,
            ours,
            numpy,
        };
        let rows = [row("none", 0.5, Some(2.0)), row("table", 2.0, None)];
        let text = table(&rows, 40_000_000).to_string();
        let cells: Vec<Vec<&str>> = text
            .lines()
            .skip(2)
            .map(|line| line.split('|').map(str::trim).collect())
            .collect();
        assert_eq!(
            cells,
            [
                ["", "`none`", "0.50", "80", "1.0", "2.00", "4.0", ""],
                ["", "`table`", "2.00", "20", "4.0", "-", "-", ""],
            ]
        );
    }
}
