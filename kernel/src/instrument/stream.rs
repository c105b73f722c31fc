//! The stream as a state machine: idle, or the samples of a source on their way to records.
//!
//! It owns what describes the records and what is still to be said of them: the descriptor,
//! counters, the record that is being sent, and acknowledgements that wait for its end. Samples,
//! transforms and the line are others' work.

use wire::{Counters, Descriptor, Domain, Rate, Source, State, Uploaded};

use super::analyser::Summary;
use super::board::SECOND_US;
use super::records::{Last, Records};
use super::source::{Generator, Signal};

/// Acknowledgements that may wait. A host asks again after a second, and a record at the lowest
/// rate and the greatest length takes longer than that; more than this nobody asks.
const LATE_ACKS: usize = 8;

/// An acknowledgement that waits for the end of the record under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LateAck {
    pub request: u16,
    pub stream: u16,
    /// The number of records that had begun to leave: the record under way is the last of them.
    behind: u32,
    /// The values that an upload has brought, where a host wants to know at its end.
    pub brought: Option<Uploaded>,
}

/// The stream under way, and the end of the one before.
pub(super) struct Stream<'a> {
    signal: Option<Signal>,
    /// The stream was not asked for: any byte ends it.
    pub unasked: bool,
    pub generator: Generator,
    pub records: Records<'a>,
    pub counters: Counters,
    pub descriptor: Option<Descriptor>,
    /// The descriptor is to be sent, or to be repeated.
    pub descriptor_due: bool,
    late_acks: heapless::Deque<LateAck, LATE_ACKS>,
    /// A drawing was asked for and has not been made yet.
    pub plot_due: bool,
    /// When the first spectrum was there; 0: not yet.
    pub first_spectrum_us: u32,
    pub next_second_us: u64,
}

impl<'a> Stream<'a> {
    /// No stream yet.
    pub(super) fn new(records: Records<'a>) -> Self {
        Self {
            signal: None,
            unasked: false,
            generator: Generator::new(Domain::Real, 0),
            records,
            counters: Counters::default(),
            descriptor: None,
            descriptor_due: false,
            late_acks: heapless::Deque::new(),
            plot_due: false,
            first_spectrum_us: 0,
            next_second_us: 0,
        }
    }

    pub(super) const fn signal(&self) -> Option<Signal> {
        self.signal
    }

    pub(super) fn state(&self) -> State {
        self.signal.map_or(State::Idle, |signal| signal.state())
    }

    /// The stream number of records: the upload's, also while its last record is sent.
    pub(super) fn number(&self) -> u16 {
        match self.signal {
            Some(signal) if !signal.is_live() => signal.stream,
            _ => self.records.sending.map_or(0, |sending| sending.stream),
        }
    }

    /// Begins a run of records.
    pub(super) fn begin(&mut self, signal: Signal, now_us: u64) {
        self.signal = Some(signal);
        self.unasked = false;
        self.records.begin();
        self.counters = Counters::default();
        self.descriptor_due = true;
        self.next_second_us = now_us + SECOND_US;
    }

    /// Takes a better rate of the samples.
    pub(super) fn set_rate(&mut self, rate: Rate, within_hz: f64) {
        if let Some(signal) = &mut self.signal {
            (signal.rate, signal.rate_within_hz) = (rate, within_hz);
        }
    }

    /// Ends it. The record that is being sent goes on to its end. Reports if a drawing is given up:
    /// no record follows that it could be made of.
    pub(super) fn end(&mut self) -> bool {
        self.signal = None;
        self.unasked = false;
        let has_none = self.plot_due && self.records.last.is_none();
        self.plot_due &= !has_none;
        has_none
    }

    /// Takes the description of what is made now; a new one gets a new number and is sent.
    pub(super) fn describe(&mut self, descriptor: Descriptor) {
        let id = self.descriptor.map_or(0, |before| before.id);
        if self.descriptor != Some(Descriptor { id, ..descriptor }) {
            let id = id.wrapping_add(1);
            self.descriptor = Some(Descriptor { id, ..descriptor });
            self.descriptor_due = true;
        }
    }

    /// Takes the descriptor that is to be sent now. A new one waits for the record under way, which
    /// is read by the one before.
    pub(super) fn take_descriptor(&mut self) -> Option<Descriptor> {
        let sending = self.records.sending;
        let descriptor = self.descriptor.filter(|descriptor| {
            self.descriptor_due && sending.is_none_or(|it| it.descriptor == descriptor.id)
        });
        self.descriptor_due &= descriptor.is_none();
        descriptor
    }

    /// Bytes of the values of a record.
    pub(super) fn record_bytes(&self) -> Option<usize> {
        let descriptor = self.descriptor.as_ref()?;
        Some(descriptor.values() as usize * descriptor.encoding.bytes())
    }

    /// Leaves out a record that cannot be sent in time.
    pub(super) fn drop_record(&mut self) {
        self.records.skip();
        self.counters.dropped = self.counters.dropped.saturating_add(1);
    }

    /// Finishes the record whose powers are there.
    pub(super) fn finish_record(&mut self, summary: &Summary, now_us: u64) -> Option<Last> {
        if self.first_spectrum_us == 0 {
            self.first_spectrum_us = now_us as u32;
        }
        match &self.descriptor {
            Some(descriptor) => Some(self.records.finish(descriptor, summary, self.counters)),
            None => {
                self.records.skip();
                None
            }
        }
    }

    /// Begins to send a record; returns its values where they are an upload's. `pause`: as for
    /// [`Records::send`].
    pub(super) fn send(&mut self, last: &Last, pause: impl FnMut()) -> Option<&[u8]> {
        let stream = self.number();
        let values = self.records.send(last, stream, pause);
        (last.descriptor.source == Source::Upload).then_some(values)
    }

    /// Acknowledges a request when the record that is being sent has come to its end. When as many
    /// wait as may, the oldest is given up: its host has asked again since.
    pub(super) fn acknowledge_late(
        &mut self,
        request: u16,
        stream: u16,
        brought: Option<Uploaded>,
    ) {
        if self.late_acks.is_full() {
            self.late_acks.pop_front();
        }
        let _ = self.late_acks.push_back(LateAck {
            request,
            stream,
            behind: self.records.emitted,
            brought,
        });
    }

    /// Takes the next acknowledgement whose record has come to its end, before the first chunk of a
    /// newer record, which may have begun at once.
    pub(super) fn next_ack(&mut self) -> Option<LateAck> {
        let behind = self.late_acks.front()?.behind;
        if self.records.sending.is_some() && behind == self.records.emitted {
            return None;
        }
        self.late_acks.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::super::board::Board;
    use super::super::descriptor::describe;
    use super::super::kept::{Entries, Kept};
    use super::super::settings::Settings;
    use super::super::tests::FakeBoard;
    use super::*;
    use dsp::Gain;
    use wire::Engine;

    const GAIN: Gain = Gain {
        coherent: 0.5,
        enbw_bins: 1.5,
    };

    /// A stream of the generator with these settings.
    fn begin(stream: &mut Stream, settings: &str) {
        let mut all = Settings::default();
        all.apply(settings).unwrap();
        let signal = Generator::new(all.domain, 0).signal(0);
        stream.begin(signal, 0);
        let board = FakeBoard::new();
        stream.describe(describe(&all, &signal, GAIN, Engine::Cpu, board.info()));
    }

    /// Sends the record under way; returns the indices at which its chunks begin.
    fn send(stream: &mut Stream, summary: &Summary) -> Vec<u32> {
        let last = stream.finish_record(summary, 5).expect("it is described");
        assert!(stream.send(&last, || ()).is_none(), "no upload's");
        let chunks = core::iter::from_fn(|| {
            let (chunk, _) = stream.records.next_chunk()?;
            Some(chunk.offset)
        });
        chunks.collect()
    }

    #[test]
    fn a_record_leaves_in_chunks_and_acknowledgements_wait_for_its_end() {
        let (mut power, mut kept) = ([0.25; 1 << 15], [0; 1 << 17]);
        let mut entries = Entries::new();
        let kept = Kept::new(&mut kept, &mut entries);
        let mut stream = Stream::new(Records::new(&mut power, kept));
        assert_eq!((stream.state(), stream.number()), (State::Idle, 0));
        begin(&mut stream, "n=16384 out=f32");
        assert_eq!(stream.state(), State::Streaming);
        let last = stream.finish_record(&Summary::default(), 5).unwrap();
        stream.send(&last, || ());
        stream.acknowledge_late(7, 0, None);
        stream.end();
        assert_eq!(stream.state(), State::Idle);
        let mut offset = 0;
        while let Some((chunk, _)) = stream.records.next_chunk() {
            assert_eq!(chunk.offset, offset);
            offset += chunk.data.len() as u32 / 4;
            let ack = stream.next_ack();
            assert_eq!(ack.is_some(), offset == 8193);
        }
        assert_eq!((offset, stream.first_spectrum_us), (8193, 5));
    }

    #[test]
    fn a_new_description_is_sent_behind_the_record_under_way() {
        let (mut power, mut kept) = ([0.25; 1 << 15], [0; 1 << 17]);
        let mut entries = Entries::new();
        let kept = Kept::new(&mut kept, &mut entries);
        let mut stream = Stream::new(Records::new(&mut power, kept));
        begin(&mut stream, "n=1024");
        assert_eq!(stream.take_descriptor().map(|it| it.id), Some(1));
        assert_eq!(stream.take_descriptor(), None);
        begin(&mut stream, "n=1024");
        assert_eq!(stream.take_descriptor().map(|it| it.id), Some(1));
        let last = stream.finish_record(&Summary::default(), 5).unwrap();
        stream.send(&last, || ());
        begin(&mut stream, "n=512");
        assert_eq!(stream.take_descriptor(), None);
        assert!(stream.records.next_chunk().is_some());
        assert_eq!(stream.take_descriptor().map(|it| it.id), Some(2));
        stream.drop_record();
        assert_eq!(send(&mut stream, &Summary::default()), [0]);
        assert_eq!(stream.records.last.unwrap().head.record, 1);
        assert_eq!(stream.counters.dropped, 1);
    }
}
