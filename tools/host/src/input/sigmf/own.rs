//! A description as it came, for one with more annotations that takes its place.
//!
//! The text stays byte for byte. New annotations go between those that it has, with samples counted
//! as it counts them.

use std::ops::Range;

use serde_json::Value;

use super::meta::Meta;
use super::object::MetaObject;

/// The text of a description and the places of its annotations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwnDescription {
    text: String,
    /// The list of annotations, or where one goes.
    list: Range<usize>,
    /// What stands in front of a list that was not there.
    key: &'static str,
    /// The annotations and their first samples, which ascend.
    marks: Vec<(u64, Range<usize>)>,
    /// The number of the first sample that is read, as the file counts.
    first_sample: u64,
}

impl OwnDescription {
    /// That of a recording whose first sample has this number.
    pub(super) fn new(meta: &Meta, first_sample: u64) -> Self {
        let text = meta.text.own().to_owned();
        let (list, key) = match meta.annotation_list {
            Some(list) => (meta.text.place(list), ""),
            None => {
                let end = text.rfind('}').unwrap_or(text.len());
                let end = text[..end].trim_end().len();
                (end..end, ",\n  \"annotations\": ")
            }
        };
        let mut before = 0;
        let mut marks: Vec<_> = meta
            .annotations
            .iter()
            .map(|value| {
                let start = MetaObject::new(meta.text, value)
                    .and_then(|object| object.whole("core:sample_start").ok().flatten());
                // One that says no number stays behind the one that it follows.
                before = start.unwrap_or(before);
                (before, meta.text.place(value))
            })
            .collect();
        marks.sort_by_key(|(start, _)| *start);
        Self {
            text,
            list,
            key,
            marks,
            first_sample,
        }
    }

    /// The number of the first sample that is read, as the file counts.
    #[must_use]
    pub const fn first_sample(&self) -> u64 {
        self.first_sample
    }

    /// The text in front of the first annotation.
    #[must_use]
    pub fn head(&self) -> String {
        format!("{}{}[", &self.text[..self.list.start], self.key)
    }

    /// The text behind the last annotation.
    #[must_use]
    pub fn tail(&self) -> String {
        format!("]{}\n", self.text[self.list.end..].trim_end())
    }

    /// The annotation of a number, in the order of samples: its first sample, and its text.
    #[must_use]
    pub fn mark(&self, number: usize) -> Option<(u64, &str)> {
        let (start, place) = self.marks.get(number)?;
        Some((*start, &self.text[place.clone()]))
    }

    /// Returns whether an annotation is there already, written by an earlier run of `generator`.
    #[must_use]
    pub fn has(&self, annotation: &Value, start: u64, generator: &str) -> bool {
        const KEY: &str = "core:generator";
        let without = |text: &str| -> Option<(Value, Value)> {
            let mut value: Value = serde_json::from_str(text).ok()?;
            let by = value.as_object_mut()?.remove(KEY)?;
            Some((value, by))
        };
        // Both go through one reader, so that digits are rounded alike.
        let Some((wanted, _)) = without(&annotation.to_string()) else {
            return false;
        };
        let from = self.marks.partition_point(|(first, _)| *first < start);
        let alike = self.marks[from..]
            .iter()
            .take_while(|(first, _)| *first == start);
        let mut alike = alike.filter_map(|(_, place)| without(&self.text[place.clone()]));
        alike.any(|(value, by)| {
            value == wanted && by.as_str().is_some_and(|by| by.starts_with(generator))
        })
    }
}
