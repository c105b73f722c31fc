//! Writes what programs read: code, lists of uniforms, vectors and tables, pass by pass.

use super::Direction;
use super::geometry::Geometry;
use super::memory::{Arrangement, PassMemory, VECTOR};
use super::program::{Lanes, Record};
use super::request::Request;
use super::streams::address;
use super::tables::gain;
use super::values::{Own, Places};
use crate::job::{Buffer, Runner};

/// Words that are put together before they are written.
const CHUNK: usize = 128;

/// What the lists of a plan are made from.
#[derive(Clone, Copy, Debug)]
pub struct Lists {
    pub arrangement: Arrangement,
    pub request: Request,
    pub input: Buffer,
    pub output: Buffer,
    /// Where they are written.
    pub block: Buffer,
}

impl Lists {
    /// Where the buffers of a pass are.
    fn places(&self, pass: &PassMemory) -> Places {
        let (base, streamed) = (self.block.addr.0, pass.streamed);
        let buffers = [self.input, self.output, self.block].map(|buffer| buffer.addr.0);
        Places {
            from: address(
                self.arrangement.address(pass.step.from, buffers),
                streamed.reads,
            ),
            to: self.arrangement.address(pass.step.to, buffers),
            table: address(base + pass.table, streamed.table),
            factors: address(base + pass.factors, streamed.table),
            rows: base + pass.rows,
            scalars: base + pass.scalars,
            turns: base + pass.turns,
        }
    }

    /// What a program's own words are.
    fn own(
        &self,
        number: usize,
        pass: &PassMemory,
        direction: Direction,
        (program, stretch): (u32, u32),
    ) -> Own {
        let base = self.block.addr.0;
        let own_direction = pass.step.direction(direction);
        let is_rest = pass.ends_with_a_rest() && program == pass.programs - 1;
        Own {
            program,
            number: pass.number_of(program),
            programs: pass.programs,
            records: address(
                base + pass.records + pass.records_of(program, stretch),
                pass.streamed.records,
            ),
            units: pass.units_in(program, stretch),
            first_unit: pass.unit_of(program, stretch * pass.stretch),
            batch: pass.step.batch,
            start: base + pass.start_of(program, stretch),
            lanes: Lanes::ALL.map(|lanes| base + pass.lane_vector(lanes, is_rest)),
            code: base + pass.code,
            conjugate: if pass.step.conjugates {
                sign(own_direction)
            } else {
                1.0
            },
            scale: self.scale(pass, direction),
            opens: pass.gate == 0,
            gate: pass.gate,
            next: self
                .arrangement
                .next_in_launch(number)
                .map(|next| [base + next.code, base + next.start_of(program, 0)]),
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
            lost += Geometry::LOSS_OF_A_PRODUCT;
        }
        let factor = (factor * gain(lost)) as f32;
        [factor, factor * sign(pass.step.direction(direction))]
    }

    /// Writes what does not depend on the direction.
    ///
    /// # Errors
    /// The runner's.
    pub fn write<R: Runner>(&self, runner: &mut R) -> Result<(), R::Error> {
        for (number, memory) in self.arrangement.passes().enumerate() {
            let (pass, program) = (&memory.step.pass, memory.program);
            let places = self.places(memory);
            let mut to = Writer::new(runner, self.block);
            to.at(memory.code)?;
            for &word in program.code {
                to.put(word as u32)?;
                to.put((word >> 32) as u32)?;
            }
            for lanes in Lanes::ALL
                .into_iter()
                .filter(|&lanes| lanes != Lanes::Scale)
            {
                for is_rest in [false, true] {
                    let transforms = memory.transforms(is_rest).max(1);
                    to.at(memory.lane_vector(lanes, is_rest))?;
                    to.all(&pass.lane_vector(lanes, transforms, [1.0; 2]))?;
                }
            }
            for (index, stretch) in programs(memory) {
                let own = self.own(number, memory, Direction::Forward, (index, stretch));
                to.at(memory.records + memory.records_of(index, stretch))?;
                let units = memory.units_of(index);
                let first = stretch * memory.stretch;
                for number in first..first + own.units {
                    for &word in program.record {
                        let number = match word {
                            Record::InputAhead | Record::TwiddleAhead => {
                                (number + 1).min(units - 1)
                            }
                            _ => number,
                        };
                        let unit = (memory.unit_of(index, number), memory.step.batch);
                        to.put(pass.record_word(&places, &memory.lists, unit, index, word))?;
                    }
                }
                for &word in program.tail {
                    to.put(own.tail_word(word))?;
                }
            }
            for list in 0..pass.scalar_lists() {
                to.at(memory.scalars + list * memory.lists.scalars)?;
                for &word in program.scalars {
                    to.put(pass.scalar_word(list, word))?;
                }
            }
            let lost = pass.loss() + self.arrangement.loss_after(number);
            pass.fill_table(gain(lost), |first, words| {
                to.at(memory.table + 4 * first)?;
                to.all(words)
            })?;
            to.flush()?;
            self.write_rows(runner, memory)?;
        }
        if self.request.windowed {
            self.write_factors(runner, |_| 1.0, Direction::Forward)?;
        }
        Ok(())
    }

    /// Writes the factors on samples: a window, which a pass that has none asks for number 0 of.
    ///
    /// # Errors
    /// The runner's.
    pub fn write_factors<R: Runner>(
        &self,
        runner: &mut R,
        mut window: impl FnMut(u32) -> f64,
        direction: Direction,
    ) -> Result<(), R::Error> {
        for memory in self.arrangement.passes() {
            let mut to = Writer::new(runner, self.block);
            let is_inverse = direction == Direction::Inverse;
            let pass = &memory.step.pass;
            pass.fill_factors(&mut window, is_inverse, |first, words| {
                to.at(memory.factors + 4 * first)?;
                to.all(words)
            })?;
            to.flush()?;
        }
        Ok(())
    }

    /// Writes the row lists of a pass, and the vectors that they name.
    ///
    /// # Errors
    /// The runner's.
    pub fn write_rows<R: Runner>(
        &self,
        runner: &mut R,
        memory: &PassMemory,
    ) -> Result<(), R::Error> {
        let (pass, program) = (&memory.step.pass, memory.program);
        let places = self.places(memory);
        let mut to = Writer::new(runner, self.block);
        for list in 0..pass.row_lists() {
            to.at(memory.rows + list * memory.lists.rows)?;
            for &word in program.rows {
                to.put(pass.row_word(&places, list, word))?;
            }
        }
        to.at(memory.turns)?;
        for vector in 0..pass.turn_vectors() / VECTOR {
            to.all(&pass.turn_vector(vector))?;
        }
        to.flush()
    }

    /// Writes what does.
    ///
    /// # Errors
    /// The runner's.
    pub fn write_direction<R: Runner>(
        &self,
        runner: &mut R,
        direction: Direction,
    ) -> Result<(), R::Error> {
        for (number, memory) in self.arrangement.passes().enumerate() {
            let pass = &memory.step.pass;
            let places = self.places(memory);
            let mut to = Writer::new(runner, self.block);
            let scale = self.scale(memory, direction);
            for is_rest in [false, true] {
                to.at(memory.lane_vector(Lanes::Scale, is_rest))?;
                to.all(&pass.lane_vector(Lanes::Scale, 1, scale))?;
            }
            for (program, stretch) in programs(memory) {
                let own = self.own(number, memory, direction, (program, stretch));
                to.at(memory.start_of(program, stretch))?;
                for &word in memory.program.start {
                    to.put(pass.start_word(&places, &own, word))?;
                }
            }
            to.flush()?;
        }
        if !self.request.windowed {
            self.write_factors(runner, |_| 1.0, direction)?;
        }
        Ok(())
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
