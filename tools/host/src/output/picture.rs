//! Pictures: a chart of a single record, or a waterfall of several.

use super::place::{OF_ONE, SinkPlace, WATERFALL};
use super::sink::{EncodeRecord, ShownLines, SinkRecord, SpectrumFormat, SpectrumSink};
use crate::lines::Line;
use crate::picture::draw;
use crate::picture::drawing::Drawing;
use crate::picture::waterfall::Waterfall;
use crate::spectrum::Spectrum;
use common::failure::Result;
use common::files::output::write;

/// A picture of pixels.
pub(super) static PNG: PictureFormat = PictureFormat {
    name: "png",
    ending: &["png"],
    read_help: "A picture of all, with time downwards; of each with --each",
    fft_help: "A picture of pixels",
    encode: Drawing::png,
    of_record: |wanted, spectrum, lines| draw(spectrum, lines, &wanted.look).png(),
};

/// A picture of shapes.
pub(super) static SVG: PictureFormat = PictureFormat {
    name: "svg",
    ending: &["svg"],
    read_help: "That picture as shapes",
    fft_help: "A picture of shapes",
    encode: svg,
    of_record: |wanted, spectrum, lines| svg(&draw(spectrum, lines, &wanted.look)),
};

#[expect(clippy::unnecessary_wraps, reason = "pixels can fail")]
fn svg(drawing: &Drawing) -> Result<Vec<u8>> {
    Ok(drawing.svg().into_bytes())
}

/// A format of pictures.
#[derive(Debug)]
pub(super) struct PictureFormat {
    name: &'static str,
    ending: &'static [&'static str; 1],
    read_help: &'static str,
    fft_help: &'static str,
    encode: fn(&Drawing) -> Result<Vec<u8>>,
    of_record: EncodeRecord,
}

impl SpectrumFormat for PictureFormat {
    fn name(&self) -> &'static str {
        self.name
    }

    fn read_help(&self) -> Option<&'static str> {
        Some(self.read_help)
    }

    fn fft_help(&self) -> Option<&'static str> {
        Some(self.fft_help)
    }

    fn endings(&self) -> &'static [&'static str] {
        self.ending
    }

    fn shown_lines(&self) -> ShownLines {
        ShownLines::OfSingle
    }

    fn of_record(&self) -> Option<EncodeRecord> {
        Some(self.of_record)
    }

    fn open(&self, _: &mut SinkPlace<'_>, _: &SinkRecord<'_>) -> Result<Box<dyn SpectrumSink>> {
        Ok(Box::new(PictureSink {
            ending: self.ending[0],
            encode: self.encode,
            of_record: self.of_record,
            single: None,
            waterfall: None,
        }))
    }
}

/// Records that become a picture.
struct PictureSink {
    ending: &'static str,
    encode: fn(&Drawing) -> Result<Vec<u8>>,
    of_record: EncodeRecord,
    /// The only record so far, with its lines.
    single: Option<(Spectrum, Vec<Line>)>,
    waterfall: Option<Waterfall>,
}

impl SpectrumSink for PictureSink {
    fn put(&mut self, record: &SinkRecord<'_>, place: &mut SinkPlace<'_>) -> Result<()> {
        let SinkRecord {
            spectrum,
            lines,
            times,
        } = *record;
        let span = times.span(spectrum);
        if let Some(waterfall) = &mut self.waterfall {
            self.single = None;
            waterfall.push(spectrum, span);
        } else {
            self.single = Some((spectrum.clone(), lines.to_vec()));
            let merge = place.wanted.merge;
            self.waterfall = Some(Waterfall::new(spectrum, span, times.zero, merge));
        }
        Ok(())
    }

    fn finish(self: Box<Self>, place: &mut SinkPlace<'_>) -> Result<()> {
        let wanted = place.wanted;
        if let Some((spectrum, lines)) = &self.single {
            if wanted.each {
                return Ok(());
            }
            let bytes = (self.of_record)(wanted, spectrum, lines)?;
            return write(&place.name(OF_ONE, self.ending)?, &bytes);
        }
        let Some(waterfall) = &self.waterfall else {
            return Ok(());
        };
        let bytes = (self.encode)(&waterfall.draw(&wanted.look))?;
        write(&place.name(WATERFALL, self.ending)?, &bytes)
    }
}
