//! Captures: parts of the samples, each with its centre, its time and what lies in front of it.
//!
//! All are read as one stream, with centre and time of the first.

use time::OffsetDateTime;

use super::meta::Meta;
use super::moment::{Moment, moment};
use super::object::{MetaObject, OddValue, string};
use super::oddities::Oddities;
use common::failure::{Failure, Result};

/// Facts from one sample on.
#[derive(Debug, Default)]
pub struct Capture {
    /// The number of its first sample, as the file counts.
    pub sample_start: u64,
    /// The centre in hertz.
    pub frequency: Option<f64>,
    /// The time of its first sample.
    pub start: Option<OffsetDateTime>,
    /// Bytes before its first sample that are none.
    pub header_bytes: u64,
}

/// A capture of the list: its number there, its facts, its first sample, and the bytes in front.
type ListedCapture<'a> = (usize, MetaObject<'a>, u64, u64);

/// The first capture, or one that says nothing where there is none.
///
/// # Errors
/// Usage, when nobody can say where its samples lie.
pub fn first_of(name: &str, meta: &Meta, notes: &mut Vec<String>) -> Result<Capture> {
    let wrong = |what: String| Failure::usage(format!("{name}: {what}"));
    let mut captures = listed(meta, notes).map_err(wrong)?;
    if !captures.is_sorted_by_key(|capture| capture.2) {
        captures.sort_by_key(|capture| capture.2);
        notes.push(format!(
            "its captures are not in the order of core:sample_start; the first is taken to be capture {}",
            captures[0].0
        ));
    }
    let Some(((number, object, sample_start, header_bytes), later)) = captures.split_first() else {
        return Ok(Capture::default());
    };
    if let Some((number, ..)) = later.iter().find(|capture| capture.3 > 0) {
        return Err(wrong(format!(
            "headers lie between its samples, in front of capture {number}; save the captures as recordings of their own"
        )));
    }
    let frequency = object.hertz("core:frequency");
    let frequency = frequency.unwrap_or_else(|odd| {
        notes.push(format!(
            "{odd} in capture {number} and is not used; give it with --centre"
        ));
        None
    });
    note_captures(frequency, later.iter().map(|capture| &capture.1), notes);
    Ok(Capture {
        sample_start: *sample_start,
        frequency,
        start: start_of(object, *number, notes),
        header_bytes: *header_bytes,
    })
}

/// The captures that say where they begin, or why nobody knows where samples lie.
fn listed<'a>(
    meta: &Meta<'a>,
    notes: &mut Vec<String>,
) -> std::result::Result<Vec<ListedCapture<'a>>, String> {
    let mut captures = vec![];
    let mut odd_ones = Oddities::default();
    for (number, value) in meta.captures.iter().enumerate() {
        let Some(object) = MetaObject::new(meta.text, value) else {
            odd_ones.add(|| format!("capture {number} is no object and was left out"));
            continue;
        };
        let lost = |odd: OddValue| {
            format!(
                "{odd} in capture {number}, so that nobody knows where its samples lie; correct it"
            )
        };
        let header = object.whole("core:header_bytes").map_err(lost)?;
        let header = header.unwrap_or(0);
        match object.needed("core:sample_start") {
            Ok(start) => captures.push((number, object, start, header)),
            Err(odd) if number == 0 && odd.is_missing() => {
                odd_ones.add(|| format!("{odd} in capture 0, which is taken to begin at 0"));
                captures.push((number, object, 0, header));
            }
            Err(odd) if number == 0 || header > 0 => return Err(lost(odd)),
            Err(odd) => odd_ones.add(|| format!("{odd} in capture {number}, which was left out")),
        }
    }
    odd_ones.note(notes);
    Ok(captures)
}

/// The time of a capture's first sample.
fn start_of(
    capture: &MetaObject,
    number: usize,
    notes: &mut Vec<String>,
) -> Option<OffsetDateTime> {
    let key = "core:datetime";
    match capture.say(key, "exact moment", |value| moment(&string(value)?)) {
        Ok(None) => None,
        Ok(Some(Moment { time, has_zone })) => {
            if !has_zone {
                notes.push(format!("{key} names no zone and is taken for UTC"));
            }
            Some(time)
        }
        Err(odd) => {
            notes.push(format!(
                "{odd} in capture {number} and is not used; write it as 2023-08-06T15:18:38Z"
            ));
            None
        }
    }
}

/// Says that several captures are read as one.
fn note_captures<'a, 'b: 'a>(
    first: Option<f64>,
    later: impl ExactSizeIterator<Item = &'a MetaObject<'b>>,
    notes: &mut Vec<String>,
) {
    let count = later.len();
    if count == 0 {
        return;
    }
    let is_other = |capture: &&MetaObject| match capture.hertz("core:frequency") {
        Ok(frequency) => frequency.is_some() && frequency != first,
        Err(_) => true,
    };
    let centres = match later.filter(is_other).count() {
        0 => String::new(),
        other => format!(", although {other} of them have another centre"),
    };
    notes.push(format!(
        "its {} captures are read as one stream with centre and time of the first{centres}",
        count + 1
    ));
}
