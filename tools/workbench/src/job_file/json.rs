//! The JSON of a job file.
//!
//! A key that an object has twice is refused: the parser would keep the last one and pass over the
//! other. Keys are looked at before values are made: where serde_json keeps numbers as they are
//! written (its feature `arbitrary_precision`, which a dependency turns on), a number with a point
//! comes to a visitor as an object.

use std::collections::HashSet;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use common::failure::{Failure, Result};
use common::text::quote;

/// The value that a text is.
///
/// # Errors
/// Usage, saying what to do, when it is no JSON or has a key twice.
pub(super) fn value(text: &str) -> Result<Value> {
    let text = text.trim_start_matches('\u{feff}');
    serde_json::from_str::<Once>(text)
        .and_then(|Once| serde_json::from_str(text))
        .map_err(|error| {
            let said = error.to_string();
            // What serde_json says of its own bound, which it always keeps.
            if said.starts_with("recursion limit exceeded") {
                return Failure::usage(
                    "lists and objects nest more than 128 deep; a job nests no more than five, as docs/formats.md shows",
                );
            }
            Failure::usage(match error.classify() {
                serde_json::error::Category::Data => format!("{said}; correct it there"),
                _ => format!("it is not JSON ({error}); docs/formats.md shows what a job is"),
            })
        })
}

/// A text in which no object has a key twice.
struct Once;

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        from.deserialize_any(Keys)
    }
}

/// Looks at the keys of all objects, and at nothing else.
struct Keys;

impl<'de> Visitor<'de> for Keys {
    type Value = Once;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> std::result::Result<Once, E> {
        Ok(Once)
    }

    fn visit_bool<E: Error>(self, _: bool) -> std::result::Result<Once, E> {
        Ok(Once)
    }

    fn visit_u64<E: Error>(self, _: u64) -> std::result::Result<Once, E> {
        Ok(Once)
    }

    fn visit_i64<E: Error>(self, _: i64) -> std::result::Result<Once, E> {
        Ok(Once)
    }

    fn visit_f64<E: Error>(self, _: f64) -> std::result::Result<Once, E> {
        Ok(Once)
    }

    fn visit_str<E: Error>(self, _: &str) -> std::result::Result<Once, E> {
        Ok(Once)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> std::result::Result<Once, A::Error> {
        while all.next_element::<Once>()?.is_some() {}
        Ok(Once)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut all: A) -> std::result::Result<Once, A::Error> {
        let mut keys = HashSet::new();
        while let Some((key, Once)) = all.next_entry::<String, Once>()? {
            if let Some(key) = keys.replace(key) {
                return Err(Error::custom(format!(
                    "{} stands twice in one object",
                    quote(&key)
                )));
            }
        }
        Ok(Once)
    }
}

#[cfg(test)]
mod tests {
    use crate::job_file::tests::{each_is_refused, parse};

    #[test]
    fn what_is_no_json_is_refused_with_what_to_do() {
        each_is_refused(&[
            ("{", "it is not JSON (EOF"),
            (
                "{\"memory\": [1,]}",
                "at line 1 column 15); docs/formats.md",
            ),
            ("mov r0, unif\n", "it is not JSON"),
            ("", "it is not JSON"),
        ]);
        for deep in ["[", "{\"memory\":", "[{\"a\": [", " [\n"] {
            each_is_refused(&[(&deep.repeat(100_000), "nest more than 128 deep")]);
        }
    }

    #[test]
    fn a_key_that_stands_twice_is_refused() {
        each_is_refused(&[
            (
                r#"{"memory": [{"at": 0, "zero": 8}], "memory": [], "programs": []}"#,
                "memory stands twice in one object at line 1",
            ),
            (
                r#"{"memory": [{"at": 0, "words": [1], "words": [2]}], "programs": []}"#,
                "words stands twice",
            ),
        ]);
        let numbers =
            r#"{"memory": [{"at": 0, "words": [-1, 4294967295, "0x10"]}], "programs": []}"#;
        assert!(parse(numbers).is_ok());
    }
}
