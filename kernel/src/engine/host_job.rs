//! Jobs that a host makes: in a block of the runner's memory, into which it writes what it likes.
//!
//! The host writes programs, uniforms and data, has launches of them run, and reads what they have
//! left. A block is given back when the next is asked for, and when the engine of spectra wants
//! memory: the host is then refused.
//!
//! Simulated, not yet run on hardware.

use ::qpu::job::{Buffer, BusAddr, CacheClear, Job, Launch, Program, QpuSet, Runner};
use wire::{JobBlock, JobClear, JobLaunch, JobWords, RunJob};

use super::EngineError;
use super::literals::Walk;

/// The alignment of a block.
const ALIGN: u32 = 4096;
/// Words that are copied at a time.
const CHUNK: usize = 64;

/// A request of a host.
#[derive(Debug)]
pub enum HostJob<'a> {
    /// To write words of the block.
    Write(JobWords<'a>),
    /// To read words of it from number `first` on, as many as `bytes` holds, little-endian.
    Read {
        /// The first word.
        first: u32,
        /// The words that were read.
        bytes: &'a mut [u8],
    },
    /// To run programs.
    Run(RunJob<'a>),
}

/// The block of a host, and the last job in it.
#[derive(Debug)]
pub struct HostJobs {
    block: Option<Buffer>,
    /// Number of the last run, and its time in microseconds.
    last: Option<(u32, u32)>,
}

impl HostJobs {
    /// There is no block.
    pub const NONE: Self = Self {
        block: None,
        last: None,
    };

    /// Takes a block of `bytes` bytes, all of whose words are to be written before they are read;
    /// of none for 0.
    ///
    /// # Errors
    /// Those of the runner.
    pub fn take<R: Runner>(&mut self, runner: &mut R, bytes: u32) -> Result<JobBlock, R::Error> {
        let block = match bytes {
            0 => None,
            bytes => Some(runner.alloc(bytes, ALIGN)?),
        };
        let mut launch_order = [0; JobBlock::QPUS];
        let order = runner.launch_order();
        for (place, &qpu) in launch_order.iter_mut().zip(order.qpus()) {
            *place = qpu;
        }
        *self = Self { block, last: None };
        Ok(JobBlock {
            address: block.map_or(0, |block| block.addr.0),
            bytes: block.map_or(0, |block| block.bytes),
            launch_order,
        })
    }

    /// Does what a host asks for; gives the time that programs took in microseconds, 0 for all
    /// else.
    ///
    /// # Errors
    /// [`EngineError::OutsideBlock`] for words or programs that are not in the block, or when there
    /// is none; [`EngineError::Stray`] for code that names another address; those of the runner, as
    /// `error` says.
    pub fn serve<R: Runner>(
        &mut self,
        runner: &mut R,
        job: HostJob,
        error: fn(R::Error) -> EngineError,
    ) -> Result<u32, EngineError> {
        let block = self.block.ok_or(EngineError::OutsideBlock)?;
        let has = |first: u32, words: usize| {
            let end = u64::from(first) + words as u64;
            let is_inside = end <= u64::from(block.bytes / 4);
            is_inside.then_some(()).ok_or(EngineError::OutsideBlock)
        };
        match job {
            HostJob::Write(words) => {
                has(words.first, words.words().len())?;
                let mut place = words.first;
                let mut all = words.words();
                let mut chunk = [0; CHUNK];
                while all.len() > 0 {
                    let count = all.len().min(CHUNK);
                    for (to, word) in chunk[..count].iter_mut().zip(&mut all) {
                        *to = word;
                    }
                    runner.write(block, place, &chunk[..count]).map_err(error)?;
                    place += count as u32;
                }
                Ok(0)
            }
            HostJob::Read { first, bytes } => {
                has(first, bytes.len() / 4)?;
                let mut place = first;
                let mut chunk = [0; CHUNK];
                for bytes in bytes.chunks_mut(4 * CHUNK) {
                    let words = &mut chunk[..bytes.len() / 4];
                    runner.read(block, place, words).map_err(error)?;
                    for (to, word) in bytes.chunks_exact_mut(4).zip(&*words) {
                        to.copy_from_slice(&word.to_le_bytes());
                    }
                    place += words.len() as u32;
                }
                Ok(0)
            }
            HostJob::Run(job) => {
                if let Some((number, elapsed_us)) = self.last
                    && number == job.number
                {
                    return Ok(elapsed_us);
                }
                let elapsed_us = run(runner, block, &job, error)?;
                self.last = Some((job.number, elapsed_us));
                Ok(elapsed_us)
            }
        }
    }
}

fn run<R: Runner>(
    runner: &mut R,
    block: Buffer,
    job: &RunJob,
    error: fn(R::Error) -> EngineError,
) -> Result<u32, EngineError> {
    const NOTHING: Program = Program {
        code: BusAddr(0),
        uniforms: BusAddr(0),
    };
    let mut programs = [[NOTHING; RunJob::MAX_PROGRAMS]; RunJob::MAX_LAUNCHES];
    let mut launches = [Launch {
        programs: &[],
        clear: CacheClear::All,
        qpus: QpuSet::ALL,
    }; RunJob::MAX_LAUNCHES];
    let mut count = 0;
    let mut seen = None;
    for (asked, (launch, programs)) in job.launches().zip(launches.iter_mut().zip(&mut programs)) {
        let JobLaunch {
            clear,
            qpus,
            programs: given,
        } = asked;
        let programs = &mut programs[..given.len().min(RunJob::MAX_PROGRAMS)];
        for (program, given) in programs.iter_mut().zip(given) {
            for (address, align) in [(given.code, 8), (given.uniforms, 4)] {
                let is_inside = address.wrapping_sub(block.addr.0) < block.bytes;
                if !is_inside || !address.is_multiple_of(align) {
                    return Err(EngineError::OutsideBlock);
                }
            }
            // Most programs of a launch share their code.
            if seen.replace(given.code) != Some(given.code) {
                look_through(runner, block, given.code, error)?;
            }
            *program = Program {
                code: BusAddr(given.code),
                uniforms: BusAddr(given.uniforms),
            };
        }
        launch.programs = programs;
        launch.clear = match clear {
            JobClear::None => CacheClear::None,
            JobClear::Data => CacheClear::Data,
            JobClear::All => CacheClear::All,
        };
        launch.qpus = QpuSet::from_bits(qpus);
        count += 1;
    }
    let job_of_all = Job {
        launches: &launches[..count],
    };
    runner.confine(Some(block));
    let report = runner.run(&job_of_all, job.limit_us);
    runner.confine(None);
    Ok(report.map_err(error)?.elapsed_us)
}

/// Looks for addresses outside of the block in the program at `code`, which lies in it.
fn look_through<R: Runner>(
    runner: &mut R,
    block: Buffer,
    code: u32,
    error: fn(R::Error) -> EngineError,
) -> Result<(), EngineError> {
    let mut walk = Walk::new(block, code);
    let words = block.bytes / 4;
    let mut place = code.wrapping_sub(block.addr.0) / 4;
    let mut chunk = [0; CHUNK];
    while walk.goes_on() && place < words {
        let count = CHUNK.min((words - place) as usize);
        let chunk = &mut chunk[..count];
        runner.read(block, place, chunk).map_err(error)?;
        for &[low, high] in chunk.as_chunks().0 {
            if walk.goes_on() {
                let word = u64::from(high) << 32 | u64::from(low);
                walk.take(word).map_err(EngineError::Stray)?;
            }
        }
        place += count as u32;
    }
    Ok(())
}
