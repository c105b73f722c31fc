//! The text of a description, as programs write it.
//!
//! Python writes `NaN` and `Infinity` where a number has no value, and editors write a byte order
//! mark in front. JSON has neither, so both are hidden from its reader. The text itself stays as it
//! is, because it is written back.

use std::ops::Range;

use serde_json::value::RawValue;

use common::failure::{Failure, Result};

/// Numbers that JSON does not have, and strings of the same length that are read in their place.
const NO_NUMBERS: [(&str, &str); 3] = [
    ("-Infinity", "\"endless\""),
    ("Infinity", "\"no end\""),
    ("NaN", "\"-\""),
];

/// A description of samples.
#[derive(Debug)]
pub struct DescriptionText {
    own: String,
    /// The text that is JSON, where the own one is not.
    readable: Option<String>,
}

impl DescriptionText {
    /// The text of a file.
    ///
    /// # Errors
    /// Usage, when it is no UTF-8.
    pub fn decode(name: &str, bytes: &[u8]) -> Result<Self> {
        let text = match bytes {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => None,
            [0xef, 0xbb, 0xbf, text @ ..] | text => str::from_utf8(text).ok(),
        };
        let own = text.ok_or_else(|| {
            Failure::usage(format!(
                "{name} is no text in UTF-8, as a description of samples has to be; save it as UTF-8"
            ))
        })?;
        Ok(Self {
            own: own.to_owned(),
            readable: hidden(own),
        })
    }

    /// The text without a byte order mark.
    pub fn own(&self) -> &str {
        &self.own
    }

    /// The text as JSON, every part in its place.
    pub fn readable(&self) -> &str {
        self.readable.as_ref().unwrap_or(&self.own)
    }

    /// The place of a value of [`DescriptionText::readable`].
    pub fn place(&self, value: &RawValue) -> Range<usize> {
        let value = value.get();
        let start = value.as_ptr().addr() - self.readable().as_ptr().addr();
        start..start + value.len()
    }

    /// A value as the file has it.
    pub fn own_value(&self, value: &RawValue) -> &str {
        &self.own[self.place(value)]
    }
}

/// The text with strings in place of numbers that JSON does not have, where it has some.
fn hidden(text: &str) -> Option<String> {
    if !NO_NUMBERS.iter().any(|(number, _)| text.contains(number)) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.find(['"', 'N', 'I', '-']) {
        let (before, at) = rest.split_at(next);
        out.push_str(before);
        let found = NO_NUMBERS.iter().find(|(number, _)| at.starts_with(number));
        let length = match found {
            Some((number, string)) => {
                out.push_str(string);
                number.len()
            }
            None => {
                let length = if at.starts_with('"') {
                    string_length(at)
                } else {
                    1
                };
                out.push_str(&at[..length]);
                length
            }
        };
        rest = &at[length..];
    }
    out.push_str(rest);
    Some(out)
}

/// The bytes of a string of JSON, with its quotation marks.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_json_lacks_are_hidden_outside_of_strings_alone() {
        for (number, string) in NO_NUMBERS {
            assert_eq!(number.len(), string.len(), "{number}");
        }
        let text = r#"{"a NaN": [NaN, -Infinity,Infinity], "b\"NaN\\": "Infinity", "c": -1}"#;
        let wanted = r#"{"a NaN": ["-", "endless","no end"], "b\"NaN\\": "Infinity", "c": -1}"#;
        assert_eq!(hidden(text).as_deref(), Some(wanted));
        assert_eq!(hidden("{}"), None);
        assert_eq!(hidden("NaN\"NaN").as_deref(), Some("\"-\"\"NaN"));
    }

    #[test]
    fn a_byte_order_mark_is_skipped_and_other_encodings_are_named() {
        let text = DescriptionText::decode("a", b"\xef\xbb\xbf{}").expect("text");
        assert_eq!((text.own(), text.readable()), ("{}", "{}"));
        for bytes in [&b"\xff\xfe{\0}\0"[..], b"\xfe\xff\0{\0}", b"{\"\xe4\"}"] {
            let failure = DescriptionText::decode("a", bytes).expect_err("no UTF-8");
            assert!(failure.message.ends_with("save it as UTF-8"), "{failure}");
        }
    }
}
