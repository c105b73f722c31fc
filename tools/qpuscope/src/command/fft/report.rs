//! The results of a spectrum: pictures, files, and text on standard output.

use std::path::Path;

use serde_json::json;

use super::options::Options;
use crate::failure::{Failure, Result};
use crate::input::Recording;
use crate::lines::{Line, strongest};
use crate::spectrum::Spectrum;
use crate::stream::Health;
use crate::{files, output, picture, say, text};

/// A spectrum with its lines and the files it went to.
pub(super) struct Drawn {
    spectrum: Spectrum,
    lines: Vec<Line>,
    files: Vec<String>,
}

/// Writes the three files of a spectrum; the first is `spectrum`, the others are numbered from 2.
pub(super) fn draw(
    options: &Options,
    spectrum: Spectrum,
    notes: &[String],
    index: usize,
) -> Result<Drawn> {
    let lines = strongest(&spectrum, options.lines);
    let stem = match index {
        0 => "spectrum".to_owned(),
        _ => format!("spectrum-{}", index + 1),
    };
    let mut files = vec![];
    let mut write = |extension: &str, bytes: &[u8]| {
        let path = options.out.join(format!("{stem}.{extension}"));
        files::output::write(&path, bytes)?;
        files.push(shown(&path));
        Ok::<(), Failure>(())
    };
    write("png", &picture::png(&spectrum, &lines)?)?;
    write("svg", picture::svg(&spectrum, &lines).as_bytes())?;
    write(
        "csv",
        text::shown(&output::csv(&spectrum, notes)).as_bytes(),
    )?;
    Ok(Drawn {
        spectrum,
        lines,
        files,
    })
}

/// A path without a leading `./`.
fn shown(path: &Path) -> String {
    path.strip_prefix("./")
        .unwrap_or(path)
        .display()
        .to_string()
}

/// Prints all spectra: tables, or one JSON object about the first.
pub(super) fn print(
    options: &Options,
    drawn: &[Drawn],
    recording: &Recording,
    health: &Health,
) -> Result<()> {
    let Some(first) = drawn.first() else {
        return Err(Failure::link("no spectrum came; run again"));
    };
    if options.json {
        let mut object = output::settings(&first.spectrum);
        object["lines"] = json!(first.lines);
        object["files"] = json!(
            drawn
                .iter()
                .flat_map(|each| &each.files)
                .collect::<Vec<_>>()
        );
        object["spectra"] = json!(drawn.len());
        object["notes"] = json!(recording.notes);
        object["recording"] = json!({
            "format": recording.format,
            "centre_hz": recording.centre_hz,
            "start": recording.start_text(),
            "annotations": recording.annotations,
        });
        object["line_health"] = json!(health);
        return say::json(&format!("{object:#}\n"));
    }
    for each in drawn {
        let spectrum = &each.spectrum;
        say::data(&format!(
            "{}: N = {}, {} window, {}, engine {}\n{}wrote {}\n",
            spectrum.source,
            spectrum.n,
            spectrum.window,
            spectrum.made_of(),
            spectrum.engine.name(),
            output::table(spectrum, &each.lines),
            each.files.join(", ")
        ))?;
    }
    Ok(())
}
