//! The virtual Pi in a worker, with a part on its pins.

mod digest;
mod playing;
mod speed;
#[cfg(test)]
mod tests;

use virtual_pi::{Config, I2sPart, Stop, VirtualPi};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::samples::Samples;
use playing::{Channel, Playing};

pub use digest::digest;

/// The revision code of a B+, the first board whose header has the pins of every part.
const B_PLUS: u32 = 0x0010;

/// A virtual Pi that is switched on.
#[wasm_bindgen]
pub struct Machine {
    board: VirtualPi,
    playing: Option<Playing>,
    /// The last run ended because samples have not come.
    is_starved: bool,
    /// A sentence about a source that has ended by itself.
    ended: Option<String>,
}

/// The board of the page.
fn config(cmdline: &str) -> Config {
    Config {
        cmdline: cmdline.into(),
        revision: Some(B_PLUS),
        ..Config::default()
    }
}

#[wasm_bindgen]
impl Machine {
    /// Boots `image` with the settings of `cmdline`.
    ///
    /// # Errors
    /// A sentence, for an image or settings that no board can be built from.
    #[wasm_bindgen(constructor)]
    pub fn new(image: &[u8], cmdline: &str) -> Result<Machine, String> {
        let board = VirtualPi::new(config(cmdline), image).map_err(|error| error.to_string())?;
        Ok(Self {
            board,
            playing: None,
            is_starved: false,
            ended: None,
        })
    }

    /// Lets `us` microseconds of virtual time pass, less when live samples have not come; returns
    /// the bytes that the host has received.
    ///
    /// # Errors
    /// A sentence, when the board stopped.
    pub fn run(&mut self, us: u32) -> Result<Vec<u8>, String> {
        let until = self.board.now_ns() + u64::from(us) * 1000;
        self.is_starved = false;
        loop {
            match self.board.run_until_ns(until) {
                Stop::Deadline => break,
                Stop::Reset => {}
                Stop::Fault(fault) => return Err(fault.to_string()),
                Stop::Starved => {
                    let has_more = self.playing.as_mut().is_some_and(Playing::top_up);
                    if self.playing.as_ref().is_some_and(Playing::has_ended) {
                        self.unplug();
                        self.ended = Some("The file has ended.".into());
                    } else if !has_more {
                        self.is_starved = true;
                        break;
                    }
                }
            }
        }
        let received = self.board.serial_received();
        Ok(received.iter().map(|byte| byte.value).collect())
    }

    /// Virtual time since power-on, in seconds.
    pub fn seconds(&self) -> f64 {
        self.board.now_ns() as f64 / 1e9
    }

    /// Sends bytes from the host to the board.
    pub fn send(&mut self, bytes: &[u8]) {
        self.board.serial_send(bytes);
    }

    /// Changes the rate of the host's side of the line.
    pub fn set_baud(&mut self, baud: u32) {
        self.board.set_host_baud(baud);
    }

    /// Takes the parts off the pins.
    pub fn unplug(&mut self) {
        self.board.set_i2s(None);
        self.board.set_parallel(None);
        self.playing = None;
        self.is_starved = false;
    }

    /// Wires an ADC to the I2S pins that gives the clocks and plays what [`Machine::feed`] brings,
    /// at `hz` samples a second; returns facts for the page as JSON.
    ///
    /// # Errors
    /// A sentence, for a rate that the pins do not carry.
    pub fn play_live(&mut self, hz: u32) -> Result<String, String> {
        Ok(self.play(Playing::live(hz)?))
    }

    /// Takes live samples; full scale is 1.
    ///
    /// # Errors
    /// A sentence, when the board is so far behind that they would be lost; the part is gone then.
    pub fn feed(&mut self, samples: &[f32]) -> Result<(), String> {
        if self
            .playing
            .as_ref()
            .is_none_or(|playing| playing.push(samples))
        {
            return Ok(());
        }
        let behind_s = self.behind();
        self.unplug();
        Err(format!(
            "This computer simulates slower than samples come, and is {behind_s:.0} s behind: the source was stopped. \
             Choose fewer points or less overlap, and start it again."
        ))
    }

    /// Wires an ADC to the I2S pins that plays a file; returns facts for the page as JSON.
    /// `rate_hz` is for raw samples (0: not known), and `channel` is `left`, `right` or `iq`.
    ///
    /// # Errors
    /// A sentence, for a file that cannot be played.
    pub fn play_file(
        &mut self,
        name: &str,
        bytes: Vec<u8>,
        rate_hz: f64,
        channel: &str,
        repeats: bool,
    ) -> Result<String, String> {
        let channel = Channel::from_name(channel).ok_or("The channel is left, right or iq.")?;
        let samples = Samples::open(name, bytes, rate_hz)?;
        Ok(self.play(Playing::file(samples, channel, repeats)))
    }

    /// Plays the shipped table of temperatures, again and again, as [`Machine::play_file`] does a
    /// file.
    ///
    /// # Errors
    /// A sentence, for another table.
    pub fn play_temperatures(&mut self, table: &str) -> Result<String, String> {
        let samples = Samples::temperatures(table)?;
        Ok(self.play(Playing::file(samples, Channel::Left, true)))
    }

    fn play(&mut self, (playing, part, facts): (Playing, I2sPart, String)) -> String {
        self.unplug();
        self.board.set_i2s(Some(part));
        self.playing = Some(playing);
        facts
    }

    /// Wires a parallel ADC to the SMI pins that plays tones and short bursts; returns facts for
    /// the page as JSON.
    pub fn play_bursts(&mut self) -> String {
        let (part, facts) = playing::bursts();
        self.unplug();
        self.board.set_parallel(Some(part));
        facts
    }

    /// True if virtual time stands until live samples come.
    pub fn is_starved(&self) -> bool {
        self.is_starved
    }

    /// Seconds of live samples that wait.
    pub fn behind(&self) -> f64 {
        self.playing.as_ref().map_or(0.0, Playing::behind_s)
    }

    /// Takes the sentence about a source that has ended by itself.
    pub fn take_ended(&mut self) -> Option<String> {
        self.ended.take()
    }

    /// Takes notes for people: requests that the firmware does not answer, warnings of V3D.
    pub fn messages(&mut self) -> Vec<String> {
        self.board.messages()
    }
}
