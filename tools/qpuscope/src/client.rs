//! The host's end of a conversation with an instrument: requests, answers, uploads.
//!
//! Every request carries a number and is repeated a bounded number of times with the same number;
//! the protocol makes requests idempotent. What the board says in between (text, logs, spectra,
//! faults) is taken in while an answer is awaited. All times are the link's.

#[cfg(test)]
mod fake;
mod upload;

use std::time::Duration;

use wire::{Credit, Encoder, Envelope, MAX_FRAME, MAX_PAYLOAD, Message, NakCode};

use crate::failure::{Failure, Result};
use crate::input::Unit;
use crate::link::{FIRST_BAUD, Link, Received};
use crate::log::Logs;
use crate::spectrum::Spectrum;
use crate::stream::{Answer, Event, Health, Info, Receiver};

/// How long an answer to a plain request may take before it is repeated.
const ANSWER: Duration = Duration::from_millis(500);
/// How often a plain request is sent.
const TRIES: u32 = 4;
/// From the acknowledgement of a new rate to the first byte at it; the board waits 500 ms.
const SETTLE: Duration = Duration::from_millis(30);
/// How often STOP is sent: the longest record takes 23 seconds at 115,200 baud.
const STOP_TRIES: u32 = 60;
/// How often HELLO is sent: a board needs some seconds from power-on to its first answer.
const HELLO_TRIES: u32 = 16;

/// A conversation.
pub struct Client {
    link: Box<dyn Link>,
    receiver: Receiver,
    encoder: Encoder,
    logs: Logs,
    request: u16,
    stream: u16,
    baud: u32,
    credit: Option<Credit>,
    /// Credits and heartbeats received: frames that show life and no progress.
    heartbeats: u64,
    spectra: Vec<Spectrum>,
    /// Values lost out of the spectra of the present stream.
    missing: u32,
    quiet: bool,
}

impl Client {
    /// A conversation over `link`, which runs at `baud`; text of the board goes to standard error
    /// unless `quiet`.
    #[must_use]
    pub fn new(link: Box<dyn Link>, baud: u32, logs: Logs, quiet: bool) -> Self {
        Self {
            link,
            receiver: Receiver::default(),
            encoder: Encoder::new(),
            logs,
            request: 0,
            stream: 0,
            baud,
            credit: None,
            heartbeats: 0,
            spectra: vec![],
            missing: 0,
            quiet,
        }
    }

    /// How the line behaved so far.
    #[must_use]
    pub fn health(&self) -> Health {
        self.receiver.health()
    }

    /// Says what the samples of the next uploads are.
    pub fn name_upload(&mut self, source: &str, unit: &Unit) {
        self.receiver.name_upload(source, unit);
    }

    /// A sentence about logs that could not be shown, if any and not quiet.
    #[must_use]
    pub fn log_remark(&self) -> Option<String> {
        self.logs.remark().filter(|_| !self.quiet)
    }

    /// The line, what receives from it, and the logs; for whoever only listens from now on.
    #[must_use]
    pub fn into_parts(self) -> (Box<dyn Link>, Receiver, Logs) {
        (self.link, self.receiver, self.logs)
    }

    /// Wakes the instrument and asks who it is.
    ///
    /// # Errors
    /// No device when nothing comes, link when what comes is no protocol.
    pub fn hello(&mut self) -> Result<Info> {
        let name = concat!("qpuscope ", env!("CARGO_PKG_VERSION"));
        match self.ask(&Message::Hello(name), ANSWER, HELLO_TRIES)? {
            Answer::Info(info) => Ok(info),
            other => Err(unexpected("HELLO", &other)),
        }
    }

    /// Sends a request and takes its answer; a NAK becomes a failure with its sentence.
    ///
    /// # Errors
    /// When the board refuses or does not answer.
    pub fn ask(&mut self, message: &Message, wait: Duration, tries: u32) -> Result<Answer> {
        self.request = self.request.wrapping_add(1).max(1);
        let request = self.request;
        for _ in 0..tries {
            self.send(message, request)?;
            let deadline = self.link.now() + wait;
            while let Some(left) = deadline
                .checked_sub(self.link.now())
                .filter(|left| !left.is_zero())
            {
                for (to, answer) in self.pump(left)? {
                    match answer {
                        Answer::Nak(code, sentence) if to == request => {
                            return Err(refused(code, &sentence));
                        }
                        answer if to == request => return Ok(answer),
                        _ => {}
                    }
                }
            }
        }
        Err(self.silence(message))
    }

    /// A request that is answered by ACK.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub fn command(&mut self, message: &Message) -> Result<String> {
        match self.ask(message, ANSWER, TRIES)? {
            Answer::Ack(remark) => Ok(remark),
            other => Err(unexpected("the request", &other)),
        }
    }

    /// Ends a stream or an upload that is under way; its record is sent to the end first.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub fn stop(&mut self) -> Result<()> {
        self.ask(&Message::Stop, ANSWER, STOP_TRIES).map(|_| ())
    }

    /// Changes settings: `key=value` words.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub fn set(&mut self, settings: &str) -> Result<()> {
        self.command(&Message::Set(settings)).map(|_| ())
    }

    /// All settings, as `key=value` lines.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub fn settings(&mut self) -> Result<String> {
        match self.ask(&Message::Get(""), ANSWER, TRIES)? {
            Answer::Settings(text) => Ok(text),
            other => Err(unexpected("GET", &other)),
        }
    }

    /// Runs the line at another rate; back at the old one, and said, where the new one does not work.
    ///
    /// # Errors
    /// When the line works at neither rate.
    pub fn change_baud(&mut self, baud: u32) -> Result<()> {
        if baud == self.baud || !self.link.has_baud() {
            return Ok(());
        }
        if let Err(refusal) = self.command(&Message::Baud(baud)) {
            eprintln!("staying at {} baud: {refusal}", self.baud);
            return Ok(());
        }
        self.change_and_settle(baud)?;
        let number = u64::from(baud);
        // The board waits 500 ms for this.
        if let Ok(Answer::Pong(_)) = self.ask(&Message::Ping(number), Duration::from_millis(120), 3)
        {
            self.baud = baud;
            return Ok(());
        }
        eprintln!(
            "the line does not work at {baud} baud; going back to {}",
            self.baud
        );
        self.change_and_settle(self.baud)?;
        self.ask(&Message::Ping(0), ANSWER, TRIES).map(|_| ())
    }

    /// Changes the host's side, and leaves the board time to change its own: bytes that it sees at
    /// the old rate look like a break.
    fn change_and_settle(&mut self, baud: u32) -> Result<()> {
        self.link.set_baud(baud)?;
        let until = self.link.now() + SETTLE;
        while let Some(left) = until
            .checked_sub(self.link.now())
            .filter(|left| !left.is_zero())
        {
            self.pump(left)?;
        }
        Ok(())
    }

    /// Back to the rate at which the next host will begin.
    ///
    /// # Errors
    /// As [`Client::change_baud`].
    pub fn leave(&mut self) -> Result<()> {
        self.change_baud(FIRST_BAUD)
    }

    /// What it means that a request went unanswered.
    fn silence(&self, message: &Message) -> Failure {
        let health = self.health();
        let description = self.link.description();
        if health.bytes == 0 {
            return Failure::no_device(format!(
                "nothing came from {description}; is the board on, its TX wired to the adapter's RX and the other way \
                 round, ground to ground, and kernel.img on the card?"
            ));
        }
        if health.frames == 0 {
            return Failure::link(nothing_decodes(&*self.link, &self.receiver));
        }
        Failure::link(format!(
            "{description} does not answer {:?} ({health}); the line to the board may be broken: check the adapter's TX, \
             or restart the board",
            message.kind()
        ))
    }

    fn send(&mut self, message: &Message, request: u16) -> Result<()> {
        let (mut scratch, mut frame) = ([0; MAX_PAYLOAD], [0; MAX_FRAME]);
        let envelope = Envelope {
            stream: self.stream,
            request,
            time_us: 0,
        };
        let length = self
            .encoder
            .message(envelope, message, &mut scratch, &mut frame)
            .map_err(|error| {
                Failure::usage(format!("too long for a frame ({error}); shorten it"))
            })?;
        self.link.write(&frame[..length])
    }

    /// Takes in what comes within `wait`; returns the answers among it.
    fn pump(&mut self, wait: Duration) -> Result<Vec<(u16, Answer)>> {
        let mut buffer = [0; 4096];
        let count = match self.link.read(&mut buffer, wait)? {
            Received::Bytes(count) => count,
            Received::Nothing => return Ok(vec![]),
            Received::End => {
                return Err(Failure::link(format!(
                    "{} was closed by the other side; start it again",
                    self.link.description()
                )));
            }
        };
        let mut events = vec![];
        self.receiver.push(&buffer[..count], &mut events);
        let mut answers = vec![];
        for event in events {
            match event {
                Event::Answer(request, answer) => answers.push((request, answer)),
                Event::Credit(credit) => {
                    self.credit = Some(credit);
                    self.heartbeats += 1;
                }
                Event::Status(_) => self.heartbeats += 1,
                Event::Spectrum(spectrum, missing)
                    if spectrum.stream == self.stream && self.stream != 0 =>
                {
                    self.missing += missing;
                    self.spectra.push(*spectrum);
                }
                Event::Text(text) if !self.quiet => eprint!("board: {}", text.replace('\r', "")),
                Event::Log(bytes) => self
                    .logs
                    .push(&bytes)
                    .iter()
                    .for_each(|line| eprintln!("log: {line}")),
                Event::Fault(text) => eprintln!("the firmware reports a fault: {text}"),
                _ => {}
            }
        }
        Ok(answers)
    }
}

/// What it means that bytes came and not one frame was among them.
#[must_use]
pub fn nothing_decodes(link: &dyn Link, receiver: &Receiver) -> String {
    let health = receiver.health();
    let (bytes, from) = (health.bytes, link.description());
    if health.lost_bytes + receiver.pending() <= health.text_bytes {
        format!(
            "text came from {from} and no spectra ({bytes} bytes): it may be another program, or the firmware may be \
             waiting; see the text above, or restart the board"
        )
    } else if link.is_live() {
        format!(
            "{bytes} bytes came from {from} and none of them decodes: the rates of the two sides differ. A board \
             speaks 115200 baud after every start: use --baud 115200 and restart it, or give the rate that it was set to"
        )
    } else {
        format!(
            "none of the {bytes} bytes of {from} decodes: it holds something else, or was recorded at a wrong rate; \
             record it again at the board's rate"
        )
    }
}

fn unexpected(request: &str, answer: &Answer) -> Failure {
    Failure::link(format!(
        "the board answered {request} with {answer:?}; its firmware and this program are of different versions: update one"
    ))
}

/// A refusal, with the board's own sentence.
fn refused(code: NakCode, sentence: &str) -> Failure {
    let message = format!("the board refuses: {sentence}");
    match code {
        NakCode::UNKNOWN_SETTING | NakCode::BAD_VALUE | NakCode::NO_MEMORY => {
            Failure::usage(message)
        }
        NakCode::NOT_AVAILABLE | NakCode::WRONG_STATE | NakCode::BAUD => Failure::failed(message),
        NakCode::QPU_FAILED | NakCode::CHECKSUM => Failure::integrity(message),
        _ => Failure::link(message),
    }
}

#[cfg(test)]
mod tests {
    use super::fake::{FakeBoard, Faults};
    use super::*;
    use crate::failure::Exit;
    use crate::input::{Channel, Samples};
    use crate::link::{Opening, SimLink};
    use crate::rate::Rate;

    fn client(faults: Faults) -> Client {
        Client::new(
            Box::new(FakeBoard::new(faults)),
            FIRST_BAUD,
            Logs::without_elf(),
            true,
        )
    }

    fn channel(points: usize) -> Channel {
        Channel {
            name: String::new(),
            samples: Samples::I16((0..points).map(|index| (index * 7 % 1000) as i16).collect()),
            complex: false,
        }
    }

    const RATE: Rate = Rate {
        num: 48_000,
        den: 1,
    };

    #[test]
    fn an_upload_over_a_good_line_brings_its_spectrum() {
        let mut client = client(Faults::NONE);
        assert_eq!(client.hello().expect("an answer").board, "fake");
        client.set("n=64").expect("an answer");
        client.name_upload("tone.wav", &Unit::One("V".into()));
        let spectra = client.upload(&channel(20_000), RATE).expect("spectra");
        assert_eq!(spectra.len(), 1);
        assert_eq!(spectra[0].source, "tone.wav");
        assert_eq!(spectra[0].unit, Unit::One("V".into()));
        assert!(!client.health().is_lossy());
    }

    #[test]
    fn frames_lost_on_the_way_to_the_board_are_sent_again() {
        for every in [3, 5, 7, 17] {
            let mut client = client(Faults {
                lose_every: every,
                ..Faults::NONE
            });
            client.hello().expect("an answer");
            let spectra = client.upload(&channel(20_000), RATE);
            assert_eq!(
                spectra
                    .unwrap_or_else(|failure| panic!("every {every}: {failure}"))
                    .len(),
                1
            );
        }
    }

    /// A virtual Pi that hears only some of what is sent.
    struct Deaf {
        board: SimLink,
        sent: u32,
        lose_every: u32,
    }

    impl Link for Deaf {
        fn read(&mut self, out: &mut [u8], wait: Duration) -> Result<Received> {
            self.board.read(out, wait)
        }

        fn write(&mut self, bytes: &[u8]) -> Result<()> {
            self.sent += 1;
            if self.sent.is_multiple_of(self.lose_every) {
                return Ok(());
            }
            self.board.write(bytes)
        }

        fn set_baud(&mut self, baud: u32) -> Result<()> {
            self.board.set_baud(baud)
        }

        fn description(&self) -> String {
            self.board.description()
        }

        fn now(&self) -> Duration {
            self.board.now()
        }
    }

    #[test]
    fn the_firmware_takes_a_recording_over_a_line_that_loses_frames() {
        let Some(image) = std::env::var_os("QPUSCOPE_KERNEL") else {
            println!("skipped: QPUSCOPE_KERNEL names no image; `cargo xtask test` builds one");
            return;
        };
        let levels = [11, u32::MAX].map(|lose_every| {
            let board = SimLink::boot(image.as_ref(), &Opening::default()).expect("an image");
            let line = Deaf {
                board,
                sent: 0,
                lose_every,
            };
            let mut client = Client::new(Box::new(line), FIRST_BAUD, Logs::without_elf(), true);
            client.hello().expect("an answer");
            client.stop().expect("an answer");
            client.set("n=256 out=f32 avg=all").expect("an answer");
            let spectra = client.upload(&channel(6_000), RATE).expect("a spectrum");
            assert_eq!(spectra.len(), 1);
            spectra[0].power.clone()
        });
        assert!(levels[0] == levels[1], "what was lost shows");
    }

    #[test]
    fn a_line_that_lets_nothing_new_through_ends_the_upload_with_a_sentence() {
        let mut client = client(Faults {
            lose_every: 2,
            ..Faults::NONE
        });
        client.hello().expect("an answer");
        let failure = client
            .upload(&channel(20_000), RATE)
            .expect_err("a bad line");
        assert_eq!(failure.exit, Exit::Link);
        assert!(failure.message.contains("loses too much"), "{failure}");
    }

    #[test]
    fn a_line_that_is_cut_ends_the_upload_with_a_sentence() {
        let mut client = client(Faults {
            dies_after: 5,
            ..Faults::NONE
        });
        client.hello().expect("an answer");
        let failure = client.upload(&channel(20_000), RATE).expect_err("cut");
        assert_eq!(failure.exit, Exit::Link);
        assert!(failure.message.contains("check the cable"), "{failure}");
        assert!(
            client.link.now() < Duration::from_secs(30),
            "{:?}",
            client.link.now()
        );
    }

    #[test]
    fn silence_and_noise_are_told_apart() {
        let silent = Faults {
            dies_after: 0,
            ..Faults::NONE
        };
        let failure = client(silent).hello().expect_err("silence");
        assert_eq!(failure.exit, Exit::NoDevice);
        assert!(failure.message.contains("is the board on"), "{failure}");
        let wrong_rate = Faults {
            board_baud: 9600,
            ..Faults::NONE
        };
        let failure = client(wrong_rate).hello().expect_err("noise");
        assert_eq!(failure.exit, Exit::Link);
        assert!(failure.message.contains("--baud 115200"), "{failure}");
    }

    #[test]
    fn a_refusal_shows_the_boards_sentence() {
        let mut client = client(Faults::NONE);
        let failure = client.set("n=3").expect_err("refused");
        assert_eq!(failure.exit, Exit::Usage);
        assert!(
            failure.message.contains("n must be a power of two"),
            "{failure}"
        );
        client.set("n=64").expect("the next request works");
    }

    #[test]
    fn a_rate_that_does_not_work_is_taken_back() {
        let mut client = client(Faults {
            highest_baud: 1_000_000,
            ..Faults::NONE
        });
        client.change_baud(1_000_000).expect("works");
        assert_eq!(client.baud, 1_000_000);
        client.leave().expect("works");
        assert_eq!(client.baud, FIRST_BAUD);
        client.change_baud(2_000_000).expect("back at the old rate");
        assert_eq!(client.baud, FIRST_BAUD);
        client.hello().expect("the line still works");
    }
}
