//! Spectra as CSV, JSON, tables and pictures, and as other programs read them.
//!
//! Each format is a file that implements the traits of `sink.rs`, and a row of [`FORMATS`]. From
//! this list the options of commands, their help and the names of result files follow. [`series`]
//! takes records to files.

mod csv;
mod csv_headings;
mod decimals;
mod json_line;
mod nothing;
mod npy;
mod options;
mod picture;
mod place;
mod rtl_power;
mod sdrff;
pub mod series;
mod settings;
mod sigmf;
mod sink;
mod table;
mod times;

use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

pub use json_line::JsonLinesFormat;
pub use options::{SigmfRecording, SinkOptions};
pub use place::SinkPlace;
pub use settings::settings;
pub use sink::{AnyFormat, EncodeRecord, ShownLines, SinkRecord, SpectrumFormat, SpectrumSink};
pub use table::tables;
pub use times::{Clock, Times};

/// All formats, in the order in which help lists them.
pub static FORMATS: &[AnyFormat] = &[
    &table::TableFormat,
    &picture::PNG,
    &picture::SVG,
    &csv::CsvFormat,
    &JsonLinesFormat,
    &rtl_power::RtlPowerFormat,
    &sdrff::SdrffFormat,
    &npy::NpyFormat,
    &sigmf::SigmfFormat,
    &nothing::NoFormat,
];

/// The parser of `--format` for a command, which has the formats of which `help` says something.
pub fn format_parser(
    help: fn(AnyFormat) -> Option<&'static str>,
) -> impl TypedValueParser<Value = AnyFormat> {
    let values = FORMATS.iter().filter_map(|format| {
        let value = PossibleValue::new(format.name()).help(help(*format)?);
        Some(value.aliases(format.alias()))
    });
    PossibleValuesParser::new(values).try_map(|name| find(&name).ok_or("no format is called so"))
}

/// The format of a name.
fn find(name: &str) -> Option<AnyFormat> {
    let is_called = |format: &AnyFormat| format.name() == name || format.alias() == Some(name);
    FORMATS.iter().copied().find(is_called)
}

/// The endings of all files of spectra.
pub fn endings() -> impl Iterator<Item = &'static str> {
    let endings = FORMATS.iter().flat_map(|format| format.endings());
    endings.copied()
}

/// Returns whether a file's name is that of a result.
#[must_use]
pub fn is_result(path: &Path) -> bool {
    place::is_result(path, endings())
}

/// The names of the formats for which `is` holds, with a word between them.
#[must_use]
pub fn names(is: fn(AnyFormat) -> bool, between: &str) -> String {
    let formats = FORMATS.iter().filter(|format| is(**format));
    let names: Vec<_> = formats.map(|format| format.name()).collect();
    names.join(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_formats_are_unique_and_so_is_who_has_them() {
        for format in FORMATS {
            for name in [Some(format.name()), format.alias()].into_iter().flatten() {
                let found = find(name).map(SpectrumFormat::name);
                assert_eq!(found, Some(format.name()));
            }
            assert!(format.read_help().is_some() || format.fft_help().is_some());
            assert!(format.is_printed() || !format.endings().is_empty());
        }
    }

    #[test]
    fn lines_are_looked_for_only_where_they_are_shown() {
        let of = |shown: ShownLines| {
            let formats = FORMATS.iter();
            let formats = formats.filter(|format| format.shown_lines() == shown);
            formats.map(|format| format.name()).collect::<Vec<_>>()
        };
        assert_eq!(of(ShownLines::OfAll), ["table", "json", "sigmf"]);
        let reason = "of a waterfall only the record that may stay alone";
        assert_eq!(of(ShownLines::OfSingle), ["png", "svg"], "{reason}");
    }

    #[test]
    fn the_names_of_results_are_known() {
        for (name, is) in [
            ("spectrum.csv", true),
            ("a/spectrum-12.png", true),
            ("waterfall.svg", true),
            ("spectra-2.rtl_power.csv", true),
            ("spectra.sigmf-meta", true),
            ("spectrum-of.csv", false),
            ("spectra.rtl_power", false),
            ("spectrum.wav", false),
        ] {
            assert_eq!(is_result(Path::new(name)), is, "{name}");
        }
    }
}
