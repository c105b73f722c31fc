//! Power spectra of the QPUs: conversion, window, transform, |X|² and the detector on V3D.
//!
//! The ARM copies samples in as they came, and powers out. Samples that blocks share are copied
//! once, unless blocks begin inside words, which the QPUs cannot read; then each block is copied by
//! itself. Samples that lie in memory of V3D's from a line's start on need not be copied: the plan
//! reads them there. A plan keeps its window and is made for one kind of spectra; a record of so
//! many blocks and what is left of an upload are two kinds, so two plans are kept.
//!
//! A plan has two sets of buffers that take turns: while the QPUs work in one, the ARM reads the
//! powers of the other and writes the next samples there.

use dsp::Window;
use dsp::spectrum::{Detector, Domain};
use qpu::job::{Buffer, Report, Runner};
use qpu_fft::kernels::spectral::power::Removed;
use qpu_fft::request::{Error, Request};
use qpu_fft::window::Shape;
use qpu_fft::{Direction, Plan};
use qpu_programs::FIRMWARE;
use qpu_programs::firmware::Blocks;

use super::samples::word_at;
use super::{Manner, Samples, Spectra};

/// Numbers that are copied at a time.
const CHUNK: usize = 64;
/// Words of samples that are written at a time.
const WRITE: usize = 1024;
/// Powers that are read at a time.
const READ: usize = 256;

/// The blocks that the QPUs are asked for.
#[must_use]
pub fn blocks(spectra: &Spectra) -> Blocks {
    Blocks {
        is_real: spectra.coding.domain == Domain::Real,
        format: spectra.coding.format,
        channels: spectra.coding.channels,
        log2_points: spectra.log2n,
        hop: spectra.hop as u32,
        count: spectra.blocks,
        windowed: spectra.window != Window::Rectangular,
        bins: Some(spectra.bins.map(|bin| bin as u32)),
        detector: spectra.detector,
        removed: removed(spectra),
    }
}

/// The request of the plan for these spectra.
///
/// # Errors
/// When there is no such plan.
pub fn request<E>(spectra: &Spectra) -> Result<Request, Error<E>> {
    let of = |spectra: &Spectra| {
        let mut request = blocks(spectra).request();
        request.conservative = spectra.manner == Manner::Conservative;
        request
    };
    let own = of(spectra);
    if [0, spectra.blocks].contains(&spectra.split_for) {
        return Ok(own);
    }
    let many = Spectra {
        blocks: spectra.split_for,
        ..*spectra
    };
    let many = Plan::resolved(FIRMWARE, &of(&many))?;
    Ok(Request {
        split: many.split,
        qpus: many.qpus,
        one_launch: many.one_launch,
        streams: many.streams,
        ..own
    })
}

/// The part of bin 0 that is taken away from other bins, where the mean goes: from all of them
/// where the window is no sum of cosines, since a mean has side lobes everywhere then.
fn removed(spectra: &Spectra) -> Removed {
    match spectra.window.terms() {
        _ if !spectra.removes_mean => Removed::NOTHING,
        Some(terms) => {
            let shape = Shape::of_terms(terms, spectra.log2n);
            Removed::Near(shape.near.map(|ratio| (ratio as f32).to_bits()))
        }
        None => Removed::Everywhere,
    }
}

/// Spectra and the plan for them.
#[derive(Clone, Debug)]
pub struct PowerPlan {
    spectra: Spectra,
    plan: Plan,
    /// The same between other buffers, where there is memory for it: so one can run while samples
    /// of the other are written and its powers read.
    twin: Option<Plan>,
    /// The inputs that they were made with; the plan's, and the twin's where there is one.
    own: [Buffer; 2],
    /// The one that is next.
    next: Set,
    /// Those that were started and whose powers have not been read.
    under_way: [bool; 2],
    /// It has been proven since it was made.
    pub is_believed: bool,
}

/// The plan itself, or its twin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Set {
    /// The plan.
    Own,
    /// Its twin.
    Twin,
}

impl PowerPlan {
    /// The plan for `spectra`; `window` has a coefficient for each point of a block. It may be run
    /// once for what it has to know of the window.
    ///
    /// # Errors
    /// As [`Plan::new`], and as [`Plan::run`] with `limit_us`.
    pub fn new<R: Runner>(
        spectra: &Spectra,
        window: &[f32],
        runner: &mut R,
        limit_us: u32,
    ) -> Result<Self, Error<R::Error>> {
        let request = request(spectra)?;
        let mut plan = Plan::with_buffers(FIRMWARE, &request, runner)?;
        if request.windowed {
            let coefficient = |n: u32| window.get(n as usize).copied().unwrap_or_default();
            plan.set_window(runner, |n| coefficient(n).into())?;
        }
        plan.learn_window(runner, limit_us)?;
        // A single block for a check is not followed by another.
        let twin = match spectra.split_for {
            0 => plan.twin(runner).map(Some),
            _ => Ok(None),
        };
        let twin = twin.or_else(|error| match error {
            Error::Memory { .. } => Ok(None),
            error => Err(error),
        })?;
        let own = [Some(&plan), twin.as_ref()].map(|it| it.unwrap_or(&plan).input());
        Ok(Self {
            spectra: *spectra,
            plan,
            twin,
            own,
            next: Set::Own,
            under_way: [false; 2],
            is_believed: false,
        })
    }

    /// Reports if it is for these.
    #[must_use]
    pub fn is_for(&self, spectra: &Spectra) -> bool {
        self.spectra == *spectra
    }

    /// Reports if another can be started, or all blocks taken.
    #[must_use]
    pub const fn is_free(&self) -> bool {
        !self.under_way[self.next as usize]
    }

    /// Lets `held` take the power of all blocks of `samples`; not on an error. Returns the time on
    /// the QPUs in microseconds. [`Self::is_free`] has to be true.
    ///
    /// # Errors
    /// As [`Plan::run`].
    pub fn take<R: Runner>(
        &mut self,
        runner: &mut R,
        samples: &[u32],
        held: &mut [f64],
        limit_us: u32,
    ) -> Result<u32, Error<R::Error>> {
        let set = self.take_set();
        self.copy(set, runner, samples)?;
        let plan = self.of(set);
        let report = plan.run(runner, Direction::Forward, limit_us)?;
        self.read(set, runner, held)?;
        Ok(report.elapsed_us)
    }

    /// Starts to make the power of all blocks of `samples`; returns where it will be, and the
    /// report where it is there already. [`Self::is_free`] has to be true.
    ///
    /// # Errors
    /// As [`Plan::start`].
    pub fn start<R: Runner>(
        &mut self,
        runner: &mut R,
        samples: Samples,
        limit_us: u32,
    ) -> Result<(Set, Option<Report>), Error<R::Error>> {
        let set = self.take_set();
        match samples {
            Samples::Copied(words) => self.copy(set, runner, words)?,
            Samples::InPlace(buffer) => self.of(set).set_input(runner, buffer)?,
        }
        let plan = self.of(set);
        let report = plan.start(runner, Direction::Forward, limit_us)?;
        self.under_way[set as usize] = true;
        Ok((set, report))
    }

    /// Lets `held` take the powers of a set that was started and has come to its end.
    ///
    /// # Errors
    /// As [`Runner::read`].
    pub fn finish<R: Runner>(
        &mut self,
        set: Set,
        runner: &mut R,
        held: &mut [f64],
    ) -> Result<(), R::Error> {
        self.abandon(set);
        self.read(set, runner, held)
    }

    /// Gives up the powers of a set that has come to its end.
    pub const fn abandon(&mut self, set: Set) {
        self.under_way[set as usize] = false;
    }

    /// The set that is next, and by turns the other.
    const fn take_set(&mut self) -> Set {
        let set = self.next;
        self.next = match (set, &self.twin) {
            (Set::Own, Some(_)) => Set::Twin,
            _ => Set::Own,
        };
        set
    }

    const fn of(&mut self, set: Set) -> &mut Plan {
        match (set, &mut self.twin) {
            (Set::Twin, Some(twin)) => twin,
            _ => &mut self.plan,
        }
    }

    /// The samples and the powers of a set.
    fn buffers(&self, set: Set) -> [Buffer; 2] {
        let plan = match (set, &self.twin) {
            (Set::Twin, Some(twin)) => twin,
            _ => &self.plan,
        };
        [plan.input(), plan.output()]
    }

    /// Lets a set read samples from its own input, and writes them there.
    fn copy<R: Runner>(
        &mut self,
        set: Set,
        runner: &mut R,
        samples: &[u32],
    ) -> Result<(), Error<R::Error>> {
        let own = self.own[set as usize];
        self.of(set).set_input(runner, own)?;
        self.write(set, runner, samples).map_err(Error::Runner)
    }

    /// Writes the samples of all blocks.
    fn write<R: Runner>(&self, set: Set, runner: &mut R, samples: &[u32]) -> Result<(), R::Error> {
        let Spectra { coding, .. } = self.spectra;
        let [input, _] = self.buffers(set);
        if self.plan.request().hop.is_some() {
            let words = coding.words(self.spectra.samples());
            let samples = &samples[..words.min(samples.len())];
            // Not at once: between two pieces the runner looks if a job has ended.
            let mut pieces = (0..).step_by(WRITE).zip(samples.chunks(WRITE));
            return pieces.try_for_each(|(first, piece)| runner.write(input, first, piece));
        }
        let block_words = coding.words(self.spectra.points());
        let mut words = [0; CHUNK];
        for block in 0..self.spectra.blocks as usize {
            let start = block * self.spectra.hop * coding.bytes();
            for first in (0..block_words).step_by(CHUNK) {
                let words = &mut words[..CHUNK.min(block_words - first)];
                for (index, word) in (first..).zip(&mut *words) {
                    *word = word_at(samples, start + 4 * index);
                }
                runner.write(input, (block * block_words + first) as u32, words)?;
            }
        }
        Ok(())
    }

    /// Powers are the detector's of the blocks, in the order of `held`, from the first row of
    /// sixteen with wanted bins on; of two detectors those of the second are behind those of the
    /// first.
    fn read<R: Runner>(&self, set: Set, runner: &mut R, held: &mut [f64]) -> Result<(), R::Error> {
        let [_, output] = self.buffers(set);
        let powers = blocks(&self.spectra).powers();
        let [start, end] = self.spectra.bins;
        let first_wanted = powers.all_bins()[0] + start as i32;
        let before = (first_wanted - powers.stored_bins()[0]) as u32;
        let bins = self.spectra.coding.domain.bins(self.spectra.points());
        let parts = self.spectra.detector.parts().iter();
        for ((part, detector), held) in (0..).zip(parts).zip(held.chunks_mut(bins)) {
            let held = held.get_mut(start..end).unwrap_or_default();
            let first = before + part * powers.power_bytes() / 4;
            self.read_part(*detector, (output, first), runner, held)?;
        }
        Ok(())
    }

    /// Lets the wanted bins take the powers of one detector; of real samples bin 0 and the last
    /// have half.
    fn read_part<R: Runner>(
        &self,
        detector: Detector,
        (output, before): (Buffer, u32),
        runner: &mut R,
        held: &mut [f64],
    ) -> Result<(), R::Error> {
        let count = f64::from(detector.count(self.spectra.blocks));
        let ends = match self.spectra.coding.domain {
            Domain::Real => [Some(0), Some(self.spectra.points() / 2)],
            Domain::Complex => [None; 2],
        };
        let [start, _] = self.spectra.bins;
        let mut words = [0; READ];
        for (number, held) in held.chunks_mut(READ).enumerate() {
            let first = number * READ;
            let words = &mut words[..held.len()];
            runner.read(output, before + first as u32, words)?;
            let at = |end: usize| {
                end.checked_sub(start + first)
                    .filter(|at| *at < words.len())
            };
            let ends = ends.map(|end| end.and_then(at).map(|at| (at, held[at])));
            let powers = held.iter_mut().zip(&*words);
            let powers = powers.map(|(held, word)| (held, count * number_of(*word)));
            // A loop for each: this is most of what the ARM has to do.
            match detector {
                Detector::Mean | Detector::MeanMax => {
                    powers.for_each(|(held, power)| *held += power)
                }
                Detector::Max | Detector::Min => {
                    powers.for_each(|(held, power)| detector.take(held, power));
                }
            }
            for (at, before) in ends.into_iter().flatten() {
                held[at] = before;
                detector.take(&mut held[at], 2.0 * count * number_of(words[at]));
            }
        }
        Ok(())
    }
}

fn number_of(word: u32) -> f64 {
    f32::from_bits(word).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::qpu::{MAX_LOG2, MIN_LOG2};
    use crate::engine::samples::Coding;
    use qpu_fft::program::Task;
    use qpu_programs::{FFT, firmware};
    use wire::SampleFormat;

    /// The programs of a plan, first to last.
    fn tasks(catalogue: &'static [qpu_fft::program::Program], request: &Request) -> Vec<Task> {
        let plan = Plan::arrangement_of::<()>(catalogue, request);
        let plan = plan.unwrap_or_else(|error| panic!("{request:?}: {error}"));
        plan.passes().map(|pass| pass.program.task).collect()
    }

    /// The request of everything that the instrument can be set to, and a kind of upload.
    fn requests() -> Vec<Request> {
        let mut requests: Vec<_> = (MIN_LOG2..=MAX_LOG2).map(firmware::transform).collect();
        let codings = SampleFormat::UPLOADED.into_iter().flat_map(|format| {
            [Domain::Real, Domain::Complex].map(|domain| Coding::new(format, domain))
        });
        for coding in codings {
            for log2n in MIN_LOG2..=MAX_LOG2 {
                let points = 1 << log2n;
                let is_real = coding.domain == Domain::Real;
                let most = (Blocks::most_samples(is_real, coding.format) >> log2n) as u32;
                for (number, window) in Window::ALL.into_iter().enumerate() {
                    for hop in [1, 2, 3, points / 2, points - 1, points] {
                        for blocks in [1, 2, 3, 4, 5, 10, most].map(|blocks| most.min(blocks)) {
                            let all = coding.domain.bins(points);
                            let spectra = Spectra {
                                log2n,
                                coding,
                                window,
                                hop,
                                blocks,
                                bins: [all / 3 * (blocks as usize % 2), all],
                                detector: Detector::ALL[(number + hop) % Detector::ALL.len()],
                                removes_mean: hop % 2 == 1,
                                manner: Manner::Fastest,
                                split_for: 0,
                            };
                            let blocks = super::blocks(&spectra);
                            let removes_everywhere =
                                spectra.removes_mean && window.terms().is_none();
                            let is_alone = spectra.detector.second().is_none();
                            // Others are transformed one by one.
                            let has_plan = log2n > MIN_LOG2 && (is_alone || !removes_everywhere);
                            assert_eq!(blocks.has_plan(), has_plan, "{spectra:?}");
                            requests.extend(blocks.has_plan().then(|| blocks.request()));
                        }
                    }
                }
            }
        }
        requests.dedup();
        requests
    }

    /// If the image lacked a program of a fast split, a plan would take another split unnoticed.
    #[test]
    fn the_image_holds_the_programs_of_all_plans_and_no_others() {
        let mut used = std::collections::HashSet::new();
        for request in requests() {
            let (wanted, taken) = (tasks(FFT, &request), tasks(FIRMWARE, &request));
            used.extend(
                firmware::conservative(&request)
                    .iter()
                    .flat_map(|it| tasks(FIRMWARE, it)),
            );
            assert_eq!(taken, wanted, "{request:?}");
            used.extend(taken);
        }
        for program in FIRMWARE {
            assert!(used.contains(&program.task), "no plan has {}", program.task);
        }
        assert!(FIRMWARE.len() < FFT.len());
    }
}
