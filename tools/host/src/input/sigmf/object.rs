//! Objects of a description, whose values may be anything.
//!
//! JSON knows one kind of number: `0.0` and `1e3` are whole. A value that is null says nothing. One
//! that cannot be what its key says is an [`OddValue`], which the reader names or refuses.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::value::RawValue;

use super::text::DescriptionText;
use common::quantity;
use common::text::quote;

/// An object: its keys and the text of their values. Of a key that is repeated the last counts.
#[derive(Debug)]
pub struct MetaObject<'a> {
    text: &'a DescriptionText,
    members: BTreeMap<String, &'a RawValue>,
}

/// A value that cannot be what its key says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OddValue {
    key: &'static str,
    /// None of a key that has to be there.
    value: Option<String>,
    /// The thing that it is not.
    wanted: &'static str,
}

impl OddValue {
    /// True of a key that has to be there and is not.
    pub const fn is_missing(&self) -> bool {
        self.value.is_none()
    }
}

impl fmt::Display for OddValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Some(value) => write!(f, "{} `{value}` is no {}", self.key, self.wanted),
            None => write!(f, "{} is missing", self.key),
        }
    }
}

/// What a value says; nothing where it is absent or null.
pub type Said<T> = Result<Option<T>, OddValue>;

impl<'a> MetaObject<'a> {
    /// The object that a value is.
    pub fn new(text: &'a DescriptionText, value: &'a RawValue) -> Option<Self> {
        let members = serde_json::from_str(value.get()).ok()?;
        Some(Self { text, members })
    }

    /// The value of a key, if it says something.
    pub fn get(&self, key: &str) -> Option<&'a RawValue> {
        self.get_any(key).filter(|value| value.get() != "null")
    }

    /// The value of a key, or null.
    pub fn get_any(&self, key: &str) -> Option<&'a RawValue> {
        self.members.get(key).copied()
    }

    /// A whole number from 0 on.
    pub fn whole(&self, key: &'static str) -> Said<u64> {
        self.say(key, "whole number from 0 on", |value| whole(value.get()))
    }

    /// A whole number that has to be there.
    pub fn needed(&self, key: &'static str) -> Result<u64, OddValue> {
        let missing = OddValue {
            key,
            value: None,
            wanted: "number",
        };
        self.whole(key)?.ok_or(missing)
    }

    /// A number, or text that is one, such as `145 MHz`.
    pub fn hertz(&self, key: &'static str) -> Said<f64> {
        self.say(key, "number of hertz", |value| {
            let number = match string(value) {
                Some(text) => quantity::hertz(&text).ok(),
                None => value.get().parse::<f64>().ok(),
            };
            number.filter(|hz| hz.is_finite())
        })
    }

    /// A text.
    pub fn string(&self, key: &'static str) -> Said<String> {
        self.say(key, "text", string)
    }

    /// True or false.
    pub fn truth(&self, key: &'static str) -> Said<bool> {
        self.say(key, "true or false", |value| value.get().parse().ok())
    }

    /// A value, of which `read` makes what it says.
    pub fn say<T>(
        &self,
        key: &'static str,
        wanted: &'static str,
        read: impl FnOnce(&'a RawValue) -> Option<T>,
    ) -> Said<T> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let odd = || OddValue {
            key,
            value: Some(quote(self.text.own_value(value).trim_matches('"'))),
            wanted,
        };
        read(value).map(Some).ok_or_else(odd)
    }
}

/// The text that a value is.
pub fn string(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get()).ok()
}

/// The whole number that a number of JSON is, exactly.
fn whole(number: &str) -> Option<u64> {
    if !number.starts_with(|first: char| first.is_ascii_digit() || first == '-') {
        return None;
    }
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    if mantissa.bytes().all(|byte| b"-0.".contains(&byte)) {
        return Some(0);
    }
    let mantissa = match mantissa.contains('.') {
        true => mantissa.trim_end_matches('0').trim_end_matches('.'),
        false => mantissa,
    };
    quantity::number(&format!("{mantissa}e{exponent}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_a_whole_number_is_read_exactly() {
        for (number, wanted) in [
            ("0", Some(0)),
            ("-0", Some(0)),
            ("0.0", Some(0)),
            ("-0.0e9", Some(0)),
            ("0e999", Some(0)),
            ("10.0", Some(10)),
            ("1e3", Some(1000)),
            ("1.50E+2", Some(150)),
            ("2500e-2", Some(25)),
            ("9007199254740993", Some((1 << 53) + 1)),
            ("18446744073709551615.000", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("-1", None),
            ("0.5", None),
            ("1e400", None),
            ("true", None),
            ("\"3\"", None),
            ("[]", None),
        ] {
            assert_eq!(whole(number), wanted, "{number}");
        }
    }

    #[test]
    fn a_value_says_what_its_key_wants_or_is_odd() {
        let text = r#"{"n": 1e1, "x": NaN, "hz": "145 MHz", "t": "a", "none": null, "hz2": -1e400, "no": "a\nb"}"#;
        let text = DescriptionText::decode("a", text.as_bytes()).expect("text");
        let value: &RawValue = serde_json::from_str(text.readable()).expect("JSON");
        let object = MetaObject::new(&text, value).expect("an object");
        assert_eq!(object.whole("n"), Ok(Some(10)));
        assert_eq!(object.hertz("n"), Ok(Some(10.0)));
        assert_eq!(object.hertz("hz"), Ok(Some(145e6)));
        assert_eq!(object.string("t"), Ok(Some("a".to_owned())));
        assert_eq!(object.whole("none"), Ok(None));
        assert_eq!(object.whole("absent"), Ok(None));
        for (odd, wanted) in [
            (object.hertz("x").err(), "x `NaN` is no number of hertz"),
            (
                object.hertz("hz2").err(),
                "hz2 `-1e400` is no number of hertz",
            ),
            (
                object.whole("t").err(),
                "t `a` is no whole number from 0 on",
            ),
            (object.string("n").err(), "n `1e1` is no text"),
            (object.truth("no").err(), "no `a\\nb` is no true or false"),
        ] {
            assert_eq!(odd.map(|odd| odd.to_string()).as_deref(), Some(wanted));
        }
    }
}
