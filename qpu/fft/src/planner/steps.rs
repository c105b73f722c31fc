//! The steps of a plan, as a list: each pass, its input, its output.
//!
//! Each kind of transform appends its passes; most begin or end with those of complex transforms
//! ([`Steps::append_complex`]). Scratch areas are numbered; an area that has been read can be used
//! again.
//!
//! Passes run in one launch where that is wanted and right: a QPU must not look up what has been
//! stored since a pass of the same launch looked it up, because caches, which stores do not touch,
//! are cleared between launches only ([`Steps::may_share_a_launch`]).

use crate::Direction;
use crate::kernels::catalogue::Pass;
use crate::kernels::convert::ConvertPass;
use crate::kernels::layout::Layout;
use crate::kernels::samples::Reading;
use crate::kernels::sizes::POINT_BYTES;
use crate::kernels::spectral::power::{PowerPass, Powers};
use crate::kernels::spectral::product::ProductPass;
use crate::kernels::spectral::real_split::{MARGIN, RealPass};
use crate::kernels::unit::Geometry;
use crate::kernels::unit::geometry::scratch_bytes;
use crate::split::{Role, Split};

/// Most passes of a plan.
pub const MAX_STEPS: usize = 12;
/// Most launches of a plan: as many as a board takes from a host at a time.
pub const MAX_LAUNCHES: usize = 16;
/// Most scratch areas of a plan.
pub const MAX_AREAS: usize = 3;

/// Memory that passes read and write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Area {
    /// The caller's input.
    Input,
    /// The caller's output.
    Output,
    /// A scratch area of the plan.
    Scratch(u8),
}

impl Area {
    /// True if it is, or may be, the same memory: input and output may be one buffer.
    #[must_use]
    pub fn may_be(self, other: Self) -> bool {
        let of_caller = |area| matches!(area, Self::Input | Self::Output);
        self == other || of_caller(self) && of_caller(other)
    }
}

/// A pass, and what the list says of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The pass.
    pub pass: Pass,
    /// The number of transforms that it does.
    pub batch: u32,
    /// The area that it reads.
    pub from: Area,
    /// The area that it writes.
    pub to: Area,
    /// True if the inverse negates the imaginary parts of what it reads. Set for the first pass
    /// that can.
    pub conjugates: bool,
    /// True if it multiplies by the factor of the direction, and for the inverse negates imaginary
    /// parts. Set for the last pass that can.
    pub scales: bool,
    /// True if it belongs to a transform back: of the direction that the plan does not have.
    pub reverses: bool,
}

impl Step {
    /// A pass that neither conjugates nor scales, of a transform in the plan's direction.
    #[must_use]
    pub const fn new(pass: Pass, batch: u32, from: Area, to: Area) -> Self {
        Self {
            pass,
            batch,
            from,
            to,
            conjugates: false,
            scales: false,
            reverses: false,
        }
    }

    /// The direction of the transform that it belongs to, in a plan that runs in `direction`.
    #[must_use]
    pub const fn direction(&self, direction: Direction) -> Direction {
        match (self.reverses, direction) {
            (false, direction) => direction,
            (true, Direction::Forward) => Direction::Inverse,
            (true, Direction::Inverse) => Direction::Forward,
        }
    }
}

/// The passes of a plan, and how large its scratch areas are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Steps {
    steps: [Option<Step>; MAX_STEPS],
    /// Bytes of each scratch area.
    pub areas: [u64; MAX_AREAS],
}

impl Steps {
    /// Appends the passes of `batch` complex transforms, cells between them in two areas in turn:
    /// the fourth pass reads from where the second has read. The first conjugates and the last
    /// scales.
    pub fn append_complex(
        &mut self,
        split: &Split,
        batch: u32,
        from: Area,
        to: Area,
        cells: [u8; 2],
    ) {
        if let Some(pass) = Pass::of(split) {
            return self.push(Step {
                conjugates: true,
                scales: true,
                ..Step::new(pass, batch, from, to)
            });
        }
        let passes = (0..split.passes()).map(|number| Geometry::new(split, number));
        self.append(passes, batch, from, to, cells);
    }

    /// Appends passes that read each other's cells.
    pub(super) fn append(
        &mut self,
        passes: impl ExactSizeIterator<Item = Geometry>,
        batch: u32,
        from: Area,
        to: Area,
        cells: [u8; 2],
    ) {
        let last = passes.len() - 1;
        let mut read = from;
        for (number, geometry) in passes.enumerate() {
            let written = if number == last {
                to
            } else {
                let bytes = scratch_bytes(geometry.units(batch));
                self.area(cells[number % 2], bytes.into())
            };
            self.push(Step {
                conjugates: number == 0,
                scales: number == last,
                ..Step::new(Pass::Points(geometry), batch, read, written)
            });
            read = written;
        }
    }

    /// The last pass neither scales nor conjugates.
    pub(super) fn leave_unscaled(&mut self) {
        if let Some(step) = self.steps.iter_mut().flatten().last() {
            step.scales = false;
        }
    }

    /// Appends the passes from the caller's real points to bins, split by `split`, which is that of
    /// half the length.
    pub fn append_real_to_bins(&mut self, split: &Split, batch: u32, to: Area) {
        let half = self.append_spectra(split, batch);
        let pass = Pass::Real(RealPass::new(split.log2_points(), true, batch));
        self.push(Step {
            // What is stored last is scaled.
            scales: true,
            ..Step::new(pass, batch, half, to)
        });
    }

    /// Appends the inverse: the passes from bins to the caller's real points.
    pub fn append_bins_to_real(&mut self, split: &Split, batch: u32, from: Area) {
        let half = self.transforms(split, batch);
        let pass = Pass::Real(RealPass::new(split.log2_points(), false, batch));
        self.push(Step::new(pass, batch, from, half));
        self.append_complex(split, batch, half, Area::Output, [0, 1]);
    }

    /// Appends the circular convolutions of signals with `kernels` kernels behind them: transforms
    /// of all, products, and back.
    pub fn append_convolution(&mut self, split: &Split, product: ProductPass, kernels: u32) {
        let batch = product.signals;
        let all = batch + kernels;
        let [spectra, products] = if product.is_real { [0, 1] } else { [2, 0] };
        let from = self.area(spectra, product.bytes(all));
        let to = self.area(products, product.bytes(batch));
        if product.is_real {
            self.append_real_to_bins(split, all, from);
        } else {
            self.append_complex(split, all, Area::Input, from, [0, 1]);
        }
        self.leave_unscaled();
        self.push(Step::new(Pass::Product(product), batch, from, to));
        let there = self.count();
        if product.is_real {
            self.append_bins_to_real(split, batch, to);
        } else {
            self.append_complex(split, batch, to, Area::Output, [1, 0]);
        }
        for step in self.steps.iter_mut().flatten().skip(there) {
            step.reverses = true;
        }
    }

    /// Appends the passes of `batch` rows of powers, the spectra of which are split by `split`.
    pub fn append_powers(&mut self, split: &Split, batch: u32, powers: Powers) {
        let spectra = self.append_spectra(split, batch * powers.segments);
        let pass = Pass::Power(PowerPass::new(powers));
        self.push(Step::new(pass, batch, spectra, Area::Output));
    }

    /// Appends the unscaled transforms of the caller's input to a scratch area, which it returns.
    fn append_spectra(&mut self, split: &Split, batch: u32) -> Area {
        let to = self.transforms(split, batch);
        self.append_complex(split, batch, Area::Input, to, [0, 1]);
        self.leave_unscaled();
        to
    }

    /// Scratch area 2, which holds `batch` transforms, and what is read behind them.
    fn transforms(&mut self, split: &Split, batch: u32) -> Area {
        let bytes = u64::from(POINT_BYTES) << split.log2_points();
        self.area(2, u64::from(batch) * bytes + u64::from(MARGIN))
    }

    /// Appends a pass.
    ///
    /// # Panics
    /// When there are [`MAX_STEPS`] already: lists are made by this crate, and none has as many.
    pub fn push(&mut self, step: Step) {
        let free = self.steps.iter_mut().find(|step| step.is_none());
        *free.expect("lists are shorter") = Some(step);
    }

    /// The list for passes that read something else than complex points of the caller's input.
    /// Transforms in one pass get a pass before them that makes such points of it, and so do all of
    /// some samples ([`Samples::is_converted_apart`]).
    ///
    /// [`Samples::is_converted_apart`]: crate::kernels::program::Samples::is_converted_apart
    #[must_use]
    pub fn reading(mut self, reading: Reading) -> Self {
        let mut all = Self {
            areas: self.areas,
            ..Self::default()
        };
        let is_real = self.iter().any(|step| matches!(step.pass, Pass::Real(_)));
        let is_apart = reading.samples().is_converted_apart();
        for step in self.steps.iter_mut().flatten() {
            if step.from == Area::Input {
                let log2_points = match step.pass {
                    Pass::Points(geometry) if geometry.role() == Role::Single || is_apart => {
                        Some(geometry.points().trailing_zeros())
                    }
                    pass => pass.layout().one_pass().map(|one| one.log2_points()),
                };
                if let Some(log2_points) = log2_points {
                    let pass = ConvertPass::new(log2_points, step.batch, is_real, reading);
                    // First passes store cells in area 0.
                    let area = u8::from(step.to == Area::Scratch(0));
                    let [_, bytes] = pass.traffic(step.batch);
                    let points = all.area(area, bytes);
                    let pass = Pass::Convert(pass);
                    all.push(Step::new(pass, step.batch, Area::Input, points));
                    step.from = points;
                } else {
                    step.pass = step.pass.reads(reading);
                }
            }
            all.push(*step);
        }
        all
    }

    /// Scratch area `number`, which must hold `bytes` at least.
    ///
    /// # Panics
    /// When there is no such area.
    pub fn area(&mut self, number: u8, bytes: u64) -> Area {
        let area = &mut self.areas[usize::from(number)];
        *area = bytes.max(*area);
        Area::Scratch(number)
    }

    /// The passes, first to last.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Step> + Clone {
        self.steps.iter().flatten()
    }

    /// The number of passes.
    #[must_use]
    pub fn count(&self) -> usize {
        self.iter().count()
    }

    /// True if pass number `last` may run in the launch that begins with pass number `first`:
    /// nothing that it reads has been written since one of them read it.
    #[must_use]
    pub fn may_share_a_launch(&self, first: usize, last: usize) -> bool {
        let Some(Some(step)) = self.steps.get(last) else {
            return false;
        };
        let before = self.iter().take(last).skip(first);
        let mut reads = before.clone().enumerate();
        !reads.any(|(number, reader)| {
            let mut writers = before.clone().skip(number);
            reader.from.may_be(step.from) && writers.any(|writer| writer.to.may_be(step.from))
        })
    }
}
