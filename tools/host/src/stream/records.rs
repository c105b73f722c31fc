//! From frames to events: records put together, and their descriptors kept.
//!
//! Numbers of descriptors and records begin anew whenever the board does, so that nothing is kept
//! over a start: what was said before it explains nothing behind it.

use std::collections::VecDeque;

use view::receive::Records as Assembly;
use wire::{Item, Message};

use super::collector::Collector;
use super::event::{Answer, Event, Measured, own_info, own_probed};
use super::spectrum::spectrum;
use super::step_powers::StepPowers;

/// Records under way, and the descriptors to read them by.
#[derive(Default)]
pub(super) struct Records {
    pub(super) assembly: Assembly,
    /// Records of the upload whose lost values are asked for again.
    pub(super) collector: Option<Collector>,
    /// Values that have come, in all chunks.
    pub(super) values: u64,
    /// Spectra that the last descriptor explained.
    pub(super) late: VecDeque<Event>,
    step_powers: StepPowers,
}

impl Records {
    /// Spectra of the collector that are whole wait to be handed on.
    fn hand_on(&mut self) {
        while let Some(collector) = &mut self.collector
            && let Some(spectrum) =
                collector.take(self.assembly.descriptors(), &mut self.step_powers)
        {
            self.late.push_back(Event::Spectrum(Box::new(spectrum), 0));
        }
    }

    /// The event that a frame, a text or a damage is by itself, if any.
    pub(super) fn event(&mut self, item: Item) -> Option<Event> {
        let (header, payload) = match item {
            Item::Text(text) => {
                return Some(Event::Text(String::from_utf8_lossy(text).into_owned()));
            }
            Item::Damaged { .. } => return Some(Event::Damaged),
            Item::Frame(header, payload) => (header, payload),
        };
        let answer = |answer| Some(Event::Answer(header.request, answer));
        if !header.kind.is_request() {
            self.assembly.follow(&header);
        }
        match Message::decode(header.kind, payload) {
            Ok(Message::Ack(text)) => answer(Answer::Ack(text.to_owned())),
            Ok(Message::Nak(code, text)) => answer(Answer::Nak(code, text.to_owned())),
            Ok(Message::Info(info)) => answer(Answer::Info(own_info(&info))),
            Ok(Message::Pong(number)) => answer(Answer::Pong(number)),
            Ok(Message::Settings(text)) => answer(Answer::Settings(text.to_owned())),
            Ok(Message::QpuResult(elapsed_us)) => answer(Answer::QpuResult(elapsed_us)),
            Ok(Message::JobBlock(block)) => answer(Answer::JobBlock(block)),
            Ok(Message::JobWords(words)) => {
                answer(Answer::JobWords(words.first, words.words().collect()))
            }
            Ok(Message::Measured(measured)) => answer(Answer::Measured(Measured {
                of: measured.of,
                elapsed_us: measured.elapsed_us,
                name: measured.name.to_owned(),
                words: measured.words().collect(),
            })),
            Ok(Message::Proof(proof)) => answer(Answer::Proof(proof)),
            Ok(Message::Probed(probed)) => answer(Answer::Probed(Box::new(own_probed(&probed)))),
            Ok(Message::Uploaded(brought)) => answer(Answer::Uploaded(brought)),
            Ok(Message::Credit(credit)) => Some(Event::Credit(credit)),
            Ok(Message::Log(bytes)) => Some(Event::Log(bytes.to_vec())),
            Ok(Message::Fault(fault)) => Some(Event::Fault {
                code: fault.code,
                text: format!(
                    "{} (code {}, pc {:#010x}, address {:#010x})",
                    fault.text, fault.code, fault.pc, fault.address
                ),
            }),
            Ok(Message::Status(status)) => Some(Event::Status(status)),
            Ok(Message::Descriptor(descriptor)) => {
                for record in self.assembly.describe(&descriptor) {
                    let (header, head) = (&record.header, &record.head);
                    let (values, powers) = (record.values.into_iter(), &mut self.step_powers);
                    let spectrum = spectrum(header, head, values, &descriptor, powers);
                    let event = Event::Spectrum(Box::new(spectrum), record.missing);
                    self.late.push_back(event);
                }
                self.hand_on();
                Some(Event::Described)
            }
            Ok(Message::Spectrum(chunk)) => {
                self.values += (chunk.data.len() / chunk.head.encoding.bytes()) as u64;
                if let Some(collector) = &mut self.collector
                    && collector.stream == header.stream
                {
                    collector.push(&header, &chunk);
                    self.hand_on();
                    return None;
                }
                let (record, descriptor) = self.assembly.push(&header, &chunk)?;
                let (head, values) = (&record.head, record.values());
                let powers = &mut self.step_powers;
                let spectrum = spectrum(&header, head, values, &descriptor, powers);
                Some(Event::Spectrum(Box::new(spectrum), record.missing))
            }
            // A kind of a later version, or an answer to another host's request.
            _ => None,
        }
    }
}
