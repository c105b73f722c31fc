//! Annotations: remarks about samples, cut to those that are read.
//!
//! A file counts samples from its `core:offset` on, and its first ones may be skipped. An
//! annotation that marks only samples outside is left out, and so is one that does not say where it
//! is. The file keeps them (`OwnDescription`).

use std::ops::Range;

use super::super::Annotation;
use super::meta::Meta;
use super::object::{MetaObject, OddValue, Said};
use super::oddities::Oddities;

/// What was found in the annotations that has to be said.
#[derive(Default)]
struct MarkFindings {
    /// Annotations of other samples, and those that were cut.
    outside: usize,
    cut: usize,
    odd: Oddities,
}

/// The annotations of samples, which the file counts as `range`.
pub fn marks(meta: &Meta, range: &Range<u64>, notes: &mut Vec<String>) -> Vec<Annotation> {
    let mut found = MarkFindings::default();
    let mut annotations = vec![];
    for (number, value) in meta.annotations.iter().enumerate() {
        let Some(object) = MetaObject::new(meta.text, value) else {
            found
                .odd
                .add(|| format!("annotation {number} is no object and was left out"));
            continue;
        };
        match extent(&object) {
            Ok((start, count)) => annotations.extend(
                found
                    .cut(start, count, range)
                    .map(|(start, count)| annotation(&object, number, start, count, &mut found)),
            ),
            Err(odd) => {
                found
                    .odd
                    .add(|| format!("{odd} in annotation {number}, which was left out"));
            }
        }
    }
    found.note(meta.annotations.len(), notes);
    annotations
}

/// The first sample of an annotation, and their number; none where it goes on to the end.
fn extent(annotation: &MetaObject) -> Result<(u64, Option<u64>), OddValue> {
    let start = annotation.needed("core:sample_start")?;
    Ok((start, annotation.whole("core:sample_count")?))
}

fn annotation(
    object: &MetaObject,
    number: usize,
    start: u64,
    count: Option<u64>,
    found: &mut MarkFindings,
) -> Annotation {
    let low_hz = found.said(number, object.hertz("core:freq_lower_edge"));
    let high_hz = found.said(number, object.hertz("core:freq_upper_edge"));
    let keys = ["core:label", "core:description", "core:comment"];
    let mut texts = keys
        .iter()
        .filter_map(|key| found.said(number, object.string(key)));
    Annotation {
        start,
        count,
        low_hz,
        high_hz,
        label: texts.find(|text| !text.is_empty()).unwrap_or_default(),
    }
}

impl MarkFindings {
    /// The part of an annotation that lies in a range, counted from its beginning.
    fn cut(
        &mut self,
        start: u64,
        count: Option<u64>,
        range: &Range<u64>,
    ) -> Option<(u64, Option<u64>)> {
        let end = count.map(|count| start.saturating_add(count));
        let is_before = start < range.start && end.is_some_and(|end| end <= range.start);
        if is_before || start >= range.end {
            self.outside += 1;
            return None;
        }
        let first = start.max(range.start);
        let last = end.map(|end| end.min(range.end));
        self.cut += usize::from(first != start || last != end);
        Some((first - range.start, last.map(|last| last - first)))
    }

    /// What a value says; one that is odd is left out.
    fn said<T>(&mut self, number: usize, said: Said<T>) -> Option<T> {
        said.unwrap_or_else(|odd| {
            self.odd
                .add(|| format!("{odd} in annotation {number} and was left out"));
            None
        })
    }

    /// Says it all, once.
    fn note(self, count: usize, notes: &mut Vec<String>) {
        self.odd.note(notes);
        if self.outside > 0 {
            notes.push(format!(
                "{} of {count} annotations mark no sample that is read and were left out",
                self.outside
            ));
        }
        if self.cut > 0 {
            notes.push(format!(
                "{} of {count} annotations were cut to the samples that are read",
                self.cut
            ));
        }
    }
}
