//! The real extent of the samples of a WAV file.
//!
//! A recorder writes the length into the header when it ends. One that was killed, that ran out of
//! disk or that wrote into a pipe leaves 0, a number too large, or half a sample; the samples
//! before are as good as any.
//!
//! Where they begin: a chunk of odd length before them has a byte behind it that does not count,
//! which `hound` does not skip. It is given a file without such chunks.
//!
//! And how far they go in their containers: where fewer bits count (24 of 32), those are the upper
//! ones, the others 0 (Microsoft, WAVEFORMATEXTENSIBLE), so that the container is the sample.
//! `hound` takes the lower ones.

use std::borrow::Cow;
use std::ops::Range;

use crate::failure::{Failure, Result};

/// Where the first chunk begins: behind `RIFF`, a length and `WAVE`.
const FIRST_CHUNK: usize = 12;
/// Name and length of a chunk.
const CHUNK_HEAD: usize = 8;
/// Where the bytes of a sample of all channels stand in the chunk `fmt `.
const FRAME_BYTES: usize = 12;
/// Where the bits of a container stand there.
const CONTAINER_BITS: usize = 14;
/// Where the bits that count stand in an extensible one.
const VALID_BITS: usize = 18;
/// Format tag and length of an extensible one.
const EXTENSIBLE: &[u8] = &[0xfe, 0xff];
const EXTENSIBLE_LENGTH: usize = 40;

/// The file with the length of its samples put right, which is noted.
///
/// # Errors
/// Usage, when it ends before its first sample.
pub fn repaired<'a>(name: &str, bytes: &'a [u8], notes: &mut Vec<String>) -> Result<Cow<'a, [u8]>> {
    let cut = || {
        Failure::usage(format!(
            "{name} ends before its samples begin; copy or record it again"
        ))
    };
    let mut frame = 1;
    let mut valid_bits = None;
    let mut format = 0..0;
    let mut has_odd = false;
    let mut at = FIRST_CHUNK;
    loop {
        let head = bytes.get(at..at + CHUNK_HEAD).ok_or_else(cut)?;
        let (kind, length) = head.split_at(4);
        let stated = length
            .iter()
            .rev()
            .fold(0, |sum, byte| sum << 8 | usize::from(*byte));
        let start = at + CHUNK_HEAD;
        if kind == b"data" {
            let mut bytes = put_right(bytes, start, stated, frame, notes).ok_or_else(cut)?;
            if let Some((at, container)) = valid_bits {
                bytes.to_mut()[at..at + 2].copy_from_slice(container);
            }
            return Ok(match has_odd {
                true => Cow::Owned(without_others(&bytes, format, start)),
                false => bytes,
            });
        }
        if kind == b"fmt " {
            let field = bytes
                .get(start + FRAME_BYTES..start + FRAME_BYTES + 2)
                .ok_or_else(cut)?;
            frame = usize::from(u16::from_le_bytes([field[0], field[1]])).max(1);
            let fmt = bytes.get(start..start + stated).ok_or_else(cut)?;
            if fmt.len() >= EXTENSIBLE_LENGTH && fmt.starts_with(EXTENSIBLE) {
                let container = &fmt[CONTAINER_BITS..CONTAINER_BITS + 2];
                valid_bits = Some((start + VALID_BITS, container));
            }
            format = start..start + stated;
        }
        has_odd |= stated % 2 == 1;
        // Chunks begin at even places.
        at = start + stated + stated % 2;
    }
}

/// The extent with the samples that begin at `start` right behind the format.
fn without_others(bytes: &[u8], format: Range<usize>, start: usize) -> Vec<u8> {
    // No known field of a format has a single byte.
    let format = &bytes[format.start..format.end - format.len() % 2];
    let mut file = bytes[..FIRST_CHUNK].to_vec();
    file.extend(b"fmt ");
    file.extend((format.len() as u32).to_le_bytes());
    file.extend(format);
    file.extend(&bytes[start - CHUNK_HEAD..]);
    file
}

/// The extent in whole frames that are there; nothing when the file ends where they would begin.
fn put_right<'a>(
    bytes: &'a [u8],
    start: usize,
    stated: usize,
    frame: usize,
    notes: &mut Vec<String>,
) -> Option<Cow<'a, [u8]>> {
    let there = bytes.len() - start;
    // A length of 0 is none when the file's own length knows of no samples either.
    let unknown = stated == 0 && u32::from_le_bytes(bytes[4..8].try_into().ok()?) < start as u32;
    let length = if unknown { there } else { stated.min(there) };
    let whole = length / frame * frame;
    if whole == stated {
        return Some(Cow::Borrowed(bytes));
    }
    if whole == 0 {
        return None;
    }
    let samples = whole / frame;
    notes.push(format!(
        "the header says {stated} bytes of samples and {there} follow: read as far as they go, {samples} samples"
    ));
    let mut bytes = bytes[..start + whole].to_vec();
    bytes[start - 4..start].copy_from_slice(&u32::try_from(whole).ok()?.to_le_bytes());
    Some(Cow::Owned(bytes))
}
