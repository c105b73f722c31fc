//! An object of a job file: its fields, and the place of each for messages.
//!
//! A key that is not known is an error, so that a misspelt one is not passed over. Numbers may also
//! be strings, because JSON has no hexadecimal.

use std::num::IntErrorKind;

use serde_json::{Map, Value};

use common::failure::{Failure, Result};
use common::text::quote;

/// A JSON object with its place in the file; knows which keys it may have.
pub(super) struct Object<'a> {
    at: String,
    map: &'a Map<String, Value>,
}

/// A field that is not what it should be.
pub(super) fn bad(field: &str, problem: impl std::fmt::Display) -> Failure {
    Failure::usage(format!("{field}: {problem}"))
}

impl<'a> Object<'a> {
    pub(super) fn new(at: &str, value: &'a Value, keys: &[&str]) -> Result<Self> {
        let whole = if at.is_empty() { "the job" } else { at };
        let map = value
            .as_object()
            .ok_or_else(|| bad(whole, format!("must be an object with {}", keys.join(", "))))?;
        let object = Self {
            at: at.to_owned(),
            map,
        };
        match map.keys().find(|key| !keys.contains(&key.as_str())) {
            Some(key) => Err(bad(
                &object.field(&quote(key)),
                format!("unknown key; known are {}", keys.join(", ")),
            )),
            None => Ok(object),
        }
    }

    pub(super) fn field(&self, key: &str) -> String {
        if self.at.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.at)
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key)
    }

    pub(super) fn need(&self, key: &str, what: &str) -> Result<&'a Value> {
        self.get(key)
            .ok_or_else(|| bad(&self.field(key), format!("is missing; give {what}")))
    }

    /// A number of at most `most`, where the key is there.
    pub(super) fn number(&self, key: &str, most: u64) -> Result<Option<u64>> {
        self.get(key)
            .map(|value| number(&self.field(key), value, most))
            .transpose()
    }

    pub(super) fn address(&self, key: &str) -> Result<u32> {
        let value = self.need(key, "an address such as \"0x40000000\"")?;
        Ok(number(&self.field(key), value, u64::from(u32::MAX))? as u32)
    }

    pub(super) fn flag(&self, key: &str) -> Result<bool> {
        match self.get(key) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(bad(&self.field(key), "must be true or false")),
        }
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<&'a str>> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(bad(&self.field(key), "must be a string")),
        }
    }

    pub(super) fn list(&self, key: &str) -> Result<Option<&'a [Value]>> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Array(list)) => Ok(Some(list)),
            Some(_) => Err(bad(&self.field(key), "must be a list")),
        }
    }
}

/// A JSON integer, or a string with a decimal or 0x number.
pub(super) fn number(field: &str, value: &Value, most: u64) -> Result<u64> {
    let shown = || quote(&value.to_string());
    match unsigned(value) {
        Ok(parsed) if parsed <= most => Ok(parsed),
        Ok(_) | Err(TOO_LARGE) => Err(bad(
            field,
            format!("{} {TOO_LARGE}; at most {most:#x} fits", shown()),
        )),
        Err(what) => {
            let ask = "write an integer, or a string such as \"0x1000\" or \"4096\"";
            Err(bad(field, format!("{} {what}; {ask}", shown())))
        }
    }
}

/// The message about a number that its field has no room for.
pub(super) const TOO_LARGE: &str = "is too large";

/// The number that a value is, or what is wrong with it.
pub(super) fn unsigned(value: &Value) -> std::result::Result<u64, &'static str> {
    const BEHIND_LAST: f64 = 18_446_744_073_709_551_616.0; // 2^64
    match value {
        Value::Number(number) => {
            let near = number.as_f64().unwrap_or(0.0);
            number.as_u64().ok_or(if near >= BEHIND_LAST {
                TOO_LARGE
            } else if number.as_i64().is_some() || near <= -BEHIND_LAST {
                "is negative"
            } else {
                "is no integer"
            })
        }
        Value::String(text) => match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
            Some(digits) => u64::from_str_radix(&digits.replace('_', ""), 16),
            None => text.parse(),
        }
        .map_err(|error| match error.kind() {
            IntErrorKind::PosOverflow => TOO_LARGE,
            _ => "is not a number",
        }),
        _ => Err("is not a number"),
    }
}

#[cfg(test)]
mod tests {
    use crate::job_file::tests::each_is_refused;

    #[test]
    fn a_field_of_another_kind_is_refused() {
        each_is_refused(&[
            ("[]", "the job"),
            (
                r#"{"memory": [], "programs": [], "speed": 1}"#,
                "speed: unknown key",
            ),
            (
                r#"{"memory": {}, "programs": []}"#,
                "memory: must be a list",
            ),
            (
                r#"{"memory": [], "programs": [], "strict": 1}"#,
                "strict: must be true or false",
            ),
        ]);
    }

    #[test]
    fn what_is_no_number_or_too_large_is_refused() {
        each_is_refused(&[
            (
                r#"{"memory": [{"at": "x", "zero": 1}], "programs": []}"#,
                "memory[0].at: \"x\" is not a number",
            ),
            (
                r#"{"memory": [{"at": -1, "zero": 1}], "programs": []}"#,
                "memory[0].at: -1 is negative",
            ),
            (
                r#"{"memory": [{"at": 1.5, "zero": 1}], "programs": []}"#,
                "memory[0].at: 1.5 is no integer",
            ),
            (
                r#"{"memory": [{"at": "0x100000000", "zero": 1}], "programs": []}"#,
                "too large",
            ),
            (
                r#"{"memory": [], "programs": [], "limit_cycles": 1180591620717411303424}"#,
                " is too large; at most 0xffffffffffffffff fits",
            ),
            (
                r#"{"memory": [], "programs": [], "limit_cycles": -1180591620717411303424}"#,
                " is negative",
            ),
            (
                r#"{"memory": [], "programs": [], "clock_hz": "0x100_0000_0000_0000_0000"}"#,
                "clock_hz: \"0x100_0000_0000_0000_0000\" is too large; at most 0xffffffff fits",
            ),
            (
                r#"{"memory": [{"at": 0, "words": [true]}], "programs": []}"#,
                "memory[0].words[0]",
            ),
        ]);
    }
}
