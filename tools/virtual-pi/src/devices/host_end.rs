//! The host's end of the serial line: what it has still to send, and what it has received.
//!
//! Bytes leave one after the other at the host's rate, each as soon as the one before has ended. A
//! change of the rate takes effect with the next byte that starts.

use std::collections::VecDeque;

use super::NEVER;
use super::serial_line::{self, BitTime, FRAME_BITS, Received};
use crate::SerialByte;
use crate::clock::ns_from_clocks;

/// Length of a break, in bits of the host.
const BREAK_BITS: u32 = 24;

#[derive(Clone, Copy)]
enum Item {
    Byte(u8),
    Break,
}

/// Something that has come over the line to the board, with the rate it was sent at.
#[derive(Clone, Copy)]
pub struct Arrival {
    item: Item,
    sender: BitTime,
}

impl Arrival {
    /// The result in a receiver of this rate.
    pub fn sampled(self, receiver: BitTime) -> Received {
        match self.item {
            Item::Byte(value) => serial_line::byte(value, self.sender, receiver),
            Item::Break => serial_line::line_break(BREAK_BITS, self.sender, receiver),
        }
    }
}

/// The host.
#[derive(Default)]
pub struct HostEnd {
    bit: BitTime,
    queue: VecDeque<Item>,
    /// The item on the wire, and the time at which it ends.
    on_wire: Option<(Arrival, u64)>,
    received: Vec<SerialByte>,
}

impl HostEnd {
    /// A host with nothing to say.
    pub fn new(baud: u32) -> Self {
        Self {
            bit: BitTime::from_baud(baud),
            ..Self::default()
        }
    }

    /// Sends bytes after what is being sent.
    pub fn send(&mut self, bytes: &[u8], now: u64) {
        self.queue
            .extend(bytes.iter().map(|&value| Item::Byte(value)));
        self.start(now);
    }

    /// Holds the line low for more than two frames, after what is being sent.
    pub fn send_break(&mut self, now: u64) {
        self.queue.push_back(Item::Break);
        self.start(now);
    }

    /// Another rate, both ways.
    pub fn set_baud(&mut self, baud: u32) {
        self.bit = BitTime::from_baud(baud);
    }

    /// Bytes and breaks that have not arrived yet.
    pub fn pending(&self) -> usize {
        self.queue.len() + usize::from(self.on_wire.is_some())
    }

    /// Takes back what has not left yet.
    pub fn discard(&mut self) {
        self.queue.clear();
    }

    /// Bytes received since the last call.
    pub fn take_received(&mut self) -> Vec<SerialByte> {
        std::mem::take(&mut self.received)
    }

    /// The board has sent a byte at its rate; its stop bit ended at `at`.
    pub fn receive(&mut self, value: u8, sender: BitTime, at: u64) {
        let Received { value, framing, .. } = serial_line::byte(value, sender, self.bit);
        self.received.push(SerialByte {
            at_ns: ns_from_clocks(at),
            value,
            error: framing,
        });
    }

    fn start(&mut self, at: u64) {
        if self.on_wire.is_some() {
            return;
        }
        if let Some(item) = self.queue.pop_front() {
            let bits = match item {
                Item::Byte(_) => FRAME_BITS,
                // A break ends with a bit of idle line.
                Item::Break => BREAK_BITS + 1,
            };
            let sender = self.bit;
            self.on_wire = Some((Arrival { item, sender }, at + sender.clocks(bits)));
        }
    }

    /// The next thing that has arrived by `now`, and when.
    pub fn next_arrival(&mut self, now: u64) -> Option<(Arrival, u64)> {
        let (arrival, ends) = self.on_wire.take_if(|(_, ends)| *ends <= now)?;
        self.start(ends);
        Some((arrival, ends))
    }

    /// Time at which the next item arrives.
    pub fn arrives(&self) -> u64 {
        self.on_wire.map_or(NEVER, |(_, ends)| ends)
    }
}
