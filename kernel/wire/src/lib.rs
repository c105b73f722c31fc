//! The serial protocol between the instrument and its host.
//!
//! What follows is `PROTOCOL.md`, the specification; this crate is one implementation of it, for
//! the board and for hosts. `tests/document.rs` holds the two together.
//!
#![doc = include_str!("../PROTOCOL.md")]
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

mod codes;
mod decoder;
mod descriptor;
mod error;
mod field;
mod findings;
mod frame;
mod job;
mod message;
mod name;
mod settings;
mod spectrum;

pub use codes::{Averaging, Dc, Encoding, Engine, NakCode, ResetCause, Source, State, Unit};
pub use decoder::{Damage, Decoder, Item, LineCounters, TEXT_PIECE};
pub use descriptor::{Clocks, Descriptor, Info};
pub use error::PayloadError;
pub use findings::{Measured, PlanKind, PlanName, Probed, Proof, Slot, Verdict};
pub use frame::{
    CRC_BYTES, Crc32, Encoder, Envelope, HEADER_BYTES, Header, Kind, MAX_ENCODED, MAX_FRAME,
    MAX_PAYLOAD, VERSION_MAJOR, VERSION_MINOR, crc32,
};
pub use job::{JobBlock, JobClear, JobLaunch, JobProgram, JobPrograms, JobWords, RunJob};
pub use message::{Credit, Fault, Message, Status, UploadBegin, Uploaded};
pub use name::Name;
pub use settings::{SETTINGS, Setting};
pub use signal::{Beta, Channels, Code, Detector, Domain, Rate, SampleFormat, Window};
pub use spectrum::{
    Assembled, Assembler, CHUNK_HEAD_BYTES, Chunk, Counters, Doubt, MAX_CHUNK_DATA, Record,
    RecordHead, Value,
};
