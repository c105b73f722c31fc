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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::client::tests::fake::{Faults, client};
    use crate::link::{self, Opening};
    use crate::log::Logs;

    #[test]
    fn a_recording_is_heard_to_its_end() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded.bin");
        let opening = Opening::default();
        let link = link::open(file.to_str(), &opening).expect("a recording");
        let mut client = Client::new(link, opening.baud, Logs::default(), true);
        for record in 0..2 {
            match client.hear(Duration::from_secs(5)) {
                Ok(Heard::Spectrum(spectrum)) => assert_eq!(spectrum.record, record),
                other => panic!("{other:?}"),
            }
        }
        let end = client.hear(Duration::from_secs(5));
        assert!(matches!(end, Ok(Heard::End)), "{end:?}");
    }

    #[test]
    fn a_board_that_sends_no_spectrum_is_waited_for_and_no_longer() {
        let mut client = client(Faults::NONE);
        client.start().expect("an answer");
        let before = client.now();
        let heard = client.hear(Duration::from_secs(2));
        assert!(matches!(heard, Ok(Heard::Nothing)), "{heard:?}");
        assert!(client.now() - before >= Duration::from_secs(2));
    }
}
