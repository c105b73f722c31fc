//! Files for all records of one kind: one picture, one table, one array.
//!
//! Records go through one at a time, so that a recording of any length takes the same memory. A
//! single record has files of its own, `spectrum.*`; of several there is a waterfall in place of
//! the chart, and `spectra.csv` has a line for each.

use std::path::{Path, PathBuf};

use super::npy::Npy;
use super::sigmf::{Recorded, Sigmf};
use super::{RtlPower, Sdrff, Times, csv, csv_row, csv_row_headings};
use crate::lines::Line;
use crate::picture::waterfall::{Merge, Waterfall};
use crate::picture::{Theme, draw};
use crate::spectrum::Spectrum;
use common::failure::Result;
use common::files::output::Output;
use common::files::{self, Input};
use common::text;

/// A kind of file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Kind {
    /// A picture of pixels
    Png,
    /// A picture of shapes
    Svg,
    /// A table
    Csv,
    /// Lines of rtl_power
    #[value(name = "rtl_power")]
    RtlPower,
    /// Binary records of soapy_power
    #[value(alias = "soapy_power_bin")]
    Sdrff,
    /// An array for NumPy, and a description in JSON
    Npy,
    /// The strongest lines as annotations of the recording
    Sigmf,
}

/// The files that records go to.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Their folder.
    pub folder: PathBuf,
    /// Their kinds.
    pub kinds: Vec<Kind>,
    /// The background of pictures.
    pub theme: Theme,
    /// The level of records and bins that share a pixel.
    pub merge: Merge,
    /// True if each record has files of its own besides, which the caller writes.
    pub each: bool,
    /// Changes that were made to the samples, one sentence each.
    pub notes: Vec<String>,
    /// The recording, where there is one.
    pub recorded: Option<Recorded>,
}

/// Records of one kind and the files that they go to.
pub struct Series<'a> {
    wanted: &'a Wanted,
    inputs: &'a [Input<'a>],
    /// Number among the series of a command, from 1 on.
    number: usize,
    times: Times,
    waterfall: Waterfall,
    /// The only record so far, with its lines.
    single: Option<(Spectrum, Vec<Line>)>,
    table: Option<Output>,
    rtl_power: Option<(Output, RtlPower)>,
    sdrff: Option<(Output, Sdrff)>,
    npy: Option<Npy>,
    sigmf: Option<Sigmf>,
    names: Vec<PathBuf>,
}

impl<'a> Series<'a> {
    /// Begins files with a record; none of them may be one of the `inputs`.
    ///
    /// # Errors
    /// Usage for an input, failed for what cannot be written.
    pub fn begin(
        wanted: &'a Wanted,
        inputs: &'a [Input<'a>],
        number: usize,
        times: Times,
        spectrum: &Spectrum,
        lines: &[Line],
    ) -> Result<Self> {
        let span = times.span(spectrum);
        let mut series = Self {
            wanted,
            inputs,
            number,
            times,
            waterfall: Waterfall::new(spectrum, span, times.zero, wanted.merge),
            single: Some((spectrum.clone(), lines.to_vec())),
            table: None,
            rtl_power: None,
            sdrff: None,
            npy: None,
            sigmf: None,
            names: vec![],
        };
        for kind in &wanted.kinds {
            series.open(*kind, spectrum)?;
        }
        series.put(spectrum, lines)?;
        Ok(series)
    }

    /// Returns whether a record belongs to the same files.
    #[must_use]
    pub fn takes(&self, spectrum: &Spectrum) -> bool {
        self.waterfall.takes(spectrum, self.times.span(spectrum))
    }

    /// Takes a record that belongs to them.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn push(&mut self, spectrum: &Spectrum, lines: &[Line]) -> Result<()> {
        if let Some((first, _)) = self.single.take()
            && self.wanted.kinds.contains(&Kind::Csv)
        {
            let mut table = Output::create(&self.name("spectra", "csv")?)?;
            let headings = csv_row_headings(&first);
            table.put(text::shown(&headings).as_bytes())?;
            table.put(csv_row(&first).as_bytes())?;
            self.table = Some(table);
        }
        let span = self.times.span(spectrum);
        self.waterfall.push(spectrum, span);
        self.put(spectrum, lines)
    }

    /// Gives all files their names, which are returned.
    ///
    /// # Errors
    /// When one cannot be written.
    pub fn finish(mut self) -> Result<Vec<PathBuf>> {
        if let Some((spectrum, lines)) = self.single.take() {
            let kinds = if self.wanted.each {
                &[]
            } else {
                &self.wanted.kinds[..]
            };
            for kind in kinds {
                if let Some((ending, bytes)) = of_record(self.wanted, *kind, &spectrum, &lines)? {
                    files::output::write(&self.name("spectrum", ending)?, &bytes)?;
                }
            }
        } else {
            for (kind, ending) in [(Kind::Png, "png"), (Kind::Svg, "svg")] {
                if self.wanted.kinds.contains(&kind) {
                    let drawing = self.waterfall.draw(self.wanted.theme);
                    let bytes = match kind {
                        Kind::Png => drawing.png()?,
                        _ => drawing.svg().into_bytes(),
                    };
                    files::output::write(&self.name("waterfall", ending)?, &bytes)?;
                }
            }
        }
        let sdrff = self.sdrff.map(|(file, _)| file);
        let outputs = [self.table, sdrff, self.rtl_power.map(|(file, _)| file)];
        for output in outputs.into_iter().flatten() {
            output.finish()?;
        }
        self.npy.map_or(Ok(()), Npy::finish)?;
        self.sigmf.map_or(Ok(()), Sigmf::finish)?;
        Ok(self.names)
    }

    /// The path of a file of these records; those of the second series of a command end in -2.
    fn name(&mut self, stem: &str, ending: &str) -> Result<PathBuf> {
        let number = match self.number {
            1 => String::new(),
            number => format!("-{number}"),
        };
        let path = self.wanted.folder.join(format!("{stem}{number}.{ending}"));
        files::apart(&[&path], self.inputs)?;
        self.names.push(path.clone());
        Ok(path)
    }

    /// Begins a file that records go to as they come.
    fn open(&mut self, kind: Kind, first: &Spectrum) -> Result<()> {
        match kind {
            Kind::Png | Kind::Svg | Kind::Csv => {}
            Kind::RtlPower => {
                let file = Output::create(&self.name("spectra", "rtl_power.csv")?)?;
                self.rtl_power = Some((file, RtlPower::default()));
            }
            Kind::Sdrff => {
                let file = Output::create(&self.name("spectra", "sdrff")?)?;
                self.sdrff = Some((file, Sdrff::default()));
            }
            Kind::Npy => {
                let [array, words] = [self.name("spectra", "npy")?, self.name("spectra", "json")?];
                self.npy = Some(Npy::create(&array, &words, first, &self.times)?);
            }
            Kind::Sigmf => {
                if let Some(recorded) = &self.wanted.recorded {
                    let path = self.name("spectra", "sigmf-meta")?;
                    self.sigmf = Some(Sigmf::create(&path, recorded, first)?);
                }
            }
        }
        Ok(())
    }

    /// Writes a record to all files that are open.
    fn put(&mut self, spectrum: &Spectrum, lines: &[Line]) -> Result<()> {
        if let Some(table) = &mut self.table {
            table.put(csv_row(spectrum).as_bytes())?;
        }
        if let Some((file, format)) = &mut self.rtl_power {
            file.put(format.line(spectrum, &self.times).as_bytes())?;
        }
        if let Some((file, format)) = &mut self.sdrff {
            file.put(&format.record(spectrum, &self.times))?;
        }
        if let Some(npy) = &mut self.npy {
            npy.push(spectrum, &self.times)?;
        }
        if let Some(sigmf) = &mut self.sigmf {
            sigmf.push(spectrum, lines)?;
        }
        Ok(())
    }
}

/// The file of a record by itself: its ending and its bytes. Kinds that hold many records have
/// none.
///
/// # Errors
/// When a picture cannot be encoded.
pub fn of_record(
    wanted: &Wanted,
    kind: Kind,
    spectrum: &Spectrum,
    lines: &[Line],
) -> Result<Option<(&'static str, Vec<u8>)>> {
    Ok(Some(match kind {
        Kind::Png => ("png", draw(spectrum, lines, wanted.theme).png()?),
        Kind::Svg => {
            let picture = draw(spectrum, lines, wanted.theme);
            ("svg", picture.svg().into_bytes())
        }
        Kind::Csv => {
            let table = csv(spectrum, &wanted.notes);
            ("csv", text::shown(&table).into_owned().into_bytes())
        }
        _ => return Ok(None),
    }))
}

/// A path within a sentence, without a leading `./`.
#[must_use]
pub fn shown(path: &Path) -> String {
    common::say::path(path.strip_prefix("./").unwrap_or(path))
}
