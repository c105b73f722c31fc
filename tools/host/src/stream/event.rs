//! Events from a board: answers to requests, and what it says unasked.

use wire::{NakCode, Status};

use crate::spectrum::Spectrum;

/// The board's description of itself.
#[derive(Clone, PartialEq, Debug)]
pub struct Info {
    /// The engine in use.
    pub engine: wire::Engine,
    /// The instrument's activity.
    pub state: wire::State,
    /// Why the board last started.
    pub reset_cause: wire::ResetCause,
    /// Revision code of the board.
    pub board_revision: u32,
    /// Memory of the ARM in bytes.
    pub memory_bytes: u32,
    /// Clocks.
    pub clocks: wire::Clocks,
    /// Rate of the line.
    pub baud: u32,
    /// The firmware's version.
    pub firmware: String,
    /// The board's name.
    pub board: String,
    /// `key=value` words.
    pub capabilities: String,
}

/// The contents of the frame, kept beyond the frame.
pub(super) fn own_info(info: &wire::Info) -> Info {
    Info {
        engine: info.engine,
        state: info.state,
        reset_cause: info.reset_cause,
        board_revision: info.board_revision,
        memory_bytes: info.memory_bytes,
        clocks: info.clocks,
        baud: info.baud,
        firmware: info.firmware.to_string(),
        board: info.board.to_string(),
        capabilities: info.capabilities.to_owned(),
    }
}

/// The result of a microbenchmark of the firmware.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Measured {
    /// The number of microbenchmarks.
    pub of: u8,
    /// Microseconds that all of it took.
    pub elapsed_us: u32,
    /// Its name.
    pub name: String,
    /// Its result.
    pub words: Vec<u32>,
}

/// The findings of a look at the live input.
#[derive(Clone, PartialEq, Debug)]
pub struct Probed {
    /// Sentences that say that something is wrong.
    pub troubles: u8,
    /// Frames that were looked at.
    pub frames: u32,
    /// Frames a second as measured; 0: not known.
    pub rate_hz: f64,
    /// The true rate is not further away than this.
    pub within_hz: f64,
    /// The rate that is set; 0: none.
    pub expected_hz: f64,
    /// The left slot.
    pub left: wire::Slot,
    /// The right slot.
    pub right: wire::Slot,
    /// Sentences, a line each, those about what is wrong first.
    pub text: String,
}

/// The contents of the frame, kept beyond the frame.
pub(super) fn own_probed(probed: &wire::Probed) -> Probed {
    Probed {
        troubles: probed.troubles,
        frames: probed.frames,
        rate_hz: probed.rate_hz,
        within_hz: probed.within_hz,
        expected_hz: probed.expected_hz,
        left: probed.left,
        right: probed.right,
        text: probed.text.to_owned(),
    }
}

/// The answer to a request.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    /// Done; with a remark, often empty.
    Ack(String),
    /// Refused: why, as a code and as a sentence that says what to do.
    Nak(NakCode, String),
    /// To HELLO.
    Info(Info),
    /// To PING.
    Pong(u64),
    /// To GET: `key=value` lines.
    Settings(String),
    /// To RUN_JOB: time in microseconds.
    QpuResult(u32),
    /// To JOB_MEMORY.
    JobBlock(wire::JobBlock),
    /// To JOB_READ: number of the first word, and words.
    JobWords(u32, Vec<u32>),
    /// To MEASURE.
    Measured(Measured),
    /// To PROVE.
    Proof(wire::Proof),
    /// To PROBE.
    Probed(Box<Probed>),
    /// To UPLOAD_END: what the upload has brought.
    Uploaded(wire::Uploaded),
}

/// The event.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// A line of text, or a piece of one, with its line end.
    Text(String),
    /// A spectrum. The second number is how many of its values were lost.
    Spectrum(Box<Spectrum>, u32),
    /// An answer, to the request of this number.
    Answer(u16, Answer),
    /// The limit up to which an upload may go on.
    Credit(wire::Credit),
    /// A piece of the firmware's defmt stream.
    Log(Vec<u8>),
    /// The firmware says that it failed.
    Fault {
        /// Its code in the protocol.
        code: u16,
        /// What happened.
        text: String,
    },
    /// The heartbeat.
    Status(Status),
    /// The description of records, which comes once a second in place of the heartbeat while there
    /// may be some.
    Described,
    /// Bytes that were neither text nor a whole frame.
    Damaged,
}
