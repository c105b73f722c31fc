//! Measurements by a board itself: microbenchmarks, clocks and the times of its start, and spectra
//! that it sends unasked: those of its generator, or of a recording.

use std::time::Duration;

use wire::{Message, NakCode, PlanName, Proof};

use super::diagnosis::{refused, unexpected};
use super::{ANSWER, Client, TRIES};
use crate::spectrum::Spectrum;
use crate::stream::{Answer, Measured, Probed};
use common::failure::Result;
use common::progress::Progress;

/// The time that a microbenchmark may take: some wait for a program that does not end, and for V3D
/// to come back.
const MEASURE: Duration = Duration::from_secs(4);

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
    /// Runs a microbenchmark of the firmware. `None` when it has none of that number.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub fn measure(&mut self, number: u8) -> Result<Option<Measured>> {
        match self.ask_for_one(&Message::Measure(number))? {
            None => Ok(None),
            Some(Answer::Measured(measured)) => Ok(Some(measured)),
            Some(other) => Err(unexpected("MEASURE", &other)),
        }
    }

    /// Lets the board hold a plan of its QPUs to its ARM. `None` when it is of a length that it
    /// does not have.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub fn prove(&mut self, plan: PlanName) -> Result<Option<Proof>> {
        match self.ask_for_one(&Message::Prove(plan))? {
            None => Ok(None),
            Some(Answer::Proof(proof)) => Ok(Some(proof)),
            Some(other) => Err(unexpected("PROVE", &other)),
        }
    }

    /// Lets the board look at its live input.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub fn probe(&mut self) -> Result<Probed> {
        match self.ask(&Message::Probe, MEASURE, TRIES)? {
            Answer::Probed(probed) => Ok(*probed),
            other => Err(unexpected("PROBE", &other)),
        }
    }

    /// Asks for one of several. `None` when the board has not got it.
    fn ask_for_one(&mut self, message: &Message) -> Result<Option<Answer>> {
        match self.ask_or_nak(message, MEASURE, TRIES)? {
            Answer::Nak(NakCode::BAD_VALUE, _) => Ok(None),
            Answer::Nak(code, sentence) => Err(refused(code, &sentence)),
            answer => Ok(Some(answer)),
        }
    }

    /// The lines that the board answers to GET of these names.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub fn lines_of(&mut self, names: &str) -> Result<String> {
        match self.ask(&Message::Get(names), ANSWER.max(MEASURE), TRIES)? {
            Answer::Settings(text) => Ok(text),
            other => Err(unexpected("GET", &other)),
        }
    }

    /// Takes in what a board says unasked, until its first spectrum has come or so much time is
    /// over.
    ///
    /// # Errors
    /// When the line breaks.
    pub fn overhear(&mut self, most: Duration) -> Result<()> {
        self.wait_until(most, |client| client.health().spectra > 0)
    }

    /// Time since the line was opened, on its own clock.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.link.now()
    }

    /// Starts the generator's spectra and takes in what comes for so long; then ends them. Gives
    /// the spectra that have come.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub fn listen(&mut self, span: Duration) -> Result<u64> {
        let before = self.health().spectra;
        self.command(&Message::Start)?;
        let began = self.link.now();
        let mut progress = Progress::new("listening", span.as_secs(), "s");
        self.wait_until(span, |client| {
            progress.set((client.link.now() - began).as_secs());
            false
        })?;
        self.stop()?;
        Ok(self.health().spectra - before)
    }

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
        self.command(&Message::Start).map(|_| ())
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
