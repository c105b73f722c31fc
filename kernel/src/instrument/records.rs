//! Records: made of the analyser's powers, kept, and sent chunk by chunk.

use dsp::level::{centi_db, half_db};
use wire::{Chunk, Counters, Dc, Descriptor, Encoding, Message, NakCode, RecordHead};

use super::analyser::Summary;
use super::kept::Kept;
use super::refusal::Refusal;

/// Values between two pauses: some 0.2 ms of the ARM's time.
const PAUSE: usize = 512;

/// A finished record: its values are those in the power buffer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Last {
    pub head: RecordHead,
    pub descriptor: Descriptor,
    /// Index of the first value in the whole spectrum.
    start: usize,
    /// Bins of the whole spectrum.
    all_bins: usize,
}

impl Last {
    /// The values that are sent of each part of the detector, of all powers.
    fn parts<'p>(&self, powers: &'p [f32]) -> impl Iterator<Item = &'p [f32]> {
        let count = self.descriptor.detector.parts().len();
        let parts = powers.chunks(self.all_bins).take(count);
        parts.map(|part| &part[self.start..][..self.descriptor.bins as usize])
    }
}

/// A record on its way out. Its values are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sending {
    record: u32,
    /// The descriptor it names.
    pub descriptor: u32,
    pub stream: u16,
    /// Values sent so far.
    offset: u32,
}

/// The records of a stream.
pub(super) struct Records<'a> {
    power: &'a mut [f32],
    pub kept: Kept<'a>,
    /// The record that is being sent.
    pub sending: Option<Sending>,
    next: u32,
    /// Records that have begun to be sent since the start.
    pub emitted: u32,
    /// The last record of the last stream.
    pub last: Option<Last>,
}

impl<'a> Records<'a> {
    /// `power`: room for all bins of a record; `kept`: where records are kept.
    pub(super) const fn new(power: &'a mut [f32], kept: Kept<'a>) -> Self {
        Self {
            power,
            kept,
            sending: None,
            next: 0,
            emitted: 0,
            last: None,
        }
    }

    /// Begins a stream's. The record that is being sent goes on to its end.
    pub(super) fn begin(&mut self) {
        self.next = 0;
        self.last = None;
        self.kept.forget(self.sending.is_some());
    }

    /// Room for the powers of the next record.
    pub(super) fn power(&mut self, bins: usize) -> &mut [f32] {
        &mut self.power[..bins]
    }

    /// Leaves out a record.
    pub(super) fn skip(&mut self) {
        self.next = self.next.wrapping_add(1);
    }

    /// Finishes a record, whose powers are there.
    pub(super) fn finish(
        &mut self,
        descriptor: &Descriptor,
        summary: &Summary,
        counters: Counters,
    ) -> Last {
        let (domain, n) = (descriptor.domain, descriptor.n as usize);
        let encoding = descriptor.encoding;
        let mut last = Last {
            head: RecordHead {
                record: self.next,
                total: descriptor.values(),
                descriptor: descriptor.id,
                encoding,
                engine: summary.engine,
                fallback: summary.fallback,
                replaced: summary.replaced,
                doubt: summary.doubt,
                duty_ppm: summary.duty_ppm,
                blocks: summary.blocks,
                first_sample: summary.first_sample,
                counters: Counters {
                    clamped: 0,
                    qpu_us: summary.qpu_us,
                    cpu_us: summary.cpu_us,
                    ..counters
                },
            },
            descriptor: *descriptor,
            start: (descriptor.first_bin - domain.first_bin(n)) as usize,
            all_bins: domain.bins(n),
        };
        // What was taken away on purpose is not lost to the encoding.
        let is_removed = |bin: i32| descriptor.dc == Dc::Remove && bin == 0;
        let parts = last.parts(self.power);
        let values = parts.flat_map(|values| (descriptor.first_bin..).zip(values));
        last.head.counters.clamped = values
            .filter(|(bin, power)| !is_removed(*bin) && clamps(encoding, **power))
            .count() as u32;
        self.skip();
        self.last = Some(last);
        last
    }

    /// The powers of the last record that are sent, of each detector.
    pub(super) fn values(&self, last: &Last) -> impl Iterator<Item = &[f32]> {
        last.parts(self.power)
    }

    /// Begins to send a record; returns its values as they travel. A logarithm takes long:
    /// `pause` is called every [`PAUSE`] values.
    pub(super) fn send(&mut self, last: &Last, stream: u16, mut pause: impl FnMut()) -> &[u8] {
        let head = last.head;
        self.emitted = self.emitted.wrapping_add(1);
        self.sending = Some(Sending {
            record: head.record,
            descriptor: head.descriptor,
            stream,
            offset: 0,
        });
        let kept = self.kept.keep(head, stream);
        let bytes = last.descriptor.bins as usize * head.encoding.bytes();
        for (values, kept) in last.parts(self.power).zip(kept.chunks_mut(bytes)) {
            let kept = kept.chunks_mut(PAUSE * head.encoding.bytes());
            for (values, kept) in values.chunks(PAUSE).zip(kept) {
                encode(head.encoding, values, kept);
                pause();
            }
        }
        kept
    }

    /// Takes the next chunk of the record that is being sent, and its stream.
    pub(super) fn next_chunk(&mut self) -> Option<(Chunk<'_>, u16)> {
        let sending = self.sending.take()?;
        let (kept, values) = self.kept.find(sending.record)?;
        let chunk = chunk_of(kept.head, values, sending.offset, usize::MAX);
        let offset = sending.offset + (chunk.data.len() / kept.head.encoding.bytes()) as u32;
        self.sending = (offset < kept.head.total).then_some(Sending { offset, ..sending });
        Some((chunk, sending.stream))
    }

    /// Returns values of a record again, or its descriptor where none are asked for. `descriptor`:
    /// the last one, which is that of all records, since settings do not change while records are
    /// made.
    pub(super) fn fetch(
        &self,
        (record, offset, values): (u32, u32, u16),
        stream: u16,
        descriptor: Option<Descriptor>,
    ) -> Result<Message<'_>, Refusal> {
        const fn refused<T>(sentence: &'static str) -> Result<T, Refusal> {
            Err(Refusal::Plain(NakCode::BAD_VALUE, sentence))
        }
        let found = self.kept.find(record);
        let Some((kept, data)) = found.filter(|(kept, _)| kept.stream == stream) else {
            return refused(
                "this record is not kept any more, or was never made; go on without it",
            );
        };
        if values == 0 {
            return match descriptor.filter(|it| it.id == kept.head.descriptor) {
                Some(descriptor) => Ok(Message::Descriptor(descriptor)),
                None => refused("the descriptor of this record is not kept any more; begin again"),
            };
        }
        if offset >= kept.head.total {
            return refused(
                "the record has no such value; its last index is one less than its values",
            );
        }
        let chunk = chunk_of(kept.head, data, offset, values.into());
        Ok(Message::Spectrum(chunk))
    }
}

/// Values of a record from index `offset` on, `most` at the most.
fn chunk_of(head: RecordHead, values: &[u8], offset: u32, most: usize) -> Chunk<'_> {
    let width = head.encoding.bytes();
    let left = (head.total - offset) as usize;
    let count = left.min(most).min(head.max_data() / width);
    let first = offset as usize * width;
    Chunk {
        head,
        offset,
        data: &values[first..first + count * width],
    }
}

/// Writes powers as they travel, little-endian.
// Inlined into its only caller it takes the ARM longer.
#[inline(never)]
pub(super) fn encode(encoding: Encoding, powers: &[f32], out: &mut [u8]) {
    match encoding {
        Encoding::F32 => {
            for (power, out) in powers.iter().zip(out.as_chunks_mut().0) {
                *out = power.to_le_bytes();
            }
        }
        Encoding::U16 => {
            for (power, out) in powers.iter().zip(out.as_chunks_mut().0) {
                *out = centi_db(*power).steps.to_le_bytes();
            }
        }
        Encoding::U8 => {
            for (power, out) in powers.iter().zip(out) {
                *out = half_db(*power).steps;
            }
        }
    }
}

fn clamps(encoding: Encoding, power: f32) -> bool {
    // Well within the range no logarithm has to say so.
    match encoding {
        Encoding::F32 => false,
        Encoding::U16 => !(1e-37..1e25).contains(&power) && centi_db(power).clamped,
        Encoding::U8 => !(1e-12..5.0).contains(&power) && half_db(power).clamped,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_within_the_range_is_not_clamped() {
        for power in [1e-37f32, 1e-12, 1.0, 4.999_999, 9.999e24] {
            assert!(!centi_db(power).clamped, "{power}");
        }
        for power in [1e-12f32, 1.0, 4.999_999] {
            assert!(!half_db(power).clamped, "{power}");
        }
        for power in [0.0, 1e-39, 1e26, f32::NAN] {
            assert!(clamps(Encoding::U8, power), "{power}");
        }
        assert!(clamps(Encoding::U16, 0.0) && clamps(Encoding::U16, 1e26));
    }
}
