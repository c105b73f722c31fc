//! The description of samples: what of its JSON is used.

use serde::Deserialize;
use serde_json::Number;

use crate::failure::{Failure, Result};
use crate::text::sentence;

/// A description.
#[derive(Deserialize, Debug)]
pub struct Meta {
    pub global: Global,
    #[serde(default)]
    pub captures: Vec<Capture>,
    #[serde(default)]
    pub annotations: Vec<Remark>,
}

/// Facts about all samples.
#[derive(Deserialize, Debug)]
pub struct Global {
    #[serde(rename = "core:datatype")]
    pub datatype: String,
    #[serde(rename = "core:sample_rate")]
    pub sample_rate: Option<Number>,
    #[serde(rename = "core:num_channels")]
    pub num_channels: Option<u64>,
    /// The number of the first sample of the data.
    #[serde(rename = "core:offset")]
    pub offset: Option<u64>,
    /// The file of the data, where it has another name.
    #[serde(rename = "core:dataset")]
    pub dataset: Option<String>,
    /// Bytes behind the last sample.
    #[serde(rename = "core:trailing_bytes")]
    pub trailing_bytes: Option<u64>,
}

/// Facts from one sample on.
#[derive(Deserialize, Debug)]
pub struct Capture {
    #[serde(rename = "core:sample_start", default)]
    pub sample_start: u64,
    /// The centre in hertz.
    #[serde(rename = "core:frequency")]
    pub frequency: Option<f64>,
    #[serde(rename = "core:datetime")]
    pub datetime: Option<String>,
    /// Bytes before its first sample that are none.
    #[serde(rename = "core:header_bytes")]
    header_bytes: Option<u64>,
}

/// A remark about some samples.
#[derive(Deserialize, Debug)]
pub struct Remark {
    #[serde(rename = "core:sample_start", default)]
    pub sample_start: u64,
    #[serde(rename = "core:sample_count")]
    pub sample_count: Option<u64>,
    #[serde(rename = "core:freq_lower_edge")]
    pub freq_lower_edge: Option<f64>,
    #[serde(rename = "core:freq_upper_edge")]
    pub freq_upper_edge: Option<f64>,
    #[serde(rename = "core:label")]
    label: Option<String>,
    #[serde(rename = "core:description")]
    description: Option<String>,
    #[serde(rename = "core:comment")]
    comment: Option<String>,
}

impl Meta {
    /// Reads a description.
    pub fn decode(name: &str, text: &[u8]) -> Result<Self> {
        serde_json::from_slice(text).map_err(|error| {
            Failure::usage(format!(
                "{name} is no description of samples that SigMF knows: {}; check it with `sigmf_validate`",
                sentence(&error.to_string())
            ))
        })
    }
}

impl Capture {
    pub fn header_bytes(&self) -> u64 {
        self.header_bytes.unwrap_or(0)
    }
}

impl Remark {
    /// Its text.
    pub fn label(&self) -> &str {
        let texts = [&self.label, &self.description, &self.comment];
        let text = texts.into_iter().flatten().find(|text| !text.is_empty());
        text.map_or("", String::as_str)
    }
}
