//! The host's end of a line: requests out, what the board says in.

use std::collections::VecDeque;

use view::Arrived;
use view::receive::Records;
use wire::{
    Decoder, Descriptor, Encoder, Envelope, Item, Kind, LineCounters, MAX_FRAME, MAX_PAYLOAD,
    Message,
};

/// Something that came from the board.
pub enum Heard<'a> {
    /// Text for people, line by line.
    Text(&'a str),
    /// A message that is no part of a spectrum.
    Said(Message<'a>),
    /// A spectrum with the descriptor to read it by.
    Record(Arrived<'a>, Descriptor),
    /// Bytes that are neither text nor a frame.
    Damage(usize),
}

/// The host's end of one line.
#[derive(Default)]
pub struct Client {
    decoder: Decoder,
    encoder: Encoder,
    records: Records,
    request: u16,
    /// Requests that may have to be sent again: number, kind and payload.
    sent: VecDeque<(u16, Kind, Vec<u8>)>,
}

/// Requests that are kept.
const REQUESTS: usize = 16;

impl Client {
    /// Takes what has come; `hear` gets every thing that it ends, with the request that it answers
    /// (0: none).
    pub fn feed(&mut self, bytes: &[u8], mut hear: impl FnMut(u16, Heard)) {
        for &byte in bytes {
            let (header, payload) = match self.decoder.push(byte) {
                None => continue,
                Some(Item::Text(text)) => {
                    hear(0, Heard::Text(&String::from_utf8_lossy(text)));
                    continue;
                }
                Some(Item::Damaged { bytes, .. }) => {
                    hear(0, Heard::Damage(bytes));
                    continue;
                }
                Some(Item::Frame(header, payload)) => (header, payload),
            };
            let answers = header.request;
            if !header.kind.is_request() {
                self.records.follow(&header);
            }
            // A kind of a later version is ignored, as the protocol says.
            let Ok(message) = Message::decode(header.kind, payload) else {
                continue;
            };
            match message {
                Message::Descriptor(descriptor) => {
                    for late in self.records.describe(&descriptor) {
                        let values = &mut late.values.iter().copied();
                        let stream = late.header.stream;
                        let arrived = Arrived::new(stream, late.head, late.missing, values);
                        hear(answers, Heard::Record(arrived, descriptor));
                    }
                }
                Message::Spectrum(chunk) => {
                    if let Some((record, descriptor)) = self.records.push(&header, &chunk) {
                        let (head, missing) = (record.head, record.missing);
                        let values = &mut record.values();
                        let arrived = Arrived::new(header.stream, head, missing, values);
                        hear(answers, Heard::Record(arrived, descriptor));
                    }
                }
                said => hear(answers, Heard::Said(said)),
            }
        }
    }

    /// Counts of the line so far.
    pub const fn line(&self) -> LineCounters {
        self.decoder.counters()
    }

    /// A request as bytes for the line, and its number; `None` when it does not fit a frame.
    pub fn request(&mut self, message: &Message) -> Option<(u16, Vec<u8>)> {
        let mut payload = vec![0; MAX_PAYLOAD];
        let length = message.encode(&mut payload).ok()?;
        payload.truncate(length);
        self.request = self.request.checked_add(1).unwrap_or(1);
        if self.sent.len() == REQUESTS {
            self.sent.pop_front();
        }
        self.sent.push_back((self.request, message.kind(), payload));
        Some((self.request, self.repeat(self.request)?))
    }

    /// A request once more, with a new sequence number; `None` when it was made too long ago.
    pub fn repeat(&mut self, request: u16) -> Option<Vec<u8>> {
        let (_, kind, payload) = self.sent.iter().find(|sent| sent.0 == request)?;
        let envelope = Envelope {
            request,
            ..Envelope::default()
        };
        let mut frame = vec![0; MAX_FRAME];
        let length = self.encoder.frame(envelope, *kind, payload, &mut frame);
        frame.truncate(length.ok()?);
        Some(frame)
    }
}
