//! Messages: every payload by name, with its encoding.

use crate::cursor::{Reader, Writer};
use crate::{
    Chunk, Counters, Descriptor, Domain, Engine, Info, JobBlock, JobWords, Kind, MAX_PAYLOAD,
    Measured, NakCode, PayloadError, PlanName, Proof, Rate, RunJob, SampleFormat, State,
};

/// Announces samples. The answer is an `ACK`, then a first `CREDIT`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UploadBegin {
    /// How samples are coded.
    pub format: SampleFormat,
    /// Real or complex.
    pub domain: Domain,
    /// Sample rate.
    pub rate: Rate,
    /// Samples (complex samples) that will be sent; 0 = not known yet.
    pub samples: u64,
    /// The host asks again for values that were lost: the upload waits while records that it has not got fill the
    /// board's memory for them, and ends with `UPLOADED`. Since 1.3; a board that does not know it ignores it.
    pub keeps: bool,
}

/// What an upload has brought, behind its last spectrum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Uploaded {
    /// Records, which have the numbers below this.
    pub records: u32,
    /// Bytes of all their values.
    pub bytes: u64,
    /// CRC-32 of these, in the order of the records.
    pub crc: u32,
}

/// The bit of `UPLOAD_BEGIN`'s flags for [`UploadBegin::keeps`].
const KEEPS: u8 = 1;

/// How far samples may be sent. Both counts are absolute, so a lost credit does no harm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Credit {
    /// Samples before this index may be sent.
    pub granted: u64,
    /// Samples before this index have arrived without a gap: continue here after a loss.
    pub received: u64,
}

/// What a QPU program did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QpuResult<'a> {
    /// Time from the first request to the end of the last program.
    pub elapsed_us: u32,
    /// Output, 32-bit little-endian words.
    pub output: &'a [u8],
}

/// The heartbeat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Status {
    /// What the instrument is doing.
    pub state: State,
    /// The engine in use.
    pub engine: Engine,
    /// Losses so far.
    pub counters: Counters,
    /// Damaged segments on the line to the instrument since it started.
    pub line_errors: u32,
}

/// The firmware failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault<'a> {
    /// 1 panic, 2 undefined instruction, 3 prefetch abort, 4 data abort, 5 other exception,
    /// 6 V3D failed, 7 a plan of the QPUs was dropped (the instrument goes on), 8 a job of a host changed the
    /// firmware's memory.
    pub code: u16,
    /// Where, or 0.
    pub pc: u32,
    /// The address that was accessed, or 0.
    pub address: u32,
    /// What happened, in English.
    pub text: &'a str,
}

impl Fault<'_> {
    /// The code of a V3D that failed.
    pub const V3D_FAILED: u16 = 6;
    /// The code of a plan that failed a test on this board and is not used any more; the text says which.
    pub const PLAN_DROPPED: u16 = 7;
    /// The code of a job of a host after which the firmware's memory was another; the board restarts.
    pub const MEMORY_CHANGED: u16 = 8;
}

/// The payload of a frame.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Message<'a> {
    /// `HELLO`: name and version of the host program.
    Hello(&'a str),
    /// `PING`: a number that comes back.
    Ping(u64),
    /// `GET`: empty or `all` for all settings, `capabilities`, or names of settings.
    Get(&'a str),
    /// `SET`: `key=value` words.
    Set(&'a str),
    /// `START`.
    Start,
    /// `STOP`.
    Stop,
    /// `REBOOT`.
    Reboot,
    /// `BAUD`: the new rate.
    Baud(u32),
    /// `UPLOAD_BEGIN`.
    UploadBegin(UploadBegin),
    /// `UPLOAD_DATA`.
    UploadData {
        /// Index of the first sample.
        offset: u64,
        /// Whole samples.
        data: &'a [u8],
    },
    /// `UPLOAD_END`. The answer comes after the last spectrum.
    UploadEnd {
        /// Samples that were sent.
        samples: u64,
        /// CRC-32 of all their bytes.
        crc: u32,
    },
    /// `FETCH`: values of a record again. Answered by `SPECTRUM`, or for none of them by `DESCRIPTOR`.
    Fetch {
        /// The record.
        record: u32,
        /// Index of the first value.
        offset: u32,
        /// How many, at the most.
        values: u16,
    },
    /// `HELD`: the host has all values of the records before this one. Not answered.
    Held(u32),
    /// `JOB_MEMORY`: bytes of the block, a multiple of 4; 0 gives back the one there is.
    JobMemory(u32),
    /// `JOB_WRITE`.
    JobWrite(JobWords<'a>),
    /// `JOB_READ`.
    JobRead {
        /// The first word.
        first: u32,
        /// How many, at most [`JobWords::MAX`].
        words: u16,
    },
    /// `RUN_JOB`.
    RunJob(RunJob<'a>),
    /// `PROVE`: which plan.
    Prove(PlanName),
    /// `MEASURE`: the number of a microbenchmark, from 0.
    Measure(u8),
    /// `UPLOADED`.
    Uploaded(Uploaded),
    /// `INFO`.
    Info(Info<'a>),
    /// `PONG`: the number of the ping. The header has the instrument's time.
    Pong(u64),
    /// `SETTINGS`: `key=value` words, one a line.
    Settings(&'a str),
    /// `ACK`: a remark, often empty.
    Ack(&'a str),
    /// `NAK`.
    Nak(NakCode, &'a str),
    /// `DESCRIPTOR`.
    Descriptor(Descriptor),
    /// `SPECTRUM`.
    Spectrum(Chunk<'a>),
    /// `CREDIT`.
    Credit(Credit),
    /// `LOG`: a piece of the defmt stream.
    Log(&'a [u8]),
    /// `FAULT`.
    Fault(Fault<'a>),
    /// `QPU_RESULT`.
    QpuResult(QpuResult<'a>),
    /// `STATUS`.
    Status(Status),
    /// `JOB_BLOCK`.
    JobBlock(JobBlock),
    /// `JOB_WORDS`.
    JobWords(JobWords<'a>),
    /// `PROOF`.
    Proof(Proof),
    /// `MEASURED`.
    Measured(Measured<'a>),
}

impl<'a> Message<'a> {
    /// The kind of frame that carries it.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Hello(_) => Kind::HELLO,
            Self::Ping(_) => Kind::PING,
            Self::Get(_) => Kind::GET,
            Self::Set(_) => Kind::SET,
            Self::Start => Kind::START,
            Self::Stop => Kind::STOP,
            Self::Reboot => Kind::REBOOT,
            Self::Baud(_) => Kind::BAUD,
            Self::UploadBegin(_) => Kind::UPLOAD_BEGIN,
            Self::UploadData { .. } => Kind::UPLOAD_DATA,
            Self::UploadEnd { .. } => Kind::UPLOAD_END,
            Self::Fetch { .. } => Kind::FETCH,
            Self::Held(_) => Kind::HELD,
            Self::Uploaded(_) => Kind::UPLOADED,
            Self::JobMemory(_) => Kind::JOB_MEMORY,
            Self::JobWrite(_) => Kind::JOB_WRITE,
            Self::JobRead { .. } => Kind::JOB_READ,
            Self::RunJob(_) => Kind::RUN_JOB,
            Self::Prove(_) => Kind::PROVE,
            Self::Measure(_) => Kind::MEASURE,
            Self::Info(_) => Kind::INFO,
            Self::Pong(_) => Kind::PONG,
            Self::Settings(_) => Kind::SETTINGS,
            Self::Ack(_) => Kind::ACK,
            Self::Nak(..) => Kind::NAK,
            Self::Descriptor(_) => Kind::DESCRIPTOR,
            Self::Spectrum(_) => Kind::SPECTRUM,
            Self::Credit(_) => Kind::CREDIT,
            Self::Log(_) => Kind::LOG,
            Self::Fault(_) => Kind::FAULT,
            Self::QpuResult(_) => Kind::QPU_RESULT,
            Self::Status(_) => Kind::STATUS,
            Self::JobBlock(_) => Kind::JOB_BLOCK,
            Self::JobWords(_) => Kind::JOB_WORDS,
            Self::Proof(_) => Kind::PROOF,
            Self::Measured(_) => Kind::MEASURED,
        }
    }

    /// Writes the payload to the front of `out`; returns its length.
    ///
    /// # Errors
    /// [`PayloadError::TooLong`] when it does not fit `out` or a frame.
    pub fn encode(&self, out: &mut [u8]) -> Result<usize, PayloadError> {
        let limit = out.len().min(MAX_PAYLOAD);
        let w = &mut Writer::new(&mut out[..limit]);
        match self {
            Self::Hello(text) | Self::Get(text) | Self::Set(text) => w.text(text)?,
            Self::Settings(text) | Self::Ack(text) => w.text(text)?,
            Self::Ping(token) | Self::Pong(token) => w.u64(*token)?,
            Self::Start | Self::Stop | Self::Reboot => {}
            Self::Baud(number) | Self::JobMemory(number) | Self::Held(number) => w.u32(*number)?,
            Self::UploadBegin(begin) => {
                w.bytes(&[begin.format.code(), begin.domain.code()])?;
                w.rate(begin.rate)?;
                w.u64(begin.samples)?;
                w.bytes(&[if begin.keeps { KEEPS } else { 0 }])?;
            }
            Self::Fetch {
                record,
                offset,
                values,
            } => {
                w.u32(*record)?;
                w.u32(*offset)?;
                w.u16(*values)?;
            }
            Self::Uploaded(uploaded) => {
                w.u32(uploaded.records)?;
                w.u64(uploaded.bytes)?;
                w.u32(uploaded.crc)?;
            }
            Self::UploadData { offset, data } => {
                w.u64(*offset)?;
                w.bytes(data)?;
            }
            Self::UploadEnd { samples, crc } => {
                w.u64(*samples)?;
                w.u32(*crc)?;
            }
            Self::JobWrite(words) | Self::JobWords(words) => words.write(w)?,
            Self::JobRead { first, words } => {
                w.u32(*first)?;
                w.u16(*words)?;
            }
            Self::RunJob(job) => job.write(w)?,
            Self::Prove(plan) => plan.write(w)?,
            Self::Proof(proof) => proof.write(w)?,
            Self::Measure(number) => w.u8(*number)?,
            Self::Measured(measured) => measured.write(w)?,
            Self::JobBlock(block) => block.write(w)?,
            Self::Info(info) => info.write(w)?,
            Self::Nak(code, sentence) => {
                w.u16(code.0)?;
                w.text(sentence)?;
            }
            Self::Descriptor(descriptor) => descriptor.write(w)?,
            Self::Spectrum(chunk) => chunk.write(w)?,
            Self::Credit(credit) => {
                w.u64(credit.granted)?;
                w.u64(credit.received)?;
            }
            Self::Log(bytes) => w.bytes(bytes)?,
            Self::Fault(fault) => {
                w.u16(fault.code)?;
                w.u32(fault.pc)?;
                w.u32(fault.address)?;
                w.text(fault.text)?;
            }
            Self::QpuResult(result) => {
                w.u32(result.elapsed_us)?;
                w.bytes(result.output)?;
            }
            Self::Status(status) => {
                w.bytes(&[status.state.code(), status.engine.code()])?;
                status.counters.write(w)?;
                w.u32(status.line_errors)?;
            }
        }
        Ok(w.used())
    }

    /// Reads the payload of a frame of this kind. Bytes behind the fields that this version knows
    /// are ignored.
    ///
    /// # Errors
    /// [`PayloadError::UnknownKind`] for a kind that this version does not know, which a listener
    /// ignores; the others say what is wrong with the payload.
    pub fn decode(kind: Kind, payload: &'a [u8]) -> Result<Self, PayloadError> {
        let mut r = Reader::new(payload);
        Ok(match kind {
            Kind::HELLO => Self::Hello(r.text()?),
            Kind::PING => Self::Ping(r.u64()?),
            Kind::GET => Self::Get(r.text()?),
            Kind::SET => Self::Set(r.text()?),
            Kind::START => Self::Start,
            Kind::STOP => Self::Stop,
            Kind::REBOOT => Self::Reboot,
            Kind::BAUD => Self::Baud(r.u32()?),
            Kind::UPLOAD_BEGIN => Self::UploadBegin(UploadBegin {
                format: r.sample_format()?,
                domain: r.code()?,
                rate: r.rate()?,
                samples: r.u64()?,
                keeps: !r.is_empty() && r.u8()? & KEEPS != 0,
            }),
            Kind::UPLOAD_DATA => Self::UploadData {
                offset: r.u64()?,
                data: r.rest(),
            },
            Kind::UPLOAD_END => Self::UploadEnd {
                samples: r.u64()?,
                crc: r.u32()?,
            },
            Kind::FETCH => Self::Fetch {
                record: r.u32()?,
                offset: r.u32()?,
                values: r.u16()?,
            },
            Kind::HELD => Self::Held(r.u32()?),
            Kind::UPLOADED => Self::Uploaded(Uploaded {
                records: r.u32()?,
                bytes: r.u64()?,
                crc: r.u32()?,
            }),
            Kind::JOB_MEMORY => match r.u32()? {
                bytes if bytes % 4 == 0 => Self::JobMemory(bytes),
                _ => return Err(PayloadError::OutOfRange { field: "bytes" }),
            },
            Kind::JOB_WRITE => Self::JobWrite(JobWords::read(payload)?),
            Kind::JOB_READ => match (r.u32()?, r.u16()?) {
                (first, words) if usize::from(words) <= JobWords::MAX => {
                    Self::JobRead { first, words }
                }
                _ => return Err(PayloadError::OutOfRange { field: "words" }),
            },
            Kind::RUN_JOB => Self::RunJob(RunJob::read(payload)?),
            Kind::MEASURE => Self::Measure(r.u8()?),
            Kind::MEASURED => Self::Measured(Measured::read(payload)?),
            Kind::JOB_BLOCK => Self::JobBlock(JobBlock::read(&mut r)?),
            Kind::JOB_WORDS => Self::JobWords(JobWords::read(payload)?),
            Kind::PROVE => Self::Prove(PlanName::read(&mut r)?),
            Kind::PROOF => Self::Proof(Proof::read(&mut r)?),
            Kind::INFO => Self::Info(Info::read(payload)?),
            Kind::PONG => Self::Pong(r.u64()?),
            Kind::SETTINGS => Self::Settings(r.text()?),
            Kind::ACK => Self::Ack(r.text()?),
            Kind::NAK => Self::Nak(NakCode(r.u16()?), r.text()?),
            Kind::DESCRIPTOR => Self::Descriptor(Descriptor::read(payload)?),
            Kind::SPECTRUM => Self::Spectrum(Chunk::read(payload)?),
            Kind::CREDIT => Self::Credit(Credit {
                granted: r.u64()?,
                received: r.u64()?,
            }),
            Kind::LOG => Self::Log(r.rest()),
            Kind::FAULT => Self::Fault(Fault {
                code: r.u16()?,
                pc: r.u32()?,
                address: r.u32()?,
                text: r.text()?,
            }),
            Kind::QPU_RESULT => Self::QpuResult(QpuResult {
                elapsed_us: r.u32()?,
                output: r.rest(),
            }),
            Kind::STATUS => Self::Status(Status {
                state: r.code()?,
                engine: r.code()?,
                counters: Counters::read(&mut r)?,
                line_errors: r.u32()?,
            }),
            Kind(_) => return Err(PayloadError::UnknownKind),
        })
    }
}
