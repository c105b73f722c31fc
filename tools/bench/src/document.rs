//! `docs/performance.md` and its picture, from recorded figures.

use crate::beside::Beside;
use crate::plot;
use crate::recorded::Recorded;
use crate::report::Report;
use anyhow::Result;
use fidelity::repository::{put, root};
use v3d_sim::Constants;

/// Path of the document, below the root of the repository.
pub const PATH: &str = "docs/performance.md";

/// Path of its picture.
pub const PICTURE: &str = "docs/performance.png";

/// The document.
#[must_use]
pub fn text(recorded: &Recorded, beside: &Beside) -> String {
    let Recorded { date, commit, .. } = recorded;
    let peer = format!(
        "GPU_FFT 3.0's published shaders (raspberrypi/userland) ran on the same simulator.\n\
         Figures were recorded last on {date} at commit {commit}."
    );
    Report {
        rows: &recorded.rows(),
        tried: &recorded.tried,
        rates: &recorded.rates,
        constants: &Constants::recommended(),
        peer: &peer,
        beside: &beside.markdown(),
        command: "cargo xtask bench --record",
    }
    .markdown()
}

/// Writes both files.
///
/// # Errors
/// When the picture cannot be drawn, or a file cannot be written.
pub fn write(recorded: &Recorded, beside: &Beside) -> Result<()> {
    put(&root().join(PATH), text(recorded, beside))?;
    let png = plot::draw(&recorded.rows()).png();
    let png = png.map_err(|failure| anyhow::anyhow!("{failure}"))?;
    put(&root().join(PICTURE), png)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = include_str!("../../../docs/performance.md");

    #[test]
    fn the_document_is_what_the_recorded_figures_give() {
        let recorded = Recorded::last().unwrap_or_else(|e| panic!("{e:#}"));
        let beside = Beside::last().unwrap_or_else(|e| panic!("{e:#}"));
        let written = text(&recorded, &beside);
        let lines = written.lines().zip(DOCUMENT.lines());
        let differs = (1..).zip(lines).find(|(_, (new, old))| new != old);
        assert!(
            written == DOCUMENT,
            "{PATH} is not what the figures give; write it by `cargo xtask bench --document`: {differs:?}"
        );
    }

    /// A reader who chooses finds the range, one table and one picture before any section.
    #[test]
    fn the_document_begins_with_the_range_a_table_and_a_picture() {
        let (head, _) = DOCUMENT.split_once("\n## ").expect("a section");
        let places = ["2.4 to 3.2", "| points ", "](performance.png)"].map(|text| head.find(text));
        assert!(places.iter().all(Option::is_some), "{places:?}");
        assert!(places.is_sorted(), "{places:?}");
        assert_eq!(head.matches("\n| ---").count(), 1);
        for word in ["elow target", "floor", "| met", "wanted"] {
            assert!(!DOCUMENT.contains(word), "{word}");
        }
    }
}
