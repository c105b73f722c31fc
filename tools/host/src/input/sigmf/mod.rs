//! SigMF recordings: samples in `NAME.sigmf-data` and their description in `NAME.sigmf-meta`, or
//! both in an archive `NAME.sigmf`.
//!
//! Rate, centre, time and annotations are taken. A dataset of several captures is read as one
//! stream; centre and time are those of the first. What decides where samples lie has to be
//! understood. Anything else that is not understood is named and left out.
//!
//! Source: SigMF specification 1.2. Descriptions are JSON, read by `serde_json`, and archives are
//! read by `tar`. The library `sigmf` 0.1 holds types of the description alone, and not all.

mod archive;
mod captures;
mod checksum;
mod marks;
mod meta;
mod moment;
mod object;
mod oddities;
mod own;
mod text;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Bytes, Channel, Format, Reading, Recording, Samples, name_and_ending, rate_of};
use captures::Capture;
use common::failure::{Failure, Result};
use common::files::input;
use common::quantity;
use common::text::quote;
use meta::Meta;
use object::{MetaObject, string};
use signal::Rate;
use text::DescriptionText;

pub use own::OwnDescription;

/// The ending of the description.
const META: &str = "sigmf-meta";
/// The ending of the samples.
const DATA: &str = "sigmf-data";

/// Reads a pair of files, of which `path` names one.
pub fn read_pair(path: &Path, how: &Reading) -> Result<Recording> {
    let meta_path = path.with_extension(META);
    let text = input::read(&meta_path, "a description of samples", input::TEXT)?;
    let (name, _) = name_and_ending(&meta_path);
    let text = DescriptionText::decode(&name, &text)?;
    let meta = Meta::decode(&name, &text)?;
    let data_path = data_path(&name, &meta_path, &meta.global)?;
    if !data_path.exists() && meta.global.truth("core:metadata_only") == Ok(Some(true)) {
        return Err(Failure::usage(format!(
            "{name} came without samples, as its core:metadata_only says; put them beside it as {}",
            name_and_ending(&data_path).0
        )));
    }
    let data = Bytes::open(&data_path)?;
    let end = data.len();
    read(&name, &meta, data, 0..end, how)
}

/// The file of the samples: beside the description.
fn data_path(name: &str, meta_path: &Path, global: &MetaObject) -> Result<PathBuf> {
    let dataset = global.string("core:dataset");
    let dataset = dataset.map_err(|odd| {
        Failure::usage(format!(
            "{name}: {odd}; put the name of the file of its samples there"
        ))
    })?;
    let Some(dataset) = dataset else {
        return Ok(meta_path.with_extension(DATA));
    };
    match Path::new(&dataset).file_name() {
        Some(file) if file == dataset.as_str() => Ok(meta_path.with_file_name(file)),
        _ => Err(Failure::usage(format!(
            "{name}: core:dataset `{}` is no file beside it; put the name of one there",
            quote(&dataset)
        ))),
    }
}

/// Reads an archive.
pub fn read_archive(name: &str, bytes: Bytes, how: &Reading) -> Result<Recording> {
    let (text, data) = archive::find(name, &bytes)?;
    let text = DescriptionText::decode(name, &text)?;
    read(name, &Meta::decode(name, &text)?, bytes, data, how)
}

/// Refuses the list of recordings that a collection is.
pub fn refuse_collection(name: &str, bytes: &Bytes) -> Failure {
    match bytes.all(input::TEXT) {
        Ok(text) => meta::refuse_collection(name, &text.unwrap_or_default()),
        Err(failure) => failure,
    }
}

/// Reads a description and samples in memory.
///
/// # Errors
/// Usage, when they do not fit together.
pub fn read_memory(meta: &[u8], data: Vec<u8>, how: &Reading) -> Result<Recording> {
    let name = "memory.sigmf-meta";
    let end = data.len() as u64;
    let text = DescriptionText::decode(name, meta)?;
    read(name, &Meta::decode(name, &text)?, data.into(), 0..end, how)
}

/// The recording of a description, whose samples' file is the bytes in `place`.
fn read(
    name: &str,
    meta: &Meta,
    bytes: Bytes,
    place: Range<u64>,
    how: &Reading,
) -> Result<Recording> {
    let mut notes = vec![];
    let (datatype, format) = format_of(name, &meta.global)?;
    let first = captures::first_of(name, meta, &mut notes)?;
    let at = SamplePlace::of(name, &meta.global, &first, format, &place)?;
    let rate = rate(name, &meta.global, how, &mut notes)?;
    checksum::check(name, &meta.global, &bytes, place, &mut notes)?;
    if first.sample_start < at.offset && !meta.captures.is_empty() {
        notes.push(format!(
            "its first capture begins before core:offset {}, the first sample of the file; centre and time of the \
             capture are taken for that sample",
            at.offset
        ));
    }
    if at.left_bytes > 0 {
        notes.push(format!(
            "the last {} bytes are part of a sample and were left out",
            at.left_bytes
        ));
    }
    let samples = Samples::new(bytes, format, at.start, at.count);
    let end_sample = at.first_sample.saturating_add(at.count);
    let annotations = marks::marks(meta, &(at.first_sample..end_sample), &mut notes);
    let kind = format!("SigMF {}", quote(&datatype));
    let mut recording = Recording::new(name, kind, rate, vec![Channel::only(samples)]);
    recording.notes = notes;
    recording.centre_hz = first.frequency;
    recording.start = first.start;
    recording.annotations = annotations;
    recording.description = Some(Arc::new(OwnDescription::new(meta, at.first_sample)));
    Ok(recording)
}

/// The format of the samples, and its name.
fn format_of(name: &str, global: &MetaObject) -> Result<(String, Format)> {
    let wrong = |what: String| Failure::usage(format!("{name}: {what}"));
    let datatype = global.string("core:datatype");
    let datatype = datatype.map_err(|odd| wrong(format!("{odd}; write for example cf32_le")))?;
    let datatype = datatype.ok_or_else(|| {
        wrong("it says no core:datatype; write for example cf32_le, ci16_le or ru8".to_owned())
    })?;
    let shown = quote(&datatype);
    let format = Format::from_sigmf(&datatype).ok_or_else(|| {
        let is_whole_with = |order: &str| Format::from_sigmf(&format!("{datatype}{order}"));
        wrong(match is_whole_with("_le") {
            Some(_) => format!(
                "core:datatype `{shown}` says no order of bytes; write {shown}_le or, if the most significant comes \
                 first, {shown}_be"
            ),
            None => format!(
                "core:datatype `{shown}` is none of SigMF 1.2; write for example cf32_le, ci16_le or ru8"
            ),
        })
    })?;
    let channels = global.whole("core:num_channels");
    match channels.map_err(|odd| wrong(format!("{odd}; write 1")))? {
        None | Some(1) => Ok((datatype, format)),
        Some(channels) => Err(wrong(format!(
            "it holds {channels} channels; save each as a recording of its own"
        ))),
    }
}

/// The place of the samples in their file.
struct SamplePlace {
    /// The first byte, and the number of samples from there on.
    start: u64,
    count: u64,
    /// Bytes behind them that are no whole sample.
    left_bytes: u64,
    /// The number of the file's first sample.
    offset: u64,
    /// The number of the first sample that is read.
    first_sample: u64,
}

impl SamplePlace {
    fn of(
        name: &str,
        global: &MetaObject,
        first: &Capture,
        format: Format,
        place: &Range<u64>,
    ) -> Result<Self> {
        let whole = |key| {
            let whole = global.whole(key).map(|whole| whole.unwrap_or(0));
            whole.map_err(|odd| {
                Failure::usage(format!(
                    "{name}: {odd}, so that nobody knows where its samples lie; correct it"
                ))
            })
        };
        let offset = whole("core:offset")?;
        let trailing = whole("core:trailing_bytes")?;
        let width = format.bytes() as u64;
        let skipped = first.sample_start.saturating_sub(offset);
        let end = place.end.saturating_sub(trailing);
        let start = skipped.checked_mul(width).and_then(|skipped| {
            let start = place.start.checked_add(first.header_bytes)?;
            start.checked_add(skipped)
        });
        let bytes = start.and_then(|start| end.checked_sub(start));
        match (start, bytes) {
            (Some(start), Some(bytes)) if bytes >= width => Ok(Self {
                start,
                count: bytes / width,
                left_bytes: bytes % width,
                offset,
                first_sample: offset.saturating_add(skipped),
            }),
            _ => Err(Failure::usage(format!(
                "{name}: its data file ends before the samples begin; copy or record both files again"
            ))),
        }
    }
}

/// The sample rate, of the file or as given.
fn rate(name: &str, global: &MetaObject, how: &Reading, notes: &mut Vec<String>) -> Result<Rate> {
    let stated = global.say("core:sample_rate", "sample rate", |value| {
        let text = string(value).unwrap_or_else(|| value.get().to_owned());
        quantity::rate(&text).ok()
    });
    match (stated, how.rate) {
        (Ok(Some(stated)), _) => Ok(rate_of(how, stated, notes)),
        (Ok(None), Some(rate)) => Ok(rate),
        (Err(odd), Some(rate)) => {
            notes.push(format!("sample rate {rate} as given; {odd}"));
            Ok(rate)
        }
        (Err(odd), None) => Err(Failure::usage(format!(
            "{name}: {odd}; give it with --rate"
        ))),
        (Ok(None), None) => Err(Failure::usage(format!(
            "{name}: it says no core:sample_rate; give it with --rate"
        ))),
    }
}

#[cfg(test)]
mod tests;
