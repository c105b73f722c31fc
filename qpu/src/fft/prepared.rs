//! Plans: transforms made ready on a runner, and how they are run.

use super::Direction;
use super::geometry::Geometry;
use super::memory::{Arrangement, LANE_VECTORS, Memory, PassMemory, VECTOR};
use super::program::{Lanes, Program};
use super::request::{Error, Request, Which};
use super::split::{MAX_PASSES, Role, Split};
use super::tables::gain;
use super::values::{Own, Places, lanes_index};
use crate::job::{self, Buffer, BusAddr, CacheClear, Job, Launch, QPUS, Report, Runner};

/// What buffers must begin at a multiple of, in bytes: a line of the caches, a row of a store.
pub const ALIGN: u32 = 64;
/// Words that are put together before they are written.
const CHUNK: usize = 128;

/// Complex FFTs of one length and batch between two buffers, ready to run.
///
/// Valid until its runner's `release_all`.
#[derive(Clone, Debug)]
pub struct Plan {
    arrangement: Arrangement,
    request: Request,
    input: Buffer,
    output: Buffer,
    /// Everything else.
    block: Buffer,
    /// What the lists are written for.
    direction: Option<Direction>,
    /// Code has been written since V3D's instruction caches were cleared last.
    code_is_new: bool,
}

impl Plan {
    /// What a plan needs beside its input and output, which need [`Request::bytes`] each.
    ///
    /// # Errors
    /// What is wrong with the request.
    pub fn memory<E>(catalogue: &'static [Program], request: &Request) -> Result<Memory, Error<E>> {
        Ok(arrangement(catalogue, request)?.1.memory())
    }

    /// The passes, programs and memory that a request gets.
    ///
    /// # Errors
    /// What is wrong with the request.
    pub fn arrangement_of<E>(
        catalogue: &'static [Program],
        request: &Request,
    ) -> Result<Arrangement, Error<E>> {
        Ok(arrangement(catalogue, request)?.1)
    }

    /// A plan that reads `input` and writes `output`, which may be the same: interleaved complex
    /// points (f32 real part, f32 imaginary part), transform after transform, each in natural order. An
    /// input that is not the output keeps its values.
    ///
    /// # Errors
    /// What is wrong with the request or the buffers; [`Error::Memory`] when the runner has less than
    /// [`Plan::memory`] left: nothing is taken from it then.
    pub fn new<R: Runner>(
        catalogue: &'static [Program],
        request: &Request,
        [input, output]: [Buffer; 2],
        runner: &mut R,
    ) -> Result<Self, Error<R::Error>> {
        let (request, arrangement) = arrangement(catalogue, request)?;
        check_buffers(&request, input, output)?;
        let bytes = arrangement.memory().total();
        let block = runner
            .alloc(bytes, 4096)
            .map_err(|error| Error::Memory { bytes, error })?;
        let mut plan = Self {
            arrangement,
            request,
            input,
            output,
            block,
            direction: None,
            code_is_new: true,
        };
        plan.write(runner)?;
        plan.write_direction(runner, Direction::Forward)?;
        Ok(plan)
    }

    /// As [`Plan::new`], with buffers that it takes from the runner: an output that is not the input.
    ///
    /// # Errors
    /// As [`Plan::new`]; buffers that were taken before memory ran out remain taken.
    pub fn with_buffers<R: Runner>(
        catalogue: &'static [Program],
        request: &Request,
        runner: &mut R,
    ) -> Result<Self, Error<R::Error>> {
        let total = arrangement(catalogue, request)?.1.memory().total();
        let bytes = request.bytes() as u32;
        let mut take = || {
            runner.alloc(bytes, 4096).map_err(|error| Error::Memory {
                bytes: total + 2 * bytes,
                error,
            })
        };
        let buffers = [take()?, take()?];
        Self::new(catalogue, request, buffers, runner)
    }

    /// What it was made for, on as many QPUs and in as many launches as were found to be fastest.
    #[must_use]
    pub const fn request(&self) -> &Request {
        &self.request
    }

    /// Points of a transform.
    #[must_use]
    pub const fn points(&self) -> u32 {
        1 << self.request.log2_points
    }

    /// How the length is split.
    #[must_use]
    pub const fn split(&self) -> Split {
        self.arrangement.split()
    }

    /// Its passes, programs and memory.
    #[must_use]
    pub const fn arrangement(&self) -> &Arrangement {
        &self.arrangement
    }

    /// Where the input is read.
    #[must_use]
    pub const fn input(&self) -> Buffer {
        self.input
    }

    /// Where the result is written.
    #[must_use]
    pub const fn output(&self) -> Buffer {
        self.output
    }

    /// Programs, lists, tables and cells.
    #[must_use]
    pub const fn block(&self) -> Buffer {
        self.block
    }

    /// Transforms the input into the output.
    ///
    /// Numbers that are not finite, and sums that overflow, make the outputs that depend on them
    /// infinite or wrong, never other transforms of the batch: QPUs take NaN for infinity, and infinity
    /// times 0 for 0.
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
        if self.direction != Some(direction) {
            self.write_direction(runner, direction)?;
        }
        let clear = if self.code_is_new {
            CacheClear::All
        } else {
            CacheClear::Data
        };
        let nothing = job::Program {
            code: BusAddr(0),
            uniforms: BusAddr(0),
        };
        let mut programs = [[nothing; QPUS as usize]; MAX_PASSES];
        let mut launches = [Launch {
            programs: &[],
            // What a pass stores goes past the caches through which the next one reads.
            clear: CacheClear::Data,
        }; MAX_PASSES];
        let mut passes = 0;
        for (pass, (launch, programs)) in self
            .arrangement
            .passes()
            .zip(launches.iter_mut().zip(&mut programs))
        {
            let programs = &mut programs[..pass.programs as usize];
            for (number, program) in (0..).zip(&mut *programs) {
                *program = job::Program {
                    code: self.block.addr.offset(pass.code),
                    uniforms: self
                        .block
                        .addr
                        .offset(pass.starts + number * pass.start_bytes),
                };
            }
            launch.programs = programs;
            passes += 1;
        }
        launches[0].clear = clear;
        if self.is_chained() {
            passes = 1;
        }
        let report = runner.run(
            &Job {
                launches: &launches[..passes],
            },
            limit_us,
        )?;
        self.code_is_new = false;
        Ok(report)
    }

    /// Where the buffers of a pass are.
    fn places(&self, number: usize, pass: &PassMemory) -> Places {
        let base = self.block.addr.0;
        let cells = |number: usize| self.arrangement.passes().nth(number).map_or(0, |p| p.cells);
        let role = pass.geometry.role();
        Places {
            from: match role {
                Role::Only | Role::First => self.input.addr.0,
                Role::Middle | Role::Last => base + cells(number - 1),
            },
            to: match role {
                Role::Only | Role::Last => self.output.addr.0,
                Role::First | Role::Middle => base + cells(number),
            },
            table: base + pass.table,
            rows: base + pass.rows,
            scalars: base + pass.scalars,
            turns: base + pass.turns,
        }
    }

    /// What a program's own words are.
    fn own(&self, number: usize, pass: &PassMemory, direction: Direction, program: u32) -> Own {
        let base = self.block.addr.0;
        let batch = self.request.batch;
        let is_rest = pass.ends_with_a_rest(batch) && program == pass.programs - 1;
        let vector = |number: u32| base + pass.lanes + number * VECTOR;
        let mut lanes = [0; 3];
        lanes[lanes_index(Lanes::Input)] = vector(u32::from(is_rest));
        lanes[lanes_index(Lanes::Twiddle)] = vector(2);
        lanes[lanes_index(Lanes::Scale)] = vector(3);
        Own {
            program,
            programs: pass.programs,
            records: base + pass.records + pass.records_of(batch, program),
            units: pass.units_of(batch, program),
            lanes,
            code: base + pass.code,
            conjugate: sign(direction),
            scale: self.scale(direction),
            opens: number == 0 || !self.is_chained(),
            gate: if self.is_chained() { number as u32 } else { 0 },
            next: self
                .arrangement
                .passes()
                .nth(number + 1)
                .filter(|_| self.is_chained())
                .map(|next| {
                    [
                        base + next.code,
                        base + next.starts + program * next.start_bytes,
                    ]
                }),
        }
    }

    /// Whether passes follow each other in one launch. Not four: the fourth reads memory that the second has
    /// read, which caches that are not cleared may still hold.
    fn is_chained(&self) -> bool {
        self.request.one_launch && self.split().passes() <= 3
    }

    /// Factors of real and imaginary parts of the output.
    fn scale(&self, direction: Direction) -> [f32; 2] {
        let factor = self.request.factor(direction);
        let (mantissa, _) = libm::frexp(factor);
        // A product with a power of two is exact.
        let lost = if mantissa == 0.5 {
            0.0
        } else {
            Geometry::LOSS_OF_A_PRODUCT
        };
        let factor = (factor * gain(lost)) as f32;
        [factor, factor * sign(direction)]
    }

    /// Writes what does not depend on the direction.
    fn write<R: Runner>(&mut self, runner: &mut R) -> Result<(), R::Error> {
        let batch = self.request.batch;
        let arrangement = self.arrangement;
        for (number, pass) in arrangement.passes().enumerate() {
            let geometry = &pass.geometry;
            let places = self.places(number, pass);
            let mut to = Writer::new(runner, self.block);
            to.at(pass.code)?;
            for &word in pass.program.code {
                to.put(word as u32)?;
                to.put((word >> 32) as u32)?;
            }
            let rest = batch % geometry.transforms_per_unit();
            for (vector, lanes, transforms) in [
                (0, Lanes::Input, geometry.transforms_per_unit()),
                (1, Lanes::Input, rest.max(1)),
                (2, Lanes::Twiddle, 1),
            ] {
                to.at(pass.lanes + vector * VECTOR)?;
                to.all(&geometry.lane_vector(lanes, transforms, [1.0; 2]))?;
            }
            for program in 0..pass.programs {
                let own = self.own(number, pass, Direction::Forward, program);
                to.at(own.records - self.block.addr.0)?;
                for unit in 0..own.units {
                    let unit = pass.unit_of(batch, program, unit);
                    for &word in pass.program.record {
                        let unit = (unit, batch);
                        let area = program % 2;
                        to.put(geometry.record_word(&places, &pass.lists, unit, area, word))?;
                    }
                }
                for &word in pass.program.tail {
                    to.put(geometry.tail_word(&own, word))?;
                }
            }
            for part in 0..geometry.parts() {
                to.at(pass.rows + part * pass.lists.rows)?;
                for &word in pass.program.rows {
                    to.put(geometry.row_word(&places, part, word))?;
                }
            }
            for list in 0..geometry.scalar_lists() {
                to.at(pass.scalars + list * pass.lists.scalars)?;
                for &word in pass.program.scalars {
                    to.put(geometry.scalar_word(list, word))?;
                }
            }
            to.at(pass.turns)?;
            for vector in 0..geometry.turn_vectors() / VECTOR {
                to.all(&geometry.turn_vector(vector / 2, vector % 2))?;
            }
            let next = arrangement
                .passes()
                .nth(number + 1)
                .map(|next| next.geometry);
            let last = next.filter(|next| next.role() == Role::Last);
            let lost = geometry.loss() + last.map_or(0.0, |last| last.loss());
            geometry.fill_table(gain(lost), |first, words| {
                to.at(pass.table + 4 * first)?;
                to.all(words)
            })?;
            to.flush()?;
        }
        Ok(())
    }

    /// Writes what does.
    fn write_direction<R: Runner>(
        &mut self,
        runner: &mut R,
        direction: Direction,
    ) -> Result<(), R::Error> {
        let arrangement = self.arrangement;
        // Until all of it is written, it is of neither.
        self.direction = None;
        for (number, pass) in arrangement.passes().enumerate() {
            let mut to = Writer::new(runner, self.block);
            to.at(pass.lanes + (LANE_VECTORS - 1) * VECTOR)?;
            let scale = self.scale(direction);
            to.all(&pass.geometry.lane_vector(Lanes::Scale, 1, scale))?;
            for program in 0..pass.programs {
                let start = pass.starts + program * pass.start_bytes;
                let own = self.own(number, pass, direction, program);
                to.at(start)?;
                for &word in pass.program.start {
                    to.put(pass.geometry.start_word(&own, word))?;
                }
            }
            to.flush()?;
        }
        self.direction = Some(direction);
        Ok(())
    }
}

/// A request as it is carried out, and its arrangement: with the split asked for, or as the table says, or where
/// the catalogue has not all programs for that, with the first split that it has.
fn arrangement<E>(
    catalogue: &'static [Program],
    request: &Request,
) -> Result<(Request, Arrangement), Error<E>> {
    let mut request = *request;
    let log2_points = request.log2_points;
    let arranged = match request.split {
        Some(split) => Arrangement::new(catalogue, &request, split),
        None => {
            let row = super::table::row(log2_points, request.batch);
            let row = row.ok_or(Error::Length(log2_points))?;
            request.qpus = request.qpus.min(row.qpus);
            request.one_launch |= row.one_launch;
            let split = Split::new(row.log2_radices).ok_or(Error::Length(log2_points))?;
            let arranged = Arrangement::new(catalogue, &request, split);
            if matches!(arranged, Err(Error::Program(_))) {
                Split::all(log2_points)
                    .find_map(|split| Arrangement::new::<E>(catalogue, &request, split).ok())
                    .map_or(arranged, Ok)
            } else {
                arranged
            }
        }
    };
    arranged.map(|arranged| (request, arranged))
}

/// Whether the buffers can be used.
fn check_buffers<E>(request: &Request, input: Buffer, output: Buffer) -> Result<(), Error<E>> {
    let needed = request.bytes() as u32;
    for (which, buffer) in [(Which::Input, input), (Which::Output, output)] {
        if !buffer.addr.0.is_multiple_of(ALIGN) {
            return Err(Error::Unaligned(which));
        }
        if buffer.bytes < needed {
            return Err(Error::Short {
                which,
                needed,
                bytes: buffer.bytes,
            });
        }
    }
    let distance = input.addr.0.abs_diff(output.addr.0);
    if distance != 0 && distance < needed {
        return Err(Error::Overlap);
    }
    Ok(())
}

/// The sign of imaginary parts at both ends.
const fn sign(direction: Direction) -> f32 {
    match direction {
        Direction::Forward => 1.0,
        Direction::Inverse => -1.0,
    }
}

/// Writes words one after the other, many at a time.
struct Writer<'a, R> {
    runner: &'a mut R,
    buffer: Buffer,
    /// Index of the first word that is not written yet.
    first: u32,
    words: [u32; CHUNK],
    count: usize,
}

impl<'a, R: Runner> Writer<'a, R> {
    fn new(runner: &'a mut R, buffer: Buffer) -> Self {
        Self {
            runner,
            buffer,
            first: 0,
            words: [0; CHUNK],
            count: 0,
        }
    }

    /// Goes on at a byte offset.
    fn at(&mut self, offset: u32) -> Result<(), R::Error> {
        if offset / 4 != self.first + self.count as u32 {
            self.flush()?;
            self.first = offset / 4;
        }
        Ok(())
    }

    fn put(&mut self, word: u32) -> Result<(), R::Error> {
        self.words[self.count] = word;
        self.count += 1;
        if self.count == CHUNK {
            self.flush()
        } else {
            Ok(())
        }
    }

    fn all(&mut self, words: &[u32]) -> Result<(), R::Error> {
        words.iter().try_for_each(|&word| self.put(word))
    }

    fn flush(&mut self) -> Result<(), R::Error> {
        if self.count > 0 {
            let words = &self.words[..self.count];
            self.runner.write(self.buffer, self.first, words)?;
        }
        self.first += self.count as u32;
        self.count = 0;
        Ok(())
    }
}
