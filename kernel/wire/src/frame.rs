//! Frames: header, payload and checksum between two zero bytes.

use cobs::CobsEncoder;
use crc::{CRC_32_ISO_HDLC, Crc, Table};

use crate::cursor::{Reader, Writer};
use crate::{Message, PayloadError};

/// A different major version refuses frames.
pub const VERSION_MAJOR: u8 = 1;
/// Minor versions add kinds and fields that others may ignore.
pub const VERSION_MINOR: u8 = 3;
/// The most bytes of payload in a frame.
pub const MAX_PAYLOAD: usize = 4096;
/// Bytes before the payload.
pub const HEADER_BYTES: usize = 22;
/// Bytes of checksum behind the payload.
pub const CRC_BYTES: usize = 4;
/// The most bytes between two zero bytes on the line.
pub const MAX_ENCODED: usize = cobs::max_encoding_length(HEADER_BYTES + MAX_PAYLOAD + CRC_BYTES);
/// The most bytes that [`Encoder::message`] writes: a zero, the frame, a zero.
pub const MAX_FRAME: usize = MAX_ENCODED + 2;

/// First byte of every header: 0xB0 plus the major version. It is not printable, so that no frame
/// can be taken for text.
pub(crate) const MAGIC: u8 = 0xB0;

static CRC: Crc<u32, Table<1>> = Crc::<u32, Table<1>>::new(&CRC_32_ISO_HDLC);

/// The checksum of frames and of whole uploads: CRC-32/ISO-HDLC (zip, Ethernet, PNG).
#[must_use]
pub fn crc32(bytes: &[u8]) -> u32 {
    CRC.checksum(bytes)
}

/// A checksum that grows piece by piece.
#[derive(Clone)]
pub struct Crc32(crc::Digest<'static, u32, Table<1>>);

impl Default for Crc32 {
    fn default() -> Self {
        Self(CRC.digest())
    }
}

impl Crc32 {
    /// Takes in `bytes`.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The checksum of all bytes so far.
    #[must_use]
    pub fn value(&self) -> u32 {
        self.0.clone().finalize()
    }
}

/// The kind of message in a frame. Kinds below 0x80 go to the instrument, the others come from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Kind(pub u8);

impl Kind {
    /// Returns whether frames of this kind go to the instrument; the others come from it.
    #[must_use]
    pub const fn is_request(self) -> bool {
        self.0 < 0x80
    }

    /// A request for the instrument's description, `INFO`.
    pub const HELLO: Self = Self(0x01);
    /// Answered by `PONG`; confirms a new baud rate.
    pub const PING: Self = Self(0x02);
    /// Ask for settings or capabilities; answered by `SETTINGS`.
    pub const GET: Self = Self(0x03);
    /// Change settings.
    pub const SET: Self = Self(0x04);
    /// Stream spectra of the generator.
    pub const START: Self = Self(0x05);
    /// Stop whatever is going on.
    pub const STOP: Self = Self(0x06);
    /// Restart the board.
    pub const REBOOT: Self = Self(0x07);
    /// Change the baud rate.
    pub const BAUD: Self = Self(0x08);
    /// Announce samples.
    pub const UPLOAD_BEGIN: Self = Self(0x09);
    /// Samples.
    pub const UPLOAD_DATA: Self = Self(0x0A);
    /// No more samples.
    pub const UPLOAD_END: Self = Self(0x0B);
    // 0x0C was RUN_QPU, and stays reserved.
    /// Take a block of the QPUs' memory for jobs of the host; answered by `JOB_BLOCK`.
    pub const JOB_MEMORY: Self = Self(0x0D);
    /// Write words of it.
    pub const JOB_WRITE: Self = Self(0x0E);
    /// Read words of it; answered by `JOB_WORDS`.
    pub const JOB_READ: Self = Self(0x0F);
    /// Run programs that are in it; answered by `QPU_RESULT`.
    pub const RUN_JOB: Self = Self(0x10);
    /// Hold a plan of the QPUs to the ARM; answered by `PROOF`.
    pub const PROVE: Self = Self(0x11);
    /// Run a microbenchmark of the image; answered by `MEASURED`.
    pub const MEASURE: Self = Self(0x12);
    /// Send values of a record again; answered by `SPECTRUM` or `DESCRIPTOR`.
    pub const FETCH: Self = Self(0x13);
    /// The host has all records before this one.
    pub const HELD: Self = Self(0x14);

    /// The instrument's description of itself.
    pub const INFO: Self = Self(0x81);
    /// Answer to `PING`.
    pub const PONG: Self = Self(0x82);
    /// Settings as text.
    pub const SETTINGS: Self = Self(0x83);
    /// The request was carried out.
    pub const ACK: Self = Self(0x84);
    /// The request was refused, and why.
    pub const NAK: Self = Self(0x85);
    /// The meaning of the spectra that follow.
    pub const DESCRIPTOR: Self = Self(0x86);
    /// Part of a spectrum.
    pub const SPECTRUM: Self = Self(0x87);
    /// The limit up to which samples may be sent.
    pub const CREDIT: Self = Self(0x88);
    /// Bytes of the defmt log.
    pub const LOG: Self = Self(0x89);
    /// The firmware failed and will restart.
    pub const FAULT: Self = Self(0x8A);
    /// The result of a QPU program.
    pub const QPU_RESULT: Self = Self(0x8B);
    /// Once a second while nothing else is sent.
    pub const STATUS: Self = Self(0x8C);
    /// Where a block of the QPUs' memory is.
    pub const JOB_BLOCK: Self = Self(0x8D);
    /// Words of it.
    pub const JOB_WORDS: Self = Self(0x8E);
    /// The result of holding a plan to the ARM.
    pub const PROOF: Self = Self(0x8F);
    /// The result of a microbenchmark.
    pub const MEASURED: Self = Self(0x90);
    /// The totals of an upload.
    pub const UPLOADED: Self = Self(0x91);
}

/// The fields before the payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// Minor version of the sender.
    pub minor: u8,
    /// The kind of its payload.
    pub kind: Kind,
    /// Zero today; unknown bits are ignored.
    pub flags: u8,
    /// Which stream of samples it belongs to; chosen by the host, 0 where there is only one.
    pub stream: u16,
    /// The request that this is, or answers; 0 = none.
    pub request: u16,
    /// Counts the frames of a sender, from 0, modulo 2^32.
    pub sequence: u32,
    /// The sender's clock, in microseconds since it started; 0 from a host.
    pub time_us: u64,
}

/// Where a frame belongs: stream, request and time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Envelope {
    /// See [`Header::stream`].
    pub stream: u16,
    /// See [`Header::request`].
    pub request: u16,
    /// See [`Header::time_us`].
    pub time_us: u64,
}

impl Header {
    fn write(&self, length: u16) -> Result<[u8; HEADER_BYTES], PayloadError> {
        let mut bytes = [0; HEADER_BYTES];
        let mut writer = Writer::new(&mut bytes);
        writer.u8(MAGIC + VERSION_MAJOR)?;
        writer.u8(self.minor)?;
        writer.u8(self.kind.0)?;
        writer.u8(self.flags)?;
        writer.u16(self.stream)?;
        writer.u16(self.request)?;
        writer.u32(self.sequence)?;
        writer.u64(self.time_us)?;
        writer.u16(length)?;
        Ok(bytes)
    }

    /// The header after its first byte, and the payload length it states.
    pub(crate) fn read(reader: &mut Reader) -> Result<(Self, u16), PayloadError> {
        let header = Self {
            minor: reader.u8()?,
            kind: Kind(reader.u8()?),
            flags: reader.u8()?,
            stream: reader.u16()?,
            request: reader.u16()?,
            sequence: reader.u32()?,
            time_us: reader.u64()?,
        };
        Ok((header, reader.u16()?))
    }
}

/// Makes frames and numbers them.
#[derive(Clone, Debug, Default)]
pub struct Encoder {
    sequence: u32,
}

impl Encoder {
    /// An encoder whose first frame has sequence number 0.
    #[must_use]
    pub const fn new() -> Self {
        Self { sequence: 0 }
    }

    /// The number that the next frame will carry.
    #[must_use]
    pub const fn next_sequence(&self) -> u32 {
        self.sequence
    }

    /// Writes `message` as a frame to the front of `out` and returns its length. `scratch` takes
    /// the payload before it is coded.
    ///
    /// # Errors
    /// [`PayloadError::TooLong`] when the payload does not fit a frame or `scratch`, or the frame
    /// does not fit `out`; no sequence number is used up then. [`MAX_PAYLOAD`] bytes of `scratch`
    /// and [`MAX_FRAME`] bytes of `out` are enough for any message.
    pub fn message(
        &mut self,
        envelope: Envelope,
        message: &Message,
        scratch: &mut [u8],
        out: &mut [u8],
    ) -> Result<usize, PayloadError> {
        let length = message.encode(scratch)?;
        self.frame(envelope, message.kind(), &scratch[..length], out)
    }

    /// Writes a frame with the given payload; see [`Self::message`].
    ///
    /// # Errors
    /// As [`Self::message`].
    pub fn frame(
        &mut self,
        envelope: Envelope,
        kind: Kind,
        payload: &[u8],
        out: &mut [u8],
    ) -> Result<usize, PayloadError> {
        let raw = HEADER_BYTES + payload.len() + CRC_BYTES;
        if payload.len() > MAX_PAYLOAD || cobs::max_encoding_length(raw) + 2 > out.len() {
            return Err(PayloadError::TooLong);
        }
        let header = Header {
            minor: VERSION_MINOR,
            kind,
            flags: 0,
            stream: envelope.stream,
            request: envelope.request,
            sequence: self.sequence,
            time_us: envelope.time_us,
        }
        .write(payload.len() as u16)?;
        let mut crc = Crc32::default();
        crc.update(&header);
        crc.update(payload);
        let too_long = |_| PayloadError::TooLong;
        let mut coder = CobsEncoder::new(&mut out[1..]);
        coder.push(&header).map_err(too_long)?;
        coder.push(payload).map_err(too_long)?;
        coder.push(&crc.value().to_le_bytes()).map_err(too_long)?;
        let length = coder.finalize();
        out[0] = 0;
        out[length + 1] = 0;
        self.sequence = self.sequence.wrapping_add(1);
        Ok(length + 2)
    }
}
