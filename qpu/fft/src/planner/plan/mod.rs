//! Plans: transforms made ready on a runner, and how they are run.

mod input;
mod learn;

use super::memory::{Arrangement, Memory};
use super::request::{Error, Request, Which};
use super::steps::MAX_LAUNCHES;
use super::streams::Streams;
use super::tuned::Tuned;
use super::tuning;
use super::upload::Lists;
use crate::Direction;
use crate::kernels::convert::ConvertPass;
use crate::kernels::program::Program;
use crate::kernels::spectral::power::{Hold, PowerPass};
use crate::split::Split;
use qpu::job::{self, Buffer, CacheClear, Job, Launch, QpuSet, Report, Runner};
use qpu::machine::{LINE_BYTES, QPUS};

/// FFTs of one kind, length and batch between two buffers, ready to run.
///
/// Valid until its runner's `release_all`.
#[derive(Clone, Debug)]
pub struct Plan {
    lists: Lists,
    /// The direction that these are written for.
    direction: Option<Direction>,
    /// Code has been written since V3D's instruction caches were cleared last.
    code_is_new: bool,
}

impl Plan {
    /// Memory that a plan needs beside its input and output, which need [`Request::input_bytes`]
    /// and [`Request::output_bytes`].
    ///
    /// # Errors
    /// An error of the request.
    pub fn memory<E>(catalogue: &'static [Program], request: &Request) -> Result<Memory, Error<E>> {
        Ok(arrangement(catalogue, request)?.1.memory)
    }

    /// The passes, programs and memory that a request gets.
    ///
    /// # Errors
    /// An error of the request.
    pub fn arrangement_of<E>(
        catalogue: &'static [Program],
        request: &Request,
    ) -> Result<Arrangement, Error<E>> {
        Ok(arrangement(catalogue, request)?.1)
    }

    /// The request as it is carried out: with the split, the QPUs, the launches and the reads that
    /// the table has for it. Another request that differs in its batch only can be given these, and
    /// then has the same programs.
    ///
    /// # Errors
    /// An error of the request.
    pub fn resolved<E>(
        catalogue: &'static [Program],
        request: &Request,
    ) -> Result<Request, Error<E>> {
        let (request, arrangement) = arrangement(catalogue, request)?;
        Ok(Request {
            split: Some(arrangement.split),
            ..request
        })
    }

    /// A plan that reads `input` and writes `output`, which may be the same: interleaved complex
    /// points (f32 real part, f32 imaginary part), transform after transform, each in natural
    /// order. An input that is not the output keeps its values. The request may say that the input
    /// is other samples, or that transforms overlap; then it is not the output.
    ///
    /// # Errors
    /// An error of the request or of the buffers; [`Error::Memory`] when the runner has less than
    /// [`Plan::memory`] left: nothing is taken from it then.
    pub fn new<R: Runner>(
        catalogue: &'static [Program],
        request: &Request,
        [input, output]: [Buffer; 2],
        runner: &mut R,
    ) -> Result<Self, Error<R::Error>> {
        let (request, arrangement) = arrangement(catalogue, request)?;
        check_buffers(&request, input, output)?;
        let bytes = arrangement.memory.total();
        let block = runner.alloc(bytes, 4096).map_err(|error| Error::Memory {
            bytes,
            buffers: 0,
            error,
        })?;
        let lists = Lists {
            arrangement,
            request,
            input,
            output,
            block,
            buffer: block,
        };
        lists.write(runner)?;
        let mut plan = Self {
            lists,
            direction: None,
            code_is_new: true,
        };
        let direction = request.transform.direction();
        plan.write_direction(runner, direction.unwrap_or(Direction::Forward))?;
        Ok(plan)
    }

    /// Makes a plan like [`Plan::new`], with buffers that it takes from the runner: an output that
    /// is not the input.
    ///
    /// # Errors
    /// The errors of [`Plan::new`]; buffers that were taken before memory ran out remain taken.
    pub fn with_buffers<R: Runner>(
        catalogue: &'static [Program],
        request: &Request,
        runner: &mut R,
    ) -> Result<Self, Error<R::Error>> {
        let bytes = arrangement(catalogue, request)?.1.memory.total();
        let [input, output] = [request.input_bytes(), request.output_bytes()].map(|x| x as u32);
        let refused = |error| Error::Memory {
            bytes,
            buffers: input + output,
            error,
        };
        let mut take = |bytes: u32| runner.alloc(bytes, 4096).map_err(refused);
        let buffers = [take(input)?, take(output)?];
        Self::new(catalogue, request, buffers, runner).map_err(|error| match error {
            Error::Memory { error, .. } => refused(error),
            error => error,
        })
    }

    /// A plan that does the same between two other buffers, which it takes from the runner. It has
    /// lists of its own, and code, tables, the window and memory between passes in common with this
    /// one, so that only one of both can run at a time. It is made for the combination of powers
    /// that is set now ([`Plan::set_hold`]).
    ///
    /// # Errors
    /// [`Error::Memory`] when the runner has not enough left: nothing is taken from it then.
    pub fn twin<R: Runner>(&self, runner: &mut R) -> Result<Self, Error<R::Error>> {
        const ALIGN: u32 = 4096;
        let request = self.request();
        let [read, written] = [request.input_bytes(), request.output_bytes()]
            .map(|bytes| (bytes as u32).next_multiple_of(ALIGN));
        let bytes = read + written + self.arrangement().memory.programs;
        // At once, so that nothing is taken when it is not enough.
        let all = runner.alloc(bytes, ALIGN).map_err(|error| Error::Memory {
            bytes,
            buffers: read + written,
            error,
        })?;
        let part = |first: u32, end: u32| Buffer {
            addr: all.addr.offset(first),
            bytes: end - first,
        };
        let mut twin = self.clone();
        twin.lists.input = part(0, read);
        twin.lists.output = part(read, read + written);
        twin.lists.buffer = part(read + written, bytes);
        twin.lists.write(runner)?;
        if let Some(direction) = self.direction {
            twin.write_direction(runner, direction)?;
        }
        Ok(twin)
    }

    /// The request that it was made for, on as many QPUs and in as many launches as were found to
    /// be fastest.
    #[must_use]
    pub const fn request(&self) -> &Request {
        &self.lists.request
    }

    /// Points of a transform.
    #[must_use]
    pub const fn points(&self) -> u32 {
        1 << self.lists.request.transform.log2_points()
    }

    /// Its passes, programs and memory.
    #[must_use]
    pub const fn arrangement(&self) -> &Arrangement {
        &self.lists.arrangement
    }

    /// The buffer from which the input is read.
    #[must_use]
    pub const fn input(&self) -> Buffer {
        self.lists.input
    }

    /// The buffer to which the result is written.
    #[must_use]
    pub const fn output(&self) -> Buffer {
        self.lists.output
    }

    /// Programs, lists, tables and cells.
    #[must_use]
    pub const fn block(&self) -> Buffer {
        self.lists.block
    }

    /// Sets the window that samples are multiplied by, in place of ones: of sample n of a
    /// transform, f64, rounded once. It can be set again at any time.
    ///
    /// # Errors
    /// [`Error::NoWindow`] when the request is not `windowed`; [`Error::Runner`].
    pub fn set_window<R: Runner>(
        &mut self,
        runner: &mut R,
        window: impl FnMut(u32) -> f64,
    ) -> Result<(), Error<R::Error>> {
        if !self.request().windowed {
            return Err(Error::NoWindow);
        }
        Ok(self
            .lists
            .write_factors(runner, window, Direction::Forward)?)
    }

    /// Transforms the input into the output.
    ///
    /// Numbers that are not finite, and sums that overflow, make the outputs that depend on them
    /// infinite or wrong, never other transforms of the batch: QPUs take NaN for infinity, and
    /// infinity times 0 for 0.
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
        self.hand_over(runner, direction, |runner, job| runner.run(job, limit_us))
    }

    /// Starts to transform the input into the output, behind what was started before
    /// ([`Runner::start`]), and returns the report where it has come to its end already. Neither
    /// buffer may be touched until then.
    ///
    /// # Errors
    /// As [`Plan::run`].
    pub fn start<R: Runner>(
        &mut self,
        runner: &mut R,
        direction: Direction,
        limit_us: u32,
    ) -> Result<Option<Report>, Error<R::Error>> {
        self.hand_over(runner, direction, |runner, job| runner.start(job, limit_us))
    }

    /// Hands the job of a direction to the runner.
    fn hand_over<R: Runner, T>(
        &mut self,
        runner: &mut R,
        direction: Direction,
        run: impl FnOnce(&mut R, &Job) -> Result<T, R::Error>,
    ) -> Result<T, Error<R::Error>> {
        if let Some(only) = self.request().transform.direction()
            && only != direction
        {
            return Err(Error::Direction(only));
        }
        if self.request().windowed && direction == Direction::Inverse {
            return Err(Error::WindowedInverse);
        }
        if self.direction != Some(direction) {
            self.write_direction(runner, direction)?;
        }
        let mut programs = [[job::Program::default(); QPUS as usize]; MAX_LAUNCHES];
        let mut launches = [Launch {
            programs: &[],
            // What a pass stores goes past the caches through which the next one reads.
            clear: if self.request().conservative {
                CacheClear::All
            } else {
                CacheClear::Data
            },
            qpus: QpuSet::ALL,
        }; MAX_LAUNCHES];
        let mut count = 0;
        let order = runner.launch_order();
        let opening = self.arrangement().passes().filter(|pass| pass.gate == 0);
        let stretches =
            opening.flat_map(|pass| (0..pass.stretches).map(move |stretch| (pass, stretch)));
        let places = launches.iter_mut().zip(&mut programs);
        for ((pass, stretch), (launch, programs)) in stretches.zip(places) {
            let mut running = 0;
            for place in 0..pass.programs {
                let number = order.program_at(place, pass.programs);
                if let Some(entry) = pass.entry_of(number) {
                    programs[running] = job::Program {
                        code: self.lists.block.addr.offset(pass.code + entry),
                        uniforms: self
                            .lists
                            .buffer
                            .addr
                            .offset(pass.start_of(number, stretch)),
                    };
                    running += 1;
                } else if let Some(&qpu) = order.qpus().get(place as usize) {
                    launch.qpus = launch.qpus.without(QpuSet::only(qpu));
                }
            }
            launch.programs = &programs[..running];
            count += 1;
        }
        if self.code_is_new {
            launches[0].clear = CacheClear::All;
        }
        let job = Job {
            launches: &launches[..count],
        };
        let done = run(runner, &job)?;
        self.code_is_new = false;
        Ok(done)
    }

    /// Sets the combination with the powers that are in the output: they are multiplied by `old`
    /// and added to the new ones, which are multiplied by `new`, or the greater or lesser of both
    /// products stays. To begin with they are replaced: [`Hold::Add`], 0 and 1. Holds for the runs
    /// that follow.
    ///
    /// # Errors
    /// [`Error::NoPowers`] for a plan of another kind; [`Error::Combination`] when the detector
    /// keeps the greatest and this the least, or the other way round; [`Error::Runner`].
    pub fn set_hold<R: Runner>(
        &mut self,
        runner: &mut R,
        hold: Hold,
        [old, new]: [f32; 2],
    ) -> Result<(), Error<R::Error>> {
        let (number, power) = self.lists.arrangement.power().ok_or(Error::NoPowers)?;
        let wanted = PowerPass {
            hold,
            old: old.to_bits(),
            new: new.to_bits(),
            ..*power
        };
        if !wanted.is_possible() {
            return Err(Error::Combination);
        }
        if *power == wanted {
            return Ok(());
        }
        // Until all of it is written, it is unlike any.
        power.new = f32::NAN.to_bits();
        let mut lists = self.lists;
        if let Some((_, power)) = lists.arrangement.power() {
            *power = wanted;
        }
        if let Some(memory) = lists.arrangement.pass(number) {
            lists.write_rows(runner, memory)?;
        }
        self.lists = lists;
        Ok(())
    }

    /// Writes what depends on the direction.
    fn write_direction<R: Runner>(
        &mut self,
        runner: &mut R,
        direction: Direction,
    ) -> Result<(), R::Error> {
        // Until all of it is written, it is of neither.
        self.direction = None;
        self.lists.write_direction(runner, direction)?;
        self.direction = Some(direction);
        Ok(())
    }
}

/// A request as it is carried out, and its arrangement: with the split asked for, or as the table
/// says; where the catalogue has not all programs for that, or they need more QPUs, in passes as
/// the table says, or with the first split that can be. Samples of many transforms take a row that
/// needs a pass to convert them last.
fn arrangement<E>(
    catalogue: &'static [Program],
    request: &Request,
) -> Result<(Request, Arrangement), Error<E>> {
    request.check()?;
    let log2_points = request.transform.log2_row();
    let length = || request.transform.length_error();
    let mut fixed = *request;
    if request.conservative {
        fixed.one_launch = false;
        fixed.streams = Some(Streams::default());
        if request.split.is_none() {
            let row = tuning::conservative(log2_points, request.rows()).ok_or_else(length)?;
            fixed.split = Some(Split::new(row.log2_radices).ok_or_else(length)?);
            fixed.qpus = request.qpus.min(row.qpus);
        }
    }
    if let Some(split) = fixed.split {
        let arranged = Arrangement::new(catalogue, &fixed, split)?;
        return Ok((fixed, arranged));
    }
    let is_missing =
        |error: &Error<E>| matches!(error, Error::Program(_) | Error::TooFewQpus { .. });
    let mut missing = None;
    let count = request.rows();
    let is_apart = request.reading().samples().is_converted_apart();
    let is_converted = |row: &Tuned| is_apart || !request.reads_points() && row.reads_points();
    let is_slow =
        |row: &Tuned| !is_apart && is_converted(row) && !ConvertPass::is_faster(log2_points, count);
    let rows = || tuning::rows(request.chip, log2_points, count);
    let slow = rows().filter(|row| is_slow(row));
    for row in rows().filter(|row| !is_slow(row)).chain(slow) {
        let split = Split::new(row.log2_radices).ok_or_else(length)?;
        let mut request = *request;
        request.qpus = request.qpus.min(row.qpus);
        request.one_launch |= row.one_launch;
        if request.transform.begins_with_its_split() {
            let streams = if is_converted(row) {
                row.streams.behind_another()
            } else {
                row.streams
            };
            request.streams = request.streams.or(Some(streams));
        }
        match Arrangement::new(catalogue, &request, split) {
            Err(error) if is_missing(&error) => missing = missing.or(Some(error)),
            arranged => return arranged.map(|arranged| (request, arranged)),
        }
    }
    let arranged = Split::all(log2_points)
        .find_map(|split| Arrangement::new::<E>(catalogue, request, split).ok())
        .ok_or_else(|| missing.unwrap_or_else(length))?;
    Ok((*request, arranged))
}

/// Checks that the buffers can be used.
fn check_buffers<E>(request: &Request, input: Buffer, output: Buffer) -> Result<(), Error<E>> {
    let [read, written] = [request.input_bytes(), request.output_bytes()].map(|x| x as u32);
    let both = [
        (Which::Input, input, read),
        (Which::Output, output, written),
    ];
    for (which, buffer, needed) in both {
        if !buffer.addr.0.is_multiple_of(LINE_BYTES) {
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
    let [from, to] = [input, output].map(|buffer| u64::from(buffer.addr.0));
    let is_apart = from + u64::from(read) <= to || to + u64::from(written) <= from;
    if from != to && !is_apart {
        return Err(Error::Overlap);
    }
    if from == to && !request.may_be_in_place() {
        return Err(Error::InPlace);
    }
    Ok(())
}
