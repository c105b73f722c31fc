//! A plan as what a driver needs, wherever its memory will lie.
//!
//! Lists of uniforms hold bus addresses. Which words do is not asked of the kernels: the plan is
//! made twice, at two places, and the words that differ do. So no kernel can be forgotten.

use std::fmt::Write as _;

use qpu::fft::planner::memory::{Arrangement, PassMemory};
use qpu::fft::planner::steps::{Area as Buffered, MAX_AREAS};
use qpu::fft::request::{Error, Request};
use qpu::fft::{Direction, Plan};
use qpu::job::{Buffer, CacheClear};
use qpu_programs::FFT;

use super::recorder::{Recorded, Recorder};
use crate::failure::{Failure, Result};
use crate::plane::transform::MEMORY;

/// Bytes to which the memory is aligned.
pub const ALIGN: u32 = 4096;
/// The distance of the two places at which a plan is made.
const APART: u32 = 0x0100_0000;
/// Words that were not written, between two parts of which one is made.
const GAP: usize = 16;

/// Bytes in the memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Area {
    /// The purpose of these bytes.
    pub name: String,
    /// The first of them.
    pub offset: u32,
    /// Their number.
    pub bytes: u32,
}

/// Words that follow each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Offset of the first in the memory.
    pub offset: u32,
    /// The words; of addresses, the offset from the memory's own.
    pub words: Vec<u32>,
}

/// A plan as data. All offsets are in bytes from the start of one block of memory.
pub struct Exported {
    /// Bytes of the block.
    pub bytes: u32,
    /// The input.
    pub input: Area,
    /// The output.
    pub output: Area,
    /// The map of everything, in order.
    pub map: Vec<Area>,
    /// The words to write before the first run.
    pub parts: Vec<Part>,
    /// Offsets of the words to which the bus address of the block is added.
    pub addresses: Vec<u32>,
    /// The launches; programs are offsets of code and uniforms.
    pub launches: Vec<Recorded>,
}

/// A plan, made at `base`.
fn made(request: &Request, direction: Direction, base: u32) -> Result<(Plan, Recorder)> {
    let refused = |error: Error<Failure>| match error {
        Error::Runner(failure) | Error::Memory { error: failure, .. } => failure,
        error => Failure::usage(error.to_string()),
    };
    let memory = Plan::memory::<Failure>(FFT, request).map_err(refused)?;
    let bytes = u64::from(memory.total()) + request.input_bytes() + request.output_bytes();
    if bytes > MEMORY {
        return Err(Failure::usage(format!(
            "the plan needs {bytes} bytes, and a board has {MEMORY} for the QPUs: take a shorter transform or a smaller \
             batch"
        )));
    }
    // Three buffers begin at multiples of a page.
    let bytes = (bytes as u32 + 2 * ALIGN).next_multiple_of(ALIGN);
    let mut recorder = Recorder::new(base, bytes);
    let mut plan = Plan::with_buffers(FFT, request, &mut recorder).map_err(refused)?;
    plan.run(&mut recorder, direction, 0).map_err(refused)?;
    Ok((plan, recorder))
}

impl Exported {
    /// The plan for a request in a direction, for memory at bus addresses with the alias of
    /// `base`.
    ///
    /// # Errors
    /// Usage, when there is no such plan, or no board has the memory for it.
    pub fn new(request: &Request, direction: Direction, base: u32) -> Result<Self> {
        let (plan, recorder) = made(request, direction, base)?;
        let (_, other) = made(request, direction, base + APART)?;
        let ((words, launches), (others, _)) = (recorder.into_parts(), other.into_parts());
        let mut addresses = vec![];
        let mut relative = vec![];
        for (index, (word, other)) in words.into_iter().zip(others).enumerate() {
            relative.push(match (word, other) {
                (Some(word), Some(other)) if word == other => Some(word),
                (Some(word), Some(other)) if other.wrapping_sub(word) == APART => {
                    addresses.push(4 * index as u32);
                    Some(word.wrapping_sub(base))
                }
                (None, None) => None,
                _ => {
                    return Err(Failure::failed(
                        "the plan depends on where its memory lies; report this with the command",
                    ));
                }
            });
        }
        let launches = launches.into_iter().map(|launch| Recorded {
            programs: launch
                .programs
                .iter()
                .map(|program| program.map(|address| address - base))
                .collect(),
            ..launch
        });
        let area = |name: &str, buffer: Buffer, bytes: u64| Area {
            name: name.to_owned(),
            offset: buffer.addr.0 - base,
            bytes: bytes as u32,
        };
        let input = area("input", plan.input(), request.input_bytes());
        let output = area("output", plan.output(), request.output_bytes());
        let block = plan.block().addr.0 - base;
        let mut map = vec![input.clone(), output.clone()];
        map.extend(areas(plan.arrangement(), block));
        let end = block + plan.arrangement().memory().total();
        Ok(Self {
            bytes: end.next_multiple_of(ALIGN),
            input,
            output,
            map,
            parts: parts(&relative),
            addresses,
            launches: launches.collect(),
        })
    }

    /// The parts, with the bus addresses of memory at `base`.
    pub fn placed(&self, base: u32) -> Vec<Part> {
        let mut parts = self.parts.clone();
        let mut addresses = self.addresses.iter().peekable();
        for part in &mut parts {
            let end = part.offset + 4 * part.words.len() as u32;
            while let Some(at) = addresses.next_if(|at| **at < end) {
                let word = &mut part.words[((at - part.offset) / 4) as usize];
                *word = word.wrapping_add(base);
            }
        }
        parts
    }

    /// The map as lines of a comment: offset, bytes, name.
    pub fn map_lines(&self) -> Vec<String> {
        let line = |area: &Area| {
            let mut line = String::new();
            let _ = write!(
                line,
                "{:#010x} {:>9}  {}",
                area.offset, area.bytes, area.name
            );
            line
        };
        self.map.iter().map(line).collect()
    }
}

/// The values of L2CACTL and SLCACTL that clear what a launch wants cleared; 0 for no write.
pub const fn clears(clear: CacheClear) -> [u32; 2] {
    match clear {
        CacheClear::None => [0, 0],
        CacheClear::Data => [4, 0x0f0f_0f00],
        CacheClear::All => [4, 0x0f0f_0f0f],
    }
}

/// Runs of words that were written; few that were not between them are 0.
fn parts(words: &[Option<u32>]) -> Vec<Part> {
    let mut parts: Vec<Part> = vec![];
    for (index, word) in words.iter().enumerate() {
        let Some(word) = *word else { continue };
        if let Some(part) = parts.last_mut() {
            let gap = index - part.offset as usize / 4 - part.words.len();
            if gap <= GAP {
                part.words.resize(part.words.len() + gap, 0);
                part.words.push(word);
                continue;
            }
        }
        parts.push(Part {
            offset: 4 * index as u32,
            words: vec![word],
        });
    }
    parts
}

/// The areas of a plan's block, which lies at `block`: in order, each up to the next.
fn areas(arrangement: &Arrangement, block: u32) -> Vec<Area> {
    let mut starts: Vec<(u32, String)> = vec![];
    for (number, pass) in arrangement.passes().enumerate() {
        starts.extend(lists(pass).map(|(at, name)| (at, format!("pass {}: {name}", number + 1))));
    }
    for (number, pass) in arrangement.passes().enumerate() {
        for (at, bytes, name) in [
            (pass.table, pass.layout().table_bytes(), "twiddle factors"),
            (
                pass.factors,
                pass.layout().factors_bytes(),
                "factors of samples",
            ),
        ] {
            if bytes > 0 {
                starts.push((at, format!("pass {}: {name}", number + 1)));
            }
        }
    }
    for number in 0..MAX_AREAS as u8 {
        let at = arrangement.address(Buffered::Scratch(number), [0; 3]);
        starts.push((at, format!("scratch {}", number + 1)));
    }
    starts.sort_by_key(|(at, _)| *at);
    let ends = starts.iter().skip(1).map(|(at, _)| *at);
    let ends: Vec<u32> = ends.chain([arrangement.memory().total()]).collect();
    let areas = starts.into_iter().zip(ends).map(|((at, name), end)| Area {
        name,
        offset: block + at,
        bytes: end - at,
    });
    areas.filter(|area| area.bytes > 0).collect()
}

/// Code and lists of a pass: where they begin in the block, and their names.
fn lists(pass: &PassMemory) -> impl Iterator<Item = (u32, &'static str)> {
    [
        (pass.code, "code"),
        (pass.starts, "start lists"),
        (pass.lanes, "lane vectors"),
        (pass.records, "records"),
        (pass.rows, "row lists"),
        (pass.scalars, "scalar lists"),
        (pass.vectors, "vectors of row lists"),
    ]
    .into_iter()
}
