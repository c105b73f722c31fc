//! Mailbox: one property message at a time to the VideoCore firmware, with bounded waits.
//!
//! The message lies in memory that both sides see ([`crate::dma_buf`]); what is in it is
//! [`crate::property`]'s. The firmware answers in milliseconds as a rule; after [`START_ANSWER_US`]
//! the call fails and says so. An answer that comes after that must not be taken for the next
//! one's: two buffers take turns, so that the firmware writes it where nobody looks and its letter
//! differs.
//!
//! Source: github.com/raspberrypi/firmware wiki, "Accessing mailboxes" and "Mailbox property
//! interface".

use tock_registers::interfaces::{Readable, Writeable};
use tock_registers::registers::{ReadOnly, WriteOnly};
use tock_registers::{register_bitfields, register_structs};

use crate::dma_buf::DmaBuf;
use crate::mmio::Mmio;
use crate::property::{self, ClockId, Tag};
use crate::timer::Clock;

register_bitfields! { u32,
    STATUS [ FULL OFFSET(31) NUMBITS(1) [], EMPTY OFFSET(30) NUMBITS(1) [] ]
}

register_structs! {
    /// Mailbox 0 (VideoCore to ARM) and 1 (ARM to VideoCore).
    pub Registers {
        (0x00 => READ: ReadOnly<u32>),
        (0x04 => _reserved0),
        (0x18 => STATUS0: ReadOnly<u32, STATUS::Register>),
        (0x1c => _reserved1),
        (0x20 => WRITE: WriteOnly<u32>),
        (0x24 => _reserved2),
        (0x38 => STATUS1: ReadOnly<u32, STATUS::Register>),
        (0x3c => @END),
    }
}

/// Property messages, ARM to VideoCore.
const CHANNEL: u32 = 8;

/// The time that the firmware may take for one message while the board starts.
///
/// Below a millisecond as a rule; while it sets up HDMI, as it may when the ARM starts, it has
/// taken more than a second (raspberrypi/firmware 1376, 1970). As long as Linux waits since 2025.
const START_ANSWER_US: u64 = 3_000_000;

/// The time that it may take later: to power V3D down and up takes six messages, between two feeds
/// of the watchdog.
const ANSWER_US: u64 = 250_000;

/// Why a property could not be had.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Error {
    /// No answer in time: nobody serves the mailbox.
    Timeout,
    /// The firmware does not know this tag, or answered with fewer words than it defines.
    Unanswered,
}

/// The property mailbox.
pub struct Mailbox {
    registers: Mmio<Registers>,
    clock: Clock,
    answer_us: u64,
    /// The first is the one to use next.
    messages: [DmaBuf; 2],
}

impl Mailbox {
    /// Takes the block, and two buffers for its messages (at least [`property::MESSAGE_WORDS`]
    /// words each).
    #[must_use]
    pub fn new(registers: Mmio<Registers>, clock: Clock, messages: [DmaBuf; 2]) -> Self {
        Self {
            registers,
            clock,
            answer_us: START_ANSWER_US,
            messages,
        }
    }

    /// Returns a handle with buffers of its own, for another owner. An answer that the one no
    /// longer waits for is dropped by the other, since it names a buffer of the first.
    #[must_use]
    pub fn another(&self, messages: [DmaBuf; 2]) -> Self {
        Self {
            registers: self.registers.again(),
            clock: self.clock,
            answer_us: ANSWER_US,
            messages,
        }
    }

    /// The board has started: from here on answers are waited for no longer than the watchdog
    /// allows.
    pub fn has_started(&mut self) {
        self.answer_us = ANSWER_US;
    }

    /// The rate of a clock that `tag` asks for, in hertz; 0 without an answer.
    pub fn clock_hz(&mut self, tag: Tag, clock: ClockId) -> u32 {
        let answer = self.property::<2>(tag, &[clock as u32]);
        answer.map_or(0, |[_, hz]| hz)
    }

    /// Sends `tag` with the words of `request` and gets its `N` answer words.
    ///
    /// # Errors
    /// When there is no answer in time, or the tag was not handled.
    pub fn property<const N: usize>(
        &mut self,
        tag: Tag,
        request: &[u32],
    ) -> Result<[u32; N], Error> {
        let mut answer = [0; N];
        let words = self.exchange(tag, request, N)?;
        let taken = property::answer(words, tag, N).ok_or(Error::Unanswered)?;
        answer.copy_from_slice(taken);
        Ok(answer)
    }

    /// The command line of `cmdline.txt`, as much of it as fits a message.
    ///
    /// # Errors
    /// As for [`Mailbox::property`].
    pub fn command_line(&mut self, out: &mut [u8]) -> Result<usize, Error> {
        let words = self.exchange(Tag::CommandLine, &[], property::VALUE_WORDS)?;
        let taken = property::answer_bytes(words, Tag::CommandLine).ok_or(Error::Unanswered)?;
        let mut count = 0;
        for (to, from) in out.iter_mut().zip(taken).take_while(|(_, from)| *from != 0) {
            *to = from;
            count += 1;
        }
        Ok(count)
    }

    fn exchange(&mut self, tag: Tag, request: &[u32], value_words: usize) -> Result<&[u32], Error> {
        self.messages.swap(0, 1);
        let Self {
            registers,
            clock,
            answer_us,
            messages: [_, message],
        } = self;
        property::encode(message.words_mut(), tag, request, value_words);
        message.clean();
        let letter = message.bus().0 | CHANNEL;
        let sent = clock.wait_for(*answer_us, || {
            registers.visit(|mailbox| {
                let room = !mailbox.STATUS1.is_set(STATUS::FULL);
                if room {
                    mailbox.WRITE.set(letter);
                }
                room
            })
        });
        let answered = sent
            && clock.wait_for(*answer_us, || {
                registers.visit(|mailbox| {
                    // Whatever else is in the box (an answer that came too late) is taken out.
                    !mailbox.STATUS0.is_set(STATUS::EMPTY) && mailbox.READ.get() == letter
                })
            });
        message.invalidate();
        if answered {
            Ok(message.words())
        } else {
            // Who does not answer once in all that time is not waited for as long again.
            *answer_us = ANSWER_US;
            Err(Error::Timeout)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::offset_of;

    #[test]
    fn registers_lie_where_the_manual_says() {
        assert_eq!(offset_of!(Registers, STATUS0), 0x18);
        assert_eq!(offset_of!(Registers, WRITE), 0x20);
        assert_eq!(offset_of!(Registers, STATUS1), 0x38);
    }
}
