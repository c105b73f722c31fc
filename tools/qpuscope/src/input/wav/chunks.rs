//! The chunks of a WAV file, and the real extent of its samples.
//!
//! RIFF files have lengths of 32 bits. RF64 and BW64 have the same chunks; where a length is
//! 0xFFFF_FFFF, a chunk `ds64` in front has the real one in 64 bits.
//!
//! A recorder writes the length of the samples when it ends. One that was killed, that ran out of
//! disk or that wrote into a pipe leaves 0, a number too large, or half a sample; the samples
//! before are as good as any.
//!
//! No library was found for this. `hound` 3.5 reads neither RF64 nor BW64, skips no padding byte
//! behind a chunk of odd length, and takes the lower bits of a container where fewer than all
//! count. `symphonia-format-riff` 0.6 knows `RIFF` alone. `bwavfile` 2.0 reads RF64, but gives no
//! chunk that it does not know, as `auxi`, and subtracts lengths of a damaged file unchecked. Tests
//! write their files with `hound`.
//!
//! Sources: EBU Tech 3306 version 1.1 (RF64), ITU-R BS.2088 (BW64), Microsoft's
//! WAVEFORMATEXTENSIBLE.

use super::super::{Bytes, Number};
use crate::failure::{Failure, Result};

/// Where the first chunk begins: behind `RIFF`, a length and `WAVE`.
const FIRST_CHUNK: u64 = 12;
/// Name and length of a chunk.
const CHUNK_HEAD: u64 = 8;
/// The length that says that `ds64` has the real one.
const IN_DS64: u64 = 0xffff_ffff;
/// The most bytes of a chunk that is read as a whole.
const MOST: u64 = 1 << 16;
/// The most chunks before the samples; more are no recording.
const MOST_CHUNKS: u32 = 10_000;

/// The facts in front of the samples of a file, and their place.
#[derive(Debug)]
pub struct Wav {
    /// Frames a second: samples of all channels.
    pub rate: u32,
    /// Channels.
    pub channels: u16,
    /// The way in which a number is written.
    pub number: Number,
    /// The first byte of the samples.
    pub start: u64,
    /// Frames that are there.
    pub frames: u64,
    /// The chunk `auxi` of receivers, if there is one.
    pub auxi: Option<Vec<u8>>,
    /// Where fewer samples follow than the header says: a sentence about it.
    pub cut: Option<String>,
}

/// A number of a chunk, least significant byte first.
pub fn field(chunk: &[u8], at: usize, bytes: usize) -> Option<u64> {
    let field = chunk.get(at..at + bytes)?;
    Some(
        field
            .iter()
            .rev()
            .fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
    )
}

/// Reads the chunks up to the samples, and `auxi` behind them.
///
/// # Errors
/// Usage, when the file ends before its first sample, or its samples are compressed.
pub fn read(name: &str, bytes: &Bytes) -> Result<Wav> {
    let cut = || {
        Failure::usage(format!(
            "{name} ends before its samples begin; copy or record it again"
        ))
    };
    let chunk = |at: u64, length: u64| bytes.some(at, length.min(MOST) as usize);
    let mut long = Ds64::default();
    let mut format = None;
    let mut auxi = None;
    let mut at = FIRST_CHUNK;
    for _ in 0..MOST_CHUNKS {
        let head = bytes.some(at, CHUNK_HEAD as usize)?;
        let stated = field(&head, 4, 4).ok_or_else(cut)?;
        let kind = &head[..4];
        let length = match stated {
            IN_DS64 => long.length(kind).unwrap_or(stated),
            _ => stated,
        };
        let start = at + CHUNK_HEAD;
        match kind {
            b"ds64" => long = Ds64(chunk(start, length)?),
            b"fmt " => format = Some(chunk(start, length)?),
            b"auxi" => auxi = Some(chunk(start, length)?),
            b"data" => {
                let format = format.ok_or_else(cut)?;
                let (channels, rate, number) = numbers(name, &format).ok_or_else(cut)??;
                let frame = u64::from(channels) * number.bytes() as u64;
                let there = bytes.len() - start.min(bytes.len());
                let is_unknown = match field(&bytes.some(4, 4)?, 0, 4) {
                    // More than 32 bits can say, by a recorder that knows no other length.
                    _ if there > IN_DS64 && length <= IN_DS64 => true,
                    // A length of 0 is none when the file's own knows of no samples either.
                    Some(IN_DS64) => length == 0 && long.file() == 0,
                    file => length == 0 && file < Some(start),
                };
                let frames = if is_unknown { there } else { length.min(there) } / frame;
                if frames == 0 && there < frame {
                    return Err(cut());
                }
                let is_cut = frames * frame != length;
                let cut = is_cut.then(|| format!(
                    "the header says {length} bytes of samples and {there} follow: read as far as they go, {frames} samples"
                ));
                if auxi.is_none() && !is_cut {
                    auxi = chunk_behind(bytes, start + length + length % 2)?;
                }
                return Ok(Wav {
                    rate,
                    channels,
                    number,
                    start,
                    frames,
                    auxi,
                    cut,
                });
            }
            _ => {}
        }
        // Chunks begin at even places.
        let next = start
            .checked_add(length)
            .and_then(|end| end.checked_add(length % 2));
        at = next.filter(|&next| next < bytes.len()).ok_or_else(cut)?;
    }
    Err(cut())
}

/// The chunk `auxi` among those behind the samples.
fn chunk_behind(bytes: &Bytes, mut at: u64) -> Result<Option<Vec<u8>>> {
    for _ in 0..MOST_CHUNKS {
        let head = bytes.some(at, CHUNK_HEAD as usize)?;
        let Some(length) = field(&head, 4, 4) else {
            return Ok(None);
        };
        if head.starts_with(b"auxi") {
            let bytes = bytes.some(at + CHUNK_HEAD, length.min(MOST) as usize);
            return bytes.map(Some);
        }
        at += CHUNK_HEAD + length + length % 2;
    }
    Ok(None)
}

/// The chunk of lengths in 64 bits: of the file, of the samples, their number, and a table of
/// others.
#[derive(Default)]
struct Ds64(Vec<u8>);

impl Ds64 {
    /// The length of the file behind its first chunk head.
    fn file(&self) -> u64 {
        field(&self.0, 0, 8).unwrap_or(0)
    }

    fn length(&self, kind: &[u8]) -> Option<u64> {
        if kind == b"data" {
            return field(&self.0, 8, 8);
        }
        let table = self.0.get(28..)?.chunks_exact(12);
        let entry = table
            .take(field(&self.0, 24, 4)? as usize)
            .find(|entry| entry.starts_with(kind));
        field(entry?, 4, 8)
    }
}

/// Channels, rate and numbers of a chunk `fmt `; nothing when it is too short.
fn numbers(name: &str, format: &[u8]) -> Option<Result<(u16, u32, Number)>> {
    const PCM: u64 = 1;
    const FLOAT: u64 = 3;
    const EXTENSIBLE: u64 = 0xfffe;
    let tag = match field(format, 0, 2)? {
        // The tag is the first field of what follows the valid bits and the places of channels.
        EXTENSIBLE => field(format, 24, 2)?,
        tag => tag,
    };
    let channels = field(format, 2, 2)? as u16;
    let rate = field(format, 4, 4)? as u32;
    let frame = field(format, 12, 2)?;
    let bits = field(format, 14, 2)?;
    let container = frame.checked_div(channels.into()).unwrap_or(0);
    // Where fewer bits count they are the upper ones, so that the container is the sample.
    let is_whole = frame % u64::from(channels.max(1)) == 0 && bits.div_ceil(8) == container;
    let number = match (tag, container) {
        (PCM, 1) => Number::WavU8,
        (PCM, 2) => Number::I16,
        (PCM, 3) => Number::I24,
        (PCM, 4) => Number::I32,
        (FLOAT, 4) => Number::F32,
        (FLOAT, 8) => Number::F64,
        _ => {
            return Some(Err(Failure::usage(format!(
                "{name} is a WAV file of a kind that is not read (format {tag:#x}, {bits} bits, {channels} channels in \
                 {frame} bytes); save it as plain PCM of 8, 16, 24 or 32 bits or as float"
            ))));
        }
    };
    if !is_whole {
        return Some(Err(Failure::usage(format!(
            "{name} says {bits} bits a sample in {container} bytes, which do not fit; save it as plain PCM of 8, 16, 24 \
             or 32 bits or as float"
        ))));
    }
    Some(Ok((channels, rate, number)))
}
