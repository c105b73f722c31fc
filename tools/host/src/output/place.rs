//! The place that records of one kind go to: standard output, or files in a folder.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::options::SinkOptions;
use common::failure::Result;
use common::files::output::Output;
use common::files::{self, Input};
use common::say;

/// The stem of files of one record.
pub(super) const OF_ONE: &str = "spectrum";
/// The stem of pictures of several records.
pub(super) const WATERFALL: &str = "waterfall";
/// The stem of other files of several records.
pub(super) const OF_ALL: &str = "spectra";

/// A place that sinks write to.
pub struct SinkPlace<'a> {
    /// The options of all outputs.
    pub wanted: &'a SinkOptions,
    /// The number among the series of files of a command, from 1 on; none on standard output.
    series: Option<usize>,
    /// Files that no output may be.
    inputs: &'a [Input<'a>],
    names: Vec<PathBuf>,
}

impl<'a> SinkPlace<'a> {
    /// Standard output.
    #[must_use]
    pub const fn standard_output(wanted: &'a SinkOptions) -> Self {
        Self {
            wanted,
            series: None,
            inputs: &[],
            names: vec![],
        }
    }

    /// Files of a command's series with this number, from 1 on; none of them may be an input.
    #[must_use]
    pub const fn files(wanted: &'a SinkOptions, inputs: &'a [Input<'a>], series: usize) -> Self {
        Self {
            wanted,
            series: Some(series),
            inputs,
            names: vec![],
        }
    }

    /// Reports if this is standard output.
    pub(super) const fn is_printed(&self) -> bool {
        self.series.is_none()
    }

    /// The path of a file of these records; those of the second series of a command end in -2.
    ///
    /// # Errors
    /// Usage for an input.
    pub(super) fn name(&mut self, stem: &str, ending: &str) -> Result<PathBuf> {
        let number = match self.series {
            None | Some(1) => String::new(),
            Some(number) => format!("-{number}"),
        };
        let path = self.wanted.folder.join(format!("{stem}{number}.{ending}"));
        files::apart(&[&path], self.inputs)?;
        self.names.push(path.clone());
        Ok(path)
    }

    /// Standard output, or else a file of all records with this ending.
    ///
    /// # Errors
    /// Usage for an input, failed for what cannot be written.
    pub(super) fn stream(&mut self, ending: &str) -> Result<SinkStream> {
        Ok(match self.is_printed() {
            true => SinkStream::Printed,
            false => SinkStream::File(Output::create(&self.name(OF_ALL, ending)?)?),
        })
    }

    /// The files that got a name, in the order in which they did.
    #[must_use]
    pub fn into_names(self) -> Vec<PathBuf> {
        self.names
    }
}

/// Standard output or a file, for records that are written as they come.
pub(super) enum SinkStream {
    Printed,
    File(Output),
}

impl SinkStream {
    /// Writes text.
    pub(super) fn text(&mut self, text: &str) -> Result<()> {
        match self {
            Self::Printed => say::data(text),
            Self::File(file) => file.put(text.as_bytes()),
        }
    }

    /// Writes bytes as they are.
    pub(super) fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        match self {
            Self::Printed => say::bytes(bytes),
            Self::File(file) => file.put(bytes),
        }
    }

    /// Gives a file its name.
    pub(super) fn finish(self) -> Result<()> {
        match self {
            Self::Printed => Ok(()),
            Self::File(file) => file.finish(),
        }
    }
}

/// Returns whether a file is named like a result with one of these endings.
pub(super) fn is_result(path: &Path, mut endings: impl Iterator<Item = &'static str>) -> bool {
    let counts = |count: &str| count.bytes().all(|digit| digit.is_ascii_digit());
    let name = path.file_name().and_then(OsStr::to_str);
    name.and_then(|name| name.split_once('.'))
        .is_some_and(|(stem, ending)| {
            let stem = match stem.rsplit_once('-') {
                Some((stem, count)) if counts(count) => stem,
                _ => stem,
            };
            [OF_ONE, WATERFALL, OF_ALL].contains(&stem) && endings.any(|other| other == ending)
        })
}
