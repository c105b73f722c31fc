//! A plan as what a driver needs, wherever its memory will lie.
//!
//! Lists of uniforms hold bus addresses. Which words do is not asked of the kernels: the plan is
//! made twice, at two places, and the words that differ do. So no kernel can be forgotten.

use qpu::job::{Buffer, BusAddr, CacheClear, Job, QpuSet, Report, Runner};
use qpu_fft::planner::memory::Arrangement;
use qpu_fft::planner::steps::{Area as Buffered, MAX_AREAS};
use qpu_fft::request::Request;
use qpu_fft::{Direction, Plan};
use qpu_programs::FFT;

use common::failure::{Failure, Result};
use workbench::transform::{failed, memory};

/// Bytes to which the memory is aligned.
pub const ALIGN: u32 = 4096;
/// The distance of the two places at which a plan is made.
const APART: u32 = 0x0100_0000;
/// Words that were not written, between two parts of which one is made.
const GAP: usize = 16;
/// The common part of all caches and rows of stores.
const LINE: u32 = 64;

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
    let remedy = ": take a shorter transform or a smaller batch";
    let bytes = memory(request, "the plan needs", remedy)?;
    let mut recorder = Recorder {
        base,
        words: vec![None; bytes as usize / 4],
        used: 0,
        launches: vec![],
    };
    let mut plan = Plan::with_buffers(FFT, request, &mut recorder).map_err(failed)?;
    plan.run(&mut recorder, direction, 0).map_err(failed)?;
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
        let mut addresses = vec![];
        let mut relative = vec![];
        for (index, (word, other)) in recorder.words.into_iter().zip(other.words).enumerate() {
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
        let launches = recorder.launches.into_iter().map(|launch| Recorded {
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
        let end = block + plan.arrangement().memory.total();
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
        for (at, name) in [
            (pass.code, "code"),
            (pass.starts, "start lists"),
            (pass.lanes, "lane vectors"),
            (pass.records, "records"),
            (pass.rows, "row lists"),
            (pass.scalars, "scalar lists"),
            (pass.vectors, "vectors of row lists"),
        ] {
            starts.push((at, format!("pass {}: {name}", number + 1)));
        }
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
    let ends: Vec<u32> = ends.chain([arrangement.memory.total()]).collect();
    let areas = starts.into_iter().zip(ends).map(|((at, name), end)| Area {
        name,
        offset: block + at,
        bytes: end - at,
    });
    areas.filter(|area| area.bytes > 0).collect()
}

/// Programs that are queued together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recorded {
    /// Bus addresses of code and uniforms.
    pub programs: Vec<[u32; 2]>,
    /// Cleared before the first is queued.
    pub clear: CacheClear,
    /// The QPUs that they may start on.
    pub qpus: QpuSet,
}

/// A runner that runs nothing: it keeps what a plan writes, and the launches of the job that was
/// run last.
struct Recorder {
    base: u32,
    /// `None` where nothing was written.
    words: Vec<Option<u32>>,
    used: u32,
    launches: Vec<Recorded>,
}

impl Recorder {
    /// The words of a buffer from its word `first` on.
    fn range(&mut self, buffer: Buffer, first: u32, count: usize) -> Result<&mut [Option<u32>]> {
        let start = (buffer.addr.0.wrapping_sub(self.base) / 4 + first) as usize;
        let is_inside = u64::from(first) + count as u64 <= u64::from(buffer.bytes / 4);
        let words = self.words.get_mut(start..start + count);
        words.filter(|_| is_inside).ok_or_else(|| {
            Failure::failed("the plan writes behind its memory; report this with the command")
        })
    }
}

impl Runner for Recorder {
    type Error = Failure;

    fn alloc(&mut self, bytes: u32, align: u32) -> Result<Buffer> {
        let start = self.used.next_multiple_of(align.max(LINE));
        let end = (start + bytes).next_multiple_of(LINE);
        if end as usize > 4 * self.words.len() {
            return Err(Failure::failed(
                "the plan takes more memory than it says; report this with the command",
            ));
        }
        self.used = end;
        Ok(Buffer {
            addr: BusAddr(self.base + start),
            bytes,
        })
    }

    fn release_all(&mut self) {
        self.used = 0;
    }

    fn write(&mut self, buffer: Buffer, first: u32, words: &[u32]) -> Result<()> {
        let to = self.range(buffer, first, words.len())?;
        for (to, word) in to.iter_mut().zip(words) {
            *to = Some(*word);
        }
        Ok(())
    }

    fn read(&mut self, buffer: Buffer, first: u32, words: &mut [u32]) -> Result<()> {
        let from = self.range(buffer, first, words.len())?;
        for (word, from) in words.iter_mut().zip(from) {
            *word = from.unwrap_or(0);
        }
        Ok(())
    }

    fn use_qpus(&mut self, _qpus: QpuSet) {}

    fn run(&mut self, job: &Job, _limit_us: u32) -> Result<Report> {
        let launches = job.launches.iter().map(|launch| Recorded {
            programs: launch
                .programs
                .iter()
                .map(|program| [program.code.0, program.uniforms.0])
                .collect(),
            clear: launch.clear,
            qpus: launch.qpus,
        });
        self.launches = launches.collect();
        Ok(Report::default())
    }
}
