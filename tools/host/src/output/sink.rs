//! The traits of an output of spectra: a format, and the sink that it opens.
//!
//! A [`SpectrumFormat`] says what it is called and where its records go. For records of one kind it
//! opens a [`SpectrumSink`], which takes them one at a time, so that a recording of any length
//! takes the same memory. [`FORMATS`](super::FORMATS) lists all formats.

use std::fmt::Debug;

use super::options::SinkOptions;
use super::place::SinkPlace;
use super::times::Times;
use crate::lines::Line;
use crate::spectrum::Spectrum;
use common::failure::Result;

/// A record on its way out.
#[derive(Clone, Copy, Debug)]
pub struct SinkRecord<'a> {
    /// The spectrum.
    pub spectrum: &'a Spectrum,
    /// Its strongest lines, where the format shows them.
    pub lines: &'a [Line],
    /// The places of records in time.
    pub times: &'a Times,
}

/// The records whose lines a format shows: they take longer to find than all else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShownLines {
    /// Those of no record.
    None,
    /// Those of a record that is alone in its file. The first may stay the only one.
    OfSingle,
    /// Those of every record.
    OfAll,
}

/// Makes the file of one record by itself.
///
/// # Errors
/// When a picture cannot be encoded.
pub type EncodeRecord = fn(&SinkOptions, &Spectrum, &[Line]) -> Result<Vec<u8>>;

/// A format of spectra, as `--format` names it.
pub trait SpectrumFormat: Debug + Sync {
    /// Its name for `--format`.
    fn name(&self) -> &'static str;

    /// Another name for it, if it has one.
    fn alias(&self) -> Option<&'static str> {
        None
    }

    /// The words about it in the help of `read`. None: `read` does not have it.
    fn read_help(&self) -> Option<&'static str> {
        None
    }

    /// The words about it in the help of `fft`. None: `fft` does not have it.
    fn fft_help(&self) -> Option<&'static str> {
        None
    }

    /// The endings of its files, without a point at the beginning.
    fn endings(&self) -> &'static [&'static str] {
        &[]
    }

    /// True if `read` prints it; else `read` writes files, as `fft` always does.
    fn is_printed(&self) -> bool {
        false
    }

    /// True if its records have a date.
    fn is_dated(&self) -> bool {
        false
    }

    /// The records whose lines it shows.
    fn shown_lines(&self) -> ShownLines {
        ShownLines::None
    }

    /// Makes the file of a record by itself, with the first of [`endings`](Self::endings). None:
    /// all records share their files.
    fn of_record(&self) -> Option<EncodeRecord> {
        None
    }

    /// Opens a sink for records of one kind, of which this is the first; it is put into the sink
    /// afterwards.
    ///
    /// # Errors
    /// Usage for an input, failed for what cannot be written.
    fn open(
        &self,
        place: &mut SinkPlace<'_>,
        first: &SinkRecord<'_>,
    ) -> Result<Box<dyn SpectrumSink>>;
}

/// A format of the list.
pub type AnyFormat = &'static dyn SpectrumFormat;

/// Records of one kind on their way out in one format.
pub trait SpectrumSink {
    /// Takes the next record.
    ///
    /// # Errors
    /// When it cannot be written.
    fn put(&mut self, record: &SinkRecord<'_>, place: &mut SinkPlace<'_>) -> Result<()>;

    /// Gives all files their names.
    ///
    /// # Errors
    /// When one cannot be written.
    fn finish(self: Box<Self>, place: &mut SinkPlace<'_>) -> Result<()>;
}
