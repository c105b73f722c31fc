//! Frames: header, payload and checksum between two zero bytes.

use cobs::CobsEncoder;
use crc::{CRC_32_ISO_HDLC, Crc, Table};

use crate::field::{Field, Reader, Writer, payload};
use crate::{Message, PayloadError};

/// A different major version refuses frames.
pub const VERSION_MAJOR: u8 = 1;
/// A later minor version adds kinds and fields that others may ignore.
pub const VERSION_MINOR: u8 = 0;
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
}

impl Field<'_> for Kind {
    fn read(r: &mut Reader) -> Result<Self, PayloadError> {
        r.get().map(Self)
    }

    fn write(&self, w: &mut Writer) -> Result<(), PayloadError> {
        self.0.write(w)
    }
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

// Behind the first byte, which is checked before; behind them is the length of the payload.
payload!(Header {
    minor,
    kind,
    flags,
    stream,
    request,
    sequence,
    time_us
});

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
        let mut header = [0; HEADER_BYTES];
        let w = &mut Writer::new(&mut header);
        (MAGIC + VERSION_MAJOR).write(w)?;
        Header {
            minor: VERSION_MINOR,
            kind,
            flags: 0,
            stream: envelope.stream,
            request: envelope.request,
            sequence: self.sequence,
            time_us: envelope.time_us,
        }
        .write(w)?;
        (payload.len() as u16).write(w)?;
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
