//! Writes what programs read: code, lists of uniforms, vectors and tables, pass by pass.

use super::memory::{Arrangement, PassMemory, pitch};
use super::request::Request;
use super::steps::Area;
use super::streams::address;
use crate::Direction;
use crate::kernels::context::{Buffers, ProgramContext, UnitContext};
use crate::kernels::layout::Layout;
use crate::kernels::program::{Lanes, Record, Start};
use crate::kernels::truncation::{LOSS_OF_A_PRODUCT, gain};
use qpu::job::{Buffer, Runner};
use qpu::machine::VECTOR_BYTES;
use qpu::vpm::Block;

/// Words that are put together before they are written.
const CHUNK: usize = 128;

/// Inputs from which the lists of a plan are made.
#[derive(Clone, Copy, Debug)]
pub struct Lists {
    pub arrangement: Arrangement,
    pub request: Request,
    pub input: Buffer,
    pub output: Buffer,
    /// The buffer with code, tables and cells.
    pub block: Buffer,
    /// The buffer that the lists are written to: the same, but for a twin.
    pub buffer: Buffer,
}

impl Lists {
    /// True for lists beside those of another plan, whose code, tables and cells they use.
    fn is_twin(&self) -> bool {
        self.buffer != self.block
    }

    /// The buffers of a pass.
    fn buffers(&self, pass: &PassMemory) -> Buffers {
        let (base, lists) = (self.block.addr.0, self.buffer.addr.0);
        let [reads, table, _] = pass.streamed;
        let buffers = [self.input, self.output, self.block].map(|buffer| buffer.addr.0);
        Buffers {
            from: address(self.arrangement.address(pass.step.from, buffers), reads),
            to: self.arrangement.address(pass.step.to, buffers),
            table: address(base + pass.table, table),
            factors: address(base + pass.factors, table),
            rows: lists + pass.rows,
            row_pitch: pitch(pass.program.rows),
            scalars: lists + pass.scalars,
            scalar_pitch: pitch(pass.program.scalars),
            vectors: lists + pass.vectors,
        }
    }

    /// The context of a program.
    fn program(
        &self,
        number: usize,
        pass: &PassMemory,
        direction: Direction,
        (program, stretch): (u32, u32),
    ) -> ProgramContext {
        let (base, lists) = (self.block.addr.0, self.buffer.addr.0);
        let own_direction = pass.step.direction(direction);
        let is_rest = pass.ends_with_a_rest() && program == pass.programs - 1;
        let records = lists + pass.records + pass.records_of(program, stretch);
        let [_, _, is_streamed] = pass.streamed;
        ProgramContext {
            program,
            number: pass.number_of(program),
            programs: pass.programs,
            records: address(records, is_streamed),
            units: pass.units_in(program, stretch),
            first_unit: pass.unit_of(program, stretch * pass.stretch),
            batch: pass.step.batch,
            start: lists + pass.start_of(program, stretch),
            lanes: Lanes::ALL.map(|lanes| lists + pass.lane_vector(lanes, is_rest)),
            code: base + pass.code,
            conjugate: if pass.step.conjugates {
                sign(own_direction)
            } else {
                1.0
            },
            scale: self.scale(pass, direction),
            gate: pass.gate,
            next: self
                .arrangement
                .pass(number + 1)
                .filter(|next| next.gate > 0)
                .map(|next| [base + next.code, lists + next.start_of(program, 0)]),
        }
    }

    /// Factors of real and imaginary parts of the output of a pass.
    fn scale(&self, pass: &PassMemory, direction: Direction) -> [f32; 2] {
        if !pass.step.scales {
            return [1.0; 2];
        }
        let factor = self.request.factor(direction);
        let (mantissa, _) = libm::frexp(factor);
        let mut lost = self.arrangement.loss_before_tables();
        // A product with a power of two is exact.
        if mantissa != 0.5 || lost > 0.0 {
            lost += LOSS_OF_A_PRODUCT;
        }
        let factor = (factor * gain(lost)) as f32;
        [factor, factor * sign(pass.step.direction(direction))]
    }

    /// Writes what does not depend on the direction.
    pub fn write<R: Runner>(&self, runner: &mut R) -> Result<(), R::Error> {
        for (number, memory) in self.arrangement.passes().enumerate() {
            let (pass, program) = (memory.layout(), memory.program);
            let buffers = self.buffers(memory);
            let mut to = Writer::new(runner, self.buffer);
            if !self.is_twin() {
                to.at(memory.code);
                for word in program.code.iter() {
                    to.put(word as u32);
                    to.put((word >> 32) as u32);
                }
            }
            for lanes in Lanes::ALL
                .into_iter()
                .filter(|&lanes| lanes != Lanes::Scale)
            {
                for is_rest in [false, true] {
                    let transforms = memory.transforms(is_rest).max(1);
                    let vector = pass.lane_vector(lanes, transforms, [1.0; 2]);
                    to.put_at(memory.lane_vector(lanes, is_rest), &vector);
                }
            }
            for (index, stretch) in programs(memory) {
                let context = self.program(number, memory, Direction::Forward, (index, stretch));
                to.at(memory.records + memory.records_of(index, stretch));
                let first = stretch * memory.stretch;
                for number in first..first + context.units {
                    let unit = unit_context(memory, index, number);
                    for &word in program.record {
                        to.put(unit.record(pass, &buffers, word));
                    }
                }
                for &word in program.tail {
                    to.put(context.tail(word));
                }
            }
            for list in 0..pass.scalar_lists() {
                to.at(memory.scalars + list * pitch(program.scalars));
                for &word in program.scalars {
                    to.put(pass.scalar(list, word));
                }
            }
            let lost = pass.loss() + self.arrangement.loss_after(number);
            if !self.is_twin() {
                pass.fill_table(gain(lost), &mut |first, words| {
                    to.put_at(memory.table + 4 * first, words);
                });
            }
            to.finish()?;
            self.write_rows(runner, memory)?;
        }
        if self.request.windowed && !self.is_twin() {
            self.write_factors(runner, |_| 1.0, Direction::Forward)?;
        }
        Ok(())
    }

    /// Writes the factors on samples: a window, which a pass that has none asks for number 0 of.
    pub fn write_factors<R: Runner>(
        &self,
        runner: &mut R,
        mut window: impl FnMut(u32) -> f64,
        direction: Direction,
    ) -> Result<(), R::Error> {
        for memory in self.arrangement.passes() {
            let mut to = Writer::new(runner, self.block);
            let is_inverse = direction == Direction::Inverse;
            memory
                .layout()
                .fill_factors(&mut window, is_inverse, &mut |first, words| {
                    to.put_at(memory.factors + 4 * first, words);
                });
            to.finish()?;
        }
        Ok(())
    }

    /// Writes the row lists of a pass, and the vectors that they name.
    pub fn write_rows<R: Runner>(
        &self,
        runner: &mut R,
        memory: &PassMemory,
    ) -> Result<(), R::Error> {
        let (pass, program) = (memory.layout(), memory.program);
        let buffers = self.buffers(memory);
        let mut to = Writer::new(runner, self.buffer);
        for list in 0..pass.row_lists() {
            to.at(memory.rows + list * pitch(program.rows));
            for &word in program.rows {
                to.put(pass.row(&buffers, list, word));
            }
        }
        to.at(memory.vectors);
        for vector in 0..pass.vector_bytes() / VECTOR_BYTES {
            to.all(&pass.vector(vector));
        }
        to.finish()
    }

    /// Moves the words of passes that read the input that differ from those of `before`, whose
    /// input was another. Each holds an address of the input, so it moves as far as that does; and
    /// what a word of the first list holds, that word of all others holds as well.
    pub fn write_input<R: Runner>(
        &self,
        runner: &mut R,
        before: &Self,
        direction: Direction,
    ) -> Result<(), R::Error> {
        let passes = self.arrangement.passes().enumerate();
        for (number, memory) in passes.filter(|(_, memory)| memory.step.from == Area::Input) {
            let (pass, program) = (memory.layout(), memory.program);
            let [old, new] = [before, self].map(|lists| lists.buffers(memory));
            let by = new.from.wrapping_sub(old.from);
            let context = self.program(number, memory, direction, (0, 0));
            let unit = unit_context(memory, 0, 0);
            let moves = |old: u32, new: u32| {
                debug_assert!(new == old || new == old.wrapping_add(by));
                new != old
            };
            let in_start = Marks::of(program.start, |&word| {
                let [old, new] = [&old, &new].map(|it| context.start(pass, it, word));
                moves(old, new)
            });
            let in_record = Marks::of(program.record, |&word| {
                let [old, new] = [&old, &new].map(|it| unit.record(pass, it, word));
                moves(old, new)
            });
            for (index, stretch) in programs(memory) {
                let start = memory.start_of(index, stretch);
                in_start.move_words(runner, self.buffer, (start, 1), by)?;
                let records = memory.records + memory.records_of(index, stretch);
                let units = memory.units_in(index, stretch);
                in_record.move_words(runner, self.buffer, (records, units), by)?;
            }
        }
        Ok(())
    }

    /// Writes what does.
    pub fn write_direction<R: Runner>(
        &self,
        runner: &mut R,
        direction: Direction,
    ) -> Result<(), R::Error> {
        for (number, memory) in self.arrangement.passes().enumerate() {
            let pass = memory.layout();
            let buffers = self.buffers(memory);
            let mut to = Writer::new(runner, self.buffer);
            let scale = self.scale(memory, direction);
            for is_rest in [false, true] {
                let vector = pass.lane_vector(Lanes::Scale, 1, scale);
                to.put_at(memory.lane_vector(Lanes::Scale, is_rest), &vector);
            }
            for (program, stretch) in programs(memory) {
                let context = self.program(number, memory, direction, (program, stretch));
                to.at(memory.start_of(program, stretch));
                for &word in memory.program.start {
                    to.put(context.start(pass, &buffers, word));
                }
            }
            to.finish()?;
        }
        if !self.request.windowed && !self.is_twin() {
            self.write_factors(runner, |_| 1.0, direction)?;
        }
        Ok(())
    }
}

impl ProgramContext {
    /// A word of the start list of a pass.
    #[must_use]
    pub fn start(&self, layout: &dyn Layout, buffers: &Buffers, word: Start) -> u32 {
        match word {
            Start::Lanes(lanes) => self.lanes[lanes.index()],
            Start::Records => self.records,
            Start::Units => self.units,
            Start::Area => self.program % 2,
            Start::StoreStride => layout.store_stride(),
            Start::WriteSetup => {
                let rows = Block::row(layout.own_row(self.program));
                rows.write_setup().unwrap_or(0)
            }
            Start::Conjugate => self.conjugate.to_bits(),
            Start::Scale { component } => {
                let scale = self.scale[usize::from(component)];
                layout.factor(scale).to_bits()
            }
            Start::Opens => (self.gate == 0 && self.program == 0).into(),
            Start::Code => self.code,
            Start::Number => self.number,
            Start::Sharer { bit } => (1.0 - 2.0 * (self.number >> bit & 1) as f32).to_bits(),
            Start::Record(word) => UnitContext {
                index: self.first_unit,
                next: self.first_unit,
                batch: self.batch,
                program: self.program,
            }
            .record(layout, buffers, word),
            Start::Row(id) => layout.row(buffers, layout.row_list(self.first_unit), id),
            Start::Kernel(id) => layout.start(buffers, self, id),
        }
    }
}

impl UnitContext {
    /// A word of the unit's record in a pass.
    #[must_use]
    pub fn record(&self, layout: &dyn Layout, buffers: &Buffers, word: Record) -> u32 {
        match word {
            Record::Rows => buffers.rows + layout.row_list(self.index) * buffers.row_pitch,
            Record::Scalars => {
                buffers.scalars + layout.scalar_list(self.index) * buffers.scalar_pitch
            }
            Record::Store { index } => layout.store(buffers, self, index),
            Record::StoreSetup { index } => layout.store_rows(self, index).setup().unwrap_or(0),
            Record::Kernel(id) => layout.record(buffers, self, id),
        }
    }
}

/// The context of unit `number` of a program.
fn unit_context(memory: &PassMemory, program: u32, number: u32) -> UnitContext {
    let next = (number + 1).min(memory.units_of(program) - 1);
    let [index, next] = [number, next].map(|number| memory.unit_of(program, number));
    UnitContext {
        index,
        next,
        batch: memory.step.batch,
        program,
    }
}

/// All programs of a pass, and of each all stretches.
fn programs(memory: &PassMemory) -> impl Iterator<Item = (u32, u32)> + use<> {
    let stretches = memory.stretches;
    (0..memory.programs)
        .flat_map(move |program| (0..stretches).map(move |stretch| (program, stretch)))
}

/// The sign of imaginary parts at both ends.
const fn sign(direction: Direction) -> f32 {
    match direction {
        Direction::Forward => 1.0,
        Direction::Inverse => -1.0,
    }
}

/// Words of a list that hold an address.
struct Marks {
    /// Words of the list.
    words: usize,
    /// A bit for each that does.
    marked: u64,
}

impl Marks {
    /// The words of a list for which `is_marked` holds.
    fn of<T>(list: &[T], is_marked: impl FnMut(&T) -> bool) -> Self {
        debug_assert!(list.len() <= u64::BITS as usize && list.len() <= CHUNK);
        let marks = list.iter().map(is_marked);
        let marked = (0..)
            .zip(marks)
            .fold(0, |all, (at, is_marked)| all | u64::from(is_marked) << at);
        Self {
            words: list.len(),
            marked,
        }
    }

    /// Adds `by` to these words of lists that follow each other from a byte offset on.
    fn move_words<R: Runner>(
        &self,
        runner: &mut R,
        buffer: Buffer,
        (offset, lists): (u32, u32),
        by: u32,
    ) -> Result<(), R::Error> {
        if self.marked == 0 {
            return Ok(());
        }
        let mut words = [0; CHUNK];
        let at_a_time = CHUNK / self.words;
        for first in (0..lists as usize).step_by(at_a_time) {
            let words = &mut words[..at_a_time.min(lists as usize - first) * self.words];
            let place = offset / 4 + (first * self.words) as u32;
            runner.read(buffer, place, words)?;
            for list in words.chunks_exact_mut(self.words) {
                let mut marked = self.marked;
                while marked != 0 {
                    let word = &mut list[marked.trailing_zeros() as usize];
                    *word = word.wrapping_add(by);
                    marked &= marked - 1;
                }
            }
            runner.write(buffer, place, words)?;
        }
        Ok(())
    }
}

/// Writes words one after the other, many at a time, up to the first error.
struct Writer<'a, R: Runner> {
    runner: &'a mut R,
    buffer: Buffer,
    /// Index of the first word that is not written yet.
    first: u32,
    words: [u32; CHUNK],
    count: usize,
    written: Result<(), R::Error>,
}

impl<'a, R: Runner> Writer<'a, R> {
    fn new(runner: &'a mut R, buffer: Buffer) -> Self {
        Self {
            runner,
            buffer,
            first: 0,
            words: [0; CHUNK],
            count: 0,
            written: Ok(()),
        }
    }

    /// Goes on at a byte offset.
    fn at(&mut self, offset: u32) {
        if offset / 4 != self.first + self.count as u32 {
            self.flush();
            self.first = offset / 4;
        }
    }

    fn put(&mut self, word: u32) {
        self.words[self.count] = word;
        self.count += 1;
        if self.count == CHUNK {
            self.flush();
        }
    }

    fn all(&mut self, words: &[u32]) {
        words.iter().for_each(|&word| self.put(word));
    }

    /// Writes words at a byte offset.
    fn put_at(&mut self, offset: u32, words: &[u32]) {
        self.at(offset);
        self.all(words);
    }

    fn flush(&mut self) {
        if self.count > 0 && self.written.is_ok() {
            let words = &self.words[..self.count];
            self.written = self.runner.write(self.buffer, self.first, words);
        }
        self.first += self.count as u32;
        self.count = 0;
    }

    /// Writes what is left.
    fn finish(mut self) -> Result<(), R::Error> {
        self.flush();
        self.written
    }
}
