//! The input of a plan, moved: blocks of a ring are transformed where they lie.

use super::{Plan, check_buffers};
use crate::fft::Direction;
use crate::fft::planner::request::Error;
use crate::job::{Buffer, Runner};

impl Plan {
    /// Lets the plan read another buffer from the next run on. Only words that hold addresses of
    /// the input are written: where a pass converts i32 or upper bytes, one for each program. Must
    /// not be called while the plan runs.
    ///
    /// # Errors
    /// The error of the buffers, as for [`Plan::new`]; [`Error::Runner`].
    pub fn set_input<R: Runner>(
        &mut self,
        runner: &mut R,
        input: Buffer,
    ) -> Result<(), Error<R::Error>> {
        check_buffers(&self.request, input, self.output)?;
        if input.addr == self.input.addr {
            self.input = input;
            return Ok(());
        }
        let direction = self.direction.unwrap_or(Direction::Forward);
        let before = self.lists();
        self.input = input;
        // Until all of it is written, the start lists are of neither buffer.
        let direction_before = self.direction.take();
        self.lists().write_input(runner, &before, direction)?;
        self.direction = direction_before;
        Ok(())
    }
}
