//! One request and its answer, and what comes while the answer is awaited.

use std::time::Duration;

use wire::{Envelope, MAX_FRAME, MAX_PAYLOAD, Message, NakCode};

use super::diagnosis::{closed, refused, request_name, unexpected};
use super::{ANSWER, Client, DAMAGED_TRIES, TRIES};
use crate::link::Received;
use crate::stream::{Answer, Event};
use common::failure::{Failure, Result};
use common::text;

impl Client {
    /// Sends a request and takes its answer; a NAK becomes a failure with its sentence.
    ///
    /// # Errors
    /// When the board refuses or does not answer.
    pub fn ask(&mut self, message: &Message, wait: Duration, tries: u32) -> Result<Answer> {
        match self.ask_or_nak(message, wait, tries)? {
            Answer::Nak(code, sentence) => Err(refused(code, &sentence)),
            answer => Ok(answer),
        }
    }

    /// Asks as [`Client::ask`], but a NAK is an answer as well.
    pub(super) fn ask_or_nak(
        &mut self,
        message: &Message,
        wait: Duration,
        tries: u32,
    ) -> Result<Answer> {
        self.request = self.request.wrapping_add(1).max(1);
        let request = self.request;
        let mut left_tries = tries;
        let mut spare_tries = DAMAGED_TRIES;
        while left_tries > 0 {
            let damaged = self.receiver.damaged();
            let mut is_damaged = false;
            self.send(message, request)?;
            let deadline = self.link.now() + wait;
            while let Some(left) = self.left(deadline) {
                for (to, answer) in self.pump(left)? {
                    if to == request {
                        return Ok(answer);
                    }
                    is_damaged |= to == 0 && matches!(answer, Answer::Nak(NakCode::BAD_PAYLOAD, _));
                }
            }
            // On a bad line that is no proof of a board that does not answer.
            is_damaged |= self.receiver.damaged() > damaged;
            if is_damaged && self.health().frames > 0 && spare_tries > 0 {
                spare_tries -= 1;
            } else {
                left_tries -= 1;
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
            other => Err(unexpected(&request_name(message.kind()), &other)),
        }
    }

    /// Sends a frame that carries the number `request`; 0: nothing is asked.
    pub(super) fn send(&mut self, message: &Message, request: u16) -> Result<()> {
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
    pub(super) fn pump(&mut self, wait: Duration) -> Result<Vec<(u16, Answer)>> {
        let mut buffer = [0; 4096];
        let count = match self.link.read(&mut buffer, wait)? {
            Received::Bytes(count) => count,
            Received::Nothing => return Ok(vec![]),
            Received::End => {
                return Err(closed(&*self.link));
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
                    self.credits += 1;
                }
                Event::Status(status) => {
                    self.status = Some(status);
                }
                Event::Spectrum(spectrum, _)
                    if self.hears_all || spectrum.stream == self.stream && self.stream != 0 =>
                {
                    self.spectra.push(*spectrum);
                }
                Event::Text(text) if !self.quiet => {
                    common::say::note(&format!("board: {}", text.replace('\r', "")))
                }
                Event::Log(bytes) => self.logs.show(&bytes),
                Event::Fault { text, .. } => {
                    common::say::remark!("the firmware reports a fault: {}", text::sentence(&text))
                }
                _ => {}
            }
        }
        Ok(answers)
    }
}
