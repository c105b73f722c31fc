//! Records: descriptor, cropping, coding, and sending chunk by chunk.

use core::fmt::Write;

use dsp::level::{self, centi_db, half_db};
use wire::{
    Averaging, Chunk, Counters, Dc, Descriptor, Detector, Domain, Encoding, Message, Rate,
    RecordHead, Source,
};

use super::plot::Last;
use super::settings::{Output, write_milli};
use super::{Board, Core, Refusal, text};
use crate::engine::Engine;

/// Lines of a spectrum that are named in text.
const TEXT_LINES: usize = 4;

/// A record on its way out. Its values are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sending {
    /// Its number.
    record: u32,
    /// The descriptor it names.
    pub descriptor: u32,
    pub stream: u16,
    /// Values sent so far.
    offset: u32,
}

/// First index and count of the bins that are sent, of those that there are.
fn crop(first: Option<i32>, bins: u32, lowest: i32, count: u32) -> Option<(u32, u32)> {
    let start = match first {
        None => 0,
        Some(first) => u32::try_from(i64::from(first) - i64::from(lowest)).ok()?,
    };
    let rest = count.checked_sub(start).filter(|rest| *rest > 0)?;
    match bins {
        0 => Some((start, rest)),
        bins if bins <= rest => Some((start, bins)),
        _ => None,
    }
}

fn bins_of(domain: Domain, n: u32) -> (i32, u32) {
    match domain {
        Domain::Real => (0, n / 2 + 1),
        Domain::Complex => (-((n / 2) as i32), n),
    }
}

impl<Q: Engine> Core<'_, Q> {
    fn domain(&self) -> Domain {
        self.upload
            .as_ref()
            .map_or(self.settings.domain, |upload| upload.domain)
    }

    /// The first bin that is sent, of those in order of frequency, and how many.
    pub(super) fn cropped(&self, domain: Domain) -> (u32, u32) {
        let (lowest, count) = bins_of(domain, self.settings.n);
        crop(self.settings.first, self.settings.bins, lowest, count).unwrap_or((0, count))
    }

    /// Refuses bins that the spectrum does not have.
    pub(super) fn check_crop(&self, domain: Domain) -> Result<(), Refusal> {
        let (lowest, count) = bins_of(domain, self.settings.n);
        if crop(self.settings.first, self.settings.bins, lowest, count).is_some() {
            return Ok(());
        }
        Err(Refusal::Bins {
            lowest: i64::from(lowest),
            highest: i64::from(lowest) + i64::from(count) - 1,
        })
    }

    /// Makes the descriptor of what is set now; a new one gets a new id and is sent.
    pub(super) fn refresh_descriptor(&mut self, board: &mut impl Board) {
        let settings = self.settings;
        let info = *board.info();
        let gain = self.analyser.gain_of(&settings);
        let domain = self.domain();
        let (lowest, _) = bins_of(domain, settings.n);
        let (start, bins) = self.cropped(domain);
        let encoding = settings.encoding();
        let (scale, offset) = match encoding {
            Encoding::F32 => (1.0, 0.0),
            Encoding::U16 => (level::U16_SCALE_DB, level::U16_OFFSET_DB),
            Encoding::U8 => (level::U8_SCALE_DB, level::U8_OFFSET_DB),
        };
        let descriptor = Descriptor {
            id: self.descriptor.map_or(0, |descriptor| descriptor.id),
            rate: self
                .upload
                .as_ref()
                .map_or(Rate::hz(dsp::generator::RATE_HZ), |upload| upload.rate),
            n: settings.n,
            domain,
            window: settings.window,
            enbw_bins: gain.enbw_bins,
            coherent_gain: gain.coherent,
            overlap: settings.overlap_samples(),
            averaging: match settings.average {
                0 => Averaging::All,
                1 => Averaging::None,
                _ => Averaging::Linear,
            },
            average_count: settings.average,
            first_bin: lowest + start as i32,
            bins,
            centre_hz: settings.centre_hz,
            unit: settings.unit,
            encoding,
            scale,
            offset,
            source: self.source(),
            engine: self
                .analyser
                .engine_for(settings.engine, settings.n as usize),
            board_revision: info.revision,
            clocks: info.clocks,
            firmware: info.firmware,
            board: info.name,
            detector: settings.detector,
            dc: settings.dc,
        };
        if self.descriptor != Some(descriptor) {
            self.descriptor = Some(Descriptor {
                id: descriptor.id.wrapping_add(1),
                ..descriptor
            });
            self.descriptor_due = true;
        }
    }

    /// Finishes the record under way and begins to send it.
    pub(super) fn emit(&mut self, board: &mut impl Board) {
        self.emit_of(self.stream(), board);
    }

    pub(super) fn emit_of(&mut self, stream: u16, board: &mut impl Board) {
        let count = self.analyser.bins();
        let summary = self.analyser.finish_record(&mut self.power[..count]);
        if self.first_spectrum_us == 0 {
            self.first_spectrum_us = board.now_us() as u32;
        }
        let record = self.next_record;
        self.next_record = record.wrapping_add(1);
        let Some(descriptor) = self.descriptor else {
            return;
        };
        let (lowest, _) = bins_of(descriptor.domain, descriptor.n);
        let start = (descriptor.first_bin - lowest) as usize;
        let values = &self.power[start..start + descriptor.bins as usize];
        let encoding = descriptor.encoding;
        // What was taken away on purpose is not lost to the encoding.
        let is_removed = |bin: i32| descriptor.dc == Dc::Remove && bin == 0;
        let head = RecordHead {
            record,
            total: descriptor.bins,
            descriptor: descriptor.id,
            encoding,
            engine: summary.engine,
            fallback: summary.fallback,
            replaced: summary.replaced,
            doubt: summary.doubt,
            blocks: summary.blocks,
            first_sample: summary.first_sample,
            counters: Counters {
                clamped: (descriptor.first_bin..)
                    .zip(values)
                    .filter(|(bin, power)| !is_removed(*bin) && clamps(encoding, **power))
                    .count() as u32,
                qpu_us: summary.timing.qpu_us,
                cpu_us: summary.timing.cpu_us,
                ..self.counters
            },
        };
        self.last = Some(Last {
            head,
            descriptor,
            start,
        });
        match self.settings.output {
            Output::Records(_) => {
                self.emitted = self.emitted.wrapping_add(1);
                let kept = self.kept.keep(head, stream);
                encode(encoding, values, kept);
                if descriptor.source == Source::Upload {
                    self.brought.add(kept);
                }
                self.sending = Some(Sending {
                    record,
                    descriptor: descriptor.id,
                    stream,
                    offset: 0,
                });
                // Whoever reads with a terminal sees at least this, about once a second.
                if self.unasked && record.is_multiple_of(6) {
                    self.say_strongest(&head, &descriptor, start, board);
                }
            }
            Output::Text => self.say_strongest(&head, &descriptor, start, board),
        }
    }

    /// Puts the next chunk of the record into the outbox; whether there was one.
    pub(super) fn send_chunk(&mut self, board: &mut impl Board) -> bool {
        let Some(sending) = self.sending.take() else {
            return false;
        };
        let Some((kept, values)) = self.kept.find(sending.record) else {
            return false;
        };
        let head = kept.head;
        let width = head.encoding.bytes();
        let left = head.total - sending.offset;
        let count = (left as usize).min(head.max_data() / width);
        let first = sending.offset as usize * width;
        let chunk = Chunk {
            head,
            offset: sending.offset,
            data: &values[first..first + count * width],
        };
        let envelope = wire::Envelope {
            stream: sending.stream,
            request: 0,
            time_us: board.now_us(),
        };
        self.outbox.put(envelope, &Message::Spectrum(chunk));
        let offset = sending.offset + count as u32;
        self.sending = (offset < head.total).then_some(Sending { offset, ..sending });
        true
    }

    /// One line of text: number, time, engine, and the strongest lines of the spectrum.
    fn say_strongest(
        &mut self,
        head: &RecordHead,
        descriptor: &Descriptor,
        start: usize,
        board: &mut impl Board,
    ) {
        let mut line = heapless::String::<320>::new();
        let time_ms = board.now_us() / 1000;
        let _ = write!(
            line,
            "spectrum {} at {}.{:03} s, {}, {}{} blocks:",
            head.record,
            time_ms / 1000,
            time_ms % 1000,
            head.engine.name(),
            match descriptor.detector {
                Detector::Mean => "",
                Detector::Max => "max of ",
                Detector::Min => "min of ",
            },
            head.blocks
        );
        let values = &self.power[start..start + head.total as usize];
        for index in text::strongest::<TEXT_LINES>(values).into_iter().flatten() {
            let _ = line.push_str(" [");
            let _ = write_milli(descriptor.frequency_hz(index as u32), &mut line);
            let _ = line.push_str(" Hz ");
            let centi = (level::decibels(values[index]) * 100.0).clamp(-99_999.0, 99_999.0);
            let _ = text::write_centi(centi, &mut line);
            let _ = write!(line, " {}]", descriptor.unit.name());
        }
        self.say(&line);
    }
}

/// Powers as they travel, little-endian.
fn encode(encoding: Encoding, powers: &[f32], out: &mut [u8]) {
    for (power, out) in powers.iter().zip(out.chunks_exact_mut(encoding.bytes())) {
        match encoding {
            Encoding::F32 => out.copy_from_slice(&power.to_le_bytes()),
            Encoding::U16 => out.copy_from_slice(&centi_db(*power).steps.to_le_bytes()),
            Encoding::U8 => out.copy_from_slice(&[half_db(*power).steps]),
        }
    }
}

fn clamps(encoding: Encoding, power: f32) -> bool {
    match encoding {
        Encoding::F32 => false,
        Encoding::U16 => centi_db(power).clamped,
        Encoding::U8 => half_db(power).clamped,
    }
}

#[cfg(test)]
mod tests {
    use super::crop;

    #[test]
    fn cropping_stays_inside() {
        assert_eq!(crop(None, 0, 0, 513), Some((0, 513)));
        assert_eq!(crop(Some(10), 0, 0, 513), Some((10, 503)));
        assert_eq!(crop(Some(-8), 16, -512, 1024), Some((504, 16)));
        assert_eq!(crop(Some(-1), 0, 0, 513), None);
        assert_eq!(crop(Some(513), 0, 0, 513), None);
        assert_eq!(crop(Some(512), 2, 0, 513), None);
        assert_eq!(crop(Some(i32::MIN), 0, i32::MAX, 1), None);
    }
}
