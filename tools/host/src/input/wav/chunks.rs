//! The chunks of a WAV file, one after the other.
//!
//! RIFF files have lengths of 32 bits. RF64 and BW64 have the same chunks; where a length is
//! 0xFFFF_FFFF, a chunk `ds64` in front has the real one in 64 bits. Chunks begin at even places;
//! some programs forget the byte that fills a chunk of odd length, which shows when a chunk begins
//! in front of that byte and none after it.
//!
//! No library was found for this. `hound` 3.5 reads neither RF64 nor BW64, skips no padding byte
//! behind a chunk of odd length, and takes the lower bits of a container where fewer than all
//! count. `symphonia-format-riff` 0.6 knows `RIFF` alone. `bwavfile` 2.0 reads RF64, but gives no
//! chunk that it does not know, as `auxi`, and subtracts lengths of a damaged file unchecked. Tests
//! write their files with `hound`.
//!
//! Sources: EBU Tech 3306 version 1.1 (RF64), ITU-R BS.2088 (BW64), Microsoft's
//! WAVEFORMATEXTENSIBLE.

use super::super::Bytes;
use common::failure::Result;
use common::text::quote;

/// Where the first chunk begins: behind `RIFF`, a length and `WAVE`.
const FIRST_CHUNK: u64 = 12;
/// Name and length of a chunk.
const CHUNK_HEAD: u64 = 8;
/// The length that says that `ds64` has the real one.
pub const IN_DS64: u64 = 0xffff_ffff;
/// The most bytes of a chunk that is read as a whole.
const MOST: u64 = 1 << 16;
/// The most chunks of a file; more are no recording.
const MOST_CHUNKS: u32 = 10_000;
/// Names of chunks that programs write beside samples.
const KNOWN: [&[u8; 4]; 20] = [
    b"data", b"fmt ", b"LIST", b"fact", b"auxi", b"bext", b"JUNK", b"junk", b"PEAK", b"id3 ",
    b"ID3 ", b"cue ", b"smpl", b"inst", b"iXML", b"axml", b"ds64", b"PAD ", b"note", b"DISP",
];

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

/// A chunk: its name and its place.
#[derive(Clone, Debug)]
pub struct Chunk {
    pub id: [u8; 4],
    /// The first byte of its content.
    pub start: u64,
    /// The bytes of its content, as it says.
    pub length: u64,
}

impl Chunk {
    fn shown(&self) -> String {
        format!("`{}`", quote(&String::from_utf8_lossy(&self.id)))
    }

    fn end(&self) -> u64 {
        self.start.saturating_add(self.length)
    }

    /// Returns whether its name is text, as every name is.
    fn is_named(&self) -> bool {
        self.id.iter().all(|byte| (b' '..=b'~').contains(byte))
    }
}

/// The chunks of a file, in their order.
#[derive(Clone)]
pub struct Chunks<'a> {
    bytes: &'a Bytes,
    at: u64,
    left: u32,
    long: Ds64,
    /// The chunk before, and the first one behind which none begins.
    last: Option<Chunk>,
    lost: Option<Chunk>,
    /// Names of those in front of the samples, for a message.
    names: Vec<String>,
    /// Sentences about chunks that were found elsewhere than they should be.
    pub notes: Vec<String>,
}

impl<'a> Chunks<'a> {
    pub fn new(bytes: &'a Bytes) -> Self {
        Self {
            bytes,
            at: FIRST_CHUNK,
            left: MOST_CHUNKS,
            long: Ds64::default(),
            last: None,
            lost: None,
            names: vec![],
            notes: vec![],
        }
    }

    /// The next chunk, if there is one.
    pub fn next(&mut self) -> Result<Option<Chunk>> {
        let head = self.bytes.some(self.at, CHUNK_HEAD as usize)?;
        let (Some(stated), Some(left)) = (field(&head, 4, 4), self.left.checked_sub(1)) else {
            return Ok(None);
        };
        self.left = left;
        let id = [head[0], head[1], head[2], head[3]];
        let chunk = Chunk {
            id,
            start: self.at + CHUNK_HEAD,
            length: match stated {
                IN_DS64 => self.long.length(&id).unwrap_or(stated),
                _ => stated,
            },
        };
        if !chunk.is_named() && self.lost.is_none() {
            self.lost.clone_from(&self.last);
        }
        if self.names.len() < 10 && chunk.is_named() {
            self.names.push(chunk.shown());
        }
        if &id == b"ds64" {
            self.long = Ds64(self.bytes_of(&chunk)?);
        }
        self.at = self.after(&chunk)?;
        self.last = Some(chunk.clone());
        Ok(Some(chunk))
    }

    /// The content of a chunk, as far as it is read.
    pub fn bytes_of(&self, chunk: &Chunk) -> Result<Vec<u8>> {
        self.bytes
            .some(chunk.start, chunk.length.min(MOST) as usize)
    }

    /// The place where the chunk after this one begins.
    fn after(&mut self, chunk: &Chunk) -> Result<u64> {
        let end = chunk.end();
        if chunk.length.is_multiple_of(2) || end >= self.bytes.len() {
            return Ok(end);
        }
        let begins_at = |at: u64| -> Result<bool> {
            let head = self.bytes.some(at, 4)?;
            Ok(KNOWN.iter().any(|id| head.starts_with(*id)))
        };
        if !begins_at(end + 1)? && begins_at(end)? {
            self.notes.push(format!(
                "chunk {} has the odd length {} and no pad byte behind it: the next chunk was read where it is",
                chunk.shown(),
                chunk.length
            ));
            return Ok(end);
        }
        Ok(end + 1)
    }

    /// The length of the file behind its first chunk head, if `ds64` says it.
    pub fn long_file(&self) -> Option<u64> {
        field(&self.long.0, 0, 8)
    }

    /// Returns whether only chunks follow from this place to the end of the file.
    pub fn reach_the_end(bytes: &Bytes, at: u64) -> Result<bool> {
        let mut rest = Chunks::new(bytes);
        rest.at = at;
        while let Some(chunk) = rest.next()? {
            if !chunk.is_named() || chunk.end() > bytes.len() {
                return Ok(false);
            }
        }
        Ok(rest.at >= bytes.len())
    }

    /// The reason why no chunk `data` was found, to follow the file's name.
    pub fn why_no_samples(&self) -> String {
        let Some(last) = &self.last else {
            return "ends before its samples begin; copy or record it again".to_owned();
        };
        if let Some(lost) = &self.lost {
            let pad = match lost.length.is_multiple_of(2) {
                true => format!("has {} bytes, and behind them", lost.length),
                false => format!(
                    "has the odd length {}, and behind its pad byte",
                    lost.length
                ),
            };
            return format!(
                "holds samples that cannot be found: its chunk {} {pad} no chunk begins; copy or record it again",
                lost.shown()
            );
        }
        if last.end() > self.bytes.len() {
            let there = self.bytes.len().saturating_sub(last.start);
            return format!(
                "ends before its samples begin: its chunk {} says {} bytes and {there} follow; copy or record it again",
                last.shown(),
                last.length
            );
        }
        format!(
            "ends before its samples begin: it has no chunk `data`, only {}; copy or record it again",
            self.names.join(", ")
        )
    }
}

/// The chunk of lengths in 64 bits: of the file, of the samples, their number, and a table of
/// others.
#[derive(Clone, Default)]
struct Ds64(Vec<u8>);

impl Ds64 {
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
