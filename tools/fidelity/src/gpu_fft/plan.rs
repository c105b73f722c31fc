//! Layout of a batch of transforms in memory, and its eight programs.
//!
//! One block, page aligned: a page of the host's own, the first buffers of all pairs, the second
//! buffers, code, twiddles, uniforms, and the mailbox message, packed. A buffer is a whole number
//! of pages, and has a page more than its data where these fill theirs, because programs read
//! ahead.

use super::lengths::Length;
use super::twiddles::{Table, VECTOR_BYTES};
use super::{Error, LIMIT_CLOCKS, QPUS};
use crate::machine::{Machine, Run};
use crate::userland::{Release, Userland};
use v3d_sim::Config;

const HEADER_BYTES: u32 = 4096;
const POINT_BYTES: u32 = 8;

/// Up to this many points in a batch the ARM writes V3D's registers and polls; more go by mailbox.
const DIRECT_POINTS: u64 = 5 << 12;

/// Sign of the exponent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Direction {
    /// exp(-j...).
    Forward,
    /// exp(+j...), unscaled; what the author's test measures.
    Inverse,
}

impl Direction {
    /// -1 or 1.
    #[must_use]
    pub const fn sign(self) -> f64 {
        match self {
            Self::Forward => -1.0,
            Self::Inverse => 1.0,
        }
    }
}

/// The way in which the programs are started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaunchPath {
    /// By the ARM, which then polls.
    Direct,
    /// By the firmware, which the ARM asks by mailbox.
    Mailbox,
}

/// The contents of a batch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Shape {
    /// The release of the shader.
    pub release: Release,
    /// log2 of the number of points.
    pub log2n: u32,
    /// Transforms.
    pub jobs: u32,
    /// Sign of the exponent.
    pub direction: Direction,
}

impl Shape {
    /// The inverse transforms that the author's test makes.
    #[must_use]
    pub const fn inverse(release: Release, log2n: u32, jobs: u32) -> Self {
        Self {
            release,
            log2n,
            jobs,
            direction: Direction::Inverse,
        }
    }

    /// The way in which its programs are started.
    #[must_use]
    pub const fn path(&self) -> LaunchPath {
        if (self.jobs as u64) << self.log2n <= DIRECT_POINTS {
            LaunchPath::Direct
        } else {
            LaunchPath::Mailbox
        }
    }

    /// Bytes of a buffer.
    #[must_use]
    pub const fn buffer_bytes(&self) -> u32 {
        ((POINT_BYTES << self.log2n) | 4095) + 1
    }

    /// The name in an error message.
    #[must_use]
    pub fn name(&self) -> String {
        let direction = match self.direction {
            Direction::Forward => "forward",
            Direction::Inverse => "inverse",
        };
        format!(
            "{} 2^{} {direction} x {}",
            self.release.name(),
            self.log2n,
            self.jobs
        )
    }
}

/// A batch in the memory of a [`Machine`], ready to be executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The shape of the batch.
    pub shape: Shape,
    /// First buffer of the first pair.
    pub input: u32,
    /// Address of the first result.
    pub output: u32,
    /// The mailbox message, or 0 with the direct path, as the transposition program finds it.
    pub message: u32,
    /// Code and uniforms of each QPU.
    programs: Vec<(u32, u32)>,
}

impl Plan {
    /// Bytes of memory that a batch takes.
    ///
    /// # Errors
    /// When there is no such length, or the batch is empty or does not fit the memory of any Pi.
    pub fn bytes(userland: &Userland, shape: Shape) -> Result<u32, Error> {
        let length = length(shape)?;
        let code = userland.shader(shape.release, length.name)?.len() * 4;
        let table = Table::new(length, shape.direction).floats.len() * 4;
        let uniforms = u64::from(QPUS) * uniform_bytes(shape.jobs);
        let bytes = u64::from(HEADER_BYTES)
            + 2 * u64::from(shape.jobs) * u64::from(shape.buffer_bytes())
            + (code + table) as u64
            + uniforms
            + u64::from(8 * QPUS);
        if shape.jobs == 0 || bytes > 1 << 30 {
            return Err(Error::Batch {
                jobs: shape.jobs,
                log2n: shape.log2n,
                bytes,
            });
        }
        Ok(bytes as u32)
    }

    /// A machine with just enough memory for a batch, and the batch.
    ///
    /// # Errors
    /// As [`Plan::bytes`].
    pub fn alone(
        userland: &Userland,
        shape: Shape,
        config: Config,
    ) -> Result<(Machine, Self), Error> {
        let bytes = Self::bytes(userland, shape)?;
        let mut machine = Machine::new(config, bytes.next_multiple_of(4096));
        let plan = Self::prepare(userland, shape, &mut machine)?;
        Ok((machine, plan))
    }

    /// Lays a batch out in memory: code, tables, uniforms and message, in the order of the host
    /// code.
    ///
    /// # Errors
    /// As [`Plan::bytes`].
    pub fn prepare(
        userland: &Userland,
        shape: Shape,
        machine: &mut Machine,
    ) -> Result<Self, Error> {
        let bytes = Self::bytes(userland, shape)?;
        let block = machine.alloc(bytes).ok_or(Error::Batch {
            jobs: shape.jobs,
            log2n: shape.log2n,
            bytes: bytes.into(),
        })?;
        let length = length(shape)?;
        let words = userland.shader(shape.release, length.name)?;
        let table = Table::new(length, shape.direction);

        let input = block + HEADER_BYTES;
        let second = input + shape.jobs * shape.buffer_bytes();
        let code = second + shape.jobs * shape.buffer_bytes();
        let tables = code + 4 * words.len() as u32;
        let mut next = tables + 4 * table.floats.len() as u32;
        machine.store(code, &words);
        machine.store(tables, &table.words());

        let mut programs = Vec::new();
        for qpu in 0..QPUS {
            let own = tables + VECTOR_BYTES * (table.shared + qpu * table.own);
            let mut uniforms = vec![tables, own, qpu];
            for job in 0..shape.jobs {
                let offset = job * shape.buffer_bytes();
                uniforms.extend([input + offset, second + offset]);
            }
            // The end of the list, and what is written to the host interrupt.
            uniforms.extend([0, u32::from(qpu == 0)]);
            machine.store(next, &uniforms);
            programs.push((code, next));
            next += 4 * uniforms.len() as u32;
        }
        let message = match shape.path() {
            LaunchPath::Direct => 0,
            LaunchPath::Mailbox => {
                let pairs = programs
                    .iter()
                    .flat_map(|(code, uniforms)| [*uniforms, *code]);
                machine.store(next, &pairs.collect::<Vec<u32>>());
                next
            }
        };
        let in_place = length.passes() % 2 == 0;
        Ok(Self {
            shape,
            input,
            output: if in_place { input } else { second },
            message,
            programs,
        })
    }

    /// Transforms the batch.
    ///
    /// # Errors
    /// When a program faults or does not end.
    pub fn execute(&self, machine: &mut Machine) -> Result<Run, Error> {
        machine
            .run(&self.programs, LIMIT_CLOCKS)
            .map_err(|error| Error::Machine {
                what: self.shape.name(),
                error,
            })
    }

    /// Address of the input of a transform of the batch.
    #[must_use]
    pub const fn input_of(&self, job: u32) -> u32 {
        self.input + job * self.shape.buffer_bytes()
    }

    /// Address of its result.
    #[must_use]
    pub const fn output_of(&self, job: u32) -> u32 {
        self.output + job * self.shape.buffer_bytes()
    }
}

fn length(shape: Shape) -> Result<&'static Length, Error> {
    Length::find(shape.release, shape.log2n).ok_or(Error::Length {
        release: shape.release.name(),
        log2n: shape.log2n,
        largest: Length::largest(shape.release),
    })
}

/// Bytes of the uniforms of one QPU.
fn uniform_bytes(jobs: u32) -> u64 {
    4 * (5 + 2 * u64::from(jobs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_padded_as_the_allocator_pads_them() {
        let bytes = |log2n| Shape::inverse(Release::V3, log2n, 1).buffer_bytes();
        assert_eq!(bytes(8), 4096);
        assert_eq!(bytes(10), 12_288);
        assert_eq!(bytes(12), 36_864);
        assert_eq!(bytes(20), 8_392_704);
    }

    #[test]
    fn the_mailbox_starts_beyond_five_times_4096_points() {
        let path = |log2n, jobs| Shape::inverse(Release::V3, log2n, jobs).path();
        assert_eq!(path(12, 5), LaunchPath::Direct);
        assert_eq!(path(12, 6), LaunchPath::Mailbox);
        assert_eq!(path(14, 1), LaunchPath::Direct);
        assert_eq!(path(15, 1), LaunchPath::Mailbox);
        assert_eq!(path(11, 10), LaunchPath::Direct);
    }
}
