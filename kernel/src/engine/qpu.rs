//! The QPU engine: FFT plans of `qpu_fft` on whatever runs QPU jobs.
//!
//! On the device the runner is the V3D driver, in host tests the simulator; plan and programs are
//! the same. A plan has one buffer, which it transforms in place. Plans stay prepared while the
//! runner's memory holds them (8 MiB are enough for all), so that changing between lengths costs
//! nothing; when it is full, all make room for the new one. After a job that failed nothing is
//! taken for granted: V3D has been restarted, and the next [`Fft::prepare`] starts from empty
//! memory.
//!
//! Simulated, not yet run on hardware.

use dsp::{Complex, Direction};
use heapless::{Deque, Vec};
use qpu::job::{Buffer, LaunchOrder, QpuSet, Report, Runner};
use qpu_fft::Plan;
use qpu_fft::planner::tuning;
use qpu_fft::request::Error;
use qpu_programs::microbench::{self, Microbench};
use qpu_programs::{FIRMWARE, firmware};
use wire::JobBlock;

use super::host_job::{HostJob, HostJobs};
use super::measure::{self, Words};
use super::power::{self, PowerPlan, Set};
use super::qpu_selftest::{self, Verdict};
use super::{Candidate, EngineError, Fft, Manner, QpuHost, Samples, Spectra};

/// The time that a launch may take. The longest takes 2.4 ms (simulated, 2^16 points).
pub const LIMIT_US: u32 = 50_000;

/// Shortest length that the engine transforms, as a power of two.
pub const MIN_LOG2: u32 = firmware::MIN_LOG2;
/// Longest length, as a power of two: that of the instrument's blocks.
pub const MAX_LOG2: u32 = firmware::MAX_LOG2;
/// Lengths with a plan.
const LENGTHS: usize = (MAX_LOG2 - MIN_LOG2 + 1) as usize;
/// Alignment of a plan's data: that of the lines which the ARM's caches and all of V3D's have in
/// common, and more, so that short transforms do not share a page with other data.
const ALIGN: u32 = 4096;
/// Plans of a length.
const MANNERS: usize = Manner::ALL.len();
/// Plans of powers that are kept: of records, of what is left of an upload, and of each the one for
/// a single block.
const POWERS: usize = 4;
/// Powers that may be under way: those that the QPUs make, those of a check, and the next.
const STARTED: usize = 3;
/// Complex points that are copied at a time.
const CHUNK: usize = 32;

/// The plans that an engine has prepared. An engine borrows them: they are too long for a stack.
pub struct Plans {
    /// At most one of each length and manner.
    transforms: Vec<TransformPlan, { MANNERS * LENGTHS }>,
    /// Plans of power spectra. They stay in their places: each is some thousands of bytes long.
    powers: Vec<PowerPlan, POWERS>,
}

impl Plans {
    /// None. No bit of it is set, so that a static costs nothing in the image.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            transforms: Vec::new(),
            powers: Vec::new(),
        }
    }

    /// The place of the plan of that length and manner, where there is one.
    fn transform(&self, log2n: u32, manner: Manner) -> Option<usize> {
        let mut transforms = self.transforms.iter();
        transforms.position(|it| (it.log2n, it.manner) == (log2n, manner))
    }
}

impl Default for Plans {
    fn default() -> Self {
        Self::new()
    }
}

/// FFTs on the QPUs of a runner.
pub struct QpuEngine<'a, R: Runner> {
    runner: R,
    error: fn(R::Error) -> EngineError,
    plans: &'a mut Plans,
    /// The place of the transform that was prepared last.
    current: Option<usize>,
    /// Powers that were started, first to last.
    started: Deque<Started, STARTED>,
    host: HostJobs,
}

/// Powers on their way.
struct Started {
    spectra: Spectra,
    set: Set,
    /// The report of their job, when it has ended.
    report: Option<Result<Report, EngineError>>,
}

impl<'a, R: Runner> QpuEngine<'a, R> {
    /// An engine on `runner`, all of whose memory it may use. `error` says what an error of the
    /// runner means; `plans` has none yet.
    pub const fn new(runner: R, error: fn(R::Error) -> EngineError, plans: &'a mut Plans) -> Self {
        Self {
            runner,
            error,
            plans,
            current: None,
            started: Deque::new(),
            host: HostJobs::NONE,
        }
    }

    /// The runner, for what is not an FFT. Buffers that the caller takes are lost at the next
    /// preparation that needs room.
    pub const fn runner(&mut self) -> &mut R {
        &mut self.runner
    }

    /// Gives up all plans, the block of a host, and their memory.
    fn clear(&mut self) {
        self.plans.transforms.clear();
        self.plans.powers.clear();
        self.current = None;
        self.started.clear();
        self.host = HostJobs::NONE;
        self.runner.release_all();
    }

    /// The plan for these spectra, made if it is not there, and the runner.
    fn power_plan(
        &mut self,
        spectra: &Spectra,
        window: &[f32],
    ) -> Result<(&mut PowerPlan, &mut R), Error<R::Error>> {
        let mut powers = self.plans.powers.iter();
        let place = match powers.position(|plan| plan.is_for(spectra)) {
            Some(place) => place,
            None => self.add_power_plan(spectra, window)?,
        };
        let plan = self.plans.powers.get_mut(place).ok_or(Error::EmptyBatch)?;
        Ok((plan, &mut self.runner))
    }

    /// Makes the plan for these spectra; returns its place.
    fn add_power_plan(
        &mut self,
        spectra: &Spectra,
        window: &[f32],
    ) -> Result<usize, Error<R::Error>> {
        if self.plans.powers.is_full() {
            // Memory is given back as a whole only: another kind than these begins anew.
            self.clear();
        }
        let plan = match PowerPlan::new(spectra, window, &mut self.runner, LIMIT_US) {
            Err(Error::Memory { .. }) => {
                self.clear();
                PowerPlan::new(spectra, window, &mut self.runner, LIMIT_US)
            }
            plan => plan,
        }?;
        let place = self.plans.powers.len();
        // There is room: the list is not full, or was cleared.
        let _ = self.plans.powers.push(plan);
        Ok(place)
    }

    /// Reports if the plan of powers stands in memory, with buffers that are not in use.
    fn is_free(&self, spectra: &Spectra) -> bool {
        let mut plans = self.plans.powers.iter();
        plans.any(|plan| plan.is_for(spectra) && plan.is_free())
    }

    /// The error of powers; after one that has touched memory nothing is taken for granted.
    fn failed(&mut self, error: Error<R::Error>) -> EngineError {
        // What cannot be planned has touched nothing.
        if matches!(error, Error::Memory { .. } | Error::Runner(_)) {
            self.clear();
        }
        self.convert(error)
    }

    fn convert(&self, error: Error<R::Error>) -> EngineError {
        match error {
            Error::Length { .. } => EngineError::Length,
            Error::Memory { error, .. } | Error::Runner(error) => (self.error)(error),
            // The catalogue is built with the planner, and the request is of this file.
            _ => EngineError::NotAvailable,
        }
    }
}

/// A plan of one transform, in place.
#[derive(Clone, Debug)]
struct TransformPlan {
    log2n: u32,
    manner: Manner,
    plan: Plan,
    /// It has been proven since it was made.
    is_believed: bool,
}

/// One transform of 2^`log2n` points, in place.
fn plan<R: Runner>(
    log2n: u32,
    manner: Manner,
    runner: &mut R,
) -> Result<TransformPlan, Error<R::Error>> {
    let mut request = firmware::transform(log2n);
    request.conservative = manner == Manner::Conservative;
    let bytes = request.input_bytes() as u32;
    let data = runner.alloc(bytes, ALIGN)?;
    Ok(TransformPlan {
        log2n,
        manner,
        plan: Plan::new(FIRMWARE, &request, [data; 2], runner)?,
        is_believed: false,
    })
}

/// Reports if the engine transforms this length.
fn has_length(log2n: u32) -> bool {
    (MIN_LOG2..=MAX_LOG2).contains(&log2n)
}

impl<R: Runner> Fft for QpuEngine<'_, R> {
    fn prepare(&mut self, log2n: u32, manner: Manner) -> Result<(), EngineError> {
        if !has_length(log2n) {
            return Err(EngineError::Length);
        }
        self.current = self.plans.transform(log2n, manner);
        if self.current.is_none() {
            let plan = plan(log2n, manner, &mut self.runner).or_else(|_| {
                self.clear();
                plan(log2n, manner, &mut self.runner)
            });
            let plan = plan.map_err(|error| {
                self.clear();
                self.convert(error)
            })?;
            // There is room for each length and manner once.
            let _ = self.plans.transforms.push(plan);
            self.current = self.plans.transforms.len().checked_sub(1);
        }
        Ok(())
    }

    fn has(&self, candidate: &Candidate) -> bool {
        match candidate {
            Candidate::Transform { log2n, manner } => {
                let is_there = || tuning::conservative(*log2n, 1).is_some();
                has_length(*log2n) && (*manner == Manner::Fastest || is_there())
            }
            Candidate::Power(spectra) => {
                let blocks = power::blocks(spectra);
                let log2_complex = blocks.log2_points - u32::from(blocks.is_real);
                let is_there = || tuning::conservative(log2_complex, blocks.count).is_some();
                blocks.has_plan() && (spectra.manner == Manner::Fastest || is_there())
            }
        }
    }

    fn is_believed(&self, candidate: &Candidate) -> bool {
        match candidate {
            Candidate::Transform { log2n, manner } => {
                let place = self.plans.transform(*log2n, *manner);
                place.is_some_and(|place| self.plans.transforms[place].is_believed)
            }
            Candidate::Power(spectra) => {
                let mut plans = self.plans.powers.iter();
                plans.any(|plan| plan.is_for(spectra) && plan.is_believed)
            }
        }
    }

    fn believe(&mut self, candidate: &Candidate) {
        match candidate {
            Candidate::Transform { log2n, manner } => {
                if let Some(place) = self.plans.transform(*log2n, *manner) {
                    self.plans.transforms[place].is_believed = true;
                }
            }
            Candidate::Power(spectra) => {
                let plans = self.plans.powers.iter_mut();
                for plan in plans.filter(|plan| plan.is_for(spectra)) {
                    plan.is_believed = true;
                }
            }
        }
    }

    fn transform(
        &mut self,
        direction: Direction,
        data: &mut [Complex<f32>],
    ) -> Result<u32, EngineError> {
        let plan = self
            .current
            .and_then(|place| self.plans.transforms.get_mut(place));
        let plan = plan.map(|it| &mut it.plan);
        let plan = plan.filter(|plan| plan.points() as usize == data.len());
        let plan = plan.ok_or(EngineError::Length)?;
        let result = transform(plan, &mut self.runner, direction, data);
        result.map_err(|error| {
            self.clear();
            self.convert(error)
        })
    }

    fn take_power(
        &mut self,
        spectra: &Spectra,
        window: &[f32],
        samples: &[u32],
        held: &mut [f64],
    ) -> Result<u32, EngineError> {
        if !power::blocks(spectra).has_plan() {
            return Err(EngineError::Length);
        }
        if !self.started.is_empty() && !self.is_free(spectra) {
            return Err(EngineError::Busy);
        }
        let result = self
            .power_plan(spectra, window)
            .and_then(|(plan, runner)| plan.take(runner, samples, held, LIMIT_US));
        result.map_err(|error| self.failed(error))
    }

    fn can_start(&self, spectra: &Spectra) -> bool {
        self.started.is_empty() || !self.started.is_full() && self.is_free(spectra)
    }

    fn start_power(
        &mut self,
        spectra: &Spectra,
        window: &[f32],
        samples: Samples,
    ) -> Result<(), EngineError> {
        if !power::blocks(spectra).has_plan() {
            return Err(EngineError::Length);
        }
        if !self.can_start(spectra) {
            return Err(EngineError::Busy);
        }
        let result = self
            .power_plan(spectra, window)
            .and_then(|(plan, runner)| plan.start(runner, samples, LIMIT_US));
        let (set, report) = result.map_err(|error| self.failed(error))?;
        // There is room: it can be started.
        let _ = self.started.push_back(Started {
            spectra: *spectra,
            set,
            report: report.map(Ok),
        });
        Ok(())
    }

    fn has_power(&mut self) -> bool {
        // Also where the first have ended: the runner goes on with the others when it is asked.
        let mut started = self.started.iter_mut();
        if let Some(next) = started.find(|it| it.report.is_none()) {
            let ended = self.runner.ended();
            next.report = ended.map(|result| result.map_err(self.error));
        }
        let first = self.started.front();
        first.is_none_or(|first| first.report.is_some())
    }

    fn finish_power(&mut self, held: &mut [f64]) -> Result<u32, EngineError> {
        // A job ends by itself or is ended by its runner.
        while !self.has_power() {}
        let first = self.started.pop_front().ok_or(EngineError::Lost)?;
        let report = first.report.unwrap_or(Err(EngineError::Lost));
        let Self { plans, runner, .. } = self;
        let plan = plans
            .powers
            .iter_mut()
            .find(|plan| plan.is_for(&first.spectra));
        let result = report.and_then(|report| {
            let plan = plan.ok_or(EngineError::Lost)?;
            let read = plan.finish(first.set, runner, held);
            read.map_err(self.error).map(|()| report.elapsed_us)
        });
        if result.is_err() {
            self.clear();
        }
        result
    }

    fn make_room(&mut self) {
        self.abandon();
        self.clear();
    }

    fn abandon(&mut self) {
        while !self.started.is_empty() {
            while !self.has_power() {}
            let Some(first) = self.started.pop_front() else {
                return;
            };
            if matches!(first.report, Some(Err(_))) {
                self.clear();
            }
            for plan in &mut self.plans.powers {
                if plan.is_for(&first.spectra) {
                    plan.abandon(first.set);
                }
            }
        }
    }
}

impl<R: Runner> QpuHost for QpuEngine<'_, R> {
    fn launch_order(&self) -> LaunchOrder {
        self.runner.launch_order()
    }

    fn host_block(&mut self, bytes: u32) -> Result<JobBlock, EngineError> {
        self.clear();
        let block = self.host.take(&mut self.runner, bytes);
        block.map_err(self.error)
    }

    fn host_job(&mut self, job: HostJob) -> Result<u32, EngineError> {
        let result = self.host.serve(&mut self.runner, job, self.error);
        if matches!(
            result,
            Err(EngineError::Timeout { .. } | EngineError::Device)
        ) {
            self.clear();
        }
        result
    }

    fn self_test(&mut self, on: QpuSet) -> Result<Verdict, EngineError> {
        self.clear();
        qpu_selftest::round(&mut self.runner, on).map_err(self.error)
    }

    fn measure(&mut self, bench: &Microbench) -> Result<Words, EngineError> {
        self.clear();
        measure::measure(&mut self.runner, bench).map_err(|error| match error {
            microbench::Error::Runner(error) => (self.error)(error),
            microbench::Error::NoPlan => EngineError::NotAvailable,
        })
    }
}

fn transform<R: Runner>(
    plan: &mut Plan,
    runner: &mut R,
    direction: Direction,
    data: &mut [Complex<f32>],
) -> Result<u32, Error<R::Error>> {
    write(runner, plan.input(), data)?;
    let report = plan.run(runner, direction, LIMIT_US)?;
    read(runner, plan.output(), data)?;
    Ok(report.elapsed_us)
}

fn write<R: Runner>(runner: &mut R, to: Buffer, data: &[Complex<f32>]) -> Result<(), R::Error> {
    let mut words = [0; 2 * CHUNK];
    for (number, chunk) in data.chunks(CHUNK).enumerate() {
        for (pair, z) in words.chunks_exact_mut(2).zip(chunk) {
            pair.copy_from_slice(&[z.re.to_bits(), z.im.to_bits()]);
        }
        runner.write(to, (number * words.len()) as u32, &words[..2 * chunk.len()])?;
    }
    Ok(())
}

fn read<R: Runner>(
    runner: &mut R,
    from: Buffer,
    data: &mut [Complex<f32>],
) -> Result<(), R::Error> {
    let mut words = [0; 2 * CHUNK];
    for (number, chunk) in data.chunks_mut(CHUNK).enumerate() {
        runner.read(
            from,
            (number * 2 * CHUNK) as u32,
            &mut words[..2 * chunk.len()],
        )?;
        for (z, pair) in chunk.iter_mut().zip(words.chunks_exact(2)) {
            *z = Complex::new(f32::from_bits(pair[0]), f32::from_bits(pair[1]));
        }
    }
    Ok(())
}
