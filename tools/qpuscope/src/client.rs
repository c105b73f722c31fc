//! The host's end of a conversation with an instrument: requests, answers, uploads.
//!
//! Every request carries a number and is repeated a bounded number of times with the same number;
//! the protocol makes requests idempotent. What the board says in between (text, logs, spectra,
//! faults) is taken in while an answer is awaited. All times are the link's.

use std::time::Duration;

use wire::{
    Credit, Domain, Encoder, Envelope, MAX_FRAME, MAX_PAYLOAD, Message, NakCode, UploadBegin,
};

use crate::failure::{Failure, Result};
use crate::input::{Channel, Unit};
use crate::link::{FIRST_BAUD, Link, Received};
use crate::log::Logs;
use crate::rate::Rate;
use crate::spectrum::Spectrum;
use crate::stream::{Answer, Event, Health, Info, Receiver};

/// How long an answer to a plain request may take before it is repeated.
const ANSWER: Duration = Duration::from_millis(500);
/// How often a plain request is sent.
const TRIES: u32 = 4;
/// How often HELLO is sent: a board needs some seconds from power-on to its first answer.
const HELLO_TRIES: u32 = 16;
/// A board that works says something at least once a second.
const SILENCE: Duration = Duration::from_secs(5);
/// The longest upload, from its first sample to its last spectrum.
const UPLOAD_LIMIT: Duration = Duration::from_secs(3600);
/// Without progress for so long, samples on their way are taken as lost and sent again.
const STALLED: Duration = Duration::from_secs(2);
/// Bytes of samples in a frame: little enough that a flipped bit costs little.
const DATA_BYTES: usize = 1024;

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

    /// A sentence about logs that could not be shown, if any.
    #[must_use]
    pub fn log_remark(&self) -> Option<String> {
        self.logs.remark()
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
        self.link.set_baud(baud)?;
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
        self.link.set_baud(self.baud)?;
        self.ask(&Message::Ping(0), ANSWER, TRIES).map(|_| ())
    }

    /// Back to the rate at which the next host will begin.
    ///
    /// # Errors
    /// As [`Client::change_baud`].
    pub fn leave(&mut self) -> Result<()> {
        self.change_baud(FIRST_BAUD)
    }

    /// Sends a channel's samples and returns the spectra that the instrument makes of them.
    ///
    /// # Errors
    /// When the board refuses, falls silent, or a part of a spectrum was lost.
    pub fn upload(&mut self, channel: &Channel, rate: Rate) -> Result<Vec<Spectrum>> {
        let domain = if channel.complex {
            Domain::Complex
        } else {
            Domain::Real
        };
        let format = channel.samples.format();
        let bytes = channel.samples.to_bytes();
        let (points, width) = (channel.points() as u64, format.bytes(domain));
        self.stream = self.stream.wrapping_add(1).max(1);
        self.credit = None;
        self.missing = 0;
        self.spectra.clear();
        self.command(&Message::UploadBegin(UploadBegin {
            format,
            domain,
            rate: wire::Rate {
                num: rate.num,
                den: rate.den,
            },
            samples: points,
        }))?;
        let started = self.link.now();
        self.request = self.request.wrapping_add(1).max(1);
        let end = self.request;
        let mut crc = wire::Crc32::default();
        crc.update(&bytes);
        let end_message = Message::UploadEnd {
            samples: points,
            crc: crc.value(),
        };
        let mut next = 0;
        let mut ended = false;
        let mut resume = false;
        let mut heard = self.link.now();
        let mut progress = (self.credit, heard);
        loop {
            let granted = self.credit.map_or(0, |credit| credit.granted).min(points);
            let mut wait = Duration::from_millis(50);
            if !resume && next < granted {
                let count = (granted - next).min((DATA_BYTES / width) as u64);
                let (from, to) = (next as usize * width, (next + count) as usize * width);
                let data = &bytes[from..to];
                self.send(&Message::UploadData { offset: next, data }, 0)?;
                next += count;
                wait = Duration::ZERO;
            } else if !resume && next == points && !ended {
                self.send(&end_message, end)?;
                ended = true;
                wait = Duration::ZERO;
            }
            let before = (self.receiver.health().bytes, self.credit);
            let answers = self.pump(wait)?;
            let now = self.link.now();
            if self.receiver.health().bytes != before.0 {
                heard = now;
            }
            for (to, answer) in answers {
                match answer {
                    Answer::Ack(_) if to == end => return self.finish_upload(),
                    Answer::Nak(NakCode::GAP, _) => resume = true,
                    Answer::Nak(code, sentence) => return Err(refused(code, &sentence)),
                    _ => {}
                }
            }
            let new_credit = self.credit != before.1;
            if self.credit.map(|credit| credit.received) != progress.0.map(|credit| credit.received)
                || !self.spectra.is_empty() && new_credit
            {
                progress = (self.credit, now);
            }
            let stalled = now.saturating_sub(progress.1) > STALLED;
            if let Some(credit) = self.credit
                && ((resume && new_credit) || (stalled && credit.received < next))
            {
                next = credit.received;
                (resume, ended) = (false, false);
                progress = (self.credit, now);
            }
            if ended && stalled && now.saturating_sub(heard) > STALLED {
                self.send(&end_message, end)?;
                progress.1 = now;
            }
            if now.saturating_sub(heard) > SILENCE {
                return Err(self.cut(next, points));
            }
            if now.saturating_sub(started) > UPLOAD_LIMIT {
                return Err(Failure::link(format!(
                    "{next} of {points} samples went over in an hour; raise --baud or send a shorter recording"
                )));
            }
        }
    }

    fn finish_upload(&mut self) -> Result<Vec<Spectrum>> {
        if self.missing > 0 {
            return Err(Failure::integrity(format!(
                "{} values of the spectra were lost on the line ({}); run again, at a lower --baud if it happens often",
                self.missing,
                self.health()
            )));
        }
        Ok(std::mem::take(&mut self.spectra))
    }

    fn cut(&self, sent: u64, of: u64) -> Failure {
        Failure::link(format!(
            "the board fell silent after {sent} of {of} samples ({}); check the cable and the board's power and run again",
            self.health()
        ))
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
            return Failure::link(nothing_decodes(&description, &health));
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
                Event::Credit(credit) => self.credit = Some(credit),
                Event::Spectrum(spectrum, missing)
                    if spectrum.stream == self.stream && self.stream != 0 =>
                {
                    self.missing += missing;
                    self.spectra.push(*spectrum);
                }
                Event::Text(text) if !self.quiet => eprint!("board: {text}"),
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

/// Bytes come, and not one frame among them.
#[must_use]
pub fn nothing_decodes(description: &str, health: &Health) -> String {
    if health.lost_bytes > health.text_bytes {
        format!(
            "{} bytes came from {description} and none of them decodes: the rates of the two sides differ. A board \
             speaks 115200 baud after every start: use --baud 115200 and restart it, or give the rate that it was set to",
            health.bytes
        )
    } else {
        format!(
            "text came from {description} and no spectra ({} bytes): it may be another program, or the firmware may be \
             waiting; see the text above, or restart the board",
            health.bytes
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
