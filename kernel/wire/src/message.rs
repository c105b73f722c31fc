//! Messages: every payload by name, with its encoding.

use crate::field::{Field, Reader, Writer, payload};
use crate::spectrum::Losses;
use crate::{
    Chunk, Counters, Descriptor, Domain, Engine, Info, JobBlock, JobWords, Kind, MAX_PAYLOAD,
    Measured, NakCode, PayloadError, PlanName, Probed, Proof, Rate, RunJob, SampleFormat, State,
};

/// Announces samples. The answer is an `ACK`, then a first `CREDIT`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UploadBegin {
    /// The format of the samples.
    pub format: SampleFormat,
    /// Real or complex.
    pub domain: Domain,
    /// Sample rate.
    pub rate: Rate,
    /// Samples (complex samples) that will be sent; 0 = not known yet.
    pub samples: u64,
    /// The host asks again for values that were lost: the upload waits while records that it has
    /// not got fill the board's memory for them, and ends with `UPLOADED`.
    pub keeps: bool,
}

impl Field<'_> for UploadBegin {
    fn read(r: &mut Reader) -> Result<Self, PayloadError> {
        Ok(Self {
            format: r.get()?,
            domain: r.get()?,
            rate: r.get()?,
            samples: r.get()?,
            keeps: r.get::<u8>()? & KEEPS != 0,
        })
    }

    fn write(&self, w: &mut Writer) -> Result<(), PayloadError> {
        self.format.write(w)?;
        self.domain.write(w)?;
        self.rate.write(w)?;
        self.samples.write(w)?;
        if self.keeps { KEEPS } else { 0 }.write(w)
    }
}

/// The totals of an upload, sent behind its last spectrum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Uploaded {
    /// Records, which have the numbers below this.
    pub records: u32,
    /// Bytes of all their values.
    pub bytes: u64,
    /// CRC-32 of these, in the order of the records.
    pub crc: u32,
}

payload!(Uploaded {
    records,
    bytes,
    crc
});

/// The bit of `UPLOAD_BEGIN`'s flags for [`UploadBegin::keeps`].
const KEEPS: u8 = 1;

/// The limit up to which samples may be sent. Both counts are absolute, so a lost credit does no
/// harm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Credit {
    /// Samples before this index may be sent.
    pub granted: u64,
    /// Samples before this index have arrived without a gap: continue here after a loss.
    pub received: u64,
}

payload!(Credit { granted, received });

/// The heartbeat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Status {
    /// The state of the instrument.
    pub state: State,
    /// The engine in use.
    pub engine: Engine,
    /// Losses so far.
    pub counters: Counters,
    /// Damaged segments on the line to the instrument since it started.
    pub line_errors: u32,
}

impl Field<'_> for Status {
    fn read(r: &mut Reader) -> Result<Self, PayloadError> {
        let mut status = Self {
            state: r.get()?,
            engine: r.get()?,
            counters: r.get()?,
            line_errors: r.get()?,
        };
        r.get::<Losses>()?.complete(&mut status.counters);
        Ok(status)
    }

    fn write(&self, w: &mut Writer) -> Result<(), PayloadError> {
        self.state.write(w)?;
        self.engine.write(w)?;
        self.counters.write(w)?;
        self.line_errors.write(w)?;
        Losses::of(&self.counters).write(w)
    }
}

/// The firmware failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault<'a> {
    /// 1 panic, 2 undefined instruction, 3 prefetch abort, 4 data abort, 5 other exception,
    /// 6 V3D failed, 7 a plan of the QPUs was dropped (the instrument goes on), 8 a job of a host
    /// changed the firmware's memory, 9 the live input failed (the instrument goes on), 10 the live
    /// input loses samples (the stream goes on).
    pub code: u16,
    /// Where, or 0.
    pub pc: u32,
    /// The address that was accessed, or 0.
    pub address: u32,
    /// The event, in English.
    pub text: &'a str,
}

payload!(Fault<'a> { code, pc, address, text });

impl Fault<'_> {
    /// The code of a V3D that failed.
    pub const V3D_FAILED: u16 = 6;
    /// The code of a plan that failed a test on this board and is not used any more; the text says
    /// which.
    pub const PLAN_DROPPED: u16 = 7;
    /// The code of a job of a host after which the firmware's memory was another; the board
    /// restarts.
    pub const MEMORY_CHANGED: u16 = 8;
    /// The code of a live input that ended; the text says why.
    pub const INPUT_FAILED: u16 = 9;
    /// The code of a live input that loses samples in the blocks of a whole second; the stream goes
    /// on.
    pub const SAMPLES_LOST: u16 = 10;
}

/// Declares every message: the code and the name of its kind, and its payload.
macro_rules! messages {
    ($($(#[$doc:meta])* $code:literal $kind:ident $message:ident
        $(($($value:ident: $type:ty),+))?
        $({ $($(#[$field_doc:meta])* $field:ident: $field_type:ty,)+ })?,)+
    ) => {
        impl Kind {
            $($(#[$doc])* pub const $kind: Self = Self($code);)+

            /// The name in the specification, `UPLOAD_BEGIN`; nothing for a kind that this version
            /// does not know.
            #[must_use]
            pub const fn name(self) -> Option<&'static str> {
                match self {
                    $(Self::$kind => Some(stringify!($kind)),)+
                    Self(_) => None,
                }
            }
        }

        /// The payload of a frame.
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub enum Message<'a> {
            $($(#[$doc])* $message
                $(($($type),+))?
                $({ $($(#[$field_doc])* $field: $field_type,)+ })?,)+
        }

        impl<'a> Message<'a> {
            /// The kind of frame that carries it.
            #[must_use]
            pub const fn kind(&self) -> Kind {
                match self {
                    $(Self::$message { .. } => Kind::$kind,)+
                }
            }

            fn write(&self, w: &mut Writer) -> Result<(), PayloadError> {
                match self {
                    $(Self::$message $(($($value),+))? $({ $($field),+ })? => {
                        $($($value.write(w)?;)+)?
                        $($($field.write(w)?;)+)?
                    })+
                }
                Ok(())
            }

            fn read(kind: Kind, r: &mut Reader<'a>) -> Result<Self, PayloadError> {
                Ok(match kind {
                    $(Kind::$kind => Self::$message
                        $(($(r.get::<$type>()?),+))?
                        $({ $($field: r.get()?),+ })?,)+
                    Kind(_) => return Err(PayloadError::UnknownKind),
                })
            }
        }
    };
}

messages! {
    /// Name and version of the host program. Answered by `INFO`.
    0x01 HELLO Hello(program: &'a str),
    /// A number that comes back in `PONG`; confirms a new baud rate.
    0x02 PING Ping(token: u64),
    /// Empty or `all` for all settings, `capabilities`, or names of settings. Answered by
    /// `SETTINGS`.
    0x03 GET Get(keys: &'a str),
    /// `key=value` words that change settings.
    0x04 SET Set(words: &'a str),
    /// Streams spectra of the input that is set.
    0x05 START Start,
    /// Stops whatever is going on.
    0x06 STOP Stop,
    /// Restarts the board.
    0x07 REBOOT Reboot,
    /// The new baud rate.
    0x08 BAUD Baud(rate: u32),
    /// Announces samples.
    0x09 UPLOAD_BEGIN UploadBegin(begin: UploadBegin),
    /// Samples.
    0x0A UPLOAD_DATA UploadData {
        /// Index of the first sample.
        offset: u64,
        /// Whole samples.
        data: &'a [u8],
    },
    /// No more samples. The answer comes after the last spectrum.
    0x0B UPLOAD_END UploadEnd {
        /// Samples that were sent.
        samples: u64,
        /// CRC-32 of all their bytes.
        crc: u32,
    },
    /// Takes a block of the QPUs' memory for jobs of the host: its bytes, a multiple of 4; 0 gives
    /// back the one there is. Answered by `JOB_BLOCK`.
    0x0D JOB_MEMORY JobMemory(bytes: u32),
    /// Writes words of the block.
    0x0E JOB_WRITE JobWrite(words: JobWords<'a>),
    /// Reads words of the block. Answered by `JOB_WORDS`.
    0x0F JOB_READ JobRead {
        /// The first word.
        first: u32,
        /// The number of them, at most [`JobWords::MAX`].
        words: u16,
    },
    /// Runs programs that are in the block. Answered by `QPU_RESULT`.
    0x10 RUN_JOB RunJob(job: RunJob<'a>),
    /// Holds a plan of the QPUs to the ARM. Answered by `PROOF`.
    0x11 PROVE Prove(plan: PlanName),
    /// Runs a microbenchmark of the image: its number, from 0. Answered by `MEASURED`.
    0x12 MEASURE Measure(number: u8),
    /// Sends values of a record again. Answered by `SPECTRUM`, or for none of them by `DESCRIPTOR`.
    0x13 FETCH Fetch {
        /// The record.
        record: u32,
        /// Index of the first value.
        offset: u32,
        /// The greatest number of them.
        values: u16,
    },
    /// The host has all values of the records before this one. Not answered.
    0x14 HELD Held(record: u32),
    /// Looks at the live input. Answered by `PROBED`.
    0x15 PROBE Probe,

    /// The instrument's description of itself.
    0x81 INFO Info(info: Info<'a>),
    /// The number of the ping. The header has the instrument's time.
    0x82 PONG Pong(token: u64),
    /// `key=value` words, one a line.
    0x83 SETTINGS Settings(words: &'a str),
    /// The request was carried out; a remark, often empty.
    0x84 ACK Ack(remark: &'a str),
    /// The request was refused, and why.
    0x85 NAK Nak(code: NakCode, sentence: &'a str),
    /// The meaning of the spectra that follow.
    0x86 DESCRIPTOR Descriptor(descriptor: Descriptor),
    /// Part of a spectrum.
    0x87 SPECTRUM Spectrum(chunk: Chunk<'a>),
    /// The limit up to which samples may be sent.
    0x88 CREDIT Credit(credit: Credit),
    /// A piece of the defmt stream.
    0x89 LOG Log(bytes: &'a [u8]),
    /// The firmware failed and will restart.
    0x8A FAULT Fault(fault: Fault<'a>),
    /// The host's job has ended: the microseconds from its first request to the end of its last
    /// program.
    0x8B QPU_RESULT QpuResult(elapsed_us: u32),
    /// The heartbeat: once a second while nothing else is sent.
    0x8C STATUS Status(status: Status),
    /// Where a block of the QPUs' memory is.
    0x8D JOB_BLOCK JobBlock(block: JobBlock),
    /// Words of the block.
    0x8E JOB_WORDS JobWords(words: JobWords<'a>),
    /// The result of holding a plan to the ARM.
    0x8F PROOF Proof(proof: Proof),
    /// The result of a microbenchmark.
    0x90 MEASURED Measured(measured: Measured<'a>),
    /// The totals of an upload.
    0x91 UPLOADED Uploaded(totals: Uploaded),
    /// The findings about the pins of the live input.
    0x92 PROBED Probed(probed: Probed<'a>),
}

impl<'a> Message<'a> {
    /// Writes the payload to the front of `out`; returns its length.
    ///
    /// # Errors
    /// [`PayloadError::TooLong`] when it does not fit `out` or a frame.
    pub fn encode(&self, out: &mut [u8]) -> Result<usize, PayloadError> {
        let limit = out.len().min(MAX_PAYLOAD);
        let w = &mut Writer::new(&mut out[..limit]);
        self.write(w)?;
        Ok(w.used())
    }

    /// Reads the payload of a frame of this kind. Bytes behind the fields that this version knows
    /// are ignored.
    ///
    /// # Errors
    /// [`PayloadError::UnknownKind`] for a kind that this version does not know, which a listener
    /// ignores; the others say what is wrong with the payload.
    pub fn decode(kind: Kind, payload: &'a [u8]) -> Result<Self, PayloadError> {
        let out_of_range = |field| Err(PayloadError::OutOfRange { field });
        match Self::read(kind, &mut Reader::new(payload))? {
            Self::JobMemory(bytes) if bytes % 4 != 0 => out_of_range("bytes"),
            Self::JobRead { words, .. } if usize::from(words) > JobWords::MAX => {
                out_of_range("words")
            }
            message => Ok(message),
        }
    }
}
