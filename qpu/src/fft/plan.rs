//! A length made ready on a runner, and how it is run.

use super::layout::Addresses;
use super::{
    Catalogue, Direction, Layout, MAX_LOG2_POINTS, MAX_PROGRAMS, MIN_LOG2_POINTS, Pass, Program,
    twiddle,
};
use crate::job::{self, Buffer, BusAddr, CacheClear, Job, Launch, Report, Runner};

/// Bytes after code and uniforms that V3D may prefetch and must be able to read.
const PREFETCH_BYTES: u32 = 128;
/// Rows of a store and of a lookup must not cross what one byte of their address can count.
const ALIGN: u32 = 256;
/// Words that are put together on the stack before they are written.
const CHUNK: usize = 64;

/// Why a plan could not be made or run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Error<E> {
    /// No QPU plan has this many points, given as a power of two.
    Length(u32),
    /// The catalogue lacks a program for this pass and number of parts.
    Catalogue(Pass, u32),
    /// The runner could not: no memory, or a job that did not end well.
    Runner(E),
}

impl<E> From<E> for Error<E> {
    fn from(error: E) -> Self {
        Self::Runner(error)
    }
}

impl<E: core::fmt::Debug> core::fmt::Display for Error<E> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Length(log2) => write!(
                f,
                "the QPUs transform 2^{MIN_LOG2_POINTS} to 2^{MAX_LOG2_POINTS} points, not 2^{log2}"
            ),
            Self::Catalogue(pass, parts) => write!(
                f,
                "the catalogue of QPU programs has none for pass {pass:?} in {parts} parts"
            ),
            Self::Runner(error) => write!(f, "the QPU runner failed: {error:?}"),
        }
    }
}

impl<E: core::fmt::Debug> core::error::Error for Error<E> {}

/// A complex FFT of one length, ready to run.
///
/// Valid until its runner's `release_all`.
#[derive(Clone, Debug)]
pub struct Plan {
    layout: Layout,
    input: Buffer,
    output: Buffer,
    /// By direction and pass; the first `layout.programs()` of each.
    programs: [[[job::Program; MAX_PROGRAMS]; 2]; 2],
    /// Code has been written since V3D's instruction caches were cleared last.
    code_is_new: bool,
}

impl Plan {
    /// Allocates what 2^`log2_points` points need (14 KiB for 2^8, 194 KiB for 2^12) and writes
    /// programs, uniforms and twiddles.
    ///
    /// # Errors
    /// [`Error::Length`] outside 2^8 ..= 2^12; [`Error::Runner`] when memory runs out.
    pub fn new<R: Runner>(
        catalogue: &Catalogue,
        log2_points: u32,
        runner: &mut R,
    ) -> Result<Self, Error<R::Error>> {
        let layout = Layout::new(log2_points).ok_or(Error::Length(log2_points))?;
        let bytes = layout.bytes();
        let input = runner.alloc(bytes, ALIGN)?;
        let output = runner.alloc(bytes, ALIGN)?;
        let planes = runner.alloc(bytes, ALIGN)?;
        let twiddles = runner.alloc(bytes, ALIGN)?;
        write_twiddles(&layout, twiddles, runner)?;
        let addresses = Addresses {
            input: input.addr.0,
            planes: planes.addr.0,
            twiddles: twiddles.addr.0,
            output: output.addr.0,
        };
        let idle = job::Program {
            code: BusAddr(0),
            uniforms: BusAddr(0),
        };
        let mut programs = [[[idle; MAX_PROGRAMS]; 2]; 2];
        for (slot, pass) in [Pass::First, Pass::Second].into_iter().enumerate() {
            let parts = layout.parts(pass);
            let program = catalogue
                .find(pass, parts)
                .ok_or(Error::Catalogue(pass, parts))?;
            let code = write_code(program, runner)?;
            let pitch = (program.uniforms.len() as u32 * 4).next_multiple_of(64);
            let lists = runner.alloc(2 * layout.programs() * pitch + PREFETCH_BYTES, ALIGN)?;
            for (list, direction) in [Direction::Forward, Direction::Inverse]
                .into_iter()
                .enumerate()
            {
                for index in 0..layout.programs() {
                    let offset = (list as u32 * layout.programs() + index) * pitch;
                    let mut first = offset / 4;
                    for chunk in program.uniforms.chunks(CHUNK) {
                        let mut values = [0; CHUNK];
                        for (value, &uniform) in values.iter_mut().zip(chunk) {
                            *value = layout.uniform(&addresses, direction, pass, index, uniform);
                        }
                        runner.write(lists, first, &values[..chunk.len()])?;
                        first += CHUNK as u32;
                    }
                    programs[list][slot][index as usize] = job::Program {
                        code: code.addr,
                        uniforms: lists.addr.offset(offset),
                    };
                }
            }
        }
        Ok(Self {
            layout,
            input,
            output,
            programs,
            code_is_new: true,
        })
    }

    /// Length in points.
    #[must_use]
    pub const fn points(&self) -> u32 {
        self.layout.points()
    }

    /// How the length is split.
    #[must_use]
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Where the input is written: f32 real part, f32 imaginary part, for each point in order.
    #[must_use]
    pub const fn input(&self) -> Buffer {
        self.input
    }

    /// Where the result is, in the same form. The input keeps its values.
    #[must_use]
    pub const fn output(&self) -> Buffer {
        self.output
    }

    /// Transforms the input buffer into the output buffer, unscaled.
    ///
    /// # Errors
    /// [`Error::Runner`] when a pass has not ended `limit_us` after it was started, or V3D reports
    /// an error. The output is then undefined, the plan can be run again.
    pub fn run<R: Runner>(
        &mut self,
        runner: &mut R,
        direction: Direction,
        limit_us: u32,
    ) -> Result<Report, Error<R::Error>> {
        let used = self.layout.programs() as usize;
        let [first, second] = &self.programs[usize::from(direction == Direction::Inverse)];
        let clear = if self.code_is_new {
            CacheClear::All
        } else {
            CacheClear::Data
        };
        let launches = [
            Launch {
                programs: &first[..used],
                clear,
            },
            // The planes were stored past the caches through which the TMUs read them.
            Launch {
                programs: &second[..used],
                clear: CacheClear::Data,
            },
        ];
        let report = runner.run(
            &Job {
                launches: &launches,
            },
            limit_us,
        )?;
        self.code_is_new = false;
        Ok(report)
    }
}

/// Writes the twiddles of pass 1 in the order in which its programs read them.
fn write_twiddles<R: Runner>(
    layout: &Layout,
    buffer: Buffer,
    runner: &mut R,
) -> Result<(), R::Error> {
    let gain = twiddle::gain(layout.points().trailing_zeros());
    let mut row = [0; 32];
    for index in 0..layout.programs() {
        for output in 0..16 {
            for lane in 0..16 {
                let turns = layout.twiddle_turns(index, output, lane);
                let (cos, sin) = twiddle::turn(turns, layout.points());
                row[2 * lane as usize] = ((cos * gain) as f32).to_bits();
                row[2 * lane as usize + 1] = ((sin * gain) as f32).to_bits();
            }
            runner.write(buffer, (index * 16 + output) * 32, &row)?;
        }
    }
    Ok(())
}

/// Writes a program's words, low half first, into a buffer of its own.
fn write_code<R: Runner>(program: &Program, runner: &mut R) -> Result<Buffer, R::Error> {
    let bytes = program.code.len() as u32 * 8;
    let buffer = runner.alloc(bytes + PREFETCH_BYTES, ALIGN)?;
    let mut words = [0; CHUNK];
    for (chunk_index, chunk) in program.code.chunks(words.len() / 2).enumerate() {
        for (pair, &word) in words.chunks_exact_mut(2).zip(chunk) {
            pair[0] = word as u32;
            pair[1] = (word >> 32) as u32;
        }
        runner.write(
            buffer,
            (chunk_index * words.len()) as u32,
            &words[..2 * chunk.len()],
        )?;
    }
    Ok(buffer)
}
