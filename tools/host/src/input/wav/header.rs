//! The facts in front of the samples of a WAV file, and the real extent of its samples.
//!
//! A recorder writes the length of the samples when it ends. One that was killed, that ran out of
//! disk or that wrote into a pipe leaves 0, a number too large, or half a sample; the samples
//! before are as good as any.

use super::super::{Bytes, Number};
use super::chunks::{Chunk, Chunks, IN_DS64, field};
use common::failure::{Failure, Result};

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
    /// Frames that are there, at least one.
    pub frames: u64,
    /// The chunk `auxi` of receivers, if there is one.
    pub auxi: Option<Vec<u8>>,
    /// The chunk `bext` of broadcasters, if there is one.
    pub bext: Option<Vec<u8>>,
    /// Differences from what the header says, a sentence each.
    pub notes: Vec<String>,
}

/// Reads the chunks up to the samples, and those behind them that are asked for.
///
/// # Errors
/// Usage, when there are no samples, or they are compressed.
pub fn read(name: &str, bytes: &Bytes) -> Result<Wav> {
    let mut chunks = Chunks::new(bytes);
    let (mut format, mut auxi, mut bext) = (None, None, None);
    let data = loop {
        let Some(chunk) = chunks.next()? else {
            return Err(Failure::usage(format!(
                "{name} {}",
                chunks.why_no_samples()
            )));
        };
        match &chunk.id {
            b"fmt " => format = Some(chunks.bytes_of(&chunk)?),
            b"auxi" => auxi = Some(chunks.bytes_of(&chunk)?),
            b"bext" => bext = Some(chunks.bytes_of(&chunk)?),
            b"data" => break chunk,
            _ => {}
        }
    };
    let there = bytes.len().saturating_sub(data.start);
    // Behind the samples, where their length can be trusted.
    if data.length <= there {
        let mut behind = chunks.clone();
        while let Some(chunk) = behind.next()? {
            match &chunk.id {
                b"fmt " if format.is_none() => format = Some(behind.bytes_of(&chunk)?),
                b"auxi" if auxi.is_none() => auxi = Some(behind.bytes_of(&chunk)?),
                b"bext" if bext.is_none() => bext = Some(behind.bytes_of(&chunk)?),
                _ => {}
            }
        }
    }
    let format = format.ok_or_else(|| {
        Failure::usage(format!(
            "{name} has no chunk `fmt ` that says how its samples are written; record it again, or give --samples and \
             --rate for a copy with another ending and without its header"
        ))
    })?;
    let (channels, rate, number) = numbers(name, &format).ok_or_else(|| {
        Failure::usage(format!(
            "{name} has a chunk `fmt ` of {} bytes, which is too short to say how samples are written; copy or record \
             it again",
            format.len()
        ))
    })??;
    let frame = u64::from(channels) * number.bytes() as u64;
    let stated = data.length;
    let is_unknown = is_unknown(bytes, &chunks, &data, there, frame)?;
    let frames = if is_unknown { there } else { stated.min(there) } / frame;
    if frames == 0 {
        return Err(Failure::usage(no_frames(name, stated, there, frame)));
    }
    let mut notes = chunks.notes;
    if frames * frame != stated {
        notes.push(format!(
            "the header says {stated} bytes of samples and {there} follow: read as far as they go, {frames} samples"
        ));
    }
    Ok(Wav {
        rate,
        channels,
        number,
        start: data.start,
        frames,
        auxi,
        bext,
        notes,
    })
}

/// Returns whether the length of the chunk `data` was never written.
fn is_unknown(
    bytes: &Bytes,
    chunks: &Chunks,
    data: &Chunk,
    there: u64,
    frame: u64,
) -> Result<bool> {
    // More than 32 bits can say, by a recorder that knows no other length.
    if there > IN_DS64 && data.length <= IN_DS64 {
        return Ok(true);
    }
    if data.length != 0 {
        return Ok(false);
    }
    // A length of 0 is none when the file's own knows of no samples either, or when what follows
    // is no chunk.
    let of_file = match field(&bytes.some(4, 4)?, 0, 4) {
        Some(IN_DS64) => chunks.long_file().unwrap_or(0),
        file => file.unwrap_or(0),
    };
    Ok(of_file < data.start || there >= frame && !Chunks::reach_the_end(bytes, data.start)?)
}

/// The reason why a file has no whole frame of samples.
fn no_frames(name: &str, stated: u64, there: u64, frame: u64) -> String {
    if there < frame {
        return format!(
            "{name} ends before its samples begin: its chunk `data` says {stated} bytes and {there} follow; copy or \
             record it again"
        );
    }
    let length = match stated {
        0 => "length 0 and other chunks follow".to_owned(),
        stated => format!("{stated} bytes, fewer than one sample of all channels takes ({frame})"),
    };
    format!("{name} holds no samples: its chunk `data` has {length}; choose another recording")
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
