//! The CPU engine: transforms of up to 2^22 points on the ARM, as far as its table reaches.

use dsp::{Complex, Direction, Plan, Radix};

use super::EngineError;

/// The ARM as an engine. It keeps the twiddles of one length in a table of the caller's.
pub struct CpuEngine<'a> {
    plan: Option<Plan>,
    twiddles: &'a mut [Complex<f32>],
}

impl<'a> CpuEngine<'a> {
    /// An engine with this table, which serves transforms of up to its own length.
    pub const fn new(twiddles: &'a mut [Complex<f32>]) -> Self {
        Self {
            plan: None,
            twiddles,
        }
    }

    /// Gets the twiddles ready for transforms of 2^`log2n` points.
    ///
    /// # Errors
    /// [`EngineError::Length`], or [`EngineError::NoMemory`] when the table is too short.
    pub fn prepare(&mut self, log2n: u32) -> Result<(), EngineError> {
        if self.plan.is_some_and(|plan| plan.log2n() == log2n) {
            return Ok(());
        }
        self.plan = None;
        let plan = Plan::new(log2n, Radix::Mixed).map_err(|_| EngineError::Length)?;
        let table = self
            .twiddles
            .get_mut(..plan.twiddle_count())
            .ok_or(EngineError::NoMemory)?;
        plan.fill_twiddles(table).map_err(|_| EngineError::Length)?;
        self.plan = Some(plan);
        Ok(())
    }

    /// Transforms `data` in place, in natural order, unscaled.
    ///
    /// # Errors
    /// [`EngineError::Length`] when it was not prepared for that length.
    pub fn transform(
        &mut self,
        direction: Direction,
        data: &mut [Complex<f32>],
    ) -> Result<(), EngineError> {
        let plan = self.plan.ok_or(EngineError::Length)?;
        plan.transform(direction, &self.twiddles[..plan.twiddle_count()], data)
            .map_err(|_| EngineError::Length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dsp::dft::{naive, relative_rms_error};

    #[test]
    fn it_transforms_what_it_was_prepared_for() {
        let mut table = vec![Complex::ZERO; 64];
        let mut engine = CpuEngine::new(&mut table);
        let input: Vec<_> = (0..64)
            .map(|i| Complex::new((i % 5) as f32 - 2.0, (i % 3) as f32))
            .collect();
        let mut data = input.clone();
        let unprepared = engine.transform(Direction::Forward, &mut data);
        assert_eq!(unprepared, Err(EngineError::Length));
        for direction in [Direction::Forward, Direction::Inverse] {
            let mut expected = vec![Complex::ZERO; 64];
            naive(direction, &input, &mut expected);
            data.copy_from_slice(&input);
            engine.prepare(6).unwrap();
            engine.transform(direction, &mut data).unwrap();
            assert!(relative_rms_error(&data, &expected) < 3e-7);
        }
        assert_eq!(engine.prepare(7), Err(EngineError::NoMemory));
        let wrong = engine.transform(Direction::Forward, &mut data);
        assert_eq!(wrong, Err(EngineError::Length));
    }
}
