//! The contribution of a constant to every bin of a windowed spectrum, found by transforming one.

use super::{Direction, Plan};
use crate::kernels::catalogue::Pass;
use crate::kernels::samples::Format;
use crate::kernels::spectral::power::multiples::PARTS;
use crate::planner::request::Error;
use qpu::job::Runner;
use qpu::machine::LANES;

/// Four bytes of samples that are all the same, and not 0.
const fn constant(format: Format) -> u32 {
    match format {
        Format::F32 => 1f32.to_bits(),
        Format::I16 => 0x4000_4000,
        Format::U8 | Format::U8High => 0xffff_ffff,
        Format::I32 => 0x4000_0000,
        Format::I8 => 0x4040_4040,
    }
}

impl Plan {
    /// Finds the multiples of bin 0 that a plan takes from every bin
    /// ([`Removed::Everywhere`](crate::kernels::spectral::power::Removed::Everywhere)), with
    /// the window that is set. To be called whenever one has been set. Other plans have nothing to
    /// learn.
    ///
    /// A constant is transformed in place of the first segment of the input; the output is
    /// undefined then.
    ///
    /// # Errors
    /// [`Error::NoPowers`] for a plan of another kind; [`Error::Window`] when a constant leaves
    /// nothing in bin 0; as [`Plan::run`].
    pub fn learn_window<R: Runner>(
        &mut self,
        runner: &mut R,
        limit_us: u32,
    ) -> Result<(), Error<R::Error>> {
        let memory = self
            .arrangement()
            .passes()
            .find_map(|memory| match memory.step.pass {
                Pass::Power(power) => Some((power, *memory)),
                _ => None,
            });
        let (power, memory) = memory.ok_or(Error::NoPowers)?;
        if power.multiples_bytes() == 0 {
            return Ok(());
        }
        let powers = power.powers;
        let parts = 2 - u32::from(powers.is_real);
        let samples = self.request().samples;
        let numbers = parts * self.request().channels.step();
        let words = ((samples.bytes() * numbers) << powers.log2_points) / 4;
        let constants = [constant(samples); PARTS];
        for first in (0..words).step_by(PARTS) {
            let count = (words - first).min(PARTS as u32) as usize;
            runner.write(self.input(), first, &constants[..count])?;
        }
        self.run(runner, Direction::Forward, limit_us)?;

        let from = self.arrangement().address(memory.step.from, [0; 3]);
        let block = self.block();
        let sixteen = |runner: &mut R, point: u32| {
            let mut words = [0; PARTS];
            runner.read(block, from / 4 + 2 * point, &mut words)?;
            Ok::<_, R::Error>(words.map(f32::from_bits))
        };
        let [re, im, ..] = sixteen(runner, 0)?;
        // Of real samples bin 0 is the sum of both, of complex ones both are the same.
        if re + im == 0.0 {
            return Err(Error::Window);
        }
        for row in 0..power.rows_of_multiples() {
            let [first, mirrored] = power.sources(row);
            let up = sixteen(runner, first)?;
            let down = sixteen(runner, mirrored)?;
            let multiples = power.row_of_multiples(row, [re, im], &up, &down);
            let at = memory.factors / 4 + LANES * row;
            runner.write(block, at, &multiples.map(f32::to_bits))?;
        }
        Ok(())
    }
}
