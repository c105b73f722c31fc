//! Spectra that a board sends unasked, one at a time: those of its generator, or of a recording.

use std::time::Duration;

use super::Client;
use crate::failure::Result;
use crate::spectrum::Spectrum;

/// The result of waiting for a spectrum.
#[derive(Debug)]
pub enum Heard {
    /// One came. Values that were lost are NaN.
    Spectrum(Box<Spectrum>),
    /// None within the time.
    Nothing,
    /// None ever again: the recording has ended.
    End,
}

impl Client {
    /// Waits for the next spectrum of whatever stream.
    ///
    /// # Errors
    /// When the line breaks.
    pub fn hear(&mut self, wait: Duration) -> Result<Heard> {
        self.hears_all = true;
        let waited = self.wait_until(wait, |client| !client.spectra.is_empty());
        self.hears_all = false;
        if !self.spectra.is_empty() {
            return Ok(Heard::Spectrum(Box::new(self.spectra.remove(0))));
        }
        match waited {
            Err(_) if !self.link.is_live() => Ok(Heard::End),
            Err(failure) => Err(failure),
            Ok(()) => Ok(Heard::Nothing),
        }
    }

    /// Tells an instrument that is idle to start its generator's spectra.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub fn start(&mut self) -> Result<()> {
        self.command(&wire::Message::Start).map(|_| ())
    }
}
