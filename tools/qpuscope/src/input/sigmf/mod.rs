//! SigMF recordings: samples in `NAME.sigmf-data` and their description in `NAME.sigmf-meta`, or
//! both in an archive `NAME.sigmf`.
//!
//! Rate, centre, time and annotations are taken. A dataset of several captures is read as one
//! stream; centre and time are those of the first.
//!
//! Source: SigMF specification 1.2. Descriptions are JSON, read by `serde_json`, and archives are
//! read by `tar`. The library `sigmf` 0.1 holds types of the description alone, and not all.

mod archive;
mod meta;

use std::path::{Path, PathBuf};

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::{
    Annotation, Bytes, Channel, Format, Reading, Recording, Samples, name_and_ending, rate_of,
};
use crate::failure::{Failure, Result};
use crate::files::input;
use crate::quantity;
use crate::text::quote;
use meta::{Capture, Meta};
use signal::Rate;

/// The ending of the description.
const META: &str = "sigmf-meta";
/// The ending of the samples.
const DATA: &str = "sigmf-data";

/// Reads a pair of files, of which `path` names one.
pub fn read_pair(path: &Path, how: &Reading) -> Result<Recording> {
    let meta_path = path.with_extension(META);
    let text = input::read(&meta_path, "a description of samples", input::TEXT)?;
    let (name, _) = name_and_ending(&meta_path);
    let meta = Meta::decode(&name, &text)?;
    let data = Bytes::open(&data_path(&meta_path, &meta)?)?;
    let end = data.len();
    read(&name, &meta, data, 0..end, how)
}

/// The file of the samples: beside the description.
fn data_path(meta_path: &Path, meta: &Meta) -> Result<PathBuf> {
    let Some(dataset) = &meta.global.dataset else {
        return Ok(meta_path.with_extension(DATA));
    };
    match Path::new(dataset).file_name() {
        Some(file) if file == dataset.as_str() => Ok(meta_path.with_file_name(file)),
        _ => Err(Failure::usage(format!(
            "{}: core:dataset `{}` is no file beside it; put the name of one there",
            name_and_ending(meta_path).0,
            quote(dataset)
        ))),
    }
}

/// Reads an archive.
pub fn read_archive(name: &str, bytes: Bytes, how: &Reading) -> Result<Recording> {
    let (text, data) = archive::find(name, &bytes)?;
    let meta = Meta::decode(name, &text)?;
    read(name, &meta, bytes, data, how)
}

/// Reads a description and samples in memory.
///
/// # Errors
/// Usage, when they do not fit together.
pub fn read_memory(meta: &[u8], data: Vec<u8>, how: &Reading) -> Result<Recording> {
    let name = "memory.sigmf-meta";
    let end = data.len() as u64;
    read(name, &Meta::decode(name, meta)?, data.into(), 0..end, how)
}

/// The recording of a description, whose samples are the bytes in `place`.
fn read(
    name: &str,
    meta: &Meta,
    bytes: Bytes,
    place: std::ops::Range<u64>,
    how: &Reading,
) -> Result<Recording> {
    let wrong = |what: String| Failure::usage(format!("{name}: {what}"));
    let global = &meta.global;
    let format = Format::from_sigmf(&global.datatype).ok_or_else(|| {
        wrong(format!(
            "core:datatype `{}` is none of SigMF; write for example cf32_le, ci16_le or ru8",
            quote(&global.datatype)
        ))
    })?;
    let channels = global.num_channels.unwrap_or(1);
    if channels != 1 {
        return Err(wrong(format!(
            "it holds {channels} channels; save each as a recording of its own"
        )));
    }
    let first = meta.captures.first();
    if let Some(later) = meta
        .captures
        .iter()
        .skip(1)
        .position(|capture| capture.header_bytes() > 0)
    {
        return Err(wrong(format!(
            "headers lie between its samples, in front of capture {}; save the captures as recordings of their own",
            later + 1
        )));
    }
    let offset = global.offset.unwrap_or(0);
    let skipped = first.map_or(0, |capture| capture.sample_start.saturating_sub(offset));
    let header = first.map_or(0, Capture::header_bytes);
    let width = format.bytes() as u64;
    let start = skipped
        .checked_mul(width)
        .and_then(|skipped| place.start.checked_add(header)?.checked_add(skipped));
    let end = place.end.saturating_sub(global.trailing_bytes.unwrap_or(0));
    let start = start.filter(|start| *start + width <= end).ok_or_else(|| {
        wrong(
            "its data file ends before the samples begin; copy or record both files again"
                .to_owned(),
        )
    })?;
    let mut notes = vec![];
    let stated = global.sample_rate.as_ref().map(|number| {
        quantity::rate(&number.to_string()).map_err(|_| {
            wrong(format!(
                "core:sample_rate {number} is no sample rate; give it with --rate"
            ))
        })
    });
    let rate: Rate = match (stated, how.rate) {
        (Some(Ok(stated)), _) => rate_of(how, stated, &mut notes),
        (_, Some(rate)) => rate,
        (Some(Err(failure)), _) => return Err(failure),
        (None, None) => {
            return Err(wrong(
                "it says no core:sample_rate; give it with --rate".to_owned(),
            ));
        }
    };
    let left = (end - start) % width;
    if left > 0 {
        notes.push(format!(
            "the last {left} bytes are part of a sample and were left out"
        ));
    }
    note_captures(&meta.captures, &mut notes);
    let samples = Samples::new(bytes, format, start, (end - start) / width);
    let kind = format!("SigMF {}", quote(&global.datatype));
    let mut recording = Recording::new(name, kind, rate, vec![Channel::only(samples)]);
    recording.notes = notes;
    recording.centre_hz = first
        .and_then(|capture| capture.frequency)
        .filter(|hz| hz.is_finite());
    recording.start = first.and_then(|capture| time_of(capture.datetime.as_deref()?));
    let begin = offset.saturating_add(skipped);
    recording.annotations = meta
        .annotations
        .iter()
        .map(|of| Annotation {
            start: of.sample_start.saturating_sub(begin),
            count: of.sample_count,
            low_hz: of.freq_lower_edge,
            high_hz: of.freq_upper_edge,
            label: of.label().to_owned(),
        })
        .collect();
    Ok(recording)
}

/// Says that several captures are read as one.
fn note_captures(captures: &[Capture], notes: &mut Vec<String>) {
    let [first, later @ ..] = captures else {
        return;
    };
    if later.is_empty() {
        return;
    }
    let is_other =
        |capture: &Capture| capture.frequency.is_some() && capture.frequency != first.frequency;
    let other = later.iter().filter(|capture| is_other(capture)).count();
    let centres = match other {
        0 => String::new(),
        other => format!(", although {other} of them have another centre"),
    };
    notes.push(format!(
        "its {} captures are read as one stream with centre and time of the first{centres}",
        captures.len()
    ));
}

/// A time in UTC, as SigMF writes it.
fn time_of(text: &str) -> Option<OffsetDateTime> {
    let time = OffsetDateTime::parse(text.trim(), &Rfc3339).ok()?;
    Some(time.to_offset(time::UtcOffset::UTC))
}

#[cfg(test)]
mod tests;
