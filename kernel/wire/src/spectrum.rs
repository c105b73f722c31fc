//! Spectra: chunks with counters, and the assembly of chunks into records.

use crate::field::{Field, Reader, Writer, payload};
use crate::{Encoding, Engine, PayloadError};

/// Losses and effort; in every chunk of every record, and in the status.
///
/// Losses count from the start of the stream or upload; times are those of this record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Receive errors and samples lost at the input. The first field of a payload that has it holds
    /// 32 bits, and stays at the greatest number; [`Losses`] has all of it.
    pub overruns: u64,
    /// Samples that came and are in no block, because others near them are lost.
    pub left_out: u64,
    /// Samples at or beyond full scale.
    pub clipped: u32,
    /// Whole records that were not sent because the line was busy.
    pub dropped: u32,
    /// Values of this record that left the range of the encoding.
    pub clamped: u32,
    /// Time the QPUs spent on this record, in microseconds.
    pub qpu_us: u32,
    /// Time the ARM spent on this record (transforms on the ARM, window, power, average).
    pub cpu_us: u32,
}

impl Field<'_> for Counters {
    fn read(r: &mut Reader) -> Result<Self, PayloadError> {
        let overruns: u32 = r.get()?;
        Ok(Self {
            overruns: overruns.into(),
            left_out: 0,
            clipped: r.get()?,
            dropped: r.get()?,
            clamped: r.get()?,
            qpu_us: r.get()?,
            cpu_us: r.get()?,
        })
    }

    fn write(&self, w: &mut Writer) -> Result<(), PayloadError> {
        let overruns = u32::try_from(self.overruns).unwrap_or(u32::MAX);
        overruns.write(w)?;
        for count in [
            self.clipped,
            self.dropped,
            self.clamped,
            self.qpu_us,
            self.cpu_us,
        ] {
            count.write(w)?;
        }
        Ok(())
    }
}

/// The losses of [`Counters`] that do not fit into their first fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Losses {
    overruns: u64,
    left_out: u64,
}

payload!(Losses { overruns, left_out });

impl Losses {
    pub(crate) const fn of(counters: &Counters) -> Self {
        Self {
            overruns: counters.overruns,
            left_out: counters.left_out,
        }
    }

    pub(crate) const fn complete(self, counters: &mut Counters) {
        counters.overruns = self.overruns;
        counters.left_out = self.left_out;
    }

    /// Those of counters whose first fields do not say all of them.
    fn beyond(counters: &Counters) -> Option<Self> {
        let says_all = counters.left_out == 0 && counters.overruns <= u32::MAX.into();
        (!says_all).then_some(Self::of(counters))
    }
}

/// Samples whose results may be wrong: of the QPUs, which failed a check behind them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Doubt {
    /// Index of the first of them, from the start of the stream or upload.
    pub from: u64,
    /// Index of the first sample behind them whose result was checked.
    pub until: u64,
}

payload!(Doubt { from, until });

impl Doubt {
    /// Returns whether any of the `count` samples from `first` on is one of them.
    #[must_use]
    pub const fn concerns(self, first: u64, count: u64) -> bool {
        first < self.until && self.from < first.saturating_add(count)
    }
}

/// The properties of a record, equal in each of its chunks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordHead {
    /// Number of the record, from 0 at the start of the stream or upload; a gap is a drop.
    pub record: u32,
    /// Values in the whole record.
    pub total: u32,
    /// The descriptor to read it by.
    pub descriptor: u32,
    /// The coding of its values.
    pub encoding: Encoding,
    /// The engine that computed it.
    pub engine: Engine,
    /// The QPUs failed while this record was made, and the ARM computed it instead.
    pub fallback: bool,
    /// The fastest plan for such records failed a test on this board and was dropped; another one
    /// computed this, which has passed.
    pub replaced: bool,
    /// Results of this stream or upload that may be wrong, in records before this one or in this
    /// one.
    pub doubt: Option<Doubt>,
    /// The share of the samples since the record before that its blocks are made of, in parts per
    /// million, if the stream leaves samples out.
    pub duty_ppm: Option<u32>,
    /// Blocks that were averaged.
    pub blocks: u32,
    /// Index of the first sample of the first block, from the start of the stream or upload.
    pub first_sample: u64,
    /// Losses and effort.
    pub counters: Counters,
}

/// Part of a record: values `offset .. offset + data.len() / encoding.bytes()`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chunk<'a> {
    /// The record it belongs to.
    pub head: RecordHead,
    /// Index of its first value.
    pub offset: u32,
    /// Values, little-endian.
    pub data: &'a [u8],
}

impl RecordHead {
    /// Bytes of a chunk before its data, as this version writes them.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let doubt = DOUBT_BYTES * self.doubt.is_some() as usize;
        let losses = LOSSES_BYTES * Losses::beyond(&self.counters).is_some() as usize;
        CHUNK_HEAD_BYTES + doubt + DUTY_BYTES * self.duty_ppm.is_some() as usize + losses
    }

    /// The most bytes of data in a chunk; whole values of every encoding.
    #[must_use]
    pub fn max_data(&self) -> usize {
        (crate::MAX_PAYLOAD - self.bytes()) / 4 * 4
    }
}

/// Bytes of a chunk before its data, as this version writes them where nothing is in doubt and no
/// samples are left out.
pub const CHUNK_HEAD_BYTES: usize = 58;
/// Bytes that a [`Doubt`] adds.
const DOUBT_BYTES: usize = 16;
/// Bytes that a duty adds.
const DUTY_BYTES: usize = 4;
/// Bytes that [`Losses`] add.
const LOSSES_BYTES: usize = 16;
/// The most bytes of data in a chunk; whole values of every encoding.
pub const MAX_CHUNK_DATA: usize = (crate::MAX_PAYLOAD - CHUNK_HEAD_BYTES) / 4 * 4;

const FLAG_FALLBACK: u8 = 1;
const FLAG_REPLACED: u8 = 2;
const FLAG_DOUBT: u8 = 4;
const FLAG_DUTY: u8 = 8;
const FLAG_LOSSES: u8 = 16;

impl<'a> Field<'a> for Chunk<'a> {
    fn read(r: &mut Reader<'a>) -> Result<Self, PayloadError> {
        let bytes = r.rest();
        // The first field says where data begins, so that later versions can add fields before it.
        let head_bytes: u16 = Reader::new(bytes).get()?;
        let (head, data) = bytes
            .split_at_checked(head_bytes.into())
            .ok_or(PayloadError::Short)?;
        let r = &mut Reader::new(head);
        let _: u16 = r.get()?;
        let (record, offset, total, descriptor) = (r.get()?, r.get()?, r.get()?, r.get()?);
        let (encoding, engine): (Encoding, _) = (r.get()?, r.get()?);
        let [flags, _] = r.get()?;
        let mut head = RecordHead {
            record,
            total,
            descriptor,
            encoding,
            engine,
            fallback: flags & FLAG_FALLBACK != 0,
            replaced: flags & FLAG_REPLACED != 0,
            doubt: None,
            duty_ppm: None,
            blocks: r.get()?,
            first_sample: r.get()?,
            counters: r.get()?,
        };
        if flags & FLAG_DOUBT != 0 {
            head.doubt = Some(r.get()?);
        }
        if flags & FLAG_DUTY != 0 {
            head.duty_ppm = Some(r.get()?);
        }
        if flags & FLAG_LOSSES != 0 {
            r.get::<Losses>()?.complete(&mut head.counters);
        }
        let width = encoding.bytes();
        let values = (data.len() / width) as u64;
        if data.len() % width != 0 || u64::from(offset) + values > u64::from(total) {
            return Err(PayloadError::OutOfRange { field: "chunk" });
        }
        Ok(Self { head, offset, data })
    }

    fn write(&self, w: &mut Writer) -> Result<(), PayloadError> {
        let head = &self.head;
        (head.bytes() as u16).write(w)?;
        head.record.write(w)?;
        self.offset.write(w)?;
        head.total.write(w)?;
        head.descriptor.write(w)?;
        let losses = Losses::beyond(&head.counters);
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        let flags = flag(head.fallback, FLAG_FALLBACK)
            | flag(head.replaced, FLAG_REPLACED)
            | flag(head.doubt.is_some(), FLAG_DOUBT)
            | flag(head.duty_ppm.is_some(), FLAG_DUTY)
            | flag(losses.is_some(), FLAG_LOSSES);
        w.bytes(&[head.encoding.code(), head.engine.code(), flags, 0])?;
        head.blocks.write(w)?;
        head.first_sample.write(w)?;
        head.counters.write(w)?;
        if let Some(doubt) = head.doubt {
            doubt.write(w)?;
        }
        if let Some(duty_ppm) = head.duty_ppm {
            duty_ppm.write(w)?;
        }
        if let Some(losses) = losses {
            losses.write(w)?;
        }
        debug_assert_eq!(w.used(), head.bytes());
        self.data.write(w)
    }
}

/// One value of a spectrum.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    /// Its chunk was lost.
    Missing,
    /// Linear power; 1.0 is a full-scale sine.
    Power(f32),
    /// Level in steps; `raw * scale + offset` decibels by the descriptor.
    Steps(u16),
}

/// A record as far as it has arrived.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The head of its last chunk.
    pub head: RecordHead,
    /// Values whose chunks were lost.
    pub missing: u32,
    data: &'a [u8],
}

impl<'a> Record<'a> {
    /// The values as they were sent, little-endian; missing ones have all bits set.
    #[must_use]
    pub const fn raw(&self) -> &'a [u8] {
        self.data
    }

    /// The value at `index`; `Missing` beyond the end.
    #[must_use]
    pub fn value(&self, index: usize) -> Value {
        let width = self.head.encoding.bytes();
        let Some(raw) = index
            .checked_mul(width)
            .and_then(|at| self.data.get(at..at.checked_add(width)?))
        else {
            return Value::Missing;
        };
        match *raw {
            [a] if a != u8::MAX => Value::Steps(u16::from(a)),
            [a, b] if [a, b] != [u8::MAX; 2] => Value::Steps(u16::from_le_bytes([a, b])),
            [a, b, c, d] => match f32::from_le_bytes([a, b, c, d]) {
                power if power.is_nan() => Value::Missing,
                power => Value::Power(power),
            },
            _ => Value::Missing,
        }
    }

    /// All values in order.
    pub fn values(&self) -> impl Iterator<Item = Value> + use<'a> {
        let record = *self;
        (0..record.head.total as usize).map(move |index| record.value(index))
    }
}

/// The effect of a chunk on the record under assembly.
#[derive(Clone, Copy, Debug)]
pub enum Assembled<'a> {
    /// More chunks are to come.
    Pending,
    /// The last chunk has arrived; `missing` is not 0 when others were lost.
    Record(Record<'a>),
    /// The buffer is too small for a record of this many bytes.
    TooLarge(u64),
}

/// Puts the chunks of one stream together in a buffer of the caller.
///
/// A record ends when its last chunk arrives. A record whose last chunk was lost is given up when
/// a chunk of another record comes, and counted. Chunks belong to one record when all that they say
/// of it is the same: numbers alone begin at 0 with every stream, and at every start of the board.
pub struct Assembler<B> {
    buffer: B,
    current: Option<RecordHead>,
    received: u32,
    next_offset: u32,
    incomplete: u64,
}

impl<B: AsRef<[u8]> + AsMut<[u8]>> Assembler<B> {
    /// An assembler for records of up to `buffer` bytes.
    pub const fn new(buffer: B) -> Self {
        Self {
            buffer,
            current: None,
            received: 0,
            next_offset: 0,
            incomplete: 0,
        }
    }

    /// Records that were given up or delivered with values missing.
    #[must_use]
    pub const fn incomplete(&self) -> u64 {
        self.incomplete
    }

    /// Expects no more of the record under way, if there is one; it is counted as incomplete.
    pub fn give_up(&mut self) {
        if self.current.take().is_some() {
            self.incomplete += 1;
        }
        self.received = 0;
        self.next_offset = 0;
    }

    /// Takes in a chunk.
    pub fn push(&mut self, chunk: &Chunk) -> Assembled<'_> {
        let head = chunk.head;
        let width = head.encoding.bytes();
        let bytes = u64::from(head.total) * width as u64;
        if bytes > self.buffer.as_ref().len() as u64 {
            return Assembled::TooLarge(bytes);
        }
        let bytes = bytes as usize;
        if self.current != Some(head) || chunk.offset < self.next_offset {
            self.give_up();
            self.buffer.as_mut()[..bytes].fill(u8::MAX);
        }
        self.current = Some(head);
        let count = (chunk.data.len() / width) as u32;
        let start = chunk.offset as usize * width;
        let Some(place) = self
            .buffer
            .as_mut()
            .get_mut(start..start + chunk.data.len())
        else {
            return Assembled::Pending;
        };
        place.copy_from_slice(chunk.data);
        self.received += count;
        self.next_offset = chunk.offset.saturating_add(count);
        if self.next_offset < head.total {
            return Assembled::Pending;
        }
        self.current = None;
        let missing = head.total.saturating_sub(self.received);
        if missing > 0 {
            self.incomplete += 1;
        }
        Assembled::Record(Record {
            head,
            missing,
            data: &self.buffer.as_ref()[..bytes],
        })
    }
}
