//! The plan of the QPUs for a request: passes, traffic and memory.
//!
//! All of it follows from the planner that ships ([`qpu_fft::Plan`]) and its programs, without a
//! run. [`cost`] has the clocks that the simulator took, from committed tables. So nothing here was
//! measured on a board.

pub mod bound;
pub mod cost;
mod pass;
pub mod words;

pub use pass::PassLine;

use qpu_fft::kernels::layout::OnePass;
use qpu_fft::planner::memory::Arrangement;
use qpu_fft::request::{Error, Request, Transform};
use qpu_fft::samples::Format;
use qpu_fft::{Direction, Plan};
use qpu_programs::FFT;

pub use qpu_fft::planner::BOARD_BYTES;

/// A request and what the planner makes of it.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The request.
    pub request: Request,
    /// Its passes and memory.
    pub arrangement: Arrangement,
}

impl Planned {
    /// The plan of a request.
    ///
    /// # Errors
    /// An error of the request.
    pub fn new(request: Request) -> Result<Self, Error<()>> {
        let arrangement = Plan::arrangement_of(FFT, &request)?;
        Ok(Self {
            request,
            arrangement,
        })
    }

    /// Points of the whole batch.
    #[must_use]
    pub fn points(&self) -> u64 {
        let transform = &self.request.transform;
        let transforms = u64::from(self.request.batch) * u64::from(transform.segments());
        transforms << transform.log2_points()
    }

    /// The request in words.
    #[must_use]
    pub fn title(&self, direction: Direction) -> String {
        let batch = self.request.batch;
        let (s, each) = if batch == 1 { ("", "") } else { ("s", " each") };
        let direction = match direction {
            Direction::Forward => "forward",
            Direction::Inverse => "inverse",
        };
        let samples = match self.request.samples {
            Format::F32 => String::new(),
            format => format!(" in {format}"),
        };
        let window = if self.request.windowed {
            ", times a window"
        } else {
            ""
        };
        let n = 1u64 << self.request.transform.log2_points();
        match self.request.transform {
            Transform::Plane {
                log2_rows,
                log2_columns,
            } => {
                let [rows, columns] = [log2_rows, log2_columns].map(|log2| 1u64 << log2);
                format!(
                    "{batch} {direction} transform{s} of planes, {rows} rows of {columns} points{each}"
                )
            }
            Transform::Powers(powers) => {
                let kind = if powers.is_real { "real" } else { "complex" };
                let segments = powers.segments;
                format!(
                    "{batch} power spectr{} of {segments} x {n} {kind} samples{samples}{window}{each}",
                    if batch == 1 { "um" } else { "a" }
                )
            }
            Transform::RealToBins { .. } | Transform::BinsToReal { .. } => {
                format!(
                    "{batch} {direction} transform{s} of {n} real points{samples}{window}{each}"
                )
            }
            _ => format!("{batch} {direction} transform{s} of {n} points{samples}{window}{each}"),
        }
    }

    /// The passes over memory, first pass first.
    pub fn passes(&self) -> impl Iterator<Item = PassLine> {
        self.arrangement.passes().map(PassLine::of)
    }

    /// The sentences below the passes: steps of a shared pass, marks behind radices, QPUs left out,
    /// launches.
    #[must_use]
    pub fn explanations(&self) -> Vec<String> {
        let mut passes = self.arrangement.passes();
        let one = passes.find_map(|pass| pass.layout().one_pass());
        let steps = one.map(|one: &dyn OnePass| words::steps(one));
        let marks = words::marks(&self.arrangement.split);
        let left_out = self.passes().filter(|pass| pass.left_out > 0).map(|pass| {
            format!(
                "the {} pass leaves {} QPUs out, so that fewer share their caches",
                pass.name, pass.left_out
            )
        });
        let launches = self.passes().filter(|pass| pass.launches > 1).map(|pass| {
            format!(
                "the {} pass is done in {} launches, so that programs that read the same rows stay together",
                pass.name, pass.launches
            )
        });
        let lines = steps.into_iter().chain(marks);
        lines.chain(left_out).chain(launches).collect()
    }

    /// The memory in sentences.
    #[must_use]
    pub fn memory(&self) -> Vec<String> {
        let (request, memory) = (&self.request, self.arrangement.memory);
        let mut lines = vec![
            format!(
                "memory beside input and output: {} bytes (programs and lists {}, twiddles {}, between passes {})",
                memory.total(),
                memory.programs,
                memory.tables,
                memory.scratch,
            ),
            format!(
                "input {} bytes, output {} bytes; {}",
                request.input_bytes(),
                request.output_bytes(),
                if request.may_be_in_place() {
                    "they may be the same"
                } else {
                    "not the same memory"
                },
            ),
        ];
        let needed = self.needed_bytes();
        if needed > BOARD_BYTES {
            lines.push(format!(
                "together {needed} bytes: a board has {BOARD_BYTES} for the QPUs, take a smaller batch or shorter transforms"
            ));
        }
        lines
    }

    /// Bytes of everything, in place where that may be.
    #[must_use]
    pub fn needed_bytes(&self) -> u64 {
        let request = &self.request;
        let [input, output] = [request.input_bytes(), request.output_bytes()];
        let buffers = if request.may_be_in_place() {
            input.max(output)
        } else {
            input + output
        };
        u64::from(self.arrangement.memory.total()) + buffers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_has_passes_that_multiply_to_it() {
        for log2_points in 4..=22 {
            let planned = Planned::new(Request::new(log2_points, 1)).expect("a plan");
            let radices = planned.passes().filter_map(|pass| pass.radix);
            assert_eq!(radices.product::<u32>(), 1 << log2_points);
            let bytes = 8u64 << log2_points;
            for pass in planned.passes() {
                assert!(pass.read_bytes >= bytes && pass.written_bytes >= bytes);
                assert!(pass.units > 0 && pass.programs > 0 && pass.instructions > 0);
            }
            assert!(planned.needed_bytes() < BOARD_BYTES);
            assert_eq!(planned.memory().len(), 2);
        }
    }

    #[test]
    fn what_fits_no_board_says_so() {
        let planned = Planned::new(Request::new(22, 7)).expect("a plan");
        let memory = planned.memory();
        assert!(memory[2].contains("take a smaller batch"), "{memory:?}");
    }
}
