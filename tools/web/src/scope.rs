//! The host's end of a line on the page's main thread.

use std::collections::VecDeque;

use view::View;
use wasm_bindgen::prelude::wasm_bindgen;
use wire::Message;

use crate::client::{Client, Heard};

/// Something the board said, other than a spectrum.
#[wasm_bindgen(getter_with_clone)]
#[derive(Clone, Debug)]
pub struct Event {
    /// `text`, `info`, `settings`, `ack`, `nak`, `fault`, `status`, `pong` or `damage`.
    pub kind: String,
    /// The request that this answers; 0: none.
    pub request: u16,
    /// What was said.
    pub text: String,
}

/// The most events that wait to be taken; older ones go.
const MOST_EVENTS: usize = 10_000;

/// Decoder, requests and picture of one line.
#[wasm_bindgen]
#[derive(Default)]
pub struct Scope {
    pub(crate) client: Client,
    events: VecDeque<Event>,
    records: u32,
    last_request: u16,
    pub(crate) view: View,
}

#[wasm_bindgen]
impl Scope {
    /// The end of a line that has brought nothing yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins a new line: what the one before left half-way is forgotten.
    pub fn begin_link(&mut self) {
        self.client = Client::default();
        self.events.clear();
        self.view.line_was_down();
    }

    /// Takes bytes from the board.
    pub fn feed(&mut self, bytes: &[u8]) {
        let Self {
            client,
            events,
            records,
            view,
            ..
        } = self;
        client.feed(bytes, |request, heard| {
            let (kind, text) = match heard {
                Heard::Text(text) => ("text", text.to_owned()),
                Heard::Said(said) => match said {
                    Message::Info(info) => ("info", info.capabilities.to_owned()),
                    Message::Settings(words) => ("settings", words.to_owned()),
                    Message::Ack(remark) => ("ack", remark.to_owned()),
                    Message::Nak(_, sentence) => ("nak", sentence.to_owned()),
                    Message::Fault(fault) => ("fault", fault.text.to_owned()),
                    Message::Status(status) => ("status", status.state.name().to_owned()),
                    Message::Pong(token) => ("pong", token.to_string()),
                    _ => return,
                },
                Heard::Damage(bytes) => ("damage", bytes.to_string()),
                Heard::Record(arrived, descriptor) => {
                    *records += 1;
                    view.push(arrived, &descriptor);
                    return;
                }
            };
            if events.len() == MOST_EVENTS {
                events.pop_front();
            }
            events.push_back(Event {
                kind: kind.to_owned(),
                request,
                text,
            });
        });
    }

    /// Takes the oldest event, if there is one.
    pub fn next_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Spectra that have come.
    #[wasm_bindgen(getter)]
    pub fn records(&self) -> u32 {
        self.records
    }

    /// The number of the request that was made last.
    #[wasm_bindgen(getter)]
    pub fn last_request(&self) -> u16 {
        self.last_request
    }

    /// `HELLO` as bytes for the line.
    pub fn hello(&mut self) -> Vec<u8> {
        self.request(&Message::Hello("qpuscope page"))
    }

    /// `GET`: names of settings, or `all`, `capabilities`, `clocks`, `boot`.
    pub fn get(&mut self, names: &str) -> Vec<u8> {
        self.request(&Message::Get(names))
    }

    /// `SET`: `key=value` words.
    pub fn set(&mut self, words: &str) -> Vec<u8> {
        self.request(&Message::Set(words))
    }

    /// `START`.
    pub fn start(&mut self) -> Vec<u8> {
        self.request(&Message::Start)
    }

    /// `STOP`.
    pub fn stop(&mut self) -> Vec<u8> {
        self.request(&Message::Stop)
    }

    /// `BAUD`; the board changes its rate after the answer.
    pub fn baud(&mut self, rate: u32) -> Vec<u8> {
        self.request(&Message::Baud(rate))
    }

    /// `PING`, which confirms a new rate.
    pub fn ping(&mut self) -> Vec<u8> {
        self.request(&Message::Ping(u64::from(self.last_request)))
    }

    /// A request again, which had no answer yet; empty when it was made too long ago.
    pub fn repeat(&mut self, request: u16) -> Vec<u8> {
        self.client.repeat(request).unwrap_or_default()
    }

    fn request(&mut self, message: &Message) -> Vec<u8> {
        // Only words of more than a frame do not fit; the page's field is shorter than that.
        let (number, bytes) = self.client.request(message).unwrap_or_default();
        self.last_request = number;
        bytes
    }
}
