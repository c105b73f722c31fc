//! The parts of a description: facts about all samples, captures, and annotations.

use serde_json::value::RawValue;

use super::object::{MetaObject, string};
use super::text::DescriptionText;
use common::failure::{Failure, Result};
use common::text::{quote_list, sentence};

/// Recordings of a collection that are named.
const SHOWN: usize = 5;

/// A description.
#[derive(Debug)]
pub struct Meta<'a> {
    pub text: &'a DescriptionText,
    pub global: MetaObject<'a>,
    pub captures: Vec<&'a RawValue>,
    pub annotations: Vec<&'a RawValue>,
    /// The list of annotations, where there is one.
    pub annotation_list: Option<&'a RawValue>,
}

impl<'a> Meta<'a> {
    /// Reads a description.
    ///
    /// # Errors
    /// Usage, when it is none.
    pub fn decode(name: &str, text: &'a DescriptionText) -> Result<Self> {
        let wrong = |what: &str| {
            Failure::usage(format!(
                "{name} is no description of samples that SigMF knows: {what}; check it with `sigmf_validate`"
            ))
        };
        let whole: &RawValue = serde_json::from_str(text.readable())
            .map_err(|error| wrong(&sentence(&error.to_string())))?;
        let whole = MetaObject::new(text, whole).ok_or_else(|| wrong("it is no object"))?;
        if let (None, Some(collection)) = (whole.get("global"), whole.get("collection")) {
            return Err(collection_refused(name, text, collection));
        }
        let global = whole
            .get("global")
            .ok_or_else(|| wrong("it has no `global`"))?;
        let list = |key: &'static str| {
            let list = whole.say(key, "list", |value| serde_json::from_str(value.get()).ok());
            let list = list.map_err(|odd| wrong(&odd.to_string()))?;
            Ok::<Vec<&RawValue>, Failure>(list.unwrap_or_default())
        };
        Ok(Self {
            text,
            global: MetaObject::new(text, global).ok_or_else(|| wrong("`global` is no object"))?,
            captures: list("captures")?,
            annotations: list("annotations")?,
            annotation_list: whole.get_any("annotations"),
        })
    }
}

/// Refuses the description of a collection.
pub fn refuse_collection(name: &str, bytes: &[u8]) -> Failure {
    let text = match DescriptionText::decode(name, bytes) {
        Ok(text) => text,
        Err(failure) => return failure,
    };
    let whole = serde_json::from_str(text.readable()).ok();
    let whole = whole.and_then(|whole: &RawValue| MetaObject::new(&text, whole));
    match whole.and_then(|whole| whole.get("collection")) {
        Some(collection) => collection_refused(name, &text, collection),
        None => Failure::usage(format!(
            "{name} is no list of recordings that SigMF knows; choose the .sigmf-meta of a recording"
        )),
    }
}

/// The refusal of a collection, with the names of its recordings.
fn collection_refused(name: &str, text: &DescriptionText, collection: &RawValue) -> Failure {
    let streams = MetaObject::new(text, collection)
        .and_then(|collection| serde_json::from_str(collection.get("core:streams")?.get()).ok());
    let streams: Vec<&RawValue> = streams.unwrap_or_default();
    let named = |stream: &&RawValue| string(MetaObject::new(text, stream)?.get("name")?);
    let names: Vec<_> = streams.iter().filter_map(named).collect();
    let shown = names.iter().take(SHOWN).map(String::as_str);
    let shown = match names.len() {
        0 => String::new(),
        1..=SHOWN => format!(" ({})", quote_list(shown)),
        count => format!(" ({} and {} more)", quote_list(shown), count - SHOWN),
    };
    Failure::usage(format!(
        "{name} is a SigMF collection, a list of recordings{shown}; choose the .sigmf-meta of one"
    ))
}
