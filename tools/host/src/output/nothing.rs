//! No output: records are only counted.

use super::place::SinkPlace;
use super::sink::{SinkRecord, SpectrumFormat, SpectrumSink};
use common::failure::Result;

/// The format that shows nothing.
#[derive(Debug)]
pub(super) struct NoFormat;

impl SpectrumFormat for NoFormat {
    fn name(&self) -> &'static str {
        "none"
    }

    fn read_help(&self) -> Option<&'static str> {
        Some("Nothing: only count")
    }

    fn is_printed(&self) -> bool {
        true
    }

    fn open(&self, _: &mut SinkPlace<'_>, _: &SinkRecord<'_>) -> Result<Box<dyn SpectrumSink>> {
        Ok(Box::new(Self))
    }
}

impl SpectrumSink for NoFormat {
    fn put(&mut self, _: &SinkRecord<'_>, _: &mut SinkPlace<'_>) -> Result<()> {
        Ok(())
    }

    fn finish(self: Box<Self>, _: &mut SinkPlace<'_>) -> Result<()> {
        Ok(())
    }
}
