//! What a plan keeps in memory beside the caller's buffers, and where.
//!
//! One block, taken from the runner at once: so the size is known before anything is taken, and a
//! plan that does not fit leaves nothing behind. It holds, for each pass, code, lists of uniforms,
//! vectors of lanes and the table of twiddles, then the cells between passes. A fourth pass reads
//! from where the second read: what lies there has been used by then.

use super::geometry::{Geometry, block_offset};
use super::program::{Kind, Program};
use super::request::{Error, Request};
use super::split::{MAX_LOG2_POINTS, MAX_PASSES, MIN_LOG2_POINTS, Split};
use super::values::Lists;
use crate::job::QPUS;

/// Bytes after code and uniforms that V3D may fetch ahead.
const PREFETCH_BYTES: u32 = 128;
/// Every part of the block begins at a multiple of this many bytes.
const ALIGN: u64 = 64;
/// Bytes of a vector of sixteen words.
pub const VECTOR: u32 = 64;
/// Lane vectors of a pass: input, input of the last unit, twiddle, scale.
pub const LANE_VECTORS: u32 = 4;
/// Greatest address range that a plan can have.
const ADDRESSABLE: u64 = 1 << 30;

/// A pass, its program, and where what belongs to it begins in the block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PassMemory {
    /// Its geometry.
    pub geometry: Geometry,
    /// Its program.
    pub program: &'static Program,
    /// Programs that run at the same time.
    pub programs: u32,
    /// Distances of lists.
    pub lists: Lists,
    /// Bytes of a start list; there is one for each program.
    pub start_bytes: u32,
    /// The code.
    pub code: u32,
    /// The start lists.
    pub starts: u32,
    /// The lane vectors.
    pub lanes: u32,
    /// The records.
    pub records: u32,
    /// The row lists.
    pub rows: u32,
    /// The scalar lists.
    pub scalars: u32,
    /// The vectors of turns.
    pub turns: u32,
    /// The table of twiddles.
    pub table: u32,
    /// The cells that the pass writes; none after the last.
    pub cells: u32,
}

/// Bytes of a record.
const fn record_bytes(program: &Program) -> u64 {
    4 * program.record.len() as u64
}

/// Bytes of a tail, with what is fetched ahead.
const fn tail_bytes(program: &Program) -> u64 {
    4 * program.tail.len() as u64 + 8
}

impl PassMemory {
    /// Units of all programs.
    #[must_use]
    pub const fn units(&self, batch: u32) -> u32 {
        self.geometry.units(batch)
    }

    /// Whether the last unit has fewer transforms than the others. It has a program of its own then,
    /// because lanes are the program's.
    #[must_use]
    pub const fn ends_with_a_rest(&self, batch: u32) -> bool {
        !batch.is_multiple_of(self.geometry.transforms_per_unit())
    }

    /// Units of a program.
    #[must_use]
    pub const fn units_of(&self, batch: u32, program: u32) -> u32 {
        let rest = self.ends_with_a_rest(batch) as u32;
        if rest == 1 && program == self.programs - 1 {
            return 1;
        }
        let (units, programs) = (self.units(batch) - rest, self.programs - rest);
        units / programs + (program < units % programs) as u32
    }

    /// Unit number `number` of a program.
    #[must_use]
    pub const fn unit_of(&self, batch: u32, program: u32, number: u32) -> u32 {
        let rest = self.ends_with_a_rest(batch) as u32;
        if rest == 1 && program == self.programs - 1 {
            return self.units(batch) - 1;
        }
        program + number * (self.programs - rest)
    }

    /// Bytes from the first record of all to the first of a program.
    #[must_use]
    pub fn records_of(&self, batch: u32, program: u32) -> u32 {
        let before: u32 = (0..program)
            .map(|program| self.units_of(batch, program))
            .sum();
        (u64::from(before) * record_bytes(self.program)
            + u64::from(program) * tail_bytes(self.program)) as u32
    }
}

/// What a plan needs beside input and output.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Memory {
    /// Bytes of programs and uniforms.
    pub programs: u32,
    /// Bytes of tables of twiddles.
    pub tables: u32,
    /// Bytes of scratch memory: cells between passes.
    pub scratch: u32,
}

impl Memory {
    /// Bytes of all of it.
    #[must_use]
    pub const fn total(&self) -> u32 {
        self.programs + self.tables + self.scratch
    }
}

/// Everything of a plan but the addresses of its buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrangement {
    split: Split,
    passes: [Option<PassMemory>; MAX_PASSES],
    memory: Memory,
}

impl Arrangement {
    /// Places the passes of `split`.
    ///
    /// # Errors
    /// What is wrong with the request, or that there is no program for a pass.
    pub fn new<E>(
        catalogue: &'static [Program],
        request: &Request,
        split: Split,
    ) -> Result<Self, Error<E>> {
        if !(MIN_LOG2_POINTS..=MAX_LOG2_POINTS).contains(&request.log2_points) {
            return Err(Error::Length(request.log2_points));
        }
        if request.batch == 0 {
            return Err(Error::EmptyBatch);
        }
        if !(2..=QPUS).contains(&request.qpus) {
            return Err(Error::Qpus(request.qpus));
        }
        if split.log2_points() != request.log2_points {
            return Err(Error::Split(split));
        }
        // Scratch memory is at most twice the data and a few per cent: sums below fit u32.
        if request.bytes() > ADDRESSABLE {
            return Err(Error::TooLarge(request.bytes()));
        }
        let mut end = 0u64;
        let mut take = |bytes: u64| {
            let start = end;
            end = (end + bytes).next_multiple_of(ALIGN);
            start as u32
        };
        let mut passes = [None; MAX_PASSES];
        for (number, pass) in passes.iter_mut().enumerate().take(split.passes()) {
            let geometry = Geometry::new(&split, number);
            let kind = Kind {
                role: geometry.role(),
                radix: geometry.radix() as u16,
            };
            let program = catalogue
                .iter()
                .find(|program| program.kind == kind)
                .ok_or(Error::Program(kind))?;
            let units = geometry.units(request.batch);
            let list = |words: usize| (4 * words as u32 + 8).next_multiple_of(VECTOR);
            let lists = Lists {
                rows: list(program.rows.len()),
                scalars: list(program.scalars.len()),
            };
            let start_bytes = list(program.start.len());
            let programs = units.min(request.qpus.into());
            *pass = Some(PassMemory {
                geometry,
                program,
                programs,
                lists,
                start_bytes,
                code: take(8 * program.code.len() as u64 + u64::from(PREFETCH_BYTES)),
                starts: take(u64::from(programs * start_bytes + PREFETCH_BYTES)),
                lanes: take(u64::from(LANE_VECTORS * VECTOR)),
                records: take(
                    u64::from(units) * record_bytes(program)
                        + u64::from(programs) * tail_bytes(program)
                        + u64::from(PREFETCH_BYTES),
                ),
                rows: take(u64::from(geometry.parts() * lists.rows + PREFETCH_BYTES)),
                scalars: take(u64::from(
                    geometry.scalar_lists() * lists.scalars + PREFETCH_BYTES,
                )),
                turns: take(u64::from(geometry.turn_vectors())),
                table: 0,
                cells: 0,
            });
        }
        let lists_end = take(0);
        for pass in passes.iter_mut().flatten() {
            pass.table = take(pass.geometry.table_bytes().into());
        }
        let tables_end = take(0);
        for number in 1..split.passes() {
            let cells = match number.checked_sub(3).and_then(|before| passes[before]) {
                Some(before) => before.cells,
                None => take(u64::from(block_offset(
                    request.batch << (request.log2_points - 8),
                ))),
            };
            if let Some(pass) = &mut passes[number - 1] {
                pass.cells = cells;
            }
        }
        if end + 2 * request.bytes() > ADDRESSABLE {
            return Err(Error::TooLarge(end + 2 * request.bytes()));
        }
        Ok(Self {
            split,
            passes,
            memory: Memory {
                programs: lists_end,
                tables: tables_end - lists_end,
                scratch: end as u32 - tables_end,
            },
        })
    }

    /// How the length is split.
    #[must_use]
    pub const fn split(&self) -> Split {
        self.split
    }

    /// What it needs.
    #[must_use]
    pub const fn memory(&self) -> Memory {
        self.memory
    }

    /// The passes, first to last.
    pub fn passes(&self) -> impl Iterator<Item = &PassMemory> {
        self.passes.iter().flatten()
    }
}
